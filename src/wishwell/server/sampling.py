"""Copies the load of components, which they count themselves, into the metrics."""

import asyncio
import contextlib
import resource
import shutil
from collections import Counter
from pathlib import Path

import structlog

from wishwell import ids
from wishwell.config import Settings
from wishwell.db import Stats, run_statement
from wishwell.http.context import Services
from wishwell.http.server.admission import REASONS
from wishwell.jobs import Job, Run
from wishwell.privacy import erasure, platform_requests
from wishwell.products import notices
from wishwell.telemetry import log, metrics

logger = structlog.get_logger("wishwell.server.sampling")


def _resident_bytes(peak: int) -> int:
    """Returns the resident memory of this process, or ``peak`` if the system has no /proc."""
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    except OSError:
        return peak
    return int(pages) * resource.getpagesize()


def measure_disks(settings: Settings) -> None:
    """Sets the free space on the disks of the embedded database and of the journal."""
    database = settings.database_name if settings.engine == "sqlite" else ""
    for file, path in (("database", database), ("journal", settings.journal_path)):
        with contextlib.suppress(OSError):
            if path:
                free = shutil.disk_usage(Path(path).absolute().parent).free
                metrics.DISK_FREE.labels(file).set(free)


class Sampler:
    """Copies counts that components of the service keep into the metrics."""

    def __init__(self, service: Services) -> None:
        self._service = service
        self._before = Stats()
        self._lost_before = 0
        self._shed_before = Counter[str]()
        # A series that starts at 0 shows its first event as an increase.
        for reason in REASONS:
            metrics.SHED_REASONS.labels(reason)
        for outcome in ("delivered", "retried", "failed"):
            metrics.DELIVERIES.labels(outcome)
        for outcome in ("sent", "retried", "failed"):
            metrics.MAILS.labels(outcome)
        for topic in platform_requests.TOPICS:
            metrics.PRIVACY_REQUESTS.labels(topic)
            metrics.PRIVACY_REQUESTS_SECONDS.labels(topic)

    def job(self) -> Job:
        """Returns the job that samples, so that requests spend no time on metrics."""

        async def work(_: Run) -> None:
            if shed := self.sample():
                logger.warning("shed", requests=shed, reason="too many requests in progress")

        return Job("sample", 1.0, work)

    def sample(self) -> int:
        """Sets the gauges, and adds to the counters their increase since the last sample.

        Returns how many requests were shed since then; shed requests aren't logged one by one.
        """
        metrics.publish_requests()
        admission, shed = self._service.admission, 0
        for reason, count in admission.refused.items():
            more = count - self._shed_before[reason]
            self._shed_before[reason] = count
            metrics.SHED_REASONS.labels(reason).inc(more)
            shed += more
        metrics.SHED.inc(shed)
        metrics.IN_FLIGHT.set(admission.working)
        metrics.WAITING.set(admission.waiting)
        metrics.LIMITS_UNREACHABLE.set(self._service.limiter.is_unreachable)
        metrics.ANSWERED.set(self._service.access_cache.refreshed_at / 1000)
        stats = self._service.db.stats()
        for name, gauge in metrics.DATABASE_GAUGES.items():
            gauge.set(getattr(stats, name))
        for name, counter in metrics.DATABASE_COUNTERS.items():
            counter.inc(getattr(stats, name) - getattr(self._before, name))
        self._before = stats
        if (sender := self._service.sender) is not None:
            attempts, sender.attempts = sender.attempts, type(sender.attempts)()
            for outcome, count in attempts.items():
                metrics.DELIVERIES.labels(outcome).inc(count)
            waited = self._service.clock() - sender.oldest_due if sender.oldest_due else 0
            metrics.DELIVERIES_OLDEST.set(max(0, waited) / 1000)
        if (mailer := self._service.mailer) is not None:
            outcomes, mailer.outcomes = mailer.outcomes, type(mailer.outcomes)()
            for outcome, count in outcomes.items():
                metrics.MAILS.labels(outcome).inc(count)
            waited = self._service.clock() - mailer.oldest_due if mailer.oldest_due else 0
            metrics.MAILS_OLDEST.set(max(0, waited) / 1000)
        lost = log.lost_lines()
        metrics.LOG_LINES_LOST.inc(lost - self._lost_before)
        used = resource.getrusage(resource.RUSAGE_SELF)
        metrics.WORKER_CPU.set(used.ru_utime + used.ru_stime)
        metrics.WORKER_MEMORY.set(_resident_bytes(used.ru_maxrss * 1024))
        self._lost_before = lost
        return shed


async def _measure_backlogs(run: Run) -> None:
    """Updates the metrics of backlogs: events, notices, requests, deliveries, erased profiles,
    and of the database's size."""
    await asyncio.to_thread(measure_disks, run.settings)
    # On PostgreSQL these are events without a position, on SQLite events not published yet.
    [[count, oldest]] = await run.db.read(run_statement, "events_backlog")
    now = run.clock()
    age = 0 if oldest is None else now - ids.from_timestamp(oldest)
    metrics.EVENTS_WAITING.set(count)
    metrics.EVENTS_WAITING_SECONDS.set(max(0, age) / 1000)
    metrics.NOTICES_WAITING.set(await run.db.read(notices.backlog))
    pending_requests = await run.db.read(platform_requests.read_backlog)
    for topic in platform_requests.TOPICS:
        number, oldest = pending_requests.get(topic, (0, ids.timestamp(now)))
        metrics.PRIVACY_REQUESTS.labels(topic).set(number)
        age = max(0, now - ids.from_timestamp(oldest))
        metrics.PRIVACY_REQUESTS_SECONDS.labels(topic).set(age / 1000)
    metrics.CATALOGUES.runs = await run.db.read(run_statement, "catalogue_runs")
    metrics.ERASING.set((await run.db.read(erasure.read_backlog))[0])
    [[pending]] = await run.db.read(run_statement, "deliveries_waiting")
    metrics.DELIVERIES_WAITING.set(pending)
    [[waiting]] = await run.db.read(run_statement, "mails_waiting")
    metrics.MAILS_WAITING.set(waiting)
    metrics.MAILS_PAUSED.set(len(await run.db.read(run_statement, "mails_paused")))
    metrics.WEBHOOKS_FAILING.set(len(await run.db.read(run_statement, "webhooks_failing")))
    [[size]] = await run.db.read(run_statement, "database_bytes")
    metrics.DATABASE_BYTES.set(size)


JOB = Job("waiting", 10.0, _measure_backlogs)
