"""PostgreSQL 15 to 18 through asyncpg.

A single statement is one round trip: no BEGIN, no reset of the connection afterwards (nothing that
we run leaves state on it). Ids travel as text, which spares building a UUID object for each.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import asyncpg

from wishwell.db import Figures, Row, UniqueViolation, statements
from wishwell.db.pool import Connection, Pool
from wishwell.db.statements import Fragments
from wishwell.errors import Misconfigured, Unavailable, Undecided, WishwellError

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
# After a write was sent, these don't tell whether it was done: even a server that is shut down may
# have committed before it says so.
_BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    OSError,
    TimeoutError,
)
_TRY_AGAIN = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_ENCODINGS = ("UTF8", "SQL_ASCII")
"""What takes any text; SQL_ASCII keeps it as it comes."""

_TRIES = 4
_STATEMENTS = 512
"""Prepared statements kept on a connection: all of ours, and the common forms of pages."""


class _Handle:
    """``Writer`` on one connection, inside its transaction."""

    def __init__(self, connection: Connection, sql: Mapping[str, str]) -> None:
        self._connection = connection
        self._sql = sql

    async def one(self, statement: str, *arguments: Any) -> Row | None:
        rows = await self.all(statement, *arguments)
        return rows[0] if rows else None

    async def all(self, statement: str, *arguments: Any) -> Sequence[Row]:
        with translated():
            rows: Sequence[Row] = await self._connection.fetch(self._sql[statement], *arguments)
        return rows

    async def run(self, statement: str, *arguments: Any) -> None:
        # fetch, not execute: execute with arguments prepares the statement anew each time.
        await self.all(statement, *arguments)

    async def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with translated():
            await self._connection.executemany(self._sql[statement], rows)


class _Single:
    """``Database.read`` and ``.write``: each statement on a connection of its own."""

    def __init__(self, database: "Postgres", writes: bool) -> None:
        self._database = database
        self._writes = writes

    async def one(self, statement: str, *arguments: Any) -> Row | None:
        rows = await self.all(statement, *arguments)
        return rows[0] if rows else None

    async def all(self, statement: str, *arguments: Any) -> Sequence[Row]:
        return await self._database.fetch(self._database.sql[statement], arguments, self._writes)

    async def run(self, statement: str, *arguments: Any) -> None:
        await self.all(statement, *arguments)

    async def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        await self._database.transaction(_Handle.run_many, statement, rows)


class Postgres:
    """See ``wishwell.db.Database``."""

    has_functions = True

    def __init__(self, url: str, *, connections: int, seconds: float) -> None:
        """A pool of at most ``connections``, opened when they are needed.

        ``seconds`` bounds a single statement, the wait for its connection included; a transaction
        has twice that, and once more half of it to commit.
        """
        self.sql = statements.load("postgresql")
        self._url = url
        self._seconds = seconds
        self._pool = Pool(self._connect, connections)
        self.read = _Single(self, writes=False)
        self.write = _Single(self, writes=True)

    async def _connect(self) -> Connection:
        connection: Connection = await connect(
            self._url,
            timeout=self._seconds,
            command_timeout=self._seconds,
            statement_cache_size=_STATEMENTS,
            max_cached_statement_lifetime=0,
            server_settings={
                "application_name": "wishwell",
                # The server's own bounds, should this process be gone.
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

    async def fetch(
        self, sql: str, arguments: Sequence[Any], writes: bool = False
    ) -> Sequence[Row]:
        """The rows of one statement, in its own transaction."""
        time = asyncio.get_running_loop().time
        end = time() + self._seconds
        try:
            connection = await self._pool.take(self._seconds)
            try:
                rows: Sequence[Row] = await connection.fetch(
                    sql, *arguments, timeout=max(0.01, end - time())
                )
            except BaseException as error:
                if isinstance(error, asyncpg.PostgresError):
                    self._pool.give_back(connection)  # the server refused it: nothing is open
                else:
                    self._pool.drop(connection)
                if writes and isinstance(error, _BROKEN):
                    raise _undecided(error) from error
                raise
        except asyncpg.UniqueViolationError as error:
            raise UniqueViolation(error.constraint_name or "") from error
        except _UNREACHABLE as error:
            raise _unavailable(error) from error
        except _TRY_AGAIN as error:
            raise Unavailable("The database is too busy with this profile.") from error
        self._pool.give_back(connection)
        return rows

    async def transaction(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        return await self._repeated(2 * self._seconds, use_case, *arguments, **named)

    async def long_transaction(
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
        """The use-case in one transaction, again after a deadlock, ``seconds`` for all tries."""
        end = asyncio.get_running_loop().time() + seconds
        for left in reversed(range(_TRIES)):
            try:
                with translated():
                    return await self._try(end, use_case, *arguments, **named)
            except _TRY_AGAIN as error:
                if not left:
                    raise Unavailable("The database is too busy with this profile.") from error
                await asyncio.sleep(0.01 * (_TRIES - left))
        raise AssertionError("unreachable")

    async def _try(
        self,
        end: float,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """The use-case in one transaction; ``end`` is its deadline, up to the commit."""
        connection = await self._pool.take(self._seconds)
        try:
            async with asyncio.timeout_at(end):
                await connection.execute("BEGIN")
                result = await use_case(_Handle(connection, self.sql), *arguments, **named)
            await self._commit(connection, end)
        except Unavailable:
            # Without a ROLLBACK, which would wait for the same server: the end is enough for it.
            self._pool.drop(connection)
            raise
        except (asyncpg.PostgresError, WishwellError):
            await self._roll_back(connection)
            raise
        except BaseException:
            self._pool.drop(connection)
            raise
        self._pool.give_back(connection)
        return result

    async def _commit(self, connection: Connection, end: float) -> None:
        left = max(self._seconds / 2, end - asyncio.get_running_loop().time())
        try:
            await connection.execute("COMMIT", timeout=left)
        except _BROKEN as error:
            raise _undecided(error) from error

    async def _roll_back(self, connection: Connection) -> None:
        try:
            if not connection.is_closed():
                await connection.execute("ROLLBACK")
        except BaseException:
            self._pool.drop(connection)
            raise
        self._pool.give_back(connection)

    async def page(self, name: str, fragments: Fragments, *arguments: Any) -> Sequence[Row]:
        return await self.fetch(statements.filled("postgresql", name, fragments), arguments)

    async def ping(self) -> None:
        await self.fetch("SELECT 1", ())

    def figures(self) -> Figures:
        return self._pool.figures()

    async def close(self) -> None:
        await self._pool.close(self._seconds)


async def connect(
    url: str, *, server_settings: Mapping[str, str] | None = None, **options: Any
) -> Connection:
    """A new connection, in UTF-8 whatever the address says.

    Raises the driver's errors, ``Misconfigured`` for an address or a database of no use.
    """
    settings = {"client_encoding": "UTF8", **(server_settings or {})}
    try:
        connection: Connection = await asyncpg.connect(url, server_settings=settings, **options)
    except asyncpg.ClientConfigurationError as error:
        raise Misconfigured(f"WISHWELL_DATABASE_URL: {error}.") from error
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        # Its text may show a piece of the address, and with it of the password.
        raise Misconfigured(
            "WISHWELL_DATABASE_URL: the driver can't read it; look at its host, port and options."
        ) from error
    encoding = connection.get_settings().server_encoding
    if encoding not in _ENCODINGS:
        connection.terminate()
        raise Misconfigured(
            f"The database's encoding is {encoding}, which can't hold every text: make one with "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
        )
    return connection


async def prepare(connection: Connection) -> None:
    """Makes uuid columns plain text on this connection."""
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
    return Undecided(f"The database broke off during a write ({type(error).__name__}).")


def _unavailable(error: BaseException) -> Unavailable:
    return Unavailable(f"The database can't be reached ({type(error).__name__}).")
