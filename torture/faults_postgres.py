"""What can happen to a PostgreSQL server while the program uses it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from asyncio import to_thread

import asyncpg

from tests.servers import PostgresServer
from torture.harness import Harness, scenario
from torture.relay import relay

OURS = "FROM pg_stat_activity WHERE application_name = 'wishwell'"
CUT = f"SELECT count(pg_terminate_backend(pid)) {OURS}"


async def _pool_is_whole(r: Harness) -> None:
    """The server has no more connections of ours than the pool may hold."""
    await asyncio.sleep(1)
    count, stuck = await r.count(OURS), await r.count(f"{OURS} AND state LIKE 'idle in%'")
    r.note(f"{count} connections afterwards")
    r.must(count <= 20, f"{count} connections to the server, more than the pool")
    r.must(stuck == 0, f"{stuck} connections idle in a transaction")


fault = functools.partial(scenario, bounded=True, events=True, then=_pool_is_whole)


@fault("postgresql", "cluster", load=12)
async def postgres_restarted(r: Harness) -> None:
    """Stopped at once, as by a power cut, and started again, under load."""
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
    """Every connection cut by an administrator, again and again."""
    times = max(3, round(30 * r.scale))
    r.result.faults = f"{times} times all connections cut"
    for _ in range(times):
        await to_thread(r.sql, CUT)
        await r.well_again()
        await asyncio.sleep(0.2)


@fault("postgresql", "cluster", load=40, after=3)
async def postgres_paused(r: Harness) -> None:
    """The server frozen: connections stay open and nothing answers."""
    seconds = max(6.0, 10 * min(1, 2 * r.scale))
    r.result.faults = f"paused for {seconds:g} s"
    await to_thread(r.postgres.pause)
    await asyncio.sleep(seconds)
    await to_thread(r.postgres.resume)
    await r.well_again()


@fault("postgresql", load=24, postgres={"max_connections": 30})
async def postgres_full(r: Harness) -> None:
    """Somebody else holds every connection that the server has."""
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
    """Another session holds a lock on the table that every write needs."""
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
    """The server refuses writes, as a standby does; reads are served."""
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


@scenario("postgresql", events=True)
async def postgres_standby(r: Harness) -> None:
    """The server fails, and its address leads to a streaming standby, which is then promoted.

    The standby is a real one, made by pg_basebackup; replication is synchronous, as anything else
    would lose what was acknowledged, by its nature. Between client and server is a relay, the
    address that moves.
    """
    r.result.faults = "primary stopped, standby read, then promoted"
    primary = r.postgres
    standby = await to_thread(primary.standby)
    try:
        await to_thread(primary.wait_for_standbys, wait=True)
        await _fail_over(r, standby)
    finally:
        r.postgres = primary
        standby.close()


async def _fail_over(r: Harness, standby: PostgresServer) -> None:
    primary = r.postgres
    async with relay(primary.port) as address:
        url = primary.url(r.database).replace(f":{primary.port}/", f":{address.port}/")
        await to_thread(r.service.restart, settings={"WISHWELL_DATABASE_URL": url})

        async def fault() -> None:
            await to_thread(primary.stop, "immediate")
            address.lead_to(standby.port)
            moved = time.monotonic()
            while await r.statuses(1, "GET", "/items") != {200}:
                r.must(time.monotonic() - moved < 3, "reads are not served from the standby")
                await asyncio.sleep(0.02)
            r.note(f"reads again {time.monotonic() - moved:.2f} s after the move")
            reads = await r.statuses(50, "GET", "/items")
            r.must(reads == {200}, f"reads of the standby: {reads}")
            writes = await r.statuses(20, "POST", "/items", {"productId": 1})
            r.must(writes == {503}, f"writes to the standby: {writes}")
            await asyncio.sleep(max(1.0, 3 * r.scale))
            await to_thread(standby.sql, "SELECT pg_promote()")
            await r.well_again()

        await r.under_load(fault, 12)
        r.bounded()
        r.postgres = standby
        await r.compare()
        await _pool_is_whole(r)
