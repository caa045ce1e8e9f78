"""Stores of a shared service, each with a host, and browsers that keep cookies.

Tests connect to the service at 127.0.0.1 and send the shop's host as ``Host``.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import hmac
import itertools
import json
import re
import secrets
import ssl
import time

import httpx2
import jwt
import pytest

from tests.api.conftest import envelope as envelope
from tests.conftest import ODD_CLOCK, ROOMY, SEALING_KEY, SIGNING_KEY, Shop
from tests.servers import HERE, PRINTED, SECRETS, Service, free_port
from wishwell.stores import store_secrets
from wishwell.stores.sealing import Sealing
from wishwell.stores.store_secrets import StoreSecrets

from . import way

BASE = "/apps/wishlist"
JWT_KEY = "the-key-of-the-shop-that-signs-its-own-tokens-with-room-for-every-algorithm"
SECRETS.add(JWT_KEY)
SAME = {"Sec-Fetch-Site": "same-origin"}
DAY = 86_400
BY_JWT = (
    *("--jwt-key-file", "jwt-key"),
    *("--jwt-header", "X-Shop-Token"),
    *("--jwt-cookie", "shop_jwt"),
)
"""Options of a store whose customers are identified by a JWT signed with the key above."""

SEALED = "SELECT sealed FROM store_secrets WHERE store_id = '{}'"
_numbers = itertools.count(1)
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests of the service behind proxies into one xdist group, and skips tests that don't
    work with the configured proxy."""
    for item in items:
        if "proxied" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("shop-limits"))
        for mark in item.iter_markers("direct"):
            reason, *also = mark.args
            if way.NAME not in ("direct", *also):
                item.add_marker(pytest.mark.skip(reason=reason))


class Front:
    """A store on a service, and its shop: ``host`` for the header, and the shop's ``origin``."""

    def __init__(self, api: Service, *options: str, scheme: str = "http") -> None:
        """An empty ``scheme`` gives the store no host."""
        self.api = api
        self.base = api.settings.get("WISHWELL_STOREFRONT_BASE", BASE)
        self.url = way.url(api, port=True)
        self.host = f"shop-{next(_numbers)}.test:{self.url.rpartition(':')[2]}"
        self.origin = f"{scheme or 'http'}://{self.host}"
        (api.folder / "jwt-key").write_text(JWT_KEY)
        hosts = ("--host", self.origin) if scheme else ()
        self.shop = Shop(api, *ROOMY, *hosts, *options, first=not api.running)
        way.admits(api, self.shop.handle, self.host)
        if api.running:
            # An unknown token makes the process refresh its stores immediately.
            assert self.shop.admin.get("/items").status_code == 200

    @property
    def by_token(self) -> bool:
        """Whether a proxy with the store's token forwards the requests."""
        return way.NAME in way.FORWARDERS

    def secrets(self, *keys: str) -> StoreSecrets:
        """Returns the store's secrets from the database, decrypted with these sealing keys."""
        [[sealed]] = self.api.rows(SEALED.format(self.shop.id))
        sealing = Sealing([key.encode() for key in keys or (SEALING_KEY,)])
        kept = store_secrets.opened(sealing, self.shop.id, sealed)
        SECRETS.update(one.secret for one in kept.cookie)
        return kept

    @functools.cached_property
    def secret(self) -> str:
        """The secret that signs visitors' cookies, until it is rotated."""
        return self.secrets().cookie[0].secret

    def browser(self, cookie: str | None = None, **headers: str) -> Browser:
        browser = Browser(self, {name.replace("_", "-"): v for name, v in headers.items()})
        if cookie is not None:
            name = "__Host-wishwell" if self.origin.startswith("https") else "wishwell"
            browser.http.headers["Cookie"] = f"{name}={cookie}"
        return browser

    def signed_in(self, customer: str | None = None, **headers: str) -> Browser:
        return self.browser(X_Shop_Token=shop_jwt(customer), **headers)

    def proxys_token(self, *, naming: bool = False) -> str:
        """Creates a token for a proxy on the shop's domain."""
        words = ("--store", self.shop.handle, "--label", "proxy", "--for", "storefront")
        names = ["--names-customers"] * naming
        return self.api.quick("token", "create", *words, *names).strip()

    def anyone(self, *products: int) -> Browser:
        """Returns a visitor's browser that has saved these products, by default one."""
        browser = self.browser()
        for product in products or (1,):
            browser.save(product)
        return browser

    def signature(self, content: str, secret: str = "", store: str | None = None) -> str:
        """Returns the signature of a cookie's content, computed without the service's code."""
        signed = f"cookie\n{self.shop.id if store is None else store}\n{content}".encode()
        return text(hmac.digest((secret or self.secret).encode(), signed, hashlib.sha256))

    def cookie(
        self,
        session: str,
        *,
        secret: str = "",
        store: str | None = None,
        age: int = 0,
        **changed: object,
    ) -> str:
        """Returns a cookie as the rules describe it, built without the service's code."""
        fields = {"s": session, "t": int(time.time()) - age, "v": 1} | changed
        content = text(json.dumps(fields, separators=(",", ":")).encode())
        return f"{content}.{self.signature(content, secret, store)}"

    def shopper(self, gid: str) -> str:
        """Returns the expected ``Wishwell-Shopper``."""
        signed = b"shopper\n" + gid.encode()
        return text(hmac.digest(self.secret.encode(), signed, hashlib.sha256))[:16]


def _note(answer: httpx2.Response) -> None:
    """Records a response without its cookies for a search for secrets after all tests.

    Responses about an owner's shares, and a visitor's new key, are left out: they are secrets that
    the caller gets.

    Rules: storefront-no-token, storefront-secrets.
    """
    if not re.search("/shares|/assets/", answer.request.url.path):
        head = [f"{k}: {v}" for k, v in answer.headers.multi_items() if k.lower() != "set-cookie"]
        body = re.sub('"visitor":{.*?}', "", answer.read().decode(errors="replace"))
        PRINTED.append([*head, body])


class Browser:
    """A browser on a page of the shop: keeps cookies and sends the headers that browsers add."""

    def __init__(self, front: Front, headers: dict[str, str], sender: str = HERE) -> None:
        self.front = front
        self.http = httpx2.Client(
            base_url=f"{front.url}{front.base}/api",
            headers={"Host": front.host} | SAME | headers,
            timeout=20,
            trust_env=False,
            transport=httpx2.HTTPTransport(verify=_NO_TLS, local_address=sender),
            event_hooks={"response": [_note]},
        )
        self.get, self.post, self.put = self.http.get, self.http.post, self.http.put
        self.patch, self.delete, self.head = self.http.patch, self.http.delete, self.http.head
        self.request = self.http.request

    def at(self, path: str, method: str = "GET", **more) -> httpx2.Response:
        """Requests a path below the base; returns the response."""
        return self.http.request(
            method, f"{self.front.url}{self.front.base}{path}", follow_redirects=False, **more
        )

    def bare(
        self, path: str, headers: list[tuple[str, str]], method: str = "GET"
    ) -> httpx2.Response:
        """Sends a request with exactly these headers; returns the response."""
        return self.http.send(httpx2.Request(method, f"{self.front.url}{path}", headers=headers))

    def save(self, product: int = 1, **fields) -> dict:
        answer = self.post("/items", json={"productId": product, **fields})
        assert answer.status_code in (200, 201), f"{answer.status_code} {answer.text}"
        return answer.json()["data"]

    def products(self) -> list[int]:
        return products(self.get("/items"))

    @property
    def cookie(self) -> str | None:
        return self.http.cookies.get("wishwell")

    @property
    def session(self) -> str:
        return session_of(self.cookie)


def products(answer: httpx2.Response) -> list[int]:
    assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
    return sorted(item["productId"] for item in answer.json()["data"])


def text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def session_of(cookie: str) -> str:
    content = cookie.partition(".")[0]
    return json.loads(base64.urlsafe_b64decode(content + "=" * (-len(content) % 4)))["s"]


def shop_jwt(sub: str | None = None, key: str = JWT_KEY, **claims: object) -> str:
    claims = {"sub": sub or secrets.token_hex(6), "exp": int(time.time()) + 600} | claims
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, key, "HS256")


def set_cookies(answer: httpx2.Response) -> list[str]:
    return [value for value in answer.headers.get_list("set-cookie") if "wishwell" in value]


def value_of(line: str) -> str:
    """Returns the cookie's value in a ``Set-Cookie`` line."""
    return line.partition("=")[2].partition(";")[0]


def removes_cookie(answer: httpx2.Response) -> bool:
    """Returns whether the response removes the visitor's cookie and sets no other."""
    lines = set_cookies(answer)
    return len(lines) == 1 and "wishwell=;" in lines[0] and "max-age=0" in lines[0].lower()


def nobodys(answer: httpx2.Response) -> bool:
    """Returns whether the response is an anonymous caller's empty wishlist."""
    return (answer.status_code, answer.json()) == (200, {"data": []})


def nobodys_for_good(answer: httpx2.Response) -> bool:
    """Returns whether the response is anonymous and removes the cookie."""
    return nobodys(answer) and removes_cookie(answer) and answer.headers["Wishwell-Shopper"] == "-"


def has_cors(answer: httpx2.Response) -> bool:
    return any(name.startswith("access-control") for name in answer.headers)


def sessions_in(api: Service) -> int:
    return api.rows("SELECT count(*) FROM profiles WHERE is_session = 1")[0][0]


# Without touched_at, which a read may update once a day.
_EVERYTHING = (
    "SELECT profile_id, gid, items, lists, changes, closed_at, email FROM profiles",
    "SELECT * FROM items",
    "SELECT * FROM item_tags",
    "SELECT * FROM lists",
    "SELECT * FROM entries",
)


@contextlib.contextmanager
def nothing_done(front: Front):
    """Asserts that the block changes nothing in the database: no session, record or link."""
    contents = lambda: [front.api.rows(f"{sql} ORDER BY 1, 2, 3") for sql in _EVERYTHING]  # noqa: E731
    before = contents()
    yield
    assert contents() == before


# The tests' key sets are on this machine.
LOCAL_CALLS = {"WISHWELL_WEBHOOK_HTTP": "true", "WISHWELL_WEBHOOK_PRIVATE": "true"}


def new_api(**settings: str) -> Service:
    """Returns a service on an embedded database, with keys that the tests know."""
    common = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    common |= {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_SEALING_KEYS": SEALING_KEY}
    common |= {f"WISHWELL_LIMIT_{kind}": "1000000" for kind in ("ADDRESS", "SHARED")}
    return Service(common | way.settings() | settings, env=ODD_CLOCK)


@contextlib.contextmanager
def running(service: Service):
    """Runs a service, and asserts that it neither fails nor logs a traceback, and stops when asked."""
    with service:
        yield service
        assert service.running, f"the service ended by itself\n{service.output()[-4000:]}"
        assert service.stop() == 0
        printed = service.output()
        assert "Traceback" not in printed, printed[printed.index("Traceback") :][:4000]


@contextlib.contextmanager
def with_one_store(service: Service, *options: str, scheme: str = "http"):
    """Runs a service whose only store was created before its start."""
    service.settings["WISHWELL_PORT"] = port = str(free_port())
    service.url = f"http://{HERE}:{port}"
    service.quick("init")
    front = Front(service, *options, scheme=scheme)
    with running(service):
        yield front


@pytest.fixture(scope="session")
def api():
    """The service that most tests share. It trusts no proxy, so it can't count by client
    address, unless the tests run behind a web server or forwarder."""
    most = "2" if way.NAME == "direct" else "1000000"
    limits = {"WISHWELL_LIMIT_NEW_SESSIONS": most, "WISHWELL_LIMIT_VISITOR_READ": most}
    with running(new_api(**limits, **LOCAL_CALLS)) as made:
        yield made


@pytest.fixture(scope="session")
def proxied():
    """A store without a host, on a service behind trusted proxies that include this machine."""
    trusted = {"WISHWELL_TRUSTED_PROXIES": f"{HERE}, 10.0.0.0/8"}
    limits = {"WISHWELL_LIMIT_NEW_SESSIONS": "2", "WISHWELL_LIMIT_VISITOR_READ": "5"}
    limits |= {"WISHWELL_LIMIT_SHARED": "5"}
    with with_one_store(new_api(**trusted, **limits), *BY_JWT, scheme="") as front:
        yield front


@pytest.fixture(scope="session")
def new_front(api):
    """A factory for stores; takes options of `wishwell store create`."""
    return lambda *options, **named: Front(api, *options, **named)


@pytest.fixture(scope="session")
def front(new_front) -> Front:
    """The store that most tests share; its customers are identified by an HS256 JWT."""
    return new_front(*BY_JWT)
