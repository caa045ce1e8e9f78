"""A PostgreSQL connection pool that never waits for a server that has stopped answering.

asyncpg's own pool waits for a cancelled statement before it releases the connection; if the server
is paused, that takes longer than a request may. It also starts a task for each release. Here a
connection whose statement failed is dropped immediately, and the next request opens another.
"""

import asyncio

from wishwell.db import Stats
from wishwell.db.postgres.hosts import Connection, Hosts
from wishwell.errors import Unavailable
from wishwell.fairness.fair_queue import CURRENT, Flow
from wishwell.fairness.fair_semaphore import FairSemaphore

_STORE_FACTOR = 4
"""Maximum connections of a store, as a multiple of the connections left free."""

_PARTY_DIVISOR = 5
"""A store's party holds at most the pool's size divided by this, because 16 concurrent bulk writes
of one party would slow PostgreSQL down for all."""

_MAX_PER_LOCK = 2
"""Maximum connections for writes that lock the same profile: one works while the next is sent."""


class Pool:
    """At most ``size`` connections, opened when they are needed and kept until they break. Stores,
    and the parties inside them, share the connections fairly (``fair_queue.py``)."""

    def __init__(self, hosts: Hosts, size: int) -> None:
        self._hosts = hosts
        self._size = size
        # The last used is taken first, because a proxy may close one that is idle for long.
        self._idle: list[Connection] = []
        self._slots = FairSemaphore(
            size,
            store_factor=_STORE_FACTOR,
            max_per_party=max(1, size // _PARTY_DIVISOR),
            max_per_lock=_MAX_PER_LOCK,
        )
        self._in_use: dict[Connection, tuple[Flow, str | None]] = {}
        self._closed = False
        self._waits = 0
        self._waited_seconds = 0.0

    # rule: database-away
    async def take(self, seconds: float, lock_key: str | None = None) -> Connection:
        """Returns a connection for the caller alone, which calls ``give_back`` or ``drop`` later.

        ``lock_key``: the key of the profile that it locks. ``seconds``: timeout of waiting and
        connecting together. Raises ``TimeoutError``, the errors of ``Hosts.connect``, and
        ``Unavailable`` once the pool is closed.
        """
        if self._closed:
            raise Unavailable("The service is shutting down.")
        ticket = CURRENT.get()
        flow = ticket.flow
        if not self._slots.take_now(flow, lock_key):
            now = asyncio.get_running_loop().time
            requested_at = now()
            self._waits += 1
            try:
                flow = await self._slots.wait(ticket, lock_key, seconds)
            finally:
                waited_seconds = now() - requested_at
                self._waited_seconds += waited_seconds
            seconds -= waited_seconds
        try:
            connection = self._idle_connection()
            if connection is None:
                async with asyncio.timeout(seconds):
                    connection = await self._hosts.connect()
        except BaseException:
            self._slots.release(flow, lock_key)
            raise
        self._in_use[connection] = flow, lock_key
        return connection

    def give_back(self, connection: Connection) -> None:
        """Takes back a connection without an open statement or transaction."""
        if connection.is_closed() or self._closed:
            self.drop(connection)
        else:
            self._idle.append(connection)
            self._release(connection)

    def drop(self, connection: Connection) -> None:
        """Closes a connection that may still be in a statement or a transaction."""
        self._hosts.closed(connection)
        connection.terminate()
        self._release(connection)

    def stats(self) -> Stats:
        return Stats(
            connections=self._slots.held + len(self._idle),
            in_use=self._slots.held,
            connections_limit=self._size,
            waiting=len(self._slots),
            waits=self._waits,
            waited_seconds=self._waited_seconds,
        )

    async def close(self, seconds: float) -> None:
        """Closes idle connections now, and the others when they are given back."""
        self._closed = True
        idle, self._idle = self._idle, []
        closing = [connection.close(timeout=seconds) for connection in idle]
        await asyncio.gather(*closing, return_exceptions=True)

    def _idle_connection(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed() and self._hosts.is_primary(connection):
                return connection
            self._hosts.closed(connection)
            connection.terminate()
        return None

    def _release(self, connection: Connection) -> None:
        self._slots.release(*self._in_use.pop(connection))
