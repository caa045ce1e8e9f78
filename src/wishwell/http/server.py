"""The HTTP server: uvicorn, with the bounds on hostile clients that it has not by itself.

uvicorn (with httptools) refuses ambiguous framing; what it takes from anybody is a connection that
sends its headers for ever, headers without end, and a request without ``Host``.
"""

import uuid
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from wishwell.errors import BodyTimeout, HeadersTooLarge, Invalid, ServiceError
from wishwell.http import broken, responses
from wishwell.http.admission import Admission
from wishwell.http.unread import ReadProtocol

ADMISSION = "wishwell.admission"
"""What the application calls its ``Admission`` in the state of its lifespan, for the server."""

_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
STATUS_LINE[_LARGE] = f"HTTP/1.1 {_LARGE:d} {responses.phrase(_LARGE)}\r\n".encode()

MAX_HEADER_BYTES = 16 * 1024
MAX_HEADERS = 150
_UNAVAILABLE = STATUS_LINE[HTTPStatus.SERVICE_UNAVAILABLE]
_API = b"/api/"
"""What the target of a request begins with that may be refused as too many are in work: health is
always answered."""

_BODY = frozenset({b"content-length", b"transfer-encoding"})

log = structlog.get_logger("wishwell.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long a client may take, in seconds."""

    header: float = 10.0
    """For the line and the headers of a request."""
    body: float = 10.0
    """For what is left of a body after its answer."""
    answer: float = 30.0
    """For reading too little of an answer."""


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
    """One connection. ``functools.partial`` of it and ``timeouts`` is uvicorn's ``http``."""

    refusal_headers: tuple[tuple[bytes, bytes], ...] = ()
    """What the answer to a request that could not be read has besides."""

    targets: tuple[bytes, ...] = (b"/", b"http://", b"https://")
    forbidden = b""
    """What a request's target begins with, and a character that it must not hold."""

    def __init__(self, timeouts: Timeouts, *, app_state: dict[str, Any], **given: Any) -> None:
        super().__init__(timeouts.answer, app_state=app_state, **given)
        self._timeouts = timeouts
        self._admission: Admission | None = app_state.get(ADMISSION)
        self._shed_now = False
        self._header_bytes = 0
        self._in_headers = True
        self._in_body = False
        self._silent = True
        self._answering: RequestResponseCycle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self._timeouts.header, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        super().connection_lost(exc)
        if self._answering is not None:
            # uvicorn tells the last request of the connection, which may wait behind this one.
            self._answering.disconnected = True
            self._answering.message_event.set()

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
            cause = error.__context__  # what one of the callbacks raised
            if not isinstance(cause, ServiceError):
                cause = Invalid("This is not a valid HTTP request.")
            self._refuse(cause)
            return False
        if self._in_headers and self._header_bytes > MAX_HEADER_BYTES:
            self._refuse(_too_large())
        return True

    # ------------------------------------------------------------- the parser's callbacks

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._silent = False
        self._in_headers = True
        self._header_bytes = 0
        self._size = 0
        self._deadline.cancel()
        self._deadline = self.loop.call_later(self._timeouts.header, self._too_slow)

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    # contract: http-bounds
    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + 4)
        if not self._in_headers:
            # A trailer: what comes after a body in chunks must not become a token, a profile or an
            # address, which a proxy in front has judged by the headers (RFC 9110, 6.5.1).
            return
        if len(self.headers) >= MAX_HEADERS:
            raise HeadersTooLarge(f"More than {MAX_HEADERS} headers.")
        # The parser leaves white space behind a value; it is not part of it (RFC 9110, 5.5).
        super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._deadline.cancel()
        self._check()
        if (
            self._admission is not None
            and self.url.startswith(_API)
            and (self.cycle is None or self.cycle.response_complete)
            and not self._admission.admits(len(self.tasks))
        ):
            self._shed(self._admission)
        else:
            super().on_headers_complete()
            # What has no body, or writes "100 Continue" first, goes the plain way.
            if not self.expect_100_continue and self.scope["method"] != "HEAD":
                self.cycle.transport = _InOnePiece(self.transport)  # type: ignore[assignment]
        self._in_body = True

    # contract: http-ambiguous, http-forms
    def _check(self) -> None:
        """Raises ``Invalid`` for what the parser takes, and another reader may take otherwise."""
        names = [name for name, _ in self.headers]
        version = self.parser.get_http_version()
        if version == "1.0":
            self.expect_100_continue = False  # RFC 9110, 10.1.1: such a client knows no 100
            if b"transfer-encoding" in names:
                # RFC 9112, 6.1: its framing is faulty: an older proxy would see another end of it.
                raise Invalid("HTTP/1.0 knows no Transfer-Encoding.")
        elif version != "1.1":
            raise Invalid("The request must be of HTTP/1.1.")
        elif names.count(b"host") != 1:
            raise Invalid("A request needs one Host header.")
        if not self.url.startswith(self.targets):
            raise Invalid("The request's target must be a path.")
        if self.forbidden and self.forbidden in self.url:
            raise Invalid("The request's target has a # in it.")
        if self.parser.should_upgrade() and not _BODY.isdisjoint(names):
            # The parser takes what follows for the other protocol: the body would be missed, and
            # a request without its body may mean something else.
            raise Invalid("Upgrade: send a request with a body as HTTP/1.1 only.")

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

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
        super().on_response_complete()
        if self.cycle.more_body and self.cycle.response_complete:
            # Answered before its body was read: what is left of that has a deadline of its own, as
            # every byte of it puts the one for idle connections off.
            self._deadline.cancel()
            self._deadline = self.loop.call_later(self._timeouts.body, self.transport.close)

    # ----------------------------------------------------------------------------- ends

    def _shed(self, admission: Admission) -> None:
        """Says no before there is a task, a scope or a body; the connection may be used again."""
        self._shed_now = True
        method = self.parser.get_method()
        peer = self.client[0] if self.client else ""
        head, body = admission.shed(self.headers, method.decode("ascii"), peer)
        head += b"".join([b"%s: %s\r\n" % line for line in self.server_state.default_headers])
        stays = self.parser.should_keep_alive() and not self.expect_100_continue
        end = b"\r\n" if stays else b"connection: close\r\n\r\n"
        self.transport.write(_UNAVAILABLE + head + end + (b"" if method == b"HEAD" else body))
        if not stays:
            self.transport.close()
            return
        # As after any answer: silence is bounded, and so is what is left of the body.
        self._deadline = self.loop.call_later(self._timeouts.body, self.transport.close)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > MAX_HEADER_BYTES:
            raise _too_large()

    def _too_slow(self) -> None:
        if self.transport.is_closing() or not self._in_headers:
            return
        if self._rest:  # they have come, behind requests that are not answered yet
            self._deadline = self.loop.call_later(self._timeouts.header, self._too_slow)
        elif self._silent:
            self.transport.close()  # a connection that never said anything
        else:
            self._refuse(BodyTimeout("The headers did not arrive in time."))

    def _refuse(self, error: ServiceError) -> None:
        """Answers with the envelope, unless an earlier request is being answered, and closes."""
        if self.transport.is_closing():
            return
        of_api = self._admission is not None and not self.pipeline
        if of_api and broken.told(self.cycle, error):
            return
        request_id = str(uuid.uuid4())
        status, cycle = responses.status_of(error), self.cycle
        log.info("refused", requestId=request_id, status=int(status), reason=error.message)
        if cycle is not None and not cycle.response_started and not self.pipeline:
            # Its body broke off: the handler waits for the rest, and must not answer after this.
            cycle.disconnected = True
            cycle.message_event.set()
        # A body that breaks off after its answer gets no second one: a proxy could take that for
        # the answer to whoever it sends next.
        idle = cycle is None or cycle.response_complete
        if not self._in_body if idle else cycle.disconnected:
            self.transport.write(self._refusal(status, error.message, request_id))
        self.transport.close()

    def _refusal(self, status: HTTPStatus, message: str, request_id: str) -> bytes:
        body = responses.envelope(status, message, request_id)
        headers = [
            responses.JSON,
            (b"x-request-id", request_id.encode()),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            # Not uvicorn's, which adds none where the application dates its answers itself.
            (b"date", formatdate(usegmt=True).encode()),
            *self.refusal_headers,
        ]
        if self._admission is not None:
            headers += self._admission.limits(self.client[0] if self.client else "")
        lines = b"".join(b"%s: %s\r\n" % header for header in headers)
        return STATUS_LINE[status] + lines + b"\r\n" + body


def _too_large() -> HeadersTooLarge:
    size = MAX_HEADER_BYTES // 1024
    return HeadersTooLarge(f"The request line and headers are larger than {size} KiB.")
