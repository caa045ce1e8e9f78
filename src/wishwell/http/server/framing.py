"""Protection against request smuggling and ambiguous hosts.

Refuses requests that the parser accepts but that a proxy in front might frame or route differently.
"""

import operator
import re
from collections.abc import Collection

from wishwell.errors import FieldCode, HeadersTooLarge, Invalid
from wishwell.http.responses import Headers

MAX_HEADER_BYTES = 16 * 1024
MAX_HEADERS = 150
_AUTHORITY = re.compile(rb"https?://([^/?#]+)")
_BODY = frozenset({b"content-length", b"transfer-encoding"})


# rule: request-smuggling
def check(url: bytes, version: str, headers: Headers, *, upgrades: bool) -> None:
    """Raises ``Invalid`` for a request that a proxy and this server might interpret differently."""
    names = [*map(operator.itemgetter(0), headers)]
    if version == "1.0":
        if b"transfer-encoding" in names:
            # RFC 9112, 6.1: faulty framing. An older proxy would see the body end elsewhere.
            raise Invalid("Transfer-Encoding: is not allowed in HTTP/1.0.", cause="not_allowed")
    elif version != "1.1":
        raise Invalid("The request must use HTTP/1.1.")
    if names.count(b"host") != 1 and (version == "1.1" or b"host" in names):
        cause: FieldCode = "repeated" if b"host" in names else "required"
        raise Invalid("Host: must be sent exactly once.", cause=cause)
    if b"transfer-encoding" in names:
        codings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
        if codings != [b"chunked"]:
            raise Invalid("Transfer-Encoding: must be chunked.")
    if not url.startswith(b"/"):
        _check_absolute(url, [value for name, value in headers if name == b"host"])
    if upgrades and not _BODY.isdisjoint(names):
        # The parser would pass the body on as data of the other protocol, and the request could
        # mean something else without its body.
        raise Invalid("Upgrade: is not allowed on a request with a body.", cause="not_allowed")


# rule: request-smuggling
def _check_absolute(url: bytes, hosts: Collection[bytes]) -> None:
    """Raises ``Invalid`` for a target that is neither a path nor a URL on the host in ``Host``.

    HTTP gives the target precedence, but a proxy in front may use either. Because both are equal
    after this check, other code can rely on ``Host``.
    """
    authority_match = _AUTHORITY.match(url)
    if authority_match is None:
        raise Invalid("The request target must be a path.")
    if [host.lower() for host in hosts] != [authority_match[1].lower()]:
        raise Invalid("Host: must be the same as the host of the request target.")


# rule: request-limits
def check_size(size: int, headers: Headers) -> None:
    """Raises ``HeadersTooLarge`` if headers are too many bytes or lines."""
    if size > MAX_HEADER_BYTES:
        raise too_large()
    if len(headers) > MAX_HEADERS:
        raise HeadersTooLarge(f"The request has more than {MAX_HEADERS} headers.")


def too_large() -> HeadersTooLarge:
    size = MAX_HEADER_BYTES // 1024
    return HeadersTooLarge(f"The request line and headers are larger than {size} KiB.")
