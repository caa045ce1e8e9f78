"""Checks docs/rules/: the form of the pages, their generated tables, and the citations."""

import csv
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import rule_tables

# xdist runs the group in one process, which reads each file once.
pytestmark = pytest.mark.xdist_group("rules")
ROOT = Path(__file__).parents[2]
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


def test_every_page_of_the_rules_is_listed():
    """docs/rules/README.md links to each page."""
    assert {*re.findall(r"\]\(([\w-]+\.md)\)", PAGES["README.md"])} == PAGES.keys() - {"README.md"}


def test_every_earlier_name_is_replaced_by_a_rule():
    """renamed.csv has each earlier name once, with the rule or page that replaced it."""
    with (ROOT / "docs" / "rules" / "renamed.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert len({row["old"] for row in rows}) == len(rows)
    pages = {f"generated: {page}" for page in PAGES}
    assert {row["new"] for row in rows} <= {*RULES} | pages
    assert not {row["old"] for row in rows} & {*RULES}


def test_tables_of_the_rules_match_the_openapi_document():
    """The generated parts of the pages are what `make format` writes."""
    for path, text in rule_tables.generate_pages().items():
        assert path.read_text("utf-8") == text, f"{path.name} is out of date: run make format"


def test_every_operation_is_on_the_page_of_its_tag():
    """Each operation of the API is on the page of its tag."""
    tables = rule_tables.Tables(rule_tables.document())
    everything = "".join(PAGES.values())
    for method, path, _ in tables.operations:
        assert f"| `{method} {path}` |" in everything


# Folders without text of our own.
SKIPPED = {"node_modules", "build", "dist", "corpus", "docs_page", "results", "__pycache__"}
KINDS = {
    ".css",
    ".html",
    ".js",
    ".lua",
    ".md",
    ".py",
    ".sql",
    ".toml",
    ".ts",
    ".tsx",
    ".txt",
    ".yaml",
}
# A list of names may continue on the comment's next line.
COMMA = r",[\s#/*-]+"
CITED = re.compile(rf"\b[Rr]ules?:\s[\s#/*-]*({NAME}(?:{COMMA}{NAME}\b)*)")


def cited_in(text: str) -> set[str]:
    """Returns the names of the rules that a text cites."""
    return {name for names in CITED.findall(text) for name in re.split(COMMA, names)}


@functools.cache
def citations() -> dict[Path, set[str]]:
    """Returns the names of the rules that each file cites, except for this file."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED and name[0] != "."]
        for path in (Path(folder, name) for name in files):
            if path.suffix in KINDS and path != Path(__file__):
                found[path] = cited_in(path.read_text("utf-8"))
    return found


def test_every_citation_names_a_rule():
    """Every name after `rule:` or `Rules:` is a rule in docs/rules/."""
    assert {
        (path, name) for path, names in citations().items() for name in names - {*RULES}
    } == set()


def test_every_rule_is_cited_by_a_quick_test():
    """Each rule is cited in the docstring of a test that `make test` runs."""
    argv = [sys.executable, "-m", "tests.lint.quick_tests"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    docstrings = json.loads(done.stdout)
    assert len(docstrings) > 1000
    assert {*RULES} - set().union(*map(cited_in, docstrings.values())) == set()


def test_every_rule_is_cited_by_the_code():
    """Each rule is cited by code, so that searching for its name finds code and tests."""
    cited = [
        names
        for path, names in citations().items()
        if path.relative_to(ROOT).parts[0] not in ("docs", "tests")
    ]
    assert {*RULES} - set().union(*cited) == set()
