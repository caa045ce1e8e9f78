"""The seam between the nouns and the database: few verbs, two engines.

A use-case is an ``async`` function whose first argument is a ``Reader`` or a ``Writer``; it awaits
nothing but that handle, so an engine may run it as it likes: PostgreSQL on the event loop, SQLite
in its writer's thread. It may run more than once (a deadlock is tried again), so it has no effects
but through its handle.

Statements are named; they live in ``queries.sql``.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from wishwell.db.statements import Fragments
from wishwell.errors import WishwellError

Row = Sequence[Any]
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Figures:
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


class UniqueViolation(WishwellError):
    """A unique constraint refused a write; ``constraint`` is its name in the migrations."""

    def __init__(self, constraint: str) -> None:
        super().__init__(f"unique constraint {constraint}")
        self.constraint = constraint


class Reader(Protocol):
    """Runs reading statements."""

    async def one(self, statement: str, *arguments: Any) -> Row | None:
        """The first row, or None."""

    async def all(self, statement: str, *arguments: Any) -> Sequence[Row]:
        """Every row."""


class Writer(Reader, Protocol):
    """Runs any statement. Raises ``UniqueViolation`` and ``Unavailable``."""

    async def run(self, statement: str, *arguments: Any) -> None:
        """Runs a statement whose rows, if any, nobody wants."""

    async def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Runs a statement once for each of the rows of arguments."""


class Database(Protocol):
    """An open database.

    ``read`` and ``write`` are handles for a single statement, each its own transaction: one round
    trip. ``transaction`` runs a use-case of several statements; its handle is locked to one
    transaction, which commits before ``transaction`` returns, and rolls back on any error.

    ``has_functions``: whether it has those of the migrations. A use-case of many statements may be
    one there, as every statement is a round trip.
    """

    @property
    def has_functions(self) -> bool: ...

    @property
    def read(self) -> Reader: ...

    @property
    def write(self) -> Writer: ...

    async def transaction(
        self,
        use_case: Callable[Concatenate[Writer, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T: ...

    async def long_transaction(
        self,
        use_case: Callable[Concatenate[Writer, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """``transaction`` for what may move very many records: it has five times as long in all,
        and each statement as long as ever."""

    async def page(self, name: str, fragments: Fragments, *arguments: Any) -> Sequence[Row]:
        """Reads by a statement of pages, its places filled with ``fragments``."""

    async def ping(self) -> None:
        """Raises ``Unavailable`` unless the database answers."""

    def figures(self) -> Figures:
        """How busy it is."""

    async def close(self) -> None: ...
