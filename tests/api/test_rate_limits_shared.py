"""Limits by address, behind proxies, and shared between processes by Redis."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from redis import Redis

from tests.conftest import ODD_CLOCK
from tests.servers import PREFIX, RedisServer, Service

from .conftest import RATE_HEADERS, data, fresh_window, printed_until, refused, soon

# What they share is started once: one process of the suite runs them.
pytestmark = [pytest.mark.xdist_group("limits"), pytest.mark.either_engine]


@pytest.fixture(scope="module")
def strict(new_service):
    """A service that allows 3 requests without a token a minute, and trusts no proxy."""
    return new_service(WISHWELL_LIMIT_ADDRESS="3").start()


@pytest.fixture(scope="module")
def behind_proxy(new_service):
    """The same behind a proxy on the loopback."""
    return new_service(
        WISHWELL_LIMIT_ADDRESS="3", WISHWELL_TRUSTED_PROXIES="127.0.0.0/8,10.0.0.0/8"
    ).start()


def from_address(service, address: str, **headers: str) -> httpx2.Client:
    """A client that calls from this address of the loopback."""
    transport = httpx2.HTTPTransport(local_address=address)
    return httpx2.Client(
        base_url=f"{service.url}{PREFIX}", headers=headers, transport=transport, trust_env=False
    )


def statuses(http: httpx2.Client, count: int, forwarded: str | None = None) -> list[int]:
    headers = {"X-Forwarded-For": forwarded} if forwarded is not None else {}
    return [http.get("/items", headers=headers).status_code for _ in range(count)]


def test_requests_without_a_token_count_per_address(strict):
    """contract: limit-per-address. So tokens can't be guessed."""
    fresh_window()
    with from_address(strict, "127.0.0.11") as http:
        assert statuses(http, 3) == [401] * 3
        answer = http.get("/items")
        refused(answer, 429, "without a valid token from this address: at most 3 a minute")
        assert (
            int(answer.headers["X-RateLimit-Limit"]) == 3
            and int(answer.headers["Retry-After"]) >= 1
        )
    with from_address(strict, "127.0.0.12", Authorization="Bearer nonsense") as http:
        assert statuses(http, 4) == [401] * 3 + [429], "another address is counted on its own"


def test_requests_with_a_token_are_not_held_by_their_address(strict):
    """contract: limit-per-address. Who has a valid token is not stopped."""
    fresh_window()
    with from_address(strict, "127.0.0.13") as http:
        assert statuses(http, 4) == [401] * 3 + [429]
    with from_address(strict, "127.0.0.13", Authorization=f"Bearer {strict.admin_token()}") as http:
        assert statuses(http, 5) == [200] * 5


def test_guesses_of_tokens_of_every_kind_count(strict):
    """contract: limit-per-address. None, malformed, well-formed; a method that writes."""
    fresh_window()
    with from_address(strict, "127.0.0.14") as http:
        refused(
            http.get("/items", headers={"Authorization": f"Bearer {strict.admin_token()[:-1]}!"}),
            401,
        )
        refused(http.post("/items", json={"productId": 1}), 401)
        refused(http.post("/profiles/token", headers={"Authorization": "Bearer a.b.c"}), 401)
        refused(http.get("/lists"), 429)


def test_address_limit_is_60_by_default(new_service):
    """contract: limit-per-address. 60 a minute."""
    service = new_service().start()
    with from_address(service, "127.0.0.15") as http:
        assert int(http.get("/items").headers["X-RateLimit-Limit"]) == 60


def test_forwarding_header_from_anybody_is_not_believed(strict):
    """contract: limit-address-source. Only from a trusted proxy."""
    fresh_window()
    with from_address(strict, "127.0.0.16") as http:
        got = [statuses(http, 1, f"203.0.113.{n}")[0] for n in range(4)]
    assert got == [401] * 3 + [429]


def test_forwarding_header_from_a_trusted_proxy_tells_the_address(behind_proxy):
    """contract: limit-address-source. Each client address counts on its own."""
    fresh_window()
    with from_address(behind_proxy, "127.0.0.1") as http:
        assert statuses(http, 4, "203.0.113.1") == [401] * 3 + [429]
        assert statuses(http, 4, "2001:db8::1") == [401] * 3 + [429]
        assert statuses(http, 1, "203.0.113.2") == [401]


def test_forwarding_header_counts_from_the_last_that_is_not_a_proxy(behind_proxy):
    """contract: limit-address-source. A client may put anything in front."""
    fresh_window()
    with from_address(behind_proxy, "127.0.0.1") as http:
        got = [statuses(http, 1, f"198.51.100.{n}, 203.0.113.9")[0] for n in range(4)]
        assert got == [401] * 3 + [429], "made-up addresses in front are no new callers"
        got = [statuses(http, 1, f"198.51.100.{n}, 203.0.113.10, 10.0.0.{n}")[0] for n in range(4)]
        assert got == [401] * 3 + [429], "a chain of trusted proxies is skipped"
        lines = [("X-Forwarded-For", "203.0.113.11"), ("X-Forwarded-For", "10.0.0.1")]
        got = [http.get("/items", headers=lines).status_code for _ in range(4)]
        assert got == [401] * 3 + [429], "a proxy may add a line of its own"
        assert statuses(http, 1, "203.0.113.11, ,") == [429], "an empty element is none"
        other = [("X-Forwarded-For", "203.0.113.11"), ("X-Forwarded-For", "203.0.113.12")]
        assert http.get("/items", headers=other).status_code == 401


def test_forwarding_header_that_is_garbage_does_no_harm(behind_proxy):
    """contract: limit-address-source. Garbage in a header is no address and no crash."""
    fresh_window()
    with from_address(behind_proxy, "127.0.0.77") as http:
        for value in (
            "",
            "unknown",
            "1.2.3",
            "999.1.1.1",
            ",,,",
            "x" * 5000,
            "::ffff:",
            "_hidden",
            "\u00e9".encode(),
        ):
            headers: Any = {"X-Forwarded-For": value}
            answer = http.get("/items", headers=headers)
            assert answer.status_code in (401, 429), value


def test_description_without_a_token_carries_the_headers(strict):
    """contract: limit-headers, openapi-served. Counted for the address."""
    with from_address(strict, "127.0.0.17") as http:
        answer = http.get("/.well-known/openapi")
        assert answer.status_code == 200 and all(name in answer.headers for name in RATE_HEADERS)


# --- Redis ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shared(new_service, redis_server, engine):
    """Two services with one database and one Redis of their own."""
    redis = RedisServer()
    first = new_service(WISHWELL_REDIS_URL=redis.url).start()
    second = Service(dict(first.settings), env=ODD_CLOCK)
    if engine == "sqlite":
        second.settings["WISHWELL_DATABASE_URL"] = f"sqlite:///{first.folder}/wishwell.db"
    with redis, second:
        yield redis, first, second


def customer_of(first, handle: str, limit: int) -> str:
    first.quick("store", "create", handle, "--limit", f"profile_read={limit}")
    admin = first.client(first.admin_token(handle))
    return data(admin.post("/profiles/token", json={"customer": "gid://shopify/Customer/1"}), 201)[
        "token"
    ]


def test_limits_are_shared_through_redis_and_local_when_it_goes_away(shared):
    """contract: limit-shared, limit-shared-away. Meanwhile requests are served and counted locally,
    and it is logged."""
    redis, first, second = shared
    fresh_window(8)
    token = customer_of(first, "shared", 6)
    here, there = first.client(token), second.client(token)
    turns = [http.get("/items") for _ in range(3) for http in (here, there)]
    assert [answer.status_code for answer in turns] == [200] * 6
    assert [int(answer.headers["X-RateLimit-Remaining"]) for answer in turns] == [5, 4, 3, 2, 1, 0]
    for http in (here, there):
        refused(http.get("/items"), 429)

    token = customer_of(first, "alone", 500)
    here, there = first.client(token), second.client(token)
    data(here.get("/items")), data(there.get("/items"))
    redis.kill()
    took = []
    for http in (here, there) * 10:
        began = time.perf_counter()
        answer = http.get("/items")
        took.append(time.perf_counter() - began)
        data(answer)
        assert int(answer.headers["X-RateLimit-Limit"]) == 500
    assert max(took) < 0.5, "a dead Redis holds nobody up"
    for service in (first, second):
        assert "redis_away" in printed_until(service, service.client(token).get("/items"))

    redis.start()
    token = customer_of(first, "again", 1000)
    here, there = first.client(token), second.client(token)

    def counted_together() -> bool:
        before = int(here.get("/items").headers["X-RateLimit-Remaining"])
        return int(there.get("/items").headers["X-RateLimit-Remaining"]) == before - 1

    soon(counted_together, within=15)


def test_limits_hold_nobody_up_when_redis_is_silent(shared):
    """contract: limit-shared-away. 200 ms at most."""
    redis, first, _ = shared
    http = first.client(customer_of(first, "silent", 500))
    data(http.get("/items"))
    redis.pause()
    try:
        began = time.perf_counter()
        for _ in range(20):
            data(http.get("/items"))
        assert time.perf_counter() - began < 2
    finally:
        redis.resume()


def test_requests_are_served_when_redis_refuses(shared):
    """contract: limit-shared-away. Counted locally, with the headers, and logged once; then
    together again."""
    redis, first, _ = shared
    http = first.client(customer_of(first, "refused", 500))

    def said(event: str) -> int:
        return printed_until(first, http.get("/items")).count(event)

    soon(lambda: said("redis_away") == said("redis_back"))
    before = said("redis_away")
    with Redis(port=redis.port) as operator:
        operator.replicaof("127.0.0.1", "1")  # a failover: this one only reads from now on
        try:
            for _ in range(20):
                data(http.get("/items"))
            soon(lambda: said("redis_away") == before + 1)
            assert '"reason":"ReadOnlyError' in first.output()
        finally:
            operator.replicaof("NO", "ONE")
    soon(lambda: said("redis_back") == before + 1)
    assert said("redis_away") == before + 1


def test_burst_is_counted_together(shared):
    """contract: limit-shared. Many at once are no reason to count alone."""
    _, first, second = shared
    token = customer_of(first, "burst", 40)
    clients = [first, second]

    def redis_back() -> int:
        return sum(client.output().count("redis_back") for client in clients)

    waiting = customer_of(first, "burst-before", 1000)

    def both_have_it() -> bool:
        """Redis may have been away a moment ago; a process tries it again when it is asked."""
        for client in clients:
            printed_until(client, client.client(waiting).get("/items"))
        return (first.output() + second.output()).count("redis_away") == redis_back()

    soon(both_have_it)
    before = redis_back()

    def ask(number: int) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{clients[number % 2].url}{PREFIX}/items"
        return httpx2.get(url, headers=headers, timeout=30).status_code

    with ThreadPoolExecutor(48) as pool:
        statuses = list(pool.map(ask, range(160)))
    assert set(statuses) == {200, 429}
    # A busy machine may let a few be counted alone; a window may end once meanwhile.
    assert statuses.count(200) <= 2 * 40 + 8, statuses.count(200)
    assert (first.output() + second.output()).count("redis_away") == before
