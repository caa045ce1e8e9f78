"""The database interface, implemented for PostgreSQL and SQLite.

A use-case is an ``async`` function whose first argument is a ``Reader`` or a ``Writer``. It awaits
only that handle, so that PostgreSQL can run it on the event loop and SQLite in its writer thread.
It may be retried (after a deadlock or ``RunAgain``), so all its effects go through the handle. A
handler runs it with ``await db.write(saving.save, profile, new, ...)``.

Statements and their arguments have names: ``await tx.one("item_find", profile=…, id=…)``. Their SQL
is in the ``.sql`` file of the package that runs them. Start with ``statements.py``, then
``postgres/database.py`` and ``sqlite/database.py``.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from wishwell.db.journal import Act, actor
from wishwell.db.pages import PageQuery
from wishwell.errors import ServiceError

Row = Sequence[Any]
P = ParamSpec("P")
T = TypeVar("T")
UseCase = Callable[..., Awaitable[T]]


@dataclass(frozen=True, slots=True)
class Stats:
    """The database's load, for the metrics. Values that don't apply to the engine stay 0.

    ``connections``, ``in_use``, ``connections_limit``, ``waiting`` (requests for a connection) and
    ``queued`` (writes for SQLite's writer) are current values; the others are totals since start.
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
    unrecorded_acts: int = 0


class UniqueViolation(ServiceError):
    """A write violated a unique constraint; ``constraint`` is its name in the migrations."""

    def __init__(self, constraint: str) -> None:
        super().__init__(f"unique constraint {constraint}")
        self.constraint = constraint


class RunAgain(Exception):
    """Raised by a use-case to roll back its transaction and run again.

    Needed if locks would be taken out of order (a deadlock), or if a commit on two Citus nodes is
    only half visible. Never needed on SQLite, where writes are serialised.
    """


class Reader(Protocol):
    """Runs read-only statements. Raises ``Unavailable``.

    ``joins_products``: whether a statement can join products with items, as it can except on a
    cluster, which shards the two by different columns.
    """

    joins_products: bool

    async def one(self, statement: str, /, **params: Any) -> Row | None:
        """Returns the first row, or ``None``."""
        rows = await self.all(statement, **params)
        return rows[0] if rows else None

    async def all(self, statement: str, /, **params: Any) -> Sequence[Row]:
        """Returns all rows."""

    async def page(self, query: PageQuery, *arguments: Any) -> Sequence[Row]:
        """Returns the rows of a page; ``PageQuery`` explains the arguments."""


class Writer(Reader, Protocol):
    """Runs any statement. Raises ``UniqueViolation``, ``StoreDeleted`` and ``Unavailable``.

    A use-case with several writing statements first runs a statement that locks
    (``profiles.lock``), which begins the transaction. Without a lock it may have only one writing
    statement, which autocommits and saves PostgreSQL two round trips.
    """

    async def begin(self) -> None:
        """Begins a transaction, unless one has begun.

        For a use-case whose first statement locks the profile and writes (macro ``owner``).
        """

    acts: list[Act]

    async def record(self, act: Act) -> None:
        """Begins the transaction; its commit first appends ``act`` to the journal."""
        await self.begin()
        act.by = actor.get()
        self.acts.append(act)

    async def run(self, statement: str, /, **params: Any) -> None:
        """Runs a statement and ignores its rows."""
        await self.all(statement, **params)

    async def run_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Runs a statement once per row of arguments, if any; each row maps names to values."""
        if rows:
            await self.all_many(statement, rows)

    async def all_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> Sequence[Row]:
        """Like ``run_many``, but returns the rows of all runs.

        Needs a transaction, or a statement that locks, which begins one.
        """

    async def fill(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Inserts rows in bulk, within a transaction.

        Rows map column names to values; names outside the table's ``_filled`` are ignored.
        """


async def run_statement(tx: Reader, statement: str, /, **params: Any) -> Sequence[Row]:
    """Returns the rows of a statement: a use-case for ``Database.read``."""
    return await tx.all(statement, **params)


Reads = Callable[Concatenate[Reader, P], Awaitable[T]]
Writes = Callable[Concatenate[Writer, P], Awaitable[T]]


class Database(Protocol):
    """An open database."""

    async def read(self, use_case: Reads[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """Runs a read-only use-case, without a transaction: each statement has its own snapshot."""

    async def long_read(self, use_case: Reads[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """Like ``read``, for use-cases that scan many records.

        Only one runs at a time in a process, with a longer time limit. On SQLite it runs in a
        thread, because ``read`` would block the event loop.
        """

    async def batch_read(
        self, use_case: Reads[P, T], *arguments: P.args, **keywords: P.kwargs
    ) -> T:
        """Like ``long_read``, for the batches of a background job. On PostgreSQL it doesn't wait
        for long reads."""

    async def write(self, use_case: Writes[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """Runs a use-case, and commits its writes before it returns; rolls back on any error.

        Raises ``Undecided`` if the connection broke and the outcome of the commit is unknown.
        """

    async def long_write(
        self, use_case: Writes[P, T], *arguments: P.args, **keywords: P.kwargs
    ) -> T:
        """Like ``write``, for use-cases that move many records.

        The transaction has a longer time limit; each statement keeps the usual one.
        """

    def snapshot(self) -> AbstractAsyncContextManager[Reader]:
        """Returns a context whose reads share one snapshot, however long the block takes."""

    async def ping(self) -> None:
        """Raises ``Unavailable`` if the database doesn't answer."""

    async def count_lock_waits(self) -> int:
        """Returns how many statements have waited for a lock of PostgreSQL for half a second."""

    def stats(self) -> Stats:
        """Returns the current load."""

    async def close(self) -> None: ...
