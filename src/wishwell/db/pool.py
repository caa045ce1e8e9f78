"""A pool of PostgreSQL connections that never waits for a server that has stopped answering.

asyncpg's own pool waits for a cancelled statement before it releases the connection; if the server
is paused, that takes longer than a request may. It also starts a task for each release. Here a
connection whose statement failed is dropped at once, and the next request opens another.
"""

import asyncio

from wishwell.db import Stats
from wishwell.db.hosts import Connection, Hosts
from wishwell.errors import Unavailable


class Pool:
    """At most ``size`` connections, opened when they are needed and kept until they break. Who
    waits for one gets it in turn."""

    def __init__(self, hosts: Hosts, size: int) -> None:
        self._hosts = hosts
        self._size = size
        # The last one used is taken first: something in between may close one that is idle long.
        self._idle: list[Connection] = []
        self._room = asyncio.Semaphore(size)
        self._closed = False
        self._in_use = self._waiting = self._waits = 0
        self._waited_seconds = 0.0

    # contract: database-away
    async def take(self, seconds: float) -> Connection:
        """A connection for the caller alone, who gives it back or drops it.

        ``seconds`` bounds waiting and connecting together. Raises ``TimeoutError``, what
        ``Hosts.connect`` raises, and ``Unavailable`` once the pool is closed.
        """
        if self._closed:
            raise Unavailable("The service is shutting down.")
        if not self._room.locked() and (connection := self._idle_connection()) is not None:
            await self._room.acquire()  # at once
            self._in_use += 1
            return connection
        async with asyncio.timeout(seconds):
            await self._wait()
            self._in_use += 1
            try:
                return self._idle_connection() or await self._hosts.connect()
            except BaseException:
                self._leave()
                raise

    def give_back(self, connection: Connection) -> None:
        """Takes back a connection without an open statement or transaction."""
        if connection.is_closed() or self._closed:
            self.drop(connection)
        else:
            self._idle.append(connection)
            self._leave()

    def drop(self, connection: Connection) -> None:
        """Closes a connection that may still be in a statement or a transaction."""
        self._hosts.closed(connection)
        connection.terminate()
        self._leave()

    def stats(self) -> Stats:
        return Stats(
            connections=self._in_use + len(self._idle),
            in_use=self._in_use,
            connections_limit=self._size,
            waiting=self._waiting,
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
            if not connection.is_closed() and self._hosts.trusts(connection):
                return connection
            self._hosts.closed(connection)
            connection.terminate()
        return None

    def _leave(self) -> None:
        self._in_use -= 1
        self._room.release()

    async def _wait(self) -> None:
        """Waits for the room of one connection."""
        now = asyncio.get_running_loop().time
        began = now()
        self._waits += self._room.locked()
        self._waiting += 1
        try:
            await self._room.acquire()
        finally:
            self._waiting -= 1
            self._waited_seconds += now() - began
