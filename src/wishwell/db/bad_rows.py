"""Skips rows that can't be decoded, so that a bad row affects no store but its own.

Everything that reads rows of several stores together uses this (rule: bad-row). A bad row was
written by another program, or by an older release's import.
"""

import contextlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import TypeVar

import structlog

from wishwell import lru
from wishwell.db import Row
from wishwell.errors import Misconfigured, Unavailable

T = TypeVar("T")

_MAX_LOGGED = 10_000
"""Maximum number of logged rows that a process remembers, so as to log each only once."""

_logged: dict[tuple[str, str, str], None] = {}
log = structlog.get_logger("wishwell.db.bad_rows")


@contextlib.contextmanager
def skip_bad_row(table: str, row: str) -> Iterator[None]:
    """Suppresses an error caused by a row. Logs the row, once per reason.

    Lets ``Unavailable`` and ``Misconfigured`` pass, because no row causes them.
    """
    try:
        yield
    except (Unavailable, Misconfigured):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"[:300]
        if (table, row, reason) not in _logged:
            lru.keep(_logged, (table, row, reason), None, _MAX_LOGGED)
            last = traceback.extract_tb(error.__traceback__)[-1]
            at = f"{PurePath(last.filename).name}:{last.lineno}"
            log.error("bad_row", table=table, row=row, reason=reason, at=at)


def parse_rows(table: str, rows: Iterable[Row], make: Callable[[Row], T]) -> list[T]:
    """Returns ``make(row)`` for each row, skipping bad ones. Column 0 names a row in the log."""
    records: list[T] = []
    for row in rows:
        with skip_bad_row(table, str(row[0])):
            records.append(make(row))
    return records
