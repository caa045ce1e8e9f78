"""openapi-generator: clients in eight languages. Those of Go and TypeScript work; Java's compiles.

``make test-slow`` installs the generator and Go; the generator needs Java.
"""

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOMY, Shop, missing
from tests.http.test_samples import platform as platform
from tests.servers.base import wait_until
from tests.servers.later import CODE, EVENT_TYPE, later_version
from tests.tools.test_tools import HERE, INSTALLED, NODE_MODULES, node, run, walked
from tools import openapi

GENERATOR = INSTALLED / "venv" / "bin" / "openapi-generator-cli"
GO = INSTALLED / "venv" / "bin" / "go"
TYPESCRIPT = ["typescript-fetch", "typescript-axios"]
LANGUAGES = ["go", "java", "csharp", "kotlin", "rust", "php", "python", *TYPESCRIPT]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tools")]


@pytest.fixture(autouse=True, scope="module")
def installed():
    if not (GENERATOR.exists() and GO.exists() and shutil.which("java")):
        missing("openapi-generator isn't installed; run `make build/tools/.installed`, with Java")


Client = tuple[Path, str]
"""A generated client's folder, and what the generator printed."""


@pytest.fixture(scope="module")
def client(tmp_path_factory) -> Callable[..., Client]:
    """Generates a language's client, once for all tests."""

    @cache
    def generate(language: str, *options: str) -> Client:
        made = tmp_path_factory.mktemp(language) / "made"
        command = [GENERATOR, "generate", "-i", openapi.BUILT, "-g", language, "-o", made]
        return made, run(*command, *options, cwd=made.parent, seconds=900)

    return generate


@pytest.mark.parametrize("language", LANGUAGES)
def test_openapi_generator_makes_every_operation(client, language):
    """The description generates without options; no file of one tag overwrites another's.
    Rule: openapi-complete."""
    made, output = client(language)
    assert "FILEPATH_COLLISION" not in output
    sources = [path for path in made.rglob("*") if path.is_file()]
    names = {path.read_text("utf-8", "replace").lower().replace("_", "") for path in sources}
    for operation in ("createwebhook", "testwebhook", "createitem", "listevents"):
        assert any(operation in text for text in names), operation


def test_go_client_works_and_reads_a_later_version(client, platform, tmp_path, monkeypatch):
    """A generated Go client saves, orders, shares, reads the feed and creates a webhook; it also
    reads an unknown field, error code and event type. Rule: openapi-complete."""
    shop = Shop(platform.shop.service, *ROOMY, "--events", "on")
    http, customer = shop.acting_as(shop.gid()), shop.gid()
    earlier = http.post("/items", json={"productId": 7}).json()["data"]["id"]
    assert wait_until(lambda: shop.admin.get("/events").json()["data"], seconds=10, every=0.2)
    made = tmp_path / "made"
    shutil.copytree(client("go")[0], made, ignore=shutil.ignore_patterns("test"))
    # The generated code's only library, which checks patterns that the service checks anyway.
    (made / "validator").mkdir()
    (made / "validator" / "go.mod").write_text("module gopkg.in/validator.v2\n\ngo 1.23\n")
    (made / "validator" / "validator.go").write_text(
        "package validator\nfunc Validate(any) error { return nil }\n"
    )
    module = (
        (made / "go.mod")
        .read_text()
        .replace("github.com/GIT_USER_ID/GIT_REPO_ID", "example.org/shop")
    )
    (made / "go.mod").write_text(module + "\nreplace gopkg.in/validator.v2 => ./validator\n")
    (made / "walk").mkdir()
    shutil.copy(HERE / "walk.go", made / "walk")
    for name, value in {
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOCACHE": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    run(GO, "build", "-o", "walk.out", "./walk", cwd=made)
    url = f"{shop.service.url}/api/2025-04"
    with later_version(shop.service.url) as later:
        arguments = (url, shop.admin_token, customer, f"{later}/api/2025-04")
        seen = json.loads(run(made / "walk.out", *arguments, cwd=made))
    # The feed may lag behind by 2 seconds.
    assert set(seen.pop("events")) <= {earlier, *seen.pop("saved")}
    assert seen.pop("laterEvent") == [EVENT_TYPE, earlier]
    assert seen == {
        "product": 9007199254740991,
        "listed": [9007199254740991, 7],
        "shared": True,
        "webhook": True,
        "code": "item_not_found",
        "laterField": 1,
        "laterCode": CODE,
    }


def compile_typescript(folder: Path, program: str, *options: str) -> None:
    strict = ["--strict", "--skipLibCheck"]
    target = ["--target", "es2022", "--lib", "es2022,dom,dom.iterable"]
    run(node("tsc"), *strict, *target, *options, program, cwd=folder)


def test_typescript_fetch_client_works(client, platform, tmp_path):
    """A client of typescript-fetch, generated without options, compiles in strict mode, takes a
    visitor's wishes through a sign-in and reads a later version. Rule: openapi-complete."""
    shutil.copy(HERE / "walk_fetch.ts", tmp_path)
    shutil.copytree(client("typescript-fetch")[0], tmp_path / "made")
    compile_typescript(tmp_path, "walk_fetch.ts", "--module", "commonjs")
    walked(platform, tmp_path, "node", "walk_fetch.js")


@pytest.mark.parametrize(
    ("language", "options"),
    [
        ("typescript-axios", ()),
        ("typescript", ("--parameter-name-mappings", "of=sharesOf")),
    ],
)
def test_typescript_client_compiles(client, language, options):
    """Clients of the other generators for TypeScript compile, one of them with the option that
    docs/api.md names. Rule: openapi-complete."""
    made, _ = client(language, *options)
    (made / "node_modules").symlink_to(NODE_MODULES)
    modules = ["--module", "esnext", "--moduleResolution", "bundler"]
    compile_typescript(made, "index.ts", "--noEmit", *modules)


@pytest.mark.skipif(not shutil.which("mvn"), reason="Maven isn't installed")
def test_java_client_compiles(client):
    """A generated Java client compiles with the libraries that it names. Rule: openapi-complete."""
    command = ["mvn", "--quiet", "--batch-mode", "compile"]
    done = subprocess.run(
        command, cwd=client("java")[0], capture_output=True, text=True, timeout=900
    )
    output = done.stdout + done.stderr
    if "could not be resolved" in output:
        pytest.skip("Maven can't download the libraries of the generated client")
    assert done.returncode == 0, output
