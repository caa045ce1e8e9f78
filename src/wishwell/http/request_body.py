"""Reads and decodes the body of a request, with limits of size and time."""

import asyncio
import contextlib
from typing import Any, TypeVar

import msgspec

from wishwell import json_keys
from wishwell.errors import Invalid, RequestError, UnsupportedMedia
from wishwell.http import request_types
from wishwell.http.context import Request
from wishwell.http.responding import Handler
from wishwell.http.server import body_reader

T = TypeVar("T", bound=msgspec.Struct)

MISSING = (b"", b"null", b"null\n")
"""Bodies that count as none where a body is optional. Clients generated for Go send the last."""

_TRUSTED_SECONDS = 1.0
"""Seconds that a body may take before its token is checked again."""


async def decode(
    request: Request, shape: type[T], *, optional: bool = False, find: Handler | None = None
) -> T:
    """Returns the body as a type of ``request_types``.

    Raises the errors of ``read`` and ``decoded``. A missing ``optional`` body counts as ``{}``.
    ``find``: finds the record to change, whose other fields the body may repeat.
    """
    raw = await read(request)
    if optional and raw in MISSING:
        return shape()
    try:
        return decoded(request, raw, shape)
    except Invalid:
        changes = None
        with contextlib.suppress(RequestError):  # an unknown record, among others
            changes = _changes(raw, shape, await find(request)) if find else None
        if changes is None:
            raise
    return decoded(request, changes, shape)


def decoded(request: Request, raw: bytes, shape: type[T]) -> T:
    """Decodes a body that was read already, like ``decode``.

    Raises the errors of ``request_types.body``, and ``UnsupportedMedia`` for a compressed body.
    """
    if raw:
        check_encoding(request)
    request.decoding = raw, shape
    return request_types.body(raw, request.header(b"content-type"), shape)


def check_encoding(request: Request) -> None:
    """Raises ``UnsupportedMedia`` for a compressed body."""
    if request.headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise UnsupportedMedia(
            "Content-Encoding: isn't supported; send the body uncompressed.",
            "unsupported_encoding",
        )


# rule: input-strict
def _changes(raw: bytes, shape: type[msgspec.Struct], current: object) -> bytes | None:
    """Returns a body without the fields that only repeat the record that was found; ``None`` if the
    body isn't an object, or repeats a key."""
    try:
        fields = msgspec.json.decode(raw, type=dict[str, Any])
        if json_keys.duplicate_key(raw) is not None:
            return None
    except (ValueError, RecursionError):
        return None
    record = msgspec.json.decode(msgspec.json.encode(current))
    own_names = {field.encode_name for field in msgspec.structs.fields(shape)}

    def repeats(name: str) -> bool:
        is_unchanged = name == "updatedAt" or fields[name] == record.get(name)
        return name not in own_names and name in record and is_unchanged

    return msgspec.json.encode({name: fields[name] for name in fields if not repeats(name)})


async def read(request: Request) -> bytes:
    """Returns the body, of at most ``incoming.limit`` bytes, once it has arrived in time.

    Raises ``TooLarge``, ``BodyTimeout``, the error of an incomplete body, and the errors of
    authentication if the token became invalid after the headers arrived.
    """
    declared = request.headers.get(b"content-length", b"0")
    if len(declared) > 15 or int(declared) > request.incoming.limit:
        raise body_reader.too_large(request.incoming.limit)
    if not request.incoming.ended:
        service, clock = request.service, asyncio.get_running_loop().time
        began, request.reading = clock(), True
        await request.away(request.incoming.wait(service.settings.body_timeout))
        # rule: token-revoked
        if clock() - began > _TRUSTED_SECONDS and request.authorize is not None:
            await request.authorize(request)
        request.reading = False
    return request.incoming.read()
