"""Rate limits: requests a minute, per store, caller and kind of method.

Windows are fixed minutes of the clock (contract: limit-window). Requests are counted in this
process, or for several processes in Redis or Valkey, with one script and one round trip, by that
server's clock. While it can't be reached, this process counts on its own.
"""

import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from wishwell.errors import TooManyRequests

WINDOW = 60
Kind = Literal["read", "write", "token"]

log = structlog.get_logger()


class Taken(NamedTuple):
    """The state of a limit after a request; ``reset`` is in UTC epoch seconds."""

    allowed: bool
    limit: int
    remaining: int
    reset: int


# contract: limit-exceeded
def too_many(taken: Taken, what: str, now: int) -> TooManyRequests:
    """The refusal of a request that a limit did not allow. ``now`` in milliseconds since 1970."""
    return TooManyRequests(
        f"Too many {what}: at most {taken.limit} a minute. Nothing was done.",
        max(1, taken.reset - now // 1000),
    )


class Limiter(Protocol):
    """Counts requests by key. ``away``: the shared server could not be reached at the last try."""

    @property
    def away(self) -> bool: ...

    async def take(self, key: str, limit: int, cost: int = 1) -> Taken:
        """Counts one request. With ``cost`` 0 it only reads the state."""

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
        """``take``, without awaiting."""
        window = self._clock() // (WINDOW * 1000)
        if window != self._window:
            # Also if it went backwards: after a clock was corrected, limits must not stay used up.
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
"""Seconds to wait for a connection and for an answer. With less, a burst that keeps this process
busy looks as if Redis could not be reached."""

_HICCUP = 0.5
"""Seconds. If the last answer is not older, a timeout concerns only its own request."""

_PAUSE = 1.0
"""Seconds between a failed try and the next."""


def try_out(url: str) -> None:
    """Builds a connection without connecting, so that the Redis client checks the whole URL.

    Raises ``ValueError``, whose message never contains the URL.
    """
    try:
        pool = _pool(url)
        connection = pool.connection_class(**pool.connection_kwargs)
        if isinstance(connection, redis.asyncio.SSLConnection):
            connection.ssl_context.get()
    except OSError as error:
        raise ValueError(f"names a certificate or key that can't be used ({error})") from error
    except Exception as error:  # the client raises many kinds of errors for a bad value
        raise ValueError("has an option with a value that the Redis client rejects") from error


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
    """Counts in Redis or Valkey, and in ``local`` while that can't be reached."""

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
                # The script appends the window to KEYS[1]. The hash tag {} keeps it on one node.
                name = f"wishwell:limit:{{{key}}}"
                allowed, count, reset = map(int, await self._script([name], [limit, cost, WINDOW]))
            except Exception as error:  # any failure: the request is counted here
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
