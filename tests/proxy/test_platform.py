"""docs/proxy.md, The platform's signed query."""

import hashlib
import hmac
import time
from urllib.parse import parse_qs, urlencode

import pytest

from tests.conftest import Shop

from .conftest import BASE, ROOMY, Front, envelope, nothing_forwarded

KEY = "hush"
SHOP = "shop.example"


def signed(pairs: list[tuple[str, str]], key: str = KEY) -> str:
    """A query as the platform writes it."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    content = "".join(sorted(f"{name}={','.join(given)}" for name, given in values.items()))
    right = hmac.new(key.encode(), content.encode(), hashlib.sha256).hexdigest()
    return urlencode([*pairs, ("signature", right)])


def common(customer: str = "", age: int = 0, shop: str = SHOP) -> list[tuple[str, str]]:
    return [
        ("shop", shop),
        ("logged_in_customer_id", customer),
        ("path_prefix", BASE),
        ("timestamp", str(int(time.time()) - age)),
    ]


@pytest.fixture(scope="module")
def front(api, start_proxy):
    shop = Shop(api, *ROOMY)
    settings = {"PLATFORM_SECRET": KEY, "PLATFORM_SHOP": SHOP}
    return Front(start_proxy(api, shop.admin_token, **settings), shop, api)


def test_example_of_the_platform():
    """The platform's signed query: the example in the platform's own documentation."""
    pairs = [("extra", "1"), ("extra", "2"), ("shop", "shop-name.myshopify.com"),
             ("logged_in_customer_id", "1"), ("path_prefix", "/apps/awesome_reviews"),
             ("timestamp", "1317327555")]  # fmt: skip
    right = "4c68c8624d737112c91818c11017d24d334b524cb5c2b8ba08daa056f7395ddb"
    assert signed(pairs).endswith(right)


def test_customer_of_the_platform(front):
    """The platform's signed query: the customer it names is who is shopping, after a link."""
    visitor = front.browser()
    assert visitor.get(f"/items?{signed(common())}").json() == {"data": []}
    made = visitor.post(f"/items?{signed(common())}", json={"productId": 1})
    assert made.status_code == 201
    answer = visitor.get(f"/items?{signed(common('42'))}")
    assert [item["productId"] for item in answer.json()["data"]] == [1]
    assert front.shop.acting_as("gid://shopify/Customer/42").get("/items").json()["data"]
    assert front.browser().get(f"/items?{signed(common('43'))}").json() == {"data": []}


def test_query_of_the_browser_passes_beside(front):
    """The platform's signed query: its own parameters go no further, the others pass."""
    browser = front.browser()
    for product in (1, 2):
        browser.post(f"/items?{signed(common('7'))}", json={"productId": product})
    pairs = [*common("7"), ("query", "product:2 tag:a,b"), ("limit", "5")]
    answer = browser.get(f"/items?{signed(pairs)}")
    assert (answer.status_code, answer.json()) == (200, {"data": []})
    found = browser.get(f"/items?{signed([*common('7'), ('query', 'product:2,9')])}").json()["data"]
    assert [item["productId"] for item in found] == [2]
    several = signed([*common("7"), ("limit", "1"), ("limit", "2")])
    assert "limit" in envelope(browser.get(f"/items?{several}"), 400)
    odd = signed([*common("7"), ("x", "ä &=+%")])
    assert "x" in envelope(browser.get(f"/items?{odd}"), 400)


WRONG = {
    "no query": lambda: "",
    "no signature": lambda: urlencode(common("7")),
    "empty signature": lambda: urlencode([*common("7"), ("signature", "")]),
    "another key": lambda: signed(common("7"), key="other"),
    "customer changed": lambda: signed(common("7")).replace("id=7", "id=8"),
    "parameter added": lambda: signed(common("7")) + "&limit=1",
    "parameter gone": lambda: signed(common("7")).replace(f"shop={SHOP}&", ""),
    "signature twice": lambda: signed(common("7")) + "&signature=x",
    "signature in upper case": lambda: signed(common("7"))[:-64] + signed(common("7"))[-64:].upper(),
    "signature with more": lambda: signed(common("7")) + "0",
    "old": lambda: signed(common("7", age=310)),
    "ahead": lambda: signed(common("7", age=-90)),
    "no timestamp": lambda: signed(common("7")[:-1]),
    "timestamp of text": lambda: signed([*common("7")[:-1], ("timestamp", "now")]),
    "timestamp negative": lambda: signed([*common("7")[:-1], ("timestamp", f"-{time.time():.0f}")]),
    "timestamp twice": lambda: signed([*common("7"), ("timestamp", str(int(time.time())))]),
    "another shop": lambda: signed(common("7", shop="other.example")),
    "no shop": lambda: signed(common("7")[1:]),
    "customer twice": lambda: signed([*common("7"), ("logged_in_customer_id", "8")]),
    "customer that is none": lambda: signed(common("a/../b")),
    "customer too long": lambda: signed(common("7" * 65)),
    "bytes that are no text": lambda: signed(common("7")) + "&x=%ff",
    "encoded name": lambda: signed(common("7")) + "&%73ignature=x",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_query_is_401(front, name):
    """The platform's signed query: every request needs a valid one; else 401, nothing forwarded."""
    browser = front.browser()
    with nothing_forwarded(front.api):
        for answer in (
            browser.get(f"/items?{WRONG[name]()}"),
            browser.post(f"/items?{WRONG[name]()}", json={"productId": 1}),
        ):
            envelope(answer, 401)
            assert "Set-Cookie" not in answer.headers


def test_customer_that_is_cut_out_of_a_value_is_401(front):
    """The platform's signed query: what was signed for nobody can't be read as a customer's."""
    moment = str(int(time.time()))
    honest = [("aa", "1logged_in_customer_id=7path_prefix=x"), ("logged_in_customer_id", ""),
              ("shop", SHOP), ("timestamp", moment)]  # fmt: skip
    right = parse_qs(signed(honest))["signature"][0]
    # The same text, cut elsewhere: the empty customer now belongs to another parameter's value.
    forged = [("aa", "1"), ("logged_in_customer_id", "7"),
              ("path_prefix", "xlogged_in_customer_id="), ("shop", SHOP),
              ("timestamp", moment)]  # fmt: skip
    assert parse_qs(signed(forged))["signature"] == [right]
    victim = front.shop.customer("7")
    victim.http.post("/items", json={"productId": 1})
    with nothing_forwarded(front.api):
        for pairs in (forged, honest):
            envelope(front.browser().get(f"/items?{signed(pairs)}"), 401)
    named = [*common(), ("query", "logged_in_customer_id")]  # the name alone is no parameter
    assert front.browser().get(f"/items?{signed(named)}").status_code == 200


def test_within_its_time(front):
    """The platform's signed query: up to 300 s old, and 60 s ahead."""
    for age in (290, -50):
        assert front.browser().get(f"/items?{signed(common('7', age=age))}").status_code == 200


def test_assets_need_it_and_livez_does_not(front):
    """The platform's signed query: assets too; livez is asked by machines that can't sign."""
    http = front.browser().http
    place = f"{front.proxy.url}{BASE}"
    assert http.get(f"{place}/assets/wishwell.js").status_code == 401
    assert http.get(f"{place}/assets/wishwell.js?{signed(common())}").status_code in (302, 404)
    assert http.get(f"{place}/livez").status_code == 200


def test_without_the_setting_its_names_are_nothing_special(new_front):
    """The platform's signed query: without the secret the names of it mean nothing."""
    front = new_front()
    victim = front.shop.customer("7")
    victim.http.post("/items", json={"productId": 1})
    answer = front.browser().get(f"/items?{signed(common('7'))}")
    assert answer.json() == {"data": []}
