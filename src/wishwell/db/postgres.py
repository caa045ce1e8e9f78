"""PostgreSQL 15 to 18 through asyncpg.

A single statement is one round trip: without BEGIN, and without resetting the connection, because
our statements leave no state on it. Ids are sent as text, to avoid a UUID object for each.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import asyncpg

from wishwell.db import Row, Stats, UniqueViolation, pages, statements
from wishwell.db.pages import PageQuery
from wishwell.db.pool import Connection, Pool
from wishwell.db.statements import Does, Statement
from wishwell.errors import Misconfigured, ServiceError, Unavailable, Undecided

P = ParamSpec("P")
T = TypeVar("T")

_UNREACHABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.DiskFullError,
    asyncpg.OutOfMemoryError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
# After these errors it is not known whether a write was done: even a server that shuts down may
# have committed first.
_BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    OSError,
    TimeoutError,
)
_TRY_AGAIN = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_ENCODINGS = ("UTF8", "SQL_ASCII")
"""Encodings that can store any text. SQL_ASCII stores bytes unchanged."""

_TRIES = 4
_STATEMENTS = 512
"""Prepared statements per connection: enough for all of ours and the common forms of pages."""


class _Handle:
    """``Writer`` on one connection. The first statement that locks begins a transaction."""

    def __init__(
        self, connection: Connection, sql: Mapping[str, Statement], end: float, last: float
    ) -> None:
        """``end`` is the deadline of a single statement, ``last`` that of a transaction."""
        self._connection = connection
        self._sql = sql
        self._end = end
        self._last = last
        self._wrote = False
        self.in_transaction = False

    async def one(self, statement: str, *arguments: Any) -> Row | None:
        rows = await self.all(statement, *arguments)
        return rows[0] if rows else None

    async def all(self, statement: str, *arguments: Any) -> Sequence[Row]:
        known = self._sql[statement]
        if known.does is not Does.READ and not self.in_transaction:
            await self._prepare(known.does)
        return await self.fetch(known.steps[0].sql, *arguments)

    async def page(self, query: PageQuery, *arguments: Any) -> Sequence[Row]:
        return await self.fetch(pages.sql("postgresql", query), *arguments)

    async def run(self, statement: str, *arguments: Any) -> None:
        # Not execute, which with arguments prepares the statement again each time.
        await self.all(statement, *arguments)

    async def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        assert self.in_transaction
        with translated():
            await self._connection.executemany(self._sql[statement].sql, rows, timeout=self._left())

    async def all_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> Sequence[Row]:
        known = self._sql[statement]
        if not self.in_transaction:
            assert known.does is Does.LOCK
            await self._prepare(known.does)
        with translated():
            found: Sequence[Row] = await self._connection.fetchmany(
                known.sql, rows, timeout=self._left()
            )
        return found

    async def fetch(self, sql: str, *arguments: Any) -> Sequence[Row]:
        try:
            rows: Sequence[Row] = await self._connection.fetch(
                sql, *arguments, timeout=self._left()
            )
        except asyncpg.UniqueViolationError as error:
            raise UniqueViolation(error.constraint_name or "") from error
        except _UNREACHABLE as error:
            if self._wrote and not self.in_transaction and isinstance(error, _BROKEN):
                raise _undecided(error) from error
            raise _unavailable(error) from error
        return rows

    async def commit(self, seconds: float) -> None:
        """Commits. ``seconds`` is the least time that it gets."""
        try:
            await self._connection.execute("COMMIT", timeout=max(seconds, self._left()))
        except _BROKEN as error:
            raise _undecided(error) from error

    async def _prepare(self, does: Does) -> None:
        if does is Does.LOCK:
            self._end = self._last
            with translated():
                await self._connection.execute("BEGIN", timeout=self._left())
            self.in_transaction = True
        else:
            assert not self._wrote, "a use-case of several writes begins with a lock"
            self._wrote = True

    def _left(self) -> float:
        return max(0.01, self._end - asyncio.get_running_loop().time())


class Postgres:
    """See ``wishwell.db.Database``."""

    def __init__(self, url: str, *, connections: int, seconds: float) -> None:
        """Connections are opened when they are needed, at most ``connections``.

        ``seconds`` bounds a single statement, including the wait for its connection. A transaction
        has twice that, and at least half of it to commit.
        """
        self.sql = statements.load("postgresql")
        self._url = url
        self._seconds = seconds
        self._pool = Pool(self._connect, connections)

    async def _connect(self) -> Connection:
        connection: Connection = await connect(
            self._url,
            timeout=self._seconds,
            command_timeout=self._seconds,
            statement_cache_size=_STATEMENTS,
            max_cached_statement_lifetime=0,
            server_settings={
                "application_name": "wishwell",
                # The server's own bounds, in case this process dies.
                "statement_timeout": str(int(self._seconds * 2000)),
                "idle_in_transaction_session_timeout": str(int(self._seconds * 4000)),
            },
        )
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
        end = asyncio.get_running_loop().time() + self._seconds
        try:
            return await self._once(end, use_case, *arguments, **named)
        except _TRY_AGAIN as error:
            raise Unavailable("The database is too busy with this profile.") from error

    async def write(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        return await self._repeated(2 * self._seconds, use_case, *arguments, **named)

    async def long_write(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        return await self._repeated(10 * self._seconds, use_case, *arguments, **named)

    async def _repeated(
        self,
        seconds: float,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Runs the use-case, and again after a deadlock. ``seconds`` bounds all tries together."""
        last = asyncio.get_running_loop().time() + seconds
        for left in reversed(range(_TRIES)):
            try:
                return await self._once(last, use_case, *arguments, **named)
            except _TRY_AGAIN as error:
                if not left:
                    raise Unavailable("The database is too busy with this profile.") from error
                await asyncio.sleep(0.01 * (_TRIES - left))
        raise AssertionError("unreachable")

    # contract: write-kept, cluster-server-away
    async def _once(
        self,
        last: float,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Runs the use-case on one connection. ``last``: a transaction's deadline to commit."""
        end = asyncio.get_running_loop().time() + self._seconds
        try:
            connection = await self._pool.take(self._seconds)
        except _UNREACHABLE as error:
            raise _unavailable(error) from error
        handle = _Handle(connection, self.sql, end, last)
        try:
            result = await use_case(handle, *arguments, **named)
            if handle.in_transaction:
                await handle.commit(self._seconds / 2)
        except Unavailable as error:
            # If the server refused a single statement, nothing is open. Otherwise drop the
            # connection: that rolls back too, and a ROLLBACK would wait for the same server.
            refused = isinstance(error.__cause__, asyncpg.PostgresError)
            if refused and not handle.in_transaction:
                self._pool.give_back(connection)
            else:
                self._pool.drop(connection)
            raise
        except (asyncpg.PostgresError, ServiceError):
            if handle.in_transaction:
                await self._roll_back(connection)
            else:
                self._pool.give_back(connection)
            raise
        except BaseException:
            self._pool.drop(connection)
            raise
        self._pool.give_back(connection)
        return result

    async def _roll_back(self, connection: Connection) -> None:
        try:
            if not connection.is_closed():
                await connection.execute("ROLLBACK")
        except BaseException:
            self._pool.drop(connection)
            raise
        self._pool.give_back(connection)

    async def ping(self) -> None:
        await self.read(_Handle.fetch, "SELECT 1")

    def stats(self) -> Stats:
        return self._pool.stats()

    async def close(self) -> None:
        await self._pool.close(self._seconds)


async def connect(
    url: str, *, server_settings: Mapping[str, str] | None = None, **options: Any
) -> Connection:
    """A new connection, always in UTF-8.

    Raises the driver's errors, and ``Misconfigured`` for a bad URL or a bad encoding.
    """
    settings = {"client_encoding": "UTF8", **(server_settings or {})}
    try:
        connection: Connection = await asyncpg.connect(url, server_settings=settings, **options)
    except asyncpg.ClientConfigurationError as error:
        raise Misconfigured(f"WISHWELL_DATABASE_URL: {error}.") from error
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        # The error may show a part of the URL, and so of the password.
        raise Misconfigured(
            "WISHWELL_DATABASE_URL: the driver can't read it; check its host, port and options."
        ) from error
    encoding = connection.get_settings().server_encoding
    if encoding not in _ENCODINGS:
        connection.terminate()
        raise Misconfigured(
            f"The database's encoding is {encoding}, which can't store all text. Create the "
            "database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
        )
    return connection


async def prepare(connection: Connection) -> None:
    """Makes this connection pass uuid values as text."""
    await connection.set_type_codec(
        "uuid", schema="pg_catalog", format="text", encoder=str, decoder=str
    )


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turns the driver's errors into ours."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        raise UniqueViolation(error.constraint_name or "") from error
    except _UNREACHABLE as error:
        raise _unavailable(error) from error


def _undecided(error: BaseException) -> Undecided:
    return Undecided(f"The database connection broke during a write ({type(error).__name__}).")


def _unavailable(error: BaseException) -> Unavailable:
    return Unavailable(f"The database can't be reached ({type(error).__name__}).")
