"""Migrates a database: applies numbered SQL files, each once, in order.

Several processes may do it at once: an advisory lock on PostgreSQL, or the write lock on SQLite, is
held from reading the state to the commit. An applied file that has changed since is an error,
because the schema may differ from the files.
"""

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable
from importlib import resources
from typing import NamedTuple

import asyncpg

from wishwell import ids
from wishwell.db import cluster, connecting, sqlite
from wishwell.db.failures import translated
from wishwell.db.statements import Engine
from wishwell.errors import Misconfigured

_LOCK = 0x77697368  # "wish": the key of the advisory lock
_TABLE = """
CREATE TABLE IF NOT EXISTS migrations (
    version    integer NOT NULL CONSTRAINT migrations_pkey PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at text NOT NULL
)
"""
Progress = Callable[[str], None]


def _silent(_line: str) -> None:
    """No progress is shown."""


class Migration(NamedTuple):
    """One file of ``migrations/<engine>/``."""

    version: int
    name: str
    sql: str
    checksum: str


def available(engine: Engine) -> list[Migration]:
    """The files of an engine, in order."""
    folder = resources.files("wishwell.db").joinpath("migrations", engine)
    found = []
    for entry in folder.iterdir():
        if entry.name.endswith(".sql"):
            sql = entry.read_text("utf-8")
            checksum = hashlib.sha256(sql.encode()).hexdigest()
            found.append(Migration(int(entry.name[:4]), entry.name[:-4], sql, checksum))
    return sorted(found)


# contract: migrate-guard
def pending(engine: Engine, applied: Iterable[tuple[int, str]]) -> list[Migration]:
    """The migrations to apply. Raises ``Misconfigured`` if those applied differ from the files."""
    checksums = dict(applied)
    files = available(engine)
    for migration in files:
        if checksums.get(migration.version, migration.checksum) != migration.checksum:
            raise Misconfigured(
                f"The migration {migration.name} has changed since this database was migrated."
            )
    newer = checksums.keys() - {migration.version for migration in files}
    if newer:
        raise Misconfigured(
            f"The database has schema version {max(newer)}, which is newer than this program. "
            "Start the newer program, or restore the backup from before its migration."
        )
    return [migration for migration in files if migration.version not in checksums]


# contract: migrate-once
def migrate_sqlite(path: str, progress: Progress = _silent) -> list[str]:
    """Migrates the file, and creates it if needed. Returns the names of the applied migrations.

    Raises ``Misconfigured``.
    """
    try:
        sqlite.make_file(path)
        connection = sqlite.connect(path)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Misconfigured(f"The database file {path} can't be opened ({reason}).") from error
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_TABLE)
        todo = pending(
            "sqlite", connection.execute("SELECT version, checksum FROM migrations").fetchall()
        )
        for migration in todo:
            progress(f"applying {migration.name}")
            for statement in _statements(migration.sql):
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migrations VALUES (?, ?, ?, ?)",
                (migration.version, migration.name, migration.checksum, _now()),
            )
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise Misconfigured(f"The database {path} can't be migrated ({error}).") from error
    finally:
        connection.close()
    try:
        sqlite.take_from_others(path)
    except OSError as error:
        raise Misconfigured(
            f"Other users can read the database file {path}, and its mode can't be changed "
            f"({error.strerror}). Run chmod 600 on it."
        ) from error
    return [migration.name for migration in todo]


# contract: migrate-once, migrate-cluster
async def migrate_postgres(
    url: str, progress: Progress = _silent, *, spread: bool = False
) -> list[str]:
    """Migrates the database. Returns what was done: the names of the applied migrations first.

    ``spread``: spreads its tables over the servers of a cluster. What is new is spread in any case
    once that was done. Raises ``Misconfigured``.
    """
    with translated():
        connection = await connecting.connect(url, timeout=10)
        try:
            async with connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
                spread = spread or await cluster.is_spread(connection)
                if spread:
                    await cluster.prepare(connection)
                await connection.execute(_TABLE)
                todo = pending("postgresql", await _applied(connection))
                for migration in todo:
                    progress(f"applying {migration.name}")
                    # One statement at a time, as a cluster requires.
                    for statement in _statements(migration.sql):
                        await connection.execute(statement)
                    await connection.execute(
                        "INSERT INTO migrations VALUES ($1, $2, $3, $4)",
                        migration.version,
                        migration.name,
                        migration.checksum,
                        _now(),
                    )
                done = [migration.name for migration in todo]
                if spread:
                    done += await cluster.spread(connection, progress)
        finally:
            await connection.close(timeout=5)
    return done


async def pending_postgres(url: str, *, spread: bool = False) -> list[str]:
    """What ``migrate_postgres`` would do."""
    with translated():
        connection = await connecting.connect(url, timeout=10)
        try:
            applied: list[tuple[int, str]] = []
            if await connection.fetchval("SELECT to_regclass('migrations')") is not None:
                applied = await _applied(connection)
            todo = [migration.name for migration in pending("postgresql", applied)]
            if spread:
                await cluster.check(connection)
            if spread or await cluster.is_spread(connection):
                todo += map(cluster.plan, await cluster.waiting(connection))
            return todo
        finally:
            await connection.close(timeout=5)


def pending_sqlite(path: str) -> list[str]:
    """The names of the migrations to apply. Does not create the file.

    Raises ``Misconfigured``, and the driver's error if the file is not a database.
    """
    rows: list[tuple[int, str]] = []
    if os.access(path, os.F_OK):
        with contextlib.closing(sqlite.connect(path, read_only=True)) as connection:
            if connection.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'migrations'"
            ).fetchone():
                rows = connection.execute("SELECT version, checksum FROM migrations").fetchall()
    return [migration.name for migration in pending("sqlite", rows)]


async def _applied(connection: "asyncpg.Connection[asyncpg.Record]") -> list[tuple[int, str]]:
    rows = await connection.fetch("SELECT version, checksum FROM migrations")
    return [(row[0], row[1]) for row in rows]


def _statements(script: str) -> list[str]:
    """The statements of a script, split by SQLite's rules for both engines."""
    found, piece = [], ""
    for line in script.splitlines(keepends=True):
        piece += line
        if sqlite3.complete_statement(piece):
            found.append(piece)
            piece = ""
    return found


def _now() -> str:
    return ids.timestamp(ids.wall_clock())
