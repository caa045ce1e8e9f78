"""Standard output and standard error as streams that never block and never fail."""

import atexit
import io
import multiprocessing
import os
import select
import threading
import time
from typing import Any

QUEUE_BYTES = 2**20
"""The most bytes that wait to be written, besides those being written now."""

_GATHER_SECONDS = 0.1
"""Lines are gathered for this long and written together. So the thread interrupts the event loop at
most ten times a second, and not once a line."""

_AGAIN_SECONDS = 0.1
_END_SECONDS = 0.5
_NEWLINE = ord("\n")


# contract: log-never-stops
class Output(io.RawIOBase):
    """Takes lines without waiting; a thread writes them to a file descriptor, in order.

    Lines are lost if their write fails, or if ``QUEUE_BYTES`` are already waiting.
    """

    def __init__(self, descriptor: int) -> None:
        self.lost = 0
        """How many lines could not be written, since the start."""
        self._descriptor = descriptor
        self._torn = False  # whether the last write ended within a line
        self._writing = False
        self._queue = bytearray()
        # Reentrant: a garbage collection may log while this thread holds the lock.
        self._lock = threading.RLock()
        self._wake = threading.Semaphore(0)
        self._thread: threading.Thread | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Takes whole lines, from any thread."""
        with self._lock:
            if len(self._queue) + len(data) > QUEUE_BYTES:
                self.lost += bytes(data).count(b"\n")
                return len(data)
            was_empty = not self._queue
            self._queue += data
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
                atexit.register(self.drain)
        if was_empty:
            self._wake.release()
        return len(data)

    def drain(self) -> None:
        """Waits until all is written, at most ``_END_SECONDS``; called when the process ends."""
        end = time.monotonic() + _END_SECONDS
        while (self._queue or self._writing) and time.monotonic() < end:
            time.sleep(0.002)

    # ------------------------------------------------------------------------- the thread

    def _work(self) -> None:
        # When several workers share a pipe, only writes up to PIPE_BUF are atomic.
        most = select.PIPE_BUF if multiprocessing.parent_process() else QUEUE_BYTES
        while True:
            self._wake.acquire()
            time.sleep(_GATHER_SECONDS)
            with self._lock:
                self._writing = True
                data, self._queue = self._queue, bytearray()
            at = 0
            try:
                while self._torn:
                    self._put(b"\n")
                while at < len(data):
                    at += self._put(memoryview(data)[at : _end(data, at, most)])
            except Exception:  # whatever it is, the thread goes on
                with self._lock:
                    self.lost += data.count(b"\n", at)
                time.sleep(_AGAIN_SECONDS)
            self._writing = False

    def _put(self, piece: bytes | memoryview) -> int:
        """Writes once, and returns how many bytes were taken. Raises ``OSError``."""
        try:
            taken = os.write(self._descriptor, piece)
        except BlockingIOError:
            # Another process that shares the pipe has made it non-blocking.
            select.select([], [self._descriptor], [])
            return 0
        if taken:
            self._torn = piece[taken - 1] != _NEWLINE
        return taken


def _end(data: bytearray, at: int, most: int) -> int:
    """Where the next write ends: at the end of a line, so that no other process splits it."""
    end = at + most
    if end >= len(data):
        return len(data)
    return data.rfind(b"\n", at, end) + 1 or data.find(b"\n", end) + 1 or len(data)
