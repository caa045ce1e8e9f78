"""How many writes wait for the database, so that they leave room to reads."""

import asyncio
from collections.abc import Awaitable, Callable

from wishwell.errors import Unavailable

_LOOK_SECONDS = 0.25
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE usename = current_user AND wait_event = 'SyncRep'
AND state_change < clock_timestamp() - interval '0.5 seconds'
"""
"""How many of our commits wait for a standby that does not confirm them."""


class Writes:
    """Counts the writes that are late, and those that were cut without an end.

    While a standby is away, a write that is cut goes on waiting in the server, on a connection that
    the server counts. After ``most`` of them no write begins until none waits any more.
    """

    def __init__(self, most: int, waiting: Callable[[], Awaitable[int]]) -> None:
        self._most = most
        self._waiting = waiting
        self._looked = 0.0
        self.late = 0
        self.cut = 0

    # contract: write-room
    async def admit(self) -> None:
        """Raises ``Unavailable`` if too many writes wait already."""
        if not self.cut or self.late + self.cut < self._most:
            return
        now = asyncio.get_running_loop().time()
        if now - self._looked > _LOOK_SECONDS:
            self._looked = now
            if not await self._waiting():
                self.cut = 0
        if self.cut:
            raise Unavailable("Too many writes wait for the database.")
