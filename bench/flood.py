"""Open-loop load: requests at a constant rate, on as many connections as that takes.

``python -m bench.flood PORT TOKEN`` runs in a separate process, so that its CPU time isn't taken
from the measured program. It reads a command as a line of JSON and writes the results as one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import uvloop

from bench.client import bearer, parsed, request
from tests.servers import HERE, PREFIX

MOST_CONNECTIONS = 1_500
"""Limit of connections, below a listening socket's backlog, because more would measure the kernel's
SYN retries."""


def raise_open_files() -> int:
    """Raises the limit of open files to the maximum, also for child processes; returns it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Flood:
    """Sends requests and collects results. Times count from the start of a request: its connection
    if that is new, else its first byte. How late the start was is recorded separately
    (``late_ms``), because this process waited for a CPU before anybody had asked the service."""

    def __init__(self, port: int, make: Callable[[int], bytes]) -> None:
        self._port, self._make, self._number = port, make, 0
        self.statuses = Counter[str]()
        self.served_ms: list[float] = []
        self.refused_ms: list[float] = []
        self.late_ms: list[float] = []
        self.most = 0
        self.open = set[_Connection]()
        self.idle: list[_Connection] = []

    async def at_rate(self, rate: float, seconds: float) -> None:
        """Sends ``rate`` requests a second without waiting for responses (open loop)."""
        began, sent = time.perf_counter(), 0
        async with asyncio.TaskGroup() as sending:
            while (passed := time.perf_counter() - began) < seconds:
                for _ in range(int(passed * rate) - sent):
                    self.late_ms.append((time.perf_counter() - began - sent / rate) * 1000)
                    sent += 1
                    if self.idle:
                        self.idle.pop().send(self._next())
                    elif len(self.open) < MOST_CONNECTIONS:
                        sending.create_task(self._connection().begin(self._port, self._next()))
                    else:
                        self.statuses["not sent"] += 1
                await asyncio.sleep(0.001)
        end = time.perf_counter() + 10
        while (hanging := len(self.open) - len(self.idle)) and time.perf_counter() < end:
            await asyncio.sleep(0.02)
        self.statuses["hung"] += hanging
        self._close()

    async def closed(self, connections: int, seconds: float) -> None:
        """Closed loop: each connection sends its next request after a response."""
        end = time.perf_counter() + seconds

        async def ask() -> None:
            connection = self._connection()
            await connection.begin(self._port, self._next())
            await connection.done.wait()
            while time.perf_counter() < end and connection in self.open:
                connection.send(self._next())
                await connection.done.wait()

        await asyncio.gather(*(ask() for _ in range(connections)))
        self._close()

    def _next(self) -> bytes:
        self._number += 1
        return self._make(self._number)

    def _connection(self) -> _Connection:
        connection = _Connection(self)
        self.open.add(connection)
        self.most = max(self.most, len(self.open))
        return connection

    def _close(self) -> None:
        for connection in self.open:
            connection.transport.abort()


class _Connection(asyncio.Protocol):
    transport: Any = None

    def __init__(self, flood: Flood) -> None:
        self.flood = flood
        self.sent_at: float | None = None
        self.received = b""
        self.done = asyncio.Event()

    async def begin(self, port: int, content: bytes) -> None:
        """Opens the connection and sends a request."""
        sent_at = time.perf_counter()
        loop = asyncio.get_running_loop()
        try:
            self.transport, _ = await loop.create_connection(lambda: self, HERE, port)
        except OSError:
            self.flood.open.discard(self)
            self.flood.statuses["unsent"] += 1
            self.done.set()
        else:
            self.send(content, sent_at)

    def send(self, content: bytes, sent_at: float | None = None) -> None:
        self.sent_at, self.received = sent_at or time.perf_counter(), b""
        self.done.clear()
        self.transport.write(content)

    def data_received(self, data: bytes) -> None:
        self.received += data
        whole = parsed(self.received)
        if whole is None or self.sent_at is None:
            return
        flood, ms = self.flood, (time.perf_counter() - self.sent_at) * 1000
        self.sent_at = None
        flood.statuses[str(whole.status)] += 1
        (flood.served_ms if whole.status < 300 else flood.refused_ms).append(ms)
        flood.idle.append(self)
        self.done.set()

    def connection_lost(self, _error: Exception | None) -> None:
        if self.sent_at is not None:
            self.flood.statuses["cut"] += 1
        self.flood.open.discard(self)
        with contextlib.suppress(ValueError):
            self.flood.idle.remove(self)
        self.done.set()


def share(times: Sequence[float], part: float) -> float:
    """Returns a percentile of times; 0 without any."""
    ordered = sorted(times)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0


class Apart:
    """A flood in another process."""

    def __init__(self, port: int, admin: str) -> None:
        self._words = (sys.executable, "-m", "bench.flood", str(port), admin)
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, **command: Any) -> dict[str, Any]:
        """Runs a command: ``connections=, seconds=`` for a closed loop, or ``rate=, seconds=``."""
        if self._process is None:
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(
                *self._words, stdin=pipe, stdout=pipe
            )
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        answered = await self._process.stdout.readline()
        if not answered:
            raise RuntimeError("the flood has ended by itself")
        return json.loads(answered)

    async def close(self) -> None:
        if self._process is not None:
            self._process.stdin.close()
            await self._process.wait()


def _flood(port: int, admin: str, command: dict[str, float]) -> dict[str, Any]:
    """Runs a command with 70 % page reads and 30 % saves of 50 customers."""

    def make(number: int) -> bytes:
        headers = bearer(admin) | {"Profile": f"gid://shopify/Customer/flood-{number % 50}"}
        if number % 10 < 7:
            return request("GET", f"{PREFIX}/items?limit=20", headers)
        return request("POST", f"{PREFIX}/items", headers, {"productId": number % 1000 + 1})

    flood = Flood(port, make)
    seconds = command["seconds"]
    if "rate" in command:
        uvloop.run(flood.at_rate(command["rate"], seconds))
    else:
        uvloop.run(flood.closed(int(command["connections"]), seconds))
    figures = {
        "statuses": {status: count for status, count in flood.statuses.items() if count},
        "highest": flood.statuses.total() / seconds,
        "served": len(flood.served_ms),
        "most": flood.most,
    }
    for name in ("served", "refused", "late"):
        times = getattr(flood, f"{name}_ms")
        figures |= {f"{name}_p{p}": share(times, p / 100) for p in (50, 99, 100)}
    return figures


if __name__ == "__main__":
    raise_open_files()
    for line in sys.stdin:
        figures = _flood(int(sys.argv[1]), sys.argv[2], json.loads(line))
        print(json.dumps(figures), flush=True)
