"""Backup of the embedded SQLite database while it is in use."""

import contextlib
import os
import secrets
import sqlite3
from pathlib import Path

from wishwell.db.sqlite import sqlite_file
from wishwell.errors import Misconfigured


# rule: backup-complete
def copy(path: str, target: str) -> int:
    """Copies a snapshot of the database to ``target``, which appears only once it is complete.

    Returns the copy's size in bytes. Unlike a copy of the file, it has no remains of deleted rows.
    Raises ``Misconfigured``, also if the target exists.
    """
    if not os.access(path, os.F_OK):
        raise Misconfigured(f"The database {path} doesn't exist: see WISHWELL_DATABASE_URL.")
    # SQLite would apply a leftover WAL or journal of another database to the copy.
    for existing in (target, f"{target}-wal", f"{target}-journal"):
        if os.path.lexists(existing):
            raise Misconfigured(f"{existing} already exists: name another file.")
    target_path = Path(target).absolute()
    # In the same folder, so that it can be renamed. Its name is chosen before the try block, so
    # that a signal at any step still removes the file.
    part = target_path.with_name(f".{target_path.name[:200]}-{secrets.token_hex(4)}.part")
    try:
        part.touch(0o600, exist_ok=False)
        with part.open("rb") as file:
            _copy_into(path, str(part), file.fileno())
        part.rename(target_path)
        folder = os.open(target_path.parent, os.O_RDONLY)
        os.fsync(folder)  # makes the rename durable
        os.close(folder)
        return target_path.stat().st_size
    except (OSError, sqlite3.Error) as error:
        raise Misconfigured(f"No backup was made ({error}).") from error
    finally:
        for leftover in (part, Path(f"{part}-journal")):
            with contextlib.suppress(OSError):
                leftover.unlink()


def _copy_into(path: str, part: str, handle: int) -> None:
    with contextlib.closing(sqlite_file.connect(path, read_only=True)) as source:
        source.execute("VACUUM INTO ?", (Path(part).as_uri(),))
    with contextlib.closing(sqlite_file.connect(part, read_only=True)) as copied:
        [problem] = copied.execute("PRAGMA integrity_check(1)").fetchone()
        if problem != "ok":
            raise Misconfigured(f"No backup was made: the database is damaged ({problem}).")
    os.fsync(handle)
