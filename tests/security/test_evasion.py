"""Rate limits that somebody tries to get round: by tokens, addresses, spellings and connections."""

from __future__ import annotations

import base64
import json
import secrets
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.api.conftest import data, fresh_window, over_the_wire, refused, request_head
from wishwell.access.auth import new_admin_token

LIMIT = 5


# What they share is started once: one process of the suite runs them.
pytestmark = [pytest.mark.xdist_group("evasion"), pytest.mark.either_engine]


@pytest.fixture(scope="module")
def strict(new_service):
    """A service that takes 5 requests a minute of an address without a good token."""
    return new_service(WISHWELL_LIMIT_ADDRESS=str(LIMIT)).start()


@pytest.fixture(scope="module")
def proxied(new_service):
    """The same behind a trusted proxy, which is this machine."""
    return new_service(
        WISHWELL_LIMIT_ADDRESS=str(LIMIT), WISHWELL_TRUSTED_PROXIES="127.0.0.1"
    ).start()


def ask(
    service, *lines: str, path: str = "/items", method: str = "GET", source: str = "127.0.0.1"
) -> int:
    """The status of a request without a body, from an address of the loopback."""
    head = request_head(method, path, None, *lines, "Connection: close")
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 10, (source, 0)) as connection:
        connection.sendall(head)
        return int(connection.recv(64).split(b" ")[1])


def fakes(store: str) -> list[str]:
    """Authenticator that are none, each made another way; all of them new each time."""
    claims = {"sub": "gid://shopify/Customer/1", "aud": store, "jti": store, "iat": 1, "exp": 2}
    part = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return [
        new_admin_token(),  # well-formed: its checksum holds
        new_admin_token()[:-1] + "!",
        f"{part}.{part}.{secrets.token_urlsafe(32)}",
        secrets.token_hex(20),
        "x" * 5_000,
        "\u00ff" * 10,
    ]


def test_new_token_for_each_guess_is_no_new_caller(strict, shop):
    """Well-formed, forged, garbage: they all count for the address that they come from."""
    fresh_window()
    got = [
        ask(strict, f"Authorization: Bearer {token}", source="127.0.1.1")
        for token in fakes(shop.id) * 2
    ]
    assert got == [401] * LIMIT + [429] * (len(got) - LIMIT)


FORWARDING = [
    "X-Forwarded-For: 203.0.113.{n}",
    "X-Forwarded-For: 203.0.113.{n}\r\nX-Forwarded-For: 198.51.100.{n}",
    "Forwarded: for=203.0.113.{n}",
    "X-Real-IP: 203.0.113.{n}",
    "X-Client-IP: 203.0.113.{n}",
    "True-Client-IP: 203.0.113.{n}",
    "CF-Connecting-IP: 203.0.113.{n}",
    "X-Originating-IP: 203.0.113.{n}",
    "X-Forwarded-Host: {n}.example",
    "Via: 1.1 203.0.113.{n}",
    "Proxy-Client-IP: 203.0.113.{n}",
]


def test_forwarding_header_of_any_name_is_no_new_address(strict):
    """From nobody that is trusted, none of them counts."""
    fresh_window(8)
    here = {"source": "127.0.1.2"}
    spent = [ask(strict, **here) for _ in range(LIMIT + 1)]
    assert spent[-1] == 429
    got = {line: ask(strict, line.format(n=7), **here) for line in FORWARDING}
    assert {line: status for line, status in got.items() if status != 429} == {}


def test_behind_a_proxy_only_what_it_says_counts(proxied):
    """Made-up hops in front, zones, spellings of one address, other headers: one caller."""
    fresh_window(8)
    real = "2001:db8:5::"
    spellings = [
        real,
        "2001:0db8:0005:0000:0000:0000:0000:0000",
        "2001:DB8:5::",
        "2001:db8:5::%eth0",
        "2001:db8:5::%" + "z" * 50,
        "2001:db8:5:0:ffff::1",
        f"198.51.100.7, {real}",
        f"{real}, 127.0.0.1",
        f"{real},127.0.0.1, 127.0.0.1",
    ]
    got = [ask(proxied, f"X-Forwarded-For: {text}") for text in spellings]
    assert got == [401] * LIMIT + [429] * (len(spellings) - LIMIT)
    for line in FORWARDING[2:]:
        assert ask(proxied, line.format(n=9), f"X-Forwarded-For: {real}") == 429, line
    # A proxy that adds a line of its own adds it last.
    assert ask(proxied, "X-Forwarded-For: 198.51.100.8", f"X-Forwarded-For: {real}") == 429
    mapped = ["203.0.113.77", "::ffff:203.0.113.77", "::ffff:cb00:714d"] * 2
    got = [ask(proxied, f"X-Forwarded-For: {text}") for text in mapped]
    assert got == [401] * LIMIT + [429]


def test_forwarding_header_in_a_trailer_is_no_address(proxied):
    """A proxy that passes trailers on has not judged them."""
    fresh_window()
    got = []
    for n in range(LIMIT + 1):
        head = request_head(
            "POST", "/items", None, "X-Forwarded-For: 203.0.113.99", "Connection: close",
            "Transfer-Encoding: chunked",
        )  # fmt: skip
        end = f"2\r\n{{}}\r\n0\r\nX-Forwarded-For: 198.51.100.{n}\r\n\r\n".encode()
        got.append(over_the_wire(proxied, head + end).status)
    assert got == [401] * LIMIT + [429]


def test_other_spelling_of_a_path_or_method_is_no_other_limit(strict):
    """Without a good token there is one limit an address, whatever is asked for and how."""
    fresh_window()
    asked = [
        ("GET", "/items"), ("HEAD", "/items"), ("POST", "/items"), ("OPTIONS", "/items"),
        ("GET", "/%69tems"), ("GET", "/items/"), ("GET", "//items"), ("GET", "/ITEMS"),
        ("GET", "/items?x=1"), ("GET", "/none"), ("PURGE", "/items"), ("GET", "/../2025-04/items"),
    ]  # fmt: skip
    got = [ask(strict, path=path, method=method, source="127.0.1.3") for method, path in asked]
    assert 429 not in got[:LIMIT] and set(got[LIMIT:]) == {429}


def test_many_connections_at_once_share_one_limit(strict, make_shop):
    """40 connections, opened first and then let go together: no more through than one would get."""
    fresh_window(8)
    shop = make_shop("--limit", "profile_read=7")
    member = shop.customer("1")
    gate = threading.Barrier(40)

    def one(_: int, service=strict, line: str = "X-A: b") -> int:
        gate.wait(10)
        return ask(service, line, source="127.0.1.4")

    with ThreadPoolExecutor(40) as pool:
        got = list(pool.map(one, range(40)))
        assert sorted(got) == [401] * LIMIT + [429] * (40 - LIMIT)
        bearer = f"Authorization: Bearer {member.token}"
        got = list(pool.map(lambda n: one(n, shop.service, bearer), range(40)))
    assert sorted(got) == [200] * 7 + [429] * 33


def test_many_tokens_of_one_profile_share_its_limit(make_shop):
    """A token for each request, of one profile: it is the profile that counts."""
    fresh_window(8)
    shop = make_shop("--limit", "profile_read=4")
    tokens = [shop.customer("1").token for _ in range(6)]
    got = [ask(shop.service, f"Authorization: Bearer {token}") for token in tokens]
    assert got == [200] * 4 + [429] * 2


def test_visitor_can_make_no_callers(shop):
    """New profiles, each with limits of its own, are an admin token's to make."""
    member = shop.session()
    refused(member.http.post("/profiles/token"), 403)
    refused(member.http.post("/profiles/token", json={"session": member.gid}), 403)
    refused(member.http.get("/items", headers={"Profile": shop.gid()}), 403)


def test_guesses_past_the_limit_do_not_stop_those_with_a_token(strict):
    """An address that guesses is shut out; a shop server on the same address is not."""
    fresh_window()
    admin = strict.client(strict.admin_token())
    got = [
        ask(strict, f"Authorization: Bearer {new_admin_token()}", source="127.0.0.1")
        for _ in range(20)
    ]
    assert got[-1] == 429
    data(admin.get("/items"))
