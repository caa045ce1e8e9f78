"""The limiter in the process, with a clock in hand; and the shared one, when Redis is not what it was."""

import asyncio
import contextlib
import re
import socket
import time

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st
from redis import Redis

from tests.servers import RedisServer
from wishwell import config
from wishwell.errors import Misconfigured
from wishwell.limits import Limiter, Taken, too_many
from wishwell.limits.shared import RedisLimiter

MINUTE = 60_000


def test_window_opens_with_the_minute_and_counts_exactly():
    """contract: limit-window, clock-steps. Looking costs nothing, and a clock that is set back opens."""
    now = [2000 * MINUTE]
    limiter = Limiter(lambda: now[0])

    async def take(cost=1):
        return await limiter.take("a", 2, cost)

    for steps in (0, 1, -1440):
        now[0] += steps * MINUTE
        end = now[0] // 1000 + 60
        assert asyncio.run(take()) == (True, 2, 1, end)
        assert asyncio.run(take(0)) == (True, 2, 1, end)
        assert asyncio.run(take()) == (True, 2, 0, end)
        assert asyncio.run(take()) == (False, 2, 0, end)
        assert asyncio.run(take(0)) == (True, 2, 0, end)
    assert not limiter.away


@pytest.mark.parametrize(("into", "wait"), [(0, 60), (59_999, 1), (60_000, 1)])
def test_refusal_says_the_seconds_until_the_next_minute(into, wait):
    """contract: limit-exceeded. At least one, also where the minute has ended."""
    begun = 30_000_000 * MINUTE
    taken = Taken(False, 5, 0, begun // 1000 + 60)
    assert too_many(taken, "reads", begun + into).retry_after == wait


def counted_alone(url: str, times: int = 3) -> list:
    """Takes so many of a limit, which has to work whatever Redis says; what was logged."""

    async def take() -> None:
        limiter = RedisLimiter(url, lambda: 10 * MINUTE)
        try:
            taken = [await limiter.take("a", 9) for _ in range(times)]
            assert taken == [(True, 9, 8 - number, 660) for number in range(times)]
            assert limiter.away
            limiter._again_at = 0  # it is tried again, and not logged again
            assert (await limiter.take("a", 9)).remaining == 8 - times
        finally:
            await limiter.close()

    with structlog.testing.capture_logs() as logged:
        asyncio.run(take())
    return logged


@pytest.fixture(scope="module")
def redis():
    """A Redis of these tests alone, which they spoil and put right again."""
    with RedisServer() as server:
        yield server


SPOILT = {
    "READONLY": ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
    "OOM": ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
    "NOPERM": ("ACL SETUSER default -@scripting", "ACL SETUSER default +@all"),
    "NOAUTH": ("CONFIG SET requirepass x", "CONFIG SET requirepass "),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_redis_that_refuses_is_counted_without_and_logged_once(redis_server, redis, kind):
    """contract: limit-shared-away. Whatever it says."""
    with Redis(port=redis.port) as operator:
        spoil, mend = SPOILT[kind]
        operator.execute_command(*spoil.split(" "))
        try:
            [entry] = counted_alone(redis.url)
        finally:
            operator.execute_command(*mend.split(" "))
        assert (entry["event"], entry["counting"]) == ("redis_away", "in this process")
        assert re.match("[A-Za-z]+Error .*", entry["reason"])


@pytest.mark.parametrize(
    "address", ["redis://nobody:wrong@{}", "redis://{}/99", "rediss://{}", "unix:///none"]
)
def test_redis_that_this_address_does_not_open_is_counted_without(redis_server, redis, address):
    """A wrong password, user, database number or socket, and no TLS where it is expected."""
    [entry] = counted_alone(address.format(f"127.0.0.1:{redis.port}"))
    assert entry["event"] == "redis_away" and "wrong" not in entry["reason"]


def test_redis_that_is_back_counts_on_and_it_is_logged(redis_server, redis):
    """contract: limit-shared, limit-shared-away. What was counted here is not added."""

    async def take() -> None:
        limiter = RedisLimiter(redis.url, lambda: 10 * MINUTE)
        try:
            left = 60 - time.time() % 60
            await asyncio.sleep(left if left < 5 else 0)  # all in one minute
            end = (int(time.time()) // 60 + 1) * 60
            assert await limiter.take("back", 5, 2) == (True, 5, 3, end)
            redis.kill()
            assert await limiter.take("back", 5) == (True, 5, 4, 660)
            assert limiter.away
            redis.start()
            await asyncio.sleep(1.1)
            assert await limiter.take("back", 5, 5) == (True, 5, 0, end)
            assert not limiter.away
            assert await limiter.take("back", 5, 1) == (False, 5, 0, end)
            assert await limiter.take("back", 5, 0) == (True, 5, 0, end)
        finally:
            await limiter.close()

    with structlog.testing.capture_logs() as logged:
        asyncio.run(take())
    assert [entry["event"] for entry in logged] == ["redis_away", "redis_back"]


def test_redis_that_is_late_once_is_not_away_and_a_burst_waits_no_longer(redis_server, redis):
    """contract: limit-shared-away. 200 ms at most, also for those that wait for a connection."""

    async def burst(limiter: RedisLimiter) -> float:
        began = time.monotonic()
        await asyncio.gather(*(limiter.take("burst", 9) for _ in range(2048)))
        return time.monotonic() - began

    async def take() -> None:
        first = RedisLimiter(redis.url, lambda: 10 * MINUTE)
        answered = await burst(first)
        await first.close()
        limiter = RedisLimiter(redis.url, lambda: 10 * MINUTE)
        try:
            assert (await limiter.take("late", 9, 2)).remaining == 7
            redis.pause()
            began = limiter._answered_at = time.monotonic()
            assert await limiter.take("late", 9, 2) == (True, 9, 7, 660)
            assert not limiter.away
            assert time.monotonic() - began < 1
            await asyncio.sleep(0.6)
            assert await limiter.take("late", 9, 2) == (True, 9, 5, 660)
            assert limiter.away
            limiter._again_at = 0
            # Each in its turn would be 6 s and more, however fast the machine is.
            assert await burst(limiter) < 3 * answered + 1
        finally:
            redis.resume()
            await limiter.close()

    asyncio.run(take())


def test_host_that_takes_no_connection_holds_nobody_up():
    """contract: limit-shared-away. Neither taken nor refused: its queue is full."""
    with socket.socket() as full, contextlib.ExitStack() as waiting:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        began = time.monotonic()
        counted_alone(f"redis://127.0.0.1:{full.getsockname()[1]}")
        assert time.monotonic() - began < 5


ODD_ANSWERS = [
    b"-LOADING Redis is loading\r\n", b"-NOSCRIPT No matching script\r\n", b"-\r\n", b"-MOVED\r\n",
    b"-MOVED 3999 127.0.0.1:6381\r\n", b"-ASK x y z\r\n", b"+OK\r\n", b":1\r\n", b"$-1\r\n", b"*-1\r\n",
    b"*0\r\n", b"*2\r\n:1\r\n:1\r\n", b"*3\r\n:1\r\n*0\r\n:1\r\n", b"*3\r\n:1\r\n$1\r\nx\r\n:1\r\n",
    b"$5\r\nab", b"%1\r\n:1\r\n:2\r\n", b"\xff\xfe\x00\r\n", b"",
    b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
]  # fmt: skip


@pytest.mark.parametrize("answer", ODD_ANSWERS, ids=repr)
def test_server_that_answers_nonsense_is_counted_without(answer):
    """What listens there is no Redis, or one that moves, loads or breaks off: no request fails."""

    connections = []

    async def speak(reader, writer):
        connections.append(writer)
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
    assert answer or len(connections) == 2, "one for each time that it is tried"


AUTHORITIES = [
    "127.0.0.1:1", "u:p@127.0.0.1:1", ":%40@127.0.0.1:1", "u@", "", "127.0.0.1:", "[::1]:1", "[::1",
    "::1", "a..b:1", "127.0.0.1:1,127.0.0.1:1", f"{'x' * 300}:1", "u%zz@127.0.0.1:1", "127.0.0.1:0",
    "127.0.0.1:65536", f"127.0.0.1:{'1' * 5000}", "u:\u2100@127.0.0.1:1",
]  # fmt: skip
PATHS = ["", "/", "/0", "/99", "/x", "/1/2", f"/{'1' * 5000}", "/none", "/%00"]
OPTIONS = [
    "db", "protocol", "username", "password", "ssl_cert_reqs", "ssl_ca_certs", "ssl_keyfile", "x",
    "ssl_check_hostname", "ssl_ca_path", "ssl_certfile", "ssl_password", "socket_timeout", "retry",
    "socket_keepalive", "max_connections", "host", "port", "decode_responses",
]  # fmt: skip
VALUES = ["", "0", "3", "-1", "x", "none", "True", "%zz", "%FF", "1" * 5000]


@settings(max_examples=150, deadline=None)
@given(
    where=st.tuples(*map(st.sampled_from, (["redis", "rediss", "unix"], AUTHORITIES, PATHS))),
    option=st.tuples(*map(st.sampled_from, (OPTIONS, VALUES))).map("=".join),
    options=st.integers(0, 2),
)
def test_address_of_any_kind_is_refused_or_counted_without(where, option, options):
    """Nothing listens there: what passes the start never fails a request afterwards."""
    scheme, authority, path = where
    url = f"{scheme}://{authority}{path}{'?' if options else ''}{'&'.join([option] * options)}"
    try:
        config.load({"WISHWELL_REDIS_URL": url})
    except Misconfigured:
        return
    [entry] = counted_alone(url, 1)
    assert entry["event"] == "redis_away"
