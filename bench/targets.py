"""The measured programs: the service, the floor and a typical stack, each in one process on one
machine."""

import argparse
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import psutil

from bench import seed
from tests.servers import HERE, PostgresServer, Program, Service, connects, free_port
from tests.servers.citus import Cluster

ROOT = Path(__file__).parents[1]
ENGINES = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}
STORE = "bench"
GENEROUS = {
    f"WISHWELL_LIMIT_{name}": "10000000"
    for name in (
        "PROFILE_READ", "PROFILE_WRITE", "PROFILE_TOKEN",
        "ADMIN_READ", "ADMIN_WRITE", "ADMIN_TOKEN", "ADDRESS", "SHARED",
    )
}  # fmt: skip


class Source(NamedTuple):
    """A checkout, and an interpreter with its dependencies."""

    folder: Path
    python: str = sys.executable


OURS = Source(ROOT)


class Shop(Service):
    """The service on a new migrated database with the store ``bench``, not started.

    ``owners`` is the file of the profiles that the load acts for.
    """

    kind = "wishwell"

    def __init__(
        self,
        engine: str,
        server: PostgresServer | None = None,
        source: Source = OURS,
        options: Sequence[str] = (),
    ) -> None:
        super().__init__({"WISHWELL_SIGNING_KEYS": seed.KEY})
        self.engine, self.server = engine, server if engine == "PostgreSQL" else None
        self.name = f"{self.kind} {engine}"
        self.database = f"sqlite:///{self.folder}/wishwell.db"
        if self.server is not None:
            self.database = self.server.create_database()
        self.settings["WISHWELL_DATABASE_URL"] = self.database
        # An older program refuses settings and commands that it doesn't know.
        documentation = (source.folder / "docs" / "configuration.md").read_text()
        self.settings |= {
            name: limit for name, limit in GENEROUS.items() if f"`{name}`" in documentation
        }
        if source != OURS:
            self.command = self.folder / "program"
            path, python = source.folder / "src", source.python
            self.command.write_text(
                f'#!/bin/sh\nPYTHONPATH={path} exec {python} -m wishwell "$@"\n'
            )
            self.command.chmod(0o755)
        self.cli("init" if "wishwell init" in documentation else "migrate")
        self.store = json.loads(self.quick("store", "create", STORE, *options, "--json"))[0]["id"]
        self.admin = self.create_token(STORE)
        self.log, self.owners = self.folder / "log", self.folder / "owners"

    def serve(self, **settings: str) -> Self:
        """Starts the service with its log in a file, which costs the measuring process nothing."""
        self.settings |= settings
        with self.log.open("ab") as log:
            self.start_into(log.fileno())
        return self

    def insert(self, rows: seed.Rows) -> None:
        seed.insert(self.database, rows)

    def number(self, statement: str) -> float:
        """Returns the single value of a statement; 0 without one."""
        if self.server is not None:
            return float(self.server.sql(statement, self.database.rpartition("/")[2]) or 0)
        with contextlib.closing(sqlite3.connect(self.folder / "wishwell.db")) as connection:
            return float(connection.execute(statement).fetchone()[0])


@contextlib.contextmanager
def both(
    engine: str, before: Path, options: Sequence[str] = (), cluster: str | None = None
) -> Iterator[list[Shop]]:
    """Makes a shop of this program and one of the checkout ``before``, each with a database server
    of its own; on PostgreSQL, ``cluster`` is the URL of a Citus cluster to use instead."""
    with contextlib.ExitStack() as opened:
        shops = []
        for source in (OURS, Source(before.absolute())):
            server = None
            if engine == "PostgreSQL":
                database = Cluster(cluster) if cluster else PostgresServer(fsync=True)
                server = opened.enter_context(database)
            shops.append(opened.enter_context(Shop(engine, server, source, options)))
        yield shops


def comparison(name: str, description: str | None, rounds: int) -> argparse.ArgumentParser:
    """Returns the options of a comparison with an earlier checkout."""
    words = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=description)
    words.add_argument("before", type=Path, help="the checkout of the other program")
    words.add_argument("--rounds", type=int, default=rounds)
    words.add_argument("--engine", choices=ENGINES.values(), nargs="+", default=ENGINES.values())
    return words


class Bare(Program):
    """Another program on a shop's database, started: the floor, the typical stack or Fastify."""

    def __init__(self, kind: str, shop: Shop) -> None:
        super().__init__(kind)
        self.kind, self.name, self.server = kind, f"{kind} {shop.engine}", shop.server
        self.owners, self.log = self.folder / "owners", self.folder / "log"
        port = free_port()
        self.url = f"http://{HERE}:{port}"
        env = {"PATH": os.environ["PATH"], f"{kind.upper()}_DATABASE": shop.database}
        self.begin(self.command(port), partial(connects, port), env=env | self.settings(shop))

    def command(self, port: int) -> list[Any]:
        return [
            sys.executable, "-m", "uvicorn", f"bench.{self.kind}:app", "--port", port,
            "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "error",
        ]  # fmt: skip

    def settings(self, _shop: Shop) -> dict[str, str]:
        """Returns further environment variables."""
        return {"PYTHONPATH": str(ROOT)}

    def stop(self) -> None:
        self.end(signal.SIGTERM, 20)


Target = Shop | Bare
Load = Callable[[Any], dict[str, float]]


Side = TypeVar("Side")
Got = TypeVar("Got")


def write_owners(path: Path, owners: Sequence[seed.Owner]) -> Path:
    path.write_text("".join(f"{' '.join(owner[:4])}\n" for owner in owners))
    return path


_requests_made: dict[tuple[str, str], int] = {}
"""Requests made so far by target and workload, for workloads that use up their records."""


def wrk(target: Target, work: str, seconds: int) -> dict[str, float]:
    """Runs wrk with 32 connections; returns throughput, and latencies in milliseconds. Raises if a
    request failed."""
    owners = target.owners
    if work == "delete":
        owners, seconds = Path(f"{target.owners}-victims"), 1
    key = target.url, work
    command = ["wrk", "-t1", "-c32", f"-d{seconds}s"]
    command += ["-s", str(Path(__file__).parent / "requests.lua"), target.url]
    env = os.environ | {
        "BENCH_OWNERS": str(owners), "BENCH_WORK": work, "BENCH_TARGET": target.kind,
        "BENCH_ADMIN": getattr(target, "admin", ""), "BENCH_START": str(_requests_made.get(key, 0)),
    }  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, worst, refused, broken, count = map(float, line.split()[1:])
    # Includes those in flight at the end.
    _requests_made[key] = _requests_made.get(key, 0) + int(count) + 64
    # Without locks, concurrent changes of an item's lists may collide in the floor and the typical
    # stack.
    allowed = count / 1000 if work == "lists" and target.kind != "wishwell" else 0
    if refused > allowed or broken:
        raise RuntimeError(f"{target.name} {work}: {refused:.0f} refused, {broken:.0f} broken")
    times = {"p50_ms": p50 / 1000, "p99_ms": p99 / 1000, "max_ms": worst / 1000}
    return {"rate": rate, "count": count} | times


def processor(shop: Program, *, database: bool = True) -> float:
    """Returns CPU seconds used by a service with its workers and, by default, its database."""
    parents = [shop.process.pid]
    server = getattr(shop, "server", None)
    if database and hasattr(server, "process"):  # a cluster's servers aren't ours
        parents.append(server.process.pid)
    return sum(map(with_children, parents))


def with_children(pid: int) -> float:
    """Returns CPU seconds of a process and its descendants."""
    parent = psutil.Process(pid)
    used = _on_processor(pid) + sum(parent.cpu_times()[2:4])  # children that have ended
    for process in parent.children(recursive=True):
        with contextlib.suppress(OSError):
            used += _on_processor(process.pid)
    return used


def _on_processor(pid: int) -> float:
    """Returns CPU seconds of a process with all its threads, in nanosecond resolution; psutil's is
    10 ms."""
    # The clock id of another process on Linux: clock_getcpuclockid(3).
    return time.clock_gettime((~pid << 3) | 2)


def cost(shop: Target, load: Load) -> tuple[float, float]:
    """Returns requests a second under a load, and CPU seconds per request."""
    before = processor(shop)
    done = load(shop)
    return done["rate"], (processor(shop) - before) / max(done["count"], 1)


def in_turns(sides: Sequence[Side], rounds: int, measure: Callable[[Side], Got]) -> list[list[Got]]:
    """Measures each side ``rounds`` times, every other round in reverse order, so that a busy
    moment affects all."""
    got: list[list[Got]] = [[] for _ in sides]
    for number in range(rounds):
        for at in range(len(sides))[:: 1 if number % 2 else -1]:
            got[at].append(measure(sides[at]))
    return got


def say(line: str) -> None:
    print(line, flush=True)


def run(main: Callable[[], None]) -> None:
    """Runs a command; on SIGTERM it cleans up as after an error."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
