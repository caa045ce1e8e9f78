"""The log is an output that can fail: nobody reads it, or its disk is full."""

from __future__ import annotations

import asyncio
import os
import re
import time
from asyncio import to_thread

from torture.flood import Apart
from torture.harness import Harness, scenario

LATE_MS = 1_000
"""What an answer may take on a busy machine; none waits for the log."""
TWO = {"WISHWELL_WORKERS": "2"}


async def _without_log(r: Harness, log: int) -> None:
    """Two processes whose log goes there, then stopped. Closes it."""
    with os.fdopen(log, "wb"):
        await to_thread(r.service.stop)
        await to_thread(r.service.start_into, log)
        began = time.monotonic()
        await r.well_again(began)
        lost = await _lines_lost(r, max(3.0, 6 * r.scale))
        r.note(f"{lost} lines lost")
        r.must(lost > 0, "no line was lost, or none was counted")
        served = [e.ms for e in r.journal.entries if e.at > began and e.outcome == "done"]
        r.must(max(served) < LATE_MS, f"an answer after {max(served):.0f} ms")
        await r.stop()
        await to_thread(r.service.start)


async def _lines_lost(r: Harness, seconds: float) -> int:
    """By the metric, after a load that makes more lines than may wait: 1 MiB of each process."""
    flood = Apart(r.port, r.service.admin_token())
    lost = 0
    for _ in range(5):  # a busy machine needs longer
        told = await flood.ask(do="closed", connections=4, seconds=seconds)
        r.must(set(told["statuses"]) <= {"200", "201"}, f"beside it: {told['statuses']}")
        await asyncio.sleep(1.5)  # it is sampled once a second
        text = (await r.client().ask("GET", "/metrics")).body.decode()
        [value] = re.findall(r"^wishwell_log_lines_lost_total (\S+)$", text, re.MULTILINE)
        lost = int(float(value))
        if lost:
            break
    await flood.close()
    return lost


@scenario("sqlite", load=16, settings=TWO)
async def log_reader_gone(r: Harness) -> None:
    """Whatever read the log has ended."""
    r.result.faults = "a log whose reader is gone"
    reader, writer = os.pipe()
    os.close(reader)
    await _without_log(r, writer)


@scenario("sqlite", load=16, settings=TWO)
async def log_reader_stuck(r: Harness) -> None:
    """Whatever reads the log does not."""
    r.result.faults = "a log whose reader is stuck"
    reader, writer = os.pipe()
    await _without_log(r, writer)
    os.close(reader)


@scenario("sqlite", load=16, settings=TWO)
async def log_disk_full(r: Harness) -> None:
    """The log's disk is full, the database's is not."""
    r.result.faults = "a log on a full disk"
    await _without_log(r, os.open("/dev/full", os.O_WRONLY))
