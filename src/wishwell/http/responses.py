"""Responses: status, headers and body, and the HTTP status of each error."""

import re
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import errors, ids
from wishwell.field_types import RequestId, published
from wishwell.http import field_codes
from wishwell.profiles import pages
from wishwell.ratelimits import LimitState
from wishwell.wishlists.lists import List

Headers = list[tuple[bytes, bytes]]

_HEX_ID = re.compile(r"[0-9a-f]{32}")
"""A request id as nginx (``$request_id``) and trace contexts write it."""

_encoder = msgspec.json.Encoder()

JSON = (b"content-type", b"application/json")
# Version ff and ids of zeros are invalid (W3C Trace Context, 3.2.2).
_TRACEPARENT = re.compile(
    rb"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)
# A response is valid for one caller and one moment only, so no cache may store it.
# rule: response-uncached
_PRIVATE = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
_EXPOSED = (
    b"access-control-expose-headers",
    b"X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Retry-After, "
    b"Location",
)

STATUSES: dict[type[errors.ServiceError], HTTPStatus] = {
    errors.Invalid: HTTPStatus.BAD_REQUEST,
    errors.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.MethodNotAllowed: HTTPStatus.METHOD_NOT_ALLOWED,
    errors.BodyTimeout: HTTPStatus.REQUEST_TIMEOUT,
    errors.Gone: HTTPStatus.GONE,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.HeadersTooLarge: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    errors.UnsupportedMedia: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.TooManyRequests: HTTPStatus.TOO_MANY_REQUESTS,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}

T = TypeVar("T")
Cursor = Annotated[
    str,
    published("Cursor", "An opaque position for pagination.", pattern="^[A-Za-z0-9_-]{1,200}$"),
]

ErrorCode = Annotated[errors.Code, published("ErrorCode", "A stable name of an error's cause.")]


class Data(msgspec.Struct, Generic[T]):
    """The body of a response with a record."""

    data: T


class PageInfo(msgspec.Struct):
    """Cursors of the adjacent pages."""

    next: Cursor | UnsetType = UNSET
    """The cursor of the next page; omitted on the last page."""
    previous: Cursor | UnsetType = UNSET
    """The cursor of the previous page; omitted on the first page."""


class DataPage(msgspec.Struct, Generic[T], rename="camel"):
    """The body of a response with a page of records."""

    data: Annotated[list[T], published(maxItems=pages.MAX_SIZE)]
    page_info: PageInfo | UnsetType = UNSET


class ListData(msgspec.Struct, Generic[T], rename="camel"):
    """The body of a response with a list and its items, or with a page of these."""

    data: T
    page_info: PageInfo | UnsetType = UNSET
    """Cursors of the adjacent pages of items; only in responses to `limit` or `page`."""


class ErrorDetail(msgspec.Struct, rename="camel"):
    """An error."""

    message: Annotated[str, published(minLength=1)]
    """A description of the error, for people."""
    error: Annotated[str, published(minLength=1)]
    """The name of the status."""
    status_code: Annotated[int, published(minimum=400, maximum=599)]
    """The HTTP status code."""
    request_id: RequestId
    code: ErrorCode
    details: (
        Annotated[list[errors.BadField], published(maxItems=errors.MAX_BAD_FIELDS)] | UnsetType
    ) = UNSET
    """All bad fields of the body, or bad parameters or headers. Only if there are any."""


class Error(msgspec.Struct):
    """The body of every response that is not 2xx."""

    error: ErrorDetail


RETRY_SECONDS = 1
"""Seconds in a 503's ``Retry-After``; short, because the service keeps retrying its database."""


class Response(msgspec.Struct, gc=False):
    """A response. The pipeline adds the headers common to all responses."""

    status: int
    body: bytes
    headers: Headers
    stream: AsyncIterator[bytes] | None = None
    """The body of a streamed response."""
    closes: bool = False
    """Whether the connection is closed after the response."""


def json(status: int, body: Any) -> Response:
    return Response(status, _encoder.encode(body), [JSON, *_PRIVATE])


def record(value: Any) -> Response:
    """Returns 200 with ``{"data": value}``."""
    return json(200, Data(value))


def streamed(pieces: AsyncIterator[bytes]) -> Response:
    """Returns 200 with a streamed JSON document."""
    return Response(200, b"", [JSON, *_PRIVATE], pieces)


def csv(pieces: AsyncIterator[bytes], name: str) -> Response:
    """Returns 200 with a streamed CSV file, to be downloaded as ``<name>.csv``."""
    file = f'attachment; filename="{name}.csv"'.encode()
    kind = (b"content-type", b"text/csv; charset=utf-8")
    return Response(200, b"", [kind, (b"content-disposition", file), *_PRIVATE], pieces)


def created(value: Any, location: str | None = None) -> Response:
    """Returns 201 with ``{"data": value}`` and, if given, ``Location``."""
    answer = json(201, Data(value))
    if location is not None:
        answer.headers.append((b"location", location.encode()))
    return answer


# rule: cursor-pagination
def page_info(links: Mapping[str, str]) -> PageInfo | UnsetType:
    """Returns a page's cursors by the names ``next`` and ``previous``, omitted without any."""
    return PageInfo(**links) if links else UNSET


def page(data: list[Any], links: Mapping[str, str]) -> Response:
    """Returns 200 with a page of records and the cursors of the adjacent pages."""
    return json(200, DataPage(data, page_info(links)))


# rule: list-pages
def list_page(data: List, links: Mapping[str, str]) -> Response:
    """Returns 200 with a list and the cursors of the adjacent pages of its items."""
    return json(200, ListData(data, page_info(links)))


def cacheable(value: Any, seconds: int) -> Response:
    """Returns 200 with a record that the browser may cache for ``seconds``."""
    answer = record(value)
    answer.headers[1] = (b"cache-control", b"private, max-age=%d" % seconds)
    return answer


def stored_document(document: bytes) -> Response:
    """Returns 200 with a document that is stored already encoded as ``{"data": …}``."""
    return Response(200, document, [JSON, *_PRIVATE])


def no_content() -> Response:
    return Response(204, b"", list(_PRIVATE))


def limits(state: LimitState) -> Headers:
    """Returns the headers that show a rate limit's state (rule: limit-window)."""
    return [
        (b"x-ratelimit-limit", b"%d" % state.limit),
        (b"x-ratelimit-remaining", b"%d" % state.remaining),
        (b"x-ratelimit-reset", b"%d" % state.reset),
    ]


# rule: input-inert
def cors(origin: bytes, allowed: bool) -> Headers:
    """Returns the CORS headers, which let a page of this origin read the response if allowed."""
    headers = [(b"vary", b"Origin")]
    if allowed:
        headers += [(b"access-control-allow-origin", origin), _EXPOSED]
    return headers


# rule: error-envelope
def request_id(header: bytes | None) -> str:
    """Returns the caller's own request id if it is a UUID, also without hyphens, else a new id."""
    if header is not None and len(header) in (32, 36):
        text = header.decode("latin-1")
        if ids.is_uuid(text.lower()) or _HEX_ID.fullmatch(text):
            return text
    return ids.request_uuid()


# rule: trace-context
def traceparent(header: bytes, headers: Headers) -> str:
    """Returns a ``traceparent`` header (W3C Trace Context), or '' if it is invalid or repeated."""
    if not _TRACEPARENT.fullmatch(header) or sum(n == b"traceparent" for n, _ in headers) != 1:
        return ""
    return header.decode()


# rule: error-envelope
def failure(error: Exception, request_id: str) -> Response:
    """Returns the response for any error. Unexpected errors reveal no internals."""
    statuses = [STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES]
    status = statuses[0] if statuses else HTTPStatus.INTERNAL_SERVER_ERROR
    message = error.message if isinstance(error, errors.ServiceError) else ""
    if status == 500:
        message = "The service failed. Its log shows the reason under this request id."
    if status == 503:
        # Details go to the log only.
        message = "The service can't use its database now, or is too busy. Nothing was done."
    if isinstance(error, errors.BeingErased):
        message = error.message
    if isinstance(error, errors.Unrecorded):
        message = "The service can't record this in its journal. Nothing was done."
    if isinstance(error, errors.Undecided):
        message = (
            "The outcome is unknown: either all changes of this request were made, or none. It is "
            "safe to send the request again, unless it creates a list or a new session."
        )
    headers = [JSON, *_PRIVATE]
    if isinstance(error, errors.Unauthenticated):
        headers.append((b"www-authenticate", b'Bearer realm="wishwell"'))
    elif isinstance(error, errors.MethodNotAllowed):
        headers.append((b"allow", ", ".join(error.allowed).encode()))
    elif isinstance(error, errors.TooManyRequests):
        headers.append((b"retry-after", b"%d" % error.retry_after))
    elif status == 503:
        headers.append((b"retry-after", b"%d" % RETRY_SECONDS))
    code = error.code if isinstance(error, errors.ServiceError) else "internal_error"
    detail = ErrorDetail(message, phrase(status), int(status), request_id, code)
    if type(error) is errors.Invalid:
        details = [*error.details] or field_codes.of_error(error)
        detail.details = details or UNSET
    # The rest of the body stays unread, so the connection can't be reused.
    closes = isinstance(error, errors.TooLarge | errors.BodyTimeout)
    return Response(status, _encoder.encode(Error(detail)), headers, closes=closes)


def phrase(status: HTTPStatus) -> str:
    # Before Python 3.13, the phrase for 413 isn't that of RFC 9110.
    return "Content Too Large" if status == 413 else status.phrase


_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status:d} {phrase(status)}\r\n".encode() for status in HTTPStatus
}


def head(status: int, headers: Headers) -> bytes:
    lines = _STATUS_LINES[status] + b"\r\n".join(map(b": ".join, headers))
    if lines.count(b"\n") != len(headers):
        raise ValueError("a header's value has a line feed")
    return lines + b"\r\n\r\n"
