"""The numbers that an operator needs, for Prometheus."""

import functools

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
    "When the purge last came to its end here; 0 before.",
    multiprocess_mode="max",
)
_SHED = Counter("wishwell_shed", "Requests refused with 503: too many at once in the process.")
# Of all workers together: those that live.
_IN_FLIGHT = Gauge(
    "wishwell_requests_in_flight", "API requests in work.", multiprocess_mode="livesum"
)
_LIMITS_AWAY = Gauge(
    "wishwell_limits_store_away",
    "Processes that count rate limits alone, as Redis or Valkey is away.",
    multiprocess_mode="livesum",
)
_ANSWERED = Gauge(
    "wishwell_database_answered_timestamp_seconds",
    "When the database last told what is new; of several workers, the earliest.",
    multiprocess_mode="livemin",
)
_CONNECTIONS = Gauge(
    "wishwell_pool_connections", "Connections to PostgreSQL.", multiprocess_mode="livesum"
)
_IN_USE = Gauge(
    "wishwell_pool_connections_in_use", "Those that run something.", multiprocess_mode="livesum"
)
_CONNECTIONS_LIMIT = Gauge(
    "wishwell_pool_connections_limit", "How many there may be.", multiprocess_mode="livesum"
)
_WAITING = Gauge(
    "wishwell_pool_waiting", "Requests that wait for a connection.", multiprocess_mode="livesum"
)
_WAITS = Counter("wishwell_pool_waits", "Times that a connection had to be waited for.")
_WAITED = Counter("wishwell_pool_wait_seconds", "Seconds that requests waited for a connection.")
_QUEUED = Gauge(
    "wishwell_sqlite_writes_waiting",
    "Writes that wait for the writer of SQLite.",
    multiprocess_mode="livesum",
)
_COMMITS = Counter("wishwell_sqlite_commits", "Transactions that SQLite committed.")
_COMMITTED = Counter("wishwell_sqlite_committed_writes", "Writes in these transactions.")
_DROPPED = Counter(
    "wishwell_dropped_answers", "Answers dropped in the middle: their client did not read them."
)
_LOST = Counter("wishwell_log_lines_lost", "Lines of the log that could not be written.")


def method_label(method: str) -> str:
    """A method as the log and the metrics name it: a client must not choose a label."""
    return method if method in _METHODS else "other"


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


def purge_finished() -> None:
    _PURGE_FINISHED.set_to_current_time()


def dropped() -> None:
    """One answer that its client did not read."""
    _DROPPED.inc()


class Sampler:
    """Shows how busy a service is, whenever it is told to; the parts count for themselves."""

    def __init__(self, service: Services) -> None:
        self._service = service
        self._before = Stats()
        self._lost_before = 0

    def sample(self) -> int:
        """Sets what is of now, and adds what was counted since the last time.

        Returns how many requests were refused before they were begun: they have no line in the log.
        """
        shed, turned_away = self._service.admission.refused()
        for method, count in shed.items():
            _answered(method_label(method), "shed", 503).inc(count)
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
        lost = log.lost()
        _LOST.inc(lost - self._lost_before)
        self._lost_before = lost
        return unlogged
