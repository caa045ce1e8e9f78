"""How many sessions one address may begin: each costs the admin token, which serves everybody."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from wishwell import addresses
from wishwell.proxy.answers import Refused
from wishwell.proxy.settings import Settings

_WINDOW = 60
_MOST = 100_000
"""Addresses that are counted in one window: a bound on memory; those beyond it are not refused."""


def address(scope: Mapping[str, Any], settings: Settings) -> str | None:
    """Who a request comes from; None where that may be a proxy which nobody has named."""
    client = scope.get("client")
    if client is None or not settings.trusted:
        return None
    forwarded = addresses.forwarded(scope["headers"])
    return addresses.of_shopper(client[0], forwarded, settings.trusted)


class Newcomers:
    """Counts by the minute, in this process. ``most`` sessions of an address; 0 is no bound."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._ends = 0.0
        self._counts: Counter[str] = Counter()

    def check(self, address: str | None) -> None:
        """Counts one more. Raises ``Refused``: 429, with the seconds to wait."""
        if address is None or not self._most:
            return
        now = self._clock()
        if now >= self._ends:
            self._ends = now + _WINDOW
            self._counts.clear()
        if self._counts[address] >= self._most:
            wait = b"%d" % (int(self._ends - now) + 1)
            raise Refused(
                429, "Too many new wishlists from this address.", [(b"retry-after", wait)]
            )
        if len(self._counts) < _MOST or address in self._counts:
            self._counts[address] += 1
