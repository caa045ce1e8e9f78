"""The interface to the database, which two engines implement.

A use-case is an ``async`` function whose first argument is a ``Reader`` or a ``Writer``. It awaits
only that handle, so PostgreSQL can run it on the event loop and SQLite in its writer's thread. It
may run more than once (after a deadlock, or ``RunAgain``), so its only effects are through the
handle. A handler runs it with ``await db.write(saving.save, profile, new, ...)``.

Statements have names, and their arguments too: ``await tx.one("item_find", profile=…, id=…)``. They
stand in the ``.sql`` file of the package that runs them (``statements.py``).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from wishwell.db.pages import PageQuery
from wishwell.errors import ServiceError

Row = Sequence[Any]
P = ParamSpec("P")
T = TypeVar("T")
UseCase = Callable[..., Awaitable[T]]


@dataclass(frozen=True, slots=True)
class Stats:
    """How busy a database is, for the metrics. What does not apply to the engine stays 0.

    ``connections``, ``in_use``, ``connections_limit``, ``waiting`` (requests for a connection) and
    ``queued`` (writes for the writer) are current values. The others are totals since the start.
    """

    connections: int = 0
    in_use: int = 0
    connections_limit: int = 0
    waiting: int = 0
    waits: int = 0
    waited_seconds: float = 0.0
    queued: int = 0
    commits: int = 0
    committed_writes: int = 0


class UniqueViolation(ServiceError):
    """A write broke a unique constraint; ``constraint`` is its name in the migrations."""

    def __init__(self, constraint: str) -> None:
        super().__init__(f"unique constraint {constraint}")
        self.constraint = constraint


class RunAgain(Exception):
    """A use-case raises it when it needs a lock that comes before those it has, or sees a half of
    what a cluster commits on two servers.

    Its transaction is undone, and it runs again. On SQLite, where writes are alone, none needs to.
    """


class Reader(Protocol):
    """Runs statements that only read. Raises ``Unavailable``.

    ``joins_products``: products are where the items are, as everywhere but on a cluster.
    """

    joins_products: bool

    async def one(self, statement: str, /, **named: Any) -> Row | None:
        """The first row, or None."""
        rows = await self.all(statement, **named)
        return rows[0] if rows else None

    async def all(self, statement: str, /, **named: Any) -> Sequence[Row]:
        """Every row."""

    async def page(self, query: PageQuery, *arguments: Any) -> Sequence[Row]:
        """The rows of a page."""


class Writer(Reader, Protocol):
    """Runs any statement. Raises ``UniqueViolation``, ``StoreDeleted`` and ``Unavailable``.

    A use-case with several writing statements begins with one that locks (``profiles.lock``), which
    begins the transaction. Without a lock it may have one writing statement, which commits by
    itself and saves PostgreSQL two round trips.
    """

    async def begin(self) -> None:
        """Begins the transaction, unless it has begun, of a use-case whose first statement locks
        the profile as it writes (``owner``)."""

    async def run(self, statement: str, /, **named: Any) -> None:
        """Runs a statement and ignores its rows."""
        await self.all(statement, **named)

    async def run_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Runs a statement once for each row of arguments: their values by name."""
        await self.all_many(statement, rows)

    async def all_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> Sequence[Row]:
        """``run_many`` that returns the rows of all. One that locks may begin the transaction."""

    async def fill(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Adds rows to a table, by the names of the columns of its ``_filled``; in a transaction.
        What a row has beside them is left out."""


async def ask(tx: Reader, statement: str, /, **named: Any) -> Sequence[Row]:
    """The use-case of one statement: its rows."""
    return await tx.all(statement, **named)


Reads = Callable[Concatenate[Reader, P], Awaitable[T]]
Writes = Callable[Concatenate[Writer, P], Awaitable[T]]


class Database(Protocol):
    """An open database."""

    async def read(self, use_case: Reads[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Runs a use-case that only reads. Each of its statements has its own snapshot."""

    async def long_read(self, use_case: Reads[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """``read`` for what looks at many records: one at a time, with five times as long, and
        beside the event loop on SQLite, where ``read`` would stop it."""

    async def write(self, use_case: Writes[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Runs a use-case. Its writes are committed before this returns, or undone on any error.

        Raises ``Undecided`` if the connection broke before it was known which of the two.
        """

    async def long_write(self, use_case: Writes[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """``write`` for use-cases that move many records: with five times as long in all, and the
        usual time for each statement."""

    def snapshot(self) -> AbstractAsyncContextManager[Reader]:
        """Reads of one moment, however long the block takes."""

    async def ping(self) -> None:
        """Raises ``Unavailable`` if the database does not answer."""

    def stats(self) -> Stats:
        """How busy it is."""

    async def close(self) -> None: ...
