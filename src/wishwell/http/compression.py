"""Compresses large answers with gzip (rule: answer-compressed)."""

import asyncio
import zlib

from wishwell.http import assets
from wishwell.http.context import Request
from wishwell.http.responses import Response

MIN_BYTES = 1_400
"""Smallest body that is compressed; a smaller one fits into one packet anyway."""

_MAX_LOOP_BYTES = 64 * 1024
"""Largest body that is compressed in the event loop, in some 0.4 ms; others are in a thread."""


# rule: answer-compressed
async def compress(request: Request, answer: Response) -> None:
    """Compresses a body of at least ``MIN_BYTES`` if the client accepts gzip."""
    answer.headers.append((b"vary", b"Accept-Encoding"))
    accepted = request.header(b"accept-encoding")
    if assets.preferred(accepted, ("gzip", "identity")) != "gzip":
        return
    large = len(answer.body) > _MAX_LOOP_BYTES
    answer.body = await asyncio.to_thread(_gzip, answer.body) if large else _gzip(answer.body)
    answer.headers.append((b"content-encoding", b"gzip"))


def _gzip(body: bytes) -> bytes:
    # Level 1, because level 6 takes twice as long for a tenth fewer bytes.
    compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
    return compressor.compress(body) + compressor.flush()
