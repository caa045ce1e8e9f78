"""Rate limits: so many requests a minute, per store, per caller and per kind of method.

Fixed windows of one minute by the clock (contract: limit-window). In the process, or shared through
Redis or Valkey: then one script counts and answers in one round trip, by the server's own clock.
When that goes away, requests are served and counted here until it is back.
"""

import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

WINDOW = 60
Kind = Literal["read", "write", "token"]

log = structlog.get_logger()


class Taken(NamedTuple):
    """The state of a limit after a request; ``reset`` in UTC epoch seconds."""

    allowed: bool
    limit: int
    remaining: int
    reset: int


class Limiter(Protocol):
    """Counts requests by key. ``away``: what is shared could not be reached at the last try."""

    @property
    def away(self) -> bool: ...

    async def take(self, key: str, limit: int, cost: int = 1) -> Taken:
        """Counts one request, or with ``cost`` 0 only looks."""

    async def close(self) -> None: ...


class LocalLimiter:
    """Counts in this process."""

    away = False

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._window = 0
        self._counts: dict[str, int] = {}

    async def take(self, key: str, limit: int, cost: int = 1) -> Taken:
        return self.count(key, limit, cost)

    def count(self, key: str, limit: int, cost: int) -> Taken:
        """``take``, for where nothing can be awaited."""
        window = self._clock() // (WINDOW * 1000)
        if window != self._window:
            # Backwards too: after a clock was put right, a limit must not stay used up until then.
            self._window = window
            self._counts = {}
        count = self._counts.get(key, 0)
        allowed = count + cost <= limit
        if allowed and cost:
            count += cost
            self._counts[key] = count
        return Taken(allowed, limit, max(limit - count, 0), (self._window + 1) * WINDOW)

    async def close(self) -> None:
        """Nothing is open."""


_SCRIPT = """
local now = tonumber(redis.call('TIME')[1])
local window = now - now % tonumber(ARGV[3])
local key = KEYS[1] .. ':' .. string.format('%d', window)
local count = tonumber(redis.call('GET', key) or '0')
local cost = tonumber(ARGV[2])
local allowed = 0
if count + cost <= tonumber(ARGV[1]) then
  allowed = 1
  if cost > 0 then
    count = redis.call('INCRBY', key, cost)
    redis.call('EXPIRE', key, ARGV[3] * 2)
  end
end
return {allowed, count, window + tonumber(ARGV[3])}
"""

_BOUND = 0.2
"""Seconds for a connection and for an answer: what a request waits at most for a limit. Less, and a
burst that keeps this process busy looks like a Redis that is away."""

_HICCUP = 0.5
"""Seconds since the last answer within which a late one is the request's own trouble."""

_PAUSE = 1.0
"""Seconds without a further try after one failed."""


def try_out(url: str) -> None:
    """Makes a connection without connecting, so that the client looks at all that it is given.

    Raises ``ValueError`` with what is wrong, never with the text of the address.
    """
    try:
        pool = _pool(url)
        connection = pool.connection_class(**pool.connection_kwargs)
        if isinstance(connection, redis.asyncio.SSLConnection):
            connection.ssl_context.get()
    except OSError as error:
        raise ValueError(f"names a certificate or key that can't be used ({error})") from error
    except Exception as error:  # whatever the client thinks of a value
        raise ValueError("has an option with a value that the client does not take") from error


def _pool(url: str) -> Any:
    return redis.asyncio.BlockingConnectionPool.from_url(
        url,
        timeout=_BOUND,
        max_connections=128,
        socket_timeout=_BOUND,
        socket_connect_timeout=_BOUND,
        retry=Retry(NoBackoff(), 0),
    )


# contract: limit-shared, limit-shared-away
class RedisLimiter:
    """Counts in Redis or Valkey; while it is away, in ``local``."""

    def __init__(self, url: str, local: LocalLimiter) -> None:
        pool = _pool(url)
        self._redis: Any = redis.asyncio.Redis.from_pool(pool)
        self._script = self._redis.register_script(_SCRIPT)
        self._local = local
        self._again_at = 0.0
        self._answered_at = 0.0
        self._away = False

    async def take(self, key: str, limit: int, cost: int = 1) -> Taken:
        if time.monotonic() >= self._again_at:
            try:
                # Without the window in KEYS[1] a cluster still finds it: the hash tag is the key.
                name = f"wishwell:limit:{{{key}}}"
                allowed, count, reset = map(int, await self._script([name], [limit, cost, WINDOW]))
            except Exception as error:  # whatever it is, the request is served and counted here
                now = time.monotonic()
                slow = isinstance(error, TimeoutError | redis.exceptions.TimeoutError)
                if slow and now - self._answered_at < _HICCUP:
                    return await self._local.take(key, limit, cost)
                self._again_at = now + _PAUSE
                if not self._away:
                    reason = f"{type(error).__name__} {error}"[:200]
                    log.warning("redis_away", reason=reason, counting="in this process")
                self._away = True
            else:
                if self._away:
                    log.info("redis_back")
                self._away = False
                self._answered_at = time.monotonic()
                return Taken(bool(allowed), limit, max(limit - count, 0), reset)
        return await self._local.take(key, limit, cost)

    @property
    def away(self) -> bool:
        return self._away

    async def close(self) -> None:
        await self._redis.aclose()
