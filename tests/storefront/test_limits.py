"""How many sessions one address may begin, how much nobody may read, and whose address counts."""

import pytest

from tests.api.conftest import fresh_window

from .conftest import Browser, envelope, nobodys, nothing_done, set_cookies, shop_jwt
from .way import direct


@pytest.fixture(autouse=True)
def within_a_minute():
    """The minutes of the limits are the clock's."""
    fresh_window(5)


own_word = direct("a way says by itself whose address it is, and believes nobody")


def begins(front, *addresses: str) -> list[int]:
    """The statuses of first saves, each of a browser of its own, at these addresses."""
    return [saved(Browser(front, {}, sender=address)) for address in addresses]


def told(front, *addresses: str) -> list[int]:
    """The same from one sender, who forwards these addresses."""
    return [saved(front.browser(X_Forwarded_For=address)) for address in addresses]


def saved(browser: Browser) -> int:
    return browser.post("/items", json={"productId": 1}).status_code


def test_one_address_begins_so_many_sessions(proxied):
    """contract: storefront-limits. Visitors and customers count for themselves."""
    address = "127.0.3.1"
    visitor = Browser(proxied, {}, sender=address)
    visitor.save(1)
    assert begins(proxied, address) == [201]
    with nothing_done(proxied):
        answer = Browser(proxied, {}, sender=address).post("/items", json={"productId": 1})
    assert "this address" in envelope(answer, 429)
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert set_cookies(answer) == []
    for product in range(2, 6):
        visitor.save(product)
    assert Browser(proxied, {"X-Shop-Token": shop_jwt()}, sender=address).save(1)
    assert begins(proxied, "127.0.3.2") == [201]


def test_nobody_reads_so_much_from_one_address(proxied):
    """contract: storefront-limits. Reads of nobody are counted by themselves; others go on."""
    nobody = Browser(proxied, {}, sender="127.0.3.20")
    for left in (4, 3, 2, 1, 0):
        answer = nobody.get("/items")
        assert nobodys(answer)
        assert answer.headers["X-RateLimit-Limit"] == "5"
        assert answer.headers["X-RateLimit-Remaining"] == str(left)
    refused = nobody.get("/lists/x")
    envelope(refused, 429)
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert nobodys(Browser(proxied, {}, sender="127.0.3.21").get("/items"))
    nobody.save(1)
    for _ in range(6):
        assert nobody.products() == [1]


PORTS = {
    # What a trusted proxy says of shoppers at one address, of whom two may begin.
    "IPv4": ["203.0.113.40:1", "203.0.113.40:65535", "10.0.0.1, 203.0.113.40, 10.1.2.3:443"],
    "IPv6": ["[2001:db8:0:9::1]:80", "[2001:db8:0:9::2]", "2001:db8:0:9::3"],
}


@own_word
def test_address_that_a_trusted_proxy_names(proxied):
    """contract: storefront-address, limit-address-source. As of the API; without a port."""
    for said in PORTS.values():
        assert told(proxied, *said) == [201, 201, 429]
    assert told(proxied, "2001:db8:0:8::1", "203.0.113.41") == [201, 201]


@own_word
def test_address_that_a_proxy_with_a_token_names(proxied):
    """contract: storefront-address, storefront-limits. The last one, whoever it is."""
    token = f"Bearer {proxied.proxys_token()}"

    def begin(said: str) -> int:
        headers = {"Authorization": token, "X-Forwarded-For": said}
        return saved(Browser(proxied, headers, sender="127.0.0.5"))

    assert [begin(f"203.0.113.{n}, 198.51.100.2") for n in range(3)] == [201, 201, 429]
    assert [begin(f"198.51.100.3, 203.0.113.{n}") for n in range(100, 103)] == [201] * 3


def test_sender_that_is_no_proxy_counts_by_itself(proxied):
    """contract: storefront-address. What somebody else forwards is not believed."""

    def begin(said: str) -> int:
        return saved(Browser(proxied, {"X-Forwarded-For": said}, sender="127.0.0.8"))

    assert [begin(f"203.0.113.{n}") for n in (31, 32, 33)] == [201, 201, 429]


@direct("a way always knows the address")
def test_address_that_is_not_known_is_not_bounded(front):
    """contract: storefront-address. All shoppers may come through that sender."""
    assert told(front, *["203.0.113.6"] * 4) == [201] * 4
    for _ in range(4):
        assert nobodys(front.browser(X_Forwarded_For="203.0.113.6").get("/items"))


@own_word
@pytest.mark.parametrize(
    "said", [None, "", ", ,", "unknown", "203.0.113.7:", "10.1.2.3", "x, 10.1.2.3"]
)
def test_trusted_proxy_that_names_nobody_is_not_bounded(proxied, said):
    """contract: storefront-address. Its own address would be that of all shoppers."""
    headers = {} if said is None else {"X-Forwarded-For": said}
    for _ in range(4):
        answer = proxied.browser(**headers).post("/items", json={"productId": 1})
        assert answer.status_code == 201
