"""Visitors of a platform that removes cookies: their key, and its exchange for a session's token.

The page sends the key in bodies only (rule: storefront-visitor-key).
"""

import re
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import profiles
from wishwell.access.auth import Caller
from wishwell.errors import (
    Forbidden,
    Invalid,
    NotFound,
    OutdatedToken,
    SessionEnded,
    Unauthenticated,
)
from wishwell.http import queries, rate_limits, request_body, request_types, responses
from wishwell.http.context import Request
from wishwell.http.responses import Headers, Response
from wishwell.http.server import flows
from wishwell.http.storefront import identity
from wishwell.profiles import Profile
from wishwell.shoppers.shop import Shop, StorefrontRequest
from wishwell.stores import Store, rules

EXCHANGE = "/visitor/token"
"""The path, below the storefront's API, that exchanges a key for a token."""

PREFIX = "wwvis_"
_TOKEN_SECONDS = 900
"""Seconds for which a token is valid: the page keeps it in memory only."""

_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?")
"""Hosts whose pages browsers trust without HTTPS."""

_PREFLIGHT = [
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-allow-headers", b"Content-Type"),
    (b"access-control-max-age", b"7200"),
]
_OTHER_SITE = "Only the shop's own pages may send a visitor's key."


class KeyBody(request_types.Body):
    """A visitor's key."""

    key: Annotated[str, Meta(max_length=500)]


class VisitorToken(msgspec.Struct, rename="camel"):
    """A session's token. ``expires_in``: seconds. ``shopper``: the value of ``Wishwell-Shopper``.
    ``key``: replaces the visitor's key, once a day."""

    token: str
    expires_in: int
    shopper: str
    key: str | UnsetType = UNSET


async def key_in(request: Request) -> str:
    """Returns the key in the body. Raises the errors of ``request_body.decode``."""
    try:
        return (await request_body.decode(request, KeyBody)).key
    except Invalid as error:
        rule = 'Send {"key": "…"}, with a visitor\'s key of at most 500 characters.'
        raise Invalid(f"{error.message} {rule}") from error


def key_of(shop: Shop, session: Profile, now: int) -> str:
    """Returns a new key of a session; ``now`` in milliseconds."""
    return f"{PREFIX}{shop.store.id}.{shop.visitor_keys.value(session.gid, now // 1000)}"


# rule: storefront-platform
def service_of(visit: StorefrontRequest) -> str:
    """Returns the origin at which browsers reach this service: the store's setting, else where the
    platform has sent this request. Empty if that is the shop's own host, which has no API, or
    isn't a valid host, because the origin becomes part of a page's content security policy."""
    host, store = visit.host, visit.store
    if store.naming.service_url:
        return store.naming.service_url
    if host in visit.shop.origins or host == store.naming.platform_shop:
        return ""
    is_local = _LOOPBACK.fullmatch(host) is not None and not visit.secure
    origin = f"{'http' if is_local else 'https'}://{host}"
    return origin if re.fullmatch(rules.ORIGIN, origin) else ""


def with_key(body: bytes, visit: StorefrontRequest) -> bytes:
    """Returns a response's body, a JSON object, with the visitor's new key added."""
    visitor = {"key": visit.new_key, "service": service_of(visit)}
    return b'%b,"visitor":%b}' % (body[:-1], msgspec.json.encode(visitor))


# rule: storefront-visitor-key
async def session_of(request: Request, shop: Shop, key: str) -> tuple[Profile, bool]:
    """Returns a key's session, and whether to renew the key.

    Raises ``Unauthenticated`` for a key that is invalid, expired, revoked or of another store, and
    counts a wrong one as a guess.
    """
    now = request.service.cookie_seconds()
    prefix, value = key[: len(PREFIX) + 37], key[len(PREFIX) + 37 :]
    of_store = prefix == f"{PREFIX}{shop.store.id}."
    visitor = shop.visitor_keys.visitor(value.encode(), now) if of_store else None
    if visitor is None:
        await rate_limits.count_guess(request)
        raise Unauthenticated("key: isn't a valid visitor's key of this store, or has expired.")
    session = profiles.of_session(shop.store, visitor.session, by_token=True)
    # Whatever the key's date, as for a cookie: a later visit gets a new session.
    if request.service.access_cache.is_profile_revoked(session.id):
        raise OutdatedToken("key: was revoked.", "token_revoked")
    return session, visitor.is_due(now)


# rule: storefront-visitor-key
async def token(request: Request) -> Response:
    """Returns a token of the session of the key in the body, or the response to a preflight.

    Raises ``Forbidden`` for an origin that isn't the store's, and ``Unauthenticated``.
    """
    service, cache = request.service, request.service.access_cache
    await cache.ensure_fresh()
    origin = request.headers.get(b"origin", b"").decode("latin-1")
    if request.method == "OPTIONS":
        if not cache.allows_origin(origin):
            raise Forbidden(_OTHER_SITE, "origin_not_allowed")
        return Response(204, b"", list(_PREFLIGHT))
    queries.parameters(request.query_string, frozenset())  # raises for any
    if (sender := identity.address(request, None)) is not None:
        limit, what = service.settings.limit_visitor_read, "exchanges of visitors' keys"
        await rate_limits.count_address(request, f"exchanges:{sender}", limit, what)
    key = await key_in(request)
    store = _store(request, key)
    if store is None:
        await rate_limits.count_guess(request)
        raise Unauthenticated("key: isn't a visitor's key.")
    if not store.active:
        raise identity.store_off()
    site = request.headers.get(b"sec-fetch-site", b"cross-site")
    if origin not in store.browser_origins or site not in (b"cross-site", b"same-site"):
        raise Forbidden(_OTHER_SITE, "origin_not_allowed")
    shop = service.shops.of(store)
    session, is_due = await session_of(request, shop, key)
    request.caller = Caller("session", store, "", session)
    request.acts_on = session
    request.flow = flows.of_caller(request, request.caller)
    await rate_limits.count(request, rate_limits.limit_of(request, "token"))
    try:
        await service.db.write(profiles.renew_session, session, request.now())
    except NotFound:
        raise SessionEnded("key: this visitor's session has ended.") from None
    # Dated now: a revocation that this process hasn't seen yet covers the token, too.
    issued = service.authenticator.issue(session, seconds=_TOKEN_SECONDS)
    response = VisitorToken(issued, _TOKEN_SECONDS, shop.cookies.shopper(session.gid).decode())
    if is_due:
        response.key = key_of(shop, session, service.clock())
    return responses.record(response)


def _store(request: Request, key: str) -> Store | None:
    """Returns the store that a key names, unverified."""
    id = key[len(PREFIX) :].partition(".")[0]
    return request.service.access_cache.store(id) if key.startswith(PREFIX) else None


def cors(request: Request) -> Headers:
    """Returns the headers with which the shop's pages may read the response."""
    if (origin := request.headers.get(b"origin")) is None:
        return responses.cors(b"", allowed=False)
    allowed = request.service.access_cache.allows_origin(origin.decode("latin-1"))
    return responses.cors(origin, allowed)
