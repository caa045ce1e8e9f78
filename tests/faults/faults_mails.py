"""Processes and databases fail while mails are sent: none may be lost, or come a third time."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from asyncio import to_thread
from collections import Counter
from collections.abc import AsyncIterator

from tests.faults.faults_failover import pair
from tests.faults.harness import PREFIX, TWO, Harness, scenario
from tests.servers.mail_server import MailServer
from wishwell import ids

MAILS = 10_000
FOUR = {"WISHWELL_WORKERS": "4"}
_MAIL_OPTIONS = ("--mail", "on", "--mail-from", "shop@sender.example", "--mail-delay", "0")
_STORE_OPTIONS = (
    "--host",
    "https://shop.example",
    "--mail-limit",
    "1000000",
    "--notices",
    "opt-out",
)
_CLIENTS = 8
_BATCH = 250
_KILLS = 20
"""Kills, one after about the same number of mails each; interrupted mails cause some more."""

_MAX_KILLS = 2 * _KILLS
_MAX_SECONDS = 600
"""Seconds after which mails that are still waiting are counted as lost."""

_UNFINISHED = "FROM mails WHERE state IN ('waiting', 'sending')"


@scenario("sqlite", "postgresql", settings=TWO)
async def kill_while_mailing(r: Harness) -> None:
    """Two processes are killed again and again while they send a mail to each of many shoppers."""
    await _kill(r)


@scenario("sqlite", "postgresql", settings=FOUR)
async def kill_four_while_mailing(r: Harness) -> None:
    """As above, with four processes."""
    await _kill(r)


@scenario("postgresql", settings=TWO)
async def postgres_restarted_while_mailing(r: Harness) -> None:
    """The database is stopped like by a power cut, and restarted, while mails are sent."""
    times = max(3, round(10 * min(1, r.scale)))
    r.result.faults = f"{times} immediate stops"

    async def fault() -> None:
        for _ in range(times):
            await asyncio.sleep(random.uniform(1, 3))
            await to_thread(r.postgres.stop, "immediate")
            await asyncio.sleep(0.2)
            await to_thread(r.postgres.start)

    async with _mailing(r) as mailing:
        await fault()
        await mailing.wait_until_sent()


@scenario("postgresql", settings=TWO)
async def failover_while_mailing(r: Harness) -> None:
    """The primary is killed while mails are sent, and its synchronous standby promoted."""
    r.result.faults = "primary killed, standby promoted"
    async with pair(r) as two, _mailing(r) as mailing:
        await asyncio.sleep(5)
        await to_thread(two.primary.stop, "immediate")
        await asyncio.sleep(2)
        await to_thread(two.standby.sql, "SELECT pg_promote()")
        r.postgres = two.standby
        await mailing.wait_until_sent()


class _Mailing:
    """Mails that a service has begun to send, one to each of ``count`` shoppers."""

    def __init__(self, r: Harness, server: MailServer, count: int) -> None:
        self._r, self._server, self.count = r, server, count

    async def count_unfinished(self) -> int:
        return await self._r.count(_UNFINISHED)

    async def wait_for(self, count: int) -> None:
        """Waits until ``count`` more mails have come, or none is left."""
        wanted = len(self._server.received) + count
        while len(self._server.received) < wanted and await self.count_unfinished():
            await asyncio.sleep(0.05)

    async def wait_until_sent(self) -> None:
        """Waits until each mail has been sent or has failed."""
        end = time.monotonic() + _MAX_SECONDS
        while await self.count_unfinished() and time.monotonic() < end:
            await asyncio.sleep(1)

    def check(self) -> None:
        """Asserts that every mail came once or twice. A mail may be missing only if it failed and
        says that its outcome is unknown."""
        must, sql = self._r.must, self._r.sql
        arrived = Counter(one.recipient for one in list(self._server.received))
        missing = self.count - len(arrived)
        unknown = int(sql("SELECT count(*) FROM mails WHERE state = 'failed' AND unknown = 2"))
        rows = int(sql("SELECT count(*) FROM mails"))
        unfinished = int(sql(f"SELECT count(*) {_UNFINISHED}"))
        times = Counter(arrived.values())
        self._r.result.checked += self.count
        self._r.note(
            f"{self.count:,} mails: {times[1]:,} came once, {times[2]:,} twice, {missing} not at "
            f"all; {unknown} were interrupted twice and given up"
        )
        must(rows == self.count, f"{rows:,} mails are stored instead of {self.count:,}")
        must(unfinished == 0, f"{unfinished:,} mails are still waiting")
        must(missing <= unknown, f"{missing - unknown:,} mails are lost")
        must(max(times, default=0) <= 2, f"mails came more often: {dict(times)}")


@contextlib.asynccontextmanager
async def _mailing(r: Harness) -> AsyncIterator[_Mailing]:
    """Yields once the service has begun to send; checks all mails at the end."""
    count = round(MAILS * min(1, r.scale))
    server = MailServer()
    try:
        await to_thread(r.service.kill)
        r.service.settings["WISHWELL_SMTP_URL"] = server.url
        # In a thread, because a relay of this process may lead to the database.
        command = "store", "update", "default", *_STORE_OPTIONS, *_MAIL_OPTIONS, "--yes"
        await to_thread(r.service.cli, *command)
        await to_thread(r.service.start)
        await _fill(r, count)
        await to_thread(server.wait_for, count // 100, 60)
        mailing = _Mailing(r, server, count)
        yield mailing
        await to_thread(mailing.check)
    finally:
        server.close()


async def _kill(r: Harness) -> None:
    """Kills the service until all mails are sent, at most ``_MAX_KILLS`` times.

    While no process runs, the leases of the killed ones are ended, as if the service had been down
    for as long. So later kills also interrupt mails that an earlier one has interrupted.
    """
    kills, claimed, sending = 0, 0, 0
    async with _mailing(r) as mailing:
        while kills < _MAX_KILLS and await mailing.count_unfinished():
            await mailing.wait_for(random.randint(1, 2 * mailing.count // _KILLS))
            await to_thread(r.service.kill)
            kills += 1
            claimed += await r.count("FROM mails WHERE state = 'waiting' AND claim <> ''")
            sending += await r.count("FROM mails WHERE state = 'sending'")
            await to_thread(_end_leases, r)
            await to_thread(r.service.start)
        await mailing.wait_until_sent()
    r.result.faults = f"kill -9 {kills} times"
    r.note(f"{claimed:,} claimed mails and {sending:,} mails that were being sent were interrupted")


def _end_leases(r: Harness) -> None:
    now = ids.timestamp(ids.wall_clock())
    r.sql(f"UPDATE mails SET due_at = '{now}' WHERE claim <> '' RETURNING 1")


async def _fill(r: Harness, count: int) -> None:
    """Saves a product for each shopper, stores their addresses, and lowers the price."""
    clients = [r.client() for _ in range(_CLIENTS)]
    put = PREFIX + "/products/1"

    async def save(client, numbers):
        for number in numbers:
            gid = f"gid://shopify/Customer/{number}"
            answer = await client.ask("POST", PREFIX + "/items", {"productId": 1}, Profile=gid)
            assert answer.status in (200, 201), answer

    product = {"title": "A lamp", "price": {"amount": "10", "currency": "EUR"}}
    await clients[0].ask("PUT", put, product)
    parts = [range(first + 1, count + 1, _CLIENTS) for first in range(_CLIENTS)]
    await asyncio.gather(*map(save, clients, parts))
    for first in range(1, count + 1, _BATCH):
        rows = [
            {"profile": f"gid://shopify/Customer/{number}", "email": f"c{number}@shop.example"}
            for number in range(first, min(count + 1, first + _BATCH))
        ]
        answer = await clients[0].ask("PUT", PREFIX + "/profiles/email", {"profiles": rows})
        assert answer.status == 200, answer
    await clients[0].ask("PUT", put, product | {"price": {"amount": "5", "currency": "EUR"}})
    for client in clients:
        client.close()
