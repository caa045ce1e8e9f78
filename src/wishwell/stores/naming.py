"""A shop's hosts and pages, and how it identifies its signed-in customers."""

from collections.abc import Sequence

import msgspec

from wishwell.errors import Invalid


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
    jwt_email_claim: str = ""
    jwt_verified_claim: str = ""
    jwt_locale_claim: str = ""
    jwt_key_set: str = ""
    """A URL, or the public keys."""
    platform_shop: str = ""
    service_url: str = ""
    """The origin at which browsers reach this service, for visitors of a platform that removes
    cookies."""


# rule: store-settings
class Pages(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """URLs of product pages, and of pages that replace the storefront's. Settings that are not set
    are omitted."""

    product_url: str = ""
    wishlist_page: str = ""
    shared_page: str = ""


def authority(origin: str) -> str:
    """Returns an origin's host and port, in the form of ``identity.hosts_of``."""
    return origin.partition("://")[2]


def normalised_origin(origin: str) -> str:
    """Normalises an origin as browsers do: lower case, without the scheme's default port."""
    origin = origin.lower().removesuffix("/")
    return origin.removesuffix(":443" if origin.startswith("https:") else ":80")


def check_hosts(hosts: Sequence[str], service_url: str) -> None:
    """Raises ``Invalid`` for a repeated host, and for a service's address that has no API."""
    authorities = set(map(authority, hosts))
    if len(authorities) < len(hosts):
        raise Invalid("host: contains the same host with http and with https; keep only one.")
    # rule: storefront-visitor-key
    if service_url and authority(service_url) in authorities:
        raise Invalid(
            f"service-url: {service_url[:80]!r} must not be one of the shop's hosts, which have no "
            "API."
        )
