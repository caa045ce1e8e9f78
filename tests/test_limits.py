"""The in-process rate limiter on a controlled clock, and the shared one while Redis fails."""

import asyncio
import contextlib
import functools
import socket
import time
from ipaddress import ip_network

import pytest
import structlog

from tests.api.conftest import in_one_window
from tests.servers import RedisServer
from wishwell.access import addresses
from wishwell.ratelimits import Limiter, LimitState, too_many
from wishwell.ratelimits.shared import RedisLimiter

MINUTE = 60_000


def test_only_the_address_that_the_platform_reports_counts():
    """With a platform's signature the address counts that the platform reports, and never one before
    it, which the visitor may have made up. Rule: limit-address."""
    trusted, reported = (ip_network("10.0.0.0/8"),), "203.0.113.9, 192.0.2.1, 198.51.100.9"
    shopper_address = functools.partial(addresses.shopper_address, "10.0.0.1", reported, trusted)
    assert shopper_address() == "198.51.100.9"
    assert shopper_address(by_platform=True) == "192.0.2.1"


def test_window_opens_with_the_minute_and_counts_exactly():
    """Exactly the limit passes per minute, peeking is free, and a clock set back frees the limit.
    Rules: limit-window, clock-guard."""
    now = [2000 * MINUTE]
    limiter = Limiter(lambda: now[0])

    async def take(cost=1):
        return await limiter.consume("a", 2, cost)

    for steps in (0, 1, -1440):
        now[0] += steps * MINUTE
        end = now[0] // 1000 + 60
        assert asyncio.run(take()) == (True, 2, 1, end)
        assert asyncio.run(take(0)) == (True, 2, 1, end)
        assert asyncio.run(take()) == (True, 2, 0, end)
        assert asyncio.run(take()) == (False, 2, 0, end)
        assert asyncio.run(take(0)) == (True, 2, 0, end)
    assert not limiter.is_unreachable


@pytest.mark.parametrize(("into", "wait"), [(0, 60), (59_999, 1), (60_000, 1)])
def test_retry_after_is_the_seconds_until_the_next_minute(into, wait):
    """`Retry-After` is at least 1, even if the window has already ended. Rule: limit-window."""
    begun = 30_000_000 * MINUTE
    taken = LimitState(False, 5, 0, begun // 1000 + 60)
    assert too_many(taken, "reads", begun + into).retry_after == wait


def counted_alone(url: str, times: int = 3) -> list:
    """Consumes from a rate limit, which must work whatever Redis does; returns the log entries."""

    async def take() -> None:
        limiter = RedisLimiter(url, lambda: 10 * MINUTE)
        try:
            taken = [await limiter.consume("a", 9) for _ in range(times)]
            assert taken == [(True, 9, 8 - number, 660) for number in range(times)]
            assert limiter.is_unreachable
            await asyncio.sleep(1.1)  # retries; the second failure isn't logged
            assert (await limiter.consume("a", 9)).remaining == 8 - times
        finally:
            await limiter.close()

    with structlog.testing.capture_logs() as logged:
        asyncio.run(take())
    return logged


@pytest.fixture(scope="module")
def redis():
    """A Redis server for these tests alone, which break and restore it."""
    with RedisServer() as server:
        yield server


@pytest.mark.parametrize("address", ["redis://nobody:wrong@{}", "rediss://{}", "unix:///none"])
def test_process_counts_alone_when_redis_is_unusable(redis_server, redis, address):
    """The process counts alone when Redis is unusable: wrong password or socket, or no TLS where
    expected. Rule: limit-shared."""
    [entry] = counted_alone(address.format(f"127.0.0.1:{redis.port}"))
    assert (entry["event"], entry["counting"]) == ("redis_away", "in this process")
    assert "wrong" not in entry["reason"]


@in_one_window
def test_counting_in_redis_resumes_and_is_logged(redis_server, redis):
    """Counting in Redis resumes once it is back. Requests that the process counted
    in the meantime aren't added.
    Rule: limit-shared."""

    async def take() -> None:
        limiter = RedisLimiter(redis.url, lambda: 10 * MINUTE)
        try:
            end = (int(time.time()) // 60 + 1) * 60
            assert await limiter.consume("back", 5, 2) == (True, 5, 3, end)
            redis.kill()
            assert await limiter.consume("back", 5) == (True, 5, 4, 660)
            assert limiter.is_unreachable
            redis.start()
            await asyncio.sleep(1.1)
            assert await limiter.consume("back", 5, 5) == (True, 5, 0, end)
            assert not limiter.is_unreachable
            assert await limiter.consume("back", 5, 1) == (False, 5, 0, end)
            assert await limiter.consume("back", 5, 0) == (True, 5, 0, end)
        finally:
            await limiter.close()

    with structlog.testing.capture_logs() as logged:
        asyncio.run(take())
    assert [entry["event"] for entry in logged] == ["redis_away", "redis_back"]


@pytest.mark.slow
def test_late_answer_of_redis_is_no_outage_and_a_burst_waits_no_longer(redis_server, redis):
    """A single late answer isn't an outage, and no caller waits over 200 ms, also not for a
    connection.
    Rule: limit-shared."""

    async def burst(limiter: RedisLimiter) -> float:
        began = time.monotonic()
        await asyncio.gather(*(limiter.consume("burst", 9) for _ in range(2048)))
        return time.monotonic() - began

    async def take() -> None:
        first = RedisLimiter(redis.url, lambda: 10 * MINUTE)
        answered = await burst(first)
        await first.close()
        limiter = RedisLimiter(redis.url, lambda: 10 * MINUTE)
        try:
            assert (await limiter.consume("late", 9, 2)).remaining == 7
            redis.pause()
            assert await limiter.consume("late", 9, 2) == (True, 9, 7, 660)
            assert not limiter.is_unreachable
            await asyncio.sleep(0.6)
            assert await limiter.consume("late", 9, 2) == (True, 9, 5, 660)
            assert limiter.is_unreachable
            await asyncio.sleep(1.1)
            # Sequential calls would take 6 s or more on any machine.
            assert await burst(limiter) < 3 * answered + 1
        finally:
            redis.resume()
            await limiter.close()

    asyncio.run(take())


def test_redis_host_that_accepts_no_connection_delays_nobody():
    """A host whose accept queue is full neither accepts nor refuses; callers still don't wait for
    it.
    Rule: limit-shared."""
    with socket.socket() as full, contextlib.ExitStack() as waiting:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        began = time.monotonic()
        counted_alone(f"redis://127.0.0.1:{full.getsockname()[1]}")
        assert time.monotonic() - began < 60  # TCP itself would try for two minutes


@pytest.mark.parametrize(
    "answer",
    [b"-LOADING Redis is loading\r\n", b"*3\r\n:1\r\n:1\r\n:1\r\n", b"\xff\xfe\r\n", b""],
    ids=repr,
)
def test_process_counts_alone_when_the_server_is_not_redis(answer):
    """No request fails if the server isn't Redis, is still loading, or closes the connection.
    Rule: limit-shared."""

    async def speak(reader, writer):
        with contextlib.suppress(ConnectionError):
            while await reader.read(65536):
                writer.write(answer)
                if not answer:
                    break
        writer.close()

    async def run() -> list[dict]:
        server = await asyncio.start_server(speak, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            return await asyncio.to_thread(counted_alone, f"redis://127.0.0.1:{port}/0")
        finally:
            server.close()

    [entry] = asyncio.run(run())
    assert entry["event"] == "redis_away" and len(entry["reason"]) <= 200
