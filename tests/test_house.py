"""The rules of the house, as tests: which room may open which door, names, and documents."""

import ast
import json
import re
from dataclasses import fields
from graphlib import TopologicalSorter
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import schema
from wishwell import __version__, config, products, stores
from wishwell.access import auth
from wishwell.cli import main
from wishwell.db import statements
from wishwell.events import deliveries, webhooks
from wishwell.http import management, responses, routes, wire
from wishwell.moving import person, requests
from wishwell.products import notices, product_bodies
from wishwell.profiles import records
from wishwell.wishes import items, lists, purge, reservations, shares

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "wishwell"
MODULES = sorted(SOURCE.rglob("*.py"))
# From the ground up: each room imports only what stands before it, and itself.
ROOMS = (
    *("errors", "ids", "recent", "opaque", "output", "log", "db", "limits", "config"),
    *("outbound", "stores", "profiles", "access", "events", "wishes", "products"),
    *("reports", "moving", "http", "run", "cli", "__main__"),
)
# They are installed where no service runs.
APART = ("client", "forward")
DOCUMENT = msgspec.json.decode(management.description())


def name_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def imports_of(path):
    """The modules of the package that a module imports, by their names below it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wishwell"):
            below = (node.module or "").removeprefix("wishwell").lstrip(".")
            found |= {f"{below}.{a.name}".lstrip(".") for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.partition("wishwell.")[2] for a in node.names if "wishwell." in a.name}
    return found


def room(name):
    return name.split(".")[0]


def test_doors_open_one_way():
    """A room knows those below it; http → nouns → db."""
    for path in MODULES[1:]:  # but the package's own
        mine = room(name_of(path))
        rooms = APART if mine in APART else ROOMS
        below = rooms[: rooms.index(mine) + 1]
        for imported in imports_of(path) - {"__version__"}:
            assert room(imported) in below, f"{name_of(path)} imports {imported}"


def test_no_import_goes_in_a_circle():
    """Among modules, too: each can be read after those that it imports."""
    names = {name_of(path).removesuffix(".__init__"): path for path in MODULES}
    graph = {}
    for name, path in names.items():
        found = {
            module if module in names else module.rpartition(".")[0] for module in imports_of(path)
        }
        graph[name] = found - {name}
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_module_has_a_purpose_and_fits_its_room():
    """A docstring, no catch-all name, and a size that can be read in one sitting."""
    for path in MODULES:
        text, words = path.read_text(), name_of(path).split(".")
        assert ast.get_docstring(ast.parse(text)) or not text.strip(), path
        assert not {"utils", "helpers", "common", "manager", "base"} & {*words}, path
        assert text.count("\n") <= 410 or "Written by ``make format``" in text.partition("\n")[0], (
            path
        )


def test_only_responses_knows_which_error_is_which_status():
    """No other module turns an error into a number."""
    for path in MODULES:
        if name_of(path) in ("http.responses", "http.server"):
            continue
        assert "HTTPStatus." not in path.read_text(), name_of(path)


def test_every_setting_is_documented_with_its_default():
    """contract: setting-list. In docs/configuration.md."""
    text = (ROOT / "docs" / "configuration.md").read_text()
    rows = dict(re.findall(r"^\| `WISHWELL_(\w+)`[^|]*\| ([^|]+) \|", text, re.MULTILINE))
    known = {entry.name.upper(): entry.default for entry in fields(config.Settings)}
    assert rows.keys() == known.keys()
    for name, default in known.items():
        shown = rows[name].strip("` ")
        wanted = "none" if default in (None, ()) else str(default)
        assert shown.lower() == wanted.lower() or float(shown) == default, name


def test_no_document_and_no_example_names_a_setting_that_there_is_not():
    """contract: setting-invalid. In the shell where it is set, `wishwell` would not start."""
    known = {f"WISHWELL_{entry.name.upper()}" for entry in fields(config.Settings)}
    known |= {f"{name}_FILE" for name in known} | {"WISHWELL_FOO"}  # which is refused, as is shown
    folders = [f"{folder}/**/*" for folder in ("docs", "examples", "demo", "ops")]
    places = ("*.md", "*/README.md", "compose.yaml", *folders)
    for file in (path for place in places for path in ROOT.glob(place) if path.is_file()):
        if "node_modules" not in file.parts:
            text = file.read_text("utf-8", "ignore")
            unknown = set(re.findall(r"\bWISHWELL_(?!TEST_|FUZZ_)[A-Z_]+", text)) - known
            assert not unknown, file


def test_all_packages_have_one_version():
    """That of the wheel; CONTRIBUTING.md says how to change it."""
    for folder in ("browser", "react", "forward"):
        package = json.loads((ROOT / folder / "package.json").read_text())
        lock = json.loads((ROOT / folder / "package-lock.json").read_text())
        assert {package["version"], lock["version"]} == {__version__}, folder
        needed = package.get("peerDependencies", {}).get("@wishwell/browser")
        assert needed in (None, f"^{__version__}"), folder
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_every_command_and_store_limit_is_documented():
    """docs/configuration.md shows each command, and each limit that a store may override."""
    text = (ROOT / "docs" / "configuration.md").read_text()
    for name, command in main.commands.items():
        for sub in getattr(command, "commands", {"": None}):
            assert f"`wishwell {f'{name} {sub}'.strip()}" in text
    assert all(f"`{limit}`" in text for limit in stores.LIMITS)


def test_every_status_of_an_error_is_documented():
    """docs/errors.md has a row for each status that the service can answer."""
    text = (ROOT / "docs" / "errors.md").read_text()
    statuses = set(responses.STATUSES.values()) | {HTTPStatus(431), HTTPStatus(500)}
    for status in statuses:
        assert re.search(rf"^\| {status.value} ", text, re.MULTILINE), status


def anchors(document):
    """Of its headings, as GitHub makes them, and those that it names itself."""
    text = document.read_text()
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}
    return slugs | set(re.findall(r'<a id="([\w-]+)"', text))


def test_links_between_documents_lead_somewhere():
    """No link of a document, or of a file in `ops/`, to a file or to a section of one that is not there."""
    kept = ("*.md", "docs/**/*.md", "examples/*.md", "*/README.md", "examples/*/README.md")
    for path in {path for pattern in kept for path in ROOT.glob(pattern)}:
        for target, anchor in re.findall(
            r"\]\((?!https?:|mailto:)([^)#]*)#?([^)]*)\)", path.read_text()
        ):
            there = path.parent / target if target else path
            assert there.exists(), f"{path}: {target}"
            assert not anchor or anchor in anchors(there), f"{path}: {target}#{anchor}"
    for path in filter(Path.is_file, (ROOT / "ops").rglob("*")):
        for target, anchor in re.findall(r"\b(docs/[\w-]+\.md)#([\w-]+)", path.read_text()):
            assert anchor in anchors(ROOT / target), f"{path}: {target}#{anchor}"


def test_files_that_documents_name_are_there():
    """From the root of the checkout, or from the service's folder."""
    pattern = r"`([\w-]+/[\w./-]+\.(?:conf|cfg|js|json|lock|py|sql|toml|ts|yaml|yml))`"
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for path in re.findall(pattern, document.read_text()):
            places = (ROOT / path, SOURCE / path)
            # What the program or a make target writes.
            assert any(map(Path.exists, places)) or path.startswith("build/"), f"{document}: {path}"


def test_every_table_of_a_profile_is_purged_and_linked():
    """What a session holds goes with it, to the customer or for good."""
    tables = {name for name, columns in schema.tables().items() if columns[0] == "profile_id"}
    # Events stay as long as all do: a link and the purge end what they say.
    held = tables - {"profiles", "revocations", "events", "erasures"}
    assert len(held) >= 4
    loaded = statements.load("sqlite").items()
    sql = {name: " ".join(step.sql for step in known.steps) for name, known in loaded}
    for steps in (
        [sql[name] for name in (*purge._STEPS, *reservations.ENDS)],
        [sql[name] for name in sql if name.startswith("link_leave_")],
    ):
        assert {
            table for table in held for step in steps if f"DELETE FROM {table} " in step
        } == held


def test_routes_and_description_are_the_same():
    """Each path and method of the routes is described, and no other."""
    described = {
        (path, method.upper())
        for path, operations in DOCUMENT["paths"].items()
        for method in operations
        if method in ("get", "post", "put", "patch", "delete")
    }
    assert described == {(route.path, method) for route in routes.API for method in route.methods}


# Those that the description calls otherwise.
NAMES = {
    "PlaceBody": "ItemPlace", "ShareBody": "ShareTerms", "CopyBody": "CopyTerms", "TokenBody": "TokenRequest",
    "ProductBody": "NewProduct", "ProfileRecord": "Profile", "Reserved": "ExportedReservation", "Money": "Price",
    "Store": "StoreSettings", "AdminTokenRecord": "AdminToken",
}  # fmt: skip


def named(*shapes) -> dict[str, Any]:
    return {NAMES.get(one.__name__, one.__name__.removesuffix("Body")): one for one in shapes}


BODIES = [
    value
    for module in (wire, product_bodies)
    for name, value in vars(module).items()
    if name.endswith("Body") and value is not wire.Body
]
READ = named(*BODIES, notices.Money) | {"NewVariant": products.Variant}
SHOWN = named(
    *(records.ProfileRecord, person.Reserved, shares.Share, shares.SharedList, shares.SharedItem),
    *(webhooks.Webhook, deliveries.Delivery, requests.PlatformRequest, items.Item, lists.List),
    *(products.Product, products.Variant, stores.Store, auth.AdminTokenRecord),
)
SHAPES = READ | SHOWN


def test_every_body_is_compared_and_explained():
    """What reads a body is held to the description, and each field of it has the sentence of its rule."""
    fields = {field.encode_name for body in READ.values() for field in msgspec.structs.fields(body)}
    assert fields - {"productId", "variantId"} == wire._RULES.keys()  # those two are the store's


def resolved(node):
    while "$ref" in node:
        reference = node["$ref"].removeprefix("#/").split("/")
        node = DOCUMENT
        for part in reference:
            node = node[part]
    return node


BOUNDS = ("minimum", "maximum", "minItems", "maxItems", "maxLength", "pattern")


def bounds(node):
    """The bounds of a value, through references and unions; of its kinds no two share one."""
    node = resolved(node)
    found = {key: node[key] for key in BOUNDS if key in node}
    if "pattern" in found:  # only Python's `$` needs that
        found["pattern"] = found["pattern"].removesuffix(r"(?!\n)")
    for child in [*node.get("anyOf", []), *node.get("oneOf", [])]:
        found |= {} if child.get("$ref", "").startswith("#/$defs/") else bounds(child)
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_schema_is_the_type(name):
    """Fields, required ones and bounds of the description are those of the types, by msgspec."""
    schema = DOCUMENT["components"]["schemas"][name]
    shape = SHAPES[name]
    (_,), components = msgspec.json.schema_components([shape])
    real = components[shape.__name__]
    optional_in_store = {"profile", "items"} if name in ("Item", "List") else set()
    described = schema["properties"]
    assert described.keys() - optional_in_store == real["properties"].keys() - optional_in_store
    sometimes = (
        {"variantId", "note"} if name in ("Item", "SharedItem", "ExportedReservation") else set()
    )
    assert set(schema.get("required", [])) == set(real.get("required", [])) - sometimes
    assert schema["additionalProperties"] is False
    if name in SHOWN:
        return  # bounds are of what comes in: after merges an item may have more tags
    for field, kind in real["properties"].items():
        typed = bounds(kind) if "$ref" not in kind else {}
        said = bounds(described[field])
        assert typed == {key: said[key] for key in said if key in typed}, field
        # Of a text the noun checks what the type does not say.
        assert not (said.keys() - typed.keys() - {"minItems", "maxLength", "pattern"}), field
