"""Rows that can't be read: each is passed over, and hurts no store but its own.

Whatever reads rows of all stores at once goes through here (contract: bad-row). Such a row was
written by something else than the program, or by an import of an older release.
"""

import contextlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import TypeVar

import structlog

from wishwell import recent
from wishwell.db import Row
from wishwell.errors import Misconfigured, Unavailable

T = TypeVar("T")

_MOST = 10_000
"""How many rows a process remembers to have named."""

_named: dict[tuple[str, str, str], None] = {}
log = structlog.get_logger("wishwell.db.bad_rows")


@contextlib.contextmanager
def passed_over(table: str, row: str) -> Iterator[None]:
    """Ends the block where a row makes it fail; the log names the row, once for each reason.

    ``Unavailable`` and ``Misconfigured``, which are about no row, are raised.
    """
    try:
        yield
    except (Unavailable, Misconfigured):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"[:300]
        if (table, row, reason) not in _named:
            recent.keep(_named, (table, row, reason), None, _MOST)
            last = traceback.extract_tb(error.__traceback__)[-1]
            at = f"{PurePath(last.filename).name}:{last.lineno}"
            log.error("bad_row", table=table, row=row, reason=reason, at=at)


def each(table: str, rows: Iterable[Row], make: Callable[[Row], T]) -> list[T]:
    """What ``make`` makes of each row that can be read. A row's first column names it."""
    made: list[T] = []
    for row in rows:
        with passed_over(table, str(row[0])):
            made.append(make(row))
    return made
