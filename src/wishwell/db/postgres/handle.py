"""The handle of a use-case: statements on one PostgreSQL connection, and their time limits."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import asyncpg

from wishwell.db import Row, Writer, pages, statements
from wishwell.db.journal import Act, Journal
from wishwell.db.pages import PageQuery
from wishwell.db.postgres import failures
from wishwell.db.postgres.hosts import Connection
from wishwell.db.statements import Effect, Statement
from wishwell.errors import Unavailable

# Above it COPY is faster, although it is parsed each time and takes a round trip.
_MAX_INSERT_ROWS = 50
_CHUNK_BYTES = 1 << 16
_ESCAPED = {ord(letter): f"\\x{ord(letter):02x}" for letter in "\\\b\f\n\r\t\v"} | {0: "\t"}
_NULL = "\ud800"


class Handle(Writer):
    """``Writer`` on one connection. The first statement that locks begins a transaction.

    An overdue statement is stopped by closing its connection. The driver's own timeouts would send
    a cancel request: a commit that waits for its standby is then visible, and may be lost.
    """

    in_transaction = is_overdue = joins_products = _wrote = False
    journal = Journal()

    def __init__(
        self,
        connection: Connection,
        sql: Mapping[str, Statement],
        deadline: float = math.inf,
        transaction_deadline: float = math.inf,
        statement_seconds: float = math.inf,
    ) -> None:
        """``deadline``: of statements outside a transaction; ``transaction_deadline``: of the
        transaction; both in the event loop's time. ``statement_seconds``: timeout of one
        statement."""
        self._connection = connection
        self._sql = sql
        self._now = asyncio.get_running_loop().time
        self._deadline = deadline
        self._transaction_deadline = transaction_deadline
        self._statement_seconds = statement_seconds
        self.started_at = math.inf  # start of the running statement
        self.acts: list[Act] = []
        self._recording: asyncio.Future[None] | None = None
        self._may_be_committed = False

    @property
    def is_writing(self) -> bool:
        return self._wrote or self.in_transaction

    async def all(self, statement: str, /, **params: Any) -> Sequence[Row]:
        steps, effect, _ = self._sql[statement]
        if not self.in_transaction:
            if effect is Effect.LOCK:
                await self.begin()
            elif effect is Effect.WRITE:
                assert not self._wrote, "a use-case of several writes begins with a lock"
                self._wrote = True
        return await self.fetch(steps[0].sql, *steps[0].values(params))

    async def page(self, query: PageQuery, *arguments: Any) -> Sequence[Row]:
        sql = pages.sql("postgresql", query, distributed=not self.joins_products)
        return await self.fetch(sql, *arguments)

    # rule: database-away. ``all_many`` and ``fill`` use the driver's timeout, because they may wait
    # for space in the socket's buffer, which closing the connection doesn't end. A statement
    # cancelled before the commit does no harm.
    async def all_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> Sequence[Row]:
        assert self.in_transaction or self._sql[statement].effect is Effect.LOCK
        await self.begin()
        step, params_of_runs = self._sql[statement].runs(rows)
        with self._driver_errors():
            result: Sequence[Row] = await self._connection.fetchmany(
                step.sql, params_of_runs, timeout=self._remaining_seconds()
            )
        return result

    async def fill(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        await self.begin()
        insertion = statements.build_insert(table, "postgresql")
        values = [insertion.values(row) for row in rows]
        with self._driver_errors():
            if len(rows) <= _MAX_INSERT_ROWS:
                await self._connection.executemany(
                    insertion.sql, values, timeout=self._remaining_seconds()
                )
            else:
                await self._connection.copy_to_table(
                    table,
                    source=_format_chunks(values),
                    columns=insertion.param_names,
                    timeout=self._remaining_seconds(),
                )

    async def fetch(self, sql: str, *arguments: Any) -> Sequence[Row]:
        self.started_at = self._now()
        try:
            # Not `execute`: with arguments it prepares the statement each time.
            rows: Sequence[Row] = await self._connection.fetch(sql, *arguments)
        except asyncpg.IntegrityConstraintViolationError as error:
            failures.raise_ours(error)
        except (*failures.UNREACHABLE, AttributeError) as error:
            cause = self._cause(error)
            raise failures.to_unavailable(
                cause, wrote=self._wrote and not self.in_transaction
            ) from cause
        self.started_at = math.inf
        return rows

    async def commit(self, seconds: float) -> None:
        """Writes the acts to the journal, then commits, for which it allows ``seconds`` or more."""
        if self.acts:
            append = asyncio.to_thread(self.journal.append, self.acts)
            self._recording = asyncio.ensure_future(append)
            await asyncio.shield(self._recording)
            if self._connection.is_closed():  # in the meantime, so nothing was committed
                raise failures.to_unavailable(self._cause(ConnectionError()))
        self.started_at = self._now()
        self._deadline = max(self._deadline, self.started_at + seconds)
        self._may_be_committed = True
        try:
            status = await self._connection.execute("COMMIT")
        except (*failures.BROKEN, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
            # The last two: the connection was lost while it was idle.
            cause = self._cause(error)
            raise failures.to_undecided(cause) from cause
        except asyncpg.PostgresError:
            self._may_be_committed = False
            raise
        if status != "COMMIT":  # the server's answer after a statement that failed
            self._may_be_committed = False
            raise Unavailable("The database rolled back the transaction.")

    # rule: journal-refused
    async def refuse_acts(self) -> None:
        """Records that the acts weren't done, unless they may be committed. Call it after the
        rollback."""
        if self._recording is not None and not self._may_be_committed:
            await asyncio.wait([self._recording])
            await asyncio.to_thread(self.journal.refuse, self.acts)

    # rules: standby-confirms, database-away
    def close_if_overdue(self, now: float) -> None:
        """Closes the connection if its statement is overdue. Called at intervals (poll)."""
        if now >= min(self._deadline, self.started_at + self._statement_seconds):
            self.is_overdue = True
            self._connection.terminate()

    async def begin(self) -> None:
        if self.in_transaction:
            return
        self.started_at = self._now()
        self._deadline = self._transaction_deadline
        with failures.translate_errors():
            await self._connection.execute("BEGIN")
        self.started_at = math.inf
        self.in_transaction = True

    def _remaining_seconds(self) -> float:
        """Returns the seconds until the deadline: at most twice a statement's, at least 0.01."""
        return max(0.01, min(self._deadline - self._now(), 2 * self._statement_seconds))

    @contextlib.contextmanager
    def _driver_errors(self) -> Iterator[None]:
        with failures.translate_errors():
            try:
                yield
            except AttributeError as error:
                raise self._cause(error) from error

    def _cause(self, error: BaseException) -> BaseException:
        if isinstance(error, AttributeError):
            # The driver raises this if the connection is closed between two steps.
            if not self._connection.is_closed():
                raise error
            error = ConnectionError()
        return TimeoutError() if self.is_overdue else error


async def _format_chunks(rows: Iterable[Sequence[Any]]) -> AsyncIterator[bytes]:
    """Yields rows in the text format of PostgreSQL's COPY, in chunks of about 64 KiB."""
    lines: list[str] = []
    size = 0
    for row in rows:
        lines.append(_format_line(row))
        size += len(lines[-1])
        if size > _CHUNK_BYTES:
            yield "".join(lines).encode()
            lines, size = [], 0
    yield "".join(lines).encode()


def _format_line(row: Sequence[str | int | None]) -> str:
    """Returns a row as a line. Escapes all its fields together, because escaping each takes four
    times as long; until then, two characters that no text in the database has separate them and
    mark null. Finding out that there is nothing to escape, as in most rows, takes half as long."""
    texts = [_NULL if value is None else str(value) for value in row]
    plain = "".join(texts)
    if plain.isprintable() and "\\" not in plain:
        return "\t".join(texts) + "\n"
    return "\0".join(texts).translate(_ESCAPED).replace(_NULL, r"\N") + "\n"
