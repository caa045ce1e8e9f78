"""What can happen to a PostgreSQL server while the program uses it."""

from __future__ import annotations

import asyncio
import contextlib
import time

import asyncpg

from tests.servers import PostgresServer
from torture.harness import Harness, Result, harness, scenario
from torture.relay import relay

OURS = "FROM pg_stat_activity WHERE application_name = 'wishwell'"


async def _pool_is_whole(r: Harness, before: int = 20) -> None:
    """The server has no more connections of ours than the pool may hold."""
    await asyncio.sleep(1)
    count = int(await asyncio.to_thread(r.sql, f"SELECT count(*) {OURS}"))
    stuck = int(await asyncio.to_thread(r.sql, f"SELECT count(*) {OURS} AND state LIKE 'idle in%'"))
    r.result.notes.append(f"{count} connections afterwards")
    r.result.must(count <= before, f"{count} connections to the server, more than the pool")
    r.result.must(stuck == 0, f"{stuck} connections idle in a transaction")


@scenario("postgresql", "cluster")
async def postgres_restarted(engine: str, result: Result, scale: float) -> None:
    """Stopped at once, as by a power cut, and started again, under load."""
    times = max(2, round(20 * min(1, 2 * scale)))
    with harness(engine, result, scale, events=True) as r:

        async def fault() -> None:
            for _ in range(times):
                await asyncio.to_thread(r.postgres.stop, "immediate")
                await asyncio.sleep(0.2)
                await asyncio.to_thread(r.postgres.start)
                up = time.monotonic()
                await r.well_again(up)
                await asyncio.sleep(0.5)

        await r.under_load(fault)
        result.faults = f"{times} immediate stops"
        r.bounded()
        await r.compare()
        await _pool_is_whole(r)


@scenario("postgresql", "cluster")
async def postgres_terminates(engine: str, result: Result, scale: float) -> None:
    """Every connection cut by an administrator, again and again."""
    times = max(3, round(30 * scale))
    with harness(engine, result, scale, events=True) as r:

        async def fault() -> None:
            for _ in range(times):
                await asyncio.to_thread(r.sql, f"SELECT count(pg_terminate_backend(pid)) {OURS}")
                await r.well_again(time.monotonic())
                await asyncio.sleep(0.2)

        await r.under_load(fault)
        result.faults = f"{times} times all connections cut"
        r.bounded()
        await r.compare()
        await _pool_is_whole(r)


@scenario("postgresql", "cluster")
async def postgres_paused(engine: str, result: Result, scale: float) -> None:
    """The server frozen: connections stay open and nothing answers."""
    seconds = max(6.0, 10 * min(1, 2 * scale))
    with harness(engine, result, scale, events=True) as r:

        async def fault() -> None:
            await asyncio.to_thread(r.postgres.pause)
            await asyncio.sleep(seconds)
            await asyncio.to_thread(r.postgres.resume)
            await r.well_again(time.monotonic())

        await r.under_load(fault, count=40, after=3)
        result.faults = f"paused for {seconds:g} s"
        r.bounded()
        await r.compare()
        await _pool_is_whole(r)


@scenario("postgresql")
async def postgres_full(engine: str, result: Result, scale: float) -> None:
    """Somebody else holds every connection that the server has."""
    with harness(engine, result, scale, postgres={"max_connections": 30}, events=True) as r:

        async def fault() -> None:
            url = r.postgres.url(r.database)
            taken = [await asyncpg.connect(url)]
            with contextlib.suppress(asyncpg.PostgresError, OSError):
                while True:
                    await taken[0].execute(f"SELECT pg_terminate_backend(pid) {OURS}")
                    for _ in range(4):
                        taken.append(await asyncpg.connect(url))  # noqa: PERF401
            await asyncio.sleep(max(2.0, 4 * scale))
            await asyncio.gather(*(connection.close() for connection in taken))
            result.notes.append(f"{len(taken)} of 30 connections held")
            await r.well_again(time.monotonic())

        await r.under_load(fault, count=24)
        result.faults = "all connections taken"
        r.bounded()
        await r.compare()
        await _pool_is_whole(r)


@scenario("postgresql", "cluster")
async def postgres_locked(engine: str, result: Result, scale: float) -> None:
    """Another session holds a lock on the table that every write needs."""
    seconds = max(5.0, 8 * scale)
    with harness(engine, result, scale, events=True) as r:

        async def fault() -> None:
            other = await asyncpg.connect(r.postgres.url(r.database))
            most = 0
            async with other.transaction():
                await other.execute("LOCK TABLE items IN ACCESS EXCLUSIVE MODE")
                end = time.monotonic() + seconds
                while time.monotonic() < end:
                    most = max(most, await other.fetchval(f"SELECT count(*) {OURS}"))
                    await asyncio.sleep(0.2)
            await other.close()
            result.notes.append(f"at most {most} connections of ours meanwhile")
            result.must(most <= 45, f"{most} connections while the lock was held")
            await r.well_again(time.monotonic())

        await r.under_load(fault, count=40)
        result.faults = f"the table items locked for {seconds:g} s"
        r.bounded()
        await r.compare()
        await _pool_is_whole(r)


@scenario("postgresql")
async def postgres_read_only(engine: str, result: Result, scale: float) -> None:
    """The server refuses writes, as a standby does; reads are served."""
    with harness(engine, result, scale, events=True) as r:

        async def fault() -> None:
            setting = f'ALTER DATABASE "{r.database}" SET default_transaction_read_only'
            cut = f"SELECT count(pg_terminate_backend(pid)) {OURS}"
            await asyncio.to_thread(r.sql, f"{setting} = on")
            await asyncio.to_thread(r.sql, cut)
            await asyncio.sleep(1)
            headers = {"Authorization": f"Bearer {r.service.admin_token()}"}
            client = r.client(**headers)
            reads = [(await client.ask("GET", "/api/2025-04/items")).status for _ in range(50)]
            client.close()
            result.must(set(reads) == {200}, f"reads of a read-only server: {set(reads)}")
            await asyncio.sleep(max(1.0, 3 * scale))
            await asyncio.to_thread(r.postgres.sql, f"{setting} = off")
            await asyncio.to_thread(r.sql, cut)
            await r.well_again(time.monotonic())

        await r.under_load(fault)
        result.faults = "read-only"
        r.bounded()
        await r.compare()
        await _pool_is_whole(r)


@scenario("postgresql")
async def postgres_standby(engine: str, result: Result, scale: float) -> None:
    """The server fails, and its address leads to a streaming standby, which is then promoted.

    The standby is a real one, made by pg_basebackup; replication is synchronous, as anything else
    would lose what was acknowledged, by its nature. Between client and server is a relay, the
    address that moves.
    """
    with harness(engine, result, scale, events=True) as r:
        standby = await asyncio.to_thread(r.postgres.standby)
        try:
            await _fail_over(r, standby)
        finally:
            standby.close()


async def _fail_over(r: Harness, standby: PostgresServer) -> None:
    result, primary = r.result, r.postgres
    await asyncio.to_thread(primary.sql, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await asyncio.to_thread(primary.sql, "SELECT pg_reload_conf()")
    async with relay(primary.port) as address:
        r.service.settings["WISHWELL_DATABASE_URL"] = primary.url(r.database).replace(
            f":{primary.port}/", f":{address.port}/"
        )
        await asyncio.to_thread(r.service.restart)

        async def fault() -> None:
            await asyncio.to_thread(primary.stop, "immediate")
            address.lead_to(standby.port)
            moved = time.monotonic()
            client = r.client(Authorization=f"Bearer {r.service.admin_token()}")
            while (await client.ask("GET", "/api/2025-04/items")).status != 200:
                result.must(time.monotonic() - moved < 3, "reads are not served from the standby")
                await asyncio.sleep(0.02)
            result.notes.append(f"reads again {time.monotonic() - moved:.2f} s after the move")
            reads = [(await client.ask("GET", "/api/2025-04/items")).status for _ in range(50)]
            result.must(set(reads) == {200}, f"reads of the standby: {set(reads)}")
            gid = "gid://shopify/Customer/standby"
            for _ in range(20):
                body = {"productId": 1}
                answer = await client.ask("POST", "/api/2025-04/items", body, Profile=gid)
                result.must(answer.status == 503, f"a write to the standby: {answer.status}")
            client.close()
            await asyncio.sleep(max(1.0, 3 * r.scale))
            await asyncio.to_thread(standby.sql, "SELECT pg_promote()")
            await r.well_again(time.monotonic())

        await r.under_load(fault)
        result.faults = "primary stopped, standby read, then promoted"
        r.bounded()
        r.postgres = standby
        await r.compare()
        await _pool_is_whole(r)
        r.postgres = primary
