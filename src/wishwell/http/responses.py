"""Answers: status, headers and body, and the status of each error."""

from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from wishwell import errors, ids
from wishwell.limits import Taken

Headers = list[tuple[bytes, bytes]]

_encoder = msgspec.json.Encoder()

JSON = (b"content-type", b"application/json")
# An answer is for one caller and one moment, so no cache may store it.
# contract: answer-uncached
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

RETRY_SECONDS = 1
"""The ``Retry-After`` of a 503, short because the service tries its database all the time."""


class Response(msgspec.Struct, gc=False):
    """An answer. The pipeline adds the headers that every answer has."""

    status: int
    body: bytes
    headers: Headers
    stream: AsyncIterator[bytes] | None = None
    """The body, where it comes piece by piece."""
    closes: bool = False
    """Whether the connection ends behind it."""


def _json(status: int, body: Any) -> Response:
    return Response(status, _encoder.encode(body), [JSON, *_PRIVATE])


# contract: answer-record
def record(value: Any) -> Response:
    """200 with ``{"data": value}``."""
    return _json(200, {"data": value})


def streamed(pieces: AsyncIterator[bytes]) -> Response:
    """200 with a JSON document that comes piece by piece."""
    return Response(200, b"", [JSON, *_PRIVATE], pieces)


def csv(pieces: AsyncIterator[bytes], name: str) -> Response:
    """200 with a spreadsheet that comes piece by piece, to be kept as a file of this name."""
    file = f'attachment; filename="{name}.csv"'.encode()
    kind = (b"content-type", b"text/csv; charset=utf-8")
    return Response(200, b"", [kind, (b"content-disposition", file), *_PRIVATE], pieces)


def created(value: Any, location: str | None = None) -> Response:
    """201 with ``{"data": value}``."""
    answer = _json(201, {"data": value})
    if location is not None:
        answer.headers.append((b"location", location.encode()))
    return answer


def page(data: Any, links: Mapping[str, str], beside: Mapping[str, Any] = {}) -> Response:
    """200, with ``pageInfo`` only if there are links (contract: page-info)."""
    return _json(200, {"data": data, **({"pageInfo": links} if links else {}), **beside})


def kept(value: Any, seconds: int) -> Response:
    """200 with what a browser may keep for so long."""
    answer = record(value)
    answer.headers[1] = (b"cache-control", b"private, max-age=%d" % seconds)
    return answer


def stored(document: bytes) -> Response:
    """200 with a document that was encoded before, ``{"data": …}``."""
    return Response(200, document, [JSON, *_PRIVATE])


def no_content() -> Response:
    """204."""
    return Response(204, b"", list(_PRIVATE))


def limits(taken: Taken) -> Headers:
    """The state of the limit that the request was counted for (contract: limit-headers)."""
    return [
        (b"x-ratelimit-limit", b"%d" % taken.limit),
        (b"x-ratelimit-remaining", b"%d" % taken.remaining),
        (b"x-ratelimit-reset", b"%d" % taken.reset),
    ]


# contract: input-inert
def cors(origin: bytes, allowed: bool) -> Headers:
    """The headers that let a page of this origin read the answer, if it is allowed."""
    headers = [(b"vary", b"Origin")]
    if allowed:
        headers += [(b"access-control-allow-origin", origin), _EXPOSED]
    return headers


# contract: request-id
def request_id(given: bytes | None) -> str:
    """The caller's own request id if it is a UUID, else a new one."""
    if given is not None and len(given) == 36:
        text = given.decode("latin-1").lower()
        if ids.is_uuid(text):
            return text
    return ids.request_uuid()


# contract: error-inside, error-envelope
def failure(error: Exception, request_id: str) -> Response:
    """The answer to any error. An unexpected error reveals no internals."""
    known = [STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES]
    status = known[0] if known else HTTPStatus.INTERNAL_SERVER_ERROR
    message = error.message if isinstance(error, errors.ServiceError) else ""
    if status == 500:
        message = "The service failed. Its log has the reason under this request id."
    if status == 503:
        # The details are only for the log.
        message = "The service can't reach its database, or is too busy. Nothing was done."
    if isinstance(error, errors.BeingErased):
        message = error.message
    if isinstance(error, errors.Undecided):
        message = (
            "It is not known whether this was done: either all of it was, or nothing. It is safe "
            "to send it again, unless it makes a list or a new session."
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
    body = {"message": message, "error": phrase(status), "statusCode": int(status)}
    envelope = _encoder.encode({"error": body | {"requestId": request_id}})
    # The rest of such a body is not read, so the connection can't be used again.
    closes = isinstance(error, errors.TooLarge | errors.BodyTimeout)
    return Response(status, envelope, headers, closes=closes)


def phrase(status: HTTPStatus) -> str:
    """The reason phrase of a status."""
    # Before Python 3.13, 413 did not have the phrase of RFC 9110.
    return "Content Too Large" if status == 413 else status.phrase
