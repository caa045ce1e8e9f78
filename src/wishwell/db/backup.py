"""A copy of the embedded database, made while it is served."""

import contextlib
import os
import secrets
import sqlite3
from pathlib import Path

from wishwell.db import sqlite
from wishwell.errors import Misconfigured


# contract: command-backup, backup-whole
def copy(path: str, target: str) -> int:
    """Copies the database, as it is at one moment, to ``target``, which is whole once it is there.

    Returns its bytes. What was deleted is not in it, as it would be in a copy of the file. Raises
    ``Misconfigured``, also if there is such a file already.
    """
    if not os.access(path, os.F_OK):
        raise Misconfigured(f"There is no database {path}: see WISHWELL_DATABASE_URL.")
    # A log that is left of another file would be read as part of the copy.
    for there in (target, f"{target}-wal", f"{target}-journal"):
        if os.path.lexists(there):
            raise Misconfigured(f"{there} is there already: name another file.")
    place = Path(target).absolute()
    # Beside it, so that it can be renamed. It has a name before it is made, so that it is removed
    # at whatever step a signal ends this.
    part = place.with_name(f".{place.name[:200]}-{secrets.token_hex(4)}.part")
    try:
        part.touch(0o600, exist_ok=False)
        with part.open("rb") as made:
            _fill(path, str(part), made.fileno())
        part.rename(place)
        folder = os.open(place.parent, os.O_RDONLY)
        os.fsync(folder)  # that it has its name now, too
        os.close(folder)
        return place.stat().st_size
    except (OSError, sqlite3.Error) as error:
        raise Misconfigured(f"No backup was made ({error}).") from error
    finally:
        for left in (part, Path(f"{part}-journal")):
            with contextlib.suppress(OSError):
                left.unlink()


def _fill(path: str, part: str, handle: int) -> None:
    with contextlib.closing(sqlite.connect(path, read_only=True)) as source:
        source.execute("VACUUM INTO ?", (Path(part).as_uri(),))
    with contextlib.closing(sqlite.connect(part, read_only=True)) as made:
        [found] = made.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise Misconfigured(f"No backup was made: the database is damaged ({found}).")
    os.fsync(handle)
