"""Requests that count for the address that they come from."""

from wishwell import limits
from wishwell.access import addresses
from wishwell.http import metrics
from wishwell.http.context import Request, Services


def address(service: Services, request: Request) -> str | None:
    """The client's address. Only on the storefront it may be unknown."""
    if request.visit is not None:
        return request.visit.address
    forwarded = addresses.forwarded(request.pairs)
    if forwarded is None:
        return addresses.direct(request.peer)
    return addresses.of_client(request.peer, forwarded, service.settings.trusted_proxies)


COUNTED = {
    "address": "requests without a valid token from this address",
    "shared": "reads of shared lists from this address",
}
"""What counts for an address, as a refusal says it."""


# contract: limit-per-address
async def count_guess(service: Services, request: Request) -> None:
    """Counts a wrong token. Raises ``TooManyRequests``."""
    if (known := address(service, request)) is not None:
        limit = service.settings.limit_address
        await count(service, request, f"address:{known}", limit, COUNTED["address"])


async def count(service: Services, request: Request, key: str, limit: int, what: str) -> None:
    """Counts a request of an address; ``what`` names such requests. Raises ``TooManyRequests``."""
    request.taken = taken = await service.limiter.take(key, limit)
    if not taken.allowed:
        metrics.limited("address")
        raise limits.too_many(taken, what, service.clock())
