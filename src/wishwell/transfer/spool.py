"""Temporary file for records that were read and checked, so that memory use stays constant."""

import contextlib
import itertools
import sqlite3
from collections.abc import Iterator
from operator import itemgetter
from typing import BinaryIO

from wishwell import files
from wishwell.config import MAX_UNPACKED_BYTES
from wishwell.errors import Invalid, Misconfigured
from wishwell.transfer import unpacking

_MAX_ERRORS = 20
_BATCH_SIZE = 1_000
_MAX_SKIPPED_BYTES = 1 << 30

# Sorting reads the table in sequence; an index would look up each row.
_BY_KEY_QUERY = "SELECT * FROM records NOT INDEXED WHERE key > '' ORDER BY key, line"

Record = tuple[str, int, str, str]
"""A record's key, line, kind and text."""


# rule: files-unpacked
def open_unpacked(path: str, max_bytes: int = MAX_UNPACKED_BYTES) -> BinaryIO:
    """Opens a file for reading, unpacked to at most ``max_bytes``. Raises ``Invalid``."""
    try:
        file = files.open_regular(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Invalid(f"{path}: can't be read ({reason}).") from error
    return unpacking.unpack(path, file, max_bytes)


# rule: import-checked
def read_lines(file: BinaryIO, max_bytes: int) -> Iterator[bytes | str]:
    """Yields each line as bytes, or an error as ``str`` for a line of more than ``max_bytes``.

    Such a line is skipped piece by piece, and is never in memory as a whole. Reading ends at a line
    of more than ``_MAX_SKIPPED_BYTES``, such as a device that has no end.
    """
    while text := file.readline(max_bytes + 1):
        size = len(text)
        if size <= max_bytes:
            yield text
            continue
        while text and not text.endswith(b"\n"):
            if size > _MAX_SKIPPED_BYTES:
                yield f"has more than {size:,} bytes; the rest of the file was not read"
                return
            text = file.readline(max_bytes)
            size += len(text)
        yield f"has {size:,} bytes; a line may have at most {max_bytes:,}"


class Spool:
    """Records added in the order of a file's lines, and read back grouped by key.

    ``errors``: messages about the file, at most ``_MAX_ERRORS``.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []
        self._unwritten: list[Record] = []
        # "" makes SQLite use a temporary file in TMPDIR that no other program can open.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000;"
            "CREATE TABLE records (key TEXT, line INTEGER, kind TEXT, text TEXT); BEGIN"
        )

    def add(self, key: str, line: int, kind: str, text: str) -> None:
        self._unwritten.append((key, line, kind, text))
        if len(self._unwritten) == _BATCH_SIZE:
            self._write_records()

    def _write_records(self) -> None:
        with _wrap_sqlite_errors():
            self._db.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", self._unwritten)
        self._unwritten.clear()

    def query(self, statement: str, *values: str) -> sqlite3.Cursor:
        """Returns the rows of a query."""
        self._write_records()
        with _wrap_sqlite_errors():
            return self._db.execute(statement, values)

    def by_key(self, statement: str = _BY_KEY_QUERY) -> Iterator[tuple[str, Iterator[Record]]]:
        """Yields each key with its records, in the order of the file's lines. ``statement``:
        selects all columns of some of the records, in the order of keys and lines."""
        rows = self.query(statement)
        return itertools.groupby(rows, itemgetter(0))

    def add_error(self, line: int, message: str) -> None:
        """Records an error at a line."""
        self.errors.append(f"line {line}: {' '.join(message.split()).removesuffix('.')}")
        if self.has_failed:
            self.errors[_MAX_ERRORS:] = ["and more errors"]

    @property
    def has_failed(self) -> bool:
        """Whether there are more errors than ``errors`` can hold, so that checking can stop."""
        return len(self.errors) > _MAX_ERRORS


@contextlib.contextmanager
def _wrap_sqlite_errors() -> Iterator[None]:
    """Raises ``Misconfigured`` if the temporary file can't be written or read."""
    try:
        yield
    except sqlite3.Error as error:
        raise Misconfigured(
            f"The temporary file for checking can't be used ({error}): set TMPDIR to a "
            "folder with at least as much free space as the size of the file."
        ) from error
