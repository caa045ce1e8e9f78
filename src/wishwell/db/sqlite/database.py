"""The embedded engine: one file, and one writer thread that commits in groups.

A read takes a few tens of microseconds, less than a switch to another thread, so it runs in the
caller's thread. Writes are queued for the writer thread. It runs each as a savepoint of one
transaction, commits them together, and then lets them return. Commits are durable
(``synchronous=FULL``), and their cost is shared (docs/decisions/0005).
"""

import asyncio
import contextlib
import contextvars
import functools
import os
import queue
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, TypeVar

import msgspec

from wishwell.db import Reader, Row, Stats, UniqueViolation, UseCase, Writer, pages, statements
from wishwell.db.journal import Act, Journal
from wishwell.db.pages import PageQuery
from wishwell.db.sqlite import sqlite_file
from wishwell.db.sqlite.sqlite_jobs import Job, Recorder
from wishwell.db.sqlite.turnstile import Turnstile
from wishwell.db.statements import Statement
from wishwell.errors import StoreDeleted, Unavailable, Undecided
from wishwell.fairness.fair_queue import CURRENT, Entry, FairQueue

T = TypeVar("T")

_MAX_GROUP, _GROUP_SECONDS = 256, 0.01
"""Maximum writes in one commit, and the seconds that they take together if the last one takes the
average, except for a single write. Both limit how long the first write waits for the commit."""

_BULK_ROWS = 1_000
"""Rows above which a bulk insert counts as an import."""

_LONG_SECONDS, _LONG_STEPS = 10.0, 100_000
"""Timeout of a long read in seconds, and the number of SQLite's steps between two checks."""

_CONSTRAINTS = {
    "items.profile_id, items.product_id, items.variant_id": "items_variant_key",
    "stores.handle": "stores_handle_key",
    "store_hosts.host": "store_hosts_pkey",
    "profiles.profile_id": "profiles_pkey",
}


class _Handle(Writer):
    """``Writer`` on a connection. Its methods never suspend."""

    joins_products = True

    def __init__(self, connection: sqlite3.Connection, sql: Mapping[str, Statement]) -> None:
        self._connection = connection
        self._sql = sql
        self.acts: list[Act] = []

    async def begin(self) -> None:
        """Does nothing, because every use-case of the writer is a transaction already."""

    async def all(self, statement: str, /, **params: Any) -> Sequence[Row]:
        rows: Sequence[Row] = []
        for step in self._sql[statement].steps:
            rows = self.execute(step.sql, _encode_arrays(step.values(params))) or rows
        return rows

    async def page(self, query: PageQuery, *arguments: Any) -> Sequence[Row]:
        return self.execute(pages.sql("sqlite", query), _encode_arrays(arguments))

    async def run_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        step = self._sql[statement].step
        if "RETURNING" in step.sql:  # executemany of CPython 3.13 fails if a run returns a row
            await self.all_many(statement, rows)
            return
        with _translate_errors():
            self._connection.executemany(
                step.sql, [_encode_arrays(step.values(row)) for row in rows]
            )

    async def all_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> Sequence[Row]:
        step = self._sql[statement].step
        return [
            returned
            for row in rows
            for returned in self.execute(step.sql, _encode_arrays(step.values(row)))
        ]

    async def fill(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        insertion = statements.build_insert(table, "sqlite")
        with _translate_errors():
            if len(rows) > _BULK_ROWS:
                # An import touches many pages: cache more in memory, and collect more in the WAL
                # before a checkpoint.
                self._connection.execute("PRAGMA cache_size = -64000")
                self._connection.execute("PRAGMA wal_autocheckpoint = 50000")
            self._connection.executemany(insertion.sql, map(insertion.values, rows))

    def execute(self, sql: str, params: Sequence[Any]) -> list[Row]:
        # Not `with _translate_errors()`, which takes as long as finding one row.
        try:
            return self._connection.execute(sql, params).fetchall()
        except sqlite3.Error as error:
            _raise_ours(error)


@contextlib.contextmanager
def reading(path: str) -> Iterator[_Handle]:
    """Yields a reader of a file on a separate, read-only connection."""
    with _translate_errors():
        connection = sqlite_file.connect(path, read_only=True)
    with contextlib.closing(connection):
        yield _Handle(connection, statements.load("sqlite"))


class SQLite:
    """See ``wishwell.db.Database``. Belongs to one event loop."""

    def __init__(self, path: str, journal: Journal | None = None) -> None:
        """Opens the file, which must have been migrated."""
        self._journal = journal or Journal()
        self._sql = statements.load("sqlite")
        self._path = path
        with _translate_errors():
            self._write_connection = sqlite_file.connect(path)
            self._read_connection = sqlite_file.connect(path)
            self._long_connection = sqlite_file.connect(path, read_only=True)
        self._reader = _Handle(self._read_connection, self._sql)
        self._turnstile = Turnstile(path)
        self._arrivals: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._waiting: FairQueue[Job] = FairQueue()  # the writer thread's
        self._closed = False
        self._commits = 0
        self._committed_writes = 0
        self._long_read_thread = ThreadPoolExecutor(1, "sqlite-long", initializer=_lower_priority)
        self._recorder = Recorder(self._journal, self._arrivals.put)
        self._thread = threading.Thread(target=self._serve, name="sqlite-writer", daemon=True)
        self._thread.start()

    async def read(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        return await use_case(self._reader, *arguments, **keywords)

    # rule: count-pace
    async def long_read(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        use_case = functools.partial(use_case, **keywords)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._long_read_thread, self._run_long_read, use_case, *arguments
        )

    batch_read = long_read

    def _run_long_read(self, use_case: UseCase[T], *arguments: Any) -> T:
        deadline = time.monotonic() + _LONG_SECONDS
        # rule: serve-workers. Nothing else ends a statement before it is done.
        self._long_connection.set_progress_handler(
            lambda: self._closed or time.monotonic() > deadline, _LONG_STEPS
        )
        with _translate_errors():
            return _drive(use_case(_Handle(self._long_connection, self._sql), *arguments))

    async def write(self, use_case: UseCase[T], *arguments: Any, **keywords: Any) -> T:
        if self._closed:
            raise Unavailable("The service is shutting down.")
        self._journal.record_command()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        ticket = CURRENT.get()
        context = contextvars.copy_context()
        job = Job(lambda tx: use_case(tx, *arguments, **keywords), future, context, ticket.flow)
        self._arrivals.put(job)
        ticket.pause(job.refuse)
        try:
            return await future  # if the caller is cancelled, the write still takes place
        finally:
            ticket.resume()

    long_write = write  # neither has a time limit

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reader]:
        with reading(self._path) as handle:
            handle.execute("BEGIN", ())
            yield handle

    async def ping(self) -> None:
        self._reader.execute("SELECT 1", ())

    async def count_lock_waits(self) -> int:
        return 0

    def stats(self) -> Stats:
        return Stats(
            queued=self._arrivals.qsize() + len(self._waiting),
            commits=self._commits,
            committed_writes=self._committed_writes,
            unrecorded_acts=self._journal.failures,
        )

    async def close(self) -> None:
        """Stops the writer after the queued writes, and closes the file."""
        if self._closed:
            return
        self._closed = True
        self._arrivals.put(None)
        await asyncio.to_thread(self._long_read_thread.shutdown)
        await asyncio.to_thread(self._thread.join)
        self._recorder.close()
        self._read_connection.close()
        self._long_connection.close()
        self._write_connection.close()
        self._turnstile.close()

    # -------------------------------------------------------------- the writer's thread

    def _serve(self) -> None:
        handle = _Handle(self._write_connection, self._sql)
        while True:
            if not self._waiting:
                if (job := self._arrivals.get()) is None:
                    self._recorder.wait()  # its writes have arrived here then
                    if self._arrivals.empty():
                        return
                    self._arrivals.put(None)
                    continue
                self._waiting.push(job.flow, job)
            group: list[Job] = []
            self._commit(group, handle)
            self._recorder.finish(group)

    def _next_job(self, after: Entry[Job] | None = None) -> Entry[Job] | None:
        """Returns the next write that wasn't refused, or ``None`` (see ``FairQueue.pop``)."""
        while not self._arrivals.empty():
            if (job := self._arrivals.get()) is None:
                self._arrivals.put(None)  # closes the writer after the waiting writes
                break
            self._waiting.push(job.flow, job)
        while entry := self._waiting.pop(after):
            self._waiting.finish(entry.flow)  # the next one starts only after it
            if entry.item.runs or entry.item.claim():
                break
        return entry

    # rule: write-durable
    def _commit(self, group: list[Job], handle: _Handle) -> None:
        """Runs and commits a group of writes, and adds them to ``group``."""
        try:
            with _translate_errors(), self._turnstile:
                self._write_connection.execute("BEGIN IMMEDIATE")
                began_at, entry = time.perf_counter(), self._next_job()
                while entry is not None:
                    group.append(entry.item)
                    self._run_job(entry.item, handle)
                    average = (time.perf_counter() - began_at) / len(group)
                    if average * (len(group) + 1) > _GROUP_SECONDS or len(group) >= _MAX_GROUP:
                        break
                    entry = self._next_job(entry)
                self._write_connection.execute("COMMIT")
            self._commits += 1
            self._committed_writes += len(group)
        except Exception as error:
            # The whole group failed: the disk is full, or the file is locked or read-only.
            if not group:
                group += [entry.item for entry in iter(self._next_job, None)]
            if getattr(error.__cause__, "sqlite_errorname", "") == "SQLITE_IOERR_FSYNC":
                error = Undecided(
                    "The disk failed during a commit, which a restart may still find."
                )
            for job in group:
                job.error, job.acts = error, None
                if isinstance(error, Undecided):  # rule: journal-refused
                    job.lines = ()
            with contextlib.suppress(sqlite3.Error):
                if self._write_connection.in_transaction:
                    self._write_connection.execute("ROLLBACK")

    def _run_job(self, job: Job, handle: _Handle) -> None:
        self._write_connection.execute("SAVEPOINT job")
        job.error, job.acts, job.runs = None, None, job.runs + 1
        try:
            handle.acts.clear()
            job.result = job.context.run(_drive, job.use_case(handle))
            if self._journal.is_on and not job.has_recorded(handle.acts):
                job.acts = [*handle.acts]
                self._write_connection.execute("ROLLBACK TO job")
        except Exception as error:
            job.error = error
            if not self._write_connection.in_transaction:
                # SQLite rolled back the whole transaction (as when the disk is full).
                raise
            self._write_connection.execute("ROLLBACK TO job")
        self._write_connection.execute("RELEASE job")


def _lower_priority() -> None:
    """Gives this thread a lower priority than requests, if the system supports that."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def _drive(awaitable: Awaitable[T]) -> T:
    """Runs a use-case to its end. It awaits only the handle, which never suspends."""
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("a use-case awaited something other than its handle")


def _encode_arrays(arguments: Sequence[Any]) -> list[Any]:
    """Returns the arguments, with arrays as the JSON that the statements expect."""
    return [msgspec.json.encode(a).decode() if a.__class__ is list else a for a in arguments]


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        _raise_ours(error)


def _raise_ours(error: sqlite3.Error) -> NoReturn:
    """Raises the driver's error as ours. An error that only a bug can cause stays as it is."""
    if isinstance(error, sqlite3.IntegrityError):
        columns = str(error).removeprefix("UNIQUE constraint failed: ")
        if columns in _CONSTRAINTS:
            raise UniqueViolation(_CONSTRAINTS[columns]) from error
        # rule: store-delete. SQLite doesn't name the foreign key. The profile's row always exists,
        # so the missing row is the store's.
        if error.sqlite_errorname == "SQLITE_CONSTRAINT_FOREIGNKEY":
            raise StoreDeleted from error
    if isinstance(error, sqlite3.OperationalError):
        raise Unavailable(f"The database can't be used now ({error}).") from error
    raise error
