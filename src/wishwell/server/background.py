"""Background jobs, which each process runs next to its requests until they are cancelled."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import NamedTuple

import structlog

from wishwell import events, ids, products, stores
from wishwell.access import auth
from wishwell.db import Database, future_times, journal, lease, run_statement
from wishwell.db.clock import ClockSuspect
from wishwell.errors import Unavailable
from wishwell.events import retention
from wishwell.http.context import Services
from wishwell.importers.shopify import platform_webhooks
from wishwell.privacy import erasure, platform_requests, request_processing
from wishwell.products import notices
from wishwell.reports import scheduling
from wishwell.server import sampling
from wishwell.stores import Store
from wishwell.telemetry import metrics
from wishwell.wishlists import purchases, purge

_MIN_INTERVAL_SECONDS = 0.02
"""Minimum seconds between two runs of a job. On SQLite a run may never yield to the event loop."""

_FAILURE_BACKOFF_SECONDS = 1.0
"""Minimum seconds until a failed run is retried (backoff)."""

_IDLE_SECONDS = 1.0
"""Seconds between polls for events and deliveries while no store has events enabled. Short, because
a store may emit events before this process receives the change."""

_RETAIN_SECONDS = 60.0
_ERASE_SECONDS = 5.0
_PRIVACY_REQUESTS_SECONDS = 5.0
_COUNT_SECONDS = 30.0
_BATCH_PAUSE_SECONDS = 0.05
"""Seconds between two batches of housekeeping, during which requests have the database."""

_SHORT_PAUSE_SECONDS = 0.02
"""Seconds between two batches of an erasure, and the minimum after a batch of notices."""
_PAUSE_SECONDS_PER_NOTICE = 0.0075
"""Seconds to pause for each notice of a batch. On SQLite a read may have to wait for a
batch; with longer pauses, fewer reads do."""

log = structlog.get_logger("wishwell.server.background")


class Job(NamedTuple):
    """A recurring job. ``turn`` runs it once and returns the seconds until the next run;
    ``None`` stands for ``seconds``."""

    name: str
    seconds: float
    turn: Callable[[], Awaitable[float | None]]


def jobs(service: Services) -> list[Coroutine[None, None, None]]:
    """Returns all background jobs of a process, as coroutines to run."""
    sampler = sampling.Sampler(service)
    repairs = future_times.Schedule()
    all_jobs = [
        Job("clock", 1.0, functools.partial(_observe_clock, service)),
        Job("future_times", 1.0, functools.partial(_repair_times, service, repairs)),
        Job("access_cache", 1.0, service.access_cache.refresh),
        Job("uses", 5.0, service.access_cache.write_uses),
        Job("sample", 1.0, functools.partial(_sample, sampler)),
        Job("feed", 0.25, functools.partial(_assign_positions, service)),
        Job("notices", 1.0, functools.partial(_record_notices, service)),
        Job("erasing", 1.0, _housekeeping(service, "erase", _ERASE_SECONDS, _erase, _erased).turn),
        Job("waiting", 10.0, functools.partial(_measure_backlogs, service)),
        _housekeeping(service, "count", _count_turn(service), _count),
        _housekeeping(
            service,
            "requests",
            _PRIVACY_REQUESTS_SECONDS,
            _process_privacy_requests,
            _has_due_requests,
        ),
        # rule: session-purged
        _housekeeping(service, "purge", service.settings.purge_interval, _purge),
        # rule: feed-retention
        _housekeeping(service, "retain", _RETAIN_SECONDS, _retention(retention.remove_events)),
        _housekeeping(
            service, "deliveries", _RETAIN_SECONDS, _retention(retention.remove_deliveries)
        ),
        # rule: purchase-match
        _housekeeping(
            service,
            "removed",
            _RETAIN_SECONDS,
            _retention(lambda db, _, now: purchases.forget_removed(db, now)),
        ),
    ]
    if service.sender is not None:  # rule: webhook-signed
        all_jobs.append(Job("webhooks", 0.25, functools.partial(_send, service)))
    return [_repeat(job, service.failing_jobs) for job in all_jobs]


class _Skipped(Exception):
    """Another process has the lease of this job."""


# rules: bad-row, health-checks
async def _repeat(job: Job, failing_jobs: set[str]) -> None:
    """Runs a job for ever. Retries a failed run after a pause, and logs the error unless the run
    before failed with the same type. ``failing_jobs`` has the job's name from a failed run until
    one succeeds."""
    pause, failing = job.seconds, None
    metrics.BACKGROUND_FAILING.labels(job.name).set(0)
    metrics.BACKGROUND_DONE.labels(job.name).set_to_current_time()
    while True:
        await asyncio.sleep(max(_MIN_INTERVAL_SECONDS, pause))
        pause = max(_FAILURE_BACKOFF_SECONDS, job.seconds)
        try:
            wanted = await job.turn()
        except ClockSuspect:  # rule: clock-guard. Reported by the job ``clock``
            wanted = None
        except _Skipped:
            if failing is not None:
                continue
            wanted = None
        except Exception as error:
            failing_jobs.add(job.name)
            metrics.BACKGROUND_FAILING.labels(job.name).set(1)
            if type(error) is failing:
                continue
            failing = type(error)
            if isinstance(error, Unavailable):
                log.warning(f"{job.name}_put_off", reason=error.message)
            else:
                log.error(f"{job.name}_failed", exc_info=error)
            continue
        if failing is not None:
            log.info(f"{job.name}_again")
        failing = None
        failing_jobs.discard(job.name)
        metrics.BACKGROUND_FAILING.labels(job.name).set(0)
        pause = job.seconds if wanted is None else wanted
        metrics.BACKGROUND_DONE.labels(job.name).set_to_current_time()


# rule: clock-jump
async def _observe_clock(service: Services) -> None:
    await service.clock.observe(service.db)
    metrics.CLOCK_SUSPECT.set(bool(service.clock.suspicion))
    metrics.CLOCK_OFFSET.set(abs(service.clock.skew_ms) / 1000)


# rule: clock-guard
async def _repair_times(service: Services, repairs: future_times.Schedule) -> None:
    await repairs.run(service.db, service.clock)


async def _send(service: Services) -> float | None:
    """Starts the webhook deliveries that are due."""
    assert service.sender is not None
    busy = await service.sender.poll() or service.access_cache.any_events_enabled()
    return None if busy else _IDLE_SECONDS


# ------------------------------------------------------------------------------ housekeeping


def _housekeeping(
    service: Services,
    name: str,
    seconds: float,
    work: Callable[[Services], Awaitable[None]],
    there_is: Callable[[Services], Awaitable[bool]] | None = None,
) -> Job:
    """Returns a job that only one process runs at a time, by a lease. Skipped while ``there_is``
    returns false, which saves the write of the lease."""

    async def turn() -> None:
        if there_is is not None and not await there_is(service):
            return
        if not await service.db.write(lease.take, name, service.clock(), int(seconds * 1000)):
            raise _Skipped
        await work(service)

    return Job(name, seconds, turn)


async def _purge(service: Services) -> None:
    seen, failed, clock = 0, set[str](), service.clock
    expired = functools.partial(purge.sessions, service.db, service.settings, failed=failed)
    async for total in clock.guarded(service.db, expired):
        metrics.PURGED.inc(total - seen)
        seen = total
        await asyncio.sleep(_BATCH_PAUSE_SECONDS)
    journal.actor.set("purge")
    async for _ in clock.guarded(service.db, functools.partial(erasure.idle, service.db)):
        metrics.ERASED.inc()
        await asyncio.sleep(_BATCH_PAUSE_SECONDS)
    async for _ in clock.guarded(service.db, functools.partial(_forget, service)):
        await asyncio.sleep(_BATCH_PAUSE_SECONDS)
    if seen:
        log.info("purged", sessions=seen)
    purge.check_removed(failed)
    metrics.PURGE_FINISHED.set_to_current_time()


async def _forget(service: Services, now: int) -> AsyncIterator[None]:
    """Deletes records of old erasures, revocations, products and platform webhooks in batches."""
    await service.db.write(erasure.forget, service.settings.events_days, now)
    await service.db.write(auth.forget_revocations, now)
    for forget in (products.forget_deleted, platform_webhooks.forget):
        while await service.db.write(forget, now):
            yield


async def _erased(service: Services) -> bool:
    return bool(service.access_cache.erased)


# rule: erase-completes
async def _erase(service: Services) -> None:
    failed = set[str]()
    async for _ in erasure.work(service.db, service.clock, failed):
        await asyncio.sleep(_SHORT_PAUSE_SECONDS)
    purge.check_removed(failed)


def _retention(
    retain: Callable[[Database, float, int], AsyncIterator[int]],
) -> Callable[[Services], Awaitable[None]]:
    async def work(service: Services) -> None:
        remove = functools.partial(retain, service.db, service.settings.events_days)
        async for _ in service.clock.guarded(service.db, remove):
            await asyncio.sleep(_BATCH_PAUSE_SECONDS)

    return work


async def _has_due_requests(service: Services) -> bool:
    return bool(await service.db.read(request_processing.due_requests, service.clock()))


# rule: privacy-requests
async def _process_privacy_requests(service: Services) -> None:
    journal.actor.set("platform")
    failed = set[str]()
    async for customer in request_processing.work(service.db, service.clock, failed):
        if customer is not None:
            metrics.ERASED.inc()
        await asyncio.sleep(_BATCH_PAUSE_SECONDS)
    purge.check_removed(failed)


def _count_turn(service: Services) -> float:
    return min(_COUNT_SECONDS, service.settings.count_seconds)


# rule: count-pace
async def _count(service: Services) -> None:
    """Counts the wishes of the stores that are due."""
    db, settings = service.db, service.settings

    async def fetch_due_stores() -> list[Store]:
        now = service.clock()
        await db.write(lease.renew, "count", now)
        metrics.BACKGROUND_DONE.labels("count").set_to_current_time()
        kept = await db.read(stores.listed)
        likely = await db.read(service.clock.likely_now)
        due = await db.batch_read(scheduling.find_due_stores, kept, likely, settings.count_seconds)
        metrics.COUNTED.set(ids.from_timestamp(due.oldest) / 1000 if due.oldest else 0)
        return due.stores

    await scheduling.work(db, fetch_due_stores, _count_turn(service) / 3, service.clock)


# ------------------------------------------------------------------------- events and notices


# rule: feed-once
async def _assign_positions(service: Services) -> float | None:
    metrics.EVENTS_POSITIONED.inc(await events.assign_positions(service.db, service.clock))
    return None if service.access_cache.any_events_enabled() else _IDLE_SECONDS


# rule: notice-fair
async def _record_notices(service: Services) -> float | None:
    """Emits pending notices in batches. Every process does this, without a lease."""
    pause: float | None = None
    async for count in notices.process_batches(service.db, service.clock):
        metrics.NOTICES.inc(count)
        pause = 0
        await asyncio.sleep(max(_SHORT_PAUSE_SECONDS, count * _PAUSE_SECONDS_PER_NOTICE))
    return pause


# ----------------------------------------------------------------------------------- metrics


async def _measure_backlogs(service: Services) -> None:
    """Updates the metrics of backlogs: events, notices, requests, deliveries, erased profiles,
    and of the database's size."""
    await asyncio.to_thread(sampling.measure_disks, service.settings)
    # On PostgreSQL these are events without a position, on SQLite events not published yet.
    [[count, oldest]] = await service.db.read(run_statement, "events_backlog")
    age = 0 if oldest is None else service.clock() - ids.from_timestamp(oldest)
    metrics.EVENTS_WAITING.set(count)
    metrics.EVENTS_WAITING_SECONDS.set(max(0, age) / 1000)
    metrics.NOTICES_WAITING.set(await service.db.read(notices.backlog))
    asked = await service.db.read(platform_requests.waiting)
    for topic in platform_requests.TOPICS:
        number, came = asked.get(topic, (0, service.now()))
        age = max(0, service.clock() - ids.from_timestamp(came))
        metrics.PRIVACY_REQUESTS.labels(topic).set(number)
        metrics.PRIVACY_REQUESTS_SECONDS.labels(topic).set(age / 1000)
    metrics.CATALOGUES.runs = await service.db.read(run_statement, "catalogue_runs")
    metrics.ERASING.set((await service.db.read(erasure.waiting))[0])
    [[pending]] = await service.db.read(run_statement, "deliveries_waiting")
    metrics.DELIVERIES_WAITING.set(pending)
    metrics.WEBHOOKS_FAILING.set(len(await service.db.read(run_statement, "webhooks_failing")))
    [[size]] = await service.db.read(run_statement, "database_bytes")
    metrics.DATABASE_BYTES.set(size)


async def _sample(sampler: sampling.Sampler) -> None:
    """Updates the metrics of load here, so that requests spend no time on them."""
    if shed := sampler.sample():
        log.warning("shed", requests=shed, reason="too many requests in progress")
