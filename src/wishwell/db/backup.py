"""A copy of the embedded database, made while it is served."""

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path

from wishwell.db import sqlite
from wishwell.errors import Misconfigured


# contract: command-backup, backup-whole
def copy(path: str, target: str, *, replace: bool) -> int:
    """Copies the database, as it is at one moment, to ``target``, which is whole once it is there.

    Returns its bytes. What was deleted is not in it, as it would be in a copy of the file. Raises
    ``Misconfigured``.
    """
    place = Path(os.path.realpath(target))
    if not os.access(path, os.F_OK):
        raise Misconfigured(f"There is no database {path}: see WISHWELL_DATABASE_URL.")
    if place == Path(os.path.realpath(path)):
        raise Misconfigured(f"{target} is the database itself: name another file.")
    if place.exists() and not replace:
        raise Misconfigured(f"{target} is there already: name another file, or add --replace.")
    if place.exists() and not _is_database(place):  # such as the key of the database, or its WAL
        raise Misconfigured(f"{target} is no backup, so it is not replaced: name another file.")
    for log in (f"{place}-wal", f"{place}-journal"):  # it would be read as part of the copy
        if os.path.lexists(log):
            raise Misconfigured(f"{target} may be in use, as {log} is there: name another file.")
    try:
        # Beside it, so that it can be renamed; with mode 600.
        handle, part = tempfile.mkstemp(".part", f".{place.name[:200]}-", place.parent)
    except OSError as error:
        raise Misconfigured(f"No backup was made ({error}).") from error
    try:
        _fill(path, part, handle)
        _name(part, place, replace=replace)
        folder = os.open(place.parent, os.O_RDONLY)
        os.fsync(folder)  # that it has its name now, too
        os.close(folder)
        return place.stat().st_size
    except (OSError, sqlite3.Error) as error:
        raise Misconfigured(f"No backup was made ({error}).") from error
    finally:
        os.close(handle)
        Path(part).unlink(missing_ok=True)
        Path(f"{part}-journal").unlink(missing_ok=True)


def _is_database(place: Path) -> bool:
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _fill(path: str, part: str, handle: int) -> None:
    with contextlib.closing(sqlite.connect(path, read_only=True)) as source:
        source.execute("VACUUM INTO ?", (Path(part).as_uri(),))
    with contextlib.closing(sqlite.connect(part, read_only=True)) as made:
        [found] = made.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise Misconfigured(f"No backup was made: the database is damaged ({found}).")
    os.fsync(handle)


def _name(part: str, place: Path, *, replace: bool) -> None:
    """A file that came there meanwhile stays, unless the file system has no links."""
    if not replace:
        try:
            os.link(part, place)
        except FileExistsError:
            raise
        except OSError:
            replace = True
    if replace:
        Path(part).replace(place)
