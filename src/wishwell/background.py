"""What a process does beside its requests, until it is cancelled."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine

import structlog

from wishwell import deliveries, events, ids, notices, purge
from wishwell.errors import Unavailable
from wishwell.http import metrics
from wishwell.http.context import Services

_SAMPLE_SECONDS = 1.0
_FEED_SECONDS = 0.25
_NO_FEED_SECONDS = 5.0
_LOOK_SECONDS = 10.0
_NOTICE_SECONDS = 1.0
_RETAIN_SECONDS = 60.0
_PAUSE = 0.05
"""Seconds between two steps of housekeeping, which leave the database to others."""

_STEP_PAUSE = 0.02
"""Seconds after a step of notices, at least."""
_NOTICE_PAUSE = 0.0075
"""Seconds of that pause for each notice of the step. On SQLite a read may have to wait for a step;
with longer pauses, fewer reads do."""

log = structlog.get_logger("wishwell.background")


def jobs(service: Services) -> list[Coroutine[None, None, None]]:
    """Everything that runs beside the requests."""
    sending = (  # contract: webhook-needs-keys
        [service.sender.run(service.access_cache.tells_events)]
        if service.sender is not None
        else []
    )
    return [
        *sending,
        service.access_cache.run(),
        _sample(service),
        _number_events(service),
        _tell_notices(service),
        _look_at_feeds(service),
        # contract: command-purge
        _in_turns(service, "purge", service.settings.purge_interval, _purge),
        _in_turns(service, "retain", _RETAIN_SECONDS, _retain_events),
        _in_turns(service, "deliveries", _RETAIN_SECONDS, _retain_deliveries),
    ]


async def _in_turns(
    service: Services,
    name: str,
    interval: float,
    job: Callable[[Services], Coroutine[None, None, None]],
) -> None:
    """Does a job at every interval, in only one of several processes."""
    while True:
        await asyncio.sleep(interval)
        try:
            now = service.clock()
            before = ids.timestamp(now - int(interval * 900))
            if await service.db.write(purge.take_lease, name, ids.timestamp(now), before):
                await job(service)
        except Unavailable as error:
            log.warning(f"{name}_put_off", reason=error.message)
        except Exception:
            log.exception(f"{name}_failed")


async def _purge(service: Services) -> None:
    seen = 0
    async for total in purge.sessions(service.db, service.settings, service.clock()):
        metrics.purged(total - seen)
        seen = total
        await asyncio.sleep(_PAUSE)
    metrics.purge_finished()
    if seen:
        log.info("purged", sessions=seen)


# contract: event-retention
async def _retain_events(service: Services) -> None:
    async for _ in events.retain(service.db, service.settings.events_days, service.clock()):
        await asyncio.sleep(_PAUSE)


async def _retain_deliveries(service: Services) -> None:
    async for _ in deliveries.retain(service.db, service.settings.events_days, service.clock()):
        await asyncio.sleep(_PAUSE)


# contract: feed-soon
async def _number_events(service: Services) -> None:
    """Puts new events into their stores' feeds, as long as a store tells any."""
    away, waited = False, 0.0
    while True:
        await asyncio.sleep(_FEED_SECONDS)
        waited += _FEED_SECONDS
        # What was told until a moment ago is there too.
        if not service.access_cache.tells_events() and waited < _NO_FEED_SECONDS:
            continue
        waited = 0.0
        try:
            metrics.events_told(await events.number(service.db, service.clock))
            away = False
        except Unavailable as error:
            if not away:  # once, not four times a second
                log.warning("feed_put_off", reason=error.message)
            away = True
        except Exception:
            log.exception("feed_failed")


async def _look_at_feeds(service: Services) -> None:
    """Updates the metrics of the events that wait."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        with contextlib.suppress(Unavailable):
            count, oldest = await service.db.read(events.behind)
            age = 0 if oldest is None else service.clock() - ids.from_timestamp(oldest)
            metrics.events_waiting(count, max(0, age) / 1000)


# contract: notice-steps
async def _tell_notices(service: Services) -> None:
    """Tells what there is to tell of products. Every process does, each of another product."""
    while True:
        try:
            metrics.notices_waiting(waiting := await service.db.read(notices.waiting))
            if waiting:
                async for told in notices.work(service.db, service.clock):
                    metrics.noticed(told)
                    await asyncio.sleep(max(_STEP_PAUSE, told * _NOTICE_PAUSE))
        except Unavailable as error:
            waiting = 0
            log.warning("notices_put_off", reason=error.message)
        except Exception:
            waiting = 0
            log.exception("notices_failed")
        if not waiting:
            await asyncio.sleep(_NOTICE_SECONDS)


async def _sample(service: Services) -> None:
    """Updates the metrics of load once a second, so that requests do not spend time on it."""
    sampler = metrics.Sampler(service)
    while True:
        shed = sampler.sample()
        if shed:
            log.warning("shed", requests=shed, reason="too many requests at once")
        await asyncio.sleep(_SAMPLE_SECONDS)
