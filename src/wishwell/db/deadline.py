"""How long the statements of a use-case may take on PostgreSQL."""

import asyncio
import math

_LATE = 0.25  # share of a statement's time after which it is asked whether its host still answers


class Deadline:
    """When a single statement, or else a transaction and each of its statements, is overdue.

    Times are those of the event loop, in seconds.
    """

    __slots__ = ("_clock", "_each", "_end", "_late_at", "_started", "_transaction_end")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        single: float,
        transaction_end: float = math.inf,
        each: float = math.inf,
    ) -> None:
        """``single``: seconds for a statement outside a transaction. A transaction ends at
        ``transaction_end``, and each of its statements may take ``each`` seconds."""
        self._clock = loop.time
        self._end = self._clock() + single
        self._transaction_end = transaction_end
        self._each = each
        self._late_at = 0.0
        self._started = math.inf

    def start(self) -> None:
        """A statement begins. Only with the first one, as a connection may have been waited for,
        it is known when it would be late."""
        self._started = self._clock()
        self._late_at = self._late_at or self._started + (self._end - self._started) * _LATE

    def stop(self) -> None:
        """It has ended; nothing runs."""
        self._started = math.inf

    def start_transaction(self) -> None:
        """From now on the time of a transaction counts."""
        self.start()
        self._end = self._transaction_end

    def start_commit(self, seconds: float) -> None:
        """The commit has at least so long."""
        self.start()
        self._end = max(self._end, self._started + seconds)

    def left(self) -> float:
        """Seconds until the end, and always a little."""
        return max(0.01, self._end - self._clock())

    def is_over(self, now: float) -> bool:
        return now >= min(self._end, self._started + self._each)

    def is_late(self, now: float) -> bool:
        """Long before it is over: whether to ask if the host still answers."""
        return now >= self._late_at > 0
