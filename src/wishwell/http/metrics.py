"""The numbers that an operator needs, for Prometheus."""

import functools

from prometheus_client import Counter, Histogram

_REQUESTS = Counter("wishwell_requests", "Requests answered.", ("method", "route", "status"))
_SECONDS = Histogram(
    "wishwell_request_seconds",
    "Time from a request's headers to its answer.",
    ("route",),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
_LIMITED = Counter("wishwell_limited", "Requests refused by a rate limit.", ("kind",))
_LINKS = Counter("wishwell_links", "Sessions linked to a customer.")
_LINKED_ITEMS = Counter("wishwell_linked_items", "Items moved or merged by links.")
_PURGED = Counter("wishwell_purged_sessions", "Sessions purged.")


@functools.lru_cache(maxsize=2048)
def _answered(method: str, route: str, status: int) -> Counter:
    return _REQUESTS.labels(method, route, str(status))


@functools.lru_cache(maxsize=256)
def _took(route: str) -> Histogram:
    return _SECONDS.labels(route)


def answered(method: str, route: str, status: int, seconds: float) -> None:
    """One request: its route's template, never its path."""
    _answered(method, route, status).inc()
    _took(route).observe(seconds)


def limited(kind: str) -> None:
    _LIMITED.labels(kind).inc()


def linked(items: int) -> None:
    """One session that was linked, and how many items that moved."""
    _LINKS.inc()
    _LINKED_ITEMS.inc(items)


def purged(sessions: int) -> None:
    _PURGED.inc(sessions)
