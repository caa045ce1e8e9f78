"""The store and shopper of a request: random combinations of headers, compared with the rules."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import slow
from tests.servers import PREFIX

from .conftest import (
    BASE,
    BY_JWT,
    JWT_KEY,
    Browser,
    Front,
    new_api,
    nobodys,
    products,
    set_cookies,
    shop_jwt,
    value_of,
    with_one_store,
)
from .test_platform import common, signed
from .way import direct

# One service for all cases: xdist runs the group in one process.
pytestmark = [
    pytest.mark.xdist_group("storefront-believed"),
    direct("what a sender says of itself, of the host and by a token: a way says it alone"),
]

TRUSTED = "127.0.0.2"
"""The address of the shop's web server, a trusted proxy."""

# The values of each dimension. OWN and OTHER are stores, and most requests are meant for OWN.
TOKENS = ("none", "malformed", "revoked", "admin", "profile", "storefront", "naming", "other's")
NAMED = ("nothing", "id", "own gid", "other gid", "-", "empty", "twice")
HOSTS = ("own", "other", "unknown")
FORWARDED = ("none", "own", "other", "unknown")
SENDERS = ("anybody", "trusted")
COOKIES = ("none", "own", "other", "tampered")
JWTS = tuple(f"{place} {key}" for place in ("header", "cookie") for key in ("own", "other", "bad"))
QUERIES = ("none", "customer", "nobody", "bad", "by other", "of other", "of nobody")

VOUCHERS = ("proxy", "1001", "jwt")
"""Sources that name a customer; each names a different one."""
KEYS = {"own": JWT_KEY, "other": f"other-{JWT_KEY}", "bad": "x" * 40}


class Case(NamedTuple):
    """One request: a value for each dimension."""

    token: str
    named: str
    host: str
    forwarded: str
    sender: str
    cookie: str
    jwt: str
    query: str


class Belief(NamedTuple):
    """The expected result: the permitted statuses, and the store and shopper."""

    statuses: set[int]
    store: str = ""
    who: str = ""
    """The customer, by the source that named them; `visitor`; or empty for an anonymous caller."""


def expected(case: Case) -> Belief:
    """Returns the expected result by the rules, in order of precedence. If several refusals apply,
    any is right."""
    refused: set[int] = set()
    # Invalid tokens are refused. Only a token made with --names-customers may name a customer, and
    # only one with its store's platform.
    refused |= {"malformed": {401}, "revoked": {401}, "admin": {403}, "profile": {403}}.get(
        case.token, set()
    )
    is_good = case.token in ("storefront", "naming", "other's")
    of_token = "other" if case.token == "other's" else "own"
    may_name = case.token in ("naming", "other's")
    says = {"nothing": "", "id": of_token, "own gid": "own", "other gid": "other", "-": of_token}
    if case.named != "nothing" and (not may_name or says.get(case.named) != of_token):
        refused.add(400)
    # The host is the forwarded one if the sender may set it: by a token or by a trusted address.
    forwards = is_good or case.sender == "trusted"
    host = case.forwarded if forwards and case.forwarded != "none" else case.host
    # The store is the token's, whose host it must be; else the signed query's shop; else the
    # host's.
    signed_for = {"none": "", "of nobody": "", "of other": "other"}.get(case.query, "own")
    # A signed query counts on no other store's host.
    counts = bool(signed_for) and case.token == "none" and host in (signed_for, "unknown")
    store = of_token if is_good else signed_for if counts else host
    if is_good and host != store:
        refused.add(403)
    if store == "unknown" and case.token == "none":
        refused.add(404)
    # The customer is named by the proxy, else by the platform, else by the shop's JWT. Wrong
    # evidence is refused, but an old JWT in a cookie is ignored.
    place, _, key = case.jwt.partition(" ")
    who = ""
    if case.named != "nothing":
        who = "" if case.named == "-" else "proxy"
    elif counts:
        if case.query in ("bad", "by other"):
            refused.add(401)
        who = "1001" if case.query in ("customer", "of other") else ""
    elif place:
        if key != store and place == "header":
            refused.add(401)
        who = "jwt" if key == store else ""
    # The visitor is identified by a cookie of this store.
    who = who or ("visitor" if case.cookie == store else "")
    if refused:
        return Belief(refused)
    # The parameters of a query that doesn't count are unknown: 400, unless the caller is anonymous.
    return Belief({400} if case.query != "none" and not counts and who else {200}, store, who)


def keyed(folder: Path, name: str) -> tuple[str, ...]:
    """Returns options of a store that accepts all evidence; its platform and its JWTs share a key."""
    file = folder / f"{name}-key"
    file.write_text(KEYS[name])
    return (
        *("--jwt-key-file", str(file), *BY_JWT[2:]),
        *("--platform-shop", f"{name}.example", "--platform-secret-file", str(file)),
    )


class World:
    """Two stores with one product saved for each customer, and fresh visitors."""

    def __init__(self, own: Front, other: Front) -> None:
        self.stores = {"own": own, "other": other}
        self.visitors = {name: front.shop.session().gid for name, front in self.stores.items()}
        senders = {"anybody": "127.0.0.3", "trusted": TRUSTED}
        self.browsers = {name: Browser(own, {}, sender=at) for name, at in senders.items()}
        revoked = own.api.create_token(own.shop.handle, "to be revoked")
        own.api.quick("token", "revoke", revoked)
        self.tokens = {
            "malformed": own.proxys_token(naming=True)[:-1],
            "revoked": revoked,
            "admin": own.shop.admin_token,
            "profile": own.shop.session().token,
            "storefront": own.proxys_token(),
            "naming": own.proxys_token(naming=True),
            "other's": other.proxys_token(naming=True),
        }
        pairs = itertools.product(self.stores, VOUCHERS)
        self.products = {pair: number for number, pair in enumerate(pairs, 1)}
        for (name, who), product in self.products.items():
            customer = self.stores[name].shop.customer(who).http
            assert customer.post("/items", json={"productId": product}).status_code == 201

    def request(self, case: Case) -> tuple[str, list[tuple[str, str]]]:
        """Returns a case's query and headers."""
        own, other = self.stores["own"], self.stores["other"]
        hosts = {"own": own.host, "other": other.host, "unknown": "wishes.internal"}
        headers = [("Host", hosts[case.host])]
        if case.token != "none":
            headers.append(("Authorization", f"Bearer {self.tokens[case.token]}"))
        named = {"id": "proxy", "-": "-", "empty": "", "twice": "proxy"}
        named |= {"own gid": own.shop.gid("proxy"), "other gid": other.shop.gid("proxy")}
        if case.named != "nothing":
            headers += [("Wishwell-Customer", named[case.named])] * (1 + (case.named == "twice"))
        if case.forwarded != "none":
            headers.append(("X-Forwarded-Host", hosts[case.forwarded]))
        place, _, key = case.jwt.partition(" ")
        jars = []
        if place == "header":
            headers.append(("X-Shop-Token", shop_jwt("jwt", KEYS[key])))
        elif place:
            jars.append(f"shop_jwt={shop_jwt('jwt', KEYS[key])}")
        if case.cookie != "none":
            whose = "other" if case.cookie == "other" else "own"
            secret = "x" * 40 if case.cookie == "tampered" else ""
            value = self.stores[whose].cookie(self.visitors[whose], secret=secret)
            # Both names, because the store's host decides which one is read.
            jars += [f"wishwell={value}", f"__Host-wishwell={value}"]
        if jars:
            headers.append(("Cookie", "; ".join(jars)))
        queries = {
            "none": "",
            "customer": signed(common("1001", shop="own.example"), KEYS["own"]),
            "nobody": signed(common(shop="own.example"), KEYS["own"]),
            "bad": signed(common("1001", shop="own.example"), KEYS["bad"]),
            "by other": signed(common("1001", shop="own.example"), KEYS["other"]),
            "of other": signed(common("1001", shop="other.example"), KEYS["other"]),
            "of nobody": signed(common("1001", shop="no.example"), KEYS["own"]),
        }
        return queries[case.query], headers

    def wrong(self, case: Case) -> str:
        """Sends a case; returns how the response differs from the rules, or an empty string."""
        query, headers = self.request(case)
        answer = self.browsers[case.sender].bare(f"{BASE}/api/items?{query}", headers)
        belief = expected(case)
        visitor = self.visitors.get(belief.store, "")
        front = self.stores.get(belief.store)
        if front and case.cookie == belief.store and belief.who in VOUCHERS:
            # The sign-in linked the session, so the next case needs a new visitor.
            self.visitors[belief.store] = front.shop.session().gid
        if answer.status_code not in belief.statuses:
            return f"{case}: {answer.status_code} {answer.text[:200]}, and not {belief}"
        seen: list[object] = [answer.headers.get("Wishwell-Shopper", "-")]
        right: list[object] = ["-"]
        if front and belief.who:
            gid = visitor if belief.who == "visitor" else front.shop.gid(belief.who)
            right = [front.shopper(gid)]
        if front:  # a refusal may remove an invalid cookie
            seen.append([value_of(line) for line in set_cookies(answer)])
            # A sign-in removes the cookie, and so does an invalid one.
            right.append([""] if case.cookie != "none" and belief.who != "visitor" else [])
        if answer.status_code == 200:
            seen.append(products(answer))
            saved = self.products.get((belief.store, belief.who))
            right.append([saved] if saved else [])
        return "" if seen == right else f"{case}: {seen}, and not {right} ({belief})"


@pytest.fixture(scope="module")
def world():
    api = new_api(WISHWELL_TRUSTED_PROXIES=TRUSTED)
    with with_one_store(api, *keyed(api.folder, "own"), scheme="https") as own:
        more = ("--platform", "other", "--host", f"http://{ALONE}")
        yield World(own, Front(api, *keyed(api.folder, "other"), *more))


def cases(token: str, named: str, many: int) -> list[Case]:
    """Returns ``many`` of the 4,704 cases with this token and name, the same ones each time."""
    rest = itertools.product(HOSTS, FORWARDED, SENDERS, COOKIES, ("", *JWTS), QUERIES)
    chosen = random.Random(f"{token} {named}").sample(list(rest), many)
    return [Case(token, named, *words) for words in chosen]


@pytest.mark.parametrize("many", [20, slow(500)])
@pytest.mark.parametrize("named", NAMED)
@pytest.mark.parametrize("token", TOKENS)
def test_store_and_shopper_follow_from_the_trusted_headers_only(world, token, named, many):
    """Every header combination has the store and shopper that the rules say, so headers that a
    browser can send gain nothing.
    Rules: storefront-hosts, storefront-naming."""
    wrong = [text for case in cases(token, named, many) if (text := world.wrong(case))]
    assert not wrong, f"{len(wrong)} are wrong:\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize(
    ("forwarded", "token", "store"),
    [
        ("{own}, internal.lb", "", "own"),
        ("{other},{own} , internal.lb, internal.lb", "", "own"),
        ("{own}, {other}", "", "other"),
        ("{own}, {other}", "naming", "own"),
        ("{own}, ,x", "", "own"),
        ("internal.a, internal.b", "", None),
        ("{other}, internal.b", "naming", None),
    ],
)
def test_last_host_of_a_store_counts_when_proxies_append_theirs(world, forwarded, token, store):
    """Of a list in X-Forwarded-Host, the last host of a store counts; with a proxy's token, of its
    store. Rule: storefront-hosts."""
    hosts = {name: front.host for name, front in world.stores.items()}
    headers = [("Host", "internal"), ("X-Forwarded-Host", forwarded.format(**hosts))]
    headers.append(("X-Shop-Token", shop_jwt("jwt", KEYS[store or "own"])))
    if token:
        headers.append(("Authorization", f"Bearer {world.tokens[token]}"))
    answer = world.browsers["trusted"].bare(f"{BASE}/api/items", headers)
    if store is None:
        assert answer.status_code == (403 if token else 404)
    else:
        assert products(answer) == [world.products[store, "jwt"]]


ALONE = "alone.example"
ELSEWHERE = {"/": 200, "/livez": 200, "/readyz": 200, "/metrics": 200, "/docs": 200, "/admin/": 200}
ELSEWHERE |= {f"{PREFIX}/items": 200, "/api/": 404}
"""Paths and statuses on a host that no store has named."""
SPELLINGS = (ALONE, ALONE.upper(), f"{ALONE}:80", f"{ALONE}:443", f"{ALONE}.", f"{ALONE}.:80")
MALFORMED = [ALONE + end for end in (":1", ":", ".:1", "..", "/")] + ["a, b", f"x {ALONE}"]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_host_of_a_shop_serves_only_the_storefront(world, path):
    """A shop's host, in any spelling or header, and a malformed host have only the storefront.
    Rule: storefront-hosts."""
    token = ("Authorization", f"Bearer {world.stores['other'].shop.admin_token}")

    def status(host: str, *more: tuple[str, str], sender: str = "anybody", **named: str) -> int:
        headers = [("Host", host), token, *more]
        return world.browsers[sender].bare(path, headers, **named).status_code

    for host in SPELLINGS:
        assert [status(host, method=method) for method in ("GET", "HEAD", "POST", "OPTIONS")] == [
            404
        ] * 4
        assert nobodys(world.browsers["anybody"].bare(f"{BASE}/api/items", [("Host", host)]))
    assert [host for host in MALFORMED if status(host) != 404] == []
    for forwarded in (ALONE, f"{ALONE}, wishes.internal", f"{ALONE}:1, wishes.internal"):
        assert status("wishes.internal", ("X-Forwarded-Host", forwarded)) == 404
    assert status(ALONE, ("X-Forwarded-Host", "wishes.internal"), sender="trusted") == 404
    assert status("wishes.internal") == ELSEWHERE[path]
