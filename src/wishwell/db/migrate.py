"""Migrates a database: applies numbered SQL files, each once, in order.

Several processes may start it concurrently: an advisory lock on PostgreSQL, or the write lock on
SQLite, is held from reading the state to the commit. An applied file that has changed since is an
error, because the schema may differ from the files. A file of ``CREATE INDEX CONCURRENTLY``
statements is applied outside of a transaction on PostgreSQL, so that the tables can be written to.
"""

import asyncio
import contextlib
import functools
import hashlib
import os
import re
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from importlib import resources
from itertools import takewhile
from typing import Any, NamedTuple

import asyncpg

from wishwell import ids
from wishwell.db import Row, statements
from wishwell.db.postgres import cluster, connecting, lock_waits
from wishwell.db.postgres.failures import UNREACHABLE, translate_errors
from wishwell.db.postgres.hosts import Connection
from wishwell.db.postgres.lock_waits import Progress
from wishwell.db.sqlite import sqlite_file
from wishwell.db.statements import Engine
from wishwell.errors import Misconfigured, Unavailable

_LOCK = 0x77697368  # "wish": the key of the advisory lock
_TABLE = """
CREATE TABLE IF NOT EXISTS migrations (
    version    integer NOT NULL CONSTRAINT migrations_pkey PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at text NOT NULL
)
"""
_APPLIED = "SELECT version, checksum FROM migrations"
_RECORD = "INSERT INTO migrations VALUES (:version, :name, :checksum, :applied_at)"
_OLDEST_PROGRAM = "SELECT oldest_program FROM schema_support"
_LOCK_POLL_SECONDS = 0.2
_CONNECT_SECONDS = 10.0
_NO_TIMEOUTS = """
SELECT set_config(name, '0', $1) FROM pg_settings
WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_session_timeout',
               'idle_in_transaction_session_timeout')
"""
_CREATED_TABLE = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)
_RIGHTS = "SELECT, INSERT, UPDATE, DELETE"
_MISSING_RIGHTS = """
SELECT string_agg(needed.name, ', ' ORDER BY needed.number) || ' on ' || c.relname
FROM pg_class c, string_to_table($2, ', ') WITH ORDINALITY AS needed (name, number)
WHERE c.relname::text = ANY ($1::text[]) AND c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)
  AND NOT has_table_privilege(c.oid, needed.name)
GROUP BY c.relname ORDER BY c.relname
"""
_CONCURRENTLY = " CONCURRENTLY"
_CREATES_INDEX = re.compile(rf"CREATE (?:UNIQUE )?INDEX{_CONCURRENTLY} (\w+)")
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"


def _ignore(_line: str) -> None:
    """Shows no progress."""


class Migration(NamedTuple):
    """A file in ``migrations/`` or in the engine's folder there."""

    version: int
    name: str
    sql: str
    checksum: str

    @property
    def is_concurrent(self) -> bool:
        return _CONCURRENTLY in self.sql


def available(engine: Engine) -> list[Migration]:
    """Returns the migrations for an engine in order, including those for both engines."""
    folder = resources.files("wishwell.db").joinpath("migrations")
    migrations = []
    for entry in (*folder.iterdir(), *folder.joinpath(engine).iterdir()):
        if entry.name.endswith(".sql"):
            sql = entry.read_text("utf-8")
            checksum = hashlib.sha256(sql.encode()).hexdigest()
            migrations.append(Migration(int(entry.name[:4]), entry.name[:-4], sql, checksum))
    return sorted(migrations)


# rule: migrate-once
def pending(engine: Engine, applied: Iterable[Row], oldest_program: int | None) -> list[Migration]:
    """Returns the migrations to apply. Raises ``Misconfigured`` if applied ones differ from the
    files.

    ``oldest_program``: the oldest schema version whose programs run on the schema, if recorded.
    """
    checksums: dict[int, str] = {row[0]: row[1] for row in applied}
    files = available(engine)
    for migration in files:
        if checksums.get(migration.version, migration.checksum) != migration.checksum:
            raise Misconfigured(
                f"The migration {migration.name} has changed since this database was migrated."
            )
    newer = checksums.keys() - {migration.version for migration in files}
    if newer and (oldest_program is None or files[-1].version < oldest_program):
        raise Misconfigured(
            f"The database has schema version {max(newer)}, which is newer than this program. "
            "Start the newer program, or restore the backup from before its migration."
        )
    return [migration for migration in files if migration.version not in checksums]


# rule: migrate-once
def migrate_sqlite(path: str, progress: Progress = _ignore) -> list[str]:
    """Migrates the file, and creates it if needed. Returns the names of the applied migrations.

    Raises ``Misconfigured``.
    """
    try:
        sqlite_file.make_file(path)
        connection = sqlite_file.connect(path)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Misconfigured(f"The database file {path} can't be opened ({reason}).") from error
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_TABLE)
        todo = _pending_sqlite(connection)
        with _reporting(progress) as report:
            for statement, values in _list_steps("sqlite", todo, report):
                connection.execute(statement.replace(_CONCURRENTLY, ""), values)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise Misconfigured(f"The database {path} can't be migrated ({error}).") from error
    finally:
        connection.close()
    try:
        sqlite_file.restrict_permissions(path)
    except OSError as error:
        raise Misconfigured(
            f"Other users can read the database file {path}, and its mode can't be changed "
            f"({error.strerror}). Run chmod 600 on it."
        ) from error
    return [migration.name for migration in todo]


# rules: migrate-once, engines-alike
async def migrate_postgres(
    url: str,
    progress: Progress = _ignore,
    *,
    distribute: bool = False,
    seconds: float = _CONNECT_SECONDS,
) -> list[str]:
    """Migrates the database. Returns the names of the applied migrations, then those of the
    distributed tables.

    ``distribute``: distributes the tables over the servers of a Citus cluster. New tables of a
    distributed database are always distributed. ``seconds``: timeout of connecting. Raises
    ``Misconfigured`` and ``Unavailable``.
    """
    done: list[str] = []
    async with _connect(url, seconds) as connection:
        # A pooler may share the session with others, so session state must end with a transaction.
        is_pooled = (
            await connection.fetchval("SELECT pg_backend_pid()") != connection.get_server_pid()
        )
        if not is_pooled:
            await connection.fetch(_NO_TIMEOUTS, False)
            await _lock(connection, "pg_try_advisory_lock")
        while True:
            with _reporting(progress) as report:
                batch, todo, tables = await lock_waits.retry_locks(
                    connection,
                    functools.partial(_apply_batch, connection, report, is_pooled, distribute),
                    report,
                )
                done += [migration.name for migration in batch]
                if batch == todo:
                    return done + tables
                concurrent = todo[len(batch)]
                for statement, values in _list_steps("postgresql", [concurrent], report):
                    if not values:
                        process_id = connection.get_server_pid()
                        async with lock_waits.reporting_blockers(url, process_id, progress):
                            await _create_index(connection, statement)
                    else:
                        await connection.execute(statement, *values)
                done.append(concurrent.name)


# rule: migrate-once
async def _apply_batch(
    connection: Connection, report: Progress, is_pooled: bool, distribute: bool
) -> tuple[list[Migration], list[Migration], list[str]]:
    """Applies the next migrations in one transaction, up to one that builds an index concurrently.

    Returns them, the migrations that were pending before, and the names of tables that it
    distributed. Raises the driver's error if a table is locked for too long.
    """
    async with connection.transaction():
        await connection.fetch(_NO_TIMEOUTS, True)
        await _lock(connection, "pg_try_advisory_xact_lock")
        lock_timeout = f"{lock_waits.LOCK_TIMEOUT_SECONDS * 1000:.0f}ms"
        await connection.fetch("SELECT set_config('lock_timeout', $1, true)", lock_timeout)
        distribute = distribute or await cluster.is_distributed(connection)
        if distribute:
            await cluster.prepare(connection)
        await connection.execute(_TABLE)
        todo = await _pending_postgres(connection)
        batch = [*takewhile(lambda migration: is_pooled or not migration.is_concurrent, todo)]
        for statement, values in _list_steps("postgresql", batch, report):
            await connection.execute(statement.replace(_CONCURRENTLY, ""), *values)
        is_last = distribute and batch == todo
        return batch, todo, await cluster.distribute(connection, report) if is_last else []


# rule: migrate-once
async def _lock(connection: Connection, function: str) -> None:
    """Takes the advisory lock. Polls: a statement that waits would block a concurrent build."""
    while not await connection.fetchval(f"SELECT {function}($1)", _LOCK):  # noqa: ASYNC110
        await asyncio.sleep(_LOCK_POLL_SECONDS)


async def _create_index(connection: Connection, statement: str) -> None:
    """Builds an index while others write, unless an earlier run has built it.

    A run that was cut short leaves an invalid index, which is dropped first.
    """
    index = _CREATES_INDEX.match(statement)
    assert index is not None, "a file with CONCURRENTLY has no other statements"
    is_valid = await connection.fetchval(_IS_VALID, index[1])
    if is_valid is False:
        await connection.execute(f"DROP INDEX{_CONCURRENTLY} {index[1]}")
    if not is_valid:
        await connection.execute(statement)


@contextlib.contextmanager
def _reporting(progress: Progress) -> Iterator[Progress]:
    """Yields a ``Progress``. If the database fails, the error contains its last line."""
    lines: list[str] = []
    output_errors: list[BaseException] = []  # the output's own errors, such as a full disk

    def report(line: str) -> None:
        if line in lines:  # of an attempt that is repeated
            return
        lines.append(line)
        try:
            progress(line)
        except OSError as error:
            output_errors.append(error)
            raise

    try:
        yield report
    except (sqlite3.Error, asyncpg.PostgresError, *UNREACHABLE) as error:
        if not lines or error in output_errors:
            raise
        raise Unavailable(
            f"The database ended `wishwell migrate` while {lines[-1]} ({error}). Nothing half-done "
            "was kept. Remove the cause and run the command again."
        ) from error


def pending_sqlite(path: str) -> list[str]:
    """Returns the names of the migrations to apply. Doesn't create the file.

    Raises ``Misconfigured``, and the driver's error if the file is not a database.
    """
    if not os.access(path, os.F_OK):
        return [migration.name for migration in available("sqlite")]
    with contextlib.closing(sqlite_file.connect(path, read_only=True)) as connection:
        return [migration.name for migration in _pending_sqlite(connection)]


def _pending_sqlite(connection: sqlite3.Connection) -> list[Migration]:
    def rows(table: str, select: str) -> list[Row]:
        exists = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        has_table = connection.execute(exists, [table]).fetchone()
        return connection.execute(select).fetchall() if has_table else []

    support = rows("schema_support", _OLDEST_PROGRAM)
    return pending("sqlite", rows("migrations", _APPLIED), support[0][0] if support else None)


async def pending_postgres(
    url: str, *, distribute: bool = False, seconds: float = _CONNECT_SECONDS
) -> list[str]:
    """Returns what ``migrate_postgres`` would return, and changes nothing."""
    async with _connect(url, seconds) as connection:
        todo = [migration.name for migration in await _pending_postgres(connection)]
        if distribute:
            await cluster.check(connection)
        if distribute or await cluster.is_distributed(connection):
            todo += map(cluster.plan, await cluster.undistributed_tables(connection))
        return todo


async def _pending_postgres(connection: Connection) -> list[Migration]:
    has_table = await connection.fetchval("SELECT to_regclass('migrations') IS NOT NULL")
    applied = await connection.fetch(_APPLIED) if has_table else ()
    # Without the right, `check_rights` names all missing ones later.
    may_read = "SELECT has_table_privilege(to_regclass('schema_support'), 'SELECT')"
    support = await connection.fetchval(may_read) and await connection.fetchval(_OLDEST_PROGRAM)
    return pending("postgresql", applied, support or None)


# rule: database-rights
async def check_rights(url: str, seconds: float = _CONNECT_SECONDS) -> None:
    """Raises ``Misconfigured`` if the role lacks a right on a table that a migration creates."""
    created = {
        name
        for migration in available("postgresql")
        for name in _CREATED_TABLE.findall(migration.sql)
    }
    async with _connect(url, seconds) as connection:
        rows = await connection.fetch(_MISSING_RIGHTS, [*created], _RIGHTS)
        row = await connection.fetchrow("SELECT current_user::text, current_schema()::text")
    if rows:
        raise Misconfigured(
            f"The database role {row[0]} lacks {'; '.join(missing for (missing,) in rows)}. As the "
            f"tables' owner, run: GRANT {_RIGHTS} ON ALL TABLES IN SCHEMA {row[1]} TO {row[0]}."
        )


@contextlib.asynccontextmanager
async def _connect(url: str, seconds: float) -> AsyncIterator[Connection]:
    with translate_errors():
        connection = await connecting.connect(url, timeout=seconds)
        try:
            yield connection
        finally:
            await connection.close(timeout=5)


def _list_steps(
    engine: Engine, todo: Iterable[Migration], progress: Progress
) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yields the statements that apply these migrations, with their values, one at a time because a
    cluster requires it."""
    record = statements.step(_RECORD, engine)
    for migration in todo:
        progress(f"applying {migration.name}")
        for statement in _split(statements.select_lines(migration.sql, engine)):
            yield statement, ()
        applied_at = ids.timestamp(ids.wall_clock())
        yield record.sql, record.values({**migration._asdict(), "applied_at": applied_at})


def _split(script: str) -> list[str]:
    """Splits a script into statements, by SQLite's rules for both engines."""
    complete, piece = [], ""
    for line in script.splitlines(keepends=True):
        piece += line
        if sqlite3.complete_statement(piece):
            complete.append(piece)
            piece = ""
    return complete
