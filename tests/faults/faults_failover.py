"""A primary fails, a synchronous standby is promoted, and the service finds it.

The URL names both hosts. In each scenario the old primary returns as it was, which a cluster
manager wouldn't allow, and the service restarts with the old one first in its URL: it must write
only to the promoted one.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.faults.faults_postgres import pool_is_whole
from tests.faults.harness import Harness, scenario
from tests.faults.relay import Relay, relay
from tests.servers import HERE, PostgresServer
from wishwell import ids

BACKENDS = "FROM pg_stat_activity WHERE application_name = 'wishwell'"
KEPT = f"{BACKENDS} AND state = 'idle'"
"""Without cut connections that still wait for a standby, and those that wait for them."""


class Pair:
    """A primary, its synchronous standby, and the addresses at which the service reaches them."""

    def __init__(self, r: Harness, standby: PostgresServer, first: Relay, second: Relay) -> None:
        assert r.postgres is not None
        self.r, self.primary, self.standby = r, r.postgres, standby
        self.serving, self.first = standby, first
        self.hosts = [f"{HERE}:{first.port}", f"{HERE}:{second.port}"]

    async def promote(self) -> None:
        """Promotes the standby; the service must recover within 2 s."""
        await to_thread(self.standby.sql, "SELECT pg_promote()")
        await self.r.well_again()

    async def is_left(self, seconds: float) -> None:
        """Asserts that nothing is written to the old primary any longer, even by a restarted
        service."""
        began = ids.timestamp(ids.wall_clock())
        end, count = time.monotonic() + 2 * seconds, 1
        while count and time.monotonic() < end:
            await asyncio.sleep(0.2)
            count = int(await to_thread(self.primary.sql, f"SELECT count(*) {KEPT}"))
        self.r.must(count == 0, f"{count} connections to the old primary")
        await to_thread(self.r.service.restart)
        await asyncio.sleep(seconds)
        # Commits that waited for the standby become visible now.
        await to_thread(self.primary.wait_for_standbys, wait=False)
        await asyncio.sleep(0.3)
        for table in ("items", "lists"):
            sql = f"SELECT count(*) FROM {table} WHERE updated_at > '{began}'"
            written = (await to_thread(self.primary.sql, sql, self.r.database)).strip()
            self.r.must(written == "0", f"{written} {table} in the old primary")


@asynccontextmanager
async def pair(r: Harness, addresses: int = 2) -> AsyncIterator[Pair]:
    """Yields the service on a primary with a synchronous standby; compares all data at the end.

    With one address the service knows only the primary's.
    """
    primary = r.postgres
    standby = await to_thread(primary.standby)
    try:
        await to_thread(primary.wait_for_standbys, wait=True)
        async with relay(primary.port) as first, relay(standby.port) as second:
            two = Pair(r, standby, first, second)
            hosts = ",".join(two.hosts[:addresses])
            url = f"postgresql://{primary.user}@{hosts}/{r.database}"
            await to_thread(r.service.restart, settings={"WISHWELL_DATABASE_URL": url})
            yield two
            r.postgres = two.serving
            r.bounded()
            await r.compare()
    finally:
        r.postgres = primary
        standby.resume()
        standby.close()


async def _fails(
    r: Harness, faults: str, begin: Callable[[Pair], None], end: Callable[[Pair], None]
) -> None:
    r.result.faults = faults
    async with pair(r) as two:

        async def fault() -> None:
            await to_thread(begin, two)
            await asyncio.sleep(max(1.0, 5 * r.scale))
            await two.promote()
            await to_thread(end, two)
            await asyncio.sleep(0.5)
            await two.is_left(max(1.5, 3 * r.scale))

        await r.under_load(fault, 24)
        starts = r.service.output().count('"listening"')
        r.must(starts == 3, f"{starts} starts, three of them ours")


@scenario("postgresql", events=True)
async def failover_crash(r: Harness) -> None:
    """The primary is killed and, after the standby's promotion, started as a primary again."""
    await _fails(
        r,
        "primary killed, standby promoted, old primary started",
        lambda two: two.primary.stop("immediate"),
        lambda two: two.primary.start(),
    )


@scenario("postgresql", events=True)
async def failover_hang(r: Harness) -> None:
    """The primary is suspended and, after the standby's promotion, resumed."""
    await _fails(
        r,
        "primary frozen, standby promoted, old primary goes on",
        lambda two: two.primary.pause(),
        lambda two: two.primary.resume(),
    )


@scenario("postgresql", events=True)
async def failover_cut(r: Harness) -> None:
    """The network to the primary drops everything until after the promotion."""
    await _fails(
        r,
        "primary cut off, standby promoted, old primary reachable",
        lambda two: setattr(two.first, "swallows", True),
        lambda two: setattr(two.first, "swallows", False),
    )


@scenario("postgresql", events=True)
async def failover_unnoticed(r: Harness) -> None:
    """The standby is promoted while the service still reaches the primary."""
    await _fails(r, "standby promoted beside its primary", lambda _: None, lambda _: None)


@scenario("postgresql", events=True)
async def standby_hangs(r: Harness) -> None:
    """The synchronous standby is suspended: no write completes, and cut ones must not be visible."""
    seconds = max(6.0, 20 * r.scale)
    r.result.faults = f"standby frozen for {seconds:g} s"
    async with pair(r) as two:
        two.serving = two.primary  # no failover here

        async def fault() -> None:
            await to_thread(two.standby.pause)
            began = ids.timestamp(ids.wall_clock() + 100)
            end = time.monotonic() + seconds
            most, reads, seen = 0, set[int](), 0
            await asyncio.sleep(2.5)  # until the first writes are overdue
            while time.monotonic() < end:
                most = max(most, await r.count(BACKENDS))
                reads |= await r.statuses(1, "GET", "/items")
                seen += await r.count(f"FROM items WHERE updated_at > '{began}'")
                await asyncio.sleep(0.2)
            r.note(f"at most {most} connections of ours meanwhile")
            r.must(reads == {200}, f"reads meanwhile: {reads}")
            r.must(seen == 0, f"{seen} items seen before the standby had them")
            await to_thread(two.standby.resume)
            await r.well_again()
            said = two.primary.output().count("canceling wait for synchronous replication")
            r.must(said == 0, f"{said} commits cancelled")
            # Cut writes complete now; the last comparison includes them.
            await asyncio.sleep(1)

        await r.under_load(fault, 24)


@scenario("postgresql", events=True)
async def postgres_standby(r: Harness) -> None:
    """The primary fails, its address then leads to the standby, which serves reads and is promoted."""
    r.result.faults = "primary stopped, standby read, then promoted"
    async with pair(r, addresses=1) as two:

        async def fault() -> None:
            await to_thread(two.primary.stop, "immediate")
            two.first.lead_to(two.standby.port)
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
            await two.promote()

        await r.under_load(fault, 12)
        r.postgres = two.standby
        await pool_is_whole(r)
