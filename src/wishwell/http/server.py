"""The HTTP server: uvicorn, with the bounds on hostile clients that it has not by itself.

uvicorn (with httptools) refuses ambiguous framing; what it takes from anybody is a connection that
sends its headers for ever, headers without end, and a request without ``Host``.
"""

import uuid
from http import HTTPStatus
from typing import Any, Protocol, runtime_checkable

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from wishwell.http import answers

MAX_HEADER_BYTES = 16 * 1024
MAX_HEADERS = 150
_BODY = frozenset({b"content-length", b"transfer-encoding"})

log = structlog.get_logger("wishwell.server")


@runtime_checkable
class Limited(Protocol):
    """An application whose every answer tells the state of its rate limits."""

    def refused_limits(self, peer: str) -> answers.Headers:
        """The headers for a request from ``peer`` that could not be read."""


class _RefusedError(Exception):
    """Ends a connection with a status; raised inside the parser's callbacks."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class GuardedProtocol(HttpToolsProtocol):
    """One connection."""

    header_timeout = 10.0
    body_timeout = 10.0
    """Seconds that headers, and what is left of a body after its answer, may take; each process
    sets them from its settings."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._header_bytes = 0
        self._in_headers = True
        self._silent = True
        self._deadline = self.loop.call_later(self.header_timeout, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
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
        except httptools.HttpParserError as error:
            cause = error.__context__
            if isinstance(cause, _RefusedError):
                self._refuse(cause.status, cause.message)
            else:
                self._refuse(HTTPStatus.BAD_REQUEST, "This is not a valid HTTP request.")
        else:
            if self._in_headers and self._header_bytes > MAX_HEADER_BYTES:
                self._too_large()

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
        if len(self.headers) >= MAX_HEADERS:
            raise _RefusedError(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"More than {MAX_HEADERS} headers."
            )
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._deadline.cancel()
        hosts = [value for name, value in self.headers if name == b"host"]
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1"):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The request must be of HTTP/1.1.")
        if len(hosts) != 1 and version != "1.0":
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "A request needs one Host header.")
        if not self.url.startswith((b"/", b"http://", b"https://")):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The request's target must be a path.")
        if self.parser.should_upgrade() and any(name in _BODY for name, _ in self.headers):
            # The parser takes what follows for the other protocol: the body would be missed, and
            # a request without its body may mean something else.
            raise _RefusedError(
                HTTPStatus.BAD_REQUEST, "Upgrade: send a request with a body as HTTP/1.1 only."
            )
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        if not self._in_headers:
            self._deadline.cancel()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.more_body and self.cycle.response_complete:
            # Answered before its body was read: what is left of that has a deadline of its own, as
            # every byte of it puts the one for idle connections off.
            self._deadline.cancel()
            self._deadline = self.loop.call_later(self.body_timeout, self.transport.close)

    # ----------------------------------------------------------------------------- ends

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
        if self._silent:
            self.transport.close()  # a connection that never said anything
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The headers did not arrive in time.")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        """Answers with the envelope, unless an earlier request is being answered, and closes."""
        if self.transport.is_closing():
            return
        request_id = str(uuid.uuid4())
        log.info("refused", requestId=request_id, status=int(status), reason=message)
        cycle = self.cycle
        if cycle is not None and not cycle.response_started and not self.pipeline:
            # Its body broke off: the handler waits for the rest, and must not answer after this.
            cycle.disconnected = True
            cycle.message_event.set()
        if cycle is None or cycle.response_complete or cycle.disconnected:
            self.transport.write(self._refusal(status, message, request_id))
        self.transport.close()

    def _refusal(self, status: HTTPStatus, message: str, request_id: str) -> bytes:
        body = answers.envelope(status, message, request_id)
        headers = [
            answers.JSON,
            (b"x-request-id", request_id.encode()),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        if isinstance(self.app, Limited):
            headers += self.app.refused_limits(self.client[0] if self.client else "")
        lines = b"".join(b"%s: %s\r\n" % header for header in headers)
        return STATUS_LINE[status] + lines + b"\r\n" + body
