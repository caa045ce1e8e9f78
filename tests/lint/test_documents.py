"""Documents name what exists, and everything that they have to name."""

import json
import re
import subprocess
from dataclasses import fields
from http import HTTPStatus
from pathlib import Path
from typing import get_args

import pytest

from tests.contract.test_columns import RECORDS
from tests.documents import blocks
from tests.examples.conftest import SHOPS
from tools import error_codes
from wishwell import config, errors, stores
from wishwell.cli import main
from wishwell.http import management, responses
from wishwell.server import doctor
from wishwell.wishlists import items, lists

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "wishwell"


def test_every_setting_is_documented_with_its_default():
    """Each setting is in docs/configuration.md with its default. Rule: setting-invalid."""
    text = (ROOT / "docs" / "configuration.md").read_text()
    rows = dict(re.findall(r"^\| `WISHWELL_(\w+)`[^|]*\| ([^|]+) \|", text, re.MULTILINE))
    known = {entry.name.upper(): entry.default for entry in fields(config.Settings)}
    assert rows.keys() == known.keys()
    for name, default in known.items():
        shown = rows[name].strip("` ")
        wanted = "none" if default in (None, ()) else str(default)
        assert shown.lower() == wanted.lower() or float(shown) == default, name


def test_documents_and_examples_name_only_existing_settings():
    """Documents and examples name only existing settings; `wishwell` refuses to start with others.
    Rule: setting-invalid."""
    known = {f"WISHWELL_{entry.name.upper()}" for entry in fields(config.Settings)}
    # WISHWELL_FOO is an example of a refused name
    known |= {f"{name}_FILE" for name in known} | {"WISHWELL_FOO"}
    folders = [f"{folder}/**/*" for folder in ("docs", "examples", "demo", "deploy")]
    places = ("*.md", "*/README.md", "packages/*/README.md", "compose*.yaml", *folders)
    for file in (path for place in places for path in ROOT.glob(place) if path.is_file()):
        if "node_modules" not in file.parts:
            text = file.read_text("utf-8", "ignore")
            unknown = set(re.findall(r"\bWISHWELL_(?!TEST_|FUZZ_)[A-Z_]+", text)) - known
            assert not unknown, file


def test_every_command_and_store_limit_is_documented():
    """docs/configuration.md has each command, and each limit that a store may override."""
    text = (ROOT / "docs" / "configuration.md").read_text()
    for name, command in main.commands.items():
        for sub in getattr(command, "commands", {"": None}):
            assert f"`wishwell {f'{name} {sub}'.strip()}" in text
    assert all(f"`{limit}`" in text for limit in stores.LIMITS)


def test_every_status_of_an_error_is_documented():
    """docs/errors.md has a row for each status that the service can return."""
    text = (ROOT / "docs" / "errors.md").read_text()
    statuses = set(responses.STATUSES.values()) | {HTTPStatus(431), HTTPStatus(500)}
    for status in statuses:
        assert re.search(rf"^\| {status.value} ", text, re.MULTILINE), status


def anchors(document):
    """Returns the anchors of a document: its headings' slugs as GitHub makes them, and explicit
    ones."""
    text = document.read_text()
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}
    return slugs | set(re.findall(r'<a id="([\w-]+)"', text))


def test_links_between_documents_lead_to_existing_sections():
    """Links in documents and in `deploy/` lead to existing files and sections."""
    kept = ["*.md", "docs/**/*.md", "examples/*.md", "*/README.md"]
    kept += ["clients/*/README.md", "examples/*/README.md", "packages/*/README.md"]
    for path in {path for pattern in kept for path in ROOT.glob(pattern)}:
        for target, anchor in re.findall(
            r"\]\((?!https?:|mailto:)([^)#]*)#?([^)]*)\)", path.read_text()
        ):
            there = path.parent / target if target else path
            assert there.exists(), f"{path}: {target}"
            assert not anchor or anchor in anchors(there), f"{path}: {target}#{anchor}"
    for path in filter(Path.is_file, (ROOT / "deploy").rglob("*")):
        for target, anchor in re.findall(r"\b(docs/[\w-]+\.md)#([\w-]+)", path.read_text()):
            assert anchor in anchors(ROOT / target), f"{path}: {target}#{anchor}"


def test_folders_at_the_root_are_few_and_explained():
    """CONTRIBUTING.md has a row for each folder of the checkout, at most 14 in all."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text.partition("## Where things are\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)/` \|", section, re.MULTILINE)
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout
    folders = {path.partition("/")[0] for path in files.splitlines() if "/" in path}
    assert sorted(listed) == sorted(name for name in folders if not name.startswith("."))
    assert len(listed) <= 14


def test_files_that_documents_name_exist():
    """File names in documents exist, relative to the checkout or to the service's package."""
    pattern = r"`([\w-]+/[\w./-]+\.(?:conf|cfg|js|json|lock|py|sql|toml|ts|yaml|yml))`"
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for path in re.findall(pattern, document.read_text()):
            places = (ROOT / path, SOURCE / path)
            # Files in build/ are written by the program or a make target.
            assert any(map(Path.exists, places)) or path.startswith("build/"), f"{document}: {path}"


@pytest.mark.parametrize("kind", sorted({*RECORDS} - {"wishwell"}))
def test_every_field_of_the_file_is_documented(kind):
    """docs/data.md names each field of an export line; of a list and an item, the differences to
    their fields in the API. Rule: export-whole."""
    text = (ROOT / "docs" / "data.md").read_text()
    [row] = re.findall(rf"^\| `{kind}`.*\| (.+) \|$", text, re.MULTILINE)
    named, hint = {*re.findall(r"`(\w+)`", row)}, ""
    fields = {*RECORDS[kind].__struct_encode_fields__}
    if shown := {"list": lists.List, "item": items.Item}.get(kind):
        fields ^= {*shown.__struct_encode_fields__}
        file = f"src/{shown.__module__.replace('.', '/')}.py"
        hint = f"add them to {shown.__name__} in {file}; if the API shouldn't have them, "
    missing = ", ".join(sorted(fields - named))
    assert not missing, f"{missing}: {hint}name them in the row of {kind} in docs/data.md"


def test_client_page_names_every_method():
    """The table of docs/client.md has every method that an operation has in the client."""
    methods = {
        tuple(operation["x-python"].split("."))
        for item in json.loads(management.description())["paths"].values()
        for name, operation in item.items()
        if name != "parameters" and "x-python" in operation
    }
    rows = re.findall(
        r"^\| (`.*?) \| (`.*) \|$", (ROOT / "docs" / "client.md").read_text(), re.MULTILINE
    )
    cells = [[re.findall("`([a-z_]+)`", cell) for cell in row] for row in rows]
    assert methods <= {(noun, call) for nouns, calls in cells for noun in nouns for call in calls}


# Pages with commands; add new ones here.
PAGES = [
    *(
        "README.md",
        "SECURITY.md",
        "demo/README.md",
        "packages/react/README.md",
        "examples/README.md",
    ),
    *(
        f"docs/{name}.md"
        for name in ("operations", "data", "forgetting", "storefront", "sign-in", "client")
    ),
    *(
        str(path.relative_to(ROOT))
        for pattern in ("docs/runbooks.md", "docs/shopify.md", "examples/*/README.md")
        for path in sorted(ROOT.glob(pattern))
    ),
]


@pytest.mark.parametrize("page", PAGES)
def test_documented_commands_are_run_by_a_test_or_exempted_with_a_reason(page):
    """Commands below each heading are run by some test, or a comment says why not."""
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    taken = re.findall(r'"([\w./-]+\.md)", "(#+ [^"]+)"', tests)
    taken += [(f"examples/{name}/README.md", "# ") for name in SHOPS]
    for block in blocks(page):
        known = any(at == page and block.heading.startswith(head) for at, head in taken)
        assert block.reason or known, f"{page}, {block.heading}: {block.lines}"


def test_every_code_is_explained_under_its_status():
    """docs/errors.md has a row for each code, with its status, cause and what to do."""
    text = (ROOT / "docs" / "errors.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \| (\S.*) \| (\S.*) \|$", text, re.MULTILINE)
    listed = [(status, code) for status, code, _, _ in rows]
    assert listed == [(status, one) for status, codes in error_codes.CODES.items() for one in codes]


def test_codes_of_details_are_listed():
    """docs/errors.md has the codes of bad fields, as the code explains them."""
    text = (ROOT / "docs" / "errors.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\S.*) \|$", text, re.MULTILINE)
    assert rows == [*errors.FIELD_CODES.items()]
    assert [*errors.FIELD_CODES] == [*get_args(errors.FieldCode)]


def test_documents_that_doctor_refers_to_exist():
    """All documents and sections that doctor refers to exist."""
    for place in doctor.SEE.values():
        page, _, anchor = place.partition("#")
        heads = re.findall("^#+ (.+)$", (ROOT / "docs" / page).read_text(), re.MULTILINE)
        assert not anchor or anchor in [head.lower().replace(" ", "-") for head in heads], place
