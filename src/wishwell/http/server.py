"""The HTTP server: uvicorn, with bounds on hostile clients that it lacks.

uvicorn (with httptools) refuses ambiguous framing. It does not bound the time and the size of
headers, it accepts a request without ``Host``, and it parses thousands of pipelined requests at
once, however little of their answers the client reads.
"""

import uuid
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from wishwell.errors import BodyTimeout, Invalid, ServiceError
from wishwell.http import bodies, framing, metrics, responses, unread
from wishwell.http.context import Services

SERVICE = "wishwell.service"
"""The key of the application's ``Services`` in the lifespan state."""

_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
STATUS_LINE[_LARGE] = f"HTTP/1.1 {_LARGE:d} {responses.phrase(_LARGE)}\r\n".encode()

_UNAVAILABLE = STATUS_LINE[HTTPStatus.SERVICE_UNAVAILABLE]

_PIECE = 4096
"""Bytes that are parsed at once, about forty of the smallest requests."""

log = structlog.get_logger("wishwell.server")


class _InOnePiece:
    """A transport that sends the head of an answer together with the start of its body.

    uvicorn writes them separately, with two system calls and two packets per answer.
    """

    __slots__ = ("_head", "_transport")

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._head: bytes | None = None  # the head that waits; b"" once it was sent

    def write(self, data: bytes) -> None:
        if self._head is None:
            self._head = data
        elif self._head:
            self._transport.writelines((self._head, data))
            self._head = b""
        else:
            self._transport.write(data)

    def close(self) -> None:
        if self._head:
            self._transport.write(self._head)
        self._transport.close()

    def is_closing(self) -> bool:
        closing: bool = self._transport.is_closing()
        return closing


_NOTHING_YET, _HEADERS, _BODY, _SHED_BODY, _NO_MORE = range(5)
"""What of a request the parser reads. ``_SHED_BODY``: of one that was refused before it began."""


# contract: answer-unread, http-pipelining
class GuardedProtocol(HttpToolsProtocol):
    """One connection.

    It does no more for a client than the client reads. What it reads, and who waits meanwhile::

        NOTHING_YET ─▶ HEADERS ─▶ BODY or SHED_BODY ─▶ NO_MORE
                          ▲  `header_timeout`              │  requests begun are answered in order;
                          └── the next request ────────────┘  `_rest`: bytes that wait for them

        answer written ─▶ the client reads: the next request, or the idle time
                       └▶ it does not: reading is paused, `Watch` drops it after `answer_timeout`
    """

    def __init__(self, *, app_state: dict[str, Any], **given: Any) -> None:
        super().__init__(app_state=app_state, **given)
        service: Services = app_state[SERVICE]
        self._settings, self._admission = service.settings, service.admission
        self._reads = _NOTHING_YET
        self._header_bytes = 0  # received, so at most a piece more than `_size`, which was parsed
        self._size = 0
        self._rest = b""
        self._begun = False  # whether a request has begun in the piece that is parsed
        self._answering: RequestResponseCycle | None = None
        self._answer_waits = False  # whether a whole answer waits to be read
        self._watch: unread.Watch | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # So pause_writing is called as soon as the kernel does not take all of an answer.
        transport.set_write_buffer_limits(0)
        self._deadline = self.loop.call_later(self._settings.header_timeout, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        if self._watch is not None:
            self._watch.stop()
        super().connection_lost(exc)
        if self._answering is not None:
            # uvicorn notifies only the last request of the connection, which may wait behind this.
            self._answering.disconnected = True
            self._answering.message_event.set()

    # ------------------------------------------------------------------ what comes, in pieces

    def data_received(self, data: bytes) -> None:
        """Parses a piece of the data. The rest waits for the next turn of the event loop, or until
        the requests in the piece are answered."""
        waits = bool(self._rest)
        if not waits and len(data) <= _PIECE:
            self._parse(data)
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
            goes_on = self._parse(data[at : at + _PIECE]) and not self.transport.is_closing()
            at += _PIECE
        self._rest = bytes(data[at:]) if goes_on else b""
        if self._rest:
            self.flow.pause_reading()
            if not self.pipeline:
                self.loop.call_soon(self._parse_on)
        elif goes_on and (self.cycle is None or self.cycle.response_complete):
            self.flow.resume_reading()  # otherwise the request that has begun does

    @property
    def _in_headers(self) -> bool:
        return self._reads in (_NOTHING_YET, _HEADERS)

    def _parse(self, data: bytes | memoryview) -> bool:
        """Gives the parser a piece of the data. Returns whether it accepts more."""
        if self._in_headers:
            self._header_bytes += len(data)
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Some clients offer HTTP/2 with their first request. It is answered as HTTP/1.1. The
            # parser stops here, so the connection is closed after the answer.
            if self.cycle is not None:
                self.cycle.keep_alive = False
            return False
        except httptools.HttpParserError as error:
            cause = error.__context__  # the error that a callback raised, if any
            if not isinstance(cause, ServiceError):
                cause = Invalid("This is not a valid HTTP request.")
            self._refuse(cause)
            return False
        if self._in_headers:
            if self._header_bytes > framing.MAX_HEADER_BYTES:
                self._refuse(framing.too_large())
            elif self._deadline.cancelled():  # they go on in another piece
                self._deadline = self.loop.call_later(self._settings.header_timeout, self._too_slow)
        return True

    # ------------------------------------------------------------- the parser's callbacks

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun = True
        self._reads = _HEADERS
        self._header_bytes = self._size = 0
        self._deadline.cancel()

    def on_url(self, url: bytes) -> None:
        self._size += len(url)
        framing.check_size(self._size, self.headers)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._size += len(name) + len(value) + 4
        if self._reads != _HEADERS:
            # A trailer. It must not set a token, profile or address: a proxy in front has decided
            # by the headers alone (RFC 9110, 6.5.1).
            framing.check_size(self._size, [])
            return
        framing.check_size(self._size, self.headers)
        # The parser keeps trailing white space, which is not part of a value (RFC 9110, 5.5).
        super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        self._reads = _NO_MORE
        self._deadline.cancel()
        version, upgrades = self.parser.get_http_version(), self.parser.should_upgrade()
        framing.check(self.url, version, self.headers, upgrades=upgrades)
        if version == "1.0":
            self.expect_100_continue = False  # RFC 9110, 10.1.1: ignored in HTTP/1.0
        self.scope["wishwell.target"] = self.url  # type: ignore[typeddict-unknown-key]
        if (
            self.url.startswith(self._admission.paths)
            and (self.cycle is None or self.cycle.response_complete)
            and not self._admission.admits(len(self.tasks))
        ):
            self._shed()
            self._reads = _SHED_BODY
            return
        super().on_headers_complete()
        # Not for an answer without a body, nor if "100 Continue" is written first.
        if not self.expect_100_continue and self.scope["method"] != "HEAD":
            self.cycle.transport = _InOnePiece(self.transport)  # type: ignore[assignment]
        self._reads = _BODY

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        if self._reads == _BODY:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._deadline.cancel()
        if self._reads == _BODY:
            bodies.arrived(self.cycle.scope)
            super().on_message_complete()
        self._reads = _NO_MORE

    # ----------------------------------------------------------------- what goes, and how fast

    def pause_writing(self) -> None:
        super().pause_writing()
        self.flow.pause_reading()
        self._watch = unread.Watch(self.transport, self._settings.answer_timeout, self._drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        if self._answer_waits:
            self._answer_waits = False
            self.on_response_complete()
        elif not self._rest:
            self.flow.resume_reading()

    def on_response_complete(self) -> None:
        """Begins the next request, or the idle time, once the client has read this answer."""
        if self.flow.write_paused:
            self._answer_waits = True
        else:
            others = bool(self.pipeline)
            super().on_response_complete()
            if self._rest and not self.transport.is_closing():
                self.flow.pause_reading()
                if others and not self.pipeline:
                    self.loop.call_soon(self._parse_on)
        if self.cycle.more_body and self.cycle.response_complete:
            # Answered before its body was read. The rest of the body needs its own deadline,
            # because each of its bytes postpones the idle timeout.
            self._deadline.cancel()
            self._deadline = self.loop.call_later(self._settings.body_timeout, self.transport.close)

    # ----------------------------------------------------------------------------- ends

    def _drop(self, unread_bytes: int) -> None:
        reason = "The client did not read its answer in time."
        log.info("dropped", unread=unread_bytes, reason=reason)
        metrics.DROPPED.inc()
        unread.drop(self.transport)

    def _shed(self) -> None:
        """Refuses a request before a task, a scope or a body exists. The connection stays open."""
        method = self.parser.get_method()
        peer = self.client[0] if self.client else ""
        head, body = self._admission.shed(self.headers, method.decode("ascii"), peer)
        head += b"".join([b"%s: %s\r\n" % line for line in self.server_state.default_headers])
        stays = self.parser.should_keep_alive() and not self.expect_100_continue
        end = b"\r\n" if stays else b"connection: close\r\n\r\n"
        self.transport.write(_UNAVAILABLE + head + end + (b"" if method == b"HEAD" else body))
        if not stays:
            self.transport.close()
            return
        # As after any answer, the idle time and the rest of the body are bounded.
        self._deadline = self.loop.call_later(self._settings.body_timeout, self.transport.close)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    # contract: http-bounds
    def _too_slow(self) -> None:
        if self.transport.is_closing() or not self._in_headers:
            return
        if self._rest:  # they have arrived, but earlier requests are not answered yet
            self._deadline = self.loop.call_later(self._settings.header_timeout, self._too_slow)
        elif self._reads == _NOTHING_YET:
            self.transport.close()  # the client never sent anything
        else:
            self._refuse(BodyTimeout("The headers did not arrive in time."))

    def _refuse(self, error: ServiceError) -> None:
        """Answers with the envelope, unless an earlier request is being answered, and closes."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        idle = cycle is None or cycle.response_complete
        if not (idle or cycle.response_started or cycle.disconnected or self.pipeline):
            # The application answers. A request that has arrived in full is answered normally,
            # because what broke came after it.
            cycle.keep_alive = False
            if cycle.more_body:
                bodies.broke_off(cycle.scope, error)
                cycle.message_event.set()
            return
        id = str(uuid.uuid4())
        answer = responses.failure(error, id)
        log.info("refused", requestId=id, status=answer.status, reason=error.message)
        # A body that breaks off after its answer gets no second answer: a proxy could take it for
        # the answer to the next client.
        if idle and self._reads not in (_BODY, _SHED_BODY):
            headers = dict(answer.headers) | {
                b"x-request-id": id.encode(),
                b"content-length": b"%d" % len(answer.body),
                b"connection": b"close",
                b"date": formatdate(usegmt=True).encode(),
                **dict(self._admission.limits(self.client[0] if self.client else "")),
            }
            lines = b"".join(b"%s: %s\r\n" % header for header in headers.items())
            self.transport.write(STATUS_LINE[answer.status] + lines + b"\r\n" + answer.body)
        self.transport.close()
