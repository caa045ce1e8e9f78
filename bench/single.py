"""Stats that are no throughput beside another server's: depth, size, links, memory, starts.

Each function takes what it needs from ``bench.__main__`` and returns lines of the second table.
"""

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from bench import seed
from bench.client import Raw
from bench.targets import GENEROUS, Target, cost, start, stop, write_owners
from tests.servers import PostgresServer
from wishwell import config, ids
from wishwell.db.sqlite import connect

STORE = "bench"
ROUNDS = 5


class Measurement(NamedTuple):
    """One line: ``values`` are those of the rounds, or the one there is."""

    name: str
    unit: str
    target: str
    values: list[float]
    holds: Callable[[float], bool] | None = None
    note: str = ""


class Deployment(NamedTuple):
    """A migrated database with the store ``bench`` and its admin token; no service runs yet."""

    engine: str
    url: str
    store: str
    admin: str
    folder: Path

    @property
    def settings(self) -> dict[str, str]:
        keys = {"WISHWELL_SIGNING_KEYS": seed.KEY, "WISHWELL_DATABASE_URL": self.url}
        return GENEROUS | keys | {"WISHWELL_LOG_LEVEL": "info"}

    def serve(self, **more: str) -> Target:
        name = f"wishwell {self.engine}"
        none = self.folder / "nobody"
        return start(name, "wishwell", none, self.folder, self.settings | more)


def deploy(engine: str, folder: Path, server: PostgresServer) -> Deployment:
    folder.mkdir()
    url = f"sqlite:///{folder}/bench.db" if engine == "SQLite" else server.create_database()
    command = [str(Path(sys.executable).parent / "wishwell")]
    environment = {
        "PATH": os.environ["PATH"],
        "WISHWELL_DATABASE_URL": url,
        "WISHWELL_SIGNING_KEYS": seed.KEY,
    }

    def run(*words: str) -> str:
        done = subprocess.run(
            [*command, *words], env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    run("migrate")
    store = json.loads(run("store", "create", STORE, "--json"))[0]["id"]
    return Deployment(
        engine, url, store, run("token", "create", "--store", STORE, "--label", "b"), folder
    )


def insert(place: Deployment, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    if place.engine == "SQLite":
        seed.sqlite(place.url, rows)
    else:
        asyncio.run(seed.postgres(place.url, rows))


def rows_of(
    store: str, gid: str, products: range, is_session: bool = False
) -> dict[str, list[tuple[Any, ...]]]:
    """One profile that holds these products, and no lists."""
    new_id, now = ids.UUID7(), ids.timestamp(ids.wall_clock())
    profile = ids.profile_key(store, gid)
    rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in seed.COLUMNS}
    rows["profiles"].append((profile, store, gid, int(is_session), len(products), 0, now, now))
    for product in products:
        item = (profile, new_id(), store, str(product), "", 1, "", "", "", now, now)
        rows["items"].append(item)
    return rows


def median_time(client: Raw, path: str, times: int) -> float:
    return statistics.median(client.ask("GET", path)[1] for _ in range(times))


def deep(place: Deployment) -> list[Measurement]:
    """Page 1,000 against page 1, of a profile (5 items a page) and of a store (50)."""
    gid = "gid://shopify/Customer/deep"
    insert(place, rows_of(place.store, gid, range(1, 5_001)))
    rows, _ = seed.plan(place.store, 1_700)
    insert(place, rows)
    service = place.serve()
    profile = Raw(service.url, seed.token(place.store, gid))
    figures = []
    for name, client, limit in (
        ("a profile", profile, 5),
        ("a store", Raw(service.url, place.admin), 50),
    ):
        first = path = f"/items?limit={limit}"
        for _ in range(998):
            cursor = client.ask("GET", path)[0]["pageInfo"]["next"]
            path = f"{first}&page={cursor}"
        # A first page has no "previous" to look for: so beside it the second, which has.
        second = f"{first}&page={client.ask('GET', first)[0]['pageInfo']['next']}"
        for beside, early in (("page 2", second), ("page 1", first)):
            ratios = [
                median_time(client, path, 200) / median_time(client, early, 200)
                for _ in range(ROUNDS)
            ]
            line = f"page 1,000 of {name} against {beside}, {place.engine}"
            figures.append(Measurement(line, "times", "≤ 1.2", ratios, lambda value: value <= 1.2))
    stop(service)
    return figures


def link(place: Deployment) -> list[Measurement]:
    """A session of 5,000 items to a customer who has half of them already."""
    service = place.serve()
    admin = Raw(service.url, place.admin)
    took = []
    for number in range(ROUNDS):
        session = f"gid://wishwell/Session/{uuid.uuid4()}"
        customer = f"gid://shopify/Customer/link{number}"
        insert(place, rows_of(place.store, session, range(1, 5_001), is_session=True))
        insert(place, rows_of(place.store, customer, range(2_501, 5_001)))
        body = {"customer": customer, "session": session}
        took.append(admin.ask("POST", "/profiles/token", body)[1])
    stop(service)
    name = f"linking a session of 5,000 items, half of them there, {place.engine}"
    return [Measurement(name, "s", "≤ 1", took, lambda value: value <= 1)]


def pages_by_processor(
    targets: list[Target], server: PostgresServer, load: Callable[[Target], dict[str, float]]
) -> list[Measurement]:
    """Pages per second of processor time, the database's included: SQLite against PostgreSQL.

    That is what a machine costs; the throughput beside it lets PostgreSQL use a second core.
    """
    costs: dict[str, list[float]] = {target.name: [] for target in targets}
    for target in targets * (ROUNDS + 1):
        database = server if "PostgreSQL" in target.name else None
        costs[target.name].append(cost(target, database, load)[1] * 1e6)
    files, servers = (costs[f"wishwell {engine}"][1:] for engine in ("SQLite", "PostgreSQL"))
    note = f"{statistics.median(servers):.0f} us a page against {statistics.median(files):.0f} us"
    ratios = [ours / theirs for ours, theirs in zip(servers, files, strict=True)]
    name = "pages a second of processor time, database included, SQLite against PostgreSQL"
    return [Measurement(name, "times", "reported", ratios, None, note)]


def memory(
    target: Target, load: Callable[[], float], requests: int = 1_000_000
) -> list[Measurement]:
    """Resident memory after a million requests of the mix, and how much the second half added."""
    process, done, seen = psutil.Process(target.process.pid), 0.0, []
    while done < requests:
        done += load()
        seen.append((done, process.memory_info().rss / 2**20))
    half = next(rss for at, rss in seen if at >= requests / 2)
    engine = target.name.split()[1]
    note = f"{seen[0][1]:.0f} MB after the first {seen[0][0]:,.0f}"
    return [
        Measurement(
            f"memory of a worker after {requests:,} requests, {engine}",
            "MB",
            "≤ 120",
            [seen[-1][1]],
            lambda value: value <= 120,
            note,
        ),
        Measurement(
            f"of that, grown over the second half, {engine}",
            "MB",
            "≤ 5",
            [seen[-1][1] - half],
            lambda value: value <= 5,
        ),
    ]


def first_answer() -> list[Measurement]:
    """From the command to the first answer, with no database yet."""
    took = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            began = time.perf_counter()
            target = start("wishwell SQLite", "wishwell", folder, folder, {}, every=0.01)
            took.append(time.perf_counter() - began)
            stop(target)
    name = "start to first answer, embedded, new database"
    return [Measurement(name, "s", "≤ 1", took, lambda value: value <= 1)]


def workers(
    place: Deployment,
    server: PostgresServer,
    owners: Path,
    load: Callable[[Target], dict[str, float]],
) -> list[Measurement]:
    """Two workers against one. PostgreSQL and the load share their two cores, so that what a page
    costs of processor time says more than how many there are a second."""
    one, two = place.serve(), place.serve(WISHWELL_WORKERS="2")
    one, two = one._replace(owners=owners), two._replace(owners=owners)
    time.sleep(2)
    rates, costs = [], []
    for _ in range(ROUNDS):
        (more, dearer), (rate, paid) = (cost(target, server, load) for target in (two, one))
        rates.append(more / rate)
        costs.append(dearer / paid)
    stop(one, two)
    note = "wrk, PostgreSQL and the workers share two cores, which one worker already fills"
    return [
        Measurement("pages with two workers against one, PostgreSQL", "times", "reported", rates,
                    None, note),
        Measurement("processor time of such a page, database included", "times", "reported", costs),
    ]  # fmt: skip


def group_commit(
    place: Deployment, load: Callable[[Target], dict[str, float]], owners: list[seed.Owner]
) -> list[Measurement]:
    """Saves of 32 at once through the one writer, against a commit for each, which the floor does.

    On this disk, and as if it took 2 ms more to commit, as the disks of many machines do: strace
    (Linux) puts that into every fsync of both, and counts them.
    """
    listed = write_owners(place.folder / "owners", owners)
    apart = place.folder / "apart.db"
    connection = connect(config.sqlite_path(place.url))
    connection.execute("VACUUM INTO ?", (str(apart),))
    connection.close()
    servers = (
        ("wishwell", place.settings),
        ("floor", {"FLOOR_DATABASE": f"sqlite:///{apart}"}),
    )

    def rounds(under: Callable[[str], list[str]]) -> tuple[list[float], list[float]]:
        """Ratios of throughput, and how many each has written."""
        ours, alone = (
            start(f"{kind} SQLite", kind, listed, place.folder, settings, under=under(kind))
            for kind, settings in servers
        )
        done = [(load(ours), load(alone)) for _ in range(ROUNDS)]
        stop(ours, alone)
        counts = [sum(pair[at]["count"] for pair in done) for at in (0, 1)]
        return [one["rate"] / other["rate"] for one, other in done], counts

    name = "durable saves, 32 at once, against one commit a request"
    here, _ = rounds(lambda _: [])
    figures = [Measurement(f"{name}, this disk", "times", "≥ 5", here, lambda v: v >= 5)]
    if shutil.which("strace") is None:
        say("no strace: a disk with slow commits is left out")
        return figures
    calls = {kind: place.folder / f"{kind}.calls" for kind, _ in servers}
    slow, counts = rounds(lambda kind: [*_SLOW_DISK, "-o", str(calls[kind])])
    syncs = [_syncs(calls[kind]) / count for (kind, _), count in zip(servers, counts, strict=True)]
    note = f"fsyncs a save: {syncs[0]:.3f}, with one commit a request {syncs[1]:.2f}"
    figures.append(
        Measurement(
            f"{name}, a commit taking 2 ms more", "times", "≥ 5", slow, lambda v: v >= 5, note
        )
    )
    return figures


def _syncs(calls: Path) -> int:
    """How many there were, once strace has written what it has seen: it ends after the server."""
    for _ in range(100):
        lines = calls.read_text().splitlines()
        if lines and "+++ " in lines[-1]:
            return sum("sync(" in line for line in lines)
        time.sleep(0.1)
    raise RuntimeError(f"strace has not ended: see {calls}")


# -D: the server stays our child. --seccomp-bpf: nothing but these calls is stopped.
_SLOW_DISK = (
    "strace", "-D", "-f", "-q", "--seccomp-bpf", "-e", "trace=fsync,fdatasync",
    "-e", "inject=fsync,fdatasync:delay_exit=2000",
)  # fmt: skip


def say(line: str) -> None:
    print(line, flush=True)
