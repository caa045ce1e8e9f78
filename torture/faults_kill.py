"""``kill -9`` of a worker and of the whole program, under saves and links."""

from __future__ import annotations

import asyncio
import contextlib
import time

import psutil

from torture.harness import ENGINES, Harness, Result, harness, scenario

READY_SECONDS = 2.0


def workers_of(r: Harness) -> list[psutil.Process]:
    """The worker processes under the parent."""
    children = psutil.Process(r.service.process.pid).children(recursive=True)
    found = []
    for child in children:
        with contextlib.suppress(psutil.Error):
            if any("spawn_main" in word for word in child.cmdline()):
                found.append(child)
    return found


def _alive(process: psutil.Process) -> bool:
    """A zombie that nobody has buried yet is not."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@scenario(*ENGINES)
async def kill_the_service(engine: str, result: Result, scale: float) -> None:
    """All its processes at once, at random moments; started again each time."""
    times = max(3, round(50 * min(1, 2 * scale)))
    with harness(engine, result, scale, events=True) as r:
        slowest = 0.0

        async def fault() -> None:
            nonlocal slowest
            for _ in range(times):
                await asyncio.sleep(0.2)
                await asyncio.to_thread(r.service.kill)
                began = time.monotonic()
                await asyncio.to_thread(r.service.start)
                slowest = max(slowest, time.monotonic() - began)
                await r.well_again(began, within=READY_SECONDS)

        await r.under_load(fault, count=12)
        result.faults = f"kill -9 {times} times"
        result.notes.append(f"listening again after {slowest:.2f} s at most")
        result.must(slowest <= READY_SECONDS, f"listening again only after {slowest:.2f} s")
        await r.compare()


@scenario(*ENGINES)
async def kill_a_worker(engine: str, result: Result, scale: float) -> None:
    """One of two processes; the other serves on, and a new one takes its place."""
    times = max(2, round(8 * scale))
    with harness(engine, result, scale, {"WISHWELL_WORKERS": "2"}, events=True) as r:
        refused = 0

        async def fault() -> None:
            nonlocal refused
            for number in range(times):
                worker = workers_of(r)[number % 2]
                worker.kill()
                began = time.monotonic()
                while time.monotonic() - began < 8:
                    alive = [w for w in workers_of(r) if w.pid != worker.pid]
                    if len(alive) == 2:
                        break
                    await asyncio.sleep(0.1)
                else:
                    result.wrong.append("the worker was not replaced within 8 s")
                await asyncio.sleep(1)
            refused = r.journal.statuses()["unsent"]

        await r.under_load(fault, count=12)
        result.faults = f"kill -9 of a worker {times} times"
        result.must(refused == 0, f"{refused} connections refused")
        await r.compare()


@scenario()
async def kill_the_parent(engine: str, result: Result, scale: float) -> None:
    """Only the parent of two workers: they must not stay behind and hold the port."""
    with harness(engine, result, scale, {"WISHWELL_WORKERS": "2"}, events=True) as r:

        async def fault() -> None:
            workers = workers_of(r)
            r.service.process.kill()
            r.service.process.wait()
            end = time.monotonic() + 8
            while (left := [w for w in workers if _alive(w)]) and time.monotonic() < end:
                await asyncio.sleep(0.1)
            result.must(not left, f"{len(left)} workers outlive their parent")
            for worker in left:
                worker.kill()
            await asyncio.to_thread(r.service.start)

        await r.under_load(fault, count=8)
        result.faults = "kill -9 of the parent"
        await r.compare()


@scenario("postgresql")
async def kill_a_worker_in_an_outage(engine: str, result: Result, scale: float) -> None:
    """A worker dies while the database is away: the service must be there afterwards."""
    with harness(engine, result, scale, {"WISHWELL_WORKERS": "2"}, events=True) as r:

        async def fault() -> None:
            await asyncio.to_thread(r.postgres.stop, "immediate")
            workers_of(r)[0].kill()
            await asyncio.sleep(4)
            running = r.service.running
            result.must(running, "the whole service ended")
            await asyncio.to_thread(r.postgres.start)
            up = time.monotonic()
            if not running:
                await asyncio.to_thread(r.service.start)
            await r.well_again(up)

        await r.under_load(fault, count=8)
        result.faults = "kill -9 of a worker while the database is stopped"
        await r.compare()
