"""PostgreSQL 15 to 18 through asyncpg.

A single statement is one round trip: no BEGIN, no reset of the connection afterwards (nothing that
we run leaves state on it). Ids travel as text, which spares building a UUID object for each.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import asyncpg

from wishwell.db import Row, UniqueViolation, statements
from wishwell.db.statements import Fragments
from wishwell.errors import Unavailable

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
_TRY_AGAIN = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_TRIES = 4


class _Handle:
    """``Writer`` on one connection, inside its transaction."""

    def __init__(self, connection: Any, sql: Mapping[str, str]) -> None:
        self._connection = connection
        self._sql = sql

    async def one(self, statement: str, *arguments: Any) -> Row | None:
        row: Row | None = await self._connection.fetchrow(self._sql[statement], *arguments)
        return row

    async def all(self, statement: str, *arguments: Any) -> Sequence[Row]:
        rows: Sequence[Row] = await self._connection.fetch(self._sql[statement], *arguments)
        return rows

    async def run(self, statement: str, *arguments: Any) -> None:
        # fetch, not execute: execute with arguments prepares the statement anew each time.
        await self._connection.fetch(self._sql[statement], *arguments)

    async def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        await self._connection.executemany(self._sql[statement], rows)


class _Single:
    """``Database.read`` and ``.write``: each statement on a connection of its own."""

    def __init__(self, database: "Postgres") -> None:
        self._database = database

    async def one(self, statement: str, *arguments: Any) -> Row | None:
        async with self._database.connection() as connection:
            return await _Handle(connection, self._database.sql).one(statement, *arguments)

    async def all(self, statement: str, *arguments: Any) -> Sequence[Row]:
        async with self._database.connection() as connection:
            return await _Handle(connection, self._database.sql).all(statement, *arguments)

    async def run(self, statement: str, *arguments: Any) -> None:
        async with self._database.connection() as connection:
            await _Handle(connection, self._database.sql).run(statement, *arguments)

    async def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        await self._database.transaction(_Handle.run_many, statement, rows)


class Postgres:
    """See ``wishwell.db.Database``."""

    def __init__(self, pool: Any, sql: Mapping[str, str], acquire_seconds: float) -> None:
        self.sql = sql
        self._pool = pool
        self._acquire_seconds = acquire_seconds
        self.read = _Single(self)
        self.write = _Single(self)

    @classmethod
    async def open(cls, url: str, *, connections: int, seconds: float) -> "Postgres":
        """Opens a pool of at most ``connections``.

        ``seconds`` bounds the wait for a connection and, again, each statement.
        """
        with translated():
            pool = await asyncpg.create_pool(
                url,
                min_size=1,
                max_size=connections,
                max_inactive_connection_lifetime=300,
                timeout=seconds,
                command_timeout=seconds,
                init=prepare,
                reset=_nothing,
                server_settings={
                    "application_name": "wishwell",
                    # The server's own bounds, should this process be gone.
                    "statement_timeout": str(int(seconds * 2000)),
                    "idle_in_transaction_session_timeout": str(int(seconds * 4000)),
                },
            )
        return cls(pool, statements.load("postgresql"), seconds)

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        with translated():
            async with self._pool.acquire(timeout=self._acquire_seconds) as connection:
                yield connection

    async def transaction(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        for left in reversed(range(_TRIES)):
            try:
                async with self.connection() as connection, connection.transaction():
                    return await use_case(_Handle(connection, self.sql), *arguments, **named)
            except _TRY_AGAIN as error:
                if not left:
                    raise Unavailable("The database is too busy with this profile.") from error
                await asyncio.sleep(0.01 * (_TRIES - left))
        raise AssertionError("unreachable")

    async def page(self, name: str, fragments: Fragments, *arguments: Any) -> Sequence[Row]:
        sql = statements.filled("postgresql", name, fragments)
        async with self.connection() as connection:
            rows: Sequence[Row] = await connection.fetch(sql, *arguments)
            return rows

    async def ping(self) -> None:
        async with self.connection() as connection:
            await connection.fetchval("SELECT 1")

    async def close(self) -> None:
        try:
            async with asyncio.timeout(5):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()


async def prepare(connection: Any) -> None:
    """Makes uuid columns plain text on this connection."""
    await connection.set_type_codec(
        "uuid", schema="pg_catalog", format="text", encoder=str, decoder=str
    )


async def _nothing(_connection: Any) -> None:
    """Instead of the pool's reset query: a round trip a request, for state that we never make."""


@contextlib.contextmanager
def translated() -> Any:
    """Turns the driver's errors into ours."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        raise UniqueViolation(error.constraint_name or "") from error
    except _UNREACHABLE as error:
        raise Unavailable(f"The database can't be reached ({type(error).__name__}).") from error
