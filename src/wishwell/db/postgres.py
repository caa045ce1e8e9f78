"""PostgreSQL 15 to 18 through asyncpg.

A single statement is one round trip: without BEGIN, and without resetting the connection, because
our statements leave no state on it. Ids are sent as text, to avoid a UUID object for each.
"""

import asyncio
import contextlib
import math
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any, Concatenate, ParamSpec, TypeVar

import asyncpg

from wishwell.db import Reader, Row, RunAgain, Stats, copying, failures, pages, statements
from wishwell.db import rows as columns
from wishwell.db.connecting import is_pooled, open_one, prepare
from wishwell.db.deadline import Deadline
from wishwell.db.failures import BROKEN, UNREACHABLE, Doubts, failed, translated, undecided
from wishwell.db.hosts import Connection, Hosts, Told, nobody
from wishwell.db.pages import PageQuery
from wishwell.db.pool import Pool
from wishwell.db.statements import Does, Statement
from wishwell.db.url import Address, parse
from wishwell.db.writes import WAITING, Writes
from wishwell.errors import ServiceError, Unavailable

P = ParamSpec("P")
T = TypeVar("T")

_TRY_AGAIN = (RunAgain, asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_TRIES = 4
_STATEMENTS = 512  # prepared on a connection: all of ours, and the common forms of pages
_LOOKS = 40  # how often in a statement's time it is looked whether one is late or overdue


class _Handle:
    """``Writer`` on one connection. The first statement that locks begins a transaction.

    What is overdue ends with its connection. The driver's own timeouts would send a cancel request:
    a commit that waits for its standby is then visible, and may be lost.
    """

    _wrote = in_transaction = late = overdue = False

    def __init__(
        self,
        connection: Connection,
        sql: Mapping[str, Statement],
        deadline: Deadline,
        is_late: Callable[["_Handle"], None] | None = None,
    ) -> None:
        """``is_late`` hears of a statement long before it is overdue."""
        self._connection = connection
        self._sql = sql
        self._deadline = deadline
        self._is_late = is_late

    @property
    def writes(self) -> bool:
        return self._wrote or self.in_transaction

    async def one(self, statement: str, /, **named: Any) -> Row | None:
        rows = await self.all(statement, **named)
        return rows[0] if rows else None

    async def all(self, statement: str, /, **named: Any) -> Sequence[Row]:
        known = self._sql[statement]
        if not self.in_transaction:
            if known.does is Does.LOCK:
                await self._begin()
            elif known.does is Does.WRITE:
                assert not self._wrote, "a use-case of several writes begins with a lock"
                self._wrote = True
        step = known.steps[0]
        return await self.fetch(step.sql, *step.values(named))

    async def page(self, query: PageQuery, *arguments: Any) -> Sequence[Row]:
        return await self.fetch(pages.sql("postgresql", query), *arguments)

    async def run(self, statement: str, /, **named: Any) -> None:
        # Not execute, which with arguments prepares the statement again each time.
        await self.all(statement, **named)

    # These three have a time of the driver: they may wait for room to write, which no cut ends.
    # Before the commit a cancelled statement does no harm.
    async def run_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        assert self.in_transaction
        with self._many():
            step = self._sql[statement].step
            values = [step.values(row) for row in rows]
            await self._connection.executemany(step.sql, values, timeout=self._deadline.left())

    async def all_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> Sequence[Row]:
        known = self._sql[statement]
        if not self.in_transaction:
            assert known.does is Does.LOCK
            await self._begin()
        with self._many():
            found: Sequence[Row] = await self._connection.fetchmany(
                known.step.sql,
                [known.step.values(row) for row in rows],
                timeout=self._deadline.left(),
            )
        return found

    async def fill(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        if not self.in_transaction:
            await self._begin()
        with self._many():
            await self._connection.copy_to_table(
                table,
                source=copying.text(rows),
                columns=columns.FILLED[table],
                timeout=self._deadline.left(),
            )

    async def fetch(self, sql: str, *arguments: Any) -> Sequence[Row]:
        self._deadline.start()
        try:
            rows: Sequence[Row] = await self._connection.fetch(sql, *arguments)
        except asyncpg.IntegrityConstraintViolationError as error:
            failures.raise_ours(error)
        except (*UNREACHABLE, AttributeError) as error:
            why = self._cause(error)
            raise failed(why, wrote=self._wrote and not self.in_transaction) from why
        self._deadline.stop()
        return rows

    @contextlib.contextmanager
    def _many(self) -> Iterator[None]:
        with translated():
            try:
                yield
            except AttributeError as error:
                raise self._cause(error) from error

    async def commit(self, seconds: float) -> None:
        """Commits. ``seconds`` is the least time that it gets."""
        self._deadline.start_commit(seconds)
        try:
            await self._connection.execute("COMMIT")
        except (*BROKEN, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
            # The last two: it broke while nothing was asked of it.
            why = self._cause(error)
            raise undecided(why) from why

    async def _begin(self) -> None:
        self._deadline.start_transaction()
        with translated():
            await self._connection.execute("BEGIN")
        self._deadline.stop()
        self.in_transaction = True

    def _cause(self, error: BaseException) -> BaseException:
        if isinstance(error, AttributeError):
            # The driver's own, where a connection is cut between two of its steps.
            if not self._connection.is_closed():
                raise error
            error = ConnectionError()
        return TimeoutError() if self.overdue else error

    # contract: write-cut, database-away
    def look(self, now: float) -> None:
        """Cuts what is overdue, and tells of what is late."""
        if self._deadline.is_over(now):
            self.overdue = True
            self._connection.terminate()
        elif self._is_late is not None and self._deadline.is_late(now):
            self._is_late(self)


class Postgres:
    """See ``wishwell.db.Database``."""

    def __init__(self, url: str, *, connections: int, seconds: float, told: Told = nobody) -> None:
        """Connections are opened when they are needed, at most ``connections``.

        ``seconds`` bounds a single statement, including the wait for its connection. A transaction
        has twice that, and at least half of it to commit. ``told`` hears which hosts are used.
        """
        self.sql = statements.load("postgresql")
        self._target = parse(url)
        self._seconds = seconds
        self._hosts = Hosts(self._target, self._connect, seconds, told)
        self._writes = Writes(max(1, connections // 2), self._waiting)
        self._pooled: bool | None = None
        self._pool = Pool(self._hosts, connections)
        self._doubts = Doubts()
        self._running: set[_Handle] = set()
        self._looks = False

    async def _connect(self, address: Address) -> Connection:
        if self._pooled is None:
            self._pooled = await is_pooled(self._target, address)
        settings = {"application_name": "wishwell"}
        if not self._pooled:
            # The server's own bounds, in case this process dies. They end no commit. A pooler
            # refuses them.
            settings["statement_timeout"] = str(int(self._seconds * 2000))
            settings["idle_in_transaction_session_timeout"] = str(int(self._seconds * 4000))
        connection = await open_one(
            self._target,
            address,
            # A pooler may send each transaction to another server, which knows no names.
            statement_cache_size=0 if self._pooled else _STATEMENTS,
            max_cached_statement_lifetime=0,
            server_settings=settings,
        )
        self._doubts.listen(connection)
        try:
            await prepare(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def read(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        try:
            return await self._once(self._deadline(), use_case, *arguments, **named)
        except _TRY_AGAIN:
            seconds = self._seconds
            return await self._repeated(seconds, seconds, use_case, *arguments, **named)

    async def write(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        await self._writes.admit()
        end = 2 * self._seconds
        return await self._repeated(end, end, use_case, *arguments, **named)

    async def long_write(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        await self._writes.admit()
        end = 10 * self._seconds
        return await self._repeated(end, self._seconds, use_case, *arguments, **named)

    async def _repeated(
        self,
        seconds: float,
        each: float,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Runs it, and again after ``_TRY_AGAIN``, for ``seconds``, a statement for ``each``."""
        end = asyncio.get_running_loop().time() + seconds
        for left in reversed(range(_TRIES)):
            try:
                return await self._once(self._deadline(end, each), use_case, *arguments, **named)
            except _TRY_AGAIN as error:
                if not left:
                    raise Unavailable("The database is too busy with this profile.") from error
                await asyncio.sleep(0.01 * (_TRIES - left))
        raise AssertionError("unreachable")

    # contract: write-kept, cluster-server-away
    async def _once(
        self,
        deadline: Deadline,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Runs the use-case on one connection."""
        try:
            connection = await self._pool.take(self._seconds)
        except UNREACHABLE as error:
            raise failed(error) from error
        handle = _Handle(connection, self.sql, deadline, self._is_late)
        self._running.add(handle)
        if not self._looks:
            self._look(asyncio.get_running_loop())
        try:
            result = await use_case(handle, *arguments, **named)
            if handle.in_transaction:
                await handle.commit(self._seconds / 2)
            if handle.writes:
                self._doubts.check(connection)
                self._writes.cut = 0
        except Unavailable as error:
            # If the server refused a single statement, nothing is open. Otherwise drop the
            # connection: that rolls back too, and a ROLLBACK would wait for the same server.
            refused = isinstance(error.__cause__, asyncpg.PostgresError)
            if isinstance(error.__cause__, asyncpg.ReadOnlySQLTransactionError):
                connection.terminate()  # a new one may lead to the primary
            if refused and not handle.in_transaction:
                self._pool.give_back(connection)
            else:
                self._pool.drop(connection)
            raise
        except (asyncpg.PostgresError, ServiceError, RunAgain):
            if handle.in_transaction:
                await self._roll_back(connection)
            else:
                self._pool.give_back(connection)
            raise
        except BaseException:
            self._pool.drop(connection)
            raise
        finally:
            self._running.discard(handle)
            if handle.late:
                self._writes.late -= 1
                self._writes.cut += handle.overdue
        self._pool.give_back(connection)
        return result

    def _deadline(self, end: float = math.inf, each: float = math.inf) -> Deadline:
        return Deadline(asyncio.get_running_loop(), self._seconds, end, each)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Looks at what is running, again and again. A timer for each would cost more."""
        self._looks = bool(self._running)
        if self._looks:
            loop.call_later(self._seconds / _LOOKS, self._look, loop)
        for handle in list(self._running):
            handle.look(loop.time())

    def _is_late(self, handle: _Handle) -> None:  # contract: database-hung
        if self._hosts.several:
            self._hosts.suspect()
        if handle.writes and not handle.late:
            handle.late = True
            self._writes.late += 1

    async def _waiting(self) -> int:
        [[count]] = await self.read(_Handle.fetch, WAITING)
        return int(count)

    async def _roll_back(self, connection: Connection) -> None:
        """What made it roll back is what the caller hears, also where this fails."""
        whole = False
        try:
            with contextlib.suppress(Exception):
                if not connection.is_closed():
                    await connection.execute("ROLLBACK")
                whole = True
        finally:
            (self._pool.give_back if whole else self._pool.drop)(connection)

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reader]:
        with translated():
            connection = await self._hosts.connect()
        try:
            await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield _Handle(connection, self.sql, Deadline(asyncio.get_running_loop(), math.inf))
        finally:
            self._hosts.closed(connection)
            connection.terminate()

    async def ping(self) -> None:
        try:
            await self.read(_Handle.fetch, "SELECT 1")
        except Unavailable as error:
            if isinstance(error.__cause__, TimeoutError):
                raise
            # The connection was broken, perhaps by the end of one of several hosts.
            with translated():
                async with asyncio.timeout(self._seconds), self.snapshot():
                    pass

    def stats(self) -> Stats:
        return self._pool.stats()

    async def close(self) -> None:
        self._hosts.close()
        await self._pool.close(self._seconds)
