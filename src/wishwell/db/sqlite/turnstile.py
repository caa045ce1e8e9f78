"""A fair write lock for several processes on one SQLite file.

A process that waits for SQLite's write lock sleeps and tries again, so one that writes all the time
takes the lock again before the others wake. Here processes queue: a file next to the database has
two bytes to lock. A waiting process holds the gate (byte 0) until it has the lane (byte 1), and a
writing process holds the lane, so one that has just written waits at the gate. The system releases
the locks of a process that ends.
"""

import contextlib
import errno
import fcntl
import os
import time

from wishwell.errors import Unavailable

_GATE, _LANE = 0, 1
_MAX_SECONDS = 2.0
"""Maximum seconds to wait for a turn; SQLite's own wait comes on top."""

_POLL_SECONDS = 0.0002
"""Seconds between polls: a blocking lock can't have a deadline in a thread."""

_LOCKED_ERRNOS = (errno.EACCES, errno.EAGAIN)


class Turnstile:
    """A context that holds the lock. Raises ``Unavailable`` if another process holds it too long.

    If the file can't be created or locked (on a file system without locks), only SQLite's own lock
    applies. Belongs to one thread.
    """

    def __init__(self, database: str) -> None:
        self._file: int | None = None
        with contextlib.suppress(OSError):
            path = os.path.realpath(database) + "-turn"
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self) -> None:
        if self._file is None:
            return
        deadline = time.monotonic() + _MAX_SECONDS
        try:
            for byte in (_GATE, _LANE):
                while not self._lock(byte):
                    if time.monotonic() > deadline:
                        self._unlock(_GATE)
                        raise Unavailable("Another process writes to the database for too long.")
                    time.sleep(_POLL_SECONDS)
            self._unlock(_GATE)
        except OSError:
            self.close()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._unlock(_LANE)

    def close(self) -> None:
        """Closes the file, which releases its locks."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _lock(self, byte: int) -> bool:
        assert self._file is not None
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError as error:
            if error.errno in _LOCKED_ERRNOS:
                return False
            raise
        return True

    def _unlock(self, byte: int) -> None:
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
