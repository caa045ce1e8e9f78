"""Other people's programs that read the API's description: generators, a linter, a validator.

``make test-slow`` installs them. schemathesis: tests/http/test_schemathesis.py.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import ROOMY, ROOT, Shop, missing
from tests.http import test_samples
from tests.http.test_samples import platform as platform
from tests.servers.base import free_port
from tests.servers.later import CODE, EVENT_TYPE, later_version
from tests.servers.prism import Prism
from tools import openapi, samples

HERE, INSTALLED = Path(__file__).parent, ROOT / "build" / "tools"
NODE_MODULES = INSTALLED / "node_modules"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tools")]


@pytest.fixture(autouse=True, scope="module")
def installed():
    if not (INSTALLED / ".installed").exists():
        missing("the tools aren't installed; run `make build/tools/.installed`")


def run(*command: object, cwd: Path, seconds: int = 300) -> str:
    """Runs a program and returns its output; fails with all that it printed if it fails."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=seconds
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def node(tool: str) -> Path:
    return NODE_MODULES / ".bin" / tool


def walked(platform, tmp_path: Path, *command: object) -> dict[str, Any]:
    """Runs a walk, asserts that a visitor's item is the customer's after the sign-in, and that the
    client reads a later version, and returns the other results."""
    shop = Shop(platform.shop.service, *ROOMY, "--events", "on")
    url = f"{shop.service.url}/api/2025-04"
    with later_version(shop.service.url) as later:
        arguments = (url, shop.admin_token, shop.gid(), f"{later}/api/2025-04")
        seen = json.loads(run(*command, *arguments, cwd=tmp_path))
    saved = seen.pop("saved")
    assert seen["listed"] == [[saved, 2]]
    assert seen["deleted"] == 204 and seen["refused"] == [401, 401]
    # The feed may lag behind by 2 seconds.
    assert seen["events"] in (
        [],
        ["item.created"],
        ["item.created", "item.created", "profile.linked"],
    )
    assert set(seen["products"]) <= {7}
    items, event_type, code = seen["later"]
    assert items == [[9, 1]]
    assert (event_type, code) == (EVENT_TYPE, CODE)
    return seen


def test_client_of_openapi_typescript_works(platform, tmp_path):
    """A TypeScript client in strict mode takes a visitor's wishes through a sign-in, places items on
    a list, shares it and creates a webhook; an event's type narrows its data.
    Rule: openapi-complete."""
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(HERE / "walk.ts", tmp_path)
    run(node("openapi-typescript"), openapi.BUILT, "--output", "api.d.ts", cwd=tmp_path)
    strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"]
    target = ["--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable"]
    run(node("tsc"), *strict, *target, "walk.ts", cwd=tmp_path)
    seen = walked(platform, tmp_path, "node", "walk.js")
    assert (seen["placed"], seen["shared"], seen["webhook"]) == ([7, 8], True, True)


def test_client_of_openapi_python_client_works(platform, tmp_path):
    """A generated Python client, made without a warning, takes a visitor's wishes through a
    sign-in. Rule: openapi-complete."""
    programs = INSTALLED / "venv" / "bin"
    shutil.copy(HERE / "walk.py", tmp_path)
    generator = [programs / "openapi-python-client", "generate", "--fail-on-warning"]
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")
    paths = ["--path", openapi.BUILT, "--config", "config.yaml", "--output-path", "made"]
    run(*generator, *paths, "--meta", "none", cwd=tmp_path)
    walked(platform, tmp_path, programs / "python", "walk.py")


def test_spectral_finds_neither_errors_nor_warnings(tmp_path):
    """Spectral's rules for OpenAPI find neither errors nor warnings. Rule: openapi-complete."""
    (tmp_path / "rules.yaml").write_text('extends: ["spectral:oas"]\n')
    lint = [node("spectral"), "lint", "--fail-severity", "hint", "--ruleset", "rules.yaml"]
    run(*lint, openapi.BUILT, cwd=tmp_path)


def test_prism_reports_an_invalid_request_or_response(platform):
    """Prism, as ``WISHWELL_TEST_PRISM`` uses it, validates a request and its response.
    Rule: openapi-complete."""
    prism, http = Prism(str(node("prism"))), platform.shop.acting_as(platform.shop.gid())
    http.post("/items", json={"productId": 7}).raise_for_status()
    good = http.get("/items")
    assert prism.violations(good) == []
    item = good.json()["data"][0]
    for change, expected in (
        ({"x": 1}, []),  # rule: openapi-open
        ({"quantity": "2"}, [["response", "body", "data", "0", "quantity"]]),
    ):
        body = {"data": [item | change]}
        shown = httpx2.Response(200, headers=good.headers, json=body, request=good.request)
        assert [found["location"] for found in prism.violations(shown)] == expected
    bad = http.get("/items?limit=1000")
    assert [found["location"] for found in prism.violations(bad)] == [["request", "query", "limit"]]


@pytest.fixture(scope="module")
def prism(platform) -> Iterator[str]:
    """The URL of Prism before the service. Prism itself responds to invalid requests."""
    port, target = free_port(), f"{platform.shop.service.url}/api/2025-04"
    command = [node("prism"), "proxy", openapi.BUILT, target, "--errors", "--port", str(port)]
    with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert any("Prism is listening" in line for line in process.stdout)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.stdout.read()


SAMPLES = [name for name in test_samples.SAMPLES if name.endswith(" Shell")]


def test_every_operation_passes_a_validating_proxy(platform, prism):
    """Prism finds the request and the response of each operation's sample valid.
    Rule: openapi-complete."""
    assert len(SAMPLES) > 50
    for name in SAMPLES:
        test_samples.try_sample(platform, name, f"{samples.ADDRESS}/api/2025-04", prism)


def test_validating_proxy_refuses_what_the_description_forbids(platform, prism):
    """Prism validates requests, so that the test above can fail."""
    http = platform.shop.admin
    answer = httpx2.get(f"{prism}/items?limit=1000", headers=http.headers)
    assert answer.status_code == 422, answer.text
