"""The body of a request: how much of it is read, for how long, and as what.

The server notes in the ASGI scope when it is there, or broke off. The application answers one that
broke off: the request has been counted by then, so its answer shows the caller's limit.
"""

import asyncio
from typing import Any, TypeVar

from wishwell.errors import BodyTimeout, ServiceError, TooLarge
from wishwell.http import wire
from wishwell.http.context import Request

T = TypeVar("T")

MAX_BODY = 256 * 1024

_TRUSTED_SECONDS = 1.0
"""How long a body may take until its token is looked at again."""

_WHOLE = "wishwell.whole"
_BROKEN = "wishwell.broken"


def arrived(scope: Any) -> None:
    """Notes that the body is there, so that no timer is set for it."""
    scope[_WHOLE] = True


def broke_off(scope: Any, error: ServiceError) -> None:
    """Notes why the rest of the body can't come any more."""
    scope[_BROKEN] = error


def check(scope: dict[str, Any]) -> None:
    """Raises the error of ``broke_off``."""
    if _BROKEN in scope:
        raise scope[_BROKEN]


async def decode(request: Request, shape: type[T], *, optional: bool = False) -> T:
    """The body as a type of ``wire``. Raises what ``read`` and ``wire.body`` do.

    An ``optional`` one may be missing, which is as if it were ``{}``.
    """
    raw = await read(request)
    return shape() if optional and not raw else decoded(request, raw, shape)


def decoded(request: Request, raw: bytes, shape: type[T]) -> T:
    """The same of a body that was read."""
    return wire.body(raw, request.header(b"content-type"), shape, request.store)


async def read(request: Request) -> bytes:
    """The body, at most 256 KiB of it, within the time that a body may take.

    Raises ``TooLarge``, ``BodyTimeout``, what became of one that broke off, and what refuses a
    caller who was allowed when the headers came, and is not any more.
    """
    if request.body is not None:
        return request.body
    declared = request.headers.get(b"content-length", b"0")
    if len(declared) > 15 or int(declared) > MAX_BODY:  # contract: body-size
        raise TooLarge(f"The body is larger than {MAX_BODY // 1024} KiB.")
    # A request whose body is still arriving does not count, so slow senders take no room.
    service = request.service
    service.admission.begin_reading()
    request.reading = True
    clock = asyncio.get_running_loop().time
    began = clock()
    try:
        raw = await _pieces(request, service.settings.body_timeout)
    finally:
        service.admission.end_reading()
    service.admission.check()
    # contract: token-while-sending
    if clock() - began > _TRUSTED_SECONDS and request.authorize is not None:
        await request.authorize(request)
    request.reading = False
    return raw


async def _pieces(request: Request, seconds: float) -> bytes:
    deadline = asyncio.get_running_loop().time() + seconds
    pieces, size, more = [], 0, True
    while more:
        try:
            if _WHOLE in request.asgi:
                message = await request.receive()
            else:
                async with asyncio.timeout_at(deadline):
                    message = await request.receive()
        except TimeoutError as error:  # contract: body-time
            raise BodyTimeout("The body did not arrive in time.") from error
        check(request.asgi)
        if message["type"] == "http.disconnect":
            raise BodyTimeout("The connection was closed before the body had arrived.")
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > MAX_BODY:
            raise TooLarge(f"The body is larger than {MAX_BODY // 1024} KiB.")
        more = message.get("more_body", False)
    return b"".join(pieces)
