"""Planned stops and restarts: SIGTERM and SIGHUP under load."""

from __future__ import annotations

import asyncio
import signal
import time
from asyncio import to_thread

from tests.faults.faults_kill import workers_of
from tests.faults.harness import TWO, Harness, scenario


def _nothing_was_cut(r: Harness) -> None:
    """Asserts that every request that was carried out got its response."""
    cut = r.result.cut_but_done
    r.must(cut == 0, f"{cut} requests were done and their answers cut")
    failed = sum(entry.status >= 500 and entry.status != 503 for entry in r.journal.entries)
    r.must(failed == 0, f"{failed} answers of 5xx that are not 503")


@scenario(load=16, then=_nothing_was_cut)
async def sigterm(r: Harness) -> None:
    """SIGTERM under load: no accepted request is cut off, and the stop is quick."""
    times = max(3, round(8 * r.scale))
    workers = r.service.settings.get("WISHWELL_WORKERS", "1")
    r.result.faults = f"SIGTERM {times} times, {workers} worker{'s' * (workers != '1')}"
    for _ in range(times):
        await r.stop()
        await to_thread(r.service.start)
        await r.well_again()
        await asyncio.sleep(0.5)


@scenario(load=16, then=_nothing_was_cut, settings=TWO)
async def sigterm_two_workers(r: Harness) -> None:
    """SIGTERM with two workers."""
    await sigterm(r)


@scenario(load=16, then=_nothing_was_cut, settings=TWO)
async def rolling_restart(r: Harness) -> None:
    """SIGHUP to the parent of two workers, which are replaced one by one."""
    times = max(1, round(3 * r.scale))
    r.result.faults = f"SIGHUP {times} times"
    for _ in range(times):
        old = {worker.pid for worker in workers_of(r)}
        r.service.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while old & {worker.pid for worker in workers_of(r)}:
            if time.monotonic() > end:
                r.must(False, "the workers were not replaced in a minute")
                break
            await asyncio.sleep(0.2)
    statuses = r.journal.statuses()
    r.must(statuses["503"] == 0, f"{statuses['503']} answers of 503")
    r.must(statuses["unsent"] == 0, f"{statuses['unsent']} connections refused")


@scenario("postgresql", load=16)
async def sigterm_while_paused(r: Harness) -> None:
    """SIGTERM while the database doesn't respond."""
    r.result.faults = "SIGTERM with the server paused"
    await to_thread(r.postgres.pause)
    await asyncio.sleep(3)
    await r.stop()
    await to_thread(r.postgres.resume)
    await to_thread(r.service.start)
