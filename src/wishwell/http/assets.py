"""Serves static files, compressed: pages, scripts, styles and images."""

import functools
import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from wishwell.errors import NotFound
from wishwell.http.context import Request
from wishwell.http.responses import Headers, Response

FOLDER = Path(__file__).parents[1] / "browser"
"""Folder of the browser library."""

_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
}
_SUFFIXES = {"br": ".br", "gzip": ".gz", "identity": ""}
"""File suffix of each content encoding, in order of preference."""

_QUALITY = re.compile(r"(?:q=([01](?:\.[0-9]{0,3})?))?")


@functools.cache
def _content(folder: Path, file: str) -> tuple[Mapping[str, bytes], str]:
    """Returns a file's bytes by content encoding, and its hash."""
    forms = {
        coding: path.read_bytes()
        for coding, suffix in _SUFFIXES.items()
        if (path := folder / f"{file}{suffix}").exists()
    }
    if "identity" not in forms:
        forms["identity"] = gzip.decompress(forms["gzip"])
    elif "gzip" not in forms:
        forms = {"gzip": gzip.compress(forms["identity"]), **forms}
    return forms, hashlib.sha256(forms["identity"]).hexdigest()[:16]


@functools.cache
def _names(folder: Path) -> frozenset[str]:
    names = [re.sub(r"\.(br|gz)\Z", "", path.name) for path in folder.iterdir()]
    return frozenset(name for name in names if Path(name).suffix in _TYPES)


# rules: admin-page, openapi-complete, storefront-pages
def file(request: Request, folder: Path, name: str, headers: Headers) -> Response:
    """Returns a static file, or 304 if the client's copy is current. Raises ``NotFound``."""
    if name not in _names(folder):
        raise NotFound("There is nothing at this path.", "path_not_found")
    forms, hash = _content(folder, name)
    tag = f'W/"{hash}"'
    # The browser revalidates each time, and mostly gets 304.
    headers = [*headers, (b"cache-control", b"no-cache"), (b"etag", tag.encode())]
    if tag in (request.header(b"if-none-match") or ""):
        return Response(304, b"", [*headers, (b"vary", b"Accept-Encoding")])
    return encoded(request, forms, _TYPES[Path(name).suffix], headers)


def encoded(
    request: Request, forms: Mapping[str, bytes], kind: bytes, headers: Headers
) -> Response:
    """Returns 200 with the document in the client's preferred content encoding."""
    coding = preferred(request.header(b"accept-encoding"), [*forms]) or "identity"
    headers = [(b"content-type", kind), (b"vary", b"Accept-Encoding"), *headers]
    if coding != "identity":
        headers.append((b"content-encoding", coding.encode()))
    return Response(200, forms[coding], headers)


def security_headers(policy: bytes, service_url: str = "") -> Headers:
    """Returns headers that limit a page to its own origin plus ``policy``, and forbid framing.

    ``service_url``: another origin that the page may send requests to.
    """
    return [
        (
            b"content-security-policy",
            b"default-src 'none'; script-src 'self'; connect-src %b; base-uri 'none'; "
            b"form-action 'none'; frame-ancestors 'none'; %b"
            % (f"'self' {service_url}".rstrip().encode(), policy),
        ),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
    ]


def redirect(url: str) -> Response:
    """Returns 302, uncached because the target may change."""
    return Response(302, b"", [(b"location", url.encode()), (b"cache-control", b"no-cache")])


def preferred(accepted: str | None, offered: Sequence[str]) -> str | None:
    """Returns the value in ``offered`` that an ``Accept-…`` header prefers, the first on a tie.

    ``None`` if the header accepts none. A language matches with any country: ``de-AT`` is ``de``.
    Of several with the same language, the one that is named wins.
    """
    qualities: dict[str, float] = {}
    base_qualities: dict[str, float] = {}
    for option in (accepted or "").lower().split(","):
        name, _, parameter = option.replace(" ", "").partition(";")
        base, quality = name.partition("-")[0], _QUALITY.fullmatch(parameter)
        qualities[name] = float(quality[1] or 1) if quality else 0
        base_qualities[base] = max(base_qualities.get(base, 0), qualities[name])

    def preference(offer: str) -> tuple[float, float]:
        name = offer.lower()
        base_quality = base_qualities.get(name.partition("-")[0], base_qualities.get("*", 0))
        return base_quality, qualities.get(name, 0)

    best = max(offered, key=preference)
    return best if preference(best)[0] else None
