"""Fifty shops on one service, and no way from one into another."""

from __future__ import annotations

import itertools

import pytest

from tests.servers import PREFIX, wait_until

from . import stores, way
from .stores import BASE, SAME, Browser, Storefront
from .way import direct

pytestmark = pytest.mark.xdist_group("storefront-many")

MANY = 50
OUTSIDE = ["/", "/livez", "/readyz", "/metrics", "/docs", f"{PREFIX}/items", "/api/", BASE]


class Member:
    """A customer and a visitor of one store, each with a product and a list of their own."""

    def __init__(self, browser: Browser, shop: Storefront, number: int) -> None:
        self.shop, self.browser = shop, browser
        self.as_customer = {stores.JWT_HEADER: shop.jwt("customer")}
        self.products = {"customer": [2 * number + 1], "visitor": [2 * number + 2]}
        saved = browser.save(shop.authority, 2 * number + 1, **self.as_customer)
        assert saved.status == 201, saved
        begun = browser.save(shop.authority, 2 * number + 2)
        assert begun.status == 201, begun
        self.as_visitor = {"Cookie": f"wishwell={begun.set_cookie}"}
        self.session = stores.session_of(begun.set_cookie)
        self.records = []
        for who in (self.as_customer, self.as_visitor):
            headers = {"Host": shop.authority} | SAME | who
            made = browser.ask("POST", f"{BASE}/api/lists", headers, {"name": "own"})
            assert made.status == 201, made
            self.records.append(made.headers["Location"].removeprefix(f"{BASE}/api"))
        self.records += [saved.item, begun.item]

    def check(self) -> None:
        """What each has saved is theirs, and all that they have."""
        for who, headers in (("customer", self.as_customer), ("visitor", self.as_visitor)):
            answer = self.browser.read(self.shop.authority, **headers)
            assert answer.products == self.products[who]
            gid = self.session if who == "visitor" else self.shop.gid(who)
            assert answer.shopper == self.shop.shopper(gid)


@pytest.fixture(scope="module")
def members():
    """The stores are made before the service starts; their customers and visitors come then."""
    service = stores.new_service(**way.settings("127.0.0.2"))
    shops = stores.make(service, [f"http://shop-{number}.example" for number in range(MANY)])
    with service:
        browser = Browser(service)
        yield [Member(browser, shop, number) for number, shop in enumerate(shops)]
        assert service.stop() == 0
        assert "Traceback" not in service.output()


@pytest.fixture
def pairs(members):
    """Each store with the next one, whose shoppers try to get into it."""
    yield list(itertools.pairwise([*members, members[0]]))
    for member in members:
        member.check()


def test_no_evidence_of_another_store_is_taken(pairs):
    """contract: store-isolation, storefront-cookie, storefront-jwt. Cookie and JWT name nobody in another
    store."""
    for mine, theirs in pairs:
        host, ask = theirs.shop.authority, mine.browser.read
        cookie = ask(host, **mine.as_visitor)
        assert (cookie.shopper, cookie.products, cookie.set_cookie) == ("-", [], "")
        assert ask(host, **mine.as_customer).status == 401
        old = ask(host, Cookie=f"{stores.JWT_COOKIE}={mine.as_customer[stores.JWT_HEADER]}")
        assert (old.shopper, old.products) == ("-", [])


@direct("a token, and a forwarded host, are the way's own")
def test_no_token_of_another_store_is_taken(pairs):
    """contract: store-isolation, storefront-token. By its host as by a forwarded one."""
    for mine, theirs in pairs:
        host, ask = theirs.shop.authority, mine.browser.read
        for token in mine.shop.tokens.values():
            forwarded = {"Authorization": f"Bearer {token}", "X-Forwarded-Host": host}
            assert ask(host, Authorization=f"Bearer {token}").status == 403
            assert ask(mine.shop.authority, **forwarded).status == 403
            named = ask(mine.shop.authority, **forwarded, Wishwell_Customer="customer")
            assert named.status in (400, 403)


@direct("before the platform's query counts a forwarder's token", "nginx", "caddy")
def test_no_signature_of_another_store_is_taken(pairs):
    """contract: store-isolation, storefront-platform. Nor does it take anything away."""
    for mine, theirs in pairs:
        host, ask = theirs.shop.authority, mine.browser.read
        forged = theirs.shop.signed("1001", mine.shop.platform_secret)
        assert ask(host, forged).status == 401
        # Signed by mine, it is nothing on their host, and takes no cookie of theirs away.
        own = ask(host, mine.shop.signed("1001"), **theirs.as_visitor)
        assert (own.status, own.set_cookie) == (400, None)


def test_session_signed_with_the_right_secret_of_the_wrong_store_is_nobody(pairs):
    """contract: storefront-cookie. Each store has a secret of its own, and a cookie says which store."""
    for mine, theirs in pairs:
        for secret, store_id, session in (
            (mine.shop.cookie_secret, theirs.shop.id, theirs.session),
            (theirs.shop.cookie_secret, mine.shop.id, theirs.session),
            (theirs.shop.cookie_secret, "", theirs.session),
            (theirs.shop.cookie_secret, theirs.shop.id, mine.session),
        ):
            cookie = stores.made_cookie(session, secret, store_id)
            answer = mine.browser.read(theirs.shop.authority, Cookie=f"wishwell={cookie}")
            assert (answer.shopper, answer.products, answer.set_cookie) == ("-", [], "")


def test_ids_of_another_store_are_of_no_record(pairs):
    """contract: store-isolation. Neither read nor changed, as customer or as visitor."""
    for mine, theirs in pairs[::5]:
        for record, who in itertools.product(theirs.records, (mine.as_customer, mine.as_visitor)):
            headers = {"Host": mine.shop.authority} | SAME | who
            path = f"{BASE}/api{record}"
            change = {"name": "taken"} if record.startswith("/lists") else {"quantity": 9}
            assert mine.browser.ask("GET", path, headers).status == 404
            assert mine.browser.ask("PATCH", path, headers, change).status == 404
            assert mine.browser.ask("DELETE", path, headers).status == 404
        # Nor is anything put on a list of another store.
        their_list = theirs.records[0].rpartition("/")[2]
        for own_item, who in zip(
            mine.records[2:], (mine.as_customer, mine.as_visitor), strict=True
        ):
            headers = {"Host": mine.shop.authority} | SAME | who
            path, body = f"{BASE}/api{own_item}/lists", {"listIds": [their_list]}
            answer = mine.browser.ask("PUT", path, headers, body)
            assert (answer.status, b"listIds" in answer.body) == (404, True)
        for number, who in enumerate((theirs.as_customer, theirs.as_visitor) * 2):
            headers = {"Host": theirs.shop.authority} | who
            path = f"{BASE}/api{theirs.records[number]}"
            assert theirs.browser.ask("GET", path, headers).status == 200


def test_signing_in_at_another_store_takes_nothing_along(pairs):
    """contract: storefront-sign-in. A customer who brings the cookie of another store links nothing."""
    for mine, theirs in pairs[:10]:
        headers = theirs.as_customer | mine.as_visitor
        answer = mine.browser.read(theirs.shop.authority, **headers)
        assert (answer.products, answer.set_cookie) == (theirs.products["customer"], "")


@direct("a forwarded host is the way's own")
def test_only_the_trusted_web_server_says_another_host(pairs):
    """contract: storefront-host-source. A browser's word of the host it is on is nothing."""
    [(mine, theirs), *_] = pairs
    headers = {"X-Forwarded-Host": theirs.shop.authority, "Forwarded": "host=shop-1.example"}
    named = {name.replace("-", "_"): value for name, value in headers.items()}
    assert mine.browser.read(mine.shop.authority, **named, **mine.as_customer).status == 200
    with stores.fresh(mine.browser.service, "127.0.0.2") as server:
        assert server.read(mine.shop.authority, **named, **mine.as_customer).status == 401
        assert server.read(mine.shop.authority, **named, **theirs.as_customer).status == 200


@direct("a way passes on what is below the base")
@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_but_the_storefront_is_on_a_shops_host(members, path):
    """contract: storefront-shop-host, storefront-hosts. However the host is written; elsewhere it is all
    there as before."""
    shop, browser = members[0].shop, members[0].browser
    token = {"Authorization": f"Bearer {shop.tokens['admin']}"}
    name = shop.authority
    for host in (name, name.upper(), f"{name}:80", f"{name}:443", f"{name}.", f"{name}.:80"):
        for method in ("GET", "HEAD", "POST", "OPTIONS"):
            answer = browser.ask(method, path, {"Host": host} | token)
            assert answer.status == 404, (host, method)
        livez = browser.ask("GET", f"{BASE}/livez", {"Host": host})
        assert (livez.status, livez.body) == (200, b"ok")
        assert browser.read(host, **members[0].as_customer).status == 200
    for host in (
        f"{name}:1",
        f"{name}:",
        f"{name}.:1",
        f"{name}..",
        f"{name}/",
        "a, b",
        f"x {name}",
    ):
        assert browser.ask("GET", path, {"Host": host} | token).status == 404, host
    forwarded = {"Host": "wishes.internal", "X-Forwarded-Host": name}
    assert browser.ask("GET", path, forwarded | token).status == 404
    forwarded = {"Host": name, "X-Forwarded-Host": "wishes.internal"}
    with stores.fresh(browser.service, "127.0.0.2") as server:
        assert server.ask("GET", path, forwarded | token).status == 404
    elsewhere = browser.ask("GET", path, {"Host": "wishes.internal"} | token)
    assert elsewhere.status == {"/": 303, "/api/": 404, BASE: 404}.get(path, 200)


@direct("a forwarder has the token of a store, and Caddy knows hosts itself", "nginx")
def test_unknown_host_is_404_and_logged(members):
    """contract: storefront-hosts. Where stores have named hosts there is no store for the rest."""
    service = members[0].browser.service
    for host in ("wishes.internal", "shop-0.example.evil.example", "shop-0.example@x", "-", "*"):
        assert members[0].browser.read(host, **members[0].as_customer).status == 404
        said = f'"host":"{host}"'
        assert wait_until(lambda: any(said in line for line in service.log_lines()), seconds=5)
