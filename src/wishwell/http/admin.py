"""The page for the merchant: static files, which ask the API as any other program would."""

import functools
import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path

from wishwell.errors import NotFound
from wishwell.http import assets
from wishwell.http.context import Request
from wishwell.http.responses import Headers, Response

FOLDER = Path(__file__).parents[1] / "admin"
_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
}
# contract: admin-closed
_CLOSED: Headers = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        b"require-trusted-types-for 'script'; trusted-types lit-html",
    ),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-robots-tag", b"noindex"),
]


@functools.cache
def _files() -> Mapping[str, tuple[Mapping[str, bytes], bytes]]:
    """Each file in both encodings, and its tag."""
    found = {}
    for path in FOLDER.iterdir():
        if path.suffix in _TYPES:
            plain = path.read_bytes()
            tag = f'W/"{hashlib.sha256(plain).hexdigest()[:16]}"'.encode()
            found[path.name] = {"gzip": gzip.compress(plain), "identity": plain}, tag
    return found


# contract: admin-page
async def page(request: Request) -> Response:
    """The page, below which its files are."""
    return _answer(request, "index.html")


async def bare(request: Request) -> Response:
    """The way to the page; relative, so that it also works below a path of a reverse proxy."""
    _check_on(request)
    return assets.redirect("admin/")


async def file(request: Request) -> Response:
    return _answer(request, request.parameters["file"])


def _check_on(request: Request) -> None:
    if request.service.settings.admin == "off":
        raise NotFound("There is nothing at this path.")


def _answer(request: Request, name: str) -> Response:
    _check_on(request)
    if name not in _files():
        raise NotFound("There is nothing at this path.")
    forms, tag = _files()[name]
    # A browser asks each time, and is mostly told that nothing has changed.
    headers = [
        *_CLOSED,
        (b"cache-control", b"no-cache"),
        (b"vary", b"Accept-Encoding"),
        (b"etag", tag),
    ]
    if tag.decode() in (request.header(b"if-none-match") or ""):
        return Response(304, b"", headers)
    coding = assets.preferred(request.header(b"accept-encoding"), [*forms]) or "identity"
    if coding != "identity":
        headers.append((b"content-encoding", coding.encode()))
    headers.append((b"content-type", _TYPES[Path(name).suffix]))
    return Response(200, forms[coding], headers)
