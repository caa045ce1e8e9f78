"""Rate limits per address for new sessions and anonymous reads, and which address counts."""

import pytest

from tests.api.conftest import in_one_window

from .conftest import Browser, envelope, nobodys, nothing_done, set_cookies, shop_jwt
from .way import direct

own_word = direct("a way says by itself whose address it is, and believes nobody")


def begins(front, *addresses: str) -> list[int]:
    """Returns the statuses of first saves by new browsers at these addresses."""
    return [saved(Browser(front, {}, sender=address)) for address in addresses]


def statuses_behind_proxy(front, *addresses: str) -> list[int]:
    """Returns the same for new browsers behind one proxy that forwards these addresses."""
    return [saved(front.browser(X_Forwarded_For=address)) for address in addresses]


def saved(browser: Browser) -> int:
    return browser.post("/items", json={"productId": 1}).status_code


@in_one_window
def test_one_address_can_start_a_limited_number_of_sessions(proxied):
    """An address may start a limited number of sessions; existing visitors and customers aren't
    affected.
    Rule: limit-address."""
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


@in_one_window
def test_anonymous_reads_are_limited_per_address(proxied):
    """Anonymous reads are limited per address; other callers aren't affected.
    Rule: limit-address."""
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
    # `X-Forwarded-For` values of three shoppers at one address, two of whom may start a session.
    "IPv4": ["203.0.113.40:1", "203.0.113.40:65535", "10.0.0.1, 203.0.113.40, 10.1.2.3:443"],
    "IPv6": ["[2001:db8:0:9::1]:80", "[2001:db8:0:9::2]", "2001:db8:0:9::3"],
}


@own_word
@in_one_window
def test_address_in_a_trusted_proxys_forwarded_for_header_counts(proxied):
    """A trusted proxy's `X-Forwarded-For` counts as for the API; ports are ignored.
    Rule: limit-address."""
    for said in PORTS.values():
        assert statuses_behind_proxy(proxied, *said) == [201, 201, 429]
    assert statuses_behind_proxy(proxied, "2001:db8:0:8::1", "203.0.113.41") == [201, 201]


@own_word
@in_one_window
def test_last_forwarded_address_counts_with_a_proxys_token(proxied):
    """With a proxy's token the last address counts, even a proxy's.
    Rule: limit-address."""
    token = f"Bearer {proxied.proxys_token()}"

    def begin(said: str) -> int:
        headers = {"Authorization": token, "X-Forwarded-For": said}
        return saved(Browser(proxied, headers, sender="127.0.0.5"))

    assert [begin(f"203.0.113.{n}, 198.51.100.2") for n in range(3)] == [201, 201, 429]
    assert [begin(f"198.51.100.3, 203.0.113.{n}") for n in range(100, 103)] == [201] * 3


@direct("a way always knows the address")
def test_unknown_address_is_not_limited(front):
    """An unknown address has no limit, because all shoppers may share that sender.
    Rule: limit-address."""
    assert statuses_behind_proxy(front, *["203.0.113.6"] * 4) == [201] * 4
    for _ in range(4):
        assert nobodys(front.browser(X_Forwarded_For="203.0.113.6").get("/items"))


@own_word
@pytest.mark.parametrize(
    "said", [None, "", ", ,", "unknown", "203.0.113.7:", "10.1.2.3", "x, 10.1.2.3"]
)
def test_trusted_proxy_that_names_no_address_is_not_limited(proxied, said):
    """A trusted proxy that names no address isn't limited, because all shoppers would share its
    address. Rule: limit-address."""
    headers = {} if said is None else {"X-Forwarded-For": said}
    for _ in range(4):
        answer = proxied.browser(**headers).post("/items", json={"productId": 1})
        assert answer.status_code == 201
