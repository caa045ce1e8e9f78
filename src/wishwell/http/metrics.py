"""Metrics for operators, in Prometheus."""

import functools
from collections import Counter as Tally

from prometheus_client import Counter, Gauge, Histogram

from wishwell import log
from wishwell.db import Stats
from wishwell.http.context import Services

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

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
_PURGE_FINISHED = Gauge(
    "wishwell_purge_finished_timestamp_seconds",
    "When this process last finished a purge; 0 before the first.",
    multiprocess_mode="max",
)
_BACKGROUND = Gauge(
    "wishwell_background_done_timestamp_seconds",
    "When a job in the background last got through; of several workers, the oldest time.",
    ("task",),
    multiprocess_mode="livemin",
)
_TOLD = Counter("wishwell_events_told", "Events that got their place in a feed.")
_EVENTS_WAITING = Gauge(
    "wishwell_events_waiting", "Events without a place in a feed yet.", multiprocess_mode="livemax"
)
_EVENTS_WAITING_SECONDS = Gauge(
    "wishwell_events_waiting_seconds",
    "The age of the oldest event without a place in a feed.",
    multiprocess_mode="livemax",
)
_NOTICES = Counter("wishwell_notices", "Notices of dropped prices and of products back in stock.")
_ERASED = Counter("wishwell_erased_profiles", "Profiles erased.")
_ERASING = Gauge(
    "wishwell_erasing_profiles",
    "Erased profiles that are still being removed.",
    multiprocess_mode="livemax",
)
_NOTICES_WAITING = Gauge(
    "wishwell_notices_products_waiting",
    "Products with wishes that are still to be told.",
    multiprocess_mode="livemax",
)
_SHED = Counter("wishwell_shed", "Requests refused with 503 because too many came at once.")
# "livesum": the sum over the workers that are alive.
_IN_FLIGHT = Gauge(
    "wishwell_requests_in_flight", "API requests in progress.", multiprocess_mode="livesum"
)
_LIMITS_AWAY = Gauge(
    "wishwell_limits_store_away",
    "Processes that count rate limits on their own because Redis or Valkey can't be reached.",
    multiprocess_mode="livesum",
)
_ANSWERED = Gauge(
    "wishwell_database_answered_timestamp_seconds",
    "When stores and revocations were last read from the database; the oldest of all workers.",
    multiprocess_mode="livemin",
)
_CONNECTIONS = Gauge(
    "wishwell_pool_connections", "Connections to PostgreSQL.", multiprocess_mode="livesum"
)
_IN_USE = Gauge(
    "wishwell_pool_connections_in_use",
    "PostgreSQL connections in use.",
    multiprocess_mode="livesum",
)
_CONNECTIONS_LIMIT = Gauge(
    "wishwell_pool_connections_limit", "Most PostgreSQL connections.", multiprocess_mode="livesum"
)
_WAITING = Gauge(
    "wishwell_pool_waiting", "Requests waiting for a connection.", multiprocess_mode="livesum"
)
_WAITS = Counter("wishwell_pool_waits", "Times a request waited for a connection.")
_WAITED = Counter("wishwell_pool_wait_seconds", "Seconds that requests waited for a connection.")
_QUEUED = Gauge(
    "wishwell_sqlite_writes_waiting",
    "Writes waiting for SQLite's writer.",
    multiprocess_mode="livesum",
)
_COMMITS = Counter("wishwell_sqlite_commits", "Transactions committed by SQLite.")
_COMMITTED = Counter("wishwell_sqlite_committed_writes", "Writes in SQLite's transactions.")
_DROPPED = Counter(
    "wishwell_dropped_answers", "Answers dropped because their client did not read them."
)
_DELIVERIES = Counter(
    "wishwell_deliveries",
    "Attempts to deliver an event to a webhook: delivered, retried (to be tried again) or failed.",
    ("outcome",),
)
for _outcome in ("delivered", "retried", "failed"):
    _DELIVERIES.labels(_outcome)  # at 0 from the start, so that the first one is an increase
_DELIVERIES_WAITING = Gauge(
    "wishwell_deliveries_waiting",
    "Deliveries that are not done yet, of all stores.",
    multiprocess_mode="livemax",
)
_DELIVERIES_OLDEST = Gauge(
    "wishwell_deliveries_oldest_seconds",
    "How long the delivery that is due for longest has been waiting.",
    multiprocess_mode="livemax",
)
_LOST = Counter("wishwell_log_lines_lost", "Log lines that could not be written.")


def method_label(method: str) -> str:
    """The method, or "other" for an unknown one: a client must not create labels."""
    return method if method in _METHODS else "other"


_answered: Tally[tuple[str, str, int]] = Tally()
"""Requests since the last ``flush``, by method, route and status."""


@functools.lru_cache(maxsize=256)
def _took(route: str) -> Histogram:
    return _SECONDS.labels(route)


def answered(method: str, route: str, status: int, seconds: float) -> None:
    """Counts one request. ``route`` is the template of the route, never the path."""
    _answered[method, route, status] += 1
    _took(route).observe(seconds)


def flush() -> None:
    """Adds the requests that were counted to the metric."""
    for (method, route, status), count in _answered.items():
        _REQUESTS.labels(method, route, str(status)).inc(count)
    _answered.clear()


def limited(kind: str) -> None:
    _LIMITED.labels(kind).inc()


def linked(items: int) -> None:
    """Counts one linked session and the items that it moved."""
    _LINKS.inc()
    _LINKED_ITEMS.inc(items)


def purged(sessions: int) -> None:
    _PURGED.inc(sessions)


def purge_finished() -> None:
    _PURGE_FINISHED.set_to_current_time()


def background_done(task: str) -> None:
    """Notes that a job in the background has got through, or has begun to run."""
    _BACKGROUND.labels(task).set_to_current_time()


def events_told(events: int) -> None:
    """Counts events that got their place in a feed."""
    _TOLD.inc(events)


def events_waiting(events: int, seconds: float) -> None:
    """Sets how many events wait for their place, and the age of the oldest."""
    _EVENTS_WAITING.set(events)
    _EVENTS_WAITING_SECONDS.set(seconds)


def noticed(told: int) -> None:
    """Counts the events of one step of notices."""
    _NOTICES.inc(told)


def notices_waiting(products: int) -> None:
    _NOTICES_WAITING.set(products)


def erased() -> None:
    _ERASED.inc()


def erasures_waiting(profiles: int) -> None:
    _ERASING.set(profiles)


def dropped() -> None:
    """Counts one answer that its client did not read."""
    _DROPPED.inc()


class Sampler:
    """Copies the counts that the parts of the service keep into the metrics."""

    def __init__(self, service: Services) -> None:
        self._service = service
        self._before = Stats()
        self._lost_before = 0

    def sample(self) -> int:
        """Sets the gauges, and adds what was counted since the last sample.

        Returns how many requests were refused before they began. They are not in the log.
        """
        shed, turned_away = self._service.admission.refused()
        for method, count in shed.items():
            _answered[method_label(method), "shed", 503] += count
        unlogged = sum(shed.values())
        _SHED.inc(unlogged + turned_away)
        now, before = self._service.db.stats(), self._before
        self._before = now
        _IN_FLIGHT.set(self._service.admission.working)
        _LIMITS_AWAY.set(self._service.limiter.away)
        _ANSWERED.set(self._service.access_cache.asked_at / 1000)
        _CONNECTIONS.set(now.connections)
        _IN_USE.set(now.in_use)
        _CONNECTIONS_LIMIT.set(now.connections_limit)
        _WAITING.set(now.waiting)
        _QUEUED.set(now.queued)
        _WAITS.inc(now.waits - before.waits)
        _WAITED.inc(now.waited_seconds - before.waited_seconds)
        _COMMITS.inc(now.commits - before.commits)
        _COMMITTED.inc(now.committed_writes - before.committed_writes)
        if (sender := self._service.sender) is not None:
            attempts, sender.attempts = sender.attempts, type(sender.attempts)()
            for outcome, count in attempts.items():
                _DELIVERIES.labels(outcome).inc(count)
            _DELIVERIES_WAITING.set(sender.length)
            waited = self._service.clock() - sender.oldest if sender.oldest else 0
            _DELIVERIES_OLDEST.set(max(0, waited) / 1000)
        flush()
        lost = log.lost()
        _LOST.inc(lost - self._lost_before)
        self._lost_before = lost
        return unlogged
