"""Which host of a database connections lead to, and which hosts are left behind.

Of several hosts all are asked at once, each with a time of its own, and the one that may be written
to is kept to until it is in doubt: a connection broke or was cut, a statement is late, none can be
opened. Then all are asked again. A host that does not answer is left only for one that does.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from wishwell.db.url import Address, Target

Connection = Any  # asyncpg has no types

_MOST_SECONDS = 2.0
"""The most that one of several hosts has to accept a connection."""
_AGAIN_SECONDS = 1.0
"""The least time between two rounds of questions that a late statement causes."""
# A server's highest timeline says which of two was promoted last. pg_control_system
# tells servers apart that are no copies of each other.
_PLACE = """
SELECT (SELECT system_identifier FROM pg_control_system()), pg_walfile_name(pg_current_wal_lsn())
"""
_AWAY = (OSError, TimeoutError, asyncpg.InternalClientError, asyncpg.CannotConnectNowError)
Warn = Callable[..., Any]
"""Logs an event, with its fields by name."""


class Hosts:
    """Opens connections, and knows which host each leads to."""

    def __init__(
        self,
        target: Target,
        open_one: Callable[[Address], Awaitable[Connection]],
        seconds: float,
        warn: Warn | None = None,
    ) -> None:
        """``open_one`` connects to one host. ``seconds`` bounds that for a single host; of several
        each has half of it, and at most 2. ``warn`` logs which hosts are used."""
        self.several = len(target.addresses) > 1
        self._addresses = target.addresses
        self._open_one = open_one
        self._warn = warn
        self._seconds = min(seconds / 2, _MOST_SECONDS) if self.several else seconds
        self._good: Address | None = None
        self._last: Address | None = None
        self._old: list[Address] = []
        self._newest: dict[int, int] = {}
        self._of: dict[Connection, Address] = {}
        self._round: asyncio.Task[None] | None = None
        self._asked = 0.0
        self._why: list[Exception] = []

    # contract: database-hosts
    async def connect(self) -> Connection:
        """A new connection to the good host. Raises what the hosts said, the most telling of it."""
        if not self.several:
            return await self._open(self._addresses[0])
        for asked in (False, True):
            if asked or self._good is None:
                await asyncio.shield(self._ask_all())
            if (address := self._good) is not None:
                try:
                    return await self._open(address)
                except Exception as error:
                    self._why = [error]
                    self._doubt(address)
        telling = [error for error in self._why if not isinstance(error, _AWAY)]
        raise (telling or self._why or [ConnectionError("no host takes writes")])[0]

    def closed(self, connection: Connection) -> None:
        """Takes note of a connection that is gone, or is given up."""
        address = self._of.pop(connection, None)
        if address and connection.is_closed():  # it broke, or was cut
            self._doubt(address)

    def trusts(self, connection: Connection) -> bool:
        """Whether a connection that is idle leads to the good host."""
        return not self.several or self._of[connection] == self._good

    # contract: database-hung
    def suspect(self) -> None:
        """Asks all hosts in the background, as a statement is late."""
        if asyncio.get_running_loop().time() > self._asked + _AGAIN_SECONDS:
            self._ask_all()

    async def _open(self, address: Address) -> Connection:
        async with asyncio.timeout(self._seconds):
            connection = await self._open_one(address)
        self._of[connection] = address
        return connection

    def _doubt(self, address: Address) -> None:
        if address == self._good:
            self._good = None

    def _ask_all(self) -> "asyncio.Task[None]":
        """The round of questions that is running, which all who wait share, or a new one."""
        if self._round is None:
            self._asked = asyncio.get_running_loop().time()
            self._round = asyncio.create_task(self._ask_each())
        return self._round

    async def _ask_each(self) -> None:
        try:
            self._judge(await self._answers())
        finally:
            self._round = None

    async def _answers(self) -> dict[Address, tuple[int, int]]:
        """What the hosts said in time. The first that was promoted since ends the round."""
        asked = {asyncio.create_task(self._ask(address)): address for address in self._addresses}
        answers: dict[Address, tuple[int, int]] = {}
        self._why = []
        try:
            for answer in asyncio.as_completed(asked):
                address, place = await answer
                if place is not None:
                    answers[address] = place
                    if place[1] > self._newest.get(place[0], place[1]):
                        break
        finally:
            for task in asked:
                task.cancel()
        return answers

    async def _ask(self, address: Address) -> tuple[Address, tuple[int, int] | None]:
        try:
            async with asyncio.timeout(self._seconds):
                connection = await self._open_one(address)
                try:
                    return address, await _place(connection)
                finally:
                    connection.terminate()
        except Exception as error:
            self._why.append(error)
            return address, None

    # contract: database-hosts, database-old-primary, database-hung
    def _judge(self, answers: dict[Address, tuple[int, int]]) -> None:
        """Chooses the good host, and cuts the connections to the others if there is one."""
        for cluster, timeline in answers.values():
            self._newest[cluster] = max(timeline, self._newest.get(cluster, 0))
        answering = [address for address in self._addresses if address in answers]
        old = [a for a in answering if answers[a][1] < self._newest[answers[a][0]]]
        rest = [address for address in answering if address not in old]
        self._good = self._last if self._last in rest else next(iter(rest), None)
        if self._good:
            for connection, address in self._of.items():
                if address != self._good:
                    connection.terminate()
        if self._warn and self._good and self._good != self._last:
            self._warn("database_hosts", hosts=[str(self._good)])
        if self._warn and old and old != self._old:
            self._warn("database_old_primary", hosts=[str(address) for address in old])
        self._last, self._old = self._good or self._last, old


async def _place(connection: Connection) -> tuple[int, int]:
    """A server's cluster and timeline; zeros where it does not tell them, as a standby doesn't."""
    try:
        cluster, file = await connection.fetchrow(_PLACE)
    except asyncpg.PostgresError:
        return 0, 0
    return cluster, int(file[:8], 16)
