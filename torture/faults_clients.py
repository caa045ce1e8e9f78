"""Clients that misbehave, and a well-behaved one beside them that must not suffer."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import psutil

from torture.flood import raise_open_files
from torture.rig import PREFIX, Result, Rig, rig, scenario

Conduct = Callable[[Rig, int], Awaitable[None]]


async def _throughput(r: Rig, seconds: float) -> float:
    """What one well-behaved caller gets, on four connections, one request after the other."""
    end = time.monotonic() + seconds
    admin = r.service.admin_token()

    async def one() -> int:
        client = r.client(Authorization=f"Bearer {admin}", Profile="gid://shopify/Customer/good")
        count = 0
        while time.monotonic() < end:
            answer = await client.ask("GET", PREFIX + "/items?limit=10")
            r.result.answers[str(answer.status)] = r.result.answers.get(str(answer.status), 0) + 1
            count += 1
            await asyncio.sleep(0.005)
        client.close()
        return count

    return sum(await asyncio.gather(*(one() for _ in range(4)))) / seconds


@asynccontextmanager
async def crowd(r: Rig, count: int, conduct: Conduct) -> AsyncIterator[list[asyncio.Task[None]]]:
    """So many clients of one conduct, opened a hundred at a time; gone at the end."""
    tasks: list[asyncio.Task[None]] = []
    for number in range(count):
        tasks.append(asyncio.create_task(conduct(r, number)))
        if number % 100 == 99:
            await asyncio.sleep(0.02)
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _beside(result: Result, engine: str, scale: float, count: int, conduct: Conduct) -> None:
    raise_open_files()
    seconds = max(3.0, 6 * scale)
    with rig(engine, result, scale) as r:
        process = psutil.Process(r.service.process.pid)
        await _throughput(r, 1)
        files = process.num_fds()
        memory = process.memory_info().rss / 2**20
        alone = await _throughput(r, seconds)
        async with crowd(r, count, conduct):
            await asyncio.sleep(0.5)
            held = process.num_fds() - files
            beside = await _throughput(r, seconds)
            grown = process.memory_info().rss / 2**20 - memory
        result.load = round(beside, 1)
        result.faults = f"{count} clients"
        result.notes += [
            f"{alone:.0f} a second alone, {beside:.0f} beside them",
            f"{held} connections held, memory {grown:+.0f} MiB",
        ]
        result.must(beside >= 0.8 * alone, f"{beside:.0f} of {alone:.0f} a second are left")
        result.must(set(result.answers) == {"200"}, f"answers: {result.answers}")
        result.must(grown < 400, f"memory grew by {grown:.0f} MiB")
        end = time.monotonic() + 15
        while process.num_fds() > files + 20 and time.monotonic() < end:
            await asyncio.sleep(0.2)
        left = process.num_fds() - files
        result.must(left <= 20, f"{left} connections are still open 15 s afterwards")
        result.must("Traceback" not in r.service.output(), "a traceback in the log")


@asynccontextmanager
async def _connection(r: Rig) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", r.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


def _post(r: Rig, length: int) -> bytes:
    return (
        f"POST {PREFIX}/items HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {r.service.admin_token()}\r\n"
        f"Profile: gid://shopify/Customer/slow\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


async def _slow(r: Rig, number: int) -> None:
    """A byte a second, of headers or of a body; once more when it is refused."""
    request = _post(r, 1000) if number % 2 else b""
    while True:
        with contextlib.suppress(OSError):
            async with _connection(r) as (_, writer):
                writer.write(request)
                for byte in b"GET /livez HTTP/1.1\r\n" * 3:
                    writer.write(bytes([byte]))
                    await asyncio.sleep(1)
        await asyncio.sleep(1)


async def _half(r: Rig, number: int) -> None:
    """Half a body, then gone."""
    while True:
        with contextlib.suppress(OSError):
            async with _connection(r) as (_, writer):
                writer.write(_post(r, 40) + b'{"productId":')
                await asyncio.sleep(0.5 + number % 10 / 10)


async def _drop(r: Rig, number: int) -> None:
    """Asks for a page and is gone before, or in the middle of, the answer."""
    ask = (
        f"GET {PREFIX}/items HTTP/1.1\r\nHost: a\r\n"
        f"Authorization: Bearer {r.service.admin_token()}\r\n\r\n"
    ).encode()
    while True:
        with contextlib.suppress(OSError):
            async with _connection(r) as (reader, writer):
                writer.write(ask)
                if number % 2:
                    await reader.read(10)
        await asyncio.sleep(1 + number % 10 / 10)


async def _idle(r: Rig, number: int) -> None:
    """One request, then silence."""
    with contextlib.suppress(OSError):
        async with _connection(r) as (_, writer):
            writer.write(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            await asyncio.sleep(3600)


@scenario("sqlite")
async def slow_clients(engine: str, result: Result, scale: float) -> None:
    """1,000 clients that send a byte a second."""
    await _beside(result, engine, scale, 1_000, _slow)


@scenario("sqlite")
async def half_sent_bodies(engine: str, result: Result, scale: float) -> None:
    """200 clients that send half a body and go, again and again."""
    await _beside(result, engine, scale, 200, _half)


@scenario("sqlite", "postgresql")
async def dropped_connections(engine: str, result: Result, scale: float) -> None:
    """100 clients that are gone before they have their answer."""
    await _beside(result, engine, scale, 100, _drop)


@scenario("sqlite")
async def idle_connections(engine: str, result: Result, scale: float) -> None:
    """10,000 connections that asked once and are silent."""
    if raise_open_files() < 10_500:
        result.skipped = "this process may not open 10,000 files"
        return
    await _beside(result, engine, scale, 10_000, _idle)


@scenario("sqlite")
async def pipelining(engine: str, result: Result, scale: float) -> None:
    """2,000 requests sent at once on one connection: as many answers, in their order."""
    with rig(engine, result, scale) as r:
        admin = r.service.admin_token()
        ids = [f"00000000-0000-4000-8000-{number:012d}" for number in range(2_000)]
        asks = "".join(
            f"GET {PREFIX}/items HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {admin}\r\n"
            f"X-Request-Id: {id}\r\n\r\n"
            for id in ids
        )
        async with _connection(r) as (reader, writer):
            writer.write(asks.encode())
            seen = []
            async with asyncio.timeout(20):
                while len(seen) < len(ids):
                    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                    fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:-2])
                    await reader.readexactly(int(fields["content-length"]))
                    status = head.split(" ")[1]
                    result.answers[status] = result.answers.get(status, 0) + 1
                    seen.append(fields["x-request-id"])
        result.faults = "2,000 requests in one go"
        result.must(seen == ids, "answers are missing or in another order")
