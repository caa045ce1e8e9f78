"""Common parts of all test servers: ports, waiting, and processes that are always cleaned up."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import psutil

PREFIX = "/api/2025-04"
HERE = "127.0.0.1"
_PORTS = range(20000, 32000)


class ServerFailed(Exception):
    """A server did not start, or exited early; the message has its output."""


def free_port() -> int:
    """Returns a loopback port that is free and that no other test process gets.

    The kernel's ephemeral ports start at 32768 and may be taken before a server binds them. These
    are below, handed out in turn to all test processes of this user through a locked file.
    """
    counter = Path(tempfile.gettempdir()) / f"wishwell-ports-{os.geteuid()}"
    with counter.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        last = int(file.read() or 0)
        for number in range(last + 1, last + 1 + len(_PORTS)):
            port = _PORTS[number % len(_PORTS)]
            with socket.socket() as probe, contextlib.suppress(OSError):
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((HERE, port))
                file.truncate(0)
                file.write(str(number))
                return port
    raise ServerFailed(f"no free port from {_PORTS.start} to {_PORTS.stop - 1}")


def wait_until(condition, *, seconds: float, every: float = 0.0) -> bool:
    """Polls a condition, by default after 10 ms and then ever less often, up to 50 ms."""
    deadline, pause = time.monotonic() + seconds, every or 0.01
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = every or min(pause * 1.2, 0.05)
    return True


def answers(url: str) -> bool:
    """Returns whether the URL responds with 200."""
    with contextlib.suppress(httpx2.TransportError):
        return httpx2.get(url, trust_env=False).status_code == 200
    return False


def connects(port: int) -> bool:
    """Returns whether something listens on this loopback port."""
    with contextlib.suppress(OSError), socket.create_connection((HERE, port), 1):
        return True
    return False


_MINDER = """
import shutil, sys
import psutil
pids, folders = set(), set()
verbs = {"watch": pids.add, "forget": pids.discard, "folder": folders.add, "cleared": folders.discard}
for line in sys.stdin:
    verb, what = line.rstrip("\\n").split(" ", 1)
    verbs[verb](what)
for pid in pids:
    try:
        first = psutil.Process(int(pid))
        family = [first, *first.children(recursive=True)]
    except psutil.Error:
        continue
    for process in family:
        try:
            process.kill()
        except psutil.Error:
            pass
for folder in folders:
    shutil.rmtree(folder, ignore_errors=True)
"""

_minder: subprocess.Popen | None = None
_minder_lock = threading.Lock()


def mind(verb: str, what: object) -> None:
    """Registers a process or folder with the minder, which cleans up when this process ends."""
    global _minder
    with _minder_lock:
        if _minder is None:
            _minder = subprocess.Popen(
                [sys.executable, "-c", _MINDER],
                stdin=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C at the terminal must not reach it
            )
        with contextlib.suppress(BrokenPipeError):
            _minder.stdin.write(f"{verb} {what}\n")
            _minder.stdin.flush()


def _family(process: subprocess.Popen) -> list[psutil.Process]:
    try:
        first = psutil.Process(process.pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _kill_family(process: subprocess.Popen) -> None:
    family = _family(process) if process.poll() is None else []
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()
    psutil.wait_procs(family[1:], timeout=10)
    mind("forget", process.pid)


def _clear_up(owned: dict) -> None:
    """Cleans up in a finalizer. Takes no reference to the server, which would keep it from being
    collected."""
    if owned["process"] is not None:
        _kill_family(owned["process"])
    for client in owned.get("clients", ()):
        with contextlib.suppress(OSError):  # a pipe to a process that has ended
            client.close()
    shutil.rmtree(owned["folder"], ignore_errors=True)
    mind("cleared", owned["folder"])


class Program:
    """A child process with a temporary folder: start, stop, kill, pause and resume."""

    start: Callable[..., Any]

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.folder = Path(tempfile.mkdtemp(prefix=f"wishwell-{kind}-", dir="/tmp"))
        mind("folder", self.folder)
        self._owned: dict = {"process": None, "folder": self.folder}
        self.close = weakref.finalize(self, _clear_up, self._owned)

    @property
    def process(self) -> subprocess.Popen | None:
        return self._owned["process"]

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def _spawn(self, argv: list, **options) -> subprocess.Popen:
        process = subprocess.Popen(
            [str(word) for word in argv],
            start_new_session=True,
            **{"stdin": subprocess.DEVNULL, **options},
        )
        mind("watch", process.pid)
        self._owned["process"] = process
        return process

    def begin(
        self, argv: list, ready: str | Callable[[], object], *, seconds: float = 180, **options
    ) -> None:
        """Starts the program, in its own folder unless ``cwd`` is given, and waits until it is
        ready.

        ``ready`` is a URL that then responds with 200, or a condition. The output is in ``log``.
        """
        with (self.folder / "log").open("ab") as log:
            given = {"stdout": log, "stderr": log, "cwd": self.folder}
            self._spawn(argv, **given | options)
        there = partial(answers, ready) if isinstance(ready, str) else ready
        # Not checked again afterwards, because a ready program may already be changing state.
        begun = wait_until(lambda: there() or not self.running, seconds=seconds, every=0.02)
        if not self.running or not begun:
            self.kill()
            raise ServerFailed(f"the {self._kind} did not start: {self.output()[-4000:]}")

    def output(self) -> str:
        """Returns everything that it has printed."""
        return (self.folder / "log").read_text(errors="replace")

    def end(self, signal_number: int, seconds: float) -> int:
        """Sends a signal and waits; kills the program after the timeout, which is an error."""
        if not self.running:
            return self.process.returncode if self.process else 0
        family = _family(self.process)
        self.resume()
        self.process.send_signal(signal_number)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerFailed(
                f"did not end within {seconds} s of signal {signal_number}"
            ) from None
        psutil.wait_procs(family[1:], timeout=10)
        mind("forget", self.process.pid)
        return self.process.returncode

    def kill(self) -> None:
        """Sends SIGKILL to the process and all its descendants."""
        if self.process is not None:
            _kill_family(self.process)

    def pause(self) -> None:
        """Suspends all its processes: connections stay open and nothing responds."""
        frozen: set[int] = set()
        while fresh := [member for member in _family(self.process) if member.pid not in frozen]:
            for member in fresh:
                frozen.add(member.pid)
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.suspend()

    def resume(self) -> None:
        for member in _family(self.process):
            with contextlib.suppress(psutil.NoSuchProcess):
                member.resume()

    def __enter__(self):
        if not self.running:
            self.start()
        return self

    def __exit__(self, *_) -> None:
        self.close()
