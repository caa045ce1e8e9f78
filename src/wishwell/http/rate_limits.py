"""Rate limiting: chooses a request's limit, by caller or client address, and counts it."""

from collections.abc import Awaitable

import msgspec

from wishwell import ratelimits, stores
from wishwell.access import addresses
from wishwell.errors import RequestError, TooManyCode
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.ratelimits import Kind
from wishwell.stores import Store
from wishwell.telemetry import metrics


class RateLimit(msgspec.Struct, frozen=True, gc=False):
    """A rate limit to count against.

    ``kind`` is the label of the metric; ``key`` identifies the counter; ``limit`` is requests a
    minute; ``what`` names such requests in the error message, by default by their kind.
    """

    kind: str
    key: str
    limit: int
    what: str = ""
    code: TooManyCode = "rate_limited"


def address(request: Request) -> str | None:
    """Returns the client's IP address. It may be unknown (``None``) on the storefront only."""
    if request.visit is not None:
        return request.visit.address
    proxies = request.service.settings.trusted_proxies
    forwarded = addresses.read_forwarded_for(request.pairs) if proxies else None
    return addresses.client_address(request.peer, forwarded, proxies)


# rules: limit-caller, limit-address
def limit_of(request: Request, kind: Kind) -> RateLimit | None:
    """Returns the limit that applies, or ``None`` if neither caller nor address is known."""
    settings, caller = request.service.settings, request.caller
    if kind == "shared" and not has_bad_token(request):
        if (caller is None or caller.profile is not None) and (client_address := address(request)):
            what = "reads of shared lists from this address"
            return RateLimit(kind, f"shared:{client_address}", settings.limit_shared, what)
    elif caller is None:
        return _address_limit(request)
    if caller is None:
        return None
    who, id = ("profile", caller.profile.id) if caller.profile else ("admin", caller.token_id)
    kind = "read" if kind == "shared" else kind
    limit = stores.limit(caller.store, settings, f"{who}_{kind}")
    return RateLimit(kind, f"{caller.store.id}:{id}:{kind}", limit)


# rule: limit-address
def _address_limit(request: Request) -> RateLimit | None:
    client_address = address(request)
    if client_address is None:
        return None
    what = "requests without a valid token from this address"
    limit = request.service.settings.limit_address
    return RateLimit(
        "address", f"address:{client_address}", limit, what, "rate_limited_without_token"
    )


async def count(request: Request, limit: RateLimit | None, cost: int = 1) -> None:
    """Counts a request; ``cost`` 0 only reads the state. Raises ``TooManyRequests``."""
    if limit is None:
        return
    service = request.service
    request.rate_limit_state = state = await service.limiter.consume(limit.key, limit.limit, cost)
    if not state.allowed:
        metrics.LIMITED.labels(limit.kind).inc()
        what = limit.what or f"{limit.kind} requests"
        error = ratelimits.too_many(state, what, service.clock(), limit.code)
        if limit.code == "rate_limited_without_token" and has_bad_token(request):
            error.message = f"The access token is not valid. {error.message}"
        raise error


async def count_address(request: Request, key: str, limit: int, what: str) -> None:
    """Counts a request against a limit per address. Raises ``TooManyRequests``.

    ``what`` names such requests in the error message.
    """
    await count(request, RateLimit("address", key, limit, f"{what} from this address"))


# rule: limit-caller
async def count_webhook(request: Request, store: Store) -> None:
    """Charges a platform's verified webhook to its store. Raises ``TooManyRequests``."""
    limit = stores.limit(store, request.service.settings, "admin_write")
    key = f"{store.id}:platform:write"
    await count(request, RateLimit("admin", key, limit, "webhooks for this shop"))


# rule: limit-address
async def count_forged(request: Request, answer: Awaitable[Response]) -> Response:
    """Returns the response to a request whose handler counts it once it is verified.

    A request that fails before is counted for its address: forged ones must not use up a limit that
    the platform's own share. Raises the error, or ``TooManyRequests``.
    """
    try:
        return await answer
    except RequestError:
        if request.rate_limit_state is None:
            await count_guess(request)
        raise


async def count_guess(request: Request) -> None:
    """Counts a wrong token against the client's address. Raises ``TooManyRequests``."""
    await count(request, _address_limit(request))


# rule: share-token
def has_bad_token(request: Request) -> bool:
    """Returns whether the request has an ``Authorization`` header that didn't authenticate.

    False on the storefront, where the header belongs to the proxy.
    """
    has_header = request.visit is None and b"authorization" in request.headers
    return has_header and request.caller is None
