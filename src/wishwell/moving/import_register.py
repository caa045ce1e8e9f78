"""What is kept of a file, however large it is: in a temporary file, not in memory."""

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

from wishwell.errors import Misconfigured

_SOME = 500


def temporary(table: str) -> sqlite3.Connection:
    """A temporary file with a table; what writes to it does so within ``room``."""
    # "" is a file of SQLite's own in TMPDIR, which no other program can open.
    db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    db.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000;"
        f"CREATE TABLE {table}; BEGIN"
    )
    return db


class Register:
    """What may be there only once: names of records, of which kind, the line, and what else is kept
    of it."""

    def __init__(self) -> None:
        self._db = temporary("names (kind TEXT, name TEXT, line INTEGER, more TEXT)")

    def note(self, kind: str, name: str, line: int, more: str = "") -> None:
        with room():
            self._db.execute("INSERT INTO names VALUES (?, ?, ?, ?)", (kind, name, line, more))

    def twice(self, most: int) -> list[tuple[str, int, int]]:
        """What is there more than once: its kind, and two of its lines."""
        with room():
            return self._db.execute(
                "SELECT kind, min(line), max(line) FROM names GROUP BY kind, name "
                "HAVING count(*) > 1 ORDER BY 3 LIMIT ?",
                (most,),
            ).fetchall()

    def named(self, kind: str) -> Iterator[list[tuple[str, int, str]]]:
        """The names of a kind, each with its line and the rest, some at a time."""
        return self._some("SELECT name, line, more FROM names WHERE kind = ?", kind)

    def revocations(self) -> Iterator[list[tuple[str, str, str]]]:
        """Key, jti and time of the revocations whose key is that of a profile of the file."""
        return self._some(
            "SELECT substr(name, 1, 36), substr(name, 38), more FROM names "
            "WHERE kind = 'revocation' AND substr(name, 1, 36) IN "
            "(SELECT name FROM names WHERE kind = 'profile')"
        )

    def strangers(self) -> tuple[int, int]:
        """How many revocations are of no profile of the file, and the line of the first."""
        [(count, line)] = self._db.execute(
            "SELECT count(*), coalesce(min(line), 0) FROM names "
            "WHERE kind = 'revocation' AND substr(name, 1, 36) NOT IN "
            "(SELECT name FROM names WHERE kind = 'profile')"
        )
        return count, line

    def _some(self, query: str, *values: str) -> Iterator[list[Any]]:
        cursor = self._db.execute(query, values)
        while some := cursor.fetchmany(_SOME):
            yield some


@contextlib.contextmanager
def room() -> Iterator[None]:
    """Raises ``Misconfigured`` where the temporary file has none."""
    try:
        yield
    except sqlite3.Error as error:
        raise Misconfigured(
            f"Checking needs room for a temporary file ({error}): set TMPDIR to a folder with as "
            "much room as the file is large."
        ) from error
