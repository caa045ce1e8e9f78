"""Back-pressure on a connection: pipelined requests, and answers that the client does not read."""

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

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from wishwell.http import metrics

LEAST = 16 * 1024
"""Bytes a second that a client must read."""

_LOOKS = 10
"""How often a client is checked within its time."""

_PIECE = 4096
"""Bytes that are parsed at once, about forty of the smallest requests."""

_RETURN_SECONDS = 1.0
"""Delay between a drop and the return of memory, so that one return serves many drops."""

log = structlog.get_logger("wishwell.server")


# contract: answer-unread, http-pipelining
class ReadProtocol(HttpToolsProtocol):
    """A connection that does no more for a client than the client reads.

    It parses only as many requests as it begins, stops while an answer waits to be read, and drops
    a client that does not read. uvicorn would parse thousands of pipelined requests at once,
    continue with them, and wait for the client without a time limit.
    """

    _returning = False

    def __init__(self, answer_timeout: float, **given: Any) -> None:
        """``answer_timeout``: seconds for which a client may read too little."""
        super().__init__(**given)
        self._answer_timeout = answer_timeout
        self._watch: _Watch | None = None
        self._completes = False
        self._rest = b""
        self._begun = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # So pause_writing is called as soon as the kernel does not take all of an answer.
        transport.set_write_buffer_limits(0)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.stop()
        super().connection_lost(exc)

    def feed(self, data: bytes | memoryview) -> bool:
        """Gives the parser a piece of the data. Returns whether it accepts more."""
        raise NotImplementedError

    def data_received(self, data: bytes) -> None:
        """Parses a piece of the data. The rest waits for the next turn of the event loop, or until
        the requests in the piece are answered."""
        waits = bool(self._rest)
        if not waits and len(data) <= _PIECE:
            self.feed(data)
            return
        self._rest += data
        if waits:
            self.flow.pause_reading()
        else:
            self._parse_on()

    def _parse_on(self) -> None:
        data, at, goes_on = memoryview(self._rest), 0, not self.transport.is_closing()
        self._begun = False
        while goes_on and at < len(data) and not self._begun and not self.pipeline:
            goes_on = self.feed(data[at : at + _PIECE]) and not self.transport.is_closing()
            at += _PIECE
        self._rest = bytes(data[at:]) if goes_on else b""
        if self._rest:
            self.flow.pause_reading()
            if not self.pipeline:
                self.loop.call_soon(self._parse_on)
        elif goes_on and (self.cycle is None or self.cycle.response_complete):
            self.flow.resume_reading()  # otherwise the request that has begun does

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun = True

    def pause_writing(self) -> None:
        super().pause_writing()
        self.flow.pause_reading()
        self._watch = _Watch(self.transport, self._answer_timeout, self._drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        if self._completes:
            self._completes = False
            self.on_response_complete()
        elif not self._rest:
            self.flow.resume_reading()

    def on_response_complete(self) -> None:
        """Begins the next request, or the idle time, once the client has read this answer."""
        if self.flow.write_paused:
            self._completes = True
            return
        others = bool(self.pipeline)
        super().on_response_complete()
        if self._rest and not self.transport.is_closing():
            self.flow.pause_reading()
            if others and not self.pipeline:
                self.loop.call_soon(self._parse_on)

    def _drop(self, unread: int) -> None:
        reason = "The client did not read its answer in time."
        log.info("dropped", unread=unread, reason=reason)
        metrics.dropped()
        # With a reset. Otherwise the kernel would keep the data and go on sending it.
        at_once = struct.pack("ii", 1, 0)
        _socket(self.transport).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.transport.abort()
        if not ReadProtocol._returning:
            ReadProtocol._returning = True
            self.loop.call_later(_RETURN_SECONDS, _return_memory)


def _return_memory() -> None:
    """Returns the memory of dropped answers to the system; the C library would keep it."""
    ReadProtocol._returning = False
    with contextlib.suppress(AttributeError):  # not every C library has this function
        ctypes.CDLL(None).malloc_trim(0)


class _Watch:
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
