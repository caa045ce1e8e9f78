"""Rate limits: requests per minute, by store, caller and kind of request.

Uses fixed windows of one minute of the wall clock (rule: limit-window). ``Limiter`` counts
requests in this process, ``shared.RedisLimiter`` for several processes in Redis or Valkey.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from wishwell.errors import TooManyCode, TooManyRequests

WINDOW_SECONDS = 60
"""Length of a window in seconds."""

_WINDOW_MS = WINDOW_SECONDS * 1000

Kind = Literal["read", "write", "token", "shared"]


class LimitState(NamedTuple):
    """The state of a rate limit after a request. ``reset``: the window's end in epoch seconds."""

    allowed: bool
    limit: int
    remaining: int
    reset: int


# rule: limit-window
def too_many(
    state: LimitState, noun: str, now: int, code: TooManyCode = "rate_limited"
) -> TooManyRequests:
    """Returns the error for a request over the limit. ``now``: milliseconds since 1970."""
    return TooManyRequests(
        f"Too many {noun}: at most {state.limit} per minute are allowed. Nothing was done.",
        max(1, state.reset - now // 1000),
        code,
    )


class Limiter:
    """Counts requests by key in this process.

    ``is_unreachable``: the last attempt to reach Redis failed (``RedisLimiter``).
    """

    is_unreachable = False

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._window, self._reset = 0, WINDOW_SECONDS
        self._counts: dict[str, int] = {}

    async def consume(self, key: str, limit: int, cost: int = 1) -> LimitState:
        """Counts a request as ``cost``, unless it exceeds the limit. 0 only reads the state, and -1
        takes a request back."""
        return self.count(key, limit, cost)

    def count(self, key: str, limit: int, cost: int) -> LimitState:
        """Counts a request in this process, as ``consume`` does, without awaiting."""
        window = self._clock() // _WINDOW_MS
        if window != self._window:
            # Resets in an earlier window too: a clock set back must not leave limits exhausted.
            self._window, self._counts = window, {}
            self._reset = (window + 1) * WINDOW_SECONDS
        count = self._counts.get(key, 0)
        allowed = count + cost <= limit
        if allowed and cost:
            count += cost
            self._counts[key] = count
        return LimitState(allowed, limit, limit - count if count < limit else 0, self._reset)

    async def close(self) -> None:
        """Does nothing; ``RedisLimiter`` closes its connections."""
