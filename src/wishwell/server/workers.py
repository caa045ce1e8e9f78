"""Supervises the worker processes: starts, watches, replaces and stops them.

All workers accept connections from one socket. While a worker serves, it writes a heartbeat into a
pipe every second. The first one means that it is ready, the pipe's end that the process has ended.
"""

import asyncio
import contextlib
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TypeVar

import structlog
from prometheus_client import multiprocess

from wishwell import config
from wishwell.config import Settings
from wishwell.errors import ServiceError, Unavailable
from wishwell.server import app
from wishwell.telemetry import log, metrics

logger = structlog.get_logger("wishwell")

_HEARTBEAT_SECONDS = 1.0
_MAX_MISSED_HEARTBEATS = 15
"""Missed heartbeats after which a worker counts as hung and is killed."""

_MIN_BACKOFF_SECONDS, _MAX_BACKOFF_SECONDS = 0.5, 30.0
_STABLE_SECONDS = 10.0
"""The backoff doubles while a worker ends within this time."""

_RELOAD_SECONDS = 20.0
"""Timeout for reading and checking the settings after SIGHUP."""

_START_SECONDS = 120.0
"""Timeout for new workers to start after SIGHUP. Each needs about a second of processor time, so
many of them on a busy machine take a minute; the old workers serve in the meantime."""

_CLOSE_SECONDS = 20.0
"""Timeout for closing the database and everything else, after the last request."""

_SPAWN = multiprocessing.get_context("spawn")

_T = TypeVar("_T")

Check = Callable[[Settings], None]


# rule: serve-workers
class Supervisor:
    """Runs workers until SIGTERM or SIGINT, and replaces them after SIGHUP."""

    def __init__(
        self, settings: Settings, listening: socket.socket, ready: Callable[[], None], check: Check
    ) -> None:
        self._settings = settings
        self._listening = listening
        self._ready = ready
        self._check = check
        self._workers: list[_Worker] = []
        """All workers that haven't ended, old and new."""

    async def run(self) -> None:
        """Calls ``ready`` once all workers serve. Raises ``Unavailable`` if one doesn't start."""
        loop = asyncio.get_running_loop()
        stop, reload_requested = asyncio.Event(), asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, stop.set)
        loop.add_signal_handler(signal.SIGINT, stop.set)
        loop.add_signal_handler(signal.SIGHUP, reload_requested.set)
        supervising = asyncio.create_task(self._supervise(reload_requested))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([supervising, stopping], return_when=asyncio.FIRST_COMPLETED)
        supervising.cancel()
        # Closes the port first: new clients would wait in vain while the parent holds it.
        self._listening.close()
        await self._stop(self._workers)
        if not stop.is_set():
            await supervising  # raises its error

    async def _supervise(self, reload_requested: asyncio.Event) -> None:
        await self._start(self._settings)
        self._ready()
        while await reload_requested.wait():
            reload_requested.clear()
            try:
                await self._replace_all()
            except Exception as error:
                reason = error.message if isinstance(error, ServiceError) else type(error).__name__
                logger.error("workers_not_replaced", reason=reason)
                metrics.count_in_parent(metrics.RELOADS_FAILED)
            else:
                logger.info("workers_replaced")

    async def _replace_all(self) -> None:
        """Starts new workers with new settings, and stops the old ones once all new ones serve.

        Workers get their settings from this process, so the replacement of one that dies later
        never reads a file that has become invalid.
        """
        settings = await _within(_RELOAD_SECONDS, self._load(), "Checking the settings")
        old = self._workers
        try:
            await _within(_START_SECONDS, self._start(settings), "Starting new workers")
        except Exception:
            await self._stop(self._workers[len(old) :])
            raise
        await self._stop(old)

    def _load(self) -> asyncio.Future[Settings]:
        """Reads and checks the settings in a thread, because a file or the database may hang."""
        loaded = Future[Settings]()
        loaded.set_running_or_notify_cancel()

        def load() -> None:
            try:
                settings = config.load(os.environ)
                self._check(settings)
                loaded.set_result(settings)
            except Exception as error:
                loaded.set_exception(error)

        threading.Thread(target=load, daemon=True).start()
        return asyncio.wrap_future(loaded)

    def _start(self, settings: Settings) -> asyncio.Future[list[None]]:
        started = [_Worker(settings, self._listening) for _ in range(settings.workers)]
        self._workers = [*self._workers, *started]
        return asyncio.gather(*(worker.serving for worker in started))

    async def _stop(self, workers: "list[_Worker]") -> None:
        for worker in workers:
            worker.stop()
        for worker in workers:
            await asyncio.wait([worker.running])
        self._workers = [worker for worker in self._workers if worker not in workers]


async def _within(seconds: float, future: asyncio.Future[_T], action: str) -> _T:
    try:
        return await asyncio.wait_for(future, seconds)
    except TimeoutError:
        raise Unavailable(f"{action} took longer than {seconds:g} s.") from None


class _Worker:
    """A worker process, which is replaced if it ends or hangs, until ``stop`` is called."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        self._settings = settings
        self._listening = listening
        self._stopping = asyncio.Event()
        self._process: SpawnProcess | None = None
        self._serves = False
        self.serving: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the first process serves; an error if that process ends before."""
        self.running = asyncio.create_task(self._keep_running())

    def stop(self) -> None:
        """Ends the process: gracefully if it serves, but within a limited time."""
        self._stopping.set()
        if self._process is not None and self._serves:
            self._process.terminate()
            seconds = self._settings.shutdown_timeout + _CLOSE_SECONDS
            asyncio.get_running_loop().call_later(seconds, self._process.kill)
        elif self._process is not None:
            self._process.kill()

    async def _keep_running(self) -> None:
        backoff = _MIN_BACKOFF_SECONDS
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                await self._run_process()
            except OSError as error:  # the system has no memory or process left
                logger.error("worker_died", reason=str(error))
            if self._stopping.is_set():
                break
            if not self.serving.done():
                self.serving.set_exception(Unavailable("A worker ended before it served."))
                break
            if time.monotonic() - began > _STABLE_SECONDS:
                backoff = _MIN_BACKOFF_SECONDS
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), backoff)
            backoff = min(2 * backoff, _MAX_BACKOFF_SECONDS)

    async def _run_process(self) -> None:
        """Runs a process until it ends. Kills it if it hangs."""
        heartbeats, worker_end = _SPAWN.Pipe(duplex=False)
        parameters = self._settings, self._listening, worker_end
        self._process = process = _SPAWN.Process(target=_work, args=parameters, daemon=True)
        process.start()
        worker_end.close()
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), heartbeats
        )
        missed = 0  # not the time without heartbeats, because all of the machine may be paused
        while missed < _MAX_MISSED_HEARTBEATS:
            try:
                if not await asyncio.wait_for(reader.read(1024), _HEARTBEAT_SECONDS):
                    break
            except TimeoutError:
                missed += self._serves
                continue
            missed = 0
            self._serves = True
            if not self.serving.done():
                self.serving.set_result(None)
        else:
            process.kill()
        process.join()
        transport.close()
        self._serves = False
        multiprocess.mark_process_dead(process.pid)  # type: ignore[no-untyped-call]
        if not self._stopping.is_set():
            exit = process.exitcode
            logger.error("worker_died", exit=exit, pid=process.pid, missed_heartbeats=missed)
            metrics.count_in_parent(metrics.WORKER_RESTARTS)


def _work(settings: Settings, listening: socket.socket, heartbeats: Connection) -> None:
    """Serves in a worker process."""
    log.configure(settings.log_level)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a closed terminal sends it to all processes
    # Duplicated, so that only the end of the process closes this end of the pipe.
    pipe = os.dup(heartbeats.fileno())
    os.set_blocking(pipe, False)
    app.serve(settings, listening, partial(_send_heartbeats, pipe))


async def _send_heartbeats(pipe: int) -> None:
    """Sends heartbeats. Stops the server if the parent was killed, to free the port."""
    while True:
        try:
            os.write(pipe, b".")
        except BlockingIOError:
            pass  # the parent is paused, and the pipe is full
        except BrokenPipeError:
            logger.warning("parent_gone")
            signal.raise_signal(signal.SIGTERM)
            return
        await asyncio.sleep(_HEARTBEAT_SECONDS)
