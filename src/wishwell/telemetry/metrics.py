"""Prometheus metrics for operators."""

import bisect
import functools
import platform
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, Metric, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from wishwell import __version__, ids, version

_MAX_STORES = 1_000
"""Number of stores with series of their own, in each process. The others share one label."""

_OTHER_STORES = "(others)"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _counter(name: str, help: str, *labels: str) -> Counter:
    return Counter(f"wishwell_{name}", help, labels)


def _gauge(
    name: str, help: str, aggregation: Literal["sum", "max", "min", "each"] = "sum", *labels: str
) -> Gauge:
    """Returns a gauge. ``aggregation`` says how the values of live worker processes are combined;
    with "each", every worker has a series, with its process id as the label ``pid``."""
    modes: dict[str, Literal["livesum", "livemax", "livemin", "liveall"]]
    modes = {"sum": "livesum", "max": "livemax", "min": "livemin", "each": "liveall"}
    return Gauge(f"wishwell_{name}", help, labels, multiprocess_mode=modes[aggregation])


_REQUESTS = _counter("requests", "Completed requests.", "method", "route", "status")


class _Histogram(Histogram):
    """A histogram to which observations are added in batches."""

    def add(self, bucket: int, number: int, seconds: float) -> None:
        """Adds ``number`` observations of one bucket, of ``seconds`` in total."""
        self._buckets[bucket].inc(number)
        self._sum.inc(seconds)


_BUCKET_SECONDS = 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5
_REQUEST_SECONDS = _Histogram(
    "wishwell_request_seconds",
    "Seconds from the end of a request's headers to its response.",
    ("route",),
    buckets=_BUCKET_SECONDS,
)
_STORE_REQUESTS = _counter(
    "store_requests",
    "Completed requests by store: answered, limited (429) or failed (5xx).",
    "store",
    "result",
)
_JWTS_REFUSED = _counter(
    "refused_jwts", "Requests whose JWT in the shop's cookie was refused, by store.", "store"
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
BACKGROUND_FAILING = _gauge(
    "background_failing",
    "1 from a failed run of a background job until one succeeds. The maximum of all workers.",
    "max",
    "task",
)
CLOCK_SUSPECT = _gauge(
    "clock_suspect",
    "1 while the clock isn't plausible, so that nothing is removed because of its age.",
    "max",
)
CLOCK_OFFSET = _gauge(
    "clock_offset_seconds",
    "Difference in seconds between this clock and that of the database server.",
    "max",
)
EVENTS_POSITIONED = _counter("events_told", "Events that were assigned a feed position.")
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
PRIVACY_REQUESTS = _gauge(
    "platform_requests_waiting",
    "Privacy requests of platforms that are not completed yet.",
    "max",
    "kind",
)
PRIVACY_REQUESTS_SECONDS = _gauge(
    "platform_requests_oldest_seconds",
    "Seconds that the oldest pending privacy request of a platform has been waiting.",
    "max",
    "kind",
)
SHED = _counter("shed", "Requests rejected with 503 because too many were in progress.")
SHED_REASONS = _counter(
    "shed_reasons",
    "Rejected requests by reason: full (too many in progress), late (waited for too long).",
    "reason",
)
IN_FLIGHT = _gauge("requests_in_flight", "API requests in progress.")
WAITING = _gauge("requests_waiting", "API requests that wait for their turn to start.")
LIMITS_UNREACHABLE = _gauge(
    "limits_store_away",
    "Processes that count rate limits on their own because Redis or Valkey can't be reached.",
)
ANSWERED = _gauge(
    "database_answered_timestamp_seconds",
    "Unix time at which stores and revocations were last read from the database. The "
    "oldest of all workers.",
    "min",
)
# Database metrics by the attribute names of ``Stats``: current values and running totals.
DATABASE_GAUGES = {
    "connections": _gauge("pool_connections", "Open connections to PostgreSQL."),
    "in_use": _gauge("pool_connections_in_use", "PostgreSQL connections in use."),
    "connections_limit": _gauge(
        "pool_connections_limit", "Maximum number of PostgreSQL connections."
    ),
    "waiting": _gauge("pool_waiting", "Requests waiting for a PostgreSQL connection."),
    "queued": _gauge("sqlite_writes_waiting", "Writes waiting for SQLite's writer."),
}
DATABASE_COUNTERS = {
    "waits": _counter("pool_waits", "Waits of requests for a PostgreSQL connection."),
    "waited_seconds": _counter(
        "pool_wait_seconds", "Seconds that requests waited for a PostgreSQL connection."
    ),
    "commits": _counter("sqlite_commits", "Transactions committed by SQLite."),
    "committed_writes": _counter(
        "sqlite_committed_writes", "Writes committed in SQLite's transactions."
    ),
    "unrecorded_acts": _counter(
        "unrecorded_acts", "Acts that were refused because the journal can't be written."
    ),
}
DROPPED = _counter("dropped_answers", "Responses dropped because their client didn't read them.")
BODIES_ENDED = _counter(
    "ended_bodies", "Unfinished bodies answered 408 because all together were too large."
)
DELIVERIES = _counter(
    "deliveries",
    "Attempts to deliver an event to a webhook: delivered, retried (to be tried again) or failed; "
    "also events that a webhook's format skipped, or that need a person (by_hand).",
    "outcome",
)
DELIVERIES_WAITING = _gauge(
    "deliveries_waiting", "Webhook deliveries that are not completed yet, of all stores.", "max"
)
DELIVERIES_OLDEST = _gauge(
    "deliveries_oldest_seconds",
    "Seconds since the oldest pending webhook delivery became due.",
    "max",
)
MAILS = _counter(
    "mails",
    "Attempts to send a mail: sent, retried (to be tried again) or failed.",
    "outcome",
)
MAILS_WAITING = _gauge(
    "mails_waiting", "Mails that aren't sent yet, of all stores; on SQLite up to 10,000.", "max"
)
MAILS_OLDEST = _gauge(
    "mails_oldest_seconds", "Seconds since the oldest waiting mail became due.", "max"
)
MAILS_PAUSED = _gauge("mails_paused", "Stores whose mails are paused.", "max")
WEBHOOKS_FAILING = _gauge(
    "webhooks_failing",
    "Webhooks whose latest delivery failed, including those turned off for it.",
    "max",
)
DATABASE_BYTES = _gauge("database_bytes", "Size of the database in bytes.", "max")
UNKNOWN_PROXIES = _counter(
    "unknown_proxy_requests",
    "Storefront requests with X-Forwarded-For from an address outside WISHWELL_TRUSTED_PROXIES.",
)
WORKER_CPU = _gauge(
    "worker_cpu_seconds", "Processor time in seconds that a worker has used.", "each"
)
WORKER_MEMORY = _gauge("worker_memory_bytes", "Resident memory of a worker in bytes.", "each")
WORKER_RESTARTS = _counter("worker_restarts", "Workers that ended unexpectedly.")
RELOADS_FAILED = _counter("reloads_failed", "Reloads (SIGHUP) that changed nothing.")
DISK_FREE = _gauge(
    "disk_free_bytes",
    "Free bytes on the disk of the embedded database, or of the journal.",
    "min",
    "file",
)
LOG_LINES_LOST = _counter("log_lines_lost", "Log lines that could not be written.")


def method_label(method: str) -> str:
    """Returns the method, or "other" for an unknown one, because clients must not create labels."""
    return method if method in _METHODS else "other"


@functools.cache
def _parent_value(counter: Counter) -> Any:
    """Returns the value of a counter where the workers read their metrics."""
    [metric] = counter.collect()
    kind: Any = values.MultiProcessValue()  # type: ignore[no-untyped-call]
    return kind("counter", metric.name, f"{metric.name}_total", (), (), metric.documentation)


# rule: serve-workers
def count_in_parent(counter: Counter) -> None:
    """Adds 1 to a counter without labels, in the process that supervises workers.

    Workers don't report it, because that process created the counter before it started them.
    """
    _parent_value(counter).inc(1)


_BUILD = _gauge(
    "build_info",
    "1, with the version and the commit of the running program.",
    "max",
    "version",
    "commit",
    "python",
)


def record_build() -> None:
    """Sets the build's metric. A process that serves calls it once."""
    _BUILD.labels(__version__, version.commit(), platform.python_version()).set(1)


_pending_requests: dict[tuple[str, str, int, str, int], list[float]] = {}
"""Completed requests that ``publish_requests`` hasn't added to the metrics yet: their number and
seconds in total, by method, route, status, store, and bucket of the histogram."""


def record_request(method: str, route: str, status: int, seconds: float, store: str = "") -> None:
    """Records a request's count and duration.

    ``route`` is the route's template, never the path. ``store`` is a handle; empty if unknown.
    """
    key = method, route, status, store, bisect.bisect_left(_BUCKET_SECONDS, seconds)
    totals = _pending_requests.setdefault(key, [0, 0.0])
    totals[0] += 1
    totals[1] += seconds


def publish_requests() -> None:
    """Adds the requests since the last call to their metrics. Called every second and for each
    scrape, because those of the client library would cost each request more."""
    for (method, route, status, store, bucket), (number, seconds) in _pending_requests.items():
        _REQUESTS.labels(method, route, str(status)).inc(number)
        _REQUEST_SECONDS.labels(route).add(bucket, int(number), seconds)
        if store:
            result = "failed" if status >= 500 else "limited" if status == 429 else "answered"
            _STORE_REQUESTS.labels(_store_label(store), result).inc(number)
    _pending_requests.clear()


class CatalogueImports(Collector):
    """Collects metrics of each store's last catalogue import.

    ``runs``: rows of ``catalogue_runs``. A gauge would always show deleted stores,
    because workers can't remove a series from their files.
    """

    runs: Sequence[Sequence[Any]] = ()

    def collect(self) -> Iterator[Metric]:
        ended = GaugeMetricFamily(
            "wishwell_catalogue_import_timestamp_seconds",
            "Unix time of each store's last import of its catalogue.",
            labels=("store",),
        )
        last = GaugeMetricFamily(
            "wishwell_catalogue_import_last",
            "Results of each store's last import: imported products, rows (refused) and cells "
            "(lost) that were left out.",
            labels=("store", "result"),
        )
        for store, ended_at, *numbers in self.runs:
            ended.add_metric((store,), ids.from_timestamp(ended_at) / 1000)
            for result, number in zip(("imported", "refused", "lost"), numbers, strict=True):
                last.add_metric((store, result), number)
        yield from (ended, last)


CATALOGUES = CatalogueImports()
REGISTRY.register(CATALOGUES)

_stores: set[str] = set()


def _store_label(store: str) -> str:
    """Returns the label of a store. Bounded, because each store makes series."""
    if len(_stores) < _MAX_STORES:
        _stores.add(store)
    return store if store in _stores else _OTHER_STORES


def count_refused_jwt(store: str) -> None:
    """Counts a request whose JWT was refused, by the store's handle."""
    _JWTS_REFUSED.labels(_store_label(store)).inc()


def count_link(items: int) -> None:
    """Counts a session merged into a customer, and the items that were moved or merged."""
    _LINKS.inc()
    _LINKED_ITEMS.inc(items)
