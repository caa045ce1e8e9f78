"""Reads and decodes the body of a request, with limits of size and time."""

import asyncio
from typing import TypeVar

from wishwell.http import body_reader, request_types
from wishwell.http.context import Request

T = TypeVar("T")

_TRUSTED_SECONDS = 1.0
"""Seconds that a body may take before its token is checked again."""


async def decode(request: Request, shape: type[T], *, optional: bool = False) -> T:
    """Returns the body as a type of ``request_types``.

    Raises the errors of ``read`` and ``request_types.body``.

    A missing ``optional`` body counts as ``{}``.
    """
    raw = await read(request)
    return shape() if optional and not raw else decoded(request, raw, shape)


def decoded(request: Request, raw: bytes, shape: type[T]) -> T:
    """Decodes a body that was read already, like ``decode``."""
    return request_types.body(raw, request.header(b"content-type"), shape, request.store)


async def read(request: Request) -> bytes:
    """Returns the body, of at most 256 KiB, once it has arrived in time.

    Raises ``TooLarge``, ``BodyTimeout``, the error of an incomplete body, and the errors of
    authentication if the token became invalid after the headers arrived.
    """
    declared = request.headers.get(b"content-length", b"0")
    if len(declared) > 15 or int(declared) > body_reader.MAX_BODY:
        raise body_reader.too_large()
    if not request.incoming.ended:
        service, clock = request.service, asyncio.get_running_loop().time
        began, request.reading = clock(), True
        await request.ticket.away(request.incoming.wait(service.settings.body_timeout))
        # rule: token-revoked
        if clock() - began > _TRUSTED_SECONDS and request.authorize is not None:
            await request.authorize(request)
        request.reading = False
    return request.incoming.read()
