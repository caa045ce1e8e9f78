"""The HTTP client of calls to other servers: HTTP/1.1 on connections that are kept for a while.

The parser is that of the service's own server. The rest is little, and its bounds hold whatever a
server sends (docs/decisions/0017).
"""

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from wishwell.outbound.answer import Answer, AnswerReader, Unanswered
from wishwell.outbound.connection import Address, Connection

_KEPT_SECONDS = 4.0
"""How long idle connections are kept. Many servers close theirs after 5 s; closing ours earlier
loses no call."""

_MOST_KEPT = 128
"""Idle connections at once."""

Addresses = Callable[[str, int, str], Awaitable[list[Address]]]


class Place(NamedTuple):
    """Where a connection leads to, and its owner: stores share no connections."""

    secure: bool
    host: str
    port: int
    owner: str = ""


class Client:
    """One request at a time on a connection. Belongs to the event loop that it is used in."""

    def __init__(self, addresses: Addresses, tls: ssl.SSLContext | None) -> None:
        self._addresses = addresses
        self._tls = tls
        self._reading = asyncio.Lock()
        self._kept: dict[Connection, tuple[Place, asyncio.TimerHandle]] = {}

    # contract: outbound-plain
    async def exchange(self, place: Place, method: str, request: bytes, *, keep: bool) -> Answer:
        """Sends a request and reads its answer, however long it takes. Raises ``Unanswered``."""
        kept = self._take(place)
        if kept is not None:
            try:
                return await self._exchange(place, kept, request, keep=keep)
            except _Closed:
                if method != "GET":
                    raise
        addresses = await self._addresses(place.host, place.port, place.owner)
        tls = await self._authorities() if place.secure else None
        fresh = await Connection.open(addresses, place.port, place.host, tls)
        return await self._exchange(place, fresh, request, keep=keep)

    def close(self) -> None:
        """Closes the connections that are kept."""
        for connection in list(self._kept):
            self._end(connection)

    async def _exchange(
        self, place: Place, connection: Connection, request: bytes, *, keep: bool
    ) -> Answer:
        reader = AnswerReader(keep=keep)
        try:
            await _converse(connection, request, reader)
        finally:
            if reader.done and reader.reusable:
                self._keep(place, connection)
            else:
                connection.close()
        return reader.answer()

    def _take(self, place: Place) -> Connection | None:
        """A kept connection that is still good: the last one, so that the older ones may end."""
        there = [connection for connection, (at, _) in self._kept.items() if at == place]
        for connection in reversed(there):
            if connection.is_quiet():
                self._kept.pop(connection)[1].cancel()
                return connection
            self._end(connection)
        return None

    def _keep(self, place: Place, connection: Connection) -> None:
        if len(self._kept) >= _MOST_KEPT:
            connection.close()
            return
        loop = asyncio.get_running_loop()
        self._kept[connection] = place, loop.call_later(_KEPT_SECONDS, self._end, connection)

    def _end(self, connection: Connection) -> None:
        self._kept.pop(connection)[1].cancel()
        connection.close()

    async def _authorities(self) -> ssl.SSLContext:
        """The authorities to trust. Those of the system are read when they are first needed."""
        async with self._reading:
            if self._tls is None:
                self._tls = await asyncio.to_thread(ssl.create_default_context)  # 0.05 s
        return self._tls


class _Closed(Unanswered):
    """The connection ended before any of the answer came."""


async def _converse(connection: Connection, request: bytes, reader: AnswerReader) -> None:
    begun = False
    try:
        # Some servers answer and hang up before they have read the request.
        with contextlib.suppress(ConnectionError):
            await connection.send(request)
        while not reader.done:
            data = await connection.receive()
            if data:
                begun = True
                reader.feed(data)
            elif begun:
                reader.end()
            else:
                raise _Closed("the connection broke off")
    except OSError:
        raise (Unanswered if begun else _Closed)("the connection broke off") from None
