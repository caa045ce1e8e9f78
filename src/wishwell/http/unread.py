"""Answers that a client does not read."""

import array
import asyncio
import contextlib
import ctypes
import fcntl
import socket
import struct
import termios
from collections.abc import Callable
from typing import Any

LEAST = 16 * 1024
"""Bytes a second that a client must read."""

_LOOKS = 10
"""How often a client is checked within its time."""

_RETURN_SECONDS = 1.0
"""Delay between a drop and the return of memory, so that one return serves many drops."""


# contract: answer-unread
class Watch:
    """Checks, until it is stopped, whether a client reads.

    Calls ``drop`` with the number of unread bytes once the client has read less than ``LEAST``
    bytes a second for ``seconds``. Bytes that the client's kernel has received count as read.
    """

    def __init__(self, transport: Any, seconds: float, drop: Callable[[int], None]) -> None:
        self._transport = transport
        self._seconds = seconds
        self._drop = drop
        self._loop = asyncio.get_running_loop()
        self._begin(self._unread())

    def stop(self) -> None:
        self._timer.cancel()

    def _begin(self, unread: int) -> None:
        self._mark, self._since = unread, self._loop.time()
        self._look_later()

    def _look_later(self) -> None:
        self._timer = self._loop.call_later(self._seconds / _LOOKS, self._look)

    def _look(self) -> None:
        unread = self._unread()
        if self._mark - unread >= LEAST * self._seconds:
            self._begin(unread)
        elif self._loop.time() - self._since < self._seconds:
            self._look_later()
        else:
            self._drop(unread)

    def _unread(self) -> int:
        """Bytes that the client's kernel has not received yet.

        This includes those that our kernel holds. Without them, a slow client would seem to read
        nothing until its buffer of some megabytes has room again.
        """
        sent = array.array("i", [0])
        fcntl.ioctl(_socket(self._transport).fileno(), termios.TIOCOUTQ, sent)
        waiting: int = self._transport.get_write_buffer_size()
        return waiting + sent[0]


def _socket(transport: Any) -> socket.socket:
    found: socket.socket = transport.get_extra_info("socket")
    return found


_return: asyncio.TimerHandle | None = None


def drop(transport: Any) -> None:
    """Ends a connection with a reset: the kernel would keep its data, and go on sending it."""
    global _return
    at_once = struct.pack("ii", 1, 0)
    _socket(transport).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    transport.abort()
    loop = asyncio.get_running_loop()
    if _return is None or _return.when() < loop.time():
        _return = loop.call_later(_RETURN_SECONDS, _return_memory)


def _return_memory() -> None:
    """Returns the memory of dropped answers, which the C library would keep."""
    with contextlib.suppress(AttributeError):  # not every C library has this function
        ctypes.CDLL(None).malloc_trim(0)
