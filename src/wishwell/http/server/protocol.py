"""The HTTP server: httptools parses; uvicorn handles sockets and signals.

httptools refuses ambiguous framing. This module adds limits: on the time and size of headers, on
pipelined requests, and on clients that send or read too slowly or not at all (Slowloris).
"""

import asyncio
import fcntl
import functools
import math
import struct
import termios
import time
from collections import deque
from collections.abc import AsyncIterator
from socket import SO_LINGER, SOL_SOCKET
from typing import Any
from urllib.parse import unquote

import httptools
import structlog
from uvicorn.protocols.utils import get_remote_addr
from uvicorn.server import ServerState

from wishwell import events
from wishwell.errors import BodyTimeout, Invalid, ServiceError
from wishwell.http import pipeline, responding, responses
from wishwell.http.context import Request
from wishwell.http.responses import Headers, Response
from wishwell.http.server import framing
from wishwell.http.server.body_reader import MAX_BODY, MAX_PLATFORM_BODY, BodyReader
from wishwell.telemetry import metrics

PIPELINE = "wishwell.pipeline"
"""Key of the application in uvicorn's lifespan state."""

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_CLOSED = "The connection was closed before the whole body arrived."

_PIECE_BYTES = 4096
"""Bytes passed to the parser per call: at most about 150 minimal requests."""

_IDLE_SECONDS = 30
"""Seconds that a keep-alive connection may wait for its next request."""

_MIN_READ_BYTES_PER_SECOND = 16 * 1024
"""Minimum rate at which a client must read a response, in bytes per second."""

_NOTHING, _HEADERS, _BODY = range(3)
"""Parser state: between requests, in the headers, or in the body."""

log = structlog.get_logger("wishwell.server")


# rules: slow-clients, request-smuggling, request-limits
class HttpProtocol(asyncio.Protocol):
    """A client connection.

    Pipelined requests are processed one at a time, in order: the next one begins when the previous
    response has left the write buffer. While a request waits, nothing more is read (backpressure).
    ``_deadline`` is the time by which the headers, the next request, or the rest of a body after
    its response must arrive; ``_watch`` is the timer for a client that doesn't read its response.
    """

    def __init__(self, server_state: ServerState, app_state: dict[str, Any], **_: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._server = server_state
        self._app: pipeline.Pipeline = app_state[PIPELINE]
        self._settings = self._app.service.settings
        self._parser = httptools.HttpRequestParser(self)
        self._transport: Any = None
        self._peer = ""
        self._buffer = b""
        """Received bytes that aren't parsed yet."""
        self._reading = True
        self._reads = _NOTHING
        self._url, self._headers = b"", Headers()
        self._size = 0  # bytes of the headers parsed so far
        # Bytes received since the headers began or ended, or since the last piece of the body: the
        # parser may buffer them without a callback.
        self._received = 0
        self._latest: Request | None = None
        self._in_progress: deque[Request] = deque()
        """Requests whose response isn't fully sent. Only the first is being processed."""
        self._close_after = False
        """Whether the connection closes after the requests in ``_in_progress``."""
        self._discarding = False
        """Whether further input is discarded, because the parser has lost its position."""
        # Seconds spent waiting for the client to read, and the bytes that it read in that time.
        self._waited, self._bytes_read = 0.0, 0
        # Start of the current wait, and the bytes unread at that moment.
        self._since, self._before = 0.0, 0
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._server.connections.add(self)  # type: ignore[arg-type]
        self._transport = transport
        self._peer = (get_remote_addr(transport) or ("",))[0]  # type: ignore[arg-type]
        # With a limit of 0, pause_writing is called once the kernel doesn't take a whole response.
        self._transport.set_write_buffer_limits(0)
        self._deadline = self._timer_at = self._loop.time() + self._settings.header_timeout
        self._timer = self._watch = self._loop.call_at(self._timer_at, self._on_timer)

    def connection_lost(self, _: Exception | None) -> None:
        self._server.connections.discard(self)
        self._timer.cancel()
        self._watch.cancel()
        self._writable.set()
        for request in self._in_progress:
            request.incoming.end(BodyTimeout(_CLOSED))
        del self._parser

    def shutdown(self) -> None:
        """Closes the connection after the requests in progress. uvicorn calls it on shutdown."""
        self._close_after = True
        if not self._in_progress:
            self._transport.close()

    # ------------------------------------------------------------------------------- incoming data

    def data_received(self, data: bytes) -> None:
        if self._discarding:
            return
        self._buffer += data
        if self._app.service.admission.defers(self._parse):
            self._reading = False
            self._transport.pause_reading()
        else:
            self._parse()

    def _parse(self) -> None:
        """Parses received bytes, up to a request that has to wait for the one in progress."""
        while self._buffer and len(self._in_progress) < 2 and not self._transport.is_closing():
            piece, self._buffer = self._buffer[:_PIECE_BYTES], self._buffer[_PIECE_BYTES:]
            self._feed(piece)
        if self._transport.is_closing():
            return
        if self._reads == _BODY and self._latest is not None:
            self._app.share_memory(self._latest)
        reading = not self._buffer and len(self._in_progress) < 2
        if reading != self._reading:
            self._reading = reading
            (self._transport.resume_reading if reading else self._transport.pause_reading)()
        if self._reads == _HEADERS and reading and self._deadline == math.inf:
            self._set_deadline(self._settings.header_timeout)

    def _feed(self, piece: bytes) -> None:
        try:
            self._parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            # Some clients offer HTTP/2 with their first request, which is answered as HTTP/1.1.
            # The parser stops here, so the connection closes after the response.
            self._close_after, self._discarding, self._buffer = True, True, b""
        except httptools.HttpParserError as error:
            cause = error.__context__  # the error that a callback raised, if any
            if not isinstance(cause, ServiceError):
                cause = Invalid("The data received isn't a valid HTTP request.")
            self._refuse(cause)
        else:
            if self._reads != _NOTHING:
                self._received += len(piece)
                if self._received > framing.MAX_HEADER_BYTES + _PIECE_BYTES:
                    self._refuse(framing.too_large())

    def eof_received(self) -> bool:
        """Handles a half-closed connection: requests in progress still get their response."""
        self._close_after = True
        if self._reads == _BODY and self._latest is not None:
            self._latest.incoming.end(BodyTimeout(_CLOSED))
        return bool(self._in_progress)

    # ------------------------------------------------------------------ the parser's callbacks

    def on_message_begin(self) -> None:
        self._deadline = math.inf
        self._reads = _HEADERS
        self._url, self._headers = b"", []
        self._size = self._received = 0

    def on_url(self, url: bytes) -> None:
        self._size += len(url)
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._size += len(name) + len(value) + 4
        if self._reads == _BODY:
            # A trailer. Trailers must not set a token, profile or address, because a proxy in front
            # has decided by the headers alone (RFC 9110, 6.5.1).
            framing.check_size(self._size, [])
            return
        # The parser keeps trailing white space, which isn't part of the value (RFC 9110, 5.5).
        self._headers.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        self._deadline = math.inf
        parser, pairs, headers = self._parser, self._headers, dict(self._headers)
        framing.check_size(self._size, pairs)
        version, method = parser.get_http_version(), parser.get_method().decode("ascii")
        framing.check(self._url, version, pairs, upgrades=parser.should_upgrade())
        url = httptools.parse_url(self._url)
        raw_path = (url.path or b"/").decode("ascii")
        path = unquote(raw_path) if "%" in raw_path else raw_path
        limit = MAX_PLATFORM_BODY if path == responding.PLATFORM_WEBHOOKS else MAX_BODY
        ask = None
        # RFC 9110, 10.1.1: a server ignores the expectation in HTTP/1.0.
        if version != "1.0" and headers.get(b"expect", b"").lower() == b"100-continue":
            ask = functools.partial(self._write, _CONTINUE)
        self._latest = Request(
            admission=self._app.service.admission,
            begin=self._start,
            service=self._app.service,
            id=responses.request_id(headers.get(b"x-request-id")),
            method=method,
            target=self._url,
            raw_path=raw_path,
            path=path,
            query_string=url.query or b"",
            headers=headers,
            pairs=pairs,
            peer=self._peer,
            incoming=BodyReader(ask, limit),
            keep_alive=version != "1.0" and parser.should_keep_alive(),
            accepts_chunked=version != "1.0",
        )
        # Not above: CPython makes a dict for a call with more than 15 keywords.
        self._latest.reads = method in ("GET", "HEAD")
        if (trace := headers.get(b"traceparent")) is not None:
            self._latest.traceparent = responses.traceparent(trace, pairs)
        self._reads, self._received = _BODY, 0
        self._in_progress.append(self._latest)
        if len(self._in_progress) == 1:
            self._begin()

    def on_body(self, body: bytes) -> None:
        assert self._latest is not None
        self._received = 0
        self._latest.incoming.add(body)

    def on_message_complete(self) -> None:
        assert self._latest is not None
        self._latest.incoming.end()
        self._reads = _NOTHING
        # A trailer may also ask to close, and the parser then accepts nothing more.
        self._close_after |= not self._parser.should_keep_alive()
        if not self._in_progress:  # the response was sent before the body had arrived
            if self._close_after:
                self._transport.close()
            else:
                self._set_deadline(_IDLE_SECONDS)

    # ------------------------------------------------------------------------------- responses

    def _begin(self) -> None:
        self._app.submit(self._in_progress[0])

    def _start(self) -> None:
        task = self._loop.create_task(self._answer(self._in_progress[0]))
        self._server.tasks.add(task)
        task.add_done_callback(self._server.tasks.discard)

    async def _answer(self, request: Request) -> None:
        """Sends a request's response, then begins the next request or the idle timeout."""
        started = time.perf_counter()
        if request.traceparent:
            events.traceparent.set(request.traceparent)
        try:
            answer = await self._app(request)
            try:
                self._send(request, answer)
                if answer.stream is not None and request.method != "HEAD":
                    await self._send_stream(request, answer.stream)
                if answer.closes:
                    self._transport.close()
            finally:
                pipeline.log_request(request, answer.status, time.perf_counter() - started)
        except Exception as error:  # rule: profile-export. A streamed response failed midway.
            log.error("failed", requestId=request.id, exc_info=error)
            self._transport.close()
        request.incoming.discard()
        await self._writable.wait()
        self._in_progress.popleft()
        if self._transport.is_closing():
            return
        if self._in_progress:
            self._begin()
        elif self._close_after:
            self._transport.close()
        elif self._reads != _HEADERS:
            # A fixed deadline, because a client could else postpone the end byte by byte.
            self._set_deadline(
                self._settings.body_timeout if self._reads == _BODY else _IDLE_SECONDS
            )
        if self._buffer or not self._reading or self._reads == _HEADERS:
            self._parse()

    def _send(self, request: Request, answer: Response) -> None:
        """Sends a response, without the body of a streamed one."""
        # A client that got no 100 Continue may send its body or not, so the connection can't be
        # reused.
        answer.closes |= not request.keep_alive or request.incoming.ask is not None
        answer.closes |= self._close_after and len(self._in_progress) == 1
        if answer.stream is None:
            if answer.status not in (204, 304):
                answer.headers.append((b"content-length", b"%d" % len(answer.body)))
        elif request.accepts_chunked:
            answer.headers.append((b"transfer-encoding", b"chunked"))
        self._write(self._head(answer), b"" if request.method == "HEAD" else answer.body)

    async def _send_stream(self, request: Request, stream: AsyncIterator[bytes]) -> None:
        chunked = request.accepts_chunked
        async for piece in stream:
            if self._transport.is_closing():
                return
            if piece:  # an empty chunk would end the body
                self._write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            await self._writable.wait()
            await asyncio.sleep(0)
        self._write(b"0\r\n\r\n" if chunked else b"")

    def _head(self, answer: Response) -> bytes:
        lines = [*self._server.default_headers, *answer.headers]
        if answer.closes:
            lines.append((b"connection", b"close"))
        return responses.head(answer.status, lines)

    def _write(self, *pieces: bytes) -> None:
        """Writes all pieces in one call, so that head and body share a packet."""
        if not self._transport.is_closing():
            self._transport.writelines(pieces)

    # ---------------------------------------------------------------------------- slow readers

    def pause_writing(self) -> None:
        self._writable.clear()
        self._watch_reader()

    def resume_writing(self) -> None:
        self._watch.cancel()
        self._waited += self._loop.time() - self._since
        self._bytes_read += self._before - self._unread()
        self._writable.set()

    def _watch_reader(self) -> None:
        self._since, self._before = self._loop.time(), self._unread()
        seconds = self._settings.answer_timeout - self._waited
        self._watch = self._loop.call_later(max(0, seconds), self._check_reader)

    def _check_reader(self) -> None:
        """Drops the connection if the client reads less than ``_MIN_READ_BYTES_PER_SECOND``.

        Measured over all the time spent waiting for the client.
        """
        unread = self._unread()
        read_size, self._waited, self._bytes_read = self._bytes_read + self._before - unread, 0.0, 0
        if read_size >= _MIN_READ_BYTES_PER_SECOND * self._settings.answer_timeout:
            self._watch_reader()
            return
        log.info("dropped", unread=unread, reason="The client didn't read the response in time.")
        metrics.DROPPED.inc()
        # Reset the connection: else the kernel would keep its buffer and continue to send it.
        no_linger = struct.pack("ii", 1, 0)
        self._transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, no_linger)
        self._transport.abort()

    def _unread(self) -> int:
        """Returns the unacknowledged bytes: in our write buffer and in the kernel's send queue."""
        descriptor = self._transport.get_extra_info("socket").fileno()
        [unsent_bytes] = struct.unpack("i", fcntl.ioctl(descriptor, termios.TIOCOUTQ, bytes(4)))
        buffered_bytes: int = self._transport.get_write_buffer_size()
        return buffered_bytes + int(unsent_bytes)

    # ------------------------------------------------------------------- deadlines and errors

    def _set_deadline(self, seconds: float) -> None:
        """Sets the deadline. Keeps an earlier timer: a new one would cost each request more."""
        self._deadline = self._loop.time() + seconds
        if self._deadline < self._timer_at:
            self._timer.cancel()
            self._timer_at = self._deadline
            self._timer = self._loop.call_at(self._deadline, self._on_timer)

    def _on_timer(self) -> None:
        self._timer_at, remaining_seconds = math.inf, self._deadline - self._loop.time()
        if 0 < remaining_seconds < math.inf:
            self._set_deadline(remaining_seconds)
        elif remaining_seconds <= 0 and not self._reading and not self._in_progress:
            self._set_deadline(_IDLE_SECONDS)  # what it sent is deferred
        elif remaining_seconds <= 0 and self._reads == _HEADERS:
            self._refuse(BodyTimeout("The headers didn't arrive in time."))
        elif remaining_seconds <= 0:
            self._transport.close()

    def _refuse(self, error: ServiceError) -> None:
        """Closes the connection: with an error response, or after the requests in progress.

        For an incomplete body, the application makes the response. No second response follows it,
        because a proxy could take that for the response to its next client.
        """
        self._close_after, self._discarding, self._buffer = True, True, b""
        if self._reads == _BODY and self._latest is not None:
            self._latest.incoming.end(error)
        if self._in_progress:
            return
        if self._reads != _BODY:
            answer = self._app.refused(error, self._peer)
            answer.closes = True
            answer.headers.append((b"content-length", b"%d" % len(answer.body)))
            self._write(self._head(answer), answer.body)
        self._transport.close()
