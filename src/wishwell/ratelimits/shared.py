"""Rate limits shared by several processes: counted in Redis or Valkey, one script call per request.

Windows are minutes of the Redis server's clock. While it is unreachable, each process counts alone.
Imported only if configured, because importing the Redis client takes a sixth of the start-up time.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from wishwell.ratelimits import WINDOW_SECONDS, Limiter, LimitState

log = structlog.get_logger()

_SCRIPT = """
local now = tonumber(redis.call('TIME')[1])
local window = now - now % tonumber(ARGV[2])
local key = KEYS[1] .. ':' .. string.format('%d', window)
local count = redis.call('INCRBY', key, ARGV[1])
redis.call('EXPIRE', key, ARGV[2] * 2)
return {count, window + tonumber(ARGV[2])}
"""

_TIMEOUT_SECONDS = 0.2
"""Timeout in seconds of a connection and of a response. With less, a burst of requests that keeps
this process busy would look like an unreachable Redis."""

_IGNORE_TIMEOUTS_SECONDS = 0.5
"""Seconds since the last response within which a timeout doesn't count as unreachable."""

_BACKOFF_SECONDS = 1.0
"""Backoff in seconds after a failure, before the next attempt."""


def validate_url(url: str) -> None:
    """Builds a connection without connecting, to let the Redis client validate the whole URL.

    Raises ``ValueError``, whose message never contains the URL.
    """
    try:
        pool = _create_pool(url)
        connection = pool.connection_class(**pool.connection_kwargs)
        if isinstance(connection, redis.asyncio.SSLConnection):
            connection.ssl_context.get()
    except OSError as error:
        raise ValueError(f"names a certificate or key that can't be used ({error})") from error
    except Exception as error:  # the client raises many types of errors for an invalid value
        raise ValueError("has an option whose value the Redis client rejects") from error


def _create_pool(url: str) -> Any:
    return redis.asyncio.BlockingConnectionPool.from_url(
        url,
        timeout=_TIMEOUT_SECONDS,
        max_connections=128,
        socket_timeout=_TIMEOUT_SECONDS,
        socket_connect_timeout=_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


# rule: limit-shared
class RedisLimiter(Limiter):
    """Counts in Redis or Valkey, and in this process while that is unreachable."""

    def __init__(self, url: str, clock: Callable[[], int]) -> None:
        super().__init__(clock)
        self._redis: Any = redis.asyncio.Redis.from_pool(_create_pool(url))
        self._script = self._redis.register_script(_SCRIPT)
        self._retry_at = 0.0
        self._answered_at = -math.inf

    async def consume(self, key: str, limit: int, cost: int = 1) -> LimitState:
        if time.monotonic() < self._retry_at:
            return self.count(key, limit, cost)
        try:
            # The script appends the window to the key. The hash tag {} keeps a key's windows on one
            # node of a Redis cluster.
            name = f"wishwell:limit:{{{key}}}"
            count, reset = map(int, await self._script([name], [cost, WINDOW_SECONDS]))
        except Exception as error:  # whatever fails, count in this process
            self._record_failure(error)
            return self.count(key, limit, cost)
        if self.is_unreachable:
            log.info("redis_back")
        self.is_unreachable = False
        self._answered_at = time.monotonic()
        return LimitState(not cost or count <= limit, limit, max(limit - count, 0), reset)

    async def memory(self) -> dict[str, Any]:
        """Returns the server's memory settings as INFO names them; empty if it refuses to."""
        try:
            return dict(await self._redis.info("memory"))
        except redis.exceptions.RedisError:
            return {}

    def _record_failure(self, error: Exception) -> None:
        now = time.monotonic()
        is_timeout = isinstance(error, TimeoutError | redis.exceptions.TimeoutError)
        if is_timeout and now - self._answered_at < _IGNORE_TIMEOUTS_SECONDS:
            return
        self._retry_at = now + _BACKOFF_SECONDS
        if not self.is_unreachable:
            reason = f"{type(error).__name__} {error}"[:200]
            log.warning("redis_away", reason=reason, counting="in this process")
        self.is_unreachable = True

    async def close(self) -> None:
        await self._redis.aclose()
