"""The purge of very many dead sessions, beside the reads and writes of those who live."""

from __future__ import annotations

import asyncio
import statistics
import time
from asyncio import to_thread

from torture.flood import share
from torture.harness import PREFIX, Harness, scenario

SESSIONS = 1_000_000
ROUNDS = 3
FAR = "86400"
READS = 200
"""A second, at a steady rate."""
DEAD = "FROM profiles WHERE touched_at < '2026-01-01'"

# Dead since years; every fourth holds an item. Times differ, as they do in life: the purge walks by
# them.
_ID = {
    "postgresql": "(lpad(to_hex(n), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid",
    "sqlite": "printf('%08x-0000-4000-8000-%012x', n, n)",
}
_TIME = {
    "postgresql": "to_char(timestamp '2020-01-01' + n * interval '1 second', "
    '\'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\')',
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%S.000Z', '2020-01-01', n || ' seconds')",
}
_NUMBERS = {
    "postgresql": "generate_series(1, {count}) AS n",
    "sqlite": "(WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < {count})"
    " SELECT n FROM c)",
}


def seed(r: Harness, count: int) -> None:
    """So many dead sessions, straight into the tables."""
    engine = r.engine
    id, at = _ID[engine], _TIME[engine]
    numbers = _NUMBERS[engine].format(count=count)
    store = "(SELECT id FROM stores WHERE handle = 'default')"
    r.sql(
        "INSERT INTO profiles (profile_id, store_id, gid, is_session, items, created_at, touched_at) "
        f"SELECT {id}, {store}, 'gid://wishwell/Session/' || {id}, 1, "
        f"CASE WHEN n % 4 = 0 THEN 1 ELSE 0 END, {at}, {at} FROM {numbers}"
    )
    r.sql(
        "INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, list_ids, "
        f"tags, note, created_at, updated_at) SELECT {id}, {id}, {store}, CAST(n AS text), '', 1, '', '', '', {at}, {at} "
        f"FROM {numbers} WHERE n % 4 = 0"
    )
    if engine == "postgresql":
        r.sql("VACUUM ANALYZE")


async def _reads(r: Harness, seconds: float) -> list[float]:
    """How long reads at a steady rate took, from the moment at which each was due."""
    end = time.perf_counter() + seconds
    times: list[float] = []

    async def one(number: int) -> None:
        client = r.client(Profile=f"gid://shopify/Customer/reader-{number}")
        due = time.perf_counter() + number / READS
        while due < end:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            answer = await client.ask("GET", PREFIX + "/items?limit=20")
            times.append((time.perf_counter() - due) * 1000)
            r.result.answered({str(answer.status): 1})
            due += 8 / READS
        client.close()

    await asyncio.gather(*(one(number) for number in range(8)))
    return times


@scenario(settings={"WISHWELL_PURGE_INTERVAL": FAR})
async def purge_a_million(r: Harness) -> None:
    """1 million dead sessions: p99 of reads beside the purge against p99 without it."""
    await to_thread(seed, r, SESSIONS)
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
                p99s[interval] = share(await _reads(r, seconds), 0.99)
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
