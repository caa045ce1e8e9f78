"""Serving: the socket, the processes, and the way in and out of them."""

import asyncio
import contextlib
import functools
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import click
import structlog
import uvicorn
from prometheus_client import multiprocess
from uvicorn.supervisors import Multiprocess

from wishwell import app
from wishwell.config import Settings
from wishwell.errors import Misconfigured
from wishwell.http.server import GuardedProtocol, Timeouts
from wishwell.proxy.protocol import PathsOnly

logger = structlog.get_logger("wishwell")

_BACKLOG = 2048
_ACCEPTS = 64
"""Connections that one turn of the event loop takes in. uvloop takes one a turn from each listening
socket: with long turns, under overload, new clients waited for many seconds (decision 0015)."""

_UNSENT = 128 * 1024
"""Bytes of answers that the kernel takes for a connection beyond what its client has room for. Left
to itself it takes megabytes, and nobody sees that they are not read."""

_KEEP_ALIVE_SECONDS = 30
_START_SECONDS = 20


def serve_until_stopped(settings: Settings, welcome: str) -> None:
    """Serves until SIGTERM or SIGINT. ``welcome`` is shown once it listens, ``{url}`` filled in."""
    listening = listen(settings.host, settings.port, "WISHWELL_HOST and WISHWELL_PORT")
    url = _url(listening)
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
            with contextlib.suppress(OSError):  # nobody reads it any more, and it serves
                click.echo(welcome.replace("{url}", url), err=True)

    proxy = app.proxy_of(os.environ)
    protocol = GuardedProtocol if proxy is None else PathsOnly
    timeouts = Timeouts(
        header=settings.header_timeout, body=settings.body_timeout, answer=settings.answer_timeout
    )
    options = _options(protocol, timeouts, int(settings.shutdown_timeout))
    if settings.workers == 1:
        application = app.Application(settings, proxy)
        _Server(uvicorn.Config(application, **options), ready).run(_many(listening))
        return
    workers = uvicorn.Config(
        "wishwell.app:create", factory=True, workers=settings.workers, **options
    )
    _Workers(workers, _many(listening), ready).run()


def serve_one(
    application: Any,
    listening: socket.socket,
    protocol: type[GuardedProtocol],
    stop_seconds: int,
    **shown: str,
) -> None:
    """Serves any application in this process until SIGTERM or SIGINT; logs where, and ``shown``.

    The application writes ``Date`` itself.
    """

    def ready() -> None:
        structlog.get_logger("wishwell").info("listening", url=_url(listening), **shown)

    options = _options(protocol, Timeouts(), stop_seconds) | {"date_header": False}
    _Server(uvicorn.Config(application, **options), ready).run(_many(listening))


def _options(
    protocol: type[GuardedProtocol], timeouts: Timeouts, stop_seconds: int
) -> dict[str, Any]:
    return {
        "http": functools.partial(protocol, timeouts),
        "ws": "none",
        "loop": "uvloop",
        "lifespan": "on",
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "proxy_headers": False,
        "timeout_keep_alive": _KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": stop_seconds,
    }


# contract: serve-stop
class _Server(uvicorn.Server):
    """One process: says when it listens."""

    def __init__(self, configuration: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(configuration)
        self._ready = ready
        self._in_terminal = sys.stdin is not None and sys.stdin.isatty()

    def _hung_up(self) -> None:
        """SIGHUP: from a terminal that was closed it means stop; else there is nothing to do."""
        if self._in_terminal:
            self.should_exit = True
        else:
            logger.warning("hangup_ignored", reason="one worker: restart it to read settings again")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._hung_up)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        # A stop that was asked for is no failure: without this, uvicorn raises the signal again.
        self._captured_signals.clear()


# contract: serve-workers
class _Workers(Multiprocess):
    """Several processes on one socket: says when all of them serve."""

    def __init__(
        self, configuration: uvicorn.Config, sockets: list[socket.socket], ready: Callable[[], None]
    ) -> None:
        super().__init__(configuration, sockets)
        self._ready = ready
        self._serving: set[int] = set()

    def init_processes(self) -> None:
        super().init_processes()
        self._serving = self._pids()
        if all(process.wait_until_ready(_START_SECONDS) for process in self.processes):
            self._ready()

    def terminate_all(self) -> None:
        """At a stop. As long as the parent held the port, who came meanwhile would wait for it."""
        for listening in self.sockets:
            listening.close()
        super().terminate_all()

    def keep_subprocess_alive(self) -> None:
        """Also says who died, and forgets how busy those were that have ended."""
        before = list(self.processes)
        super().keep_subprocess_alive()
        for old, new in zip(before, self.processes, strict=True):
            if old is not new:
                logger.error("worker_died", exit=old.exitcode, pid=old.pid, replacement=new.pid)
        for pid in self._serving - self._pids():
            multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]
        self._serving = self._pids()

    def _pids(self) -> set[int]:
        return {process.pid for process in self.processes if process.pid is not None}


# contract: serve-start
def listen(host: str, port: int, names: str) -> socket.socket:
    """A listening socket; ``names`` are the settings to blame. Raises ``Misconfigured``."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except (OSError, ValueError) as error:
        # ValueError: a name that can't be one, such as a..b, or too long.
        reason = error.strerror if isinstance(error, OSError) else "that is no address"
        listening.close()
        raise Misconfigured(
            f"{host[:80]}:{port} can't be listened on ({reason}): set {names}."
        ) from error
    if hasattr(socket, "TCP_NOTSENT_LOWAT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
    listening.set_inheritable(True)
    return listening


def _many(listening: socket.socket) -> list[socket.socket]:
    """The socket under several numbers, which uvloop takes for as many sockets."""
    return [listening, *(listening.dup() for _ in range(_ACCEPTS - 1))]


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
