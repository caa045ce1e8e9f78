"""Misbehaving clients, and a well-behaved one next to them that must not suffer."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

import psutil

from bench.client import bearer, request
from bench.flood import Apart, raise_open_files
from tests.faults.harness import Harness, scenario
from tests.servers import HERE, PREFIX

Conduct = Callable[[Harness, int, StreamReader, StreamWriter], Awaitable[None]]


def crowd(count: int, *engines: str, pause: float = 0.1) -> Callable[[Conduct], Conduct]:
    """Registers a scenario of ``count`` clients that repeat the same conduct on new connections."""

    def register(conduct: Conduct) -> Conduct:
        @scenario(*engines)
        @functools.wraps(conduct)
        async def beside(r: Harness) -> None:
            if raise_open_files() < count + 500:
                r.result.skipped = f"this process may not open {count} files"
            else:
                await _beside(r, count, functools.partial(_again_and_again, r, conduct, pause))

        return conduct

    return register


async def _again_and_again(r: Harness, conduct: Conduct, pause: float, number: int) -> None:
    while True:
        with contextlib.suppress(OSError, EOFError):
            reader, writer = await asyncio.open_connection(HERE, r.port)
            try:
                await conduct(r, number, reader, writer)
            finally:
                writer.transport.abort()
        await asyncio.sleep(pause)


@asynccontextmanager
async def _all_at_once(count: int, client: Callable[[int], Awaitable[None]]) -> AsyncIterator[None]:
    """Runs ``count`` clients, opened in batches of a hundred; cancels them at the end."""
    tasks = []
    for number in range(count):
        tasks.append(asyncio.ensure_future(client(number)))
        if number % 100 == 99:
            await asyncio.sleep(0.02)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Measured(NamedTuple):
    """Requests of well-behaved callers, and the processor time of the service, each per second."""

    requests: float
    processor: float


async def _measure(r: Harness, flood: Apart, process: psutil.Process, seconds: float) -> Measured:
    """Measures well-behaved callers on four connections in a closed loop, from a separate
    process."""
    began, spent = time.monotonic(), sum(process.cpu_times()[:2])
    told = await flood.ask(connections=4, seconds=seconds)
    took, spent = time.monotonic() - began, sum(process.cpu_times()[:2]) - spent
    r.result.answered(told["statuses"])
    return Measured(sum(told["statuses"].values()) / took, spent / took)


async def _beside(r: Harness, count: int, client: Callable[[int], Awaitable[None]]) -> None:
    seconds = max(3.0, 6 * r.scale)
    process = psutil.Process(r.service.process.pid)
    flood = Apart(r.port, r.service.admin_token())
    await _measure(r, flood, process, 1)
    files = process.num_fds()
    memory = process.memory_info().rss / 2**20
    before = await _measure(r, flood, process, seconds)
    async with _all_at_once(count, client):
        await asyncio.sleep(0.5)
        held = process.num_fds() - files
        beside = await _measure(r, flood, process, seconds)
        grown = process.memory_info().rss / 2**20 - memory
    end = time.monotonic() + 15
    while process.num_fds() > files + 20 and time.monotonic() < end:
        await asyncio.sleep(0.2)
    left = process.num_fds() - files
    after = await _measure(r, flood, process, seconds)
    await flood.close()
    r.result.load = round(beside.requests, 1)
    r.result.faults = f"{count} clients"
    rates = [f"{one.requests:.0f}" for one in (before, beside, after)]
    r.note("{} a second before, {} beside them, {} afterwards".format(*rates))
    r.note(f"{held} connections held, memory {grown:+.0f} MiB")
    # Other programs on the machine change all rates, so a low one only shows that callers starve.
    alone = min(before.requests, after.requests)
    r.must(beside.requests > alone / 4, f"{beside.requests:.0f} of {alone:.0f} a second are left")
    request = max(one.processor / one.requests for one in (before, after))
    taken = beside.processor - beside.requests * request
    r.note(f"they take {max(0, taken):.1%} of the service's processor")
    r.must(taken <= 0.2, f"they take {taken:.1%} of the service's processor")
    r.must(set(r.result.answers) <= {"200", "201"}, f"answers: {r.result.answers}")
    r.must(grown < 400, f"memory grew by {grown:.0f} MiB")
    r.must(left <= 20, f"{left} connections are still open 15 s afterwards")


def _request(r: Harness, path: str, **headers: str) -> bytes:
    return request("GET", PREFIX + path, bearer(r.service.admin_token()) | headers)


def half_sent(r: Harness, length: int = 1_000) -> bytes:
    """Returns the head of a save whose body doesn't follow."""
    headers = {"Profile": "gid://shopify/Customer/slow", "Content-Type": "application/json"}
    headers |= bearer(r.service.admin_token()) | {"Content-Length": str(length)}
    return request("POST", f"{PREFIX}/items", headers)


@crowd(1_000, "sqlite", pause=1)
async def slow_clients(r: Harness, number: int, reader: StreamReader, writer: StreamWriter) -> None:
    """1,000 clients that send a byte a second, of headers or a body, and reconnect when refused."""
    writer.write(half_sent(r) if number % 2 else b"")
    for byte in b"GET /livez HTTP/1.1\r\n" * 3:
        writer.write(bytes([byte]))
        await asyncio.sleep(1)


@crowd(100, "sqlite", "postgresql", pause=1)
async def dropped_connections(
    r: Harness, number: int, reader: StreamReader, writer: StreamWriter
) -> None:
    """100 clients that disconnect before or during the response."""
    writer.write(_request(r, "/items"))
    if number % 2:
        await reader.read(10)


@crowd(10_000, "sqlite")
async def idle_connections(
    r: Harness, number: int, reader: StreamReader, writer: StreamWriter
) -> None:
    """10,000 connections that made one request and are idle."""
    writer.write(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    await asyncio.sleep(3600)


@crowd(5, "sqlite")
async def pipelining_without_reading(
    r: Harness, number: int, reader: StreamReader, writer: StreamWriter
) -> None:
    """5 clients that send requests without a pause and read no responses."""
    while True:
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 20_000)
        await writer.drain()
