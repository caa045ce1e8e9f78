"""What is measured: the service, the floor and the usual way, each one process, on one machine."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from bench.seed import Owner
from tests.servers import PostgresServer, free_port
from tests.servers.base import mind

GENEROUS = {
    f"WISHWELL_LIMIT_{name}": "10000000"
    for name in (
        "PROFILE_READ", "PROFILE_WRITE", "PROFILE_TOKEN",
        "ADMIN_READ", "ADMIN_WRITE", "ADMIN_TOKEN", "ADDRESS", "SHARED",
    )
}  # fmt: skip


class Target(NamedTuple):
    """A server that runs, and how wrk asks it."""

    name: str
    kind: str
    url: str
    owners: Path
    process: subprocess.Popen[bytes]
    log: Path


def write_owners(path: Path, owners: list[Owner]) -> Path:
    path.write_text("".join(f"{' '.join(owner)}\n" for owner in owners))
    return path


def start(name: str, kind: str, owners: Path, folder: Path, environment: dict[str, str],
          every: float = 0.05, under: Sequence[str] = (),
          python: str = sys.executable) -> Target:  # fmt: skip
    """Starts a server and waits until it answers at all. ``under``: a command that runs it.
    ``python``: the interpreter of the service."""
    port = free_port()
    if kind == "wishwell":
        command = [python, "-m", "wishwell", "serve"]
        environment = environment | {"WISHWELL_PORT": str(port)}
    else:
        command = [
            sys.executable, "-m", "uvicorn", f"bench.{kind}:app", "--port", str(port),
            "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "error",
        ]  # fmt: skip
    printed = folder / f"{name.replace(' ', '-')}.log"
    with printed.open("wb") as log:
        process = subprocess.Popen(
            [*under, *command],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[1])}
            | environment,
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    mind("watch", process.pid)  # it ends with us, however we end
    url = f"http://127.0.0.1:{port}"
    for _ in range(int(10 / every)):
        try:
            urllib.request.urlopen(f"{url}/livez", timeout=1).close()
        except urllib.error.HTTPError:
            break
        except OSError:
            if process.poll() is not None:
                mind("forget", process.pid)
                raise RuntimeError(f"{name} ended: see {folder}") from None
            time.sleep(every)
        else:
            break
    return Target(name, kind, url, owners, process, printed)


def processor(target: Target, server: PostgresServer | None = None) -> float:
    """Seconds of processor time that the service has used, its workers and its database too."""
    parents = [target.process.pid]
    if server is not None and server.process is not None:
        parents.append(server.process.pid)
    return sum(map(with_children, parents))


def with_children(pid: int) -> float:
    """Seconds of processor time of a process and of those that it started."""
    parent = psutil.Process(pid)
    used = _on_processor(pid) + sum(parent.cpu_times()[2:4])  # those that have ended
    for process in parent.children(recursive=True):
        with contextlib.suppress(OSError):
            used += _on_processor(process.pid)
    return used


def _on_processor(pid: int) -> float:
    """Seconds of a process, all its threads, to the nanosecond; psutil knows hundredths."""
    # Linux names the clock of another process so: clock_getcpuclockid(3).
    return time.clock_gettime((~pid << 3) | 2)


def cost(
    target: Target, server: PostgresServer | None, load: Callable[[Target], dict[str, float]]
) -> tuple[float, float]:
    """Requests a second under a load, and the processor time of each in seconds."""
    before = processor(target, server)
    done = load(target)
    return done["rate"], (processor(target, server) - before) / max(done["count"], 1)


def stop(*targets: Target) -> None:
    """Ends servers as an operator would, all at once."""
    for target in targets:
        target.process.terminate()
    for target in targets:
        target.process.wait(20)
        mind("forget", target.process.pid)


def run(main: Callable[[], None]) -> None:
    """Runs a command, which clears up when it is told to stop as after any error."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
