"""A copy of the checkout, in which types and tests are run on one mutant after another.

The mutant is written to the copy's file, so that a service started by a test has it too.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "wishwell"
PARTS = ("src", "tests", "bench", "tools", "docs", "packages/proxy", "deploy",
         "pyproject.toml")  # fmt: skip

OPTIONS = ["-x", "-q", "--tb=line", "-o", "addopts=", "-m", "not slow", "--hypothesis-profile=noticed",
           "-p", "no:schemathesis", "-p", "no:xdist", "-p", "no:cacheprovider"]  # fmt: skip


class Result(NamedTuple):
    """The result of a run. ``by``: "types", "tests" or "time" killed it; ``None`` if it survived."""

    by: str | None
    seconds: float
    said: str


class Worker:
    """Runs mutants in a copy of the checkout in ``folder``, which the caller removes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stamp = int(time.time())
        for part in PARTS:
            if (ROOT / part).is_dir():
                leave = shutil.ignore_patterns("__pycache__", "corpus", "findings", "node_modules")
                shutil.copytree(ROOT / part, folder / part, ignore=leave)
            else:
                shutil.copy(ROOT / part, folder / part)
        # From its second run on, mypy's daemon follows skipped imports, and then fails with a KeyError.
        settings = folder / "pyproject.toml"
        settings.write_text(settings.read_text().replace('"skip"', '"silent"'))
        python = _environment(folder)
        pipe = subprocess.PIPE
        self._tests = subprocess.Popen(
            [python, "-m", "tests.mutation.worker"], cwd=folder, stdin=pipe, stdout=pipe, text=True
        )

    def tried(self, module: str, code: str, tests: list[str], seconds: float) -> Result:
        """Runs type checks, then tests, on a module's changed source. Returns what killed it."""
        path = self.folder / SOURCE.relative_to(ROOT) / f"{module}.py"
        before = path.read_text()
        self._write(path, code)
        try:
            types = self._types("run", "--timeout", "600", "--", "src")
            if types.returncode == 2:
                print(f"mypy failed: {types.stdout}{types.stderr}", file=sys.stderr, flush=True)
            if types.returncode == 1:
                return Result("types", 0, "")
            ask = {"args": [*OPTIONS, *tests], "seconds": seconds}
            print(json.dumps(ask), file=self._tests.stdin, flush=True)
            return Result(*json.loads(self._tests.stdout.readline()))
        finally:
            self._write(path, before)

    def _types(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs mypy's daemon. Its exit code is 1 for type errors, 2 if mypy itself failed."""
        command = [sys.executable, "-m", "mypy.dmypy", *words]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)

    def _write(self, path: Path, code: str) -> None:
        """Writes a file with a unique mtime in whole seconds.

        Python detects an outdated .pyc by the source's size and mtime in seconds only.
        """
        path.write_text(code)
        self._stamp += 1
        os.utime(path, (self._stamp, self._stamp))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._tests.terminate()
        self._tests.wait()
        self._types("stop")


def _environment(folder: Path) -> Path:
    """Makes a virtual environment and returns its Python.

    Its ``wishwell`` is the copy's; other packages are those installed here.
    """
    venv.create(folder / ".venv", symlinks=True)
    python = folder / ".venv" / "bin" / "python"
    [packages] = (folder / ".venv").glob("lib/*/site-packages")
    here = sysconfig.get_path("purelib")
    (packages / "mutate.pth").write_text(
        f"{folder / 'src'}\nimport site; site.addsitedir({here!r})\n"
    )
    program = python.with_name("wishwell")
    program.write_text(
        f"#!{python}\nfrom wishwell.__main__ import main\nif __name__ == '__main__':\n    main()\n"
    )
    program.chmod(0o755)
    return python


def _serve() -> None:
    """Runs pytest in forks of this process, which has imported all libraries to save time."""
    import anyio  # noqa: F401
    import asyncpg  # noqa: F401
    import httpx2  # noqa: F401
    import hypothesis.strategies
    import jwt  # noqa: F401
    import pytest
    import redis.asyncio  # noqa: F401
    import structlog  # noqa: F401

    # The same examples each time, without shrinking, because the first failure is enough.
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    ci = hypothesis.settings.get_profile("ci")
    hypothesis.settings.register_profile("noticed", ci, phases=phases)
    # Exit by an exception, so that the running test is killed too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    said = Path("said")
    for line in sys.stdin:
        ask = json.loads(line)
        began = time.monotonic()
        pid = os.fork()
        if not pid:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for number in (1, 2):
                os.dup2(file, number)
            os._exit(pytest.main(ask["args"]))
        by = _noticed(pid, began + ask["seconds"])
        text = said.read_text(errors="replace")[-2000:]
        print(json.dumps([by, time.monotonic() - began, text]), flush=True)


def _noticed(pid: int, until: float) -> str | None:
    """Waits for a test process, then kills its group. Returns "tests", "time" or ``None``."""
    try:
        while time.monotonic() < until:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return "tests" if status else None
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return "time"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


if __name__ == "__main__":
    _serve()
