"""The browser library: its scripts, each served under a name that holds its hash."""

import functools
import hashlib
from pathlib import Path

from wishwell.errors import NotFound
from wishwell.http.responses import Response

_FOLDER = Path(__file__).parents[2] / "browser"


@functools.cache
def _content(script: str) -> tuple[bytes, str]:
    content = (_FOLDER / f"{script}.js").read_bytes()
    return content, f"{script}-{hashlib.sha256(content).hexdigest()[:16]}.js"


# contract: storefront-assets
def answer(name: str, base: str) -> Response:
    """A script, or for its plain name the way to the one with the hash. Raises ``NotFound``."""
    script = name.removesuffix(".js").partition("-")[0]
    content, hashed = _content(script)
    if name == f"{script}.js":
        place = f"{base}/assets/{hashed}".encode()
        return Response(302, b"", [(b"location", place), (b"cache-control", b"no-cache")])
    if name != hashed:
        raise NotFound(f"There is no such version; {script}.js leads to the current one.")
    headers = [
        (b"content-type", b"text/javascript; charset=utf-8"),
        (b"cache-control", b"public, max-age=31536000, immutable"),
    ]
    return Response(200, content, headers)
