"""The log is an output that can fail: nobody reads it, or its disk is full."""

from __future__ import annotations

import asyncio
import os
import re
import time

from torture.flood import Apart
from torture.harness import Harness, Result, harness, scenario

LATE_MS = 1_000
"""What an answer may take on a busy machine; none waits for the log."""


async def _without_log(engine: str, result: Result, scale: float, log: int, why: str) -> None:
    """Two processes under load whose log goes there, then stopped. Closes it."""
    with os.fdopen(log, "wb"), harness(engine, result, scale, {"WISHWELL_WORKERS": "2"}) as r:

        async def fault() -> None:
            await asyncio.to_thread(r.service.stop)
            await asyncio.to_thread(r.service.start_into, log)
            began = time.monotonic()
            await r.well_again(began)
            lost = await _lines_lost(r, max(3.0, 6 * scale))
            result.notes.append(f"{lost} lines lost")
            result.must(lost > 0, "no line was lost, or none was counted")
            served = [e.ms for e in r.journal.entries if e.at > began and e.outcome == "done"]
            result.must(max(served) < LATE_MS, f"an answer after {max(served):.0f} ms")
            began = time.monotonic()
            code = await asyncio.to_thread(r.service.stop)
            took = time.monotonic() - began
            result.notes.append(f"gone {took:.1f} s after SIGTERM")
            result.must(code == 0, f"ended with {code}")
            result.must(took <= 10, f"gone only after {took:.1f} s")
            await asyncio.to_thread(r.service.start)

        await r.under_load(fault, count=16)
        result.faults = why
        await r.compare()


async def _lines_lost(r: Harness, seconds: float) -> int:
    """By the metric, after a load that makes more lines than may wait: 1 MiB of each process."""
    flood = Apart(r.port, r.service.admin_token())
    for _ in range(5):  # a busy machine needs longer
        told = await flood.ask(do="closed", connections=4, seconds=seconds)
        r.result.must(set(told["statuses"]) <= {"200", "201"}, f"beside it: {told['statuses']}")
        await asyncio.sleep(1.5)  # it is sampled once a second
        text = (await r.client().ask("GET", "/metrics")).body.decode()
        [lost] = re.findall(r"^wishwell_log_lines_lost_total (\S+)$", text, re.MULTILINE)
        if float(lost):
            break
    await flood.close()
    return int(float(lost))


@scenario("sqlite")
async def log_reader_gone(engine: str, result: Result, scale: float) -> None:
    """Whatever read the log has ended."""
    reader, writer = os.pipe()
    os.close(reader)
    await _without_log(engine, result, scale, writer, "a log whose reader is gone")


@scenario("sqlite")
async def log_reader_stuck(engine: str, result: Result, scale: float) -> None:
    """Whatever reads the log does not."""
    reader, writer = os.pipe()
    await _without_log(engine, result, scale, writer, "a log whose reader is stuck")
    os.close(reader)


@scenario("sqlite")
async def log_disk_full(engine: str, result: Result, scale: float) -> None:
    """The log's disk is full, the database's is not."""
    full = os.open("/dev/full", os.O_WRONLY)
    await _without_log(engine, result, scale, full, "a log on a full disk")
