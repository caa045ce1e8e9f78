"""The composition root: builds, opens and closes all components of the service."""

import asyncio
import contextlib
import functools
import gc
import resource
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import structlog
import uvicorn

from wishwell import ids, ratelimits
from wishwell.access import access_cache, auth
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.db.clock import ReferenceClock
from wishwell.errors import ServiceError, Unavailable
from wishwell.events import recipients
from wishwell.events.formats import Recipient, Unsent
from wishwell.events.sender import MAX_CONCURRENT, Sender
from wishwell.http.context import Services
from wishwell.http.pipeline import Pipeline
from wishwell.http.server.admission import Admission
from wishwell.http.server.protocol import PIPELINE, HttpProtocol
from wishwell.mailer import sender as mailer
from wishwell.mailer import smtp
from wishwell.outbound import Outbound
from wishwell.products import shown
from wishwell.profiles import pages
from wishwell.server import background, opening
from wishwell.shoppers.key_sets import KeySets
from wishwell.shoppers.shop import ShopCache
from wishwell.stores.sealing import Sealing
from wishwell.telemetry import metrics

_MAX_ACCEPTS = 64
"""Connections accepted in one iteration of the event loop. uvloop accepts one from each listening
socket; under overload iterations are long, and new clients waited many seconds (decision 0015)."""

logger = structlog.get_logger("wishwell.server.app")


@contextlib.asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Services]:
    """Opens all components that serving needs, and closes them at the end of the block."""
    clock = ReferenceClock(ids.wall_clock)
    keys = opening.signing_keys(settings)
    db = opening.open_database(settings, logger.warning)
    cache = access_cache.AccessCache(db, clock)
    new_id = ids.UUID7(clock)
    limiter = ratelimits.Limiter(clock)
    if settings.redis_url:
        from wishwell.ratelimits import shared as shared_limits

        limiter = shared_limits.RedisLimiter(settings.redis_url, clock)
    outbound = Outbound(http=settings.webhook_http, private=settings.webhook_private)
    sealing = opening.sealing(settings)
    service = Services(
        settings=settings,
        db=db,
        access_cache=cache,
        authenticator=auth.Authenticator(keys, cache, settings.session_namespace, clock),
        limiter=limiter,
        admission=Admission(settings.max_in_flight),
        cursor_signer=pages.CursorSigner(keys),
        outbound=outbound,
        sealing=sealing,
        shops=ShopCache(cache, sealing, KeySets(outbound, settings.key_set_seconds)),
        sender=Sender(
            db,
            outbound,
            sealing,
            clock,
            shown.add_to_events,
            functools.partial(_find_recipient, settings, db, cache, clock),
            max_concurrent=_max_sends(),
        )
        if sealing
        else None,
        mailer=_make_mailer(settings, db, outbound, sealing, clock, cache),
        clock=clock,
        new_id=new_id,
    )
    try:
        try:
            await clock.observe(db)
            await cache.refresh()
        except Unavailable as error:
            # A worker that restarts while the database is unreachable must start all the same.
            logger.warning("started_without_database", reason=error.message)
        yield service
    finally:
        if service.sender is not None:
            await service.sender.stop()
        if service.mailer is not None:
            await service.mailer.stop()
        await outbound.close()
        await cache.close()
        await limiter.close()
        await db.close()


# rule: mail-on
def _make_mailer(
    settings: Settings,
    db: Database,
    outbound: Outbound,
    sealing: Sealing | None,
    clock: ReferenceClock,
    cache: access_cache.AccessCache,
) -> mailer.Sender | None:
    """Returns the sender of mails, or None if this installation sends none."""
    if settings.mail == "off":
        return None
    connections = smtp.Connections(outbound.find_addresses)
    url, base = settings.smtp_url, settings.storefront_base
    return mailer.Sender(db, connections, sealing, clock, cache.all_stores, url, base)


# rule: format-mail
async def _find_recipient(
    settings: Settings,
    db: Database,
    cache: access_cache.AccessCache,
    clock: ReferenceClock,
    store_id: str,
    gid: str,
) -> Recipient | Unsent:
    store = cache.store(store_id)
    if store is None or settings.mail == "off":
        return Unsent("This installation sends no mails (WISHWELL_MAIL).")
    base, now = settings.storefront_base, ids.timestamp(clock())
    return await db.write(recipients.find, store, gid, base, now)


def _max_sends() -> int:
    """Returns the maximum of concurrent webhook sends, leaving file descriptors for requests."""
    max_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        MAX_CONCURRENT
        if max_files == resource.RLIM_INFINITY
        else min(MAX_CONCURRENT, max_files // 8)
    )


class Application:
    """The ASGI application that uvicorn starts and stops; it opens the service in between.

    It handles only the lifespan: ``http/server/protocol.py`` passes requests to the pipeline.
    """

    def __init__(
        self, settings: Settings, once_started: Callable[[], Coroutine[None, None, None]]
    ) -> None:
        self._settings = settings
        self._once_started = once_started

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        metrics.record_build()
        try:
            async with opened(self._settings) as service:
                if service.sealing is None:
                    reason = "WISHWELL_SEALING_KEYS is not set"
                    logger.warning("storefront_closed", reason=reason)
                scope["state"][PIPELINE] = Pipeline(service)
                running = [asyncio.create_task(job) for job in background.jobs(service)]
                # Excludes the some 70,000 objects made so far from garbage collection: with them, a
                # full collection stops all requests for tens of milliseconds.
                gc.collect()
                gc.freeze()
                await send({"type": "lifespan.startup.complete"})
                running.append(asyncio.create_task(self._once_started()))
                await receive()
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)
        except ServiceError as error:
            logger.error("not_started", reason=error.message)
            await send({"type": "lifespan.startup.failed", "message": error.message})
            return
        await send({"type": "lifespan.shutdown.complete"})


def serve(
    settings: Settings,
    listening: socket.socket,
    once_started: Callable[[], Coroutine[None, None, None]],
) -> None:
    """Serves in this process until SIGTERM or SIGINT. ``once_started`` begins after the start."""
    server = uvicorn.Server(
        uvicorn.Config(
            Application(settings, once_started),
            http=HttpProtocol,
            ws="none",
            loop="uvloop",
            lifespan="on",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=int(settings.shutdown_timeout),
        )
    )

    def stop(*_: object) -> None:
        server.should_exit = True

    # uvicorn replaces these handlers while it serves, and raises the signals again afterwards.
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    # `dup` would make the socket blocking, also for the workers that already accept from it.
    listening.setblocking(False)
    # uvloop treats several descriptors of one socket as separate sockets.
    server.run([listening, *(listening.dup() for _ in range(_MAX_ACCEPTS - 1))])
