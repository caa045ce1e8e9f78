"""The proxies as programs before a real API, and browsers that remember all they are told.

Every test runs against each implementation; only the command that starts it differs.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import os
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import uuid
from pathlib import Path
from typing import NamedTuple

import httpx2
import jwt
import pytest

from tests.conftest import Shop
from tests.servers import (
    HERE,
    KEPT,
    PREFIX,
    WISHWELL,
    AnsweringProgram,
    Service,
    free_port,
    wait_until,
)

ROOT = Path(__file__).parents[2]
NODE = ROOT / "node" / "bin" / "wishwell-proxy.mjs"
BASE = "/apps/wishlist"
SECRET = "the-secret-of-the-tests-that-signs-cookies"
JWT_KEY = "the-key-of-the-shop-that-signs-its-own-tokens"
SAME = {"Sec-Fetch-Site": "same-origin"}
ROOMY = tuple(
    word
    for who in ("profile", "admin")
    for kind in ("read", "write", "token")
    for word in ("--limit", f"{who}_{kind}=1000000")
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "implementation" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("python_only")
        all_of_them = ["python"] if marker else ["python", "node"]
        metafunc.parametrize("implementation", all_of_them, scope="session", indirect=True)


@pytest.fixture(scope="session")
def implementation(request) -> str:
    if request.param == "node":
        present = NODE.exists() and shutil.which("node")
        if not present and os.environ.get("CI") and (ROOT / "node").exists():
            pytest.fail("node/ is there, but not node, or not its program; CI has to have both")
        if not present:
            pytest.skip("there is no node, or no node/bin/wishwell-proxy.mjs")
    return request.param


class Running(AnsweringProgram):
    """A proxy as a process of its own, in a clean environment."""

    def __init__(self, implementation: str, settings: dict[str, str]) -> None:
        super().__init__("proxy")
        self.port = free_port()
        self.url = f"http://{HERE}:{self.port}"
        self.settings = {"WISHWELL_PROXY_PORT": str(self.port)} | settings
        wishwell = [str(WISHWELL), "proxy"]
        self.command = wishwell if implementation == "python" else ["node", str(NODE)]
        self.base = settings.get("WISHWELL_PROXY_BASE", BASE)

    @property
    def environment(self) -> dict[str, str]:
        kept = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
        return kept | {"TMPDIR": str(self.folder)} | self.settings

    def start(self, **options) -> Running:
        livez = f"{self.url}{self.base}/livez"
        self.begin(self.command, livez, env=self.environment, **options)
        return self

    def stop(self) -> int:
        return self._end(signal.SIGTERM, 20)

    def run_to_its_end(self) -> subprocess.CompletedProcess[str]:
        """For settings that must stop it at the start."""
        if self.command[0] == str(WISHWELL):
            return KEPT.apart(self.command[1:], self.environment, self.folder, 20, "")
        return subprocess.run(
            self.command,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment,
            timeout=20,
        )


class Fixed:
    """A server that answers anything with the same bytes and hangs up; counts each POST."""

    def __init__(self, answer: bytes) -> None:
        self.socket = socket.create_server((HERE, 0))
        self.answer, self.asked = answer, 0
        self.url = f"http://{HERE}:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                if asked := connection.recv(65536):
                    # What a proxy asks by itself when it starts is a GET.
                    self.asked += asked.startswith(b"POST ")
                    connection.sendall(self.answer)

    def close(self) -> None:
        self.socket.close()


class Browser:
    """A browser on a page of the shop: keeps cookies, and sends what browsers send by themselves."""

    def __init__(self, proxy: Running, headers: dict[str, str] | None = None) -> None:
        self.proxy = proxy
        self.seen: list[bytes] = []
        self.http = httpx2.Client(
            base_url=f"{proxy.url}{proxy.base}/api",
            headers=SAME | (headers or {}),
            timeout=20,
            trust_env=False,
            event_hooks={"response": [self._remember]},
        )
        self.get, self.post, self.put = self.http.get, self.http.post, self.http.put
        self.patch, self.delete, self.head = self.http.patch, self.http.delete, self.http.head
        self.request = self.http.request

    def _remember(self, answer: httpx2.Response) -> None:
        answer.read()
        self.seen += [b"%s: %s" % pair for pair in answer.headers.raw]
        self.seen.append(answer.content)

    def save(self, product: int = 1, **fields) -> dict:
        answer = self.post("/items", json={"productId": product, **fields})
        assert answer.status_code in (200, 201), f"{answer.status_code} {answer.text}"
        return answer.json()["data"]

    def products(self) -> list[int]:
        answer = self.get("/items")
        assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
        return sorted(item["productId"] for item in answer.json()["data"])

    @property
    def cookie(self) -> str | None:
        return self.http.cookies.get("wishwell")

    @property
    def session(self) -> str:
        return session_of(self.cookie)


class Front(NamedTuple):
    """A proxy before the shared API, and the store behind it."""

    proxy: Running
    shop: Shop
    api: Service

    def browser(self, cookie: str | None = None, **headers: str) -> Browser:
        browser = Browser(self.proxy, {name.replace("_", "-"): v for name, v in headers.items()})
        if cookie is not None:
            browser.http.headers["Cookie"] = f"wishwell={cookie}"
        return browser

    def signed_in(self, customer: str | None = None, **headers: str) -> Browser:
        return self.browser(X_Shop_Token=shop_jwt(customer), **headers)

    def anyone(self, *products: int) -> Browser:
        """A visitor who has saved some products, one at least."""
        browser = self.browser()
        for product in products or (1,):
            browser.save(product)
        return browser


def text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def made_cookie(
    session: str, *, secret: str = SECRET, store: str = "", age: int = 0, **changed: object
) -> str:
    """A cookie as docs/proxy.md describes it, made without the product's code."""
    fields = {"s": session, "t": int(time.time()) - age, "v": 1} | changed
    content = text(json.dumps(fields, separators=(",", ":")).encode())
    return f"{content}.{signature(content, secret, store)}"


def signature(content: str, secret: str = SECRET, store: str = "") -> str:
    signed = f"cookie\n{store}\n{content}".encode()
    return text(hmac.new(secret.encode(), signed, hashlib.sha256).digest())


def session_of(cookie: str) -> str:
    content = cookie.partition(".")[0]
    return json.loads(base64.urlsafe_b64decode(content + "=" * (-len(content) % 4)))["s"]


def shopper_of(gid: str, secret: str = SECRET) -> str:
    return text(hmac.new(secret.encode(), b"shopper\n" + gid.encode(), hashlib.sha256).digest())[
        :16
    ]


def shop_jwt(sub: str | None = None, key: str = JWT_KEY, **claims: object) -> str:
    claims = {"sub": sub or secrets.token_hex(6), "exp": int(time.time()) + 600} | claims
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, key, "HS256")


def set_cookies(answer: httpx2.Response) -> list[str]:
    return [value for value in answer.headers.get_list("set-cookie") if "wishwell" in value]


def removes_cookie(answer: httpx2.Response) -> bool:
    """Whether the answer takes the visitor's cookie away, and sets no other."""
    lines = set_cookies(answer)
    return len(lines) == 1 and "wishwell=;" in lines[0] and "max-age=0" in lines[0].lower()


def envelope(answer: httpx2.Response, status: int) -> str:
    """The message of an error of the API's shape."""
    assert answer.status_code == status, f"{answer.status_code} {answer.text[:500]}"
    assert answer.headers["Content-Type"].partition(";")[0] == "application/json"
    error = answer.json()["error"]
    assert set(error) == {"message", "error", "statusCode", "requestId"}
    assert error["statusCode"] == status
    assert (
        error["requestId"] == answer.headers["X-Request-Id"] == str(uuid.UUID(error["requestId"]))
    )
    return error["message"]


# What the ids of the requests begin with that only wait for the lines of those before them.
_MARK = "00000000-0000-4000-8000-"


def _lines_of(api: Service) -> list[str]:
    """All that an API has printed of others, the line of every request that it has answered."""
    mark = _MARK + secrets.token_hex(6)
    headers = {"X-Request-Id": mark}
    httpx2.get(f"{api.url}{PREFIX}/items", headers=headers, trust_env=False)
    wait_until(lambda: any(mark in line for line in api.log_lines()[-20:]), seconds=5)
    return [line for line in api.log_lines() if _MARK not in line]


def asked_of(api: Service, since: int = 0) -> list[dict]:
    """The requests that an API has answered, by its log, but for its first ``since`` lines."""
    lines = [json.loads(line) for line in _lines_of(api)[since:] if line.startswith("{")]
    return [line for line in lines if line.get("event") == "request"]


@contextlib.contextmanager
def nothing_forwarded(api: Service):
    """The API is asked nothing at all in the meantime."""
    before = len(_lines_of(api))
    yield
    assert asked_of(api, before) == []


def sessions_in(api: Service) -> int:
    """How many sessions the database holds, read from the file."""
    with contextlib.closing(sqlite3.connect(api.folder / "wishwell.db")) as database:
        return database.execute("SELECT count(*) FROM profiles WHERE is_session = 1").fetchone()[0]


def new_api(**settings: str) -> Service:
    common = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    common |= {"WISHWELL_SIGNING_KEYS": "a-signing-key-of-the-tests-40-characters"}
    return Service(common | {"WISHWELL_LIMIT_ADDRESS": "1000000"} | settings)


@pytest.fixture(scope="session")
def api():
    """The API on SQLite, shared."""
    with new_api() as service:
        yield service


@pytest.fixture(scope="session")
def start_proxy(implementation):
    """Start a proxy before an API, with more settings; it is stopped at the end."""
    made: list[Running] = []

    def start(api: Service, token: str, *, started: bool = True, **more: str) -> Running:
        settings = {"API": api.url or "", "TOKEN": token, "SECRET": SECRET} | more
        proxy = Running(
            implementation, {f"WISHWELL_PROXY_{name}": value for name, value in settings.items()}
        )
        made.append(proxy)
        return proxy.start() if started else proxy

    yield start
    for proxy in made:
        proxy.close()


@pytest.fixture
def new_front(api, start_proxy):
    """A new store, and a proxy before it with more settings."""

    def make(*options: str, **more: str) -> Front:
        shop = Shop(api, *(options or ROOMY))
        return Front(start_proxy(api, shop.admin_token, **more), shop, api)

    return make


@pytest.fixture(scope="session")
def front(api, start_proxy):
    """The proxy that most tests share; customers come with the shop's JWT, HS256."""
    shop = Shop(api, *ROOMY)
    more = {"JWT_KEY": JWT_KEY, "JWT_HEADER": "X-Shop-Token", "JWT_COOKIE": "shop_jwt"}
    running = start_proxy(api, shop.admin_token, **more)
    yield Front(running, shop, api)
    assert running.running, f"the proxy ended by itself\n{running.output()[-4000:]}"
    assert running.stop() == 0
    printed = running.output()
    assert "Traceback" not in printed, printed[printed.index("Traceback") :][:4000]


@pytest.fixture
def browser(front) -> Browser:
    """A browser that comes for the first time."""
    return front.browser()
