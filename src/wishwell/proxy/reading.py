"""The body of a browser's request, read whole before anything is sent on."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from wishwell.proxy.allowed import MAX_BODY
from wishwell.proxy.answers import Refused

_SECONDS = 10.0


class Gone(Exception):
    """The browser has gone before its body was whole."""


async def body(
    headers: Mapping[bytes, bytes], receive: Callable[[], Awaitable[dict[str, Any]]]
) -> bytes:
    """All of the body. Raises ``Refused`` for one that is too large or too slow, and ``Gone``."""
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        raise Refused(400, "Content-Length: is not a number.")
    if int(length[:12]) > MAX_BODY:
        raise _too_large()
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_SECONDS):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Gone
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MAX_BODY:
                    raise _too_large()
                more = message.get("more_body", False)
    except TimeoutError:
        raise Refused(408, "The body did not arrive in time.") from None
    return b"".join(parts)


def _too_large() -> Refused:
    return Refused(413, f"The body is larger than {MAX_BODY // 1024} KiB.")
