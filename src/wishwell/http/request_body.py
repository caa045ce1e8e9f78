"""The body of a request: how much of it is read, for how long, and as what."""

import asyncio
from typing import TypeVar

from wishwell.http import body_reader, request_types
from wishwell.http.context import Request

T = TypeVar("T")

_TRUSTED_SECONDS = 1.0
"""How long a body may take until its token is looked at again."""


async def decode(request: Request, shape: type[T], *, optional: bool = False) -> T:
    """The body as a type of ``request_types``. Raises what ``read`` and ``request_types.body`` do.

    An ``optional`` one may be missing, which is as if it were ``{}``.
    """
    raw = await read(request)
    return shape() if optional and not raw else decoded(request, raw, shape)


def decoded(request: Request, raw: bytes, shape: type[T]) -> T:
    """The same of a body that was read."""
    return request_types.body(raw, request.header(b"content-type"), shape, request.store)


async def read(request: Request) -> bytes:
    """The body, at most 256 KiB of it, within the time that a body may take.

    Raises ``TooLarge``, ``BodyTimeout``, what became of one that broke off, and what refuses a
    caller who was allowed when the headers came, and is not any more.
    """
    declared = request.headers.get(b"content-length", b"0")
    if len(declared) > 15 or int(declared) > body_reader.MAX_BODY:
        raise body_reader.too_large()
    if not request.incoming.ended:
        service, clock = request.service, asyncio.get_running_loop().time
        began, request.reading = clock(), True
        await request.ticket.away(request.incoming.wait(service.settings.body_timeout))
        # contract: token-while-sending
        if clock() - began > _TRUSTED_SECONDS and request.authorize is not None:
            await request.authorize(request)
        request.reading = False
    return request.incoming.read()
