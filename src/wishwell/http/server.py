"""The HTTP server: uvicorn, with the bounds on hostile clients that it has not by itself.

uvicorn (with httptools) refuses ambiguous framing; what it takes from anybody is a connection that
sends its headers for ever, headers without end, and a request without ``Host``.
"""

import uuid
from email.utils import formatdate
from http import HTTPStatus
from typing import Any, Protocol, runtime_checkable

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from wishwell.http import answers, broken
from wishwell.http.unread import ReadProtocol

_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
STATUS_LINE[_LARGE] = f"HTTP/1.1 {_LARGE:d} {answers.phrase(_LARGE)}\r\n".encode()

MAX_HEADER_BYTES = 16 * 1024
MAX_HEADERS = 150
_UNAVAILABLE = STATUS_LINE[HTTPStatus.SERVICE_UNAVAILABLE]
_BODY = frozenset({b"content-length", b"transfer-encoding"})

log = structlog.get_logger("wishwell.server")


@runtime_checkable
class Limited(Protocol):
    """An application whose every answer tells the state of its rate limits."""

    def refused_limits(self, peer: str) -> answers.Headers:
        """The headers for a request from ``peer`` that could not be read."""


@runtime_checkable
class Shedding(Protocol):
    """An application that begins only so many requests at once."""

    def has_room(self, running: int) -> bool:
        """Whether one more may be begun beside the ``running`` ones."""

    def shed(self, headers: answers.Headers, method: str, peer: str) -> tuple[bytes, bytes]:
        """The answer, 503, to one that is not begun: lines of headers, and a body."""


class _RefusedError(Exception):
    """Ends a connection with a status; raised inside the parser's callbacks."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class _InOnePiece:
    """A transport that sends an answer's head with the first of its body.

    uvicorn writes them one after the other: two system calls and two packets an answer.
    """

    __slots__ = ("_head", "_transport")

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._head: bytes | None = None  # what waits; b"" once it has gone

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


class GuardedProtocol(ReadProtocol):
    """One connection."""

    header_timeout = 10.0
    body_timeout = 10.0
    """Seconds that headers, and what is left of a body after its answer, may take; each process
    sets them from its settings."""

    bounded = b"/api/"
    """What the target of a request begins with that may be shed: health is always answered."""

    refusal_headers: tuple[tuple[bytes, bytes], ...] = ()
    """What the answer to a request that could not be read has besides."""

    targets: tuple[bytes, ...] = (b"/", b"http://", b"https://")
    forbidden = b""
    """What a request's target begins with, and a character that it must not hold."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._shedding = self.app if isinstance(self.app, Shedding) else None
        self._shed_now = False
        self._header_bytes = 0
        self._in_headers = True
        self._in_body = False
        self._silent = True
        self._held = b""
        self._answering: RequestResponseCycle | None = None
        self._deadline = self.loop.call_later(self.header_timeout, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        super().connection_lost(exc)
        if self._answering is not None:
            # uvicorn tells the last request of the connection, which may wait behind this one.
            self._answering.disconnected = True
            self._answering.message_event.set()

    def data_received(self, data: bytes) -> None:
        self.take(data)

    def has_room(self) -> bool:
        """Whether one more request may be begun."""
        return self._shedding is None or self._shedding.has_room(len(self.tasks))

    def _between(self) -> bool:
        """Whether what comes now is the beginning of a request, and no other one is in work."""
        begun = self._in_body or (self._in_headers and self._header_bytes > 0)
        return not begun and (self.cycle is None or self.cycle.response_complete)

    def feed(self, data: bytes | memoryview) -> bool:
        if self._in_headers:
            self._header_bytes += len(data)
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Some clients offer HTTP/2 with every first request. There is nothing to upgrade to: it
            # is answered as the plain one that it is too. The parser stops here, so does the rest.
            if self.cycle is not None:
                self.cycle.keep_alive = False
            return False
        except httptools.HttpParserError as error:
            cause = error.__context__
            if isinstance(cause, _RefusedError):
                self._refuse(cause.status, cause.message)
            else:
                self._refuse(HTTPStatus.BAD_REQUEST, "This is not a valid HTTP request.")
            return False
        if self._in_headers and self._header_bytes > MAX_HEADER_BYTES:
            self._too_large()
        return True

    # ------------------------------------------------------------- the parser's callbacks

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._silent = False
        self._in_headers = True
        self._header_bytes = 0
        self._size = 0
        self._deadline.cancel()
        self._deadline = self.loop.call_later(self.header_timeout, self._too_slow)

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + 4)
        if not self._in_headers:
            # A trailer: what comes after a body in chunks must not become a token, a profile or an
            # address, which a proxy in front has judged by the headers (RFC 9110, 6.5.1).
            return
        if len(self.headers) >= MAX_HEADERS:
            raise _RefusedError(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"More than {MAX_HEADERS} headers."
            )
        # The parser leaves white space behind a value; it is not part of it (RFC 9110, 5.5).
        super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._deadline.cancel()
        hosts = [value for name, value in self.headers if name == b"host"]
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1"):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The request must be of HTTP/1.1.")
        if len(hosts) != 1 and version != "1.0":
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "A request needs one Host header.")
        if version == "1.0" and any(name == b"transfer-encoding" for name, _ in self.headers):
            # RFC 9112, 6.1: its framing is faulty, as an older proxy would see another end of it.
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "HTTP/1.0 knows no Transfer-Encoding.")
        if version == "1.0":
            self.expect_100_continue = False  # RFC 9110, 10.1.1: such a client knows no 100
        if not self.url.startswith(self.targets):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The request's target must be a path.")
        if self.forbidden and self.forbidden in self.url:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The request's target has a # in it.")
        if self.parser.should_upgrade() and any(name in _BODY for name, _ in self.headers):
            # The parser takes what follows for the other protocol: the body would be missed, and
            # a request without its body may mean something else.
            raise _RefusedError(
                HTTPStatus.BAD_REQUEST, "Upgrade: send a request with a body as HTTP/1.1 only."
            )
        self._in_body = True
        if (
            self._shedding is not None
            and self.url.startswith(self.bounded)
            and (self.cycle is None or self.cycle.response_complete)
            and not self.has_room()
        ):
            self._shed(self._shedding)
        else:
            super().on_headers_complete()
            if not self.pipeline:
                self._answering = self.cycle
            # What has no body, or writes "100 Continue" first, goes the plain way.
            if not self.expect_100_continue and self.scope["method"] != "HEAD":
                self.cycle.transport = _InOnePiece(self.transport)  # type: ignore[assignment]

    def on_body(self, body: bytes) -> None:
        if not self._shed_now:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._in_headers:
            self._deadline.cancel()
        self._in_body = False
        if self._shed_now:
            self._shed_now = False
        else:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        self._answering = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()
        if self.cycle.more_body and self.cycle.response_complete:
            # Answered before its body was read: what is left of that has a deadline of its own, as
            # every byte of it puts the one for idle connections off.
            self._deadline.cancel()
            self._deadline = self.loop.call_later(self.body_timeout, self.transport.close)

    # ----------------------------------------------------------------------------- ends

    def _shed(self, application: Shedding) -> None:
        """Says no before there is a task, a scope or a body; the connection may be used again."""
        self._shed_now = True
        method = self.parser.get_method()
        peer = self.client[0] if self.client else ""
        head, body = application.shed(self.headers, method.decode("ascii"), peer)
        head += b"".join([b"%s: %s\r\n" % line for line in self.server_state.default_headers])
        stays = self.parser.should_keep_alive() and not self.expect_100_continue
        end = b"\r\n" if stays else b"connection: close\r\n\r\n"
        self.transport.write(_UNAVAILABLE + head + end + (b"" if method == b"HEAD" else body))
        if not stays:
            self.transport.close()
            return
        # As after any answer: silence is bounded, and so is what is left of the body.
        self._deadline = self.loop.call_later(self.body_timeout, self.transport.close)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > MAX_HEADER_BYTES:
            raise _RefusedError(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                f"The request line and headers are larger than {MAX_HEADER_BYTES // 1024} KiB.",
            )

    def _too_large(self) -> None:
        self._refuse(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"The request line and headers are larger than {MAX_HEADER_BYTES // 1024} KiB.",
        )

    def _too_slow(self) -> None:
        if self.transport.is_closing() or not self._in_headers:
            return
        if self._rest:  # they have come, behind requests that are not answered yet
            self._deadline = self.loop.call_later(self.header_timeout, self._too_slow)
        elif self._silent:
            self.transport.close()  # a connection that never said anything
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The headers did not arrive in time.")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        """Answers with the envelope, unless an earlier request is being answered, and closes."""
        if self.transport.is_closing():
            return
        of_api = isinstance(self.app, Limited) and not self.pipeline
        if of_api and broken.told(self.cycle, answers.error_of(status, message)):
            return
        request_id = str(uuid.uuid4())
        log.info("refused", requestId=request_id, status=int(status), reason=message)
        cycle = self.cycle
        if cycle is not None and not cycle.response_started and not self.pipeline:
            # Its body broke off: the handler waits for the rest, and must not answer after this.
            cycle.disconnected = True
            cycle.message_event.set()
        # A body that breaks off after its answer gets no second one: a proxy could take that for
        # the answer to whoever it sends next.
        answered = cycle is not None and cycle.response_complete and self._in_body
        if cycle is None or (cycle.response_complete and not answered) or cycle.disconnected:
            self.transport.write(self._refusal(status, message, request_id))
        self.transport.close()

    def _refusal(self, status: HTTPStatus, message: str, request_id: str) -> bytes:
        body = answers.envelope(status, message, request_id)
        headers = [
            answers.JSON,
            (b"x-request-id", request_id.encode()),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            # Not uvicorn's, which adds none where the application dates its answers itself.
            (b"date", formatdate(usegmt=True).encode()),
            *self.refusal_headers,
        ]
        if isinstance(self.app, Limited):
            headers += self.app.refused_limits(self.client[0] if self.client else "")
        lines = b"".join(b"%s: %s\r\n" % header for header in headers)
        return STATUS_LINE[status] + lines + b"\r\n" + body
