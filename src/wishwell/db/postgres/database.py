"""PostgreSQL 15 to 18 through asyncpg.

A single statement is one round trip: without BEGIN, and without resetting the connection, because
our statements leave no state on it. Ids are sent as text, to avoid a UUID object for each.
"""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, TypeVar

import asyncpg

from wishwell.db import Reader, RunAgain, Stats, UseCase, statements
from wishwell.db.journal import Journal
from wishwell.db.postgres import cluster, connecting, failures
from wishwell.db.postgres.handle import Handle
from wishwell.db.postgres.hosts import Connection, Hosts, Warn
from wishwell.db.postgres.pool import Pool
from wishwell.db.postgres.url import Address, parse
from wishwell.errors import ServiceError, Unavailable
from wishwell.fairness.fair_queue import CURRENT

T = TypeVar("T")

_RETRIED_ERRORS = (RunAgain, asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_MAX_ATTEMPTS = 4
_LONG_READ_FACTOR = 5  # factor of a read's timeout, for a read of many records
_STATEMENTS = 512  # prepared statements a connection: all of ours, and the common forms of pages
_POLLS_PER_TIMEOUT = 40  # polls for late and overdue statements in one statement timeout
# Share of the statement timeout after which the host is suspected down and probed.
_SUSPECT_SHARE = 0.25
_REFUSED_POLL_SECONDS = 0.25  # seconds between polls while writes are refused
UNCONFIRMED = """
SELECT count(*) FROM pg_stat_activity
WHERE usename = current_user AND wait_event = 'SyncRep'
AND state_change < clock_timestamp() - interval '0.5 seconds'
"""
"""Counts our commits that wait for a standby to confirm them."""
_LOCK_WAITS = """
SELECT count(*) FROM pg_stat_activity
WHERE usename = current_user AND datname = current_database() AND wait_event_type = 'Lock'
AND query_start < clock_timestamp() - interval '0.5 seconds'
"""


class Postgres:
    """See ``wishwell.db.Database``."""

    def __init__(
        self,
        url: str,
        *,
        connections: int,
        seconds: float,
        warn: Warn | None = None,
        journal: Journal | None = None,
    ) -> None:
        """Opens connections when they are needed, at most ``connections``.

        ``seconds``: timeout of a single statement, including the wait for its connection. A
        transaction may take twice that, and its commit at least half. ``warn`` logs which hosts are
        used.
        """
        self.sql = statements.load("postgresql")
        self._journal = journal or Journal()
        self._target = parse(url)
        self._seconds = seconds
        self._hosts = Hosts(self._target, self._connect, seconds, warn)
        self._pooled: bool | None = None
        self._distributed: bool | None = None
        self._pool = Pool(self._hosts, connections)
        self._running: set[Handle] = set()
        self._polling = False
        self._max_writes = max(1, connections // 2)
        # Writes whose connections were closed since the last successful write.
        self._lost_writes = 0
        self._checked_at = -math.inf
        self._long_read_lock = asyncio.Lock()

    async def _connect(self, address: Address) -> Connection:
        if self._pooled is None:
            self._pooled = await connecting.is_pooled(self._target, address)
        settings = {"application_name": "wishwell"}
        if not self._pooled:
            # The server's own timeouts, in case this process dies. They don't interrupt a commit. A
            # pooler refuses them.
            settings["statement_timeout"] = str(int(self._seconds * 2000))
            settings["idle_in_transaction_session_timeout"] = str(int(self._seconds * 4000))
        connection = await connecting.open_one(
            self._target,
            address,
            # A pooler may send each transaction to a server without the prepared statement.
            statement_cache_size=0 if self._pooled else _STATEMENTS,
            max_cached_statement_lifetime=0,
            server_settings=settings,
        )
        connection.add_log_listener(failures.on_log_message)
        try:
            await connecting.prepare(connection)
            if self._distributed is None:
                self._distributed = await cluster.is_distributed(connection)
                self.sql = statements.load("postgresql", distributed=self._distributed)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def read(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        deadline = asyncio.get_running_loop().time() + self._seconds
        try:  # without the retry loop, because almost all succeed
            return await self._run_once(
                (deadline, deadline, math.inf), None, use_case, *arguments, **keywords
            )
        except _RETRIED_ERRORS:
            return await self._run_repeatedly(1, 1, None, use_case, *arguments, **keywords)

    # rule: count-pace
    async def long_read(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        async with self._long_read_lock:
            return await self.batch_read(use_case, *arguments, **keywords)

    async def batch_read(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        deadline = asyncio.get_running_loop().time() + _LONG_READ_FACTOR * self._seconds
        return await self._run_once(
            (deadline, deadline, math.inf), None, use_case, *arguments, **keywords
        )

    async def write(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        await self._admit_write()
        return await self._run_repeatedly(
            2, 2, _find_lock_key(arguments), use_case, *arguments, **keywords
        )

    async def long_write(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        await self._admit_write()
        return await self._run_repeatedly(
            10, 1, _find_lock_key(arguments), use_case, *arguments, **keywords
        )

    async def _run_repeatedly(
        self,
        total_factor: int,
        statement_factor: int,
        lock_key: str | None,
        use_case: UseCase[T],
        *arguments: Any,
        **keywords: Any,
    ) -> T:
        """Runs the use-case, with retries after ``_RETRIED_ERRORS``.

        All its transactions together may take ``total_factor`` times the timeout of a single
        statement, and each of their statements ``statement_factor`` times.
        """
        now = asyncio.get_running_loop().time
        deadline = now() + total_factor * self._seconds
        for attempts_left in reversed(range(_MAX_ATTEMPTS)):
            timeouts = (now() + self._seconds, deadline, statement_factor * self._seconds)
            try:
                return await self._run_once(timeouts, lock_key, use_case, *arguments, **keywords)
            except _RETRIED_ERRORS as error:
                if not attempts_left:
                    raise Unavailable(
                        "Other requests of this profile keep the database busy."
                    ) from error
                await asyncio.sleep(0.01 * (_MAX_ATTEMPTS - attempts_left))
        raise AssertionError("unreachable")

    # rules: write-durable, cluster-nodes
    async def _run_once(
        self,
        timeouts: tuple[float, float, float],
        lock_key: str | None,
        use_case: UseCase[T],
        *arguments: Any,
        **keywords: Any,
    ) -> T:
        """Runs the use-case on one connection. ``timeouts``: the handle's deadlines and timeout.
        ``lock_key``: the key of the profile that it locks."""
        ticket = CURRENT.get()
        ticket.pause()
        try:
            connection = await self._pool.take(self._seconds, lock_key)
        except BaseException as error:
            ticket.resume()
            if isinstance(error, failures.UNREACHABLE):
                raise failures.to_unavailable(error) from error
            raise
        handle = Handle(connection, self.sql, *timeouts)
        handle.joins_products = not self._distributed
        handle.journal = self._journal
        self._running.add(handle)
        if not self._polling:
            self._close_overdue(asyncio.get_running_loop())
        try:
            result = await use_case(handle, *arguments, **keywords)
            if handle.in_transaction:
                await handle.commit(self._seconds / 2)
            if handle.is_writing:
                failures.check(connection)
                self._lost_writes = 0
        except BaseException as error:
            await self._end_failed(connection, handle, error)
            raise
        finally:
            ticket.resume()
            self._running.discard(handle)
            if handle.is_overdue and handle.is_writing:
                self._lost_writes += 1
            if handle.acts:
                await handle.refuse_acts()
        self._pool.give_back(connection)
        return result

    async def _end_failed(
        self, connection: Connection, handle: Handle, error: BaseException
    ) -> None:
        """Rolls back, and gives back the connection or, if it may still be busy, drops it."""
        is_usable = isinstance(error, asyncpg.PostgresError | ServiceError | RunAgain)
        if isinstance(error, Unavailable):
            # If the server refused a single statement, no transaction is open. Otherwise drop the
            # connection: that rolls back too, and a ROLLBACK would wait for the same server.
            is_usable = (
                isinstance(error.__cause__, asyncpg.PostgresError) and not handle.in_transaction
            )
            if isinstance(error.__cause__, asyncpg.ReadOnlySQLTransactionError):
                connection.terminate()  # a new one may lead to the primary
        if not is_usable:
            self._pool.drop(connection)
        elif handle.in_transaction:
            await self._roll_back(connection)
        else:
            self._pool.give_back(connection)

    def _close_overdue(self, loop: asyncio.AbstractEventLoop) -> None:
        """Polls all running statements. A timer for each would cost more."""
        self._polling = bool(self._running)
        if self._polling:
            loop.call_later(self._seconds / _POLLS_PER_TIMEOUT, self._close_overdue, loop)
        for handle in list(self._running):
            handle.close_if_overdue(loop.time())
            if (
                self._hosts.has_several
                and loop.time() - handle.started_at > _SUSPECT_SHARE * self._seconds
            ):
                self._hosts.suspect()

    # rule: standby-confirms
    async def _admit_write(self) -> None:
        """Raises ``Unavailable`` if too many writes are waiting. Records the command, if any.

        While a standby is down, a write whose connection was closed still waits in the server and
        occupies one of the server's connections. From ``_max_writes`` such writes on, new ones are
        refused until the server has none left.
        """
        self._journal.record_command()
        if not self._lost_writes:
            return
        if (
            self._lost_writes + sum(handle.is_writing for handle in self._running)
            < self._max_writes
        ):
            return
        now = asyncio.get_running_loop().time()
        if now - self._checked_at > _REFUSED_POLL_SECONDS:
            self._checked_at = now
            # If all connections are in use, writes stay refused too.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_REFUSED_POLL_SECONDS):
                    [[count]] = await self.read(Handle.fetch, UNCONFIRMED)
                    if not count:
                        self._lost_writes = 0
        if self._lost_writes:
            raise Unavailable("Too many writes are waiting for the database.")

    async def _roll_back(self, connection: Connection) -> None:
        """Rolls back. Ignores its own errors, because the caller raises the original one."""
        is_usable = False
        try:
            with contextlib.suppress(Exception):
                if not connection.is_closed():
                    await connection.execute("ROLLBACK")
                is_usable = True
        finally:
            (self._pool.give_back if is_usable else self._pool.drop)(connection)

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reader]:
        with failures.translate_errors():
            connection = await self._hosts.connect()
        try:
            await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield Handle(connection, self.sql)
        finally:
            self._hosts.closed(connection)
            connection.terminate()

    async def ping(self) -> None:
        try:
            await self.read(Handle.fetch, "SELECT 1")
        except Unavailable as error:
            if isinstance(error.__cause__, TimeoutError):
                raise
            # The connection was broken, perhaps because one of several hosts went down.
            with failures.translate_errors():
                async with asyncio.timeout(self._seconds), self.snapshot():
                    pass

    async def count_lock_waits(self) -> int:
        rows = await self.read(Handle.fetch, _LOCK_WAITS)
        return int(rows[0][0])

    def stats(self) -> Stats:
        return replace(self._pool.stats(), unrecorded_acts=self._journal.failures)

    async def close(self) -> None:
        await self._pool.close(self._seconds)


# rule: fair-queueing
def _find_lock_key(arguments: tuple[Any, ...]) -> str | None:
    """Returns the key of the profile that a write with these arguments locks, if it is known."""
    return (
        getattr(arguments[0], "lock_key", None) if arguments else None
    ) or CURRENT.get().lock_key
