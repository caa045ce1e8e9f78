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
"""Maximum bytes queued, in addition to those of the write in progress."""

_BATCH_SECONDS = 0.1
"""Seconds that lines are batched before a write, so that the thread takes the interpreter from the
event loop at most ten times a second instead of once a line."""

_RETRY_SECONDS = 0.1
"""Seconds between a failed write and the next attempt."""

_DRAIN_SECONDS = 0.5
"""Maximum seconds to wait for the queue when the process exits."""

_NEWLINE = ord("\n")


# rule: log-private
class Output(io.RawIOBase):
    """Queues lines without blocking; a thread writes them to a file descriptor, in order.

    Lines are dropped and counted if their write fails or the queue exceeds ``QUEUE_BYTES``.
    """

    def __init__(self, descriptor: int) -> None:
        self.lost = 0
        """Number of lines dropped since the process started."""
        self._descriptor = descriptor
        self._is_mid_line = False  # whether the last write ended in the middle of a line
        self._writing = False
        self._queue = bytearray()
        # Reentrant, because a finaliser may log while this thread holds the lock.
        self._lock = threading.RLock()
        self._wake = threading.Semaphore(0)
        self._thread: threading.Thread | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Queues ``data``, which must consist of whole lines. Thread-safe."""
        with self._lock:
            if len(self._queue) + len(data) > QUEUE_BYTES:
                self.lost += bytes(data).count(b"\n")
                return len(data)
            was_empty = not self._queue
            self._queue += data
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_queued, daemon=True)
                self._thread.start()
                atexit.register(self.drain)
        if was_empty:
            self._wake.release()
        return len(data)

    def drain(self) -> None:
        """Waits up to ``_DRAIN_SECONDS`` until the queue is written. Runs at the process's exit."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        while (self._queue or self._writing) and time.monotonic() < deadline:
            time.sleep(0.002)

    # ------------------------------------------------------------------------- the thread

    def _write_queued(self) -> None:
        # Workers share the pipe, and only writes of at most PIPE_BUF bytes are atomic.
        max_bytes = select.PIPE_BUF if multiprocessing.parent_process() else QUEUE_BYTES
        while True:
            self._wake.acquire()
            time.sleep(_BATCH_SECONDS)
            with self._lock:
                self._writing = True
                data, self._queue = self._queue, bytearray()
            written = 0
            try:
                while self._is_mid_line:
                    self._write_once(b"\n")
                while written < len(data):
                    end = _find_write_end(data, written, max_bytes)
                    written += self._write_once(memoryview(data)[written:end])
            except Exception:  # the thread must survive any error
                with self._lock:
                    self.lost += data.count(b"\n", written)
                time.sleep(_RETRY_SECONDS)
            self._writing = False

    def _write_once(self, piece: bytes | memoryview) -> int:
        """Calls ``write`` once and returns the number of bytes written. Raises ``OSError``."""
        try:
            written = os.write(self._descriptor, piece)
        except BlockingIOError:
            # Another process sharing the pipe made it non-blocking.
            select.select([], [self._descriptor], [])
            return 0
        if written:
            self._is_mid_line = piece[written - 1] != _NEWLINE
        return written


def _find_write_end(data: bytearray, start: int, max_bytes: int) -> int:
    """Returns the end of the next write: at a newline, so that processes don't split a line."""
    end = start + max_bytes
    if end >= len(data):
        return len(data)
    return data.rfind(b"\n", start, end) + 1 or data.find(b"\n", end) + 1 or len(data)
