"""A pool of interpreters with the program loaded, which run the tests' commands.

Loading takes 0.4 s of CPU, and a test run has hundreds of commands. Nothing here needs pytest.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.servers.base import Program

# Reads and writes one line of JSON per command. The real standard output is set aside, so that
# nothing a command prints can be taken for a result. A command runs in a fork if it must not see
# state of earlier commands; that takes four times as long.
_LOOP = """
import contextlib, gc, io, json, os, sys, tempfile, time, traceback
questions, answers = sys.stdin, os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
from wishwell.cli import main
import wishwell.db.postgres.database, wishwell.db.sqlite.database
from wishwell.server import doctor

gc.freeze()  # so that a fork's collections don't copy it all
for line in questions:
    ask = json.loads(line)
    if ask["apart"] and os.fork():
        if os.wait()[1]:
            break
        continue
    os.environ.clear()
    os.environ.update(ask["env"])
    time.tzset()
    tempfile.tempdir = None  # of the environment before
    os.chdir(ask["cwd"])
    sys.argv = ["wishwell", *ask["args"]]
    sys.stdin = io.TextIOWrapper(io.BytesIO(ask["input"].encode()), "utf-8")
    out, err, code = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else (1 if end.code else 0)
        except BaseException:
            traceback.print_exc()
            code = 70
    out.flush()
    print(json.dumps([code, out.buffer.getvalue().decode(), err.getvalue()]), file=answers)
    if ask["apart"]:
        os._exit(0)
"""


class CommandFailed(Exception):
    """A pooled interpreter ended."""


class _Interpreter(Program):
    """A pooled interpreter; ends when its pipe is closed."""

    def __init__(self, python: Mapping[str, str]) -> None:
        super().__init__("kept")
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **python}
        process = self._spawn(
            [sys.executable, "-c", _LOOP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=self.folder,
        )
        self._owned["clients"] = [process.stdin, process.stdout]

    def ask(self, question: dict) -> list:
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        if line := self.process.stdout.readline():
            return json.loads(line)
        raise CommandFailed("the kept interpreter ended")


class Interpreters:
    """A pool that grows to the largest number of concurrent calls."""

    def __init__(self) -> None:
        self._free: dict[tuple, list[_Interpreter]] = defaultdict(list)

    def run(
        self,
        args: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        input: str,
        seconds: float,
        apart: bool,
    ) -> tuple[int, str, str]:
        """Runs a command; returns its exit code (70 after a traceback), standard output and
        standard error.

        ``apart``: in a process without state of earlier commands.
        """
        # Variables that Python reads at its start can't be changed later.
        python = {name: value for name, value in env.items() if name.startswith("PYTHON")}
        free = self._free[*sorted(python.items()),]
        try:
            one = free.pop()  # atomic, because threads share the list
        except IndexError:
            one = _Interpreter(python)
        watchdog = threading.Timer(seconds, one.kill)
        watchdog.start()
        try:
            asked = {"args": args, "env": dict(env), "cwd": str(cwd)}
            answer = one.ask(asked | {"input": input, "apart": apart})
        except BaseException:
            one.close()
            raise
        finally:
            watchdog.cancel()
        free.append(one)
        return tuple(answer)
