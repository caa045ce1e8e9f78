"""``kill -9`` of a worker and of the whole program, under saves and links."""

from __future__ import annotations

import asyncio
import contextlib
import time
from asyncio import to_thread

import psutil

from torture.harness import ENGINES, TWO, Harness, scenario

READY_SECONDS = 2.0


def workers_of(r: Harness) -> list[psutil.Process]:
    """The worker processes under the parent."""
    workers = []
    for child in psutil.Process(r.service.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any("spawn_main" in word for word in child.cmdline()):
                workers.append(child)
    return workers


def _alive(process: psutil.Process) -> bool:
    """A zombie that nobody has buried yet is not."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@scenario(*ENGINES, load=12, events=True)
async def kill_the_service(r: Harness) -> None:
    """All its processes at once, at random moments; started again each time."""
    times = max(3, round(50 * min(1, 2 * r.scale)))
    r.result.faults = f"kill -9 {times} times"
    slowest = 0.0
    for _ in range(times):
        await asyncio.sleep(0.2)
        await to_thread(r.service.kill)
        began = time.monotonic()
        await to_thread(r.service.start)
        slowest = max(slowest, time.monotonic() - began)
        await r.well_again(began, within=READY_SECONDS)
    r.note(f"listening again after {slowest:.2f} s at most")
    r.must(slowest <= READY_SECONDS, f"listening again only after {slowest:.2f} s")


@scenario(*ENGINES, load=12, settings=TWO, events=True)
async def kill_a_worker(r: Harness) -> None:
    """One of two processes; the other serves on, and a new one takes its place."""
    times = max(2, round(8 * r.scale))
    r.result.faults = f"kill -9 of a worker {times} times"
    for number in range(times):
        worker = workers_of(r)[number % 2]
        worker.kill()
        end = time.monotonic() + 8
        while len([w for w in workers_of(r) if w.pid != worker.pid]) != 2:
            if time.monotonic() > end:
                r.must(False, "the worker was not replaced within 8 s")
                break
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)
    refused = r.journal.statuses()["unsent"]
    r.must(refused == 0, f"{refused} connections refused")


@scenario(load=8, settings=TWO, events=True)
async def kill_the_parent(r: Harness) -> None:
    """Only the parent of two workers: they must not stay behind and hold the port."""
    r.result.faults = "kill -9 of the parent"
    workers = workers_of(r)
    r.service.process.kill()
    r.service.process.wait()
    end = time.monotonic() + 8
    while (left := [w for w in workers if _alive(w)]) and time.monotonic() < end:
        await asyncio.sleep(0.1)
    r.must(not left, f"{len(left)} workers outlive their parent")
    for worker in left:
        worker.kill()
    await to_thread(r.service.start)


@scenario("postgresql", load=8, settings=TWO, events=True)
async def kill_a_worker_in_an_outage(r: Harness) -> None:
    """A worker dies while the database is away: the service must be there afterwards."""
    r.result.faults = "kill -9 of a worker while the database is stopped"
    await to_thread(r.postgres.stop, "immediate")
    workers_of(r)[0].kill()
    await asyncio.sleep(4)
    running = r.service.running
    r.must(running, "the whole service ended")
    await to_thread(r.postgres.start)
    up = time.monotonic()
    if not running:
        await to_thread(r.service.start)
    await r.well_again(up)
