"""Standard output and standard error as streams that never block and never fail."""

import atexit
import io
import multiprocessing
import os
import select
import threading
import time
from collections.abc import Callable
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

    Lines are lost if their write fails, or if ``QUEUE_BYTES`` are already waiting. They are
    counted. Once writing works again, ``report`` makes a line from the count and the reason.
    """

    def __init__(self, descriptor: int, report: Callable[[int, str], bytes]) -> None:
        self._descriptor = descriptor
        self._report = report
        self._start_over()
        os.register_at_fork(after_in_child=self._start_over)

    def _start_over(self) -> None:
        self.lost = 0
        """How many lines could not be written, since the start."""
        self._reported = 0
        self._reason = ""
        self._torn = False  # whether the last write ended within a line
        self._most = 0
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
                self._lose(bytes(data).count(b"\n"), "they came faster than they could be written")
            else:
                was_empty = not self._queue
                self._queue += data
                if was_empty:
                    self._begin()
        return len(data)

    def drain(self) -> None:
        """Waits until all is written, at most ``_END_SECONDS``; called when the process ends."""
        end = time.monotonic() + _END_SECONDS
        while (self._queue or self._writing) and time.monotonic() < end:
            time.sleep(0.002)

    def _begin(self) -> None:
        if self._thread is None:
            # When several workers share a pipe, only writes up to PIPE_BUF are atomic.
            self._most = select.PIPE_BUF if multiprocessing.parent_process() else QUEUE_BYTES
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
            atexit.register(self.drain)
        self._wake.release()

    def _lose(self, lines: int, reason: str) -> None:
        with self._lock:
            self.lost += lines
            self._reason = reason

    # ------------------------------------------------------------------------- the thread

    def _work(self) -> None:
        while True:
            self._wake.acquire()
            time.sleep(_GATHER_SECONDS)
            with self._lock:
                self._writing = True
                data, self._queue = self._queue, bytearray()
                lines = self.lost - self._reported
            self._send(data, lines)
            self._writing = False

    def _send(self, data: bytearray, lines: int) -> None:
        """Writes the queue, then reports lost lines. What can't be written is lost too."""
        at = 0
        try:
            while self._torn:
                self._put(b"\n")
            while at < len(data):
                at += self._put(memoryview(data)[at : self._end(data, at)])
            report = self._report(lines, self._reason) if lines else b""
            while report:
                report = report[self._put(report) :]
            self._reported += lines
        except Exception as error:  # whatever it is, the thread goes on
            reason = error.strerror if isinstance(error, OSError) else None
            self._lose(data.count(b"\n", at), reason or str(error))
            time.sleep(_AGAIN_SECONDS)

    def _end(self, data: bytearray, at: int) -> int:
        """Where the next write ends: at the end of a line, so that no other process splits it."""
        end = at + self._most
        if end >= len(data):
            return len(data)
        return data.rfind(b"\n", at, end) + 1 or data.find(b"\n", end) + 1 or len(data)

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
