"""What a file may have only once, however large it is: in a temporary file, not in memory."""

import contextlib
import sqlite3
from collections.abc import Iterator

from wishwell.errors import Misconfigured
from wishwell.moving.file_records import RevocationRecord

_KEPT = 10_000
_SOME = 500

Name = tuple[str, str, int]
"""Of what it is a name, the name, and its line."""


class Register:
    """Names of a file's records, and its revocations by the keys of profiles."""

    def __init__(self) -> None:
        # "" is a file of SQLite's own in TMPDIR, which no other program can open.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000;"
            "CREATE TABLE names (kind TEXT, name TEXT, line INTEGER);"
            "CREATE TABLE revocations (profile_id TEXT, jti TEXT, revoked_at TEXT, line INTEGER);"
            "BEGIN"
        )
        self._names: list[Name] = []

    def note(self, kind: str, name: str, line: int) -> None:
        self._names.append((kind, name, line))
        if len(self._names) == _KEPT:
            self._write()

    def note_revocation(self, profile_id: str, one: RevocationRecord, line: int) -> None:
        with _room():
            row = (profile_id, one.jti, one.revoked_at, line)
            self._db.execute("INSERT INTO revocations VALUES (?, ?, ?, ?)", row)

    def twice(self, most: int) -> list[tuple[str, int, int]]:
        """What is there more than once: its kind, and two of its lines."""
        self._write()
        with _room():
            return self._db.execute(
                "SELECT kind, min(line), max(line) FROM names GROUP BY kind, name "
                "HAVING count(*) > 1 ORDER BY 3 LIMIT ?",
                (most,),
            ).fetchall()

    def named(self, kind: str) -> Iterator[dict[str, int]]:
        """The names of a kind with their lines, some at a time."""
        found = self._db.execute("SELECT name, line FROM names WHERE kind = ?", (kind,))
        while some := found.fetchmany(_SOME):
            yield dict(some)

    def revocations(self) -> Iterator[list[tuple[str, str, str]]]:
        """Key, jti and time of the revocations whose key is that of a profile of the file."""
        found = self._db.execute(
            "SELECT profile_id, jti, revoked_at FROM revocations "
            "WHERE profile_id IN (SELECT name FROM names WHERE kind = 'profile')"
        )
        while some := found.fetchmany(_SOME):
            yield some

    def strangers(self) -> tuple[int, int]:
        """How many revocations are of no profile of the file, and the line of the first."""
        [found] = self._db.execute(
            "SELECT count(*), coalesce(min(line), 0) FROM revocations "
            "WHERE profile_id NOT IN (SELECT name FROM names WHERE kind = 'profile')"
        )
        count, line = found
        return count, line

    def _write(self) -> None:
        with _room():
            self._db.executemany("INSERT INTO names VALUES (?, ?, ?)", self._names)
        self._names.clear()


@contextlib.contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise Misconfigured(
            f"Checking needs room for a temporary file ({error}): set TMPDIR to a folder with as "
            "much room as the file is large."
        ) from error
