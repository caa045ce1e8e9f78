"""Stopping and restarting on purpose: SIGTERM and SIGHUP under load."""

from __future__ import annotations

import asyncio
import signal
import time

from torture.harness import Harness, Result, harness, scenario


async def _stop(r: Harness) -> float:
    """Ends the program as an operator does; seconds until it was gone."""
    began = time.monotonic()
    code = await asyncio.to_thread(r.service.stop)
    took = time.monotonic() - began
    r.result.must(code == 0, f"ended with {code}")
    r.result.must(took <= 10, f"gone only after {took:.1f} s")
    return took


def _nothing_was_cut(r: Harness, cut_but_done_before: int = 0) -> None:
    """A request that was done must have had its answer."""
    cut = r.result.cut_but_done - cut_but_done_before
    r.result.must(cut == 0, f"{cut} requests were done and their answers cut")
    failed = sum(entry.status >= 500 and entry.status != 503 for entry in r.journal.entries)
    r.result.must(failed == 0, f"{failed} answers of 5xx that are not 503")


async def _sigterm(engine: str, result: Result, scale: float, workers: int) -> None:
    times = max(3, round(8 * scale))
    with harness(engine, result, scale, {"WISHWELL_WORKERS": str(workers)}) as r:
        took: list[float] = []

        async def fault() -> None:
            for _ in range(times):
                took.append(await _stop(r))
                await asyncio.to_thread(r.service.start)
                await r.well_again(time.monotonic())
                await asyncio.sleep(0.5)

        await r.under_load(fault, count=16)
        result.faults = f"SIGTERM {times} times, {workers} worker{'s' * (workers > 1)}"
        result.notes.append(f"gone after {max(took):.2f} s at most")
        await r.compare()
        _nothing_was_cut(r)


@scenario()
async def sigterm(engine: str, result: Result, scale: float) -> None:
    """Asked to stop under load: nothing that was accepted is cut, and it is out soon."""
    await _sigterm(engine, result, scale, 1)


@scenario()
async def sigterm_two_workers(engine: str, result: Result, scale: float) -> None:
    """The same with two processes."""
    await _sigterm(engine, result, scale, 2)


@scenario()
async def rolling_restart(engine: str, result: Result, scale: float) -> None:
    """SIGHUP to the parent of two workers, one replaced after the other."""
    times = max(1, round(3 * scale))
    with harness(engine, result, scale, {"WISHWELL_WORKERS": "2"}) as r:

        async def fault() -> None:
            for _ in range(times):
                r.service.process.send_signal(signal.SIGHUP)
                await asyncio.sleep(5)

        await r.under_load(fault, count=16)
        result.faults = f"SIGHUP {times} times"
        statuses = r.journal.statuses()
        result.must(statuses["503"] == 0, f"{statuses['503']} answers of 503")
        result.must(statuses["unsent"] == 0, f"{statuses['unsent']} connections refused")
        await r.compare()
        _nothing_was_cut(r)


@scenario()
async def sigterm_with_slow_clients(engine: str, result: Result, scale: float) -> None:
    """Asked to stop while clients are half way through a body, and others never read."""
    with harness(engine, result, scale) as r:
        admin = r.service.admin_token()
        half = (
            "POST /api/2025-04/items HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {admin}\r\nProfile: gid://shopify/Customer/half\r\n"
            'Content-Length: 100\r\n\r\n{"productId":'
        ).encode()
        connections = []
        for _ in range(20):
            reader, writer = await asyncio.open_connection("127.0.0.1", r.port)
            writer.write(half)
            connections.append((reader, writer))

        async def fault() -> None:
            took = await _stop(r)
            result.notes.append(f"gone after {took:.2f} s")
            answers = {(await reader.read())[:12] for reader, _ in connections}
            result.notes.append(f"half-sent bodies were answered {sorted(answers)}")
            allowed = {b"HTTP/1.1 503", b"HTTP/1.1 408", b""}
            result.must(answers <= allowed, f"half-sent bodies: {answers}")
            for _, writer in connections:
                writer.close()
            await asyncio.to_thread(r.service.start)

        await r.under_load(fault, count=8)
        result.faults = "SIGTERM beside 20 half-sent bodies"
        await r.compare()
        _nothing_was_cut(r)


@scenario("postgresql")
async def sigterm_while_paused(engine: str, result: Result, scale: float) -> None:
    """Asked to stop while the database does not answer."""
    with harness(engine, result, scale) as r:

        async def fault() -> None:
            await asyncio.to_thread(r.postgres.pause)
            await asyncio.sleep(3)
            took = await _stop(r)
            result.notes.append(f"gone after {took:.2f} s")
            await asyncio.to_thread(r.postgres.resume)
            await asyncio.to_thread(r.service.start)

        await r.under_load(fault, count=16)
        result.faults = "SIGTERM with the server paused"
        await r.compare()
