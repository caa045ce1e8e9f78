"""Requests at a rate that does not wait for answers, on as many connections as that takes.

``python -m torture.flood PORT TOKEN`` is a process of its own, so that what it costs to ask is not
taken from what is measured: a command as a line of JSON in, what came back as a line of JSON out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import uvloop

from tests.servers import HERE, PREFIX

MOST_CONNECTIONS = 1_500
"""Below the backlog of a listening socket: more would measure the kernel's retries of SYN."""


def raise_open_files() -> int:
    """As many open files as this process may have; its children too."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


@dataclass
class Flood:
    """What came back; times run from the moment at which a request was begun: its connection, where
    that is new, else its first byte. How late that was is counted apart (``late_ms``): it is this
    process that waited for a processor, and nobody had asked the service for anything yet."""

    port: int
    make: Callable[[int], bytes]
    statuses: Counter[str] = field(default_factory=Counter)
    served_ms: list[float] = field(default_factory=list)
    refused_ms: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)  # on a connection that was just opened
    most: int = 0
    late_ms: list[float] = field(default_factory=list)  # how far behind its own rate this was
    _idle: list[_Connection] = field(default_factory=list)
    _open: set[_Connection] = field(default_factory=set)
    _number: int = 0

    def answered(self, status: int, asked: float, first: bool) -> None:
        self.statuses[str(status)] += 1
        ms = (time.perf_counter() - asked) * 1000
        (self.served_ms if status < 300 else self.refused_ms).append(ms)
        if first:
            self.first_ms.append(ms)

    async def at_rate(self, rate: float, seconds: float) -> None:
        """Offers ``rate`` requests a second, whatever comes back."""
        began, sent = time.perf_counter(), 0
        async with asyncio.TaskGroup() as opening:
            while (passed := time.perf_counter() - began) < seconds:
                for _ in range(int(passed * rate) - sent):
                    now = time.perf_counter()
                    self.late_ms.append((now - began - sent / rate) * 1000)
                    sent += 1
                    if self._idle:
                        self._idle.pop().send(self._next(), now)
                    elif len(self._open) < MOST_CONNECTIONS:
                        connection = self._add()
                        opening.create_task(self._connect(connection, self._next(), now))
                    else:
                        self.statuses["not sent"] += 1
                await asyncio.sleep(0.004)
        end = time.perf_counter() + 10
        while (hanging := len(self._open) - len(self._idle)) and time.perf_counter() < end:
            await asyncio.sleep(0.02)
        self.statuses["hung"] += hanging

    async def closed(self, connections: int, seconds: float) -> float:
        """Each connection asks again when it has its answer; requests a second."""
        end = time.perf_counter() + seconds

        async def one() -> None:
            connection = self._add()
            await self._connect(connection, self._next(), time.perf_counter())
            await connection.done.wait()
            while time.perf_counter() < end and connection in self._open:
                connection.send(self._next(), time.perf_counter())
                await connection.done.wait()

        await asyncio.gather(*(one() for _ in range(connections)))
        return self.statuses.total() / seconds

    def _next(self) -> bytes:
        self._number += 1
        return self.make(self._number)

    def _add(self) -> _Connection:
        connection = _Connection(self)
        self._open.add(connection)
        self.most = max(self.most, len(self._open))
        return connection

    async def _connect(self, connection: _Connection, request: bytes, asked: float) -> None:
        """Opens a connection and sends on it."""
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: connection, HERE, self.port)
        except OSError:
            self._open.discard(connection)
            self.statuses["unsent"] += 1
            connection.done.set()
        else:
            connection.send(request, asked)

    def close(self) -> None:
        for connection in self._open:
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
        self.transport: Any = None
        self.first = True
        self.asked: float | None = None
        self.got = b""
        self.done = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def send(self, request: bytes, asked: float) -> None:
        self.asked, self.got = asked, b""
        self.done.clear()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.got += data
        head, end, body = self.got.partition(b"\r\n\r\n")
        if not end or self.asked is None:
            return
        size = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) < size:
            return
        asked, self.asked = self.asked, None
        self.flood.answered(int(head[9:12]), asked, self.first)
        self.first = False
        self.flood.idle(self)
        self.done.set()

    def connection_lost(self, _error: Exception | None) -> None:
        if self.asked is not None:
            self.flood.statuses["cut"] += 1
        self.flood.gone(self)
        self.done.set()


def share(times: list[float], part: float) -> float:
    """A percentile of times, 0 when there are none."""
    ordered = sorted(times)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0


def requests(admin: str) -> Callable[[int], bytes]:
    """Seven reads of a page to three saves, of 50 customers."""

    def make(number: int) -> bytes:
        head = (
            f"Host: a\r\nAuthorization: Bearer {admin}\r\n"
            f"Profile: gid://shopify/Customer/flood-{number % 50}\r\n"
        )
        if number % 10 < 7:
            return f"GET {PREFIX}/items?limit=20 HTTP/1.1\r\n{head}\r\n".encode()
        body = f'{{"productId":{number % 1000 + 1}}}'
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        return f"POST {PREFIX}/items HTTP/1.1\r\n{head}{kind}".encode()

    return make


class Apart:
    """A flood in another process."""

    def __init__(self, port: int, admin: str) -> None:
        self._words = (sys.executable, "-m", "torture.flood", str(port), admin)
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, **command: Any) -> dict[str, Any]:
        """``do="closed", connections=, seconds=`` or ``do="rate", rate=, seconds=``."""
        if self._process is None:
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(
                *self._words, stdin=pipe, stdout=pipe, limit=2**20
            )
        process = self._process
        process.stdin.write(json.dumps(command).encode() + b"\n")
        answer = await process.stdout.readline()
        if not answer:
            raise RuntimeError("the flood has ended by itself")
        return json.loads(answer)

    async def close(self) -> None:
        if self._process is not None:
            self._process.stdin.close()
            await self._process.wait()


async def _obey(port: int, admin: str) -> None:
    raise_open_files()
    make = requests(admin)
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command = json.loads(line)
        flood = Flood(port, make)
        told: dict[str, Any] = {}
        if command["do"] == "closed":
            told["highest"] = await flood.closed(command["connections"], command["seconds"])
        else:
            await flood.at_rate(command["rate"], command["seconds"])
        flood.close()
        told |= {
            "statuses": {status: count for status, count in flood.statuses.items() if count},
            "served": len(flood.served_ms),
            "most": flood.most,
        }
        for name in ("served", "refused", "first", "late"):
            times = getattr(flood, f"{name}_ms")
            told |= {f"{name}_p{p}": share(times, p / 100) for p in (50, 99, 100)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    uvloop.run(_obey(int(sys.argv[1]), sys.argv[2]))
