"""Rate limits: requests a minute, per store, caller and kind of method.

Windows are fixed minutes of the clock (contract: limit-window). Requests are counted in this
process, or for several processes in Redis or Valkey (``shared``).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from wishwell.errors import TooManyRequests

WINDOW = 60
Kind = Literal["read", "write", "token", "shared"]


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


class Limiter:
    """Counts requests by key, in this process.

    ``away``: a shared server (``shared``) could not be reached at the last try.
    """

    away = False

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._window = 0
        self._counts: dict[str, int] = {}

    async def take(self, key: str, limit: int, cost: int = 1) -> Taken:
        """Counts one request. With ``cost`` 0 it only reads the state."""
        return self.count(key, limit, cost)

    def count(self, key: str, limit: int, cost: int) -> Taken:
        """``take`` in this process, without awaiting."""
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
