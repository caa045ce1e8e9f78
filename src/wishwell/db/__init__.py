"""The seam between the nouns and the database: few verbs, two engines.

A use-case is an ``async`` function whose first argument is a ``Reader`` or a ``Writer``; it awaits
nothing but that handle, so an engine may run it as it likes: PostgreSQL on the event loop, SQLite
in its writer's thread. It may run more than once (a deadlock is tried again), so it has no effects
but through its handle. A handler runs it: ``await db.write(items.save, profile, new, ...)``.

Statements are named; they live in ``queries.sql``.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from wishwell.db.pages import PageQuery
from wishwell.errors import ServiceError

Row = Sequence[Any]
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stats:
    """How busy a database is, for operators; what the engine does not have stays 0.

    ``connections``, ``in_use``, ``connections_limit``, ``waiting`` (requests for a connection) and
    ``queued`` (writes for the writer) are of now; the others add up since it was opened.
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
    """A unique constraint refused a write; ``constraint`` is its name in the migrations."""

    def __init__(self, constraint: str) -> None:
        super().__init__(f"unique constraint {constraint}")
        self.constraint = constraint


class Reader(Protocol):
    """Runs reading statements. Raises ``Unavailable``."""

    async def one(self, statement: str, *arguments: Any) -> Row | None:
        """The first row, or None."""

    async def all(self, statement: str, *arguments: Any) -> Sequence[Row]:
        """Every row."""

    async def page(self, query: PageQuery, *arguments: Any) -> Sequence[Row]:
        """The rows of a page."""


class Writer(Reader, Protocol):
    """Runs any statement. Raises ``UniqueViolation`` and ``Unavailable``.

    A use-case that writes in several statements begins with one that locks (``profiles.lock``):
    from there on all is one transaction. Without a lock its only writing statement commits by
    itself, which spares PostgreSQL two round trips.
    """

    async def run(self, statement: str, *arguments: Any) -> None:
        """Runs a statement whose rows, if any, nobody wants."""

    async def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Runs a statement once for each of the rows of arguments."""


class Database(Protocol):
    """An open database."""

    async def read(
        self,
        use_case: Callable[Concatenate[Reader, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Runs a use-case that only reads; each of its statements sees its own moment."""

    async def write(
        self,
        use_case: Callable[Concatenate[Writer, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Runs a use-case whose writes are committed before this returns, or on any error undone.

        Raises ``Undecided`` when the connection broke before it was known which.
        """

    async def long_write(
        self,
        use_case: Callable[Concatenate[Writer, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """``write`` for what may move very many records: it has five times as long in all, and
        each statement as long as ever."""

    async def ping(self) -> None:
        """Raises ``Unavailable`` unless the database answers."""

    def stats(self) -> Stats:
        """How busy it is."""

    async def close(self) -> None: ...
