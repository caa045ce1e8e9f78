"""How a store knows its shop: its hosts, its pages, and how it names its customers."""

import re
from collections.abc import Sequence

import msgspec

from wishwell.errors import Invalid

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{0,100}")
_TEXT = re.compile(r"[ -~]{0,1000}")
_SHOP = re.compile(
    r"https?://([a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?"
)
_TAKEN = (
    *("authorization", "connection", "content-", "cookie", "expect", "forwarded", "host", "origin"),
    *("profile", "sec-", "set-cookie", "transfer-encoding", "wishwell-", "x-forwarded-"),
    *("x-request-id",),
)
"""Headers whose names begin with one of these have a meaning of their own."""
_ADDRESS = re.compile(r"(https://[a-z0-9.-]{1,253}(:[0-9]{1,5})?)?/(?![/\\])[!-\[\]-~]{0,999}")
MOST_HOSTS = 50


# contract: storefront-naming
class Naming(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How a shop names its signed-in customers. Empty texts are not set.

    By a JWT in a cookie or a header, verified with the store's keys or with ``jwt_key_set``: a URL,
    or the key set itself in JSON. Or by the platform's signed query of ``platform_shop``.
    """

    jwt_cookie: str = ""
    jwt_header: str = ""
    jwt_issuer: str = ""
    jwt_audience: str = ""
    jwt_claim: str = ""
    jwt_key_set: str = ""
    platform_shop: str = ""


# contract: store-pages
class Pages(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A product's page, and pages in place of the storefront's. Empty texts are not set."""

    product_url: str = ""
    wishlist_page: str = ""
    shared_page: str = ""


def authority(origin: str) -> str:
    """An origin without its scheme, as ``identity.host_of`` gives it."""
    return origin.partition("://")[2]


def check_hosts(hosts: Sequence[str]) -> None:
    """Raises ``Invalid`` for hosts that a store can't have."""
    if len(hosts) > MOST_HOSTS:
        raise Invalid(f"host: a store has at most {MOST_HOSTS} hosts.")
    for host in hosts:
        port = host.rpartition(":")[2]
        # In this order: what the pattern takes has a port of at most 5 digits.
        is_origin = _SHOP.fullmatch(host) and not (port.isdecimal() and int(port) > 65_535)
        if not is_origin or plain(host) != host:
            raise Invalid(
                f"host: {host[:80]!r} is not an origin; use the form https://shop.example."
            )
    if len({authority(host) for host in hosts}) < len(hosts):
        raise Invalid("host: names a host twice, with http and with https; keep one.")


def check_naming(naming: Naming) -> None:
    """Raises ``Invalid`` for a field that breaks its rule."""
    for field in ("jwt_cookie", "jwt_header"):
        if not _NAME.fullmatch(getattr(naming, field)):
            raise Invalid(f"{field.replace('_', '-')}: must be a name of at most 100 characters.")
    if naming.jwt_header.lower().startswith(_TAKEN):
        raise Invalid(f"jwt-header: can't be {naming.jwt_header}, which has its own meaning.")
    if naming.jwt_cookie.lower() in ("wishwell", "__host-wishwell"):
        raise Invalid(f"jwt-cookie: can't be {naming.jwt_cookie}, which is the visitor's.")
    for field in ("jwt_issuer", "jwt_audience", "jwt_claim", "platform_shop"):
        if not _TEXT.fullmatch(getattr(naming, field)):
            text = field.replace("_", "-")
            raise Invalid(f"{text}: must be at most 1,000 printable ASCII characters.")


def check_pages(pages: Pages) -> None:
    """Raises ``Invalid`` for a field that breaks its rule."""
    for field in pages.__struct_fields__:
        text = getattr(pages, field)
        if text and not _ADDRESS.fullmatch(text):
            raise Invalid(
                f"{field.replace('_', '-')}: must be empty, a path that begins with one /, or an "
                "https URL with a path, of at most 1,000 characters."
            )
    url, shared = pages.product_url, pages.shared_page
    if url and not (url.startswith("https:") and "{productId}" in url):
        raise Invalid("product-url: must be an https URL with {productId} in it.")
    if "#" in shared and "{token}" not in shared:
        raise Invalid("shared-page: must have no #, as the token comes behind one, or {token}.")


def plain(origin: str) -> str:
    """An origin as a browser writes it: lower case, without the scheme's own port."""
    origin = origin.lower().removesuffix("/")
    return origin.removesuffix(":443" if origin.startswith("https:") else ":80")
