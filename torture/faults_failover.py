"""A primary fails, a synchronous standby takes over: the service finds it by itself.

The URL names both hosts. In each scenario the old primary comes back as it was, which no manager of
a cluster would allow, and the service starts anew with the old one first in its URL: what was
promoted is written to, and nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.servers import HERE, PostgresServer
from torture.harness import Harness, Result, harness, scenario
from torture.relay import Relay, relay
from wishwell import ids

BACKENDS = "FROM pg_stat_activity WHERE application_name = 'wishwell'"
KEPT = f"{BACKENDS} AND state = 'idle'"
"""Without what was cut, and waits for a standby that will not come, or for what waits so."""


class Pair:
    """A primary, its synchronous standby, and the addresses at which the service knows them."""

    def __init__(self, r: Harness, standby: PostgresServer, addresses: tuple[Relay, Relay]) -> None:
        assert r.postgres is not None
        self.r, self.primary, self.standby = r, r.postgres, standby
        self.serving = standby
        self.first, self.second = addresses

    async def promote(self) -> None:
        """Promotes the standby; from then on the service has 2 s."""
        await asyncio.to_thread(self.standby.sql, "SELECT pg_promote()")
        await self.r.well_again(time.monotonic())

    @property
    def url(self) -> str:
        hosts = f"{HERE}:{self.first.port},{HERE}:{self.second.port}"
        return f"postgresql://{self.primary.user}@{hosts}/{self.r.database}"

    async def is_left(self, seconds: float) -> None:
        """From now on nothing is written to the old primary, not even by a service that starts."""
        began = ids.timestamp(ids.wall_clock())
        end, count = time.monotonic() + 2 * seconds, 1
        while count and time.monotonic() < end:
            await asyncio.sleep(0.2)
            count = int(await asyncio.to_thread(self.primary.sql, f"SELECT count(*) {KEPT}"))
        self.r.result.must(count == 0, f"{count} connections to the old primary")
        await asyncio.to_thread(self.r.service.restart)
        await asyncio.sleep(seconds)
        # What a commit there has waited for is seen now.
        await asyncio.to_thread(self.primary.wait_for_standbys, wait=False)
        await asyncio.sleep(0.3)
        for table in ("items", "lists"):
            written = await asyncio.to_thread(
                self.primary.sql,
                f"SELECT count(*) FROM {table} WHERE updated_at > '{began}'",
                self.r.database,
            )
            self.r.result.must(written.strip() == "0", f"{written} {table} in the old primary")


@asynccontextmanager
async def pair(engine: str, result: Result, scale: float) -> AsyncIterator[Pair]:
    """The service on a primary with a synchronous standby."""
    with harness(engine, result, scale, events=True) as r:
        assert r.postgres is not None
        primary = r.postgres
        standby = await asyncio.to_thread(primary.standby)
        assert primary.port is not None
        assert standby.port is not None
        try:
            await asyncio.to_thread(primary.wait_for_standbys, wait=True)
            async with relay(primary.port) as first, relay(standby.port) as second:
                made = Pair(r, standby, (first, second))
                r.service.settings["WISHWELL_DATABASE_URL"] = made.url
                await asyncio.to_thread(r.service.restart)
                yield made
                r.postgres = made.serving
                r.bounded()
                await r.compare()
                r.postgres = primary
        finally:
            standby.resume()
            standby.close()


async def _fails(
    engine: str,
    result: Result,
    scale: float,
    begin: Callable[[Pair], None],
    end: Callable[[Pair], None],
) -> None:
    async with pair(engine, result, scale) as two:

        async def fault() -> None:
            await asyncio.to_thread(begin, two)
            await asyncio.sleep(max(1.0, 5 * scale))
            await two.promote()
            await asyncio.to_thread(end, two)
            await asyncio.sleep(0.5)
            await two.is_left(max(1.5, 3 * scale))

        await two.r.under_load(fault, count=24)
        starts = two.r.service.output().count('"listening"')
        result.must(starts == 3, f"{starts} starts, three of them ours")


@scenario("postgresql")
async def failover_crash(engine: str, result: Result, scale: float) -> None:
    """The primary is killed; once the standby is promoted, it starts again as a primary."""
    result.faults = "primary killed, standby promoted, old primary started"

    def begin(two: Pair) -> None:
        two.primary.stop("immediate")

    await _fails(engine, result, scale, begin, lambda two: two.primary.start())


@scenario("postgresql")
async def failover_hang(engine: str, result: Result, scale: float) -> None:
    """The primary is frozen, and goes on once the standby is promoted."""
    result.faults = "primary frozen, standby promoted, old primary goes on"

    await _fails(
        engine, result, scale, lambda two: two.primary.pause(), lambda two: two.primary.resume()
    )


@scenario("postgresql")
async def failover_cut(engine: str, result: Result, scale: float) -> None:
    """The network to the primary swallows everything, and passes on again after the promotion."""
    result.faults = "primary cut off, standby promoted, old primary reachable"

    def begin(two: Pair) -> None:
        two.first.swallows = True

    def end(two: Pair) -> None:
        two.first.swallows = False

    await _fails(engine, result, scale, begin, end)


@scenario("postgresql")
async def failover_unnoticed(engine: str, result: Result, scale: float) -> None:
    """The standby is promoted beside a primary that the service can still reach."""
    result.faults = "standby promoted beside its primary"

    await _fails(engine, result, scale, lambda _: None, lambda _: None)


@scenario("postgresql")
async def failover_at_once(engine: str, result: Result, scale: float) -> None:
    """The primary is frozen and the standby promoted in the same moment."""
    result.faults = "primary frozen and standby promoted at once"
    async with pair(engine, result, scale) as two:

        async def fault() -> None:
            await asyncio.to_thread(two.primary.pause)
            await two.promote()
            await asyncio.to_thread(two.primary.resume)
            await two.is_left(1.5)

        await two.r.under_load(fault, count=24)


@scenario("postgresql")
async def standby_hangs(engine: str, result: Result, scale: float) -> None:
    """The synchronous standby is frozen: no write ends, and what is cut is not to be seen."""
    seconds = max(6.0, 20 * scale)
    result.faults = f"standby frozen for {seconds:g} s"
    async with pair(engine, result, scale) as two:

        async def fault() -> None:
            r, primary = two.r, two.primary
            await asyncio.to_thread(two.standby.pause)
            began = ids.timestamp(ids.wall_clock() + 100)
            end = time.monotonic() + seconds
            client = r.client(Authorization=f"Bearer {r.service.admin_token()}")
            most, reads, seen = 0, set[int](), 0
            await asyncio.sleep(2.5)  # the first writes have to be overdue
            while time.monotonic() < end:
                most = max(most, int(await asyncio.to_thread(r.sql, f"SELECT count(*) {BACKENDS}")))
                reads.add((await client.ask("GET", "/api/2025-04/items")).status)
                early = f"SELECT count(*) FROM items WHERE updated_at > '{began}'"
                seen += int(await asyncio.to_thread(r.sql, early))
                await asyncio.sleep(0.2)
            client.close()
            result.notes.append(f"at most {most} connections of ours meanwhile")
            result.must(reads == {200}, f"reads meanwhile: {reads}")
            result.must(seen == 0, f"{seen} items seen before the standby had them")
            await asyncio.to_thread(two.standby.resume)
            await r.well_again(time.monotonic())
            said = primary.output().count("canceling wait for synchronous replication")
            result.must(said == 0, f"{said} commits cancelled")
            # What was cut is done now: the last look is at what there is.
            await asyncio.sleep(1)

        await two.r.under_load(fault, count=24)
        two.serving = two.primary  # nothing failed over
