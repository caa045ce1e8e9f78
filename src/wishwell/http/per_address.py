"""Requests that count for the address that they come from."""

from wishwell import addresses, limits
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


# contract: limit-per-address
async def count_guess(service: Services, request: Request) -> None:
    """Counts a wrong token. Raises ``TooManyRequests``."""
    if (known := address(service, request)) is not None:
        await count(service, request, f"address:{known}", service.settings.limit_address)


async def count(service: Services, request: Request, key: str, limit: int) -> None:
    """Counts a request of an address. Raises ``TooManyRequests``."""
    request.taken = taken = await service.limiter.take(key, limit)
    if not taken.allowed:
        metrics.limited("address")
        raise limits.too_many(taken, "requests from this address", service.clock())
