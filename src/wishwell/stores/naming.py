"""A shop's hosts and pages, and how it identifies its signed-in customers."""

import msgspec


# rule: storefront-naming
class Naming(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How the shop identifies its signed-in customers. Settings that are not set are omitted.

    Either by a JWT in a cookie or a header, verified with the store's keys or with ``jwt_key_set``
    (the URL of a JSON Web Key Set, or the set itself as JSON). Or by the platform's signed query
    string, for the shop ``platform_shop``.
    """

    jwt_cookie: str = ""
    jwt_header: str = ""
    jwt_issuer: str = ""
    jwt_audience: str = ""
    jwt_claim: str = ""
    jwt_key_set: str = ""
    """A URL, or the public keys."""
    platform_shop: str = ""


# rule: store-settings
class Pages(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """URLs of product pages, and of pages that replace the storefront's. Settings that are not set
    are omitted."""

    product_url: str = ""
    wishlist_page: str = ""
    shared_page: str = ""


def authority(origin: str) -> str:
    """Returns an origin's host and port, in the form of ``identity.host_of``."""
    return origin.partition("://")[2]


def normalised_origin(origin: str) -> str:
    """Normalises an origin as browsers do: lower case, without the scheme's default port."""
    origin = origin.lower().removesuffix("/")
    return origin.removesuffix(":443" if origin.startswith("https:") else ":80")
