"""``kill -9`` of a worker and of the whole program, during saves and links."""

from __future__ import annotations

import asyncio
import contextlib
import time
from asyncio import to_thread

import psutil

from tests.faults.harness import ENGINES, TWO, Harness, scenario

READY_SECONDS = 2.0


def workers_of(r: Harness) -> list[psutil.Process]:
    """Returns the worker processes of the parent."""
    workers = []
    for child in psutil.Process(r.service.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any("spawn_main" in word for word in child.cmdline()):
                workers.append(child)
    return workers


@scenario(*ENGINES, load=12, events=True)
async def kill_the_service(r: Harness) -> None:
    """All processes are killed together at random moments, and restarted each time."""
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
    r.within(slowest, READY_SECONDS, "seconds until it listened again")


@scenario(*ENGINES, load=12, settings=TWO, events=True)
async def kill_a_worker(r: Harness) -> None:
    """A worker is killed; the other one keeps serving, and a new worker replaces it."""
    times = max(2, round(8 * r.scale))
    r.result.faults = f"kill -9 of a worker {times} times"
    for number in range(times):
        worker = workers_of(r)[number % 2]
        worker.kill()
        end = time.monotonic() + 8 * r.slow
        while len([w for w in workers_of(r) if w.pid != worker.pid]) != 2:
            if time.monotonic() > end:
                r.must(False, "the worker was not replaced in time")
                break
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)
    refused = r.journal.statuses()["unsent"]
    r.must(refused == 0, f"{refused} connections refused")
