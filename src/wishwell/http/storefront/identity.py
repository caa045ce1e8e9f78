"""Resolves the store, the browser's address and the shopper of a storefront request."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator

import structlog

from wishwell import profiles
from wishwell.access import addresses
from wishwell.access.auth import Caller
from wishwell.contacts.addresses import ShopAddress
from wishwell.errors import (
    Code,
    Forbidden,
    Invalid,
    NotFound,
    OutdatedToken,
    RequestError,
    Unauthenticated,
)
from wishwell.http import rate_limits
from wishwell.http.context import Request
from wishwell.profiles import Profile
from wishwell.shoppers import cookie, customers
from wishwell.shoppers.customers import Customer, Expired, InvalidEvidence, Placeholder
from wishwell.shoppers.shop import StorefrontRequest
from wishwell.stores import Store
from wishwell.telemetry import metrics

log = structlog.get_logger("wishwell.storefront")

_OTHER_SITE = "Only the shop's own pages may change a wishlist."

_LOG_SECONDS = 60.0
"""Minimum seconds between two log lines about a store's placeholders."""

_MAX_JWT_COOKIES = 4
"""Maximum different cookies of a request whose JWTs are verified."""


async def begin(request: Request, *, serves_off: bool = False) -> StorefrontRequest:
    """Resolves the store and the browser's address. Returns a visit without a shopper.

    The store is that of the proxy's token, else of the shop in the platform's signed query, else of
    the host. Raises ``NotFound`` for an unknown host and, unless ``serves_off``, a store that is
    off, and ``Forbidden`` and ``Unauthenticated`` for a token.
    """
    service = request.service
    await service.access_cache.ensure_fresh()
    caller = await find_proxy(request)
    host = _host(request, caller)
    store, signed = store_of(request, caller)
    if store is None:
        log.warning("unknown_host", requestId=request.id, host=host[:100])
        raise NotFound(f"No store has the host {host[:100]}.", "store_not_found")
    if not store.active and not serves_off:
        raise store_off()
    shop = service.shops.of(store)
    origin = shop.origins.get(host, "")
    if caller is not None and store.hosts and not origin:
        log.warning("unknown_host", requestId=request.id, store=store.handle, host=host[:100])
        raise Forbidden("X-Forwarded-Host: isn't a host of the token's store.", "host_not_allowed")
    secure = (
        origin.startswith("https:") if origin else _is_https(request, forwards(request, caller))
    )
    _check_sender(request, caller, signed=signed)
    shopper = address(request, caller, signed=signed)
    return StorefrontRequest(shop, host, secure, shopper, caller, signed)


# rule: store-off
def store_off() -> NotFound:
    """Returns the error for a store whose storefront is off."""
    return NotFound("The wishlists of this shop are turned off.", "store_off")


def store_of(request: Request, caller: Caller | None) -> tuple[Store | None, bool]:
    """Returns the store of a request, and whether the platform's signed query names it. ``caller``
    is the proxy's. Raises ``Unavailable`` if the store can't be read."""
    cache = request.service.access_cache
    of_host = cache.store_of_host(_host(request, caller))
    if caller is not None:
        return caller.store, False
    signed = _signing_store(request)
    if of_host is not None and of_host is not signed:
        signed = None  # on another store's host it would remove that store's cookies
    return signed or of_host, signed is not None


def forwards(request: Request, caller: Caller | None = None) -> bool:
    """Returns whether the sender of a request is trusted to forward its host and scheme."""
    trusted = request.service.settings.trusted_proxies
    return caller is not None or addresses.is_within(request.peer, trusted)


# rule: storefront-hosts
async def find_proxy(request: Request) -> Caller | None:
    """Returns the caller of a proxy's token, or ``None`` without one. Other schemes than Bearer are
    left to the shop."""
    scheme, _, token = (request.header(b"authorization") or "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    try:
        caller = await request.service.authenticator.caller(token.strip())
    except Unauthenticated as error:
        if not isinstance(error, OutdatedToken):
            await rate_limits.count_guess(request)
        raise
    if caller.kind not in ("storefront", "naming"):
        raise Forbidden(
            "This token is valid only for the API. Create one for the storefront: "
            "wishwell token create --for storefront",
            "token_kind_not_allowed",
        )
    return caller


# rule: storefront-hosts
def hosts_of(request: Request, forwards: bool) -> list[str]:
    """Returns the host that a request names, in the form of ``naming.authority``.

    Several, if proxies appended theirs. ``forwards``: whether to read ``X-Forwarded-Host``.
    """
    text = request.header(b"x-forwarded-host") if forwards else None
    hosts = text.split(",") if text else [request.header(b"host") or ""]
    return [
        host.strip().lower().removesuffix(":443").removesuffix(":80").removesuffix(".")
        for host in hosts
    ]


def _host(request: Request, caller: Caller | None) -> str:
    """Returns the host that the browser requested: of several, the last that is a host of a store,
    or of the store of ``caller``, the proxy; else the last."""
    hosts = hosts_of(request, forwards(request, caller))
    cache, store_id = request.service.access_cache, caller.store.id if caller else None
    return next((host for host in reversed(hosts) if cache.is_host_of(host, store_id)), hosts[-1])


def _is_https(request: Request, forwards: bool) -> bool:
    forwarded_scheme = request.header(b"x-forwarded-proto") if forwards else None
    return (forwarded_scheme or "").strip().lower() == "https"


# rule: limit-address
def address(request: Request, caller: Caller | None, *, signed: bool = False) -> str | None:
    """Returns the browser's address, or ``None`` if it is unknown. ``signed``: whether the platform
    forwards the request."""
    forwarded = addresses.read_forwarded_for(request.pairs)
    if caller is not None:
        last = (forwarded or "").rpartition(",")[2].strip()
        return addresses.shopper_address(last) if last else None
    trusted = request.service.settings.trusted_proxies
    # Without the setting, the sender may be a proxy that all browsers share.
    if not trusted:
        return None
    return addresses.shopper_address(request.peer, forwarded, trusted, by_platform=signed)


def _check_sender(request: Request, caller: Caller | None, *, signed: bool) -> None:
    """Counts, and logs once, a request that seems to come from a proxy that isn't trusted."""
    service = request.service
    if signed or forwards(request, caller) or not addresses.read_forwarded_for(request.pairs):
        return
    metrics.UNKNOWN_PROXIES.inc()
    if not service.has_warned_of_proxy:
        service.has_warned_of_proxy = True
        reason = "X-Forwarded-For is ignored: WISHWELL_TRUSTED_PROXIES lacks its sender"
        log.warning("unknown_proxy", network=addresses.network_of(request.peer), reason=reason)


def _signing_store(request: Request) -> Store | None:
    try:
        shop = customers.platform_shop(request.query_string)
    except InvalidEvidence:
        return None
    return request.service.access_cache.store_of_platform_shop(shop) if shop else None


# ------------------------------------------------------------------------------- who is shopping


async def identify(request: Request, visit: StorefrontRequest) -> None:
    """Resolves the customer and the visitor. Raises ``Unauthenticated`` for invalid evidence."""
    cookie_headers = [value for name, value in request.pairs if name == b"cookie"]
    cookie_values = (
        cookie.values(cookie_headers, cookie.name(secure=visit.secure)) if cookie_headers else []
    )
    session = _visitor(request, visit, cookie_values[0]) if len(cookie_values) == 1 else None
    if cookie_values:
        visit.has_cookie = True
        if session is None:
            visit.remove_cookie()
    try:
        customer = await _customer(request, visit, cookie_headers)
    except Placeholder as placeholder:
        customer = None
        _log_placeholder(request, visit.store, str(placeholder))
    visit.session = session
    if customer is not None:
        visit.customer = profiles.of_customer(visit.store, customer.gid)
        if customer.email:
            visit.shop_address = ShopAddress(visit.customer, customer.email, customer.language)
    else:
        visit.customer = None
    visit.is_identified = True


# rule: storefront-visitor
def _visitor(request: Request, visit: StorefrontRequest, value: bytes) -> Profile | None:
    now = request.service.cookie_seconds()
    visitor = visit.shop.cookies.visitor(value, now)
    if visitor is None:
        return None
    visit.is_due = visitor.is_due(now)
    session = profiles.of_session(visit.store, visitor.session, by_token=True)
    # Whatever the cookie's date, which may be in the future: a later visit gets a new session.
    return None if request.service.access_cache.is_profile_revoked(session.id) else session


# rule: placeholder-ids
def _log_placeholder(request: Request, store: Store, reason: str) -> None:
    """Logs once a minute and store that a customer's id is a placeholder."""
    logged, now = request.service.placeholders_logged, time.monotonic()
    if now - logged.get(store.id, -math.inf) >= _LOG_SECONDS:
        logged[store.id] = now
        log.warning("placeholder_ignored", requestId=request.id, store=store.handle, reason=reason)


# rule: storefront-naming
async def _customer(
    request: Request, visit: StorefrontRequest, cookie_headers: list[bytes]
) -> Customer | None:
    """Returns the customer: named by the proxy, else by the platform, else by the shop's JWT."""
    platform, naming = visit.store.platform, visit.store.naming
    customer_header = request.header(b"wishwell-customer")
    is_naming = visit.caller is not None and visit.caller.kind == "naming"
    for name in ("Wishwell-Customer", "Wishwell-Email"):
        if not is_naming and request.header(name.lower().encode()) is not None:
            raise Invalid(
                f"{name}: requires a token created with --names-customers.", cause="not_allowed"
            )
    if customer_header is not None:
        with _refuse_invalid(Invalid, "invalid_request", "Wishwell-Customer"):
            return (
                None
                if customer_header == "-"
                else Customer(customers.gid(platform, customer_header), _read_email(request))
            )
    if visit.signed:
        with _refuse_invalid(Unauthenticated, "signature_invalid", "The platform's signed query"):
            customer = customers.platform_customer(
                request.query_string, visit.shop.platform_secrets, int(time.time())
            )
            visit.signature = customers.signature(request.query_string)
            return None if customer is None else Customer(customers.gid(platform, customer))
    header = naming.jwt_header.lower().encode()
    if header and (text := request.header(header)) is not None:
        request.check_once(header)
        token = text[7:] if text[:7].lower() == "bearer " else text
        with _refuse_invalid(Unauthenticated, "signature_invalid", naming.jwt_header):
            return await visit.shop.customer(token.strip())
    if naming.jwt_cookie:
        cookie_values = cookie.values(cookie_headers, naming.jwt_cookie.encode())
        return (
            await _customer_of_cookies(request, visit, [*dict.fromkeys(cookie_values)])
            if cookie_values
            else None
        )
    return None


# rule: mail-addresses
def _read_email(request: Request) -> str:
    """Returns the verified address that the proxy names, or '' without one that can be read."""
    email = request.headers.get(b"wishwell-email", b"")
    return customers.read_address(email.decode("utf-8", "replace"))


# rule: storefront-jwt
async def _customer_of_cookies(
    request: Request, visit: StorefrontRequest, cookie_values: list[bytes]
) -> Customer | None:
    """Returns the customer that the JWTs of these cookies name, if it is one. A browser sends
    several if the shop set the cookie on different domains or paths."""
    customers_by_gid: dict[str, Customer] = {}
    reason, placeholder = "", None
    for value in cookie_values[:_MAX_JWT_COOKIES]:
        try:
            customer = await visit.shop.customer(value.decode("latin-1"))
            customers_by_gid[customer.gid] = customer
        except Expired as error:
            # Browsers send a shop's old cookies for years.
            reason = reason or (str(error) if len(cookie_values) > 1 else "")
        except Placeholder as error:
            placeholder = error
        except InvalidEvidence as error:
            reason = str(error)
    if len(customers_by_gid) == 1:
        return customers_by_gid.popitem()[1]
    if customers_by_gid:
        reason = "its cookies name different customers"
    if reason:
        metrics.count_refused_jwt(visit.store.handle)
        log.info("jwt_refused", requestId=request.id, store=visit.store.handle, reason=reason)
    if placeholder is not None:
        raise placeholder
    return None


@contextlib.contextmanager
def _refuse_invalid(
    error: Callable[[str, Code], RequestError], code: Code, evidence: str
) -> Iterator[None]:
    """Raises ``error`` with this ``code`` for invalid evidence other than a placeholder."""
    try:
        yield
    except Placeholder:
        raise
    except InvalidEvidence as refusal:
        raise error(f"{evidence}: {refusal}.", code) from None


# rule: storefront-same-origin
def check_origin(request: Request, visit: StorefrontRequest) -> None:
    """Raises ``Forbidden`` for a change that another site may have caused (CSRF)."""
    site = request.headers.get(b"sec-fetch-site")
    if site is not None:
        if site != b"same-origin":
            raise Forbidden(_OTHER_SITE, "origin_not_allowed")
        return
    origin = request.header(b"origin")
    if origin is None:
        # A platform may remove both headers. Other sites' pages can send neither JSON nor other
        # methods than POST without a preflight, which is refused.
        media_type = (request.header(b"content-type") or "").partition(";")[0].strip().lower()
        if visit.signed and (request.method != "POST" or media_type == "application/json"):
            return
        raise Forbidden(
            "A change requires the header Origin or Sec-Fetch-Site.", "origin_not_allowed"
        )
    # Compared literally: no browser sends upper case or the scheme's default port.
    own_origins = (f"{'https' if visit.secure else 'http'}://{visit.host}",)
    # The platform requests its own host.
    if origin not in (visit.store.hosts if visit.signed else own_origins):
        raise Forbidden(_OTHER_SITE, "origin_not_allowed")
