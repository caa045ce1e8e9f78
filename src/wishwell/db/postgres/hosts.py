"""Failover: chooses the primary among several PostgreSQL hosts.

Probes all hosts concurrently, each with its own timeout, and sticks to the one that accepts writes
until it is suspected down: a connection broke or was cut, a statement is overdue, or no connection
can be opened. Then all hosts are probed again. Connections to a host that doesn't answer are cut
only once another host has answered.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from wishwell.db.postgres.url import Address, Target

Connection = Any  # asyncpg has no types

_MAX_CONNECT_SECONDS = 2.0
"""Maximum seconds to connect to one of several hosts."""
_PROBE_INTERVAL_SECONDS = 1.0
"""Minimum seconds between probes that overdue statements cause."""
# If there are two primaries, the one with the higher timeline was promoted last. The system
# identifier in pg_control_system distinguishes servers that aren't replicas of each other.
TIMELINE = """
SELECT (SELECT system_identifier FROM pg_control_system()), pg_walfile_name(pg_current_wal_lsn())
"""
_UNREACHABLE = (OSError, TimeoutError, asyncpg.InternalClientError, asyncpg.CannotConnectNowError)
Warn = Callable[..., Any]
"""Logs an event, with its fields by name."""


class Hosts:
    """Opens connections to the primary, and tracks the host of each connection."""

    def __init__(
        self,
        target: Target,
        open_one: Callable[[Address], Awaitable[Connection]],
        seconds: float,
        warn: Warn | None = None,
    ) -> None:
        """``open_one`` connects to a host. ``seconds``: timeout for a single host; each of several
        hosts gets half, at most 2. ``warn`` logs changes of the host in use."""
        self.has_several = len(target.addresses) > 1
        self._addresses = target.addresses
        self._open_one = open_one
        self._warn = warn
        self._seconds = min(seconds / 2, _MAX_CONNECT_SECONDS) if self.has_several else seconds
        self._primary: Address | None = None
        self._last_primary: Address | None = None
        self._old_primaries: list[Address] = []
        self._newest_timelines: dict[int, int] = {}
        self._address_of: dict[Connection, Address] = {}
        self._probing: asyncio.Task[None] | None = None
        self._probed_at = -math.inf
        self._errors: list[Exception] = []

    # rule: database-failover
    async def connect(self) -> Connection:
        """Opens a connection to the primary. Raises the most informative error of the hosts."""
        if not self.has_several:
            return await self._open(self._addresses[0])
        for is_retry in (False, True):
            if is_retry or self._primary is None:
                await asyncio.shield(self._probe_all())
            if (address := self._primary) is not None:
                try:
                    return await self._open(address)
                except Exception as error:
                    self._errors = [error]
                    self._suspect_down(address)
        informative = [error for error in self._errors if not isinstance(error, _UNREACHABLE)]
        timeouts = [error for error in self._errors if isinstance(error, TimeoutError)]
        raise (
            informative or timeouts or self._errors or [ConnectionError("no host accepts writes")]
        )[0]

    def closed(self, connection: Connection) -> None:
        """Forgets a connection that was closed or is given up; suspects its host if it broke."""
        address = self._address_of.pop(connection, None)
        if address and connection.is_closed():  # it broke, or was cut
            self._suspect_down(address)

    def is_primary(self, connection: Connection) -> bool:
        """Returns whether an idle connection leads to the current primary."""
        return not self.has_several or self._address_of[connection] == self._primary

    # rule: database-failover
    def suspect(self) -> None:
        """Probes all hosts in the background, because a statement is overdue."""
        if asyncio.get_running_loop().time() > self._probed_at + _PROBE_INTERVAL_SECONDS:
            self._probe_all()

    async def _open(self, address: Address) -> Connection:
        async with asyncio.timeout(self._seconds):
            connection = await self._open_one(address)
        self._address_of[connection] = address
        return connection

    def _suspect_down(self, address: Address) -> None:
        if address == self._primary:
            self._primary = None

    def _probe_all(self) -> "asyncio.Task[None]":
        """Returns the probe of all hosts in progress, or starts one (single-flight)."""
        if self._probing is None:
            self._probed_at = asyncio.get_running_loop().time()
            self._probing = asyncio.create_task(self._probe_each())
        return self._probing

    async def _probe_each(self) -> None:
        try:
            self._choose_primary(await self._timelines())
        finally:
            self._probing = None

    async def _timelines(self) -> dict[Address, tuple[int, int]]:
        """Returns the cluster and timeline of each host that answered in time.

        Doesn't wait for more hosts after a newly promoted one.
        """
        probes = {asyncio.create_task(self._probe(address)): address for address in self._addresses}
        answers: dict[Address, tuple[int, int]] = {}
        self._errors = []
        try:
            for answer in asyncio.as_completed(probes):
                address, timeline = await answer
                if timeline is not None:
                    answers[address] = timeline
                    if timeline[1] > self._newest_timelines.get(timeline[0], timeline[1]):
                        break
        finally:
            for task in probes:
                task.cancel()
        return answers

    async def _probe(self, address: Address) -> tuple[Address, tuple[int, int] | None]:
        try:
            async with asyncio.timeout(self._seconds):
                connection = await self._open_one(address)
                try:
                    return address, await _timeline(connection)
                finally:
                    connection.terminate()
        except Exception as error:
            self._errors.append(error)
            return address, None

    # rule: database-failover
    def _choose_primary(self, answers: dict[Address, tuple[int, int]]) -> None:
        """Chooses the primary and, if there is one, cuts connections to other hosts.

        A host with an outdated timeline is an old primary, and never chosen.
        """
        for cluster, timeline in answers.values():
            self._newest_timelines[cluster] = max(timeline, self._newest_timelines.get(cluster, 0))
        answering = [address for address in self._addresses if address in answers]
        old_primaries = [
            a for a in answering if answers[a][1] < self._newest_timelines[answers[a][0]]
        ]
        candidates = [address for address in answering if address not in old_primaries]
        self._primary = (
            self._last_primary if self._last_primary in candidates else next(iter(candidates), None)
        )
        if self._primary:
            for connection, address in self._address_of.items():
                if address != self._primary:
                    connection.terminate()
        if self._warn and self._primary and self._primary != self._last_primary:
            self._warn("database_hosts", hosts=[str(self._primary)])
        if self._warn and old_primaries and old_primaries != self._old_primaries:
            self._warn("database_old_primary", hosts=[str(address) for address in old_primaries])
        self._last_primary, self._old_primaries = self._primary or self._last_primary, old_primaries


async def _timeline(connection: Connection) -> tuple[int, int]:
    """Returns a server's cluster id and timeline; zeros if it is a standby or denies the query."""
    try:
        cluster, file = await connection.fetchrow(TIMELINE)
    except asyncpg.PostgresError:
        return 0, 0
    return cluster, int(file[:8], 16)
