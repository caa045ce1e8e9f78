"""The file of the embedded engine: creating it, its permissions, and connections to it."""

import contextlib
import errno
import os
import sqlite3
import stat
import time
from pathlib import Path
from urllib.parse import quote

_BUSY_SECONDS = 2.0
"""Seconds that a statement waits for a write of another process before it fails."""


# rule: secret-unseen
def make_file(path: str) -> None:
    """Creates the file if needed, with mode 600. Raises ``OSError``.

    SQLite creates its -wal and -shm files with the same mode.
    """
    real = os.path.realpath(path)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(real, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    if not stat.S_ISREG(Path(real).stat().st_mode):
        raise OSError(errno.EINVAL, "it is a folder or a device, not a file")
    if not os.access(real, os.W_OK):  # SQLite would open it, and refuse each write
        raise OSError(errno.EROFS, "it can't be written")


def restrict_permissions(path: str) -> None:
    """Sets mode 600 on a file that another program made, once it is known to be our database."""
    real = os.path.realpath(path)
    for file in (Path(real), Path(f"{real}-wal"), Path(f"{real}-shm")):
        with contextlib.suppress(FileNotFoundError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)


def connect(path: str, *, read_only: bool = False) -> sqlite3.Connection:
    """Opens a connection in autocommit mode, with the settings that the schema needs.

    Never creates the file, because SQLite would make it readable for other users.
    """
    # The two slashes of an empty host are needed, because the path itself may begin with two.
    encoded = quote(os.fsencode(Path(path).absolute()))
    connection = sqlite3.connect(
        f"file://{encoded}?mode={'ro' if read_only else 'rw'}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=_BUSY_SECONDS,
        cached_statements=512,
    )
    if not read_only:
        _switch_to_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -16000")
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switches a new file to WAL. Retries, because SQLite doesn't wait for another process."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
