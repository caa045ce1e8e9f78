"""The composition root: builds, opens and closes all parts of the service."""

import asyncio
import contextlib
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import structlog

from wishwell import access_cache, auth, config, ids, limits, log, notices, pages, purge
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.db.postgres import Postgres
from wishwell.db.sqlite import SQLite
from wishwell.errors import Misconfigured, ServiceError, Unavailable
from wishwell.http import metrics
from wishwell.http.admission import Admission
from wishwell.http.context import Services
from wishwell.http.pipeline import Pipeline
from wishwell.http.server import ADMISSION
from wishwell.outbound import Outbound
from wishwell.sealing import Sealing
from wishwell.storefront.keys import KeySets
from wishwell.storefront.shop import Shops

_SAMPLE_SECONDS = 1.0
_NOTICE_SECONDS = 1.0
_NOTICE_PAUSE = 0.05
"""Between two looks for notices, and after each step of telling them (contract: notice-steps)."""

_SWITCH_SECONDS = 0.0005
"""How long SQLite's writer thread waits for the interpreter while the event loop is busy. With
Python's default of 5 ms, a write took 50 ms and more under overload (docs/decisions/0015)."""

logger = structlog.get_logger("wishwell.app")


def open_database(settings: Settings) -> Database:
    """Opens the database, which must have been migrated.

    An embedded file is opened at once. Raises ``Unavailable`` if it can't be read.
    """
    if settings.engine == "sqlite":
        sys.setswitchinterval(_SWITCH_SECONDS)
        return SQLite(config.sqlite_path(settings.database_url))
    return Postgres(
        settings.database_url,
        connections=settings.database_connections,
        seconds=settings.database_timeout,
    )


# contract: signing-key-source
def signing_keys(settings: Settings) -> list[bytes]:
    """The signing keys: from the settings, or for an embedded database from its key file.

    Raises ``Misconfigured`` if a server database has no configured key.
    """
    if settings.signing_keys:
        return [key.encode() for key in settings.signing_keys]
    if settings.engine == "sqlite":
        return [auth.embedded_key(config.sqlite_path(settings.database_url))]
    raise Misconfigured(
        "WISHWELL_SIGNING_KEYS is required with a server database: a secret of at least 32 "
        "characters, for example from `openssl rand -base64 48`."
    )


# contract: sealing-keys
def sealing(settings: Settings) -> Sealing | None:
    """What seals secrets; for an embedded database with its key file. None without the setting."""
    if settings.sealing_keys:
        return Sealing([key.encode() for key in settings.sealing_keys])
    if settings.engine == "sqlite":
        path = config.sqlite_path(settings.database_url)
        return Sealing([auth.embedded_key(path + ".sealing")])
    return None


@contextlib.asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Services]:
    """Everything that serving needs, for as long as the block runs."""
    clock = ids.wall_clock
    keys = signing_keys(settings)
    db = open_database(settings)
    known = access_cache.AccessCache(db, clock)
    new_id = ids.UUID7(clock)
    local = limits.LocalLimiter(clock)
    limiter: limits.Limiter = local
    if settings.redis_url:
        limiter = limits.RedisLimiter(settings.redis_url, local)
    service = Services(
        settings=settings,
        db=db,
        access_cache=known,
        authenticator=auth.Authenticator(keys, known, settings.session_namespace, clock),
        limiter=limiter,
        admission=Admission(settings, local, known),
        cursor_signer=pages.CursorSigner(keys),
        clock=clock,
        new_id=new_id,
    )
    try:
        try:
            await known.refresh()
        except Unavailable as error:
            # A worker that restarts while the database can't be reached waits for it.
            logger.warning("started_without_database", reason=error.message)
        yield service
    finally:
        await known.close()
        await limiter.close()
        await db.close()


def key_sets(settings: Settings) -> KeySets:
    """What reads the shops' key sets. It connects to nothing until one is needed."""
    return KeySets(Outbound(http=settings.webhook_http, private=settings.webhook_private))


@contextlib.asynccontextmanager
async def _outbound(settings: Settings) -> AsyncIterator[Outbound]:
    outbound = Outbound(http=settings.webhook_http, private=settings.webhook_private)
    try:
        yield outbound
    finally:
        await outbound.close()


class Application:
    """The ASGI application: opens the service at lifespan startup, then passes requests on."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pipeline: Pipeline | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            assert self._pipeline is not None
            await self._pipeline(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)

    async def _lifespan(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        _end_with_parent()
        try:
            async with opened(self._settings) as service, _outbound(self._settings) as outbound:
                sealed_with = sealing(self._settings)
                if sealed_with is None:
                    reason = "WISHWELL_SEALING_KEYS is not set"
                    logger.warning("storefront_closed", reason=reason)
                shops = Shops(service.access_cache, sealed_with, outbound)
                self._pipeline = Pipeline(service, shops)
                scope["state"][ADMISSION] = service.admission
                background = [
                    asyncio.create_task(service.access_cache.run()),
                    asyncio.create_task(_purge_now_and_then(service)),
                    asyncio.create_task(_tell_notices(service)),
                    asyncio.create_task(_sample_now_and_then(service)),
                ]
                # These some 70,000 objects stay. Without them a full collection no longer stops
                # all requests for tens of milliseconds.
                gc.collect()
                gc.freeze()
                await send({"type": "lifespan.startup.complete"})
                await receive()
                for task in background:
                    task.cancel()
                await asyncio.gather(*background, return_exceptions=True)
        except ServiceError as error:
            logger.error("not_started", reason=error.message)
            await send({"type": "lifespan.startup.failed", "message": error.message})
            return
        await send({"type": "lifespan.shutdown.complete"})


def create() -> Application:
    """The application for a worker process, with settings from the environment."""
    settings = config.load(os.environ)
    log.configure(settings.log_level)
    return Application(settings)


def _end_with_parent() -> None:
    """Stops a worker whose parent was killed, so that it does not keep the port."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def gone() -> None:
            loop.remove_reader(parent.sentinel)
            logger.warning("parent_gone")
            os.kill(os.getpid(), signal.SIGTERM)

        loop = asyncio.get_running_loop()
        loop.add_reader(parent.sentinel, gone)


async def _purge_now_and_then(service: Services) -> None:
    """Purges at every interval, in only one of several processes."""
    interval = service.settings.purge_interval
    while True:
        await asyncio.sleep(interval)
        try:
            if not await _has_lease(service, interval):
                continue
            seen = 0
            async for total in purge.sessions(service.db, service.settings, service.clock()):
                metrics.purged(total - seen)
                seen = total
                await asyncio.sleep(0.05)
            metrics.purge_finished()
            if seen:
                logger.info("purged", sessions=seen)
        except Unavailable as error:
            logger.warning("purge_put_off", reason=error.message)
        except Exception:
            logger.exception("purge_failed")


async def _tell_notices(service: Services) -> None:
    """Tells what there is to tell of products. Every process does, each of another product."""
    while True:
        try:
            metrics.notices_waiting(waiting := await service.db.read(notices.waiting))
            async for told in notices.work(service.db, service.clock):
                metrics.noticed(told)
                await asyncio.sleep(_NOTICE_PAUSE)
        except Unavailable as error:
            waiting = 0
            logger.warning("notices_put_off", reason=error.message)
        except Exception:
            waiting = 0
            logger.exception("notices_failed")
        if not waiting:
            await asyncio.sleep(_NOTICE_SECONDS)


async def _sample_now_and_then(service: Services) -> None:
    """Updates the metrics of load once a second, so that requests do not spend time on it."""
    sampler = metrics.Sampler(service)
    while True:
        shed = sampler.sample()
        if shed:
            logger.warning("shed", requests=shed, reason="too many requests at once")
        await asyncio.sleep(_SAMPLE_SECONDS)


async def _has_lease(service: Services, interval: float) -> bool:
    now = service.clock()
    before = ids.timestamp(now - int(interval * 900))
    return await service.db.write(purge.take_lease, ids.timestamp(now), before)
