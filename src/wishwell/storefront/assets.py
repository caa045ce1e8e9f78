"""The browser library: one file, served under a name that holds its hash."""

import functools
import hashlib
from pathlib import Path

from wishwell.errors import NotFound
from wishwell.http.responses import Response

_NAME = "wishwell.js"
_FILE = Path(__file__).parents[1] / "browser" / _NAME


@functools.cache
def _content() -> tuple[bytes, str]:
    content = _FILE.read_bytes()
    return content, f"wishwell-{hashlib.sha256(content).hexdigest()[:16]}.js"


# contract: storefront-assets
def answer(name: str, base: str) -> Response:
    """The library, or for its plain name the way to the one with the hash. Raises ``NotFound``."""
    content, hashed = _content()
    if name == _NAME:
        place = f"{base}/assets/{hashed}".encode()
        return Response(302, b"", [(b"location", place), (b"cache-control", b"no-cache")])
    if name != hashed:
        raise NotFound(f"There is no such version; {_NAME} leads to the current one.")
    headers = [
        (b"content-type", b"text/javascript; charset=utf-8"),
        (b"cache-control", b"public, max-age=31536000, immutable"),
    ]
    return Response(200, content, headers)
