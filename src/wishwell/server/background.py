"""Background jobs, which each process runs next to its requests until they are cancelled."""

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator

import structlog

from wishwell import events, products
from wishwell.access import auth
from wishwell.db import lease
from wishwell.db.clock import ClockSuspect
from wishwell.errors import Unavailable
from wishwell.events import retention
from wishwell.http.context import Services
from wishwell.importers.shopify import platform_webhooks
from wishwell.jobs import Job, Run, removal
from wishwell.privacy import erasure, request_processing
from wishwell.products import notice_job
from wishwell.reports import scheduling
from wishwell.server import clock_jobs, sampling
from wishwell.telemetry import metrics
from wishwell.wishlists import item_life, purge

_MIN_INTERVAL_SECONDS = 0.02
"""Minimum seconds between two runs of a job. On SQLite a run may never yield to the event loop."""

_FAILURE_BACKOFF_SECONDS = 1.0
"""Minimum seconds until a failed run is retried (backoff)."""

PURGE = removal(
    erasure.purge_idle_customers,
    auth.remove_revocations,
    products.remove_markers,
    platform_webhooks.remove_deliveries,
    purge.remove_expired,  # last, because it fails if a session can't be removed
)

log = structlog.get_logger("wishwell.server.background")


def jobs(service: Services) -> list[Coroutine[None, None, None]]:
    """Returns all background jobs of a process, as coroutines to run."""
    interval = service.settings.purge_interval
    all_jobs = [
        *clock_jobs.jobs(),
        *service.access_cache.jobs(),
        sampling.Sampler(service).job(),
        sampling.JOB,
        events.JOB,
        notice_job.JOB,
        erasure.JOB,
        request_processing.JOB,
        scheduling.job(service.settings),
        Job("purge", interval, PURGE, lease_seconds=interval),  # rule: session-purged
        *retention.JOBS,
        *item_life.RETENTION_JOBS,
    ]
    if service.sender is not None:
        all_jobs.append(service.sender.job())
    if service.mailer is not None:
        all_jobs.append(service.mailer.job())
    parts = service.settings, service.db, service.clock, service.access_cache
    return [Runner(job, Run(*parts), service.failing_jobs).run_forever() for job in all_jobs]


class _Skipped(Exception):
    """Another process has the lease of this job."""


class Runner:
    """Runs a job for ever. ``failing_jobs`` has the job's name from a run that failed, or that
    exceeded its time limit, until one succeeds."""

    def __init__(self, job: Job, run: Run, failing_jobs: set[str]) -> None:
        self._job = job
        self._run = run
        self._failing_jobs = failing_jobs
        self._reason: object = None  # of the last failure that was logged; None: it succeeded
        metrics.BACKGROUND_FAILING.labels(job.name).set(0)
        metrics.BACKGROUND_DONE.labels(job.name).set_to_current_time()

    # rules: bad-row, health-checks
    async def run_forever(self) -> None:
        """Runs the job again and again. Retries a failed run after a pause, and logs the error
        unless the run before failed with the same type."""
        job, pause = self._job, self._job.seconds
        while True:
            await asyncio.sleep(max(_MIN_INTERVAL_SECONDS, pause))
            pause = max(_FAILURE_BACKOFF_SECONDS, job.seconds)
            try:
                with self._time_limit():
                    next_pause = await self._run_once()
            except ClockSuspect:  # rule: clock-guard. Reported by the job ``clock``
                next_pause = None
            except _Skipped:
                if self._reason is not None:
                    continue
                next_pause = None
            except Exception as error:
                self._report_error(error)
                continue
            self._report_success()
            pause = job.seconds if next_pause is None else next_pause

    async def _run_once(self) -> float | None:
        job, run = self._job, self._run
        if job.lease_seconds is not None:
            if job.is_due is not None and not await job.is_due(run):
                return None
            milliseconds = int(job.lease_seconds * 1000)
            if not await run.db.write(lease.take, job.name, run.clock(), milliseconds):
                raise _Skipped
        return await job.work(run)

    # rule: health-checks
    @contextlib.contextmanager
    def _time_limit(self) -> Iterator[None]:
        """Reports a run that makes no progress for longer than its limit. Doesn't cancel the run,
        because a slow run would never end if each were cancelled, and a cancelled write has an
        unknown outcome."""
        timer: asyncio.TimerHandle
        loop, limit = asyncio.get_running_loop(), self._job.limit_seconds
        self._run.report_progress()

        def check() -> None:
            nonlocal timer
            seconds_left = limit - self._run.idle_seconds()
            if seconds_left > 0:
                timer = loop.call_later(seconds_left, check)
            elif self._mark_failing("overdue"):
                log.warning(f"{self._job.name}_overdue", seconds=limit)

        timer = loop.call_later(limit, check)
        try:
            yield
        finally:
            timer.cancel()

    def _mark_failing(self, reason: object) -> bool:
        """Returns whether the reason is another than that of the last failure."""
        self._failing_jobs.add(self._job.name)
        metrics.BACKGROUND_FAILING.labels(self._job.name).set(1)
        is_new, self._reason = reason != self._reason, reason
        return is_new

    def _report_error(self, error: Exception) -> None:
        if not self._mark_failing(type(error)):
            return
        if isinstance(error, Unavailable):
            log.warning(f"{self._job.name}_put_off", reason=error.message)
        else:
            log.error(f"{self._job.name}_failed", exc_info=error)

    def _report_success(self) -> None:
        if self._reason is not None:
            log.info(f"{self._job.name}_again")
        self._reason = None
        self._failing_jobs.discard(self._job.name)
        metrics.BACKGROUND_FAILING.labels(self._job.name).set(0)
        metrics.BACKGROUND_DONE.labels(self._job.name).set_to_current_time()
