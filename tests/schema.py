"""The schema that the migrations make, as SQLite tells it."""

import functools
import sqlite3
import tempfile

from wishwell.db import migrate


@functools.cache
def migrated() -> sqlite3.Connection:
    """An empty database of this program."""
    path = f"{tempfile.mkdtemp()}/wishwell.db"
    migrate.migrate_sqlite(path)
    return sqlite3.connect(path)


@functools.cache
def tables() -> dict[str, list[str]]:
    """Every table of the program with its columns, in order."""
    names = migrated().execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        name: [row[1] for row in migrated().execute(f"PRAGMA table_info({name})")]
        for (name,) in names
        if name != "migrations"
    }
