"""Backup of the embedded SQLite database while it is in use, and the check of a copy."""

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from wishwell.db.sqlite import sqlite_file
from wishwell.errors import Misconfigured

Progress = Callable[[str, float], None]
"""Receives what a step does, and the share of it that is done."""

_PROGRESS_STEPS = 200_000
"""SQLite's steps between two reports of progress."""


# rule: backup-complete
@contextlib.contextmanager
def copying(path: str, target: str, progress: Progress, *, full: bool) -> Iterator[str]:
    """Copies a snapshot of the database, and yields the path of the copy, which has another name.
    The block checks the rest of the backup. After it the copy gets the name ``target``, or, if the
    block fails, ``target`` and ``.incomplete``.

    Unlike a copy of the file, it has no remains of deleted rows. ``full``: see ``find_damage``.
    Raises ``Misconfigured``, also if the target exists.
    """
    if not os.access(path, os.F_OK):
        raise Misconfigured(f"The database {path} doesn't exist: see WISHWELL_DATABASE_URL.")
    # SQLite would apply a leftover WAL or journal of another database to the copy.
    for existing in (target, f"{target}-wal", f"{target}-journal"):
        if os.path.lexists(existing):
            raise Misconfigured(f"{existing} already exists: name another file.")
    target_path = Path(target).absolute()
    if not target_path.parent.is_dir():
        raise Misconfigured(
            f"The folder {target_path.parent} doesn't exist, so no backup was made."
        )
    # In the same folder, so that it can be renamed. Its name is chosen before the try block, so
    # that a signal at any step still removes the file.
    part = target_path.with_name(f".{target_path.name[:200]}-{secrets.token_hex(4)}.part")
    try:
        try:
            part.touch(0o600, exist_ok=False)
            with part.open("rb") as file:
                _copy_into(path, str(part), file.fileno(), progress, full=full)
        except (OSError, sqlite3.Error) as error:
            raise Misconfigured(f"No backup was made ({error}).") from error
        try:
            yield str(part)
        except Exception:
            part.rename(target_path.with_name(f"{target_path.name}.incomplete"))
            raise
        _rename(part, target_path)
    finally:
        for leftover in (part, Path(f"{part}-journal")):
            with contextlib.suppress(OSError):
                leftover.unlink()


def _rename(part: Path, target: Path) -> None:
    """Renames the copy durably. Raises ``Misconfigured``."""
    try:
        part.rename(target)
        folder = os.open(target.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except OSError as error:
        raise Misconfigured(f"No backup was made ({error}).") from error


def _copy_into(path: str, part: str, handle: int, progress: Progress, *, full: bool) -> None:
    with contextlib.closing(sqlite_file.connect(path, read_only=True)) as source:
        [size] = source.execute(
            "SELECT max(1, (page_count - freelist_count) * page_size) "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        ).fetchone()

        def report() -> None:
            progress("copying", min(0.99, os.fstat(handle).st_size / size))

        source.set_progress_handler(report, _PROGRESS_STEPS)
        source.execute("VACUUM INTO ?", (Path(part).as_uri(),))
    if problem := find_damage(part, progress, full=full):
        raise Misconfigured(f"No backup was made: the database is damaged ({problem}).")
    os.fsync(handle)


def find_damage(path: str, progress: Progress, *, full: bool = False) -> str:
    """Returns the first problem of a database file, or ''. Raises ``sqlite3.Error`` if the file
    isn't a database.

    Reads all pages and rows, which a copy may have lost or torn. Only the ``full`` check compares
    rows with indexes, in seven times the time: a copy has the same indexes as the database.
    """
    check = "integrity_check" if full else "quick_check"
    with contextlib.closing(sqlite_file.connect(path, read_only=True)) as connection:
        connection.set_progress_handler(lambda: progress("checking", 0.0), _PROGRESS_STEPS)
        [problem] = connection.execute(f"PRAGMA {check}(1)").fetchone()
    return "" if problem == "ok" else str(problem)
