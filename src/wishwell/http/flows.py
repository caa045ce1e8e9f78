"""Finds the flow of a request, whose fair share the request uses (``fair_queue.py``).

Inside a store, customers share by profile, visitors by client address. An admin token counts as the
profile that it acts on, else as itself. A visitor whose address isn't known, because no proxy is
trusted, counts by the address of the connection.
"""

from wishwell import lru
from wishwell.access.auth import Caller
from wishwell.errors import ServiceError
from wishwell.fair_queue import NO_STORE, Flow
from wishwell.http import rate_limits
from wishwell.http.context import Request
from wishwell.http.storefront import identity
from wishwell.shoppers.shop import StorefrontRequest

_REMEMBERED = 10_000
"""Maximum cached flows, by token and ``Profile`` header."""


def of_caller(request: Request, caller: Caller) -> Flow:
    """Returns the flow of an API request with a valid token."""
    known, key = request.service.flows, _key(request)
    if (flow := known.get(key)) is None:
        party = caller.profile.gid if caller.profile else request.header(b"profile")
        flow = Flow(caller.store.id, party or caller.token_id)
        lru.keep(known, key, flow, _REMEMBERED)
    return flow


def _key(request: Request) -> tuple[bytes | None, bytes | None]:
    headers = request.headers
    return headers.get(b"authorization"), headers.get(b"profile")


def of_visit(request: Request, visit: StorefrontRequest) -> Flow:
    """Returns the flow of a storefront request."""
    party = visit.customer.gid if visit.customer else visit.address
    return Flow(visit.store.id, party or request.peer)


def before_checks(request: Request) -> Flow:
    """Returns the flow of a request that isn't checked yet, from the caches: without I/O."""
    if not request.shopping and (flow := request.service.flows.get(_key(request))) is not None:
        return flow
    scheme, _, token = (request.header(b"authorization") or "").partition(" ")
    bearer = scheme.lower() == "bearer"
    caller = request.service.authenticator.known(token.strip()) if bearer else None
    if request.shopping:
        try:
            store, _ = identity.store_of(request, caller)
        except ServiceError:
            store = None
        party = identity.address(request, caller) or request.peer
        return Flow(store.id if store else NO_STORE, party)
    if caller is not None:
        return of_caller(request, caller)
    return Flow(NO_STORE, rate_limits.address(request) or "")
