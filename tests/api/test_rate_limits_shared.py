"""Rate limits by address, behind proxies, and shared between processes through Redis."""

import base64
import itertools
import json
import secrets
from datetime import timedelta

import pytest

from tests.servers import RedisServer, wait_until
from wishwell.access.auth import new_admin_token

from .conftest import (
    connect,
    data,
    in_one_window,
    over_the_wire,
    printed_until,
    refused,
    request_head,
)

# xdist runs the group in one process, so the shared services start once.
pytestmark = pytest.mark.xdist_group("limits")

LIMIT = 5


@pytest.fixture(scope="module")
def strict(new_service):
    """A service that allows an address 5 requests a minute without a valid token."""
    return new_service(WISHWELL_LIMIT_ADDRESS=str(LIMIT)).start()


@pytest.fixture(scope="module")
def behind_proxy(new_service):
    """The same, with trusted proxies that include this machine."""
    proxies = "127.0.0.0/8,10.0.0.0/8"
    settings = {"WISHWELL_LIMIT_ADDRESS": str(LIMIT), "WISHWELL_TRUSTED_PROXIES": proxies}
    return new_service(**settings).start()


def ask(
    service, *lines: str, path: str = "/items", method: str = "GET", source: str = "127.0.0.1"
) -> int:
    """Sends a request without a body from a loopback address; returns the status."""
    head = request_head(method, path, None, *lines, "Connection: close")
    with connect(service, 10, source) as connection:
        connection.sendall(head)
        return int(connection.recv(64).split(b" ")[1])


def fakes(store: str) -> list[str]:
    """Returns invalid tokens, each of another kind; all are new on every call."""
    claims = {"sub": "gid://shopify/Customer/1", "aud": store, "jti": store, "iat": 1, "exp": 2}
    part = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return [
        new_admin_token(),  # well-formed, with a correct checksum
        new_admin_token()[:-1] + "!",
        f"{part}.{part}.{secrets.token_urlsafe(32)}",
        secrets.token_hex(20),
        "x" * 5_000,
        "\u00ff" * 10,
    ]


FORWARDING = [
    "X-Forwarded-For: 203.0.113.{n}",
    *(
        "X-Real-IP: 203.0.113.{n}",
        "CF-Connecting-IP: 203.0.113.{n}",
        "Forwarded: for=203.0.113.{n}",
    ),
]


@in_one_window
def test_requests_without_a_token_count_per_address(strict):
    """Requests without a valid token count per address; valid tokens aren't affected, and
    forwarding headers of untrusted senders are ignored.
    Rules: limit-address, limit-window."""
    head = request_head("GET", "/.well-known/openapi", None, "Connection: close")
    assert over_the_wire(strict, head).headers["x-ratelimit-remaining"] == str(LIMIT - 1)
    assert [ask(strict) for _ in range(LIMIT)] == [401] * (LIMIT - 1) + [429]
    answer = strict.client("guess").get("/items")
    refused(answer, 429, f"without a valid token from this address: at most {LIMIT} per minute")
    assert answer.headers["X-RateLimit-Limit"] == str(LIMIT)
    assert int(answer.headers["Retry-After"]) >= 1
    got = {line: ask(strict, line.format(n=7)) for line in FORWARDING}
    assert {line: status for line, status in got.items() if status != 429} == {}
    assert ask(strict, source="127.0.0.12") == 401
    for _ in range(LIMIT):
        data(strict.client(strict.admin_token()).get("/items"))


@in_one_window
def test_guesses_with_different_tokens_paths_and_methods_share_one_limit(strict, shop):
    """Different tokens, paths and methods don't give a guesser a new counter.
    Rule: limit-address."""
    tokens = [f"Authorization: Bearer {token}" for token in fakes(shop.id)]
    got = [ask(strict, line, source="127.0.1.1") for line in tokens]
    assert got == [401] * LIMIT + [429]
    for path in ("/%69tems", "/items/", "//items", "/items?x=1", "/none"):
        assert ask(strict, path=path, source="127.0.1.1") == 429, path
    for method in ("HEAD", "OPTIONS", "PURGE"):
        assert ask(strict, method=method, source="127.0.1.1") == 429, method


@in_one_window
def test_client_address_is_the_one_that_the_trusted_proxy_reports(behind_proxy):
    """Behind a proxy, the client address is the rightmost untrusted one in `X-Forwarded-For`.
    Forged hops, zones, spellings and trailers don't change it; garbage does no harm.
    Rule: limit-address."""
    real = "2001:db8:5::"
    spellings = [real, "2001:DB8:0005::0", "2001:db8:5::%eth0", "2001:db8:5:0:ffff::1"]
    spellings += [f"198.51.100.7, {real}", f"{real},127.0.0.1, 10.0.0.7", f"{real}, ,"]
    got = [ask(behind_proxy, f"X-Forwarded-For: {text}") for text in spellings]
    assert got == [401] * LIMIT + [429] * (len(spellings) - LIMIT)
    assert ask(behind_proxy, "X-Forwarded-For: 203.0.113.1") == 401
    for line in FORWARDING[1:]:
        assert ask(behind_proxy, line.format(n=9), f"X-Forwarded-For: {real}") == 429, line
    lines = (f"X-Forwarded-For: {real}", "Connection: close", "Transfer-Encoding: chunked")
    head = request_head("POST", "/items", None, *lines)
    trailer = b"2\r\n{}\r\n0\r\nX-Forwarded-For: 198.51.100.9\r\n\r\n"
    assert over_the_wire(behind_proxy, head + trailer).status == 429
    for garbage in ("", "unknown", "1.2.3", "999.1.1.1", ",,,", "::ffff:", "\u00e9", "x" * 5000):
        assert ask(behind_proxy, f"X-Forwarded-For: {garbage}") in (401, 429), garbage
    # A proxy that adds another header line adds it last.
    assert ask(behind_proxy, "X-Forwarded-For: 198.51.100.8", f"X-Forwarded-For: {real}") == 429
    mapped = ["203.0.113.77", "::ffff:203.0.113.77", "::ffff:cb00:714d"] * 2
    got = [ask(behind_proxy, f"X-Forwarded-For: {text}") for text in mapped]
    assert got == [401] * LIMIT + [429]


@pytest.fixture(scope="module")
def shared(new_service, redis_server):
    """Two services that share a database and a Redis of their own."""
    with RedisServer() as redis:
        first = new_service(WISHWELL_REDIS_URL=redis.url).start()
        with first.beside() as second:
            yield redis, first, second


def customer_of(first, handle: str, limit: int) -> str:
    first.quick("store", "create", handle, "--limit", f"profile_read={limit}")
    admin = first.client(first.admin_token(handle))
    body = {"customer": "gid://shopify/Customer/1"}
    return data(admin.post("/profiles/token", json=body), 201)["token"]


def test_limits_are_shared_through_redis_and_local_while_it_is_unreachable(shared):
    """Processes count together through Redis, alone while it is unreachable, and log the change.
    Rule: limit-shared."""
    redis, first, second = shared
    handles = (f"shared-{attempt}" for attempt in itertools.count())

    @in_one_window
    def counts_together() -> bool:
        """Returns `False` if Redis may have been late, because a process counts alone then."""
        token = customer_of(first, next(handles), 6)
        here, there = first.client(token), second.client(token)
        turns = [http.get("/items") for _ in range(3) for http in (here, there)]
        late = [http.get("/items") for http in (here, there)]
        if max(answer.elapsed.total_seconds() for answer in (*turns, *late)) >= 0.2:
            return False
        left = [int(answer.headers["X-RateLimit-Remaining"]) for answer in turns]
        assert [answer.status_code for answer in turns] == [200] * 6
        assert left == [5, 4, 3, 2, 1, 0]
        for answer in late:
            refused(answer, 429)
        return True

    assert wait_until(counts_together, seconds=120)

    token = customer_of(first, "alone", 500)
    here, there = first.client(token), second.client(token)
    data(here.get("/items")), data(there.get("/items"))
    usual = sorted(answer.elapsed for answer in (http.get("/items") for http in (here, there) * 10))
    redis.kill()
    answers = [http.get("/items") for http in (here, there) * 10]
    for answer in answers:
        data(answer)
        assert int(answer.headers["X-RateLimit-Limit"]) == 500
    # Compared with the time before, because a request takes longer on a busy machine.
    took = sorted(answer.elapsed for answer in answers)
    assert took[10] < 3 * usual[10] + timedelta(seconds=0.5), "a dead Redis holds nobody up"
    for service in (first, second):
        assert "redis_away" in printed_until(service, service.client(token).get("/items"))
