"""CONTRIBUTING.md, held: what an endpoint still lacks, a test misses by name.

Each test copies the checkout, adds a made-up route to it, and runs there what has to fail.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
PATH = "/lists/{listId}/made-up/{madeUpId}"
HANDLER = """

async def made_up(request: Request) -> Response:
    return responses.record(request.parameters)
"""
FOUND = "tests/test_made_up.py::test_route_is_found_with_both_values"
ROUTED = f"""
from wishwell.http import handlers, routes


def test_route_is_found_with_both_values():
    route, values = routes.find(routes.PREFIX + "/lists/a/made-up/b")
    assert (route.path, route.methods) == ("{PATH}", {{"GET": handlers.made_up}})
    assert values == {{"listId": "a", "madeUpId": "b"}}
    for unknown in ("/lists/a/made-up", "/lists/a/made-up/", "/lists//made-up/b"):
        assert routes.find(routes.PREFIX + unknown) == (None, {{}})
"""
DESCRIPTION = f"""
  {PATH}:
    get:
      operationId: getMadeUp
      responses: {{}}
"""
RULE = '- <a id="made-up-rule"></a>It is made up.\n'

# The tests that fail, and what each says is missing.
ROUTE_ALONE = {
    "tests/test_house.py::test_routes_and_description_are_the_same": PATH,
    "tests/http/test_authorisation.py::test_every_route_has_its_row": f"GET {PATH}",
}
WITH_DESCRIPTION_AND_RULE = {
    "tests/http/test_authorisation.py::test_every_route_has_its_row": f"GET {PATH}",
    "tests/http/test_openapi.py::test_document_has_every_operation_once": "getMadeUp",
    "tests/http/test_openapi.py::test_parameters_are_whole[getMadeUp]": "madeUpId",
    "tests/http/test_openapi.py::test_operation_has_every_status[getMadeUp]": "'429'",
    "tests/client/test_description.py::test_every_operation_has_a_call": PATH,
    "tests/test_contract.py::test_every_rule_is_named_by_a_test": "made-up-rule",
    "tests/test_contract.py::test_every_rule_is_named_where_it_is_held": "made-up-rule",
}


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def copy(folder):
    """The checkout, as far as these tests need it, with the route and its handler."""
    for name in ("src", "tests", "docs"):
        # Compiled files too, which save seconds; not those that another test is just writing.
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    room = folder / "src" / "wishwell" / "http"
    with (room / "handlers.py").open("a") as handlers:
        handlers.write(HANDLER)
    edit(
        room / "routes.py",
        "API = (\n",
        f'API = (\n    Route("{PATH}", {{"GET": handlers.made_up}}),\n',
    )
    (folder / "tests" / "test_made_up.py").write_text(ROUTED)


def describe(folder):
    """Adds as much of a description as makes an operation, and a rule."""
    document = folder / "src" / "wishwell" / "http" / "openapi.yaml"
    edit(document, "\ncomponents:\n", f"{DESCRIPTION}\ncomponents:\n")
    with (folder / "docs" / "contract.md").open("a") as contract:
        contract.write(RULE)


def failures(folder, tests):
    """What these tests say, for each that fails, by its name."""
    report = folder / "report.xml"
    # All of what an assertion says.
    words = ["-o", "addopts=-p no:schemathesis", "-vv", f"--junitxml={report}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *tests],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
    )
    cases = list(ElementTree.parse(report).iter("testcase"))
    assert len(cases) == len(tests), done.stdout
    return {
        f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}": failure.text
        for case in cases
        for failure in case.iter("failure")
    }


@pytest.mark.slow
@pytest.mark.parametrize("described", [False, True])
def test_made_up_route_is_missed_wherever_a_step_is_left_out(tmp_path, described):
    """It works at once, with the values of both of its parameters."""
    copy(tmp_path)
    if described:
        describe(tmp_path)
    missed = WITH_DESCRIPTION_AND_RULE if described else ROUTE_ALONE
    said = failures(tmp_path, [FOUND, *missed])
    assert said.keys() == missed.keys()
    for test, missing in missed.items():
        assert missing in said[test], test


def test_contributing_names_each_of_these_tests():
    """And the step that makes it pass."""
    steps = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for test in ROUTE_ALONE | WITH_DESCRIPTION_AND_RULE:
        file, _, name = test.partition("::")
        assert name.partition("[")[0] in steps or file in steps, test
