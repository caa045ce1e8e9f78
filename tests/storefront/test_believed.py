"""Who is believed: all that a request may say of its store and its shopper, against what it may."""

from __future__ import annotations

import itertools
import random
from typing import NamedTuple

import httpx2
import pytest

from tests.servers import PREFIX, Service

from . import stores
from .stores import BASE, Browser, Headers
from .way import direct

# One service for all of it: one process of the suite runs these.
pytestmark = [
    pytest.mark.xdist_group("storefront-believed"),
    direct("what a sender says of itself, of the host and by a token: a way says it alone"),
]

TRUSTED = "127.0.0.2"
"""Where the shop's own web server is, as the settings say."""

NEW_SESSIONS = 5
"""How many one address may begin in a minute."""

# What a request may say, word by word; OWN and OTHER are stores, and most asks are meant for OWN.
TOKENS = ("none", "malformed", "revoked", "admin", "profile", "storefront", "naming", "other's")
NAMED = ("nothing", "id", "own gid", "other gid", "-", "empty", "twice")
HOSTS = ("own", "other", "unknown")
FORWARDED = ("none", "own", "other", "unknown")
SENDERS = ("anybody", "trusted")
COOKIES = ("none", "own", "other", "tampered")
JWTS = tuple(f"{place} {key}" for place in ("header", "cookie") for key in ("own", "other", "bad"))
QUERIES = ("none", "customer", "nobody", "bad", "by other", "of other", "of nobody")


class Case(NamedTuple):
    """One request, in those words."""

    token: str
    named: str
    host: str
    forwarded: str
    sender: str
    cookie: str
    jwt: str
    query: str


class Belief(NamedTuple):
    """What is to come of it: any of these statuses, and for which store who was looked for."""

    statuses: set[int]
    store: str = ""
    who: str = ""
    """A customer by the name of who vouched for them, `visitor`, or empty for nobody."""


def expected(case: Case) -> Belief:
    """The rules, in the order in which one makes another void. Of several refusals any is right."""
    refused: set[int] = set()
    # A token that is not good for here is refused, whatever else is said. Only one that names
    # customers may come with a name, and only with one name of its own store's platform.
    refused |= {"malformed": {401}, "revoked": {401}, "admin": {403}, "profile": {403}}.get(
        case.token, set()
    )
    is_good = case.token in ("storefront", "naming", "other's")
    of_token = "other" if case.token == "other's" else "own"
    may_name = case.token in ("naming", "other's")
    says = {"nothing": "", "id": of_token, "own gid": "own", "other gid": "other", "-": of_token}
    if case.named != "nothing" and (not may_name or says.get(case.named) != of_token):
        refused.add(400)
    # The host is the forwarded one where who forwards may say so, by a token or by their address.
    forwards = is_good or case.sender == "trusted"
    host = case.forwarded if forwards and case.forwarded != "none" else case.host
    # The store: a token's, whose host it must be; or that of the shop in a signed query; or the host's.
    signed_for = {"none": "", "of nobody": "", "of other": "other"}.get(case.query, "own")
    # A signed query has no word on the host of another store.
    counts = bool(signed_for) and case.token == "none" and host in (signed_for, "unknown")
    store = of_token if is_good else signed_for if counts else host
    if is_good and host != store:
        refused.add(403)
    if store == "unknown" and case.token == "none":
        refused.add(404)
    # The customer: named by the proxy, or else by the platform, or else by the shop's JWT. Wrong
    # evidence is refused where it is asked for; an old JWT in a cookie is nobody's.
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
    # The visitor, by a cookie of this very store.
    who = who or ("visitor" if case.cookie == store else "")
    if refused:
        return Belief(refused)
    # What is no evidence here is a query like any other, with parameters that no record knows.
    return Belief({400} if case.query != "none" and not counts and who else {200}, store, who)


class World:
    """The service, two stores with a product saved for each customer, and fresh visitors."""

    def __init__(self, service: Service) -> None:
        made = stores.make(service, ["https://own.example", "http://other.example"])
        self.stores = dict(zip(("own", "other"), made, strict=True))
        self.service = service
        self.visitors = {name: self._come(name) for name in self.stores}
        service.start()
        self.browsers = {
            "anybody": Browser(service, "127.0.0.3"), "trusted": Browser(service, TRUSTED)
        }  # fmt: skip
        own = self.stores["own"]
        admin = {"Authorization": f"Bearer {own.tokens['admin']}"}
        answer = httpx2.post(f"{service.url}{PREFIX}/profiles/token", headers=admin)
        revoked = service.create_token("store-0", "to be revoked")
        service.quick("token", "revoke", revoked)
        self.tokens = own.tokens | {
            "malformed": own.tokens["naming"][:-1],
            "revoked": revoked,
            "profile": answer.json()["data"]["token"],
            "other's": self.stores["other"].tokens["naming"],
        }
        self.products: dict[tuple[str, str], int] = {}
        for number, (name, who) in enumerate(itertools.product(self.stores, VOUCHERS)):
            one = self.stores[name]
            token = {"Authorization": f"Bearer {one.tokens['naming']}", "Wishwell-Customer": who}
            saved = self.browsers["anybody"].save(one.authority, number + 1, **token)
            assert saved.status == 201, saved
            self.products[name, who] = number + 1

    def _come(self, name: str) -> list[str]:
        return stores.new_sessions(self.service, self.stores[name].id, 300)

    def request(self, case: Case) -> tuple[str, Headers]:
        """The query and the headers of a case."""
        own, other = self.stores["own"], self.stores["other"]
        hosts = {"own": own.authority, "other": other.authority, "unknown": "wishes.internal"}
        headers = [("Host", hosts[case.host])]
        if case.token != "none":
            headers.append(("Authorization", f"Bearer {self.tokens[case.token]}"))
        named = {"id": "proxy", "own gid": own.gid("proxy"), "other gid": other.gid("proxy")}
        named |= {"-": "-", "empty": "", "twice": "proxy"}
        if case.named != "nothing":
            headers += [("Wishwell-Customer", named[case.named])] * (1 + (case.named == "twice"))
        if case.forwarded != "none":
            headers.append(("X-Forwarded-Host", hosts[case.forwarded]))
        place, _, key = case.jwt.partition(" ")
        shops = {"own": own, "other": other, "bad": own._replace(jwt_key="x" * 40)}
        jars = []
        if place == "header":
            headers.append((stores.JWT_HEADER, shops[key].jwt("jwt")))
        elif place:
            jars.append(f"{stores.JWT_COOKIE}={shops[key].jwt('jwt')}")
        if case.cookie != "none":
            whose = "other" if case.cookie == "other" else "own"
            value = self.stores[whose].cookie(self.visitors[whose][-1])
            if case.cookie == "tampered":
                value = own._replace(cookie_secret="x" * 40).cookie(self.visitors["own"][-1])
            # By both names: which one is read says the store's host, and is no matter here.
            jars += [f"wishwell={value}", f"__Host-wishwell={value}"]
        if jars:
            headers.append(("Cookie", "; ".join(jars)))
        queries = {
            "none": "",
            "customer": own.signed("1001"),
            "nobody": own.signed(),
            "bad": own.signed("1001").replace("=1001", "=1002"),
            "by other": own.signed("1001", other.platform_secret),
            "of other": other.signed("1001"),
            "of nobody": own._replace(platform_shop="no.example").signed("1001"),
        }
        return queries[case.query], headers

    def wrong(self, case: Case) -> str:
        """Asks a case; what is wrong with the answer, or nothing."""
        query, headers = self.request(case)
        path = f"{BASE}/api/items" + (f"?{query}" if query else "")
        answer = self.browsers[case.sender].ask("GET", path, headers)
        belief = expected(case)
        visitor = self.visitors.get(belief.store, [""])[-1]
        if case.cookie == belief.store and belief.who in VOUCHERS:
            # Signed in, and so their session is linked: the next visitor is another one.
            self.visitors[belief.store].pop()
            self.visitors[belief.store] = self.visitors[belief.store] or self._come(belief.store)
        if answer.status not in belief.statuses:
            return f"{case}: {answer.status} {answer.body[:200]!r}, and not {belief}"
        one = self.stores.get(belief.store)
        gid = visitor if belief.who == "visitor" else one and one.gid(belief.who)
        # The cookie goes with a sign-in, and if it is nobody's.
        goes = one and case.cookie != "none" and belief.who != "visitor"
        seen: list[object] = [answer.shopper]
        right: list[object] = [one.shopper(gid) if belief.who else "-"]
        if one:  # a refusal may take away a cookie that is nobody's
            seen.append(answer.set_cookie)
            right.append("" if goes else None)
        if answer.status == 200:
            seen.append(answer.products)
            saved = self.products.get((belief.store, belief.who))
            right.append([saved] if saved else [])
        return "" if seen == right else f"{case}: {seen}, and not {right} ({belief})"


VOUCHERS = ("proxy", "1001", "jwt")
"""Who vouches for a customer; each names one of its own."""


@pytest.fixture(scope="module")
def world():
    more = {"WISHWELL_TRUSTED_PROXIES": TRUSTED, "WISHWELL_LIMIT_NEW_SESSIONS": str(NEW_SESSIONS)}
    with stores.new_service(**more) as service:
        world = World(service)
        yield world
        assert service.stop() == 0
        assert "Traceback" not in service.output()


def cases(token: str, named: str, many: int) -> list[Case]:
    """So many of the 4,704 requests with this token and this name, the same ones each time."""
    rest = itertools.product(HOSTS, FORWARDED, SENDERS, COOKIES, ("", *JWTS), QUERIES)
    chosen = random.Random(f"{token} {named}").sample(list(rest), many)
    return [Case(token, named, *words) for words in chosen]


@pytest.mark.parametrize("many", [30, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("named", NAMED)
@pytest.mark.parametrize("token", TOKENS)
def test_who_is_believed(world, token, named, many):
    """contract: storefront-token, storefront-naming-order, storefront-host-source, storefront-evidence,
    storefront-hosts. Nobody gains anything by a header that a browser can send by itself."""
    wrong = [text for case in cases(token, named, many) if (text := world.wrong(case))]
    assert not wrong, f"{len(wrong)} are wrong:\n" + "\n".join(wrong[:10])


FROM = {
    # What a browser sends of the page that a change comes from, and whether that is the shop's own.
    "same-origin": ({"Sec-Fetch-Site": "same-origin"}, True),
    "same-site": ({"Sec-Fetch-Site": "same-site", "Origin": "https://own.example"}, False),
    "cross-site": ({"Sec-Fetch-Site": "cross-site", "Origin": "https://own.example"}, False),
    "no page": ({"Sec-Fetch-Site": "none"}, False),
    "own origin": ({"Origin": "https://own.example"}, True),
    "own, not https": ({"Origin": "http://own.example"}, False),
    "other store": ({"Origin": "http://other.example"}, False),
    "host that is claimed": ({"Origin": "http://evil.example"}, False),
    "null": ({"Origin": "null"}, False),
    "nothing": ({}, False),
}


@pytest.mark.parametrize("page", FROM)
@pytest.mark.parametrize("who", ["nobody", "visitor", "jwt", "proxy", "platform"])
def test_change_from_another_origin_does_nothing(world, page, who):
    """contract: storefront-same-origin. Whoever is shopping, and by whatever way the store is known."""
    headers, is_own = FROM[page]
    own, customer = world.stores["own"], f"{VOUCHERS[1]}{list(FROM).index(page)}{len(who)}"
    told = {"Host": own.authority, "X-Forwarded-Host": "evil.example"}
    told |= {
        "nobody": {},
        "visitor": {"Cookie": f"__Host-wishwell={own.cookie(world.visitors['own'].pop())}"},
        "jwt": {stores.JWT_HEADER: own.jwt(customer)},
        "platform": {"Host": "wishes.internal"},
        "proxy": {
            "Authorization": f"Bearer {own.tokens['naming']}",
            "Wishwell-Customer": customer,
            "X-Forwarded-Host": own.authority,
        },
    }[who]
    path = f"{BASE}/api/items" + (f"?{own.signed(customer)}" if who == "platform" else "")
    browser = world.browsers["anybody"]
    answer = browser.ask("POST", path, told | headers, {"productId": 77})
    assert answer.status == (201 if is_own else 403), answer
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    if who == "nobody":
        assert bool(answer.set_cookie) == is_own
    else:
        assert browser.ask("GET", path, told).products == ([77] if is_own else [])


# Where a first save comes from, what it says of its address ({n} changes each time), by a proxy's
# token or not, and whether all of these are one address.
ADDRESSES = {
    "a browser's word is nothing": ("127.0.0.4", "203.0.113.{n}", False, True),
    "nor is it behind the shop's web server": (TRUSTED, "203.0.113.{n}, 198.51.100.1", False, True),
    "the web server's own word": (TRUSTED, "198.51.100.1{n}", False, False),
    "the /64 of IPv6": (TRUSTED, "2001:db8::{n}:1", False, True),
    "the last that a proxy says": ("127.0.0.5", "203.0.113.{n}, 198.51.100.2", True, True),
    "whom a proxy serves": ("127.0.0.5", "198.51.100.3, 203.0.113.{n}", True, False),
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_whose_address_counts(world, name):
    """contract: storefront-address, storefront-limits."""
    sender, said, by_proxy, is_one = ADDRESSES[name]
    other = world.stores["other"]
    headers = {"Authorization": f"Bearer {other.tokens['storefront']}"} if by_proxy else {}
    with stores.fresh(world.service, sender) as browser:
        answers = [
            browser.save(other.authority, 1, X_Forwarded_For=said.format(n=n), **headers)
            for n in range(NEW_SESSIONS + 2)
        ]
    past = [429, 429] if is_one else [201, 201]
    assert [answer.status for answer in answers] == [201] * NEW_SESSIONS + past
    assert bool(answers[-1].set_cookie) != is_one


def test_cookie_of_an_https_shop_is_not_planted(world):
    """contract: storefront-cookie. The store's own host says that it is https, whatever is sent: so a
    cookie by the name that a subdomain could plant is not read."""
    own = world.stores["own"]
    value = own.cookie(world.visitors["own"].pop())
    for claimed in ({}, {"X-Forwarded-Proto": "http"}):
        for sender in SENDERS:
            browser = world.browsers[sender]
            planted = browser.read(own.authority, Cookie=f"wishwell={value}", **claimed)
            assert planted.shopper == "-"
            assert browser.read(own.authority, Cookie=f"__Host-wishwell={value}").shopper != "-"
            twice = f"__Host-wishwell={value}; __Host-wishwell={value}"
            assert browser.read(own.authority, Cookie=twice).shopper == "-"
