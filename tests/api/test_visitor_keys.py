"""Visitors of a platform that removes cookies: their key, its token, and what attackers get.

The attacks are those of docs/decisions/0026-visitor-key.md.
"""

from __future__ import annotations

import contextlib
import itertools
import time
import uuid
from collections.abc import Iterator
from typing import NamedTuple

import httpx2
import jwt
import pytest

from tests.app_proxy import BASE, KEY, AppProxy, common, signed
from tests.conftest import ROOMY, SEALING_KEY, Shop
from tests.faults.harness import step, with_clock
from tests.servers import HERE, SECRETS, Service, wait_until
from wishwell import ids
from wishwell.shoppers.cookie import Signer
from wishwell.stores import store_secrets
from wishwell.stores.sealing import Sealing

from .conftest import envelope, in_one_window, soon

SAME = {"Sec-Fetch-Site": "same-origin"}
CROSS = {"Sec-Fetch-Site": "cross-site"}
DAY = 86_400
numbers = itertools.count(1)


class Visitor(NamedTuple):
    """A visitor who has saved a product: the key, and the response to the save."""

    key: str
    saved: httpx2.Response


class Front:
    """A store on the platform, and its shop's domain behind the platform's proxy."""

    def __init__(self, service: Service, proxy: AppProxy, *options: str) -> None:
        self.service, self.proxy, self.origin = service, proxy, proxy.origin
        (service.folder / "platform").write_text(KEY)
        words = ["--platform-shop", proxy.shop, "--platform-secret-file", "platform"]
        words += ["--host", proxy.origin, "--service-url", service.url]
        self.shop = Shop(service, *(options or ROOMY), *words)
        self.http = httpx2.Client(
            base_url=f"{proxy.origin}{BASE}/api",
            headers=SAME | {"Cookie": "wishwell=x", "Wishwell-Customer": "7"},
            timeout=20,
            trust_env=False,
        )
        assert wait_until(lambda: self.link("x").status_code == 200, seconds=30, every=0.2)

    def visitor(self, product: int = 1, path: str = "/items", **body: object) -> Visitor:
        self.proxy.customer = ""
        saved = self.http.post(path, json=body or {"productId": product})
        assert saved.status_code == 201, saved.text
        visitor = saved.json()["visitor"]
        assert visitor == {"key": visitor["key"], "service": self.service.url}
        SECRETS.add(visitor["key"])  # searched for in all output after the tests
        return Visitor(visitor["key"], saved)

    def exchange(self, key: str, origin: str = "", query: str = "", **more) -> httpx2.Response:
        """Sends a key to the service as the shop's page does."""
        headers = more.pop("headers", {"Origin": origin or self.origin} | CROSS)
        url = f"{self.service.url}{BASE}/api/visitor/token{query}"
        return httpx2.post(url, json={"key": key}, headers=headers, trust_env=False, timeout=20)

    def client(self, key: str) -> httpx2.Client:
        """Returns a client of the API with a key's token."""
        answer = self.exchange(key)
        assert answer.status_code == 200, answer.text
        SECRETS.add(answer.json()["data"]["token"])
        return self.shop.client(answer.json()["data"]["token"])

    def session(self, key: str) -> str:
        """Returns the GID of a key's session, which its token names."""
        token = self.exchange(key).json()["data"]["token"]
        return jwt.decode(token, options={"verify_signature": False})["sub"]

    def link(self, key: str, customer: str = "") -> httpx2.Response:
        self.proxy.customer = customer
        return self.http.post("/visitor/link", json={"key": key})

    def items_of(self, customer: str) -> list[int]:
        answer = self.shop.acting_as(self.shop.gid(customer)).get("/items")
        return sorted(item["productId"] for item in answer.json()["data"])

    def refused(self, key: str, code: str = "") -> bool:
        """Returns whether the key is refused, with a code."""
        answer = self.exchange(key)
        given = answer.status_code == 401 and answer.json()["error"]["code"]
        return given == code if code else bool(given)

    def key(self, session: str, age: int = 0, kind: str = "visitor key") -> str:
        """Returns a key of this age, signed with the store's secret."""
        [[sealed]] = self.service.rows(
            f"SELECT sealed FROM store_secrets WHERE store_id = '{self.shop.id}'"
        )
        secrets = store_secrets.opened(Sealing([SEALING_KEY.encode()]), self.shop.id, sealed)
        value = Signer(secrets.cookie, self.shop.id, kind).value(session, int(time.time()) - age)
        return f"wwvis_{self.shop.id}.{value}"


@contextlib.contextmanager
def fronting(service: Service, *options: str) -> Iterator[Front]:
    proxy = AppProxy(service, f"shop-{next(numbers)}-{uuid.uuid4().hex[:8]}.myshopify.com")
    with proxy.running():
        yield Front(service, proxy, *options)


@pytest.fixture(scope="module")
def front(service):
    with fronting(service) as front:
        yield front


@pytest.fixture(scope="module")
def other(service):
    with fronting(service) as front:
        yield front


def products(answer: httpx2.Response) -> list[int]:
    assert answer.status_code == 200, answer.text
    return sorted(item["productId"] for item in answer.json()["data"])


def test_first_save_returns_a_visitor_key_whose_token_opens_the_list(front):
    """The first save returns the key next to `data`; its token opens the visitor's list at the
    service for 15 minutes, and the proxy still identifies nobody.
    Rules: storefront-visitor-key, storefront-no-token."""
    key, saved = front.visitor(5)
    assert (saved.json()["data"]["productId"], saved.headers.get("Set-Cookie")) == (5, None)
    answer = front.exchange(key)
    assert answer.headers["Access-Control-Allow-Origin"] == front.origin
    assert answer.headers["Cache-Control"] == "private, no-store"
    made = answer.json()["data"]
    assert made["expiresIn"] == 900
    assert made["shopper"] == saved.headers["Wishwell-Shopper"] != "-"
    claims = jwt.decode(made["token"], options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 900
    client = front.client(key)
    own = client.get("/items", headers={"Origin": front.origin})
    assert products(own) == [5]
    assert own.headers["Access-Control-Allow-Origin"] == front.origin
    assert client.post("/items", json={"productId": 6}).status_code == 201
    assert products(client.get("/items")) == [5, 6]
    assert client.get("/profile").json()["data"]["kind"] == "session"
    assert products(front.http.get("/items")) == []


def test_only_the_start_of_a_session_returns_a_key(front):
    """A list or a copy starts a session, too; reads, refused saves and customers get no key.
    Rules: storefront-visitor, storefront-visitor-key."""
    assert front.visitor(path="/lists", name="Birthday").key
    owner = front.shop.customer()
    made = owner.http.post("/lists", json={"name": "x"}).json()["data"]
    shared = owner.http.post(f"/lists/{made['id']}/shares", json={}).json()["data"]["token"]
    assert front.visitor(path=f"/shared/{shared}/copies", name="Copy").key
    sessions = "SELECT count(*) FROM profiles WHERE is_session = 1"
    before = front.service.rows(sessions)
    refused = front.http.post("/items", json={"productId": "x"})
    assert refused.status_code == 400
    for answer in (refused, front.http.get("/items"), front.http.delete("/items?itemIds=x")):
        assert b"visitor" not in answer.content
    assert front.service.rows(sessions) == before
    front.proxy.customer = "12"
    assert set(front.http.post("/items", json={"productId": 1}).json()) == {"data"}


def test_sign_in_links_the_session_by_its_key_once(front):
    """The signed query's customer gets the items, and the key ends; without a customer nothing
    happens. Rules: storefront-visitor-key, link-atomic."""
    key, saved = front.visitor(5)
    client = front.client(key)
    assert front.link(key).json() == {"data": {"linked": False}}
    assert products(client.get("/items")) == [5]
    answer = front.link(key, "21")
    assert answer.json() == {"data": {"linked": True}}
    assert answer.headers["Wishwell-Shopper"] not in ("-", saved.headers["Wishwell-Shopper"])
    assert front.items_of("21") == [5]
    assert front.refused(key, "session_closed")
    assert client.get("/items").status_code == 401
    # Repeated, also by another customer, it moves nothing.
    assert front.link(key, "22").json() == {"data": {"linked": True}}
    assert front.items_of("22") == []


def test_stolen_or_replayed_key_opens_only_one_visitors_list(front):
    """Whoever has the key gets tokens of its session; no query or customer changes that.
    Rules: storefront-visitor-key, token-scope."""
    front.shop.acting_as(front.shop.gid("31")).post("/items", json={"productId": 99})
    key = front.visitor(5).key
    query = f"?{signed(common('31', shop=front.proxy.shop))}"
    assert "isn't a query parameter" in envelope(front.exchange(key, query=query), 400)
    for answer in (front.exchange(key), front.exchange(key)):
        token = answer.json()["data"]["token"]
        SECRETS.add(token)
        client = front.shop.client(token)
        assert products(client.get("/items")) == [5]
        assert client.get("/profile").json()["data"]["kind"] == "session"
        gid = {"Profile": front.shop.gid("31")}
        assert client.get("/items", headers=gid).status_code == 403
        assert client.post("/profiles/token", json={}).status_code == 403


def test_key_of_another_shop_is_refused(front, other):
    """A key works neither from another store's page, nor under another store's name, nor in another
    store's proxy. Rules: storefront-visitor-key, store-isolation."""
    key = front.visitor(5).key
    assert "own pages" in envelope(front.exchange(key, origin=other.origin), 403)
    moved = key.replace(front.shop.id, other.shop.id)
    SECRETS.add(moved)
    assert other.refused(moved, "token_invalid")
    for given in (key, moved):
        assert other.link(given, "41").status_code == 401
    assert front.link(moved, "41").status_code == 401
    assert other.items_of("41") == []
    assert front.client(key)


def test_planted_key_gives_its_planter_no_access_to_the_customer(front):
    """After a sign-in with a planted key, the customer has the planter's items, and the planter's
    key and tokens are refused. Rules: storefront-visitor-key, session-ended."""
    front.shop.acting_as(front.shop.gid("51")).post("/items", json={"productId": 8})
    key = front.visitor(5).key
    planters = front.client(key)
    assert front.link(key, "51").json()["data"]["linked"]
    assert front.items_of("51") == [5, 8]
    assert planters.get("/items").status_code == 401
    assert front.refused(key, "session_closed")


FOREIGN = [
    CROSS,
    {"Sec-Fetch-Site": "none"},
    {"Origin": "https://evil.example"},
    {"Origin": "https://evil.example"} | CROSS,
]


def test_requests_of_other_sites_are_refused_at_proxy_and_service(front, other):
    """Requests from other sites are refused, at the proxy and at the service.
    Rules: storefront-same-origin, storefront-visitor-key."""
    key = front.visitor(5).key
    bare = httpx2.Client(base_url=front.http.base_url, trust_env=False)
    front.proxy.customer = "61"
    for headers in FOREIGN:
        for path, body in (("/items", {"productId": 1}), ("/visitor/link", {"key": key})):
            envelope(bare.post(path, json=body, headers=headers), 403)
        assert bare.options("/visitor/link", headers=headers).status_code == 405
    assert front.items_of("61") == []
    evil = {"Origin": "https://evil.example"}
    wrong = [{}, CROSS, evil, {"Origin": other.origin}]
    wrong += [{"Origin": front.origin} | site for site in (SAME, {"Sec-Fetch-Site": "none"})]
    for headers in wrong:
        answer = front.exchange(key, headers=headers)
        assert "own pages" in envelope(answer, 403)
    url = f"{front.service.url}{BASE}/api/visitor/token"
    for origin, status in ((front.origin, 204), ("https://evil.example", 403)):
        asks = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        answer = httpx2.options(url, headers=asks, trust_env=False)
        assert answer.status_code == status
        assert answer.headers.get("Access-Control-Allow-Origin") == (
            origin if status == 204 else None
        )


def test_post_without_origin_needs_json(front):
    """Without Origin and Sec-Fetch-Site, a POST needs JSON, which other sites can't send unasked.
    Rule: storefront-same-origin."""
    front.proxy.strips_origin = True
    try:
        key = front.visitor(5).key
        assert front.link(key, "71").json()["data"]["linked"]
        [item] = front.http.get("/items").json()["data"]
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            for path in ("/items", "/visitor/link", "/shared/x/copies"):
                answer = front.http.post(path, content=b'{"a":1}', headers={"Content-Type": kind})
                envelope(answer, 403)
        assert front.http.post("/shared/x/copies").status_code == 403
        assert front.http.delete(f"/items/{item['id']}").status_code == 204
    finally:
        front.proxy.strips_origin = False


def test_key_ends_with_its_session(front, service):
    """After revocation or erasure, the key is refused within 5 s, and by another key the visitor
    keeps the list. Rules: storefront-visitor-key, token-revoked."""
    revoked, erased, kept = (front.visitor(product) for product in (1, 2, 3))
    gids = [front.session(one.key) for one in (revoked, erased)]
    client = front.client(revoked.key)
    service.quick("token", "revoke", gids[0], "--store", front.shop.handle)
    soon(lambda: front.refused(revoked.key, "token_revoked"))
    assert client.get("/items").status_code == 401
    assert front.link(revoked.key, "81").status_code == 401
    assert front.items_of("81") == []
    assert front.shop.acting_as(gids[1]).delete("/profile").status_code == 204
    soon(lambda: front.refused(erased.key))
    assert products(front.client(kept.key).get("/items")) == [3]


def test_token_of_a_key_that_was_just_revoked_is_refused_soon(front, service):
    """A token that a process issues before it sees the revocation of the key's session is refused as
    soon as it does. Rules: storefront-visitor-key, token-revoked."""
    issued = []
    for number in range(3):
        key = front.visitor(number + 1).key
        id = ids.profile_key(front.shop.id, front.session(key))
        until = ids.timestamp(ids.wall_clock() + 60_000)
        service.rows(f"INSERT INTO revocations VALUES ('{id}', '', '{until}')")
        if (answer := front.exchange(key)).status_code == 200:  # the process hasn't seen it
            SECRETS.add(answer.json()["data"]["token"])
            issued.append(front.shop.client(answer.json()["data"]["token"]))
    assert issued
    for client in issued:
        soon(lambda client=client: client.get("/items").status_code == 401)
    assert front.refused(key, "token_revoked")


@pytest.mark.slow
def test_key_of_a_purged_session_or_deleted_store_is_refused(service):
    """A purged session's key, and a deleted store's, are refused.
    Rules: storefront-visitor-key, store-delete."""
    with fronting(service) as front:
        gone = front.key("gid://wishwell/Session/01a1fb82-8f15-4000-aafc-5adf06151cd4")
        assert front.refused(gone, "session_closed")
        assert front.link(gone, "1").json()["data"]["linked"]
        key = front.visitor(1).key
        service.quick("store", "delete", front.shop.handle, "--yes")
        assert front.refused(key)


def test_key_is_renewed_daily_and_expires(front):
    """A key older than a day, or dated ahead by a wrong clock, is replaced; one older than 90 days is
    refused. The store's new secret ends it. Rules: storefront-visitor-key, clock-guard."""
    key = front.visitor(5).key
    gid = front.session(key)
    assert "key" not in front.exchange(key).json()["data"]
    for age in (2 * DAY, -1_000 * DAY):
        new = front.exchange(front.key(gid, age=age)).json()["data"]["key"]
        SECRETS.add(new)
        assert products(front.client(new).get("/items")) == [5]
    assert front.refused(front.key(gid, age=91 * DAY), "token_invalid")
    front.shop.update("--new-cookie-secret", "leaked")
    soon(lambda: front.refused(new, "token_invalid"))


@pytest.mark.slow
def test_key_stays_valid_when_the_clock_jumps_ahead(new_service):
    """A clock that jumps years ahead doesn't end a visitor's key: its age is judged by the uptime.
    Rules: clock-guard, storefront-visitor-key."""
    service = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY)
    clock = with_clock(service, 0)
    with fronting(service.start()) as front:
        key = front.visitor(5).key
        step(clock, 3 * 365 * DAY)
        answer = front.exchange(key)
        assert answer.status_code == 200, answer.text
        SECRETS.add(answer.json()["data"]["token"])


def test_neither_a_changed_key_nor_a_cookie_is_accepted(front):
    """A key in any other form, and a cookie in a key's place, are refused.
    Rule: storefront-visitor-key."""
    key = front.visitor(5).key
    gid = front.session(key)
    cookie = front.key(gid, kind="cookie")
    wrong = [key[:-1], key + "A", key[:-1] + "!", key.partition(".")[2], key[6:], key.upper()]
    wrong += ["", "wwvis_", "wwvis_..", f"wwvis_{front.shop.id}.", cookie, front.shop.admin_token]
    for one in wrong:
        assert front.refused(one, "token_invalid"), one
        assert front.link(one, "91").status_code == 401
    value = key.partition(".")[2]
    jar = {"Host": front.origin[7:], "Cookie": f"wishwell={value}"} | SAME
    answer = httpx2.get(f"{front.service.url}{BASE}/api/items", headers=jar, trust_env=False)
    assert answer.headers["Wishwell-Shopper"] == "-"
    for body in ({}, {"key": 1}, {"key": "x" * 501}, {"key": key, "more": 1}):
        url = f"{front.service.url}{BASE}/api/visitor/token"
        refused = httpx2.post(url, json=body, headers={"Origin": front.origin}, trust_env=False)
        assert "visitor's key" in envelope(refused, 400)
    refused = front.exchange(key, query="?expiresIn=60")
    assert "expiresIn: isn't a query parameter" in envelope(refused, 400)


def test_hosted_page_shows_the_shops_own_host(front):
    """The platform's proxy sends the service's host: the page's header shows the shop's, which
    shoppers know. Rule: page-look."""
    page = front.http.get(f"{front.origin}{BASE}/").text
    assert f'<header><a href="/">{front.origin.partition("://")[2]}</a></header>' in page


@in_one_window
def test_tokens_and_links_of_keys_are_rate_limited(service):
    """Tokens count per visitor, links per customer, and a page can read the 429.
    Rules: limit-caller, storefront-visitor-key."""
    with fronting(service, "--limit", "profile_token=2") as front:
        key = front.visitor(5).key
        statuses = [front.exchange(key).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert front.exchange(key).headers["Access-Control-Allow-Origin"] == front.origin
        assert front.exchange(front.visitor(6).key).status_code == 200
        assert [front.link(key, "7").status_code for _ in range(3)] == [200, 200, 429]


@pytest.fixture
def limited(new_service):
    """A service behind a trusted proxy, with low limits per address."""
    limits = {"WISHWELL_LIMIT_NEW_SESSIONS": "3", "WISHWELL_LIMIT_ADDRESS": "4"}
    limits |= {"WISHWELL_TRUSTED_PROXIES": HERE, "WISHWELL_SEALING_KEYS": SEALING_KEY}
    with new_service(**limits).start() as service:
        yield service


@pytest.mark.slow
@in_one_window
def test_captured_query_starts_few_sessions_from_any_address(limited):
    """New sessions count by the address that the platform reports and by the query's signature, so
    a captured query is limited even with another X-Forwarded-For.
    Rules: limit-address, storefront-visitor-key."""
    with fronting(limited) as front:
        url = f"{limited.url}{BASE}/api/items"

        def saves(query: str, addresses: list[str]) -> list[int]:
            sent = [SAME | {"X-Forwarded-For": f"{one}, 198.51.100.9"} for one in addresses]
            return [
                httpx2.post(f"{url}?{query}", json={"productId": 1}, headers=one, trust_env=False)
                .status_code
                for one in sent
            ]  # fmt: skip

        def query(age: int) -> str:
            return signed(common(age=age, shop=front.proxy.shop))

        others = [f"203.0.113.{last}" for last in range(1, 6)]
        assert saves(query(10), others) == [201, 201, 201, 429, 429]
        # The browser counts, not the platform, which all of them share.
        fresh = [saves(query(age), [f"192.0.2.{age}"])[0] for age in range(20, 26)]
        assert fresh == [201] * 6
        same = [saves(query(age), ["192.0.2.200"])[0] for age in range(30, 34)]
        assert same == [201, 201, 201, 429]


@in_one_window
def test_guessed_keys_count_per_address(limited):
    """Wrong keys are limited per address, also in links; the right one isn't affected.
    Rules: limit-address, storefront-visitor-key."""
    with fronting(limited) as front:
        key = front.visitor(5).key
        wrong = [f"{key[:-2]}{n:02}" for n in range(7)]
        guesses = [guess for guess in wrong if guess != key][:6]
        statuses = [front.exchange(guess).status_code for guess in guesses]
        assert statuses == [401] * 4 + [429] * 2
        assert front.client(key)
        sent = SAME | {"X-Forwarded-For": "192.0.2.7"}
        url = f"{limited.url}{BASE}/api/visitor/link?"
        linked = [
            httpx2.post(
                url + signed(common(f"{n}", shop=front.proxy.shop)),
                json={"key": guess},
                headers=sent,
                trust_env=False,
            ).status_code
            for n, guess in enumerate(guesses, 1)
        ]
        assert linked == [401] * 4 + [429] * 2


@pytest.mark.slow
@in_one_window
def test_keys_of_invented_stores_count_as_guesses(limited):
    """A key of a store that doesn't exist counts like a wrong one. Rules: limit-address,
    storefront-visitor-key."""
    with fronting(limited) as front:
        statuses = [front.exchange(f"wwvis_{uuid.uuid4()}.x").status_code for _ in range(6)]
        assert statuses == [401] * 4 + [429] * 2


@pytest.mark.slow
def test_page_uses_the_service_address_that_platform_requests_name(service, front):
    """Without `--service-url`, the platform's requests name the service's address; at a host of the
    shop, which has no API, visitors have to sign in. Rules: storefront-platform, cors-allowed."""

    def saved(host: str) -> httpx2.Response:
        """Saves by a request of the platform to a host of the service."""
        url = f"{service.url}{BASE}/api/items?{signed(common(shop=own.proxy.shop))}"
        headers = {"Host": host, "Origin": own.origin} | SAME
        return httpx2.post(url, json={"productId": 2}, headers=headers, trust_env=False)

    with fronting(service) as own:
        for url, words in (
            (own.origin, "must not be"),
            ("https://wishes.example/x", "an origin"),
            ("wishes.example", "an origin"),
        ):
            code, _, err = service.attempt("store", "update", own.shop.handle, "--service-url", url)
            assert (code, words in err) == (1, True), err
        own.shop.update("--service-url", "")
        key = own.visitor(1).key
        assert own.exchange(key, f"https://{own.proxy.shop}").status_code == 200
        soon(lambda: "localhost" in saved("localhost").json()["visitor"]["service"])
        for host, address in (
            ("wishes.example", "https://wishes.example"),
            ("localhost:8000", "http://localhost:8000"),
            (own.proxy.shop, ""),
            (own.origin.partition("//")[2], ""),
            ("wishes.example; script-src *", ""),
        ):
            answer = saved(host)
            if address:
                assert answer.json()["visitor"]["service"] == address
            else:
                assert "Sign in" in envelope(answer, 401)
        assert front.visitor(1).key


def test_response_to_an_unknown_path_or_refused_query_names_no_shopper(front):
    """An unknown path or a refused query leaves the page's shopper as it is, instead of naming
    nobody. Rule: storefront-no-token."""
    front.proxy.customer = ""
    wrong = f"{front.service.url}{BASE}/api/items?{signed(common(shop=front.proxy.shop), key='x')}"
    for answer, status in (
        (front.http.get("/nothing/here"), 404),
        (front.http.put("/items/x", json={}), 405),
        (httpx2.get(wrong, trust_env=False), 401),
    ):
        assert answer.status_code == status
        assert "Wishwell-Shopper" not in answer.headers
    assert front.http.get("/items/x").headers["Wishwell-Shopper"] == "-"
