"""Serving: the socket, the processes, and the way in and out of them."""

import os
import socket
import tempfile
from collections.abc import Callable
from typing import Any

import click
import structlog
import uvicorn
from uvicorn.supervisors import Multiprocess

from wishwell import app
from wishwell.config import Settings
from wishwell.errors import Misconfigured
from wishwell.http.server import GuardedProtocol

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 30
_START_SECONDS = 20


def serve_until_stopped(settings: Settings, welcome: str) -> None:
    """Serves until SIGTERM or SIGINT. ``welcome`` is shown once it listens, ``{url}`` filled in."""
    listening = _listen(settings)
    GuardedProtocol.header_timeout = settings.header_timeout
    GuardedProtocol.body_timeout = settings.body_timeout
    url = _url(listening)
    logger = structlog.get_logger("wishwell")
    if settings.workers > 1:
        # Where the workers add their metrics up; it goes when the last reference does, at the end.
        counters = tempfile.TemporaryDirectory(prefix="wishwell-metrics-")
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", counters.name)
        if not settings.redis_url:
            logger.warning(
                "limits_per_worker",
                workers=settings.workers,
                reason="without WISHWELL_REDIS_URL each worker counts rate limits for itself",
            )

    def ready() -> None:
        logger.info("listening", url=url, engine=settings.engine, workers=settings.workers)
        if welcome:
            click.echo(welcome.replace("{url}", url), err=True)

    options: dict[str, Any] = {
        "http": GuardedProtocol,
        "ws": "none",
        "loop": "uvloop",
        "lifespan": "on",
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "proxy_headers": False,
        "timeout_keep_alive": _KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": int(settings.shutdown_timeout),
    }
    if settings.workers == 1:
        _Server(uvicorn.Config(app.Application(settings), **options), ready).run([listening])
        return
    workers = uvicorn.Config(
        "wishwell.app:create", factory=True, workers=settings.workers, **options
    )
    _Workers(workers, [listening], ready).run()


class _Server(uvicorn.Server):
    """One process: says when it listens."""

    def __init__(self, configuration: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(configuration)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        # A stop that was asked for is no failure: without this, uvicorn raises the signal again.
        self._captured_signals.clear()


class _Workers(Multiprocess):
    """Several processes on one socket: says when all of them serve."""

    def __init__(
        self, configuration: uvicorn.Config, sockets: list[socket.socket], ready: Callable[[], None]
    ) -> None:
        super().__init__(configuration, sockets)
        self._ready = ready

    def init_processes(self) -> None:
        super().init_processes()
        if all(process.wait_until_ready(_START_SECONDS) for process in self.processes):
            self._ready()


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        raise Misconfigured(
            f"{settings.host}:{settings.port} can't be listened on ({error.strerror or error}): "
            "set WISHWELL_HOST and WISHWELL_PORT."
        ) from error
    listening.listen(_BACKLOG)
    listening.set_inheritable(True)
    return listening


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
