"""The program as a fork of an interpreter that has loaded it.

A fork is a real process with its own signals, files and memory. It saves 0.6 s of processor time for
imports. `Service(executed=True)` executes the installed program instead.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.servers.base import mind

# For each request, a parent forks the program, sends its process id and, when it ends, its exit code.
_LOOP = """
import gc, json, os, signal, socket, sys, time
gc.disable()
from wishwell import cli
import wishwell.db.postgres.database, wishwell.db.sqlite.database
from wishwell.server import serve

gc.freeze()
gc.enable()

def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass

requests = socket.socket(fileno=0)
signal.signal(signal.SIGCHLD, reap)
while True:
    text, files, *_ = socket.recv_fds(requests, 1 << 20, 3)
    if not text:
        sys.exit()
    out, err, status = files
    if not os.fork():
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if not (pid := os.fork()):
            break
        os.write(status, b"%d\\n" % pid)
        os.close(out)
        os.close(err)
        os.write(status, b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        os._exit(0)
    for file in files:
        os.close(file)
request = json.loads(text)
os.setsid()
requests.detach()
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(out, 1)
os.dup2(err, 2)
os.closerange(3, max(files) + 1)
os.environ.clear()
os.environ.update(request["env"])
time.tzset()
os.chdir(request["cwd"])
sys.argv = ["wishwell", *request["args"]]
cli.main()
"""


class Forked:
    """A forked program, with the members of ``subprocess.Popen`` that the tests use."""

    def __init__(self, status: socket.socket) -> None:
        self._status = status.makefile("r")
        self._socket = status
        self._lock = threading.Lock()
        self.pid = int(self._status.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Returns the exit code, negative for a signal. Raises ``subprocess.TimeoutExpired``."""
        with self._lock:
            if self.returncode is None:
                if not _readable(self._socket, timeout):
                    raise subprocess.TimeoutExpired("wishwell", timeout or 0)
                self.returncode = int(self._status.readline() or -signal.SIGKILL)
                self._status.close()
                self._socket.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _readable(file: socket.socket, timeout: float | None) -> bool:
    waiting = select.poll()  # unlike select, takes descriptors above 1,023
    waiting.register(file, select.POLLIN)
    return bool(waiting.poll(None if timeout is None else timeout * 1000))


class Loaded:
    """An interpreter that has loaded the program. Started at its first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: socket.socket | None = None

    def fork(
        self, args: Sequence[str], out: int, err: int, cwd: Path, env: Mapping[str, str]
    ) -> Forked:
        """Runs `wishwell` with arguments, files for its output, a folder and an environment."""
        request = json.dumps({"args": [*args], "cwd": str(cwd), "env": dict(env)})
        ours, theirs = socket.socketpair()
        with self._lock, theirs:
            if self._requests is None:
                self._requests = _start()
            socket.send_fds(self._requests, [request.encode()], [out, err, theirs.fileno()])
            process = Forked(ours)
        mind("watch", process.pid)
        return process


def _start() -> socket.socket:
    ours, theirs = socket.socketpair()
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", _LOOP],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            env=environment,
            cwd="/",
            start_new_session=True,
        )
    mind("watch", process.pid)
    atexit.register(_end, ours, process)
    return ours


def _end(requests: socket.socket, process: subprocess.Popen) -> None:
    """Ends the interpreter and waits for it, so that `time make test` counts its time."""
    requests.close()
    process.wait()
    mind("forget", process.pid)
