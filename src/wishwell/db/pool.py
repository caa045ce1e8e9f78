"""A pool of PostgreSQL connections that never waits for a server that has stopped answering.

asyncpg's own pool waits for a cancelled statement before it releases the connection; if the server
is paused, that takes longer than a request may. It also starts a task for each release. Here a
connection whose statement failed is dropped at once, and the next request opens another.
"""

import asyncio
from collections import deque

from wishwell.db import Stats
from wishwell.db.hosts import Connection, Hosts
from wishwell.errors import Unavailable


class Pool:
    """At most ``size`` connections, opened when they are needed and kept until they break."""

    def __init__(self, hosts: Hosts, size: int) -> None:
        self._hosts = hosts
        self._size = size
        self._open = 0
        # The last one used is taken first: something in between may close one that is idle long.
        # Where hosts share the work, it is the first one.
        self._next = 0 if hosts.spread else -1
        self._idle: list[Connection] = []
        # Each gets a connection, or None, which permits it to open one.
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._closed = False
        self._waits = 0
        self._waited_seconds = 0.0

    # contract: database-away
    async def take(self, seconds: float) -> Connection:
        """A connection for the caller alone, who gives it back or drops it.

        ``seconds`` bounds waiting and connecting together. Raises ``TimeoutError``.
        """
        while self._idle:
            connection = self._idle.pop(self._next)
            if not connection.is_closed():
                return connection
            self._hosts.closed(connection)
            self._open -= 1
        if self._closed:
            raise Unavailable("The service is shutting down.")
        async with asyncio.timeout(seconds):
            if self._open >= self._size:
                waited = await self._wait()
                if waited is not None:
                    return waited
            else:
                self._open += 1
            try:
                return await self._hosts.connect()
            except BaseException:
                self._leave_to_open()
                raise

    def give_back(self, connection: Connection) -> None:
        """Takes back a connection without an open statement or transaction."""
        if connection.is_closed() or (self._hosts.spread and self._hosts.crowds(connection)):
            self.drop(connection)
            return
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if self._closed:
            connection.terminate()
        else:
            self._idle.append(connection)

    def stats(self) -> Stats:
        return Stats(
            connections=self._open,
            in_use=self._open - len(self._idle),
            connections_limit=self._size,
            waiting=len(self._waiting),
            waits=self._waits,
            waited_seconds=self._waited_seconds,
        )

    def drop(self, connection: Connection) -> None:
        """Closes a connection that may still be in a statement or a transaction."""
        self._hosts.closed(connection)
        connection.terminate()
        self._leave_to_open()

    async def close(self, seconds: float) -> None:
        """Closes idle connections now, and the others when they are given back."""
        self._closed = True
        idle, self._idle = self._idle, []
        closing = [connection.close(timeout=seconds) for connection in idle]
        await asyncio.gather(*closing, return_exceptions=True)

    def _leave_to_open(self) -> None:
        """Lets the longest waiter open a connection in place of one that has gone."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._open -= 1

    async def _wait(self) -> Connection | None:
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Connection | None] = loop.create_future()
        self._waiting.append(waiter)
        self._waits += 1
        began = loop.time()
        try:
            return await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled():
                # It came just as we gave up, so pass it on.
                connection = waiter.result()
                if connection is None:
                    self._leave_to_open()
                else:
                    self.give_back(connection)
            raise
        finally:
            self._waited_seconds += loop.time() - began
