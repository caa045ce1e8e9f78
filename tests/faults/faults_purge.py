"""The purge of a great many expired sessions, next to reads and writes of others."""

from __future__ import annotations

import asyncio
import statistics
import time
from asyncio import to_thread
from collections.abc import Callable

from bench import seed
from bench.client import bearer, request
from bench.flood import Flood, share
from tests.faults.harness import Harness, scenario
from tests.servers import PREFIX
from wishwell import ids

SESSIONS = 1_000_000
ROUNDS = 3
FAR = "86400"
READS = 200
"""Reads a second."""
DEAD = "FROM profiles WHERE touched_at < '2026-01-01'"

BATCH = 50_000
LONG_AGO_MS = 1_577_836_800_000


def fill(r: Harness, count: int) -> None:
    """Inserts ``count`` sessions that expired years ago, every fourth with an item. Their times
    differ, as in reality, because the purge reads them by time."""
    store = r.sql("SELECT id FROM stores WHERE handle = 'default'")
    for begin in range(0, count, BATCH):
        rows: seed.Rows = {"profiles": [], "items": []}
        for number in range(begin, min(begin + BATCH, count)):
            id, at = ids.random_uuid(), ids.timestamp(LONG_AGO_MS + number * 1000)
            holds = int(number % 4 == 0)
            gid = f"gid://wishwell/Session/{id}"
            rows["profiles"].append((id, store, gid, 1, holds, 0, at, at))
            if holds:
                rows["items"].append((id, id, store, str(number), "", 1, "", "", "", at, at))
        seed.insert(r.url, rows, analyze=False)
    if r.postgres is not None:
        r.sql("VACUUM ANALYZE")


def _read(r: Harness) -> Callable[[int], bytes]:
    headers = bearer(r.service.admin_token())

    def make(number: int) -> bytes:
        reader = {"Profile": f"gid://shopify/Customer/reader-{number % 8}"}
        return request("GET", f"{PREFIX}/items?limit=20", headers | reader)

    return make


@scenario(settings={"WISHWELL_PURGE_INTERVAL": FAR})
async def purge_a_million(r: Harness) -> None:
    """1 million expired sessions: p99 of reads during the purge relative to p99 without it."""
    await to_thread(fill, r, SESSIONS)
    seconds = max(4.0, 6 * r.scale)
    ratios, pairs, paces = [], [], []

    async def fault() -> None:
        for _ in range(ROUNDS):
            p99s = {}
            for interval in (FAR, "1"):
                settings = {"WISHWELL_PURGE_INTERVAL": interval}
                await to_thread(r.service.restart, settings=settings)
                await asyncio.sleep(2)  # the purge begins a second after the start
                before, began = await r.count(DEAD), time.monotonic()
                reads = Flood(r.port, _read(r))
                await reads.at_rate(READS, seconds)
                r.result.answered(reads.statuses)
                p99s[interval] = share(reads.served_ms, 0.99)
                gone = before - await r.count(DEAD)
                if interval == "1":
                    paces.append(gone / (time.monotonic() - began))
                else:
                    r.must(gone == 0, f"{gone} sessions purged without a purge")
            ratios.append(p99s["1"] / p99s[FAR])
            pairs.append(f"{p99s['1']:.0f}/{p99s[FAR]:.0f}")

    await r.under_load(fault, 4)
    pace, ratio = statistics.median(paces), statistics.median(ratios)
    r.result.faults = f"{SESSIONS} dead sessions, the purge {ROUNDS} times {seconds:g} s"
    r.note(f"p99 of reads with/without, in ms: {', '.join(pairs)}; the middle ratio {ratio:.2f}")
    r.note(f"{pace:.0f} sessions a second, so a million in {SESSIONS / max(pace, 1) / 60:.1f} min")
    r.must(ratio <= 1.5, f"reads beside the purge: p99 {ratio:.2f} times")
    r.must(pace > 0, "nothing was purged")
    await r.compare()
