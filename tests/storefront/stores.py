"""Stores made within the tests' process, and browsers that send just the headers they are given."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import secrets
import time
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import jwt

from tests.servers import HERE, SECRETS, Service
from wishwell import ids, profiles, stores
from wishwell.access import auth
from wishwell.access.access_cache import AdminScope
from wishwell.db import migrate
from wishwell.db.sqlite import SQLite
from wishwell.stores import StorePatch, store_secrets
from wishwell.stores.sealing import Sealing
from wishwell.stores.store_secrets import SecretsPatch, StoreSecrets

from . import way

BASE = "/apps/wishlist"
SEALING_KEY = "a-sealing-key-of-the-tests-of-40-letters"
SCOPES: tuple[AdminScope, ...] = ("admin", "storefront", "naming")
SAME = {"Sec-Fetch-Site": "same-origin"}
JWT_HEADER, JWT_COOKIE = "X-Shop-Token", "shop_jwt"
ROOMY = {
    f"WISHWELL_LIMIT_{name}": "10000000"
    for name in ("PROFILE_READ", "PROFILE_WRITE", "ADDRESS", "VISITOR_READ", "NEW_SESSIONS")
}


class Storefront(NamedTuple):
    """One store of a deployment, and what its shop knows: keys, secrets, tokens by scope."""

    id: str
    host: str
    platform: str
    platform_shop: str
    jwt_key: str
    platform_secret: str
    cookie_secret: str
    tokens: dict[str, str]

    @property
    def authority(self) -> str:
        return self.host.partition("://")[2]

    def gid(self, customer: str) -> str:
        return f"gid://{self.platform}/Customer/{customer}"

    def cookie(self, session: str, age: int = 0) -> str:
        return made_cookie(session, self.cookie_secret, self.id, age)

    def jwt(self, sub: str, **claims: object) -> str:
        return jwt.encode({"sub": sub, "exp": int(time.time()) + 600} | claims, self.jwt_key)

    def signed(self, customer: str = "", secret: str | None = None) -> str:
        """A query as the platform signs it."""
        given = {"logged_in_customer_id": customer, "path_prefix": BASE}
        given |= {"shop": self.platform_shop, "timestamp": str(int(time.time()))}
        plain = "".join(f"{name}={value}" for name, value in sorted(given.items()))
        key = (secret or self.platform_secret).encode()
        given["signature"] = hmac.new(key, plain.encode(), hashlib.sha256).hexdigest()
        return "&".join(f"{name}={quote(value, safe='')}" for name, value in given.items())

    def shopper(self, gid: str) -> str:
        """`Wishwell-Shopper` of a profile."""
        key = self.cookie_secret.encode()
        return _text(hmac.digest(key, b"shopper\n" + gid.encode(), "sha256"))[:16]


def new_service(**settings: str) -> Service:
    """A service on SQLite that seals with the tests' key; it is not started."""
    SECRETS.add(SEALING_KEY)
    common = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    common |= {"WISHWELL_SIGNING_KEYS": "a-signing-key-of-the-tests-40-characters"}
    return Service(
        common | {"WISHWELL_SEALING_KEYS": SEALING_KEY} | ROOMY | way.settings() | settings
    )


def make(service: Service, hosts: Iterable[str]) -> list[Storefront]:
    """A store for each host, each with a JWT key, a platform secret and tokens of its own."""
    made = []
    for number, host in enumerate(hosts):
        made.append(
            Storefront(
                ids.UUID7()(),
                host,
                f"platform-{number}",
                f"shop-{number}.platform.example",
                secrets.token_urlsafe(32),
                secrets.token_urlsafe(32),
                "",
                {scope: auth.new_admin_token() for scope in SCOPES},
            )
        )
    return in_database(service, lambda db: _create(service, db, made))


def in_database(service: Service, work):
    """What ``work`` returns, a coroutine function of the open database of a service."""
    path = str(service.folder / "wishwell.db")
    migrate.migrate_sqlite(path)

    async def run():
        db = SQLite(path)
        try:
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(run())


async def _create(service: Service, db, made: list[Storefront]) -> list[Storefront]:
    sealing = Sealing([SEALING_KEY.encode()])

    async def create(tx) -> list[Storefront]:
        found = []
        for number, one in enumerate(made):
            now = ids.wall_clock()
            naming = {"jwt_header": JWT_HEADER, "jwt_cookie": JWT_COOKIE}
            naming["platform_shop"] = one.platform_shop
            patch = StorePatch(platform=one.platform, hosts=(one.host,), naming=naming)
            store = await stores.create(tx, one.id, f"store-{number}", patch, ids.timestamp(now))
            keys = SecretsPatch((one.jwt_key,), (one.platform_secret,))
            kept = await store_secrets.change(tx, sealing, store, keys, now)
            for scope in SCOPES:
                token = one.tokens[scope]
                await auth.create_admin_token(
                    tx, store, token, scope, ids.UUID7()(), ids.timestamp(now), None, scope
                )
            found.append(one._replace(cookie_secret=kept.cookie[0].secret))
            SECRETS.update({one.jwt_key, one.platform_secret, found[-1].cookie_secret})
            SECRETS.update(one.tokens.values())
            way.knows(service, one.authority, one.tokens["storefront"])
        return found

    return await db.write(create)


def new_sessions(service: Service, store_id: str, count: int) -> list[str]:
    """The GIDs of new visitors of a store."""

    async def create(tx) -> list[str]:
        store = next(one for one in await stores.listed(tx) if one.id == store_id)
        at = ids.timestamp(ids.wall_clock())
        made = [
            await profiles.create_session(tx, store, "wishwell", ids.random_uuid(), at)
            for _ in range(count)
        ]
        return [one.gid for one in made]

    return in_database(service, lambda db: db.write(create))


def kept_secrets(service: Service, store_id: str, *keys: str) -> StoreSecrets:
    """The secrets of a store as the database holds them, opened with these keys."""

    async def read(tx) -> str:
        return (await tx.one("store_secrets", store=store_id))[0]

    sealed = in_database(service, lambda db: db.read(read))
    ring = Sealing([key.encode() for key in keys or (SEALING_KEY,)])
    return store_secrets.opened(ring, store_id, sealed)


class Answer(NamedTuple):
    """What a browser sees of an answer."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def shopper(self) -> str:
        return self.headers["Wishwell-Shopper"]

    @property
    def products(self) -> list[int]:
        """The products in a page of items."""
        assert self.status == 200, f"{self.status} {self.body[:300]!r}"
        return sorted(item["productId"] for item in json.loads(self.body)["data"])

    @property
    def item(self) -> str:
        """The path of an item that was saved, below `<base>/api`."""
        return f"/items/{json.loads(self.body)['data']['id']}"

    @property
    def set_cookie(self) -> str | None:
        """The value that the answer sets as the visitor's cookie; empty if it removes it."""
        lines = self.headers.get_all("Set-Cookie") or []
        assert len(lines) <= 1, lines
        return lines[0].partition("=")[2].partition(";")[0] if lines else None


Headers = dict[str, str] | list[tuple[str, str]]


class Browser:
    """One kept connection to a service, from an address of the loopback; sends what it is told."""

    def __init__(self, service: Service, address: str = HERE) -> None:
        self.service = service
        port = urlsplit(way.url(service)).port
        self._http = http.client.HTTPConnection(HERE, port, timeout=20, source_address=(address, 0))

    def ask(self, method: str, path: str, headers: Headers, body: object = None) -> Answer:
        pairs = list(headers.items()) if isinstance(headers, dict) else headers
        raw = b"" if body is None else json.dumps(body).encode()
        self._http.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if body is not None:
            pairs = [*pairs, ("Content-Type", "application/json")]
            pairs.append(("Content-Length", str(len(raw))))
        for name, value in pairs:
            self._http.putheader(name, value)
        self._http.endheaders(raw or None)
        answer = self._http.getresponse()
        return Answer(answer.status, answer.headers, answer.read())

    def read(self, host: str, query: str = "", **headers: str) -> Answer:
        """The items, as the store's page asks for them."""
        asked = f"{BASE}/api/items" + (f"?{query}" if query else "")
        return self.ask("GET", asked, {"Host": host} | _named(headers))

    def save(self, host: str, product: int, **headers: str) -> Answer:
        body = {"productId": product}
        all_of_them = {"Host": host} | SAME | _named(headers)
        return self.ask("POST", f"{BASE}/api/items", all_of_them, body)

    def close(self) -> None:
        self._http.close()


@contextlib.contextmanager
def fresh(service: Service, address: str = HERE):
    """A connection of its own: of several workers, any may answer."""
    browser = Browser(service, address)
    try:
        yield browser
    finally:
        browser.close()


def made_cookie(session: str, secret: str, store_id: str, age: int = 0) -> str:
    """A visitor's cookie, as it is documented, made without the product's code."""
    content = {"s": session, "t": int(time.time()) - age, "v": 1}
    text = _text(json.dumps(content, separators=(",", ":")).encode())
    signed = f"cookie\n{store_id}\n{text}".encode()
    return f"{text}.{_text(hmac.digest(secret.encode(), signed, 'sha256'))}"


def session_of(cookie: str) -> str:
    """The session that a cookie names."""
    text = cookie.partition(".")[0]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))["s"]


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
