"""What a scenario stands on: servers, the program, load beside a fault, and the result."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from tests.servers import HERE, PREFIX, OwnCluster, PostgresServer, Service
from torture import checker, load
from torture.journal import Journal

ROOMY = {
    f"WISHWELL_LIMIT_{who}_{kind}": "10000000"
    for who in ("PROFILE", "ADMIN")
    for kind in ("READ", "WRITE", "TOKEN")
}
COMMON = {
    "WISHWELL_SIGNING_KEYS": "torture-torture-torture-torture-torture",
    "WISHWELL_LIMIT_ADDRESS": "10000000",
    "WISHWELL_ITEMS_PER_PROFILE": "100000",
} | ROOMY
ENGINES = ("sqlite", "postgresql", "cluster")
SETTLED_SECONDS = 8.0
"""By then a cluster has finished what a lost server left half committed (ops/citus.conf)."""
BOUND_MS = 5_000
"""What any request may take, whatever happens to the database."""

COPIES = "".join(
    f"CREATE TEMP TABLE {name} AS SELECT * FROM public.{name};"
    for name in ("profiles", "items", "lists", "entries", "reservations", "held")
)


@dataclass
class Result:
    """A row of the table."""

    scenario: str
    engine: str
    seconds: float = 0.0
    load: float = 0.0
    faults: str = ""
    answers: dict[str, int] = field(default_factory=dict)
    checked: int = 0
    lost: int = 0
    doubled: int = 0
    leaked: int = 0
    done_though_refused: int = 0
    torn: int = 0
    cut_but_done: int = 0
    slowest_ms: float = 0.0
    well_after_s: float | None = None
    notes: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    skipped: str = ""

    def must(self, condition: bool, otherwise: str) -> None:
        if not condition:
            self.wrong.append(otherwise)

    def record(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Harness:
    """One program on one engine, and what a scenario does to it."""

    engine: str
    result: Result
    scale: float
    service: Service
    postgres: PostgresServer | None = None
    database: str = ""
    journal: Journal = field(default_factory=Journal)
    next_owner: int = 1
    file: str = ""
    events: bool = False

    @property
    def port(self) -> int:
        assert self.service.url is not None
        return int(self.service.url.rpartition(":")[2])

    def client(self, **headers: str) -> load.Client:
        return load.Client(HERE, self.port, headers)

    def workers(self, count: int) -> list[load.Worker]:
        admin = self.service.admin_token()
        made = []
        for _ in range(count):
            owner, self.next_owner = self.next_owner, self.next_owner + 1
            made.append(load.Worker(self.journal, self.client(), admin, owner, seed=owner))
        return made

    async def under_load(
        self, fault: Callable[[], Awaitable[None]], count: int = 12, after: float = 1.0
    ) -> None:
        """Load from a second before the fault begins until ``after`` seconds past its end."""
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
        """Fills the result in from the journal and from what is there."""
        if self.engine == "cluster":
            await asyncio.sleep(SETTLED_SECONDS)
        found = await checker.compare(
            self.journal, self.client(), self.service.admin_token(), self.whole, events=self.events
        )
        result, journal = self.result, self.journal
        result.answers = dict(sorted((Counter(result.answers) + journal.statuses()).items()))
        result.load = round(journal.rate(), 1)
        result.slowest_ms = round(max(result.slowest_ms, journal.slowest()), 1)
        for name in ("checked", "lost", "doubled", "leaked", "done_though_refused", "torn"):
            setattr(result, name, getattr(result, name) + getattr(found, name))
        result.cut_but_done += found.cut_but_done
        if self.events:
            result.notes.append(f"{found.events} events told and replayed")
            result.must(found.events > 0, "nothing was told")
        result.must(not found.bad, f"not as answered: {asdict(found)}")
        complaints = Counter(journal.complaints)
        result.wrong += [f"{n} times: {text}" for text, n in complaints.most_common(5)]
        if self.engine == "sqlite":
            whole = checker.sqlite_is_whole(self.sqlite_file)
            result.must(whole == "ok", f"integrity_check: {whole}")
        _, traced, rest = self.service.output().partition("Traceback")
        result.must(not traced, f"a traceback in the log: …{rest.partition(chr(10))[0][-1000:]}")

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
        """A statement over all profiles at once: a cluster can't join tables so, but their copies."""
        return self.sql(COPIES + statement if self.engine == "cluster" else statement)

    def bounded(self) -> None:
        """No request took longer than it may."""
        slowest = self.journal.slowest()
        late = sum(entry.ms > BOUND_MS for entry in self.journal.entries)
        self.result.must(late == 0, f"{late} answers later than 5 s, the last {slowest:.0f} ms")

    async def well_again(self, since: float, within: float = 2.0) -> None:
        """Notes how long after a moment the first request succeeded under load."""
        while (first := self.journal.first_done_after(since)) is None:
            if time.monotonic() - since > within + 10:
                self.result.wrong.append(f"not well {within + 10:g} s after the fault")
                return
            await asyncio.sleep(0.02)
        took = round(first - since, 3)
        worst = self.result.well_after_s or 0.0
        self.result.well_after_s = max(worst, took)
        self.result.must(took <= within, f"well again only after {took} s")


@contextmanager
def harness(
    engine: str,
    result: Result,
    scale: float,
    settings: dict[str, str] | None = None,
    postgres: dict[str, Any] | None = None,
    env: dict[str, str] | None = None,
    *,
    events: bool = False,
) -> Iterator[Harness]:
    """The program on a new database, started; all of it gone afterwards.

    With ``events`` its store tells them, and ``compare`` replays them.
    """
    server, url, name = None, "sqlite:///wishwell.db", ""
    if engine != "sqlite":
        options = {"fsync": True} | (postgres or {})
        # A cluster has all that the scenarios which run on one use of a server.
        cluster = engine == "cluster"
        server = cast(PostgresServer, OwnCluster()) if cluster else PostgresServer(**options)
        url = server.create_database()
        name = url.rpartition("/")[2]
    service = Service(COMMON | {"WISHWELL_DATABASE_URL": url} | (settings or {}), env=env)
    began = time.monotonic()
    try:
        if server is not None or events:
            service.cli("migrate", *(["--cluster"] if engine == "cluster" else ()))
        if events:
            service.cli("store", "update", "default", "--events", "on")
        service.start()
        service.settings["WISHWELL_PORT"] = service.url.rpartition(":")[2]
        service.admin_token()
        yield Harness(engine, result, scale, service, server, name, events=events)
    finally:
        result.seconds = round(time.monotonic() - began, 1)
        service.close()
        if server is not None:
            server.close()


Scenario = Callable[[str, Result, float], Coroutine[Any, Any, None]]
SCENARIOS: dict[str, tuple[Scenario, tuple[str, ...]]] = {}


def scenario(*engines: str) -> Callable[[Scenario], Scenario]:
    """Registers a coroutine function by its name; it runs once on each of the engines."""

    def register(function: Scenario) -> Scenario:
        name = function.__name__.replace("_", "-")
        SCENARIOS[name] = (function, engines or ("sqlite", "postgresql"))
        return function

    return register


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


assert PREFIX == load.PREFIX
