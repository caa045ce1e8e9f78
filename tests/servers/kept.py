"""Interpreters that have the program loaded, kept for the commands of the tests.

To load it takes 0.4 s of a core; a suite runs hundreds of commands. Nothing here needs pytest.
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

import psutil

from tests.servers.base import Program

# It answers a line of JSON with a line of JSON. The real standard output is put aside first, so
# that nothing which a command prints can be taken for an answer. A command of its own process is
# run by a fork, which ends as any program does, but for taking all modules apart: that alone would
# take a third of the time that is saved here.
_LOOP = """
import atexit, contextlib, gc, io, json, os, random, sys, threading, time, traceback
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
from wishwell.cli import main

def become(ask):
    os.environ.clear()
    os.environ.update(ask["env"])
    time.tzset()
    os.chdir(ask["cwd"])
    sys.argv = ["wishwell", *ask["args"]]

def here():
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
    return [code, out.buffer.getvalue().decode(), err.getvalue()]

gc.freeze()  # so that a fork's collections don't copy it all
for line in sys.stdin:
    ask = json.loads(line)
    if "files" not in ask:
        become(ask)
        print(json.dumps(here()), file=answers)
        continue
    pid = os.fork()
    if not pid:
        break
    print(pid, file=answers)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=answers)
else:
    raise SystemExit
answers.close()
os.setsid()
for number, path in enumerate(ask["files"]):
    file = os.open(path, os.O_RDWR)
    os.dup2(file, number)
    os.close(file)
sys.stdin = open(0, closefd=False)
sys.stdout = open(1, "w", closefd=False)
sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)
random.seed()
become(ask)
code = 0
try:
    main()
except SystemExit as end:
    code = end.code if isinstance(end.code, int) else (1 if end.code else 0)
    if isinstance(end.code, str):
        print(end.code, file=sys.stderr)
except BaseException:
    traceback.print_exc()
    code = 1
threading._shutdown()
atexit._run_exitfuncs()
sys.stdout.flush()
sys.stderr.flush()
os._exit(code & 255)
"""


class CommandFailed(Exception):
    """An interpreter ended that was to be kept."""


class _Interpreter(Program):
    """One of them; it ends when nobody can use it any more."""

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

    def ask(self, question: dict) -> str:
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        return self.answer()

    def answer(self) -> str:
        if line := self.process.stdout.readline():
            return line
        raise CommandFailed("the kept interpreter ended")


class Interpreters:
    """As many as were ever needed at once: one for a call, then it is free for the next."""

    def __init__(self) -> None:
        self._free: dict[tuple, list[_Interpreter]] = defaultdict(list)

    @contextlib.contextmanager
    def _one(self, kind: str, env: Mapping[str, str]):
        # What Python itself reads at its start can't be changed later.
        python = {name: value for name, value in env.items() if name.startswith("PYTHON")}
        free = self._free[kind, *sorted(python.items())]
        try:
            one = free.pop()  # atomic: threads share this
        except IndexError:
            one = _Interpreter(python)
        try:
            yield one
        except BaseException:
            one.close()
            raise
        free.append(one)

    def here(self, args: Sequence[str], env: Mapping[str, str], cwd: Path) -> tuple[int, str, str]:
        """Runs a command within the interpreter: exit code, standard output, standard error."""
        with self._one("here", env) as one:
            watchdog = threading.Timer(30, one.kill)
            watchdog.start()
            try:
                answer = one.ask({"args": args, "env": dict(env), "cwd": str(cwd)})
            finally:
                watchdog.cancel()
        code, out, err = json.loads(answer)
        return code, out, err

    def apart(
        self,
        args: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        timeout: float,
        input: str,
        device: str | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in a process of its own, as `subprocess.run` does.

        ``device`` takes its standard output, which nobody sees then.
        """
        late = threading.Event()

        def end(pid: int) -> None:
            late.set()
            with contextlib.suppress(psutil.NoSuchProcess):
                first = psutil.Process(pid)
                for process in (first, *first.children(recursive=True)):
                    with contextlib.suppress(psutil.NoSuchProcess):
                        process.kill()

        with self._one("apart", env) as one:
            files = [one.folder / name for name in ("in", "out", "err")]
            for file in files:
                file.write_text(input if file is files[0] else "")
            question = {"args": args, "env": dict(env), "cwd": str(cwd)}
            opened = [str(files[0]), device or str(files[1]), str(files[2])]
            pid = int(one.ask(question | {"files": opened}))
            watchdog = threading.Timer(timeout, end, (pid,))
            watchdog.start()
            try:
                code = int(one.answer())
            finally:
                watchdog.cancel()
            out, err = (file.read_text(errors="replace") for file in files[1:])
        if late.is_set():
            raise subprocess.TimeoutExpired(["wishwell", *args], timeout, out, err)
        return subprocess.CompletedProcess(["wishwell", *args], code, out, err)
