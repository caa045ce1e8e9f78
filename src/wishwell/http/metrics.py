"""Prometheus metrics for operators."""

import functools
from collections import Counter as Counts
from typing import Literal

from prometheus_client import Counter, Gauge, Histogram

from wishwell import log
from wishwell.db import Stats
from wishwell.http.admission import REASONS
from wishwell.http.context import Services
from wishwell.moving import requests

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _counter(name: str, help: str, *labels: str) -> Counter:
    return Counter(f"wishwell_{name}", help, labels)


def _gauge(
    name: str, help: str, of_workers: Literal["sum", "max", "min"] = "sum", *labels: str
) -> Gauge:
    """Returns a gauge. ``of_workers`` says how the values of live worker processes are combined."""
    modes: dict[str, Literal["livesum", "livemax", "livemin"]]
    modes = {"sum": "livesum", "max": "livemax", "min": "livemin"}
    return Gauge(f"wishwell_{name}", help, labels, multiprocess_mode=modes[of_workers])


_REQUESTS = _counter("requests", "Completed requests.", "method", "route", "status")
_SECONDS = Histogram(
    "wishwell_request_seconds",
    "Seconds from the end of a request's headers to its response.",
    ("route",),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
LIMITED = _counter("limited", "Requests rejected by a rate limit.", "kind")
_LINKS = _counter("links", "Sessions linked to a customer.")
_LINKED_ITEMS = _counter(
    "linked_items", "Items moved or merged when sessions were linked to customers."
)
PURGED = _counter("purged_sessions", "Sessions purged.")
PURGE_FINISHED = Gauge(
    "wishwell_purge_finished_timestamp_seconds",
    "Unix time at which a purge last finished; 0 before the first. The latest of all workers.",
    multiprocess_mode="max",
)
BACKGROUND_DONE = _gauge(
    "background_done_timestamp_seconds",
    "Unix time at which a background job last finished. The oldest of all workers.",
    "min",
    "task",
)
CLOCK_SUSPECT = _gauge(
    "clock_suspect",
    "1 while the clock isn't plausible, so that nothing is removed because of its age.",
    "max",
)
EVENTS_TOLD = _counter("events_told", "Events that were assigned a feed position.")
EVENTS_WAITING = _gauge(
    "events_waiting", "Events that don't have a feed position yet (backlog).", "max"
)
EVENTS_WAITING_SECONDS = _gauge(
    "events_waiting_seconds", "Age in seconds of the oldest event without a feed position.", "max"
)
NOTICES = _counter("notices", "Notices recorded for price drops and products back in stock.")
NOTICES_WAITING = _gauge(
    "notices_products_waiting",
    "Changed products whose notices are not recorded yet (backlog).",
    "max",
)
ERASED = _counter("erased_profiles", "Profiles erased.")
ERASING = _gauge("erasing_profiles", "Erased profiles whose data is still being deleted.", "max")
COUNTED = _gauge(
    "counted_timestamp_seconds",
    "Unix time at which the latest count began, for the store whose count is the oldest.",
    "max",
)
ASKED = _gauge(
    "platform_requests_waiting",
    "Privacy requests of platforms that are not completed yet.",
    "max",
    "kind",
)
ASKED_SECONDS = _gauge(
    "platform_requests_oldest_seconds",
    "Seconds that the oldest pending privacy request of a platform has been waiting.",
    "max",
    "kind",
)
for _topic in requests.TOPICS:
    ASKED.labels(_topic)
    ASKED_SECONDS.labels(_topic)
_SHED = _counter("shed", "Requests rejected with 503 because too many were in progress.")
_SHED_REASONS = _counter(
    "shed_reasons",
    "Rejected requests by reason: full (too many in progress), late (waited for too long).",
    "reason",
)
for _reason in REASONS:
    _SHED_REASONS.labels(_reason)
_IN_FLIGHT = _gauge("requests_in_flight", "API requests in progress.")
_WAITING = _gauge("requests_waiting", "API requests that wait for their turn to start.")
_LIMITS_AWAY = _gauge(
    "limits_store_away",
    "Processes that count rate limits on their own because Redis or Valkey can't be reached.",
)
_ANSWERED = _gauge(
    "database_answered_timestamp_seconds",
    "Unix time at which stores and revocations were last read from the database. The "
    "oldest of all workers.",
    "min",
)
# Database metrics by the attribute names of ``Stats``: current values and running totals.
_NOW = {
    "connections": _gauge("pool_connections", "Open connections to PostgreSQL."),
    "in_use": _gauge("pool_connections_in_use", "PostgreSQL connections in use."),
    "connections_limit": _gauge(
        "pool_connections_limit", "Maximum number of PostgreSQL connections."
    ),
    "waiting": _gauge("pool_waiting", "Requests waiting for a PostgreSQL connection."),
    "queued": _gauge("sqlite_writes_waiting", "Writes waiting for SQLite's writer."),
}
_SINCE_START = {
    "waits": _counter("pool_waits", "Waits of requests for a PostgreSQL connection."),
    "waited_seconds": _counter(
        "pool_wait_seconds", "Seconds that requests waited for a PostgreSQL connection."
    ),
    "commits": _counter("sqlite_commits", "Transactions committed by SQLite."),
    "committed_writes": _counter(
        "sqlite_committed_writes", "Writes committed in SQLite's transactions."
    ),
}
DROPPED = _counter("dropped_answers", "Responses dropped because their client didn't read them.")
_DELIVERIES = _counter(
    "deliveries",
    "Attempts to deliver an event to a webhook: delivered, retried (to be tried again) or failed.",
    "outcome",
)
for _outcome in ("delivered", "retried", "failed"):
    _DELIVERIES.labels(_outcome)  # starts at 0, so that the first delivery shows as an increase
DELIVERIES_WAITING = _gauge(
    "deliveries_waiting", "Webhook deliveries that are not completed yet, of all stores.", "max"
)
_DELIVERIES_OLDEST = _gauge(
    "deliveries_oldest_seconds",
    "Seconds since the oldest pending webhook delivery became due.",
    "max",
)
_LOST = _counter("log_lines_lost", "Log lines that could not be written.")


def method_label(method: str) -> str:
    """Returns the method, or "other" for an unknown one, because clients must not create labels."""
    return method if method in _METHODS else "other"


@functools.lru_cache(maxsize=4096)
def _answered(method: str, route: str, status: int) -> Counter:
    return _REQUESTS.labels(method, route, str(status))


@functools.lru_cache(maxsize=256)
def _took(route: str) -> Histogram:
    return _SECONDS.labels(route)


def answered(method: str, route: str, status: int, seconds: float) -> None:
    """Records a request's count and duration. ``route`` is the route's template, never the path."""
    _answered(method, route, status).inc()
    _took(route).observe(seconds)


def linked(items: int) -> None:
    """Counts a session merged into a customer, and the items that were moved or merged."""
    _LINKS.inc()
    _LINKED_ITEMS.inc(items)


class Sampler:
    """Copies counts that components of the service keep into the metrics."""

    def __init__(self, service: Services) -> None:
        self._service = service
        self._before = Stats()
        self._lost_before = 0
        self._shed_before = Counts[str]()

    def sample(self) -> int:
        """Sets the gauges, and adds to the counters their increase since the last sample.

        Returns how many requests were shed since then; shed requests aren't logged one by one.
        """
        admission, shed = self._service.admission, 0
        for reason, count in admission.refused.items():
            more = count - self._shed_before[reason]
            self._shed_before[reason] = count
            _SHED_REASONS.labels(reason).inc(more)
            shed += more
        _SHED.inc(shed)
        _IN_FLIGHT.set(admission.working)
        _WAITING.set(admission.waiting)
        _LIMITS_AWAY.set(self._service.limiter.away)
        _ANSWERED.set(self._service.access_cache.asked_at / 1000)
        stats = self._service.db.stats()
        for name, gauge in _NOW.items():
            gauge.set(getattr(stats, name))
        for name, counter in _SINCE_START.items():
            counter.inc(getattr(stats, name) - getattr(self._before, name))
        self._before = stats
        if (sender := self._service.sender) is not None:
            attempts, sender.attempts = sender.attempts, type(sender.attempts)()
            for outcome, count in attempts.items():
                _DELIVERIES.labels(outcome).inc(count)
            waited = self._service.clock() - sender.oldest if sender.oldest else 0
            _DELIVERIES_OLDEST.set(max(0, waited) / 1000)
        lost = log.lost()
        _LOST.inc(lost - self._lost_before)
        self._lost_before = lost
        return shed
