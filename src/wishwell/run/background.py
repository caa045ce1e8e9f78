"""What a process does beside its requests, until it is cancelled."""

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import NamedTuple

import structlog

from wishwell import events, ids
from wishwell.errors import Unavailable
from wishwell.events import deliveries
from wishwell.events.sender import Sender
from wishwell.http import metrics
from wishwell.http.context import Services
from wishwell.products import notices
from wishwell.wishes import erasure, purge

_LEAST_SECONDS = 0.02
"""Between two turns of a job at least. On SQLite a turn may end without having waited."""

_FAILED_SECONDS = 1.0
"""After a turn that failed, at least."""

_NO_FEED_SECONDS = 5.0
_NO_EVENT_SECONDS = 2.0
_RETAIN_SECONDS = 60.0
_ERASE_SECONDS = 5.0
_PAUSE = 0.05
"""Seconds between two steps of housekeeping, which leave the database to others."""

_STEP_PAUSE = 0.02
"""Seconds after a step of notices, at least."""
_NOTICE_PAUSE = 0.0075
"""Seconds of that pause for each notice of the step. On SQLite a read may have to wait for a step;
with longer pauses, fewer reads do."""

log = structlog.get_logger("wishwell.run.background")


class Job(NamedTuple):
    """Something to do again and again: a turn after every ``seconds``, unless the turn returns how
    long to wait for the next one."""

    name: str
    seconds: float
    turn: Callable[[], Awaitable[float | None]]


def jobs(service: Services) -> list[Coroutine[None, None, None]]:
    """Everything that runs beside the requests."""
    every = service.settings.purge_interval
    known = [
        Job("access_cache", 1.0, service.access_cache.keep_fresh),
        Job("sample", 1.0, functools.partial(_sample, metrics.Sampler(service))),
        Job("feed", 0.25, _Numbering(service).turn),
        Job("notices", 1.0, functools.partial(_tell_notices, service)),
        Job("erasing", 1.0, _erasing(service)),
        Job("waiting", 10.0, functools.partial(_look_at_what_waits, service)),
        # contract: command-purge
        _housekeeping(service, "purge", every, _purge),
        _housekeeping(service, "retain", _RETAIN_SECONDS, _retain_events),
        _housekeeping(service, "deliveries", _RETAIN_SECONDS, _retain_deliveries),
    ]
    if service.sender is not None:  # contract: webhook-needs-keys
        known.append(Job("webhooks", 0.25, functools.partial(_send, service, service.sender)))
    return [_repeat(job) for job in known]


# contract: background-goes-on
async def _repeat(job: Job) -> None:
    """The one loop of all jobs. A turn that fails is logged, once while it fails in the same way;
    after a pause comes the next."""
    pause, failing = job.seconds, None
    metrics.background_done(job.name)
    while True:
        await asyncio.sleep(max(_LEAST_SECONDS, pause))
        pause = max(_FAILED_SECONDS, job.seconds)
        try:
            wanted = await job.turn()
        except Exception as error:
            if type(error) is not failing:
                _tell(job.name, error)
            failing = type(error)
            continue
        if failing is not None:
            log.info(f"{job.name}_again")
        failing = None
        pause = job.seconds if wanted is None else wanted
        metrics.background_done(job.name)


def _tell(name: str, error: Exception) -> None:
    if isinstance(error, Unavailable):
        log.warning(f"{name}_put_off", reason=error.message)
    else:
        log.error(f"{name}_failed", exc_info=error)


async def _send(service: Services, sender: Sender) -> float | None:
    """Less often while no store tells events, and nothing is left."""
    there = await sender.look() or service.access_cache.tells_events()
    return None if there else _NO_EVENT_SECONDS


# ------------------------------------------------------------------------------ housekeeping


def _housekeeping(
    service: Services,
    name: str,
    seconds: float,
    work: Callable[[Services], Coroutine[None, None, None]],
) -> Job:
    """Something that only one of several processes does at a time."""

    async def turn() -> None:
        now, every = service.clock(), int(seconds * 1000)
        if await service.db.write(purge.take_lease, name, now, every):
            await work(service)

    return Job(name, seconds, turn)


async def _purge(service: Services) -> None:
    seen = 0
    async for total in purge.sessions(service.db, service.settings, service.clock()):
        metrics.purged(total - seen)
        seen = total
        await asyncio.sleep(_PAUSE)
    async for profile, erased in erasure.idle(service.db, service.clock()):
        service.access_cache.erased.add(erased, service.clock())
        erasure.note(profile, "purge")
        metrics.erased()
        await asyncio.sleep(_PAUSE)
    await service.db.write(erasure.forget, service.clock())
    metrics.purge_finished()
    if seen:
        log.info("purged", sessions=seen)


# contract: erase-steps
def _erasing(service: Services) -> Callable[[], Awaitable[None]]:
    """Removes what there was of erased profiles, where there are any."""
    job = _housekeeping(service, "erase", _ERASE_SECONDS, _erase)

    async def turn() -> None:
        if service.access_cache.erased:
            await job.turn()

    return turn


async def _erase(service: Services) -> None:
    async for _ in erasure.work(service.db, service.clock):
        await asyncio.sleep(_STEP_PAUSE)


# contract: event-retention
async def _retain_events(service: Services) -> None:
    async for _ in events.retain(service.db, service.settings.events_days, service.clock()):
        await asyncio.sleep(_PAUSE)


async def _retain_deliveries(service: Services) -> None:
    async for _ in deliveries.retain(service.db, service.settings.events_days, service.clock()):
        await asyncio.sleep(_PAUSE)


# ------------------------------------------------------------------------- events and notices


class _Numbering:
    """Puts new events into their stores' feeds, as long as a store tells any."""

    def __init__(self, service: Services) -> None:
        self._service = service
        self._looked = 0.0

    # contract: feed-soon
    async def turn(self) -> None:
        service, now = self._service, time.monotonic()
        # What was told until a moment ago is there too.
        if service.access_cache.tells_events() or now - self._looked > _NO_FEED_SECONDS:
            self._looked = now
            metrics.events_told(await events.number(service.db, service.clock))


# contract: notice-steps
async def _tell_notices(service: Services) -> float | None:
    """Tells some of what there is to tell of products. Every process does."""
    pause: float | None = None
    async for told in notices.work(service.db, service.clock):
        metrics.noticed(told)
        pause = 0
        await asyncio.sleep(max(_STEP_PAUSE, told * _NOTICE_PAUSE))
    return pause


# ----------------------------------------------------------------------------------- metrics


async def _look_at_what_waits(service: Services) -> None:
    """Updates the metrics of the events and notices that wait."""
    metrics.erasures_waiting((await service.db.read(erasure.waiting))[0])
    count, oldest = await service.db.read(events.behind)
    age = 0 if oldest is None else service.clock() - ids.from_timestamp(oldest)
    metrics.events_waiting(count, max(0, age) / 1000)
    metrics.notices_waiting(await service.db.read(notices.waiting))


async def _sample(sampler: metrics.Sampler) -> None:
    """Updates the metrics of load, so that requests do not spend time on it."""
    if shed := sampler.sample():
        log.warning("shed", requests=shed, reason="too many requests at once")
