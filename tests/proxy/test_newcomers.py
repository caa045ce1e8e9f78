"""docs/proxy.md, Who is shopping: how many sessions one address may begin."""

import socket

import pytest

from tests.conftest import Shop
from tests.servers import HERE

from .conftest import JWT_KEY, ROOMY, Front, envelope, nothing_forwarded, set_cookies


def begins(front, *addresses: str) -> list[int]:
    """The statuses of first saves, each of a browser of its own, from these forwarded addresses."""
    return [
        front.browser(X_Forwarded_For=address).post("/items", json={"productId": 1}).status_code
        for address in addresses
    ]


@pytest.fixture(scope="module")
def bounded(api, start_proxy):
    shop = Shop(api, *ROOMY)
    more = {"JWT_KEY": JWT_KEY, "JWT_HEADER": "X-Shop-Token"}
    more |= {"NEW_SESSIONS": "2", "TRUSTED": "127.0.0.1, 10.0.0.0/8"}
    return Front(start_proxy(api, shop.admin_token, **more), shop, api)


def test_one_address_begins_so_many_sessions(bounded):
    """The third is 429 with Retry-After and the envelope, and the API is asked nothing."""
    address = "203.0.113.1"
    assert begins(bounded, address, address) == [201, 201]
    with nothing_forwarded(bounded.api):
        answer = bounded.browser(X_Forwarded_For=address).post("/items", json={"productId": 1})
    assert "this address" in envelope(answer, 429)
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert set_cookies(answer) == []
    assert begins(bounded, "203.0.113.2") == [201]


def test_who_has_a_wishlist_is_not_bounded(bounded):
    address = "203.0.113.3"
    visitor = bounded.browser(X_Forwarded_For=address)
    for product in range(1, 6):
        visitor.save(product)
    assert begins(bounded, address, address) == [201, 429]
    customer = bounded.signed_in(X_Forwarded_For=address)
    assert customer.save(1)


def test_address_is_the_last_that_is_no_proxy_of_ours(bounded):
    """What a browser writes in front of it is not believed."""
    said = [f"198.51.100.{n}, 203.0.113.4" for n in range(2)]
    assert begins(bounded, *said, "203.0.113.4, 10.1.2.3") == [201, 201, 429]
    assert begins(bounded, "203.0.113.4, ,", "unknown,203.0.113.4,") == [429, 429]


def test_lines_of_several_proxies_are_one_list(bounded):
    """HAProxy adds a line of its own instead of writing behind the one that is there."""

    def begin(*lines: str) -> int:
        body = b'{"productId":1}'
        head = [f"POST {bounded.proxy.base}/api/items HTTP/1.1", "Host: shop.example"]
        head += ["Sec-Fetch-Site: same-origin", "Content-Type: application/json"]
        head += [f"X-Forwarded-For: {line}" for line in lines]
        head += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
        with socket.create_connection((HERE, bounded.proxy.port), 5) as connection:
            connection.sendall("\r\n".join(head).encode() + body)
            return int(connection.makefile("rb").readline().split()[1])

    lines = "203.0.113.8", "10.1.2.3"
    assert [begin(*lines) for _ in range(3)] == [201, 201, 429]
    assert begin("203.0.113.8", "203.0.113.9") == 201


def test_network_of_ipv6_is_one_address(bounded):
    same = ["2001:db8:0:7::1", "2001:DB8:0:7:ffff::2%x", "2001:db8:0:7:1:2:3:4"]
    assert begins(bounded, *same) == [201, 201, 429]
    assert begins(bounded, "2001:db8:0:8::1") == [201]
    assert begins(bounded, "::ffff:203.0.113.5", "203.0.113.5", "203.0.113.5") == [201, 201, 429]
    written = "0:0:0:0:0:FFFF:203.0.113.5", "::ffff:cb00:7105"
    assert begins(bounded, *written) == [429, 429]
    assert begins(bounded, "::ffff:1", "::ffff:cb00:7106") == [201, 201]


def test_zeros_within_an_address_of_ipv6_are_counted_as_they_stand(bounded):
    """A :: may stand within the first half, and more groups of it behind that."""
    assert begins(bounded, *["2a02:0:0:5:1:2:3:4", "2a02:0:0:5::9", "2a02::5:1:0:0:1"]) == [
        201,
        201,
        429,
    ]
    assert begins(bounded, "2a02:0:0:6:1:2:3:4", "2a02:0:0:7:1:2:3:4") == [201, 201]


@pytest.mark.parametrize(
    "settings",
    [{"NEW_SESSIONS": "0", "TRUSTED": "127.0.0.1"}, {"NEW_SESSIONS": "2"}],
    ids=["no bound", "nobody named"],
)
def test_address_that_is_not_known_is_not_bounded(new_front, settings):
    """Without trusted proxies named, the sender may be one that all shoppers come through."""
    assert begins(new_front(**settings), *["203.0.113.6"] * 4) == [201] * 4


@pytest.mark.parametrize(
    "said", [None, "", ", ,", "unknown", "203.0.113.7:4711", "10.1.2.3", "x, 10.1.2.3"]
)
def test_trusted_proxy_that_names_nobody_is_not_bounded(bounded, said):
    """Its own address would be that of all shoppers."""
    headers = {} if said is None else {"X-Forwarded-For": said}
    for _ in range(4):
        answer = bounded.browser(**headers).post("/items", json={"productId": 1})
        assert answer.status_code == 201
