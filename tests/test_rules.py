"""Checks docs/rules/: the form of the pages, and that their generated tables are up to date."""

import csv
import re
from pathlib import Path

from tools import rule_tables

ROOT = Path(__file__).parents[1]
PAGES = {path.name: path.read_text("utf-8") for path in (ROOT / "docs" / "rules").glob("*.md")}
NAME = r"[a-z0-9]+(?:-[a-z0-9]+)+"
RULES = [
    rule for text in PAGES.values() for rule in re.findall(rf"^## ({NAME})$", text, re.MULTILINE)
]


def test_each_rule_has_its_own_name_and_a_reason():
    """Rule names are unique and hyphenated; each rule has a text and a reason."""
    assert len({*RULES}) == len(RULES) > 100
    for page, text in PAGES.items():
        by_hand = rule_tables.TABLES.sub("", text)
        for part in by_hand.split("\n## ")[1:]:
            name, *paragraphs = part.strip().split("\n\n")
            assert name in RULES, f"{page}: {name}"
            assert len(paragraphs) >= 2, name
            assert paragraphs[-1].startswith("*Why:* "), name


def test_every_page_is_listed():
    """docs/rules/README.md links to each page."""
    assert {*re.findall(r"\]\(([\w-]+\.md)\)", PAGES["README.md"])} == PAGES.keys() - {"README.md"}


def test_every_earlier_name_leads_to_a_rule():
    """renamed.csv has each earlier name once, with the rule or page that replaced it."""
    with (ROOT / "docs" / "rules" / "renamed.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert len({row["old"] for row in rows}) == len(rows)
    pages = {f"generated: {page}" for page in PAGES}
    assert {row["new"] for row in rows} <= {*RULES} | pages
    assert not {row["old"] for row in rows} & {*RULES}


def test_tables_are_those_of_the_openapi_document():
    """The generated parts of the pages are what `make format` writes."""
    for path, text in rule_tables.made().items():
        assert path.read_text("utf-8") == text, f"{path.name} is out of date: run make format"


def test_every_operation_is_in_a_table():
    """Each operation of the API is on the page of its tag."""
    tables = rule_tables.Tables(rule_tables.document())
    everything = "".join(PAGES.values())
    for method, path, _ in tables.operations:
        assert f"| `{method} {path}` |" in everything
