"""A pool of PostgreSQL connections that never waits for a server that has stopped answering.

asyncpg's own pool starts a task for each release, wraps each call, and waits for a cancelled
statement before it gives its connection up: with the server paused, longer than a request may take.
Here a connection whose statement did not end well is dropped at once, and the next request opens
another.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from wishwell.db import Stats
from wishwell.errors import Unavailable

Connection = Any  # asyncpg has no types


class Pool:
    """At most ``size`` connections, opened when they are needed, kept until they break."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int) -> None:
        self._connect = connect
        self._size = size
        self._open = 0
        # The last one used is the first one taken: what is idle for long may be closed elsewhere.
        self._idle: list[Connection] = []
        # Each waits for a connection, or for None: leave to open one.
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._closed = False
        self._waits = 0
        self._waited_seconds = 0.0

    # contract: database-away
    async def take(self, seconds: float) -> Connection:
        """A connection for the caller alone, to be given back.

        ``seconds`` bounds the wait for one and the opening of another. Raises ``TimeoutError``.
        """
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
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
                return await self._connect()
            except BaseException:
                self._leave_to_open()
                raise

    def give_back(self, connection: Connection) -> None:
        """Returns a connection on which nothing is open."""
        if connection.is_closed():
            self._leave_to_open()
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
        """Ends a connection that may still be in a statement or a transaction."""
        connection.terminate()
        self._leave_to_open()

    async def close(self, seconds: float) -> None:
        """Closes what is idle, and what is in use when it comes back."""
        self._closed = True
        idle, self._idle = self._idle, []
        closing = [connection.close(timeout=seconds) for connection in idle]
        await asyncio.gather(*closing, return_exceptions=True)

    def _leave_to_open(self) -> None:
        """One connection less: whoever waits longest may open the next."""
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
                # It came in the moment in which we gave up: it is the next one's.
                connection = waiter.result()
                if connection is None:
                    self._leave_to_open()
                else:
                    self.give_back(connection)
            raise
        finally:
            self._waited_seconds += loop.time() - began
