"""A scenario's environment: servers, the program, load during a fault, and the result."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import time
import traceback
from asyncio import to_thread
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

import uvloop

from bench.targets import GENEROUS
from tests.faults import checker, load
from tests.faults.journal import COUNTS, Journal, Result
from tests.servers import HERE, PREFIX, OwnCluster, PostgresServer, Service, has_citus

COMMON = {
    "WISHWELL_SIGNING_KEYS": "torture-torture-torture-torture-torture",
    "WISHWELL_ITEMS_PER_PROFILE": "100000",
} | GENEROUS
ENGINES = ("sqlite", "postgresql", "cluster")
TWO = {"WISHWELL_WORKERS": "2"}
SERVED = {"200", "201", "204"}
SETTLED_SECONDS = 8.0
"""Seconds until a cluster has completed commits that a lost server left unfinished
(deploy/citus.conf)."""
SPIN_SECONDS = 0.3
BUSY = 1.5
BOUND_MS = 5_000
"""Longest duration of any request in milliseconds, whatever happens to the database."""

COPIES = "".join(
    f"CREATE TEMP TABLE {name} AS SELECT * FROM public.{name};"
    for name in ("profiles", "items", "lists", "entries", "reservations", "held")
)


@dataclass
class Harness:
    """A program on one engine, with operations for scenarios."""

    engine: str
    result: Result
    scale: float
    service: Service
    postgres: PostgresServer | None = None
    database: str = ""
    clock: Path | None = None
    journal: Journal = field(default_factory=Journal)
    next_owner: int = 1
    file: str = ""
    events: bool = False
    slow: float = 1.0
    limits: list[tuple[float, float, str]] = field(default_factory=list)

    @property
    def port(self) -> int:
        assert self.service.url is not None
        return int(self.service.url.rpartition(":")[2])

    @property
    def must(self) -> Callable[[bool, str], None]:
        return self.result.must

    def note(self, text: str) -> None:
        self.result.notes.append(text)

    def within(self, took: float, limit: float, what: str) -> None:
        """Asserts, when the scenario ends, that ``took`` is at most the limit, which is for an idle
        machine."""
        self.limits.append((took, limit, what))

    def is_busy(self) -> bool:
        """Returns whether others use the machine so much that times say little about the service."""
        self.slow = max(self.slow, slowness())
        return self.slow >= BUSY

    def judge(self) -> None:
        """Asserts what ``within`` was given, with limits for the speed that the machine has."""
        if self.is_busy():
            self.note(f"others use the machine: time limits are {self.slow:.1f} times as long")
        for took, limit, what in self.limits:
            self.must(
                took <= limit * self.slow, f"{what}: {took:.3g} (limit {limit * self.slow:.3g})"
            )

    def client(self, **headers: str) -> load.Client:
        """Returns a connection to the program with the admin token, unless ``headers`` has another."""
        bearer = {"Authorization": f"Bearer {self.service.admin_token()}"}
        return load.Client(HERE, self.port, bearer | headers)

    async def statuses(self, count: int, method: str, path: str, body: Any = None) -> set[int]:
        """Returns the statuses of a request made ``count`` times."""
        client = self.client(Profile="gid://shopify/Customer/often")
        seen = {(await client.ask(method, PREFIX + path, body)).status for _ in range(count)}
        client.close()
        return seen

    def workers(self, count: int) -> list[load.Worker]:
        admin = self.service.admin_token()
        made = []
        for _ in range(count):
            owner, self.next_owner = self.next_owner, self.next_owner + 1
            made.append(load.Worker(self.journal, self.client(), admin, owner, seed=owner))
        return made

    async def under_load(
        self, fault: Callable[[], Awaitable[None]], count: int, after: float = 1.0
    ) -> None:
        """Runs load from a second before the fault until ``after`` seconds past its end."""
        workers = self.workers(count)
        running = asyncio.create_task(load.run(workers, 3600, pause=0.02))
        try:
            await asyncio.sleep(1)
            await fault()
            await asyncio.sleep(after)
        finally:
            for worker in workers:
                worker.stop = True
            await running

    async def compare(self) -> None:
        """Completes the result from the journal and the data."""
        if self.engine == "cluster":
            await asyncio.sleep(SETTLED_SECONDS)
        result, journal = self.result, self.journal
        broken = len(result.wrong)
        admin = self.service.admin_token()
        events = await checker.compare(
            result, journal, self.client(), admin, self.whole, events=self.events
        )
        result.answered(journal.statuses())
        result.load = round(journal.rate(), 1)
        result.slowest_ms = round(max(result.slowest_ms, journal.slowest()), 1)
        if self.events:
            self.note(f"{events} events told and replayed")
            self.must(events > 0, "nothing was told")
        counts = {name: getattr(result, name) for name in COUNTS}
        self.must(not any(counts.values()), f"not as answered: {counts}")
        del result.wrong[broken + 20 :]
        complaints = Counter(journal.complaints)
        result.wrong += [f"{n} times: {text}" for text, n in complaints.most_common(5)]
        if self.engine == "sqlite":
            whole = checker.sqlite_is_whole(self.sqlite_file)
            self.must(whole == "ok", f"integrity_check: {whole}")

    @property
    def url(self) -> str:
        """The database's URL."""
        return (
            self.postgres.url(self.database) if self.postgres else f"sqlite:///{self.sqlite_file}"
        )

    @property
    def sqlite_file(self) -> str:
        return self.file or str(self.service.folder / "wishwell.db")

    def sql(self, statement: str) -> str:
        if self.postgres is not None:
            return self.postgres.sql(statement, self.database).strip()
        connection = sqlite3.connect(self.sqlite_file, timeout=10, isolation_level=None)
        try:
            return "|".join(str(v) for v in connection.execute(statement).fetchone() or ())
        finally:
            connection.close()

    def whole(self, statement: str) -> str:
        """Runs a statement on all profiles together. A cluster can't join these tables, but can
        join copies."""
        return self.sql(COPIES + statement if self.engine == "cluster" else statement)

    async def count(self, what: str) -> int:
        """Returns how many rows there are."""
        return int(await to_thread(self.sql, f"SELECT count(*) {what}"))

    def bounded(self) -> None:
        """Asserts that no request took longer than ``BOUND_MS``."""
        slowest = self.journal.slowest()
        late = Counter(entry.what for entry in self.journal.entries if entry.ms > BOUND_MS)
        self.must(not late, f"answers later than 5 s: {dict(late)}, the last {slowest:.0f} ms")

    async def well_again(self, since: float | None = None, within: float = 2.0) -> None:
        """Waits for the first success after a moment (by default now) under load, and records how
        long that took."""
        since = time.monotonic() if since is None else since
        while (first := self.journal.first_done_after(since)) is None:
            if time.monotonic() - since > within + 30:
                self.result.wrong.append(f"not well {within + 30:g} s after the fault")
                return
            await asyncio.sleep(0.02)
        took = round(first - since, 3)
        self.result.well_after_s = max(self.result.well_after_s or 0.0, took)
        self.within(took, within, "seconds until it was well again")

    async def stop(self) -> None:
        """Stops the program like an operator, and records how long that took."""
        began = time.monotonic()
        code = await to_thread(self.service.stop)
        took = time.monotonic() - began
        self.note(f"gone {took:.1f} s after SIGTERM")
        self.must(code == 0, f"ended with {code}")
        self.within(took, 10, "seconds until it was gone")


def slowness() -> float:
    """Returns how many times as long as alone this process needs for some work, because other
    programs use the machine; 1 on an idle machine. Measured while the scenario's own load rests."""
    began, spent = time.perf_counter(), time.process_time()
    while time.process_time() - spent < SPIN_SECONDS:
        pass
    return max(1.0, (time.perf_counter() - began) / SPIN_SECONDS)


def only_served(r: Harness) -> None:
    """Asserts that every request succeeded."""
    statuses = r.journal.statuses()
    r.must(set(statuses) <= SERVED, f"answers: {dict(statuses)}")


def step(file: Path, offset: float) -> None:
    """Sets a service's clock to an offset in seconds from the machine's. The file is replaced
    atomically, because the service may read it at any time."""
    new = file.with_suffix(".new")
    new.write_text(str(offset))
    new.replace(file)


def with_clock(service: Service, offset: float) -> Path:
    """Gives a service a separate clock; ``step`` on the returned file moves it."""
    file = service.folder / "clock"
    step(file, offset)
    script = service.folder / "wishwell"
    script.write_text(
        f"#!/bin/sh\nTORTURE_CLOCK={file} PYTHONPATH={Path(__file__).parents[2]} "
        f'exec {sys.executable} -m tests.faults.skewed "$@"\n'
    )
    script.chmod(0o755)
    service.command = script
    return file


@contextmanager
def harness(
    engine: str,
    result: Result,
    scale: float,
    settings: dict[str, str] | None = None,
    *,
    postgres: dict[str, Any] | None = None,
    events: bool = False,
    clock: bool = False,
) -> Iterator[Harness]:
    """The program on a new database, started; everything is removed afterwards.

    With ``events`` its store has events on, and ``compare`` replays them. With ``clock`` it has a
    separate clock.
    """
    server, url, name = None, "sqlite:///wishwell.db", ""
    if engine != "sqlite":
        options = {"fsync": True} | (postgres or {})
        # A cluster has every method that these scenarios use of a server.
        cluster = engine == "cluster"
        server = cast(PostgresServer, OwnCluster()) if cluster else PostgresServer(**options)
        url = server.create_database()
        name = url.rpartition("/")[2]
    settings = COMMON | {"WISHWELL_DATABASE_URL": url} | (settings or {})
    service = Service(settings, executed=True)
    file = with_clock(service, 0) if clock else None
    began = time.monotonic()
    try:
        if server is not None or events:
            service.cli(*(("migrate", "--cluster") if engine == "cluster" else ("init",)))
        if events:
            service.cli("store", "update", "default", "--events", "on")
        service.start()
        service.settings["WISHWELL_PORT"] = service.url.rpartition(":")[2]
        service.admin_token()
        r = Harness(engine, result, scale, service, server, name, file, events=events)
        r.slow = slowness()
        yield r
        _, traced, rest = service.output().partition("Traceback")
        result.must(not traced, f"a traceback in the log: …{rest.partition(chr(10))[0][-1000:]}")
    finally:
        result.seconds = round(time.monotonic() - began, 1)
        service.close()
        if server is not None:
            server.close()


class Scenario(NamedTuple):
    """A registered scenario. ``load`` is the number of concurrent callers, after which everything
    is compared; with 0 the scenario does that itself."""

    function: Callable[[Harness], Coroutine[Any, Any, None]]
    engines: tuple[str, ...]
    load: int
    after: float
    bounded: bool
    then: Callable[[Harness], Any] | None
    options: dict[str, Any]

    @property
    def about(self) -> str:
        return " ".join((self.function.__doc__ or "").split())

    async def run(self, engine: str, result: Result, scale: float) -> None:
        with harness(engine, result, scale, **self.options) as r:
            if self.load:
                await r.under_load(lambda: self.function(r), self.load, self.after)
                if self.bounded:
                    r.bounded()
                await r.compare()
            else:
                await self.function(r)
            if self.then is not None:
                made = self.then(r)
                await made if made is not None else None
            r.judge()


SCENARIOS: dict[str, Scenario] = {}


def scenario(
    *engines: str,
    load: int = 0,
    after: float = 1.0,
    bounded: bool = False,
    then: Callable[[Harness], Any] | None = None,
    **options: Any,
) -> Callable[[Any], Any]:
    """Registers a coroutine function by its name, to run once on each of the engines.

    ``bounded``: no response may take longer than 5 s; ``then`` checks what is left; ``options`` are
    the harness's.
    """

    def register(function: Callable[[Harness], Coroutine[Any, Any, None]]) -> Any:
        name = function.__name__.replace("_", "-")
        on = engines or ("sqlite", "postgresql")
        SCENARIOS[name] = Scenario(function, on, load, after, bounded, then, options)
        return function

    return register


def run(name: str, engine: str, scale: float) -> Result:
    """Runs a scenario on an engine; an error becomes a result too."""
    result = Result(name, engine)
    say(f"{name} on {engine} ...")
    try:
        if engine == "cluster" and not has_citus():
            result.skipped = "the PostgreSQL in WISHWELL_TEST_POSTGRES_BIN has no Citus"
        else:
            uvloop.run(SCENARIOS[name].run(engine, result, scale))
    except Exception as error:  # a scenario that can't run is a finding too
        result.wrong.append(f"{type(error).__name__}: {str(error)[:2000]}")
        traceback.print_exc()
    for text in result.wrong:
        say(f"  WRONG: {text}")
    for text in [*result.notes, *([f"skipped: {result.skipped}"] if result.skipped else [])]:
        say(f"  {text}")
    return result


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
