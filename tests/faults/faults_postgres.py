"""Faults of a PostgreSQL server while the program uses it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from asyncio import to_thread

import asyncpg

from tests.faults.harness import Harness, scenario

OURS = "FROM pg_stat_activity WHERE application_name = 'wishwell'"
CUT = f"SELECT count(pg_terminate_backend(pid)) {OURS}"


async def pool_is_whole(r: Harness) -> None:
    """Asserts that the program holds no more connections than its pool may."""
    await asyncio.sleep(1)
    count, stuck = await r.count(OURS), await r.count(f"{OURS} AND state LIKE 'idle in%'")
    r.note(f"{count} connections afterwards")
    r.must(count <= 20, f"{count} connections to the server, more than the pool")
    r.must(stuck == 0, f"{stuck} connections idle in a transaction")


fault = functools.partial(scenario, bounded=True, events=True, then=pool_is_whole)


@fault("postgresql", "cluster", load=12)
async def postgres_restarted(r: Harness) -> None:
    """The server is stopped immediately, like by a power cut, and restarted, under load."""
    times = max(2, round(20 * min(1, 2 * r.scale)))
    r.result.faults = f"{times} immediate stops"
    for _ in range(times):
        await to_thread(r.postgres.stop, "immediate")
        await asyncio.sleep(0.2)
        await to_thread(r.postgres.start)
        await r.well_again()
        await asyncio.sleep(0.5)


@fault("postgresql", "cluster", load=12)
async def postgres_terminates(r: Harness) -> None:
    """An administrator terminates every connection, repeatedly."""
    times = max(3, round(30 * r.scale))
    r.result.faults = f"{times} times all connections cut"
    for _ in range(times):
        await to_thread(r.sql, CUT)
        await r.well_again()
        await asyncio.sleep(0.2)


@fault("postgresql", "cluster", load=40, after=3)
async def postgres_paused(r: Harness) -> None:
    """The server is suspended: connections stay open and nothing responds."""
    seconds = max(6.0, 10 * min(1, 2 * r.scale))
    r.result.faults = f"paused for {seconds:g} s"
    await to_thread(r.postgres.pause)
    await asyncio.sleep(seconds)
    await to_thread(r.postgres.resume)
    await r.well_again()


@fault("postgresql", load=24, postgres={"max_connections": 30})
async def postgres_full(r: Harness) -> None:
    """Another client holds every connection that the server allows."""
    r.result.faults = "all connections taken"
    url = r.postgres.url(r.database)
    taken = [await asyncpg.connect(url)]
    with contextlib.suppress(asyncpg.PostgresError, OSError):
        while True:
            await taken[0].execute(CUT)
            for _ in range(4):
                taken.append(await asyncpg.connect(url))  # noqa: PERF401
    await asyncio.sleep(max(2.0, 4 * r.scale))
    await asyncio.gather(*(connection.close() for connection in taken))
    r.note(f"{len(taken)} of 30 connections held")
    await r.well_again()


@fault("postgresql", "cluster", load=40)
async def postgres_locked(r: Harness) -> None:
    """Another session locks the table that every write needs."""
    seconds = max(5.0, 8 * r.scale)
    r.result.faults = f"the table items locked for {seconds:g} s"
    other = await asyncpg.connect(r.postgres.url(r.database))
    most = 0
    async with other.transaction():
        await other.execute("LOCK TABLE items IN ACCESS EXCLUSIVE MODE")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            most = max(most, await other.fetchval(f"SELECT count(*) {OURS}"))
            await asyncio.sleep(0.2)
    await other.close()
    r.note(f"at most {most} connections of ours meanwhile")
    r.must(most <= 45, f"{most} connections while the lock was held")
    await r.well_again()


@fault("postgresql", load=12)
async def postgres_read_only(r: Harness) -> None:
    """The server refuses writes, like a standby; reads are served."""
    r.result.faults = "read-only"
    setting = f'ALTER DATABASE "{r.database}" SET default_transaction_read_only'
    await to_thread(r.sql, f"{setting} = on")
    await to_thread(r.sql, CUT)
    await asyncio.sleep(1)
    reads = await r.statuses(50, "GET", "/items")
    r.must(reads == {200}, f"reads of a read-only server: {reads}")
    await asyncio.sleep(max(1.0, 3 * r.scale))
    await to_thread(r.postgres.sql, f"{setting} = off")
    await to_thread(r.sql, CUT)
    await r.well_again()
