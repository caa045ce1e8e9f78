"""What passes: paths, methods, query strings and headers, in both directions. No I/O."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from wishwell.proxy.answers import Headers, Refused

API = "/api/2025-04/"
MAX_BODY = 256 * 1024
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_API = API.encode()
_METHODS = {
    "items": ("GET", "HEAD", "POST", "DELETE"),
    "items/{id}": ("GET", "HEAD", "PATCH", "DELETE"),
    "items/{id}/lists": ("PUT",),
    "lists": ("GET", "HEAD", "POST"),
    "lists/{id}": ("GET", "HEAD", "PATCH", "DELETE"),
    "lists/{id}/items/order": ("PUT",),
    "assets": ("GET", "HEAD"),
    "livez": ("GET", "HEAD"),
}
_PATH = re.compile(
    r"/(?:"
    r"api/(?P<path>items(?:/(?P<item>[A-Za-z0-9-]{1,64})(?:/lists)?)?"
    r"|lists(?:/(?P<list>[A-Za-z0-9-]{1,64})(?:/items/order)?)?)"
    r"|assets/(?P<asset>wishwell(?:-[0-9a-f]{1,64})?\.js)"
    r"|(?P<livez>livez))",
    re.ASCII,
)
_QUERY = re.compile(rb"[!-\"$-~]*")
_VALUE = re.compile(rb"[\t -~]{0,1000}")
_UUID = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_PASSED_BACK = frozenset(
    {
        b"content-type",
        b"x-ratelimit-limit",
        b"x-ratelimit-remaining",
        b"x-ratelimit-reset",
        b"retry-after",
        b"x-request-id",
        b"allow",
    }
)
_ONCE = (b"content-type", b"content-length", b"origin", b"sec-fetch-site", b"host", b"expect")


class Route(NamedTuple):
    """What a path is: its kind, for the log a template, and its variable part."""

    kind: Literal["api", "assets", "livez"]
    template: str
    path: str
    """Below the API's prefix; of an asset, the name of its file."""

    @property
    def is_page(self) -> bool:
        """Whether it is all items or all lists, and not one record."""
        return self.template in ("items", "lists")


def route(path: str, base: str) -> Route | None:
    """What a path is, as it was sent, percent-encoding and all; None if it is nothing here."""
    if not path.startswith(base):
        return None
    found = _PATH.fullmatch(path, len(base))
    if found is None:
        return None
    if below := found["path"]:
        record = found["item"] or found["list"]
        template = below if record is None else below.replace(f"/{record}", "/{id}", 1)
        return Route("api", template, below)
    if asset := found["asset"]:
        return Route("assets", "assets", asset)
    return Route("livez", "livez", "livez")


def check_method(found: Route, method: str) -> None:
    """Raises ``Refused`` with ``Allow`` for a method that the path does not have."""
    there = _METHODS[found.template]
    if method not in there:
        listed = ", ".join(there)
        raise Refused(405, f"This path takes {listed}.", [(b"allow", listed.encode())])


def check_query(query: bytes) -> None:
    """Raises ``Refused`` for what no browser sends unencoded."""
    if not _QUERY.fullmatch(query):
        raise Refused(400, "The query string may hold printable ASCII characters only, and no #.")


def check_headers(headers: Mapping[bytes, bytes], repeated: Iterable[bytes]) -> None:
    """Raises ``Refused`` where two readers could take the request for different ones, and for what
    it expects but can't have."""
    for name in _ONCE:
        if name in repeated:
            raise Refused(400, f"{name.decode().title()}: this header is there twice.")
    if b"transfer-encoding" in headers and b"content-length" in headers:
        raise Refused(400, "Content-Length and Transfer-Encoding can't both be there.")
    if headers.get(b"expect", b"100-continue").lower() != b"100-continue":
        raise Refused(417, "Expect: only 100-continue can be met.")


def to_api(headers: Mapping[bytes, bytes], request_id: str, *, has_body: bool) -> bytes:
    """The lines of the headers that go on to the API, but for those of the connection."""
    # Section 7.6.1 of RFC 9110: what Connection names is for this hop, and ends here.
    connection = headers.get(b"connection", b"")
    dropped = [name.strip().lower() for name in connection.split(b",")] if connection else ()
    lines = b"x-request-id: " + request_id.encode() + b"\r\n"
    for name in (b"accept", b"content-type") if has_body else (b"accept",):
        value = headers.get(name)
        if value is not None and name not in dropped:
            if not _VALUE.fullmatch(value):
                raise Refused(400, f"{name.decode().title()}: is not a value of this header.")
            lines += name + b": " + value + b"\r\n"
    return lines


def from_api(headers: Headers, base: str, *, date: bool) -> Headers:
    """The headers of an answer of the API that go on to the browser, its ``Date`` if asked for."""
    passed = [header for header in headers if header[0] in _PASSED_BACK]
    for name, value in headers:
        if name == b"date" and date:
            passed.append((name, value))
        if name == b"location" and value.startswith(_API):
            passed.append((name, base.encode() + b"/api/" + value.removeprefix(_API)))
    return passed


def request_id(headers: Mapping[bytes, bytes]) -> str | None:
    """The browser's own id for the request, if it is a UUID."""
    given = headers.get(b"x-request-id", b"").lower()
    return given.decode() if _UUID.fullmatch(given) else None
