"""Metrics by store: the busiest by name, all others as one, so that labels stay few.

Counted in memory, and added to the metrics once a second. Each process chooses for itself.
"""

from collections import Counter as Tally

from prometheus_client import Counter

_NAMED = 20
"""How many stores a process counts by name at a time."""

_EVER = 100
"""How many it ever names. Their metrics stay until it ends, so then it names no others."""

_MINUTE = 60
OTHERS = "(others)"
"""No handle has brackets."""

_REQUESTS = Counter(
    "wishwell_store_requests",
    "Requests of the busiest stores, and of all others together.",
    ("store", "outcome"),
)
_SECONDS = Counter(
    "wishwell_store_request_seconds",
    "Time that the requests of these stores took.",
    ("store",),
)
_REQUESTS.labels(OTHERS, "answered")  # at 0 from the start
_SECONDS.labels(OTHERS)


def outcome(status: int) -> str:
    """What became of a request, in a word."""
    if status == 429:
        return "limited"
    return "failed" if status >= 500 else "refused" if status >= 400 else "answered"


# contract: metrics-stores
class BusiestStores:
    """Counts requests by store. ``flush`` once a second."""

    def __init__(self) -> None:
        self._counted: Tally[tuple[str, int]] = Tally()
        self._took: dict[str, float] = {}
        self._minute: Tally[str] = Tally()
        self._named: set[str] = set()
        self._ever: set[str] = set()
        self._flushes = 0

    def count(self, handle: str, status: int, seconds: float) -> None:
        """Counts one request of a store."""
        self._counted[handle, status] += 1
        self._took[handle] = self._took.get(handle, 0) + seconds

    def flush(self) -> None:
        """Adds what was counted to the metrics, and chooses anew once a minute."""
        counted, self._counted = self._counted, Tally()
        took, self._took = self._took, {}
        for (handle, _), number in counted.items():
            self._minute[handle] += number
        self._flushes += 1
        if self._flushes % _MINUTE == 0:
            self._choose(set())
            self._minute.clear()
        elif len(self._named) < _NAMED:
            self._choose(self._named)
        for (handle, status), number in counted.items():
            _REQUESTS.labels(self._label(handle), outcome(status)).inc(number)
        for handle, seconds in took.items():
            _SECONDS.labels(self._label(handle)).inc(seconds)

    def _label(self, handle: str) -> str:
        return handle if handle in self._named else OTHERS

    def _choose(self, named: set[str]) -> None:
        """Fills ``named`` with the busiest of this minute."""
        for handle, _ in self._minute.most_common():
            if len(named) >= _NAMED:
                break
            if handle in self._ever or len(self._ever) < _EVER:
                named.add(handle)
                self._ever.add(handle)
        self._named = named


STORES = BusiestStores()
