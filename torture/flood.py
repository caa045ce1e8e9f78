"""Requests at a rate that does not wait for answers, on as many connections as that takes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_CONNECTIONS = 1_500
"""Below the backlog of a listening socket: more would measure the kernel's retries of SYN."""


@dataclass
class Flood:
    """What came back; times run from the moment at which a request was due."""

    port: int
    make: Callable[[int], bytes]
    statuses: Counter[str] = field(default_factory=Counter)
    served_ms: list[float] = field(default_factory=list)
    refused_ms: list[float] = field(default_factory=list)
    most: int = 0
    _idle: list[_Connection] = field(default_factory=list)
    _open: set[_Connection] = field(default_factory=set)
    _number: int = 0

    def answered(self, status: int, due: float) -> None:
        self.statuses[str(status)] += 1
        times = self.served_ms if status < 300 else self.refused_ms
        times.append((time.perf_counter() - due) * 1000)

    async def at_rate(self, rate: float, seconds: float) -> None:
        """Offers ``rate`` requests a second, whatever comes back."""
        began, sent = time.perf_counter(), 0
        while (passed := time.perf_counter() - began) < seconds:
            for _ in range(int(passed * rate) - sent):
                due = began + sent / rate
                sent += 1
                self._send(due)
            await asyncio.sleep(0.004)
        await self._drain(10)

    async def closed(self, connections: int, seconds: float) -> float:
        """Each connection asks again when it has its answer; requests a second."""
        end = time.perf_counter() + seconds
        before = sum(self.statuses.values())

        async def one() -> None:
            connection = await self._connect()
            while time.perf_counter() < end and connection.alive:
                connection.send(self._next(), time.perf_counter())
                await connection.done.wait()

        await asyncio.gather(*(one() for _ in range(connections)))
        return (sum(self.statuses.values()) - before) / seconds

    def _next(self) -> bytes:
        self._number += 1
        return self.make(self._number)

    def _send(self, due: float) -> None:
        while self._idle:
            connection = self._idle.pop()
            if connection.alive:
                connection.send(self._next(), due)
                return
        if len(self._open) >= MOST_CONNECTIONS:
            self.statuses["not sent"] += 1
            return
        connection = _Connection(self)
        self._open.add(connection)
        self.most = max(self.most, len(self._open))
        connection.waiting = (self._next(), due)
        task = asyncio.ensure_future(self._open_one(connection))
        connection.task = task

    async def _open_one(self, connection: _Connection) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: connection, "127.0.0.1", self.port)
        except OSError:
            self._open.discard(connection)
            self.statuses["unsent"] += 1

    async def _connect(self) -> _Connection:
        connection = _Connection(self)
        self._open.add(connection)
        await self._open_one(connection)
        return connection

    async def _drain(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while len(self._idle) < len(self._open) and time.perf_counter() < end:
            await asyncio.sleep(0.02)
        hanging = len(self._open) - len(self._idle)
        if hanging > 0:
            self.statuses["hung"] += hanging

    def close(self) -> None:
        for connection in list(self._open):
            if connection.transport is not None:
                connection.transport.abort()

    def idle(self, connection: _Connection) -> None:
        self._idle.append(connection)

    def gone(self, connection: _Connection) -> None:
        self._open.discard(connection)
        with contextlib.suppress(ValueError):
            self._idle.remove(connection)


class _Connection(asyncio.Protocol):
    def __init__(self, flood: Flood) -> None:
        self.flood = flood
        self.transport: asyncio.Transport | None = None
        self.waiting: tuple[bytes, float] | None = None
        self.task: asyncio.Future[None] | None = None
        self.alive = True
        self.due: float | None = None
        self.got = b""
        self.done = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        if self.waiting is not None:
            self.send(*self.waiting)

    def send(self, request: bytes, due: float) -> None:
        self.due, self.got = due, b""
        self.done.clear()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.got += data
        head, end, body = self.got.partition(b"\r\n\r\n")
        if not end or self.due is None:
            return
        at = head.find(b"content-length: ")
        size = int(head[at + 16 : head.find(b"\r\n", at) if b"\r\n" in head[at:] else None])
        if at >= 0 and len(body) < size:
            return
        due, self.due = self.due, None
        self.flood.answered(int(head[9:12]), due)
        self.flood.idle(self)
        self.done.set()

    def connection_lost(self, _error: Exception | None) -> None:
        self.alive = False
        if self.due is not None:
            self.flood.statuses["cut"] += 1
        self.flood.gone(self)
        self.done.set()


def share(times: list[float], part: float) -> float:
    """A percentile of times, 0 when there are none."""
    ordered = sorted(times)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0
