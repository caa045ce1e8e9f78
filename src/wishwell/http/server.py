"""The HTTP server: uvicorn, with bounds on hostile clients that it lacks.

uvicorn (with httptools) refuses ambiguous framing. It does not bound the time and the size of
headers, and it accepts a request without ``Host``.
"""

import re
import uuid
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from wishwell.errors import BodyTimeout, HeadersTooLarge, Invalid, ServiceError
from wishwell.http import bodies, broken, responses
from wishwell.http.admission import Admission
from wishwell.http.unread import ReadProtocol

ADMISSION = "wishwell.admission"
"""The key of the application's ``Admission`` in the lifespan state, for the server."""

_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
STATUS_LINE[_LARGE] = f"HTTP/1.1 {_LARGE:d} {responses.phrase(_LARGE)}\r\n".encode()

MAX_HEADER_BYTES = 16 * 1024
MAX_HEADERS = 150
_UNAVAILABLE = STATUS_LINE[HTTPStatus.SERVICE_UNAVAILABLE]
_AUTHORITY = re.compile(rb"https?://([^/?#]+)")
_BODY = frozenset({b"content-length", b"transfer-encoding"})

log = structlog.get_logger("wishwell.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long a client may take, in seconds."""

    header: float = 10.0
    """For the request line and headers."""
    body: float = 10.0
    """For the rest of a body that was answered early."""
    answer: float = 30.0
    """For reading an answer too slowly."""


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


class GuardedProtocol(ReadProtocol):
    """One connection. Pass uvicorn ``functools.partial(GuardedProtocol, timeouts)`` as ``http``."""

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
            # uvicorn notifies only the last request of the connection, which may wait behind this.
            self._answering.disconnected = True
            self._answering.message_event.set()

    def feed(self, data: bytes | memoryview) -> bool:
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
            if self._header_bytes > MAX_HEADER_BYTES:
                self._refuse(_too_large())
            elif self._deadline.cancelled():  # they go on in another piece
                self._deadline = self.loop.call_later(self._timeouts.header, self._too_slow)
        return True

    # ------------------------------------------------------------- the parser's callbacks

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._silent = False
        self._in_headers = True
        self._header_bytes = 0
        self._size = 0
        self._deadline.cancel()

    def on_url(self, url: bytes) -> None:
        self._size += len(url)
        if self._size > MAX_HEADER_BYTES:
            raise _too_large()
        super().on_url(url)

    # contract: http-bounds
    def on_header(self, name: bytes, value: bytes) -> None:
        self._size += len(name) + len(value) + 4
        if self._size > MAX_HEADER_BYTES:
            raise _too_large()
        if not self._in_headers:
            # A trailer. It must not set a token, profile or address: a proxy in front has decided
            # by the headers alone (RFC 9110, 6.5.1).
            return
        if len(self.headers) >= MAX_HEADERS:
            raise HeadersTooLarge(f"The request has more than {MAX_HEADERS} headers.")
        # The parser keeps trailing white space, which is not part of a value (RFC 9110, 5.5).
        super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._deadline.cancel()
        self._check()
        if (
            self._admission is not None
            and self.url.startswith(self._admission.paths)
            and (self.cycle is None or self.cycle.response_complete)
            and not self._admission.admits(len(self.tasks))
        ):
            self._shed(self._admission)
        else:
            super().on_headers_complete()
            # Not for an answer without a body, nor if "100 Continue" is written first.
            if not self.expect_100_continue and self.scope["method"] != "HEAD":
                self.cycle.transport = _InOnePiece(self.transport)  # type: ignore[assignment]
        self._in_body = True

    # contract: http-ambiguous, http-forms
    def _check(self) -> None:
        """Raises ``Invalid`` for what the parser accepts but a proxy may read differently."""
        names = [name for name, _ in self.headers]
        version = self.parser.get_http_version()
        if version == "1.0":
            self.expect_100_continue = False  # RFC 9110, 10.1.1: ignored in HTTP/1.0
            if b"transfer-encoding" in names:
                # RFC 9112, 6.1: faulty framing. An older proxy would find the end elsewhere.
                raise Invalid("Transfer-Encoding: is not allowed in HTTP/1.0.")
        elif version != "1.1":
            raise Invalid("The request must use HTTP/1.1.")
        elif names.count(b"host") != 1:
            raise Invalid("Host: must be sent exactly once.")
        if not self.url.startswith(b"/"):
            self._check_absolute()
        self.scope["wishwell.target"] = self.url  # type: ignore[typeddict-unknown-key]
        if self.parser.should_upgrade() and not _BODY.isdisjoint(names):
            # The parser would treat the body as the other protocol, and the request without its
            # body may mean something else.
            raise Invalid("Upgrade: is not allowed on a request with a body.")

    # contract: http-target-host
    def _check_absolute(self) -> None:
        """Raises ``Invalid`` for a target that is neither a path nor a URL on the host in ``Host``.

        HTTP lets the target decide, and what is in front may go by either. So all else here may go
        by ``Host``.
        """
        named = _AUTHORITY.match(self.url)
        if named is None:
            raise Invalid("The request target must be a path.")
        hosts = [value.lower() for name, value in self.headers if name == b"host"]
        if hosts != [named[1].lower()]:
            raise Invalid("Host: must be the host of the request target.")

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
            bodies.arrived(self.cycle.scope)
            super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.more_body and self.cycle.response_complete:
            # Answered before its body was read. The rest of the body needs its own deadline,
            # because each of its bytes postpones the idle timeout.
            self._deadline.cancel()
            self._deadline = self.loop.call_later(self._timeouts.body, self.transport.close)

    # ----------------------------------------------------------------------------- ends

    def _shed(self, admission: Admission) -> None:
        """Refuses a request before a task, a scope or a body exists. The connection stays open."""
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
        # As after any answer, the idle time and the rest of the body are bounded.
        self._deadline = self.loop.call_later(self._timeouts.body, self.transport.close)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    # contract: http-bounds
    def _too_slow(self) -> None:
        if self.transport.is_closing() or not self._in_headers:
            return
        if self._rest:  # they have arrived, but earlier requests are not answered yet
            self._deadline = self.loop.call_later(self._timeouts.header, self._too_slow)
        elif self._silent:
            self.transport.close()  # the client never sent anything
        else:
            self._refuse(BodyTimeout("The headers did not arrive in time."))

    def _refuse(self, error: ServiceError) -> None:
        """Answers with the envelope, unless an earlier request is being answered, and closes."""
        if self.transport.is_closing():
            return
        admission = None if self.pipeline else self._admission
        if admission is not None and broken.told(self.cycle, error, admission.paths):
            return
        request_id = str(uuid.uuid4())
        status, cycle = responses.status_of(error), self.cycle
        log.info("refused", requestId=request_id, status=int(status), reason=error.message)
        if cycle is not None and not cycle.response_started and not self.pipeline:
            # Its body broke off. The handler waits for the rest and must not answer any more.
            cycle.disconnected = True
            cycle.message_event.set()
        # A body that breaks off after its answer gets no second answer: a proxy could take it for
        # the answer to the next client.
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
            # uvicorn adds no Date if the application sends its own.
            (b"date", formatdate(usegmt=True).encode()),
            (b"cache-control", b"no-store"),
        ]
        if self._admission is not None:
            headers += self._admission.limits(self.client[0] if self.client else "")
        lines = b"".join(b"%s: %s\r\n" % header for header in headers)
        return STATUS_LINE[status] + lines + b"\r\n" + body


def _too_large() -> HeadersTooLarge:
    size = MAX_HEADER_BYTES // 1024
    return HeadersTooLarge(f"The request line and headers are larger than {size} KiB.")
