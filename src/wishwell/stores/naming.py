"""How a store knows its shop: its hosts, its pages, and how it names its customers."""

import msgspec


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


def plain(origin: str) -> str:
    """An origin as a browser writes it: lower case, without the scheme's own port."""
    origin = origin.lower().removesuffix("/")
    return origin.removesuffix(":443" if origin.startswith("https:") else ":80")
