"""Serves the application: the listening socket and the processes, from start to stop."""

import asyncio
import contextlib
import os
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

import click
import structlog
import uvicorn
from prometheus_client import multiprocess
from uvicorn.supervisors import multiprocess as supervisor

from wishwell import config
from wishwell.config import Settings
from wishwell.errors import Misconfigured, ServiceError, Unavailable
from wishwell.http.protocol import Connection
from wishwell.server import app

logger = structlog.get_logger("wishwell")

_SOCKET_BACKLOG = 2048
_ACCEPTS = 64
"""Connections accepted in one iteration of the event loop. uvloop accepts one from each listening
socket; under overload iterations are long, and new clients waited many seconds (decision 0015)."""

_UNSENT = 128 * 1024
"""Bytes of unsent responses that the kernel buffers for a connection. The default is megabytes,
which hides that a client doesn't read."""

_FILES = 65_536
"""Files and connections that a process may have open, as far as the system allows it. The default
of many systems is 1,024."""

_START_SECONDS = 20.0
"""Timeout for the workers to start."""

_RELOAD_SECONDS = 5.0
"""Timeout for reading and checking the settings after SIGHUP."""

_POLL_SECONDS = 0.1

Check = Callable[[Settings], None]


def serve_until_stopped(settings: Settings, welcome: str, check: Check) -> None:
    """Serves until SIGTERM or SIGINT. ``welcome`` is printed at the start, with ``{url}`` set.

    ``check`` raises an error for settings that the workers can't take over after SIGHUP.
    """
    _allow_files()
    listening = listen(settings.host, settings.port, "WISHWELL_HOST and WISHWELL_PORT")
    host, port = listening.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    if settings.workers > 1:
        # The workers add up their metrics here. It is removed with its last reference, at the end.
        counters = tempfile.TemporaryDirectory(prefix="wishwell-metrics-")
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", counters.name)
        if not settings.redis_url:
            logger.warning(
                "limits_per_worker",
                workers=settings.workers,
                reason="without WISHWELL_REDIS_URL each worker counts rate limits on its own",
            )

    def ready() -> None:
        logger.info("listening", url=url, engine=settings.engine, workers=settings.workers)
        if welcome:
            with contextlib.suppress(OSError):  # the service runs even if nobody reads it
                click.echo(welcome.replace("{url}", url), err=True)

    alone = settings.workers == 1
    configuration = uvicorn.Config(
        app.Application(settings) if alone else partial(app.create, settings),
        factory=not alone,
        workers=settings.workers,
        http=Connection,
        ws="none",
        loop="uvloop",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(settings.shutdown_timeout),
    )
    # uvloop treats several descriptors of one socket as separate sockets.
    sockets = [listening, *(listening.dup() for _ in range(_ACCEPTS - 1))]
    if alone:
        _Server(configuration, ready).run(sockets)
    else:
        _Workers(configuration, sockets, ready, check).run()


def _allow_files() -> None:
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if files != resource.RLIM_INFINITY and files < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


# rule: serve-workers
class _Server(uvicorn.Server):
    """The server of a single process. Calls ``ready`` once it listens."""

    def __init__(self, configuration: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(configuration)
        self._ready = ready
        self._in_terminal = sys.stdin is not None and sys.stdin.isatty()

    def _hung_up(self) -> None:
        """Handles SIGHUP: stops if it comes from a closed terminal; otherwise only logs it."""
        if self._in_terminal:
            self.should_exit = True
        else:
            reason = "SIGHUP reloads settings only with 2 or more workers; restart the service"
            logger.warning("hangup_ignored", reason=reason)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._hung_up)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        # A requested stop is not a failure. Without this, uvicorn raises the signal again.
        self._captured_signals.clear()


class _Worker(supervisor.Process):
    def target(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn 0.54 creates the server at its first use. A thread that reports whether it has
        # started uses it at the same time. If both create one, no start is ever reported.
        self._server = uvicorn.Server(self.config)
        super().target(sockets)


supervisor.Process = _Worker  # type: ignore[misc]


# rule: serve-workers
class _Workers(supervisor.Multiprocess):
    """Several processes on one socket. Calls ``ready`` once all of them serve."""

    def __init__(
        self,
        configuration: uvicorn.Config,
        sockets: list[socket.socket],
        ready: Callable[[], None],
        check: Check,
    ) -> None:
        super().__init__(configuration, sockets)
        self._ready = ready
        self._check = check
        self._serving: set[int] = set()

    def init_processes(self) -> None:
        super().init_processes()
        self._serving = self._pids()
        if all(process.wait_until_ready(_START_SECONDS) for process in self.processes):
            self._ready()

    def terminate_all(self) -> None:
        """Closes the port first: new clients would wait in vain while the parent holds it."""
        for listening in self.sockets:
            listening.close()
        super().terminate_all()

    def restart_all(self) -> None:
        """Replaces either all workers or none after SIGHUP, and logs one event.

        Workers get their settings from this process, so the replacement of one that dies later
        never reads a file that has become invalid.
        """
        try:
            self._replace(self._reload())
        except Exception as error:
            reason = error.message if isinstance(error, ServiceError) else type(error).__name__
            logger.error("workers_not_replaced", reason=reason)
        else:
            logger.info("workers_replaced")

    def _reload(self) -> Settings:
        """Reads and checks the settings in a thread, because a file or the database may hang."""
        loaded = Future[Settings]()

        def load() -> None:
            try:
                settings = config.load(os.environ)
                self._check(settings)
                loaded.set_result(settings)
            except Exception as error:
                loaded.set_exception(error)

        threading.Thread(target=load, daemon=True).start()
        deadline = time.monotonic() + _RELOAD_SECONDS
        while not loaded.done():
            is_stopping = {signal.SIGTERM, signal.SIGINT} & {*self.signal_queue}
            if is_stopping or time.monotonic() > deadline:
                raise Unavailable(f"Checking the settings took longer than {_RELOAD_SECONDS:g} s.")
            time.sleep(_POLL_SECONDS)
        return loaded.result()

    def _replace(self, settings: Settings) -> None:
        """Starts new workers, and stops the old ones once all new ones serve."""
        before, self.config.app = self.config.app, partial(app.create, settings)
        started = [supervisor.Process(self.config, self.sockets) for _ in self.processes]
        for process in started:
            process.start()
        if not all(process.wait_until_ready(_START_SECONDS) for process in started):
            self.config.app = before
            for process in started:
                process.kill()
                process.join()
            raise Unavailable("A new worker ended or did not serve in time.")
        old, self.processes = self.processes, started
        for process in old:
            process.terminate()
        for process in old:
            process.join()

    def keep_subprocess_alive(self) -> None:
        """Also logs workers that died, and removes the gauges of workers that have ended."""
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


# rule: serve-start
def listen(host: str, port: int, names: str) -> socket.socket:
    """Returns a listening socket. Raises ``Misconfigured``; ``names``: the settings to change."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_SOCKET_BACKLOG)
    except (OSError, ValueError) as error:
        # ValueError: an impossible host name, such as a..b, or one that is too long.
        reason = error.strerror if isinstance(error, OSError) else "it isn't a valid address"
        listening.close()
        raise Misconfigured(
            f"Can't listen on {host[:80]}:{port} ({reason}). Change {names}."
        ) from error
    if hasattr(socket, "TCP_NOTSENT_LOWAT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
    listening.set_inheritable(True)
    return listening
