"""Customers identified by the platform's signed query."""

import re
import time
from urllib.parse import parse_qs, urlencode

import pytest

from tests.app_proxy import KEY, SHOP, common, signed

from .conftest import envelope, nobodys, nothing_done
from .way import direct

pytestmark = direct("before the platform's query counts a forwarder's token", "nginx", "caddy")


@pytest.fixture(scope="module")
def front(api, new_front):
    """A store on such a platform, which sends its requests to another host than the store's."""
    (api.folder / "platform").write_text(KEY)
    front = new_front("--platform-shop", SHOP, "--platform-secret-file", "platform")
    front.host = "wishes.platform.test"
    return front


@direct("no request is sent")
def test_signature_matches_the_platforms_example():
    """The signature matches the example in the platform's documentation."""
    pairs = [("extra", "1"), ("extra", "2"), ("shop", "shop-name.myshopify.com"),
             ("logged_in_customer_id", "1"), ("path_prefix", "/apps/awesome_reviews"),
             ("timestamp", "1317327555")]  # fmt: skip
    right = "4c68c8624d737112c91818c11017d24d334b524cb5c2b8ba08daa056f7395ddb"
    assert signed(pairs, "hush").endswith(right)


def test_visitor_of_a_platform_gets_a_key_and_no_cookie(front):
    """A visitor who reads starts no session; a save returns a key, because the platform drops
    cookies. Rule: storefront-platform."""
    visitor = front.browser()
    assert nobodys(visitor.get(f"/items?{signed(common())}"))
    answer = visitor.post(f"/items?{signed(common())}", json={"productId": 1})
    assert answer.status_code == 201
    service = answer.json()["visitor"]["service"]
    assert re.fullmatch(rf"https://{front.host}(:[0-9]+)?", service)  # a proxy may add its port
    assert "Set-Cookie" not in answer.headers


def test_change_by_a_platform_is_from_the_shops_host(front):
    """A change needs an `Origin` of the store, because the platform requests another host.
    Rule: storefront-same-origin."""
    for origin, status in (
        (front.origin, 201),
        (f"http://{front.host}", 403),
        ("https://evil.example", 403),
    ):
        browser = front.browser()
        browser.http.headers.pop("Sec-Fetch-Site")
        place = f"/items?{signed(common('44'))}"
        answer = browser.post(place, json={"productId": 1}, headers={"Origin": origin})
        assert answer.status_code == status


def test_browsers_query_parameters_pass_without_the_platforms(front):
    """Other query parameters pass; the platform's are removed. Rule: storefront-platform."""
    browser = front.browser()
    for product in (1, 2):
        browser.post(f"/items?{signed(common('7'))}", json={"productId": product})
    pairs = [*common("7"), ("query", "product:2 tag:a,b"), ("limit", "5")]
    assert nobodys(browser.get(f"/items?{signed(pairs)}"))
    found = browser.get(f"/items?{signed([*common('7'), ('query', 'product:2,9')])}").json()["data"]
    assert [item["productId"] for item in found] == [2]
    several = signed([*common("7"), ("limit", "1"), ("limit", "2")])
    assert "limit" in envelope(browser.get(f"/items?{several}"), 400)
    odd = signed([*common("7"), ("x", "ä &=+%")])
    assert "x" in envelope(browser.get(f"/items?{odd}"), 400)


def test_unsigned_or_incomplete_query_is_ignored(front):
    """An unsigned or incomplete query is ignored, and the host decides the store.
    Rule: storefront-platform."""
    own = {"Host": front.origin.partition("//")[2]}
    whole = signed(common("7"))
    with nothing_done(front):
        for query in (
            "",
            urlencode(common("7")),
            whole.replace(f"shop={SHOP}&", ""),
            signed(common("7", shop="other.example")),
            signed(common("7")[1:]),
            whole + "&x=%ff",
        ):
            browser, path = front.browser(), f"/items?{query}"
            envelope(browser.get(path), 404)
            envelope(browser.post(path, json={"productId": 1}), 404)
            answer = browser.get(path, headers=own)
            assert nobodys(answer)
            assert answer.headers["Wishwell-Shopper"] == "-"


WRONG = {
    "empty signature": lambda: urlencode([*common("7"), ("signature", "")]),
    "another key": lambda: signed(common("7"), key="other"),
    "customer changed": lambda: signed(common("7")).replace("id=7", "id=8"),
    "parameter added": lambda: signed(common("7")) + "&limit=1",
    "signature twice": lambda: signed(common("7")) + "&signature=x",
    "signature in upper case": lambda: signed(common("7"))[:-64] + signed(common("7"))[-64:].upper(),
    "old": lambda: signed(common("7", age=310)),
    "ahead": lambda: signed(common("7", age=-90)),
    "no timestamp": lambda: signed(common("7")[:-1]),
    "timestamp negative": lambda: signed([*common("7")[:-1], ("timestamp", f"-{time.time():.0f}")]),
    "timestamp twice": lambda: signed([*common("7"), ("timestamp", str(int(time.time())))]),
    "customer twice": lambda: signed([*common("7"), ("logged_in_customer_id", "8")]),
    "customer twice, and its name": lambda: signed(
        [*common("7"), ("logged_in_customer_id", "8"), ("q", "logged_in_customer_id=")]
    ),
    "no customer named": lambda: signed(common("7")[:1] + common("7")[2:]),
    "longer by a name of ours": lambda: signed([*common(""), ("m8path_prefix", "")]),
    "customer that is none": lambda: signed(common("a/../b")),
    "customer too long": lambda: signed(common("7" * 65)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_query_with_a_wrong_signature_or_time_is_401(front, name):
    """A wrong signature or time is 401, and nothing is done.
    Rules: storefront-naming, storefront-platform."""
    browser, path = front.browser(), f"/items?{WRONG[name]()}"
    with nothing_done(front):
        for answer in (browser.get(path), browser.post(path, json={"productId": 1})):
            envelope(answer, 401)
            assert "Set-Cookie" not in answer.headers


def test_query_whose_signed_text_is_ambiguous_is_401(front):
    """An ambiguous signed text is 401: parameters can't be recombined to name a customer.
    Rule: storefront-platform."""
    moment = str(int(time.time()))
    honest = [("aa", "1logged_in_customer_id=7path_prefix=x"), ("logged_in_customer_id", ""),
              ("shop", SHOP), ("timestamp", moment)]  # fmt: skip
    right = parse_qs(signed(honest))["signature"][0]
    # The same signed text, split elsewhere: the customer parameter becomes part of another value.
    forged = [("aa", "1"), ("logged_in_customer_id", "7"),
              ("path_prefix", "xlogged_in_customer_id="), ("shop", SHOP),
              ("timestamp", moment)]  # fmt: skip
    assert parse_qs(signed(forged))["signature"] == [right]
    victim = front.shop.customer("7")
    victim.http.post("/items", json={"productId": 1})
    with nothing_done(front):
        for pairs in (forged, honest):
            envelope(front.browser().get(f"/items?{signed(pairs)}"), 401)
    # The parameter's name alone is harmless
    named = [*common(), ("query", "logged_in_customer_id")]
    assert front.browser().get(f"/items?{signed(named)}").status_code == 200


def test_signed_query_is_accepted_for_300_seconds(front):
    """A signed query is valid up to 300 s after its timestamp and 60 s before.
    Rule: storefront-platform."""
    for age in (290, -50):
        assert front.browser().get(f"/items?{signed(common('7', age=age))}").status_code == 200


def test_assets_are_served_below_a_platforms_path(front):
    """Assets are served for the platform's signed query. Rule: storefront-pages."""
    http = front.browser()
    assert http.at(f"/assets/wishwell.js?{signed(common())}").status_code == 200
    assert http.at("/assets/wishwell.js").status_code == 404
