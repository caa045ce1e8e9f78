"""Where a request comes from: the shop's own origin, over https or not. No I/O."""

from collections.abc import Mapping
from typing import Any

from wishwell import addresses
from wishwell.proxy.answers import Refused
from wishwell.proxy.settings import Settings, plain_origin

Headers = Mapping[bytes, bytes]


def is_secure(scope: Mapping[str, Any], headers: Headers, settings: Settings) -> bool:
    """Whether the browser speaks https, to whoever it is that it speaks to."""
    if settings.secure != "auto":
        return settings.secure == "always"
    if b"x-forwarded-proto" in headers and is_trusted(scope, settings):
        told = headers[b"x-forwarded-proto"].strip().lower()
        if told in (b"http", b"https"):
            return told == b"https"
    return bool(scope.get("scheme") == "https")


def check_same(
    scope: Mapping[str, Any], headers: Headers, settings: Settings, *, secure: bool
) -> None:
    """Raises ``Refused`` for a change that another site may have caused."""
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        if site != b"same-origin":
            raise Refused(403, "Only the shop's own pages may change a wishlist.")
        return
    given = headers.get(b"origin")
    if given is None:
        raise Refused(403, "A change needs the header Origin or Sec-Fetch-Site.")
    # As a browser writes it, letter for letter: no browser sends upper case, or the scheme's port.
    own = settings.origin or (_own(scope, headers, settings, secure=secure),)
    if given.decode("latin-1") not in own:
        raise Refused(403, "Only the shop's own pages may change a wishlist.")


def is_trusted(scope: Mapping[str, Any], settings: Settings) -> bool:
    """Whether the request comes from one of the shop's own proxies."""
    client = scope.get("client")
    return client is not None and addresses.is_within(client[0], settings.trusted)


def _own(
    scope: Mapping[str, Any], headers: Headers, settings: Settings, *, secure: bool
) -> str | None:
    """The origin that the request itself names; None if it names none."""
    host = headers.get(b"host")
    if b"x-forwarded-host" in headers and is_trusted(scope, settings):
        host = headers[b"x-forwarded-host"]
    if not host:
        return None
    scheme = "https" if secure else "http"
    return plain_origin(f"{scheme}://{host.strip().decode('latin-1')}")
