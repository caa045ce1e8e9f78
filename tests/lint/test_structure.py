"""The structure of the code: imports between packages, sizes of modules, and lists that must agree."""

import ast
import functools
import json
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path
from typing import get_args

import click
import msgspec
import pytest

import wishwell_client
from tests import repeated, schema, tests_of
from tests.conftest import TIMING
from wishwell import __version__, products
from wishwell.cli import main
from wishwell.db import migrate, statements
from wishwell.db.statements import Engine
from wishwell.http import bad_fields, list_bodies, management, request_types, routes, store_bodies
from wishwell.http.handlers import order_handlers
from wishwell.products import money, product_bodies
from wishwell.wishlists import purge, reservation_rows

# xdist runs the group in one process, which parses each file once.
pytestmark = pytest.mark.xdist_group("structure")
ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "wishwell"
PACKAGES = ROOT / "packages"
CLIENT = ROOT / "clients" / "python" / "src" / "wishwell_client"
MODULES = sorted(SOURCE.rglob("*.py"))
CLIENT_MODULES = sorted(CLIENT.rglob("*.py"))
# Packages, lowest layer first: each imports only itself and those before it.
LAYERS = (
    *(
        "version",
        "errors",
        "files",
        "ids",
        "currencies",
        "field_types",
        "lru",
        "opaque",
        "json_keys",
    ),
    *("telemetry", "fairness", "db", "ratelimits", "config", "outbound", "jobs"),
    *("stores", "profiles", "access", "contacts"),
    *(
        "events",
        "wishlists",
        "products",
        "mailer",
        "reports",
        "privacy",
        "transfer",
        "shoppers",
        "importers",
    ),
    *("http", "server", "cli", "__main__"),
)
END_OF_LINE = re.compile(r"""(?<![\\'"])\$(?=['")|]|\(\?)""")
DOCUMENT = msgspec.json.decode(management.description())


def name_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


@functools.cache
def parsed(path):
    return ast.parse(path.read_text())


@functools.cache
def imports_of(path):
    """Returns the modules of the package that a module imports, by names relative to the
    package."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wishwell"):
            below = (node.module or "").removeprefix("wishwell").lstrip(".")
            found |= {f"{below}.{a.name}".lstrip(".") for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.partition("wishwell.")[2] for a in node.names if "wishwell." in a.name}
    return found


def package_of(name):
    return name.split(".")[0]


def test_packages_import_downwards_only():
    """A package imports only itself and lower layers; http → nouns → db."""
    for path in MODULES[1:]:  # except the package's own __init__
        below = LAYERS[: LAYERS.index(package_of(name_of(path))) + 1]
        for imported in imports_of(path) - {"__version__"}:
            assert package_of(imported) in below, f"{name_of(path)} imports {imported}"


# Methods of named tuples, which begin with an underscore lest they collide with fields; os._exit; and
# the id of a test, which pytest lets no plug-in set otherwise.
OPEN_MEMBERS = {"_replace", "_fields", "_asdict", "_make", "_exit", "tests/conftest.py: item._id"}


def test_tests_use_no_private_member_of_another_object():
    """Tests check public behaviour, so that the inside of an object can change without them."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.Attribute) or not re.match("_(?!_)", node.attr):
                continue
            text = ast.unparse(node)
            known = node.attr in OPEN_MEMBERS or f"{path.relative_to(ROOT)}: {text}" in OPEN_MEMBERS
            own = text.removesuffix(node.attr) in ("self.", "cls.", "super().")
            assert own or known, f"{path}:{node.lineno}: {text}"


@pytest.mark.parametrize("path", [*MODULES, *CLIENT_MODULES], ids=lambda path: path.stem)
def test_patterns_do_not_end_before_a_newline(path):
    """No pattern that Python applies ends in `$`, which also matches before a trailing newline: `\\Z`
    doesn't. Patterns of the API's description may (`published`), and those that read lines."""
    exempt = set()
    for node in ast.walk(ast.parse(path.read_text())):  # a call before what it contains
        if isinstance(node, ast.Call):
            text = ast.unparse(node)
            if "MULTILINE" in text or ast.unparse(node.func).endswith("published"):
                exempt |= {*ast.walk(node)}
        if isinstance(node, ast.Constant | ast.JoinedStr) and node not in exempt:
            exempt |= {*ast.walk(node)}
            assert not END_OF_LINE.search(ast.unparse(node)), f"{path}:{node.lineno}"


def test_only_tests_that_run_other_programs_may_be_repeated():
    """`.ci/run` repeats no test of rules, races or histories, which run no other program."""
    folders = (
        "api",
        "client",
        "contract",
        "http",
        "linearizability",
        "lint",
        "security",
        "storefront",
    )
    for place in TIMING:
        assert (ROOT / place).exists(), place
        assert place.split("/")[1] not in folders, place


def test_repeated_tests_exist():
    """Each table of tests/repeated.py names existing tests, once, and its mark selects them."""
    for mark, table in repeated.TABLES.items():
        for place in table:
            assert (ROOT / place).exists(), place
            assert str(Path(place).parent) not in table, place
        file = next(place for place in table if place.endswith(".py"))
        assert mark in {*repeated.marks(file, "sqlite"), *repeated.marks(file, "postgresql")}
    assert repeated.OTHER_PYTHON.keys() >= repeated.BOTH_ENGINES


def test_imports_have_no_cycle():
    """No module imports itself through others."""
    names = {name_of(path).removesuffix(".__init__"): path for path in MODULES}
    graph = {}
    for name, path in names.items():
        found = {
            module if module in names else module.rpartition(".")[0] for module in imports_of(path)
        }
        graph[name] = found - {name}
    TopologicalSorter(graph).prepare()  # raises CycleError


def imported_packages(path):
    """Returns the top-level packages that a module imports."""
    names = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom):
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[0] for name in names}


def test_service_does_not_import_the_client():
    """The service can be installed without `wishwell-client`."""
    assert not [path for path in MODULES if "wishwell_client" in imported_packages(path)]


def test_client_imports_only_its_dependencies_and_no_unix_modules():
    """The client needs neither the service nor a Unix."""
    unix = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
    project = tomllib.loads((CLIENT.parents[1] / "pyproject.toml").read_text())["project"]
    needed = {re.match(r"\w+", line)[0] for line in project["dependencies"]}
    for path in CLIENT_MODULES:
        own = {"wishwell_client"} | needed | (sys.stdlib_module_names - unix)
        assert imported_packages(path) <= own, path
    assert needed <= {name for path in CLIENT_MODULES for name in imported_packages(path)}


def test_module_has_a_docstring_and_a_limited_size():
    """Each module has a docstring, no catch-all name, and at most 410 lines unless it is
    generated."""
    for path in MODULES + CLIENT_MODULES:
        text, words = path.read_text(), path.relative_to(ROOT).with_suffix("").parts
        if "_sync" in words:  # generated
            continue
        assert ast.get_docstring(parsed(path)) or not text.strip(), path
        assert not {"utils", "helpers", "common", "manager", "base"} & {*words}, path
        assert text.count("\n") <= 410 or "Written by ``make format``" in text.partition("\n")[0], (
            path
        )


def test_only_two_modules_map_errors_to_statuses():
    """Only these two modules map an error to an HTTP status."""
    for path in MODULES:
        if name_of(path) in ("http.responses", "http.protocol"):
            continue
        assert "HTTPStatus." not in path.read_text(), name_of(path)


def test_all_packages_have_one_version():
    """All packages have the wheel's version; CONTRIBUTING.md says how to change it."""
    assert wishwell_client.__version__ == __version__
    for folder in ("elements", "react", "proxy"):
        package = json.loads((PACKAGES / folder / "package.json").read_text())
        lock = json.loads((PACKAGES / folder / "package-lock.json").read_text())
        assert {package["version"], lock["version"]} == {__version__}, folder
        needed = package.get("peerDependencies", {}).get("@wishwell/browser")
        assert needed in (None, f"^{__version__}"), folder
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_messages_name_documents_by_their_address():
    """No message names a path in docs/, which an installed wheel doesn't have."""
    for path in (ROOT / "src").rglob("*.py"):
        found = re.findall(r'(?<!")"[^"\n]*docs/[a-z-]+\.md[^"\n]*"', path.read_text())
        assert not found, f"{path}: {found}"


def test_lists_of_commands_have_whole_sentences():
    """A list of commands has whole sentences at 80 columns; click would cut off longer ones."""
    for name, command in {"": main, **main.commands}.items():
        if isinstance(command, click.Group):
            context = click.Context(command, info_name=name, terminal_width=80)
            cut = re.findall(r"^  \w.*\.\.\.$", command.get_help(context), re.MULTILINE)
            assert not cut, name


def test_every_table_of_a_profile_is_purged_and_linked():
    """The purge and a link remove a profile's rows from every table keyed by profile."""
    tables = {name for name, columns in schema.tables().items() if columns[0] == "profile_id"}
    # Events have a retention of their own; a link and the purge don't delete them.
    held = tables - {"profiles", "revocations", "events", "erasures"}
    assert len(held) >= 4
    loaded = statements.load("sqlite").items()
    sql = {name: " ".join(step.sql for step in known.steps) for name, known in loaded}
    for steps in (
        [sql[name] for name in (*purge.DELETE_STATEMENTS, *reservation_rows.DELETE_STATEMENTS)],
        [sql[name] for name in sql if name.startswith("link_leave_")],
    ):
        assert {
            table for table in held for step in steps if f"DELETE FROM {table} " in step
        } == held


def test_routes_and_description_have_the_same_operations():
    """The routes and the API description have the same paths and methods."""
    described = {
        (path, method.upper())
        for path, operations in DOCUMENT["paths"].items()
        for method in operations
        if method in ("get", "post", "put", "patch", "delete")
    }
    assert described == {(route.path, method) for route in routes.API for method in route.methods}


BODIES = [
    value
    for module in (request_types, list_bodies, product_bodies, order_handlers, store_bodies)
    for name, value in vars(module).items()
    if name.endswith("Body") and value is not request_types.Body
]


def test_every_field_of_a_body_has_an_error_message():
    """A field whose type doesn't express its whole rule has a sentence in ``bad_fields.RULES``, and
    no other field has one."""
    structs = (*BODIES, money.Money, products.Variant)
    fields = [field for body in structs for field in msgspec.structs.fields(body)]
    # Product and variant have a message per kind of store
    unexplained = {field.encode_name for field in fields if not bad_fields.type_rule(field)}
    rules = {name for name in bad_fields.RULES if not name.endswith("[]")}
    assert unexplained - {"productId", "variantId"} <= rules <= {f.encode_name for f in fields}


def test_every_module_has_tests():
    """Each file of the service, the clients and two npm packages has a line in tests/tests_of.toml,
    or its folder has one. The lines name only existing files; each folder of the service has one."""
    patterns = {pattern for patterns in tests_of.TABLE.values() for pattern in patterns}
    assert {pattern for pattern in patterns if not [*(ROOT / "tests").glob(pattern)]} == set()
    argv = ["git", "ls-files", "src/wishwell", "clients", "packages/elements", "packages/proxy"]
    listed = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / line for line in listed.splitlines() if not line.endswith("py.typed")]
    without_tests = {path for path in files if not tests_of.tests_of(path)}
    assert without_tests == set()
    folders = {path.relative_to(SOURCE).parts[0] for path in files if path.is_relative_to(SOURCE)}
    assert {f"{name}/" for name in folders if (SOURCE / name).is_dir()} <= tests_of.TABLE.keys()
    for name in tests_of.TABLE:
        places = [SOURCE / name, SOURCE / f"{name}.py", ROOT / name]
        assert any(map(Path.exists, places)), f"{name} doesn't exist"


def test_modules_and_names_of_the_mutation_plan_exist():
    """The plan of the mutation tests names no missing module, and no missing name of a module."""
    plan = tomllib.loads((ROOT / "tests" / "mutation" / "mutants.toml").read_text())
    for name in plan["selections"]:
        assert (SOURCE / (name if name.endswith("/") else f"{name}.py")).exists(), name
    for module, explained in plan["survivors"].items():
        text = (SOURCE / f"{module}.py").read_text()
        names = {key.partition(":")[0].rpartition(".")[2] for key in explained}
        assert {name for name in names if not re.search(rf"\b{name}\b", text)} == set(), module


def test_applied_migrations_stay_as_they_are():
    """Applied migrations never change, because existing databases have them; a change is a new
    file.
    Rule: migrate-once."""
    for engine in get_args(Engine):
        files = {entry.name: entry.checksum for entry in migrate.available(engine)}
        assert FROZEN[engine].items() <= files.items(), engine


FROZEN = {
    "sqlite": {
        "0001_first": "db451ab56b3faf96a3a5341dd3dadfadab65db1721974b216c540de7c1c10717",
        "0002_rows_of_a_store": "cdd7a37f31fb8721e0e80ca9b2418b84f20d9ecd158469d0eb69b7d52cc11e52",
        "0003_notice_turns": "fb7693fd9df297a5f970215412f451b9fec2f55b61956415fce928026e58a36a",
    },
    "postgresql": {
        "0001_first": "202e06766f57e5dc00b28ebda8387e2b14596b18cfb893e58d058aa9b525afed",
        "0002_rows_of_a_store": "d7f2e74865b857f0f8a87a966d8ad935c3ca792546357e1e64c211799c8509f2",
        "0003_notice_turns": "fb7693fd9df297a5f970215412f451b9fec2f55b61956415fce928026e58a36a",
    },
}


def test_architecture_names_functions_that_exist():
    """Each function that ARCHITECTURE.md lists for a request or a job is in the named file."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    steps = re.findall(r"^\| `(\S+\.py)` `(\w+)` \|", text, re.MULTILINE)
    assert len(steps) >= 15
    missing = [
        (file, name)
        for file, name in steps
        if not re.search(rf"^ *(async )?def {name}\(", (SOURCE / file).read_text(), re.MULTILINE)
    ]
    assert missing == []
