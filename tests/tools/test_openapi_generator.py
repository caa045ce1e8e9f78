"""openapi-generator, without options: clients in eight languages, of which Go's works.

``make test-slow`` installs the generator and Go; the generator needs Java.
"""

import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOMY, Shop, missing
from tests.http.test_samples import platform as platform
from tests.servers.base import wait_until
from tests.tools.test_tools import HERE, INSTALLED, run
from tools import openapi

GENERATOR = INSTALLED / "venv" / "bin" / "openapi-generator-cli"
GO = INSTALLED / "venv" / "bin" / "go"
LANGUAGES = ["go", "java", "csharp", "kotlin", "rust", "php", "python", "typescript"]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tools")]


@pytest.fixture(autouse=True, scope="module")
def installed():
    if not (GENERATOR.exists() and GO.exists() and shutil.which("java")):
        missing("openapi-generator isn't installed; run `make build/tools/.installed`, with Java")


def generate(language: str, folder: Path) -> str:
    command = [GENERATOR, "generate", "-i", openapi.BUILT, "-g", language, "-o", folder]
    return run(*command, cwd=folder.parent, seconds=900)


@pytest.mark.parametrize("language", LANGUAGES)
def test_openapi_generator_makes_every_operation(language, tmp_path):
    """The description generates without options; no file of one tag overwrites another's.
    Rule: openapi-complete."""
    output = generate(language, tmp_path / "made")
    assert "FILEPATH_COLLISION" not in output
    sources = [path for path in (tmp_path / "made").rglob("*") if path.is_file()]
    names = {path.read_text("utf-8", "replace").lower().replace("_", "") for path in sources}
    for operation in ("createwebhook", "testwebhook", "createitem", "listevents"):
        assert any(operation in text for text in names), operation


class Later(BaseHTTPRequestHandler):
    """A service of a later version, with a field, a code and an event type that are new."""

    item: dict[str, object]
    event: dict[str, Any]

    def do_GET(self) -> None:
        status, answer = 200, {"data": self.item | {"unknownField": 1}}
        if self.path.startswith("/lists"):
            detail = {"message": "No.", "error": "Not Found", "statusCode": 404}
            detail |= {"requestId": "0" * 32, "code": "code_of_2030", "unknownField": 1}
            status, answer = 404, {"error": detail}
        elif self.path.startswith("/events"):
            kind = {"type": "item.shipped_in_2030", "unknownField": 1}
            answer = {"data": [self.event | kind], "resume": "0", "unknownField": 1}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def later() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Later)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_go_client_works_and_reads_a_later_version(platform, later, tmp_path, monkeypatch):
    """A generated Go client saves, orders, shares, reads the feed and creates a webhook; it also
    reads an unknown field, error code and event type. Rule: openapi-complete."""
    shop = Shop(platform.shop.service, *ROOMY, "--events", "on")
    http, customer = shop.acting_as(shop.gid()), shop.gid()
    Later.item = http.post("/items", json={"productId": 7}).json()["data"]
    assert wait_until(lambda: shop.admin.get("/events").json()["data"], seconds=10, every=0.2)
    Later.event = shop.admin.get("/events").json()["data"][0]
    made = tmp_path / "made"
    generate("go", made)
    shutil.rmtree(made / "test")
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
    arguments = (url, shop.admin_token, customer, later)
    seen = json.loads(run(made / "walk.out", *arguments, cwd=made))
    # The feed may lag behind by 2 seconds.
    assert set(seen.pop("events")) <= {Later.item["id"], *seen.pop("saved")}
    item = Later.event["data"]["item"]
    assert seen.pop("laterEvent") == ["item.shipped_in_2030", item]
    assert seen == {
        "product": 9007199254740991,
        "listed": [9007199254740991, 7],
        "shared": True,
        "webhook": True,
        "code": "item_not_found",
        "laterField": 1,
        "laterCode": "code_of_2030",
    }
