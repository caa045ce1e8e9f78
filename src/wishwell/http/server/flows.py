"""Finds the flow of a request, whose fair share the request uses (``fair_queue.py``).

Inside a store, customers share by profile, visitors by client address and, at an address, by
session. An admin token counts as the profile that it acts on, else as itself. If the address isn't
known, a visitor on the storefront counts by the address of the connection, and a session's token by
its session.
"""

from wishwell.access import addresses
from wishwell.access.auth import Caller
from wishwell.errors import ServiceError
from wishwell.fairness.fair_queue import NO_STORE, Flow
from wishwell.http import rate_limits
from wishwell.http.context import Request
from wishwell.http.storefront import identity
from wishwell.shoppers import cookie
from wishwell.shoppers.shop import StorefrontRequest
from wishwell.stores import Store


def of_caller(request: Request, caller: Caller) -> Flow:
    """Returns the flow of a request with a valid token."""
    if caller.profile is not None and caller.profile.is_session:
        trusted, gid = request.service.settings.trusted_proxies, caller.profile.gid
        forwarded = addresses.read_forwarded_for(request.pairs) if trusted else None
        address = addresses.shopper_address(request.peer, forwarded, trusted)
        return Flow(caller.store.id, address or gid, gid)
    party = caller.profile.gid if caller.profile else request.header(b"profile")
    return Flow(caller.store.id, party or caller.token_id)


def of_visit(request: Request, visit: StorefrontRequest) -> Flow:
    if visit.customer is not None:
        return Flow(visit.store.id, visit.customer.gid)
    session = visit.session.gid if visit.session else ""
    return Flow(visit.store.id, visit.address or request.peer, session)


def sender(request: Request) -> str:
    """Returns the client's address; that of the connection if it isn't known. Without I/O."""
    if request.shopping:
        return identity.address(request, _known_caller(request)) or request.peer
    return rate_limits.address(request) or request.peer


def _known_caller(request: Request) -> Caller | None:
    """Returns the caller that a request's token names, from the caches."""
    scheme, _, token = (request.header(b"authorization") or "").partition(" ")
    bearer = scheme.lower() == "bearer"
    return request.service.authenticator.cached_caller(token.strip()) if bearer else None


def _session(request: Request, store: Store) -> str:
    """Returns the GID of the visitor's session in the cookie, or ""."""
    jars = [value for name, value in request.pairs if name == b"cookie"]
    values = [
        value
        for secure in (True, False)
        for value in cookie.values(jars, cookie.name(secure=secure))
    ]
    if not values:
        return ""
    try:
        cookies = request.service.shops.of(store).cookies
    except ServiceError:
        return ""
    visitor = cookies.visitor(values[0], request.service.cookie_seconds())
    return visitor.session if visitor else ""


def before_checks(request: Request) -> Flow:
    """Returns the flow of a request that isn't checked yet, from the caches: without I/O."""
    caller = _known_caller(request)
    if request.shopping:
        try:
            store, _ = identity.store_of(request, caller)
        except ServiceError:
            store = None
        party = identity.address(request, caller) or request.peer
        if store is None:
            return Flow(NO_STORE, party)
        return Flow(store.id, party, _session(request, store))
    if caller is not None:
        return of_caller(request, caller)
    return Flow(NO_STORE, rate_limits.address(request) or "")
