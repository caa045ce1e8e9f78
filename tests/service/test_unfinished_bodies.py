"""Bodies that never end: they are counted before they are read, and share a limited memory."""

from __future__ import annotations

import contextlib
import json
import socket

import pytest

from tests.api.conftest import connect, in_one_window
from tests.servers import PREFIX, Service, wait_until
from wishwell.errors import BodyTimeout
from wishwell.http.server.body_reader import BodyMemory, BodyReader

from .test_shares import value

pytestmark = pytest.mark.xdist_group("unfinished")

ITEMS, EXCHANGE = f"{PREFIX}/items", "/apps/wishlist/api/visitor/token"
MEMORY_MIB, PIECE, COUNT = 4, 250_000, 24
LIMIT = 3


@pytest.fixture(scope="module")
def small():
    """A service with little memory for bodies, and low limits on the storefront."""
    settings = {"BODY_MEMORY": str(MEMORY_MIB), "LIMIT_VISITOR_READ": str(LIMIT)}
    settings |= {"TRUSTED_PROXIES": "127.0.0.1"}
    with Service({f"WISHWELL_{name}": text for name, text in settings.items()}) as service:
        limit = ("--limit", f"profile_write={LIMIT}")
        service.cli("store", "update", "default", "--host", "https://shop.example", *limit)
        yield service


def start(service: Service, path: str, body: bytes, size: int, *lines: str, source: str):
    """Sends the head of a request and the beginning of its body, of ``size`` bytes in all."""
    head = [f"POST {path} HTTP/1.1", "Host: shop.example", "Content-Type: application/json"]
    head += [f"Content-Length: {size}", "Sec-Fetch-Site: same-origin", *lines]
    connection = connect(service, source=source)
    connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
    return connection


def status(connection: socket.socket, seconds: float = 30) -> int:
    """Returns the status of the response, or 0 if there is none yet."""
    connection.settimeout(seconds)
    with contextlib.suppress(TimeoutError):
        return int(connection.recv(65536).split()[1])
    return 0


def test_unfinished_bodies_of_the_address_with_the_most_are_ended_at_the_limit(small):
    """If unfinished bodies exceed the limit, those of the address with the most are answered 408 and closed, and a
    smaller body of another address that began before arrives. Rules: request-limits, slow-clients."""
    body = json.dumps({"productId": 1}).encode()
    admin = f"Authorization: Bearer {small.admin_token()}"
    lines = admin, "Profile: gid://shopify/Customer/1"
    with contextlib.ExitStack() as stack:
        quiet = start(small, ITEMS, body[:5], len(body), *lines, source="127.0.0.3")
        stack.enter_context(quiet)
        greedy = [
            stack.enter_context(
                start(small, ITEMS, b"x" * PIECE, PIECE + 1, *lines, source="127.0.0.2")
            )
            for _ in range(COUNT)
        ]
        ended = COUNT - MEMORY_MIB * 2**20 // PIECE
        name = "wishwell_ended_bodies_total"
        assert wait_until(lambda: value(small, name) == ended, seconds=30)
        statuses = [status(connection, 0.05) for connection in greedy]
        assert sorted(statuses) == [0] * (COUNT - ended) + [408] * ended
        with contextlib.suppress(ConnectionResetError):  # the rest of the body wasn't read
            assert greedy[statuses.index(408)].recv(1) == b""
        quiet.sendall(body[5:])
        assert status(quiet) == 201
        assert value(small, name) == ended


def test_memory_limit_ends_the_oldest_body_of_the_largest_sender():
    """The oldest body of the sender with the most bytes ends, even if a larger one is another's. An ended body frees
    its part. Rule: request-limits."""
    memory, bodies = BodyMemory(100), []

    def add(sender: str, size: int) -> BodyReader:
        bodies.append(BodyReader(None))
        bodies[-1].add(bytes(size))
        bodies[-1].share(memory, lambda: sender)
        return bodies[-1]

    single = add("a", 40)
    first, second, third = add("b", 20), add("b", 20), add("b", 20)
    newcomer = add("c", 1)
    assert isinstance(first.error, BodyTimeout)
    assert [body.ended for body in bodies] == [False, True, False, False, False]
    second.end()
    third.discard()
    add("c", 58)
    assert not single.ended and not newcomer.ended
    add("c", 2)
    assert newcomer.ended and not single.ended


@pytest.mark.parametrize("who", ["nobody", "visitor's key", "customer"])
@in_one_window
def test_storefront_change_is_counted_before_its_body_is_read(small, who):
    """On the storefront a change counts for the shopper, or for the known address of a visitor without a session, before
    its body has arrived: over the limit the response is 429. Rules: limit-address, limit-caller."""
    path = EXCHANGE if who == "visitor's key" else "/apps/wishlist/api/items"
    lines = [f"X-Forwarded-For: 203.0.113.{len(who)}", "X-Forwarded-Host: shop.example"]
    if who == "customer":
        words = ("--store", "default", "--label", "x", "--for", "storefront", "--names-customers")
        proxy = small.quick("token", "create", *words).strip()
        lines += [f"Authorization: Bearer {proxy}", "Wishwell-Customer: 5"]
    with contextlib.ExitStack() as stack:
        waiting = []
        for _ in range(LIMIT):
            connection = start(small, path, b"{", 100, *lines, source="127.0.0.1")
            waiting.append(stack.enter_context(connection))
        assert [status(connection, 0.2) for connection in waiting] == [0] * LIMIT
        last = stack.enter_context(start(small, path, b"{", 100, *lines, source="127.0.0.1"))
        assert status(last) == 429
