"""The composition root: builds, opens and closes everything. Imported by nothing but the entry."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from typing import Any

import structlog

from wishwell import auth, config, directory, ids, limits, log, pages, purge
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.db.postgres import Postgres
from wishwell.db.sqlite import SQLite
from wishwell.errors import Misconfigured, Unavailable, WishwellError
from wishwell.http import metrics
from wishwell.http.answers import Headers
from wishwell.http.context import Services
from wishwell.http.pipeline import Pipeline
from wishwell.http.server import GuardedProtocol

logger = structlog.get_logger("wishwell.app")


def open_database(settings: Settings) -> Database:
    """Opens the database, which must have been migrated; the file of an embedded one at once.

    Raises ``Unavailable`` when that can't be read.
    """
    if settings.engine == "sqlite":
        return SQLite(config.sqlite_path(settings.database_url))
    return Postgres(
        settings.database_url,
        connections=settings.database_connections,
        seconds=settings.database_timeout,
    )


def signing_keys(settings: Settings) -> list[bytes]:
    """The ring: from the settings, or on the embedded database from its key file.

    Raises ``Misconfigured`` for a server database without a configured key.
    """
    if settings.signing_keys:
        return [key.encode() for key in settings.signing_keys]
    if settings.engine == "sqlite":
        return [auth.embedded_key(config.sqlite_path(settings.database_url))]
    raise Misconfigured(
        "WISHWELL_SIGNING_KEYS is required with a server database: a secret of at least 32 "
        "characters, for example from `openssl rand -base64 48`."
    )


@contextlib.asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Services]:
    """Everything that serving needs, for as long as the block runs."""
    clock = ids.wall_clock
    keys = signing_keys(settings)
    db = open_database(settings)
    known = directory.Directory(db, clock)
    new_id = ids.UUID7(clock)
    local = limits.LocalLimiter(clock)
    limiter: limits.Limiter = local
    if settings.redis_url:
        limiter = limits.RedisLimiter(settings.redis_url, local)
    service = Services(
        settings=settings,
        db=db,
        directory=known,
        tokens=auth.Tokens(keys, known, settings.session_namespace, clock, new_id),
        limiter=limiter,
        local_limiter=local,
        sealer=pages.Sealer(keys),
        clock=clock,
        new_id=new_id,
    )
    try:
        await known.refresh()
        yield service
    finally:
        await known.close()
        await limiter.close()
        await db.close()


class Application:
    """The ASGI application: opens the service at lifespan startup, then hands requests on."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pipeline: Pipeline | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            assert self._pipeline is not None
            await self._pipeline(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)

    def refused_limits(self, peer: str) -> Headers:
        """The limit headers of a request that the server refused before it came here."""
        assert self._pipeline is not None
        return self._pipeline.refused_limits(peer)

    async def _lifespan(self, receive: Any, send: Any) -> None:
        await receive()
        try:
            async with opened(self._settings) as service:
                self._pipeline = Pipeline(service)
                background = [
                    asyncio.create_task(service.directory.run()),
                    asyncio.create_task(_purge_now_and_then(service)),
                ]
                await send({"type": "lifespan.startup.complete"})
                await receive()
                for task in background:
                    task.cancel()
                await asyncio.gather(*background, return_exceptions=True)
        except WishwellError as error:
            logger.error("not_started", reason=error.message)
            await send({"type": "lifespan.startup.failed", "message": error.message})
            return
        await send({"type": "lifespan.shutdown.complete"})


def create() -> Application:
    """For workers: the application with the settings of the environment."""
    settings = config.load(os.environ)
    log.configure(settings.log_level)
    GuardedProtocol.header_timeout = settings.header_timeout
    GuardedProtocol.body_timeout = settings.body_timeout
    return Application(settings)


async def _purge_now_and_then(service: Services) -> None:
    """Purges at every interval; of several processes, the one that gets the turn."""
    interval = service.settings.purge_interval
    while True:
        await asyncio.sleep(interval)
        try:
            if not await _my_turn(service, interval):
                continue
            seen = 0
            async for total in purge.sessions(service.db, service.settings, service.clock()):
                metrics.purged(total - seen)
                seen = total
                await asyncio.sleep(0.05)
            if seen:
                logger.info("purged", sessions=seen)
        except Unavailable as error:
            logger.warning("purge_put_off", reason=error.message)
        except Exception:
            logger.exception("purge_failed")


async def _my_turn(service: Services, interval: float) -> bool:
    now = service.clock()
    row = await service.db.write.one(
        "turn_take", "purge", ids.timestamp(now), ids.timestamp(now - int(interval * 900))
    )
    return row is not None
