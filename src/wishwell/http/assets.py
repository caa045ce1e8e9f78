"""Scripts and styles of pages, each served under a name that holds its hash."""

import functools
import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from wishwell.errors import NotFound
from wishwell.http.responses import Response

FOLDER = Path(__file__).parents[1] / "browser"
"""The browser library."""

_TYPES = {".js": b"text/javascript", ".css": b"text/css"}
_SUFFIXES = {"br": ".br", "gzip": ".gz", "identity": ""}
"""Of the file in each encoding, the one that is sent rather first."""

_QUALITY = re.compile(r"(?:q=([01](?:\.[0-9]{0,3})?))?")


@functools.cache
def _content(folder: Path, file: str) -> tuple[Mapping[str, bytes], str]:
    """A file in each encoding that there is and as it is, and its name with the hash."""
    forms = {
        coding: path.read_bytes()
        for coding, suffix in _SUFFIXES.items()
        if (path := folder / f"{file}{suffix}").exists()
    }
    if "identity" not in forms:
        forms["identity"] = gzip.decompress(forms["gzip"])
    hash = hashlib.sha256(forms["identity"]).hexdigest()[:16]
    return forms, f"-{hash}.".join(file.split("."))


def hashed(file: str, folder: Path = FOLDER) -> str:
    """The name of a file with its hash."""
    return _content(folder, file)[1]


# contract: storefront-assets
def answer(name: str, place: str, encodings: str | None, folder: Path = FOLDER) -> Response:
    """A file, or for its plain name the way to the one with the hash. Raises ``NotFound``.

    ``place`` is where the files are, ``encodings`` what the browser accepts.
    """
    file = re.sub("-[0-9a-f]*", "", name)
    forms, current = _content(folder, file)
    if name == file:
        return redirect(f"{place}/{current}")
    if name != current:
        raise NotFound(f"There is no such version; {file} leads to the current one.")
    coding = preferred(encodings, [*forms]) or "identity"
    headers = [
        (b"content-type", _TYPES[Path(file).suffix] + b"; charset=utf-8"),
        (b"cache-control", b"public, max-age=31536000, immutable"),
        (b"vary", b"Accept-Encoding"),
    ]
    if coding != "identity":
        headers.append((b"content-encoding", coding.encode()))
    return Response(200, forms[coding], headers)


def redirect(place: str) -> Response:
    """302 to a place that may change."""
    return Response(302, b"", [(b"location", place.encode()), (b"cache-control", b"no-cache")])


def preferred(accepted: str | None, offered: Sequence[str]) -> str | None:
    """The one of ``offered`` that an ``Accept-…`` header likes best, the first of several; None if
    it takes none. A language stands for all of its countries."""
    liked: dict[str, float] = {}
    for part in (accepted or "").lower().split(","):
        name, _, more = part.replace(" ", "").partition(";")
        name, quality = name.partition("-")[0], _QUALITY.fullmatch(more)
        liked[name] = max(liked.get(name, 0), float(quality[1] or 1) if quality else 0)
    best = max(offered, key=lambda name: liked.get(name, liked.get("*", 0)))
    return best if liked.get(best, liked.get("*", 0)) else None
