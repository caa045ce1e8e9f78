"""Compresses large answers with gzip (rule: response-compressed)."""

import asyncio
import functools
import zlib

from wishwell.http import assets
from wishwell.http.context import Request
from wishwell.http.responses import Response

MIN_BYTES = 1_400
"""Smallest body that is compressed; a smaller one fits into one packet anyway."""

_MAX_LOOP_BYTES = 64 * 1024
"""Largest body that is compressed in the event loop, in some 0.4 ms; others are in a thread."""

_MAX_PAGE_BYTES = 16 * 1024
"""Largest body of a usual page of items."""


# rule: response-compressed
async def compress(request: Request, answer: Response) -> None:
    """Compresses a body of at least ``MIN_BYTES`` if the client accepts gzip."""
    answer.headers.append((b"vary", b"Accept-Encoding"))
    if not _accepts_gzip(request.header(b"accept-encoding")):
        return
    large = len(answer.body) > _MAX_LOOP_BYTES
    answer.body = await asyncio.to_thread(_gzip, answer.body) if large else _gzip(answer.body)
    answer.headers.append((b"content-encoding", b"gzip"))


@functools.lru_cache(maxsize=64)
def _accepts_gzip(accepted: str | None) -> bool:
    return assets.preferred(accepted, ("gzip", "identity")) == "gzip"


def _gzip(body: bytes) -> bytes:
    # Level 1, because level 6 takes twice as long for a tenth fewer bytes. A small window and state
    # halve the time for a page; half of that was their allocation.
    window, memory = (29, 7) if len(body) <= _MAX_PAGE_BYTES else (31, 8)
    compressor = zlib.compressobj(1, zlib.DEFLATED, window, memory)
    return compressor.compress(body) + compressor.flush()
