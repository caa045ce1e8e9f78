"""``python -m bench.model``: what a size costs, from measured figures and from assumptions.

Measures bytes an item with its indexes, processor time of a request (the service's and the
database's), and the memory of a worker, with 1 and with 20 million items side by side, then what a
process asks of the database while nobody asks it, and how much a save writes to its log. All goes
into bench/results/model.json, and is shown as tables, of which docs/scaling.md has the main rows.
Takes 20 minutes and 30 GB. ``--again`` shows the last figures. Each assumption has an option:
``--again --items-per-profile 5 --price-core 10``.
"""

import argparse
import asyncio
import json
import math
import random
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import asyncpg
import psutil

from bench import seed, sizes
from bench.beside import spread
from bench.client import Raw
from bench.single import deploy
from bench.targets import Target, processor, stop
from tests.servers import PostgresServer

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "bench" / "results" / "model.json"
SIZES = (1_000_000, 100_000_000, 1_000_000_000)
TABLES = ("items", "entries", "lists", "profiles")
SAVES = 2_000
IDLE_SECONDS = 20
MONTH = 30 * 86_400


@dataclass(frozen=True)
class Assumptions:
    """What is not measured. Prices are a month's, in any currency."""

    items_per_profile: float = 20
    active_a_day: float = 0.05
    requests_of_an_active: float = 20
    writes: float = 0.1
    peak: float = 4
    busy: float = 0.5
    growth: float = 1.4
    copies: int = 2
    in_memory: float = 0.2
    cores_of_a_machine: int = 8
    disk_of_a_machine: float = 1_000
    price_core: float = 25
    price_gb_memory: float = 4
    price_gb_disk: float = 0.15


WHAT = {
    "items_per_profile": "items of a profile",
    "active_a_day": "share of the profiles that come on a day",
    "requests_of_an_active": "requests of one that comes",
    "writes": "share of writes",
    "peak": "the busiest second against the average",
    "busy": "how busy a core may be then",
    "growth": "bytes in daily use against those right after filling: indexes with gaps, rows that changed",
    "copies": "copies of the database: the primary and its standbys",
    "in_memory": "share of the data that the database has in memory",
    "cores_of_a_machine": "cores of a database machine",
    "disk_of_a_machine": "GB of data of a database machine",
    "price_core": "a core",
    "price_gb_memory": "a GB of memory",
    "price_gb_disk": "a GB of disk",
}


BESIDES = (
    "index bytes of an item",
    "log bytes of a save",
    "idle transactions a second",
    "idle, ms of a core a second",
)


def needs(figures: dict[str, Any], items: int, a: Assumptions) -> dict[str, float]:
    """What so many items need."""
    profiles = items / a.items_per_profile
    large = figures["sizes"][-1]
    data = a.growth * (
        items * (large["bytes"]["items"] + large["bytes"]["entries"])
        + profiles * (large["bytes"]["profiles"] + large["bytes"]["lists"])
    )
    peak = a.peak * profiles * a.active_a_day * a.requests_of_an_active / 86_400

    def cores(who: str) -> float:
        read, write = large["us"][f"{who} read"], large["us"][f"{who} write"]
        return peak * ((1 - a.writes) * read + a.writes * write) / 1e6 / a.busy

    workers = max(2, math.ceil(cores("service")))
    besides = figures["besides"]
    logged = peak * a.writes * besides["log bytes of a save"]
    indexes = a.growth * items * besides["index bytes of an item"]
    machines = max(1, math.ceil(data / 1e9 / a.disk_of_a_machine))
    machines = max(machines, math.ceil(cores("database") / a.cores_of_a_machine))
    database_cores = max(2 * machines, math.ceil(cores("database")))
    memory = max(2.0 * machines, a.in_memory * data / 1e9)
    # A cluster has a coordinator beside its machines.
    coordinator = 1 if machines > 1 else 0
    return {
        "profiles": profiles,
        "GB": data / 1e9,
        "requests a second at the peak": peak,
        "workers": workers,
        "memory of the workers, GB": workers * large["worker MB"] / 1000,
        "connections at most": workers * figures["connections"],
        "database machines": a.copies * (machines + coordinator),
        "cores of the databases": a.copies * (database_cores + 2 * coordinator),
        "memory of the databases, GB": a.copies * (memory + 4 * coordinator),
        "memory that all indexes would take, GB": a.copies * indexes / 1e9,
        "disk, GB": a.copies * data / 1e9 * 2,
        "the database's log at the peak, MB a second": logged / 1e6,
        "the database's log in a day, GB": logged / a.peak * 86_400 / 1e9,
        "transactions a second of idle workers": workers * besides["idle transactions a second"],
    }


def price(need: dict[str, float], a: Assumptions) -> float:
    """What that costs a month."""
    cores = need["workers"] + need["cores of the databases"]
    memory = need["memory of the workers, GB"] + need["memory of the databases, GB"]
    return cores * a.price_core + memory * a.price_gb_memory + need["disk, GB"] * a.price_gb_disk


def measured(figures: dict[str, Any]) -> str:
    """Markdown: what was measured."""
    sides, besides = figures["sizes"], figures["besides"]

    def row(name: str, *path: str) -> str:
        cells = []
        for value in sides:
            for key in path:
                value = value[key]
            cells.append(f"{value:,.0f}")
        return f"| {name} | {' | '.join(cells)} |"

    lines = [
        f"{figures['date']}, PostgreSQL {figures['postgresql']}; 30 items of a profile, on one list.",
        "",
        row("With items", "items"),
        "|---" * (len(sides) + 1) + "|",
        row("an item with its indexes, bytes", "bytes", "items"),
        row("its place on a list, bytes", "bytes", "entries"),
        row("a list, bytes", "bytes", "lists"),
        row("a profile, bytes", "bytes", "profiles"),
        row("a page of 30 items, µs of the service", "us", "service read"),
        row("a page of 30 items, µs of the database", "us", "database read"),
        row("a save, µs of the service", "us", "service write"),
        row("a save, µs of the database", "us", "database write"),
        row("memory of a worker, MB", "worker MB"),
        "",
        f"| Time with {sides[-1]['items']:,} items, against {sides[0]['items']:,} | |",
        "|---|---|",
        *(f"| {name} | {spread(values)} |" for name, values in figures["times"].items()),
        "",
        f"| {besides['date']}, with {besides['items']:,} items | |",
        "|---|---|",
        *(f"| {name} | {_short(besides[name])} |" for name in BESIDES),
    ]
    return "\n".join(lines)


def worked_out(figures: dict[str, Any], a: Assumptions) -> str:
    """Markdown: what is assumed, and what follows."""
    lines = ["| Assumed | |", "|---|---|"]
    lines += [f"| {WHAT[name]} | {value:g} |" for name, value in asdict(a).items()]
    found = {items: needs(figures, items, a) for items in SIZES}
    lines += ["", "| Items | " + " | ".join(f"{items:,}" for items in SIZES) + " |"]
    lines.append("|---" * (len(SIZES) + 1) + "|")
    for name in found[SIZES[0]]:
        lines.append(f"| {name} | " + " | ".join(_short(found[s][name]) for s in SIZES) + " |")
    costs = [price(found[items], a) for items in SIZES]
    lines.append("| **a month** | " + " | ".join(f"**{_short(cost)}**" for cost in costs) + " |")
    per = [1e6 * cost / items for cost, items in zip(costs, SIZES, strict=True)]
    lines.append("| a month for a million items | " + " | ".join(map(_short, per)) + " |")
    return "\n".join(lines)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2f}"


def measure(counts: Sequence[int]) -> dict[str, Any]:
    """The figures, on a database for each number of items."""
    folder = Path(tempfile.mkdtemp(prefix="wishwell-model-"))
    memory = {"shared_buffers": "1GB", "maintenance_work_mem": "1GB", "max_wal_size": "8GB"}
    sides: list[sizes.Side] = []
    try:
        with PostgresServer(fsync=True, settings=memory) as server:
            found = []
            try:
                for items in counts:
                    place = deploy("PostgreSQL", folder / f"{items}", server)
                    owners = asyncio.run(sizes.fill(place, items))
                    bytes_, version = asyncio.run(_bytes(place.url, items))
                    # What is put there for the purge is not the service's to purge.
                    target = place.serve(WISHWELL_PURGE_INTERVAL="86400")
                    sides.append(sizes.Side(place, target, owners))
                    used = _requests(server, target, owners)
                    found.append({
                        "items": items,
                        "bytes": bytes_,
                        "us": used,
                        "worker MB": psutil.Process(target.process.pid).memory_info().rss / 1e6,
                    })  # fmt: skip
                times = sizes.compare(*sides)
                stop(sides.pop(0).target)
                besides = _besides(server, sides[0], counts[-1])
            finally:
                stop(*(side.target for side in sides))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "date": time.strftime("%Y-%m-%d"),
        "postgresql": version,
        "sizes": found,
        "times": times,
        "besides": besides,
        "connections": 20,
    }


async def _bytes(url: str, items: int) -> tuple[dict[str, float], str]:
    """Bytes of a row of each table, with its indexes; the server's version."""
    connection = await asyncpg.connect(url)
    found = {}
    for table in TABLES:
        rows = items if table in ("items", "entries") else items / seed.ITEMS
        total = await connection.fetchval("SELECT pg_total_relation_size($1::regclass)", table)
        found[table] = total / rows
    version = connection.get_server_version()
    await connection.close()
    return found, f"{version.major}.{version.minor}"


def _requests(
    server: PostgresServer, target: Target, owners: list[seed.Owner], count: int = 3_000
) -> dict[str, float]:
    """Microseconds of processor time of a page and a save, of the service and of the database."""
    clients = [Raw(target.url, owner.token) for owner in owners[-20:]]
    found = {}
    for kind in ("read", "write"):
        for counted in (False, True):  # the first round prepares statements and fills caches
            before = processor(target), processor(target, server)
            for number in range(count):
                client = clients[number % len(clients)]
                if kind == "read":
                    client.ask("GET", "/items?limit=30")
                else:
                    quantity = number // len(clients) % 900 + 1 + 50 * counted
                    body = {"productId": number // len(clients) % 30 + 1, "quantity": quantity}
                    client.ask("POST", "/items", body)
            after = processor(target), processor(target, server)
        service, both = (ended - began for began, ended in zip(before, after, strict=True))
        found[f"service {kind}"] = service / count * 1e6
        found[f"database {kind}"] = (both - service) / count * 1e6
    for client in clients:
        client.close()
    return found


DONE = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
LOGGED = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
INDEXES = "SELECT pg_indexes_size('items') + pg_indexes_size('entries')"


def _besides(server: PostgresServer, side: sizes.Side, items: int) -> dict[str, Any]:
    """What is neither a request's time nor a row's bytes: indexes, the database's log, idle polling.

    A save is of a profile drawn evenly, right after a checkpoint: on a large database nearly each is
    the first since then to touch its pages, which are then logged as a whole.
    """
    url = side.place.url
    time.sleep(IDLE_SECONDS)  # an idle connection tells what it has done only after 10 s
    done, used = _value(url, DONE), processor(side.target, server)
    time.sleep(IDLE_SECONDS)
    done, used = _value(url, DONE) - done, processor(side.target, server) - used
    _value(url, "CHECKPOINT")
    logged = _value(url, LOGGED)
    client = Raw(side.target.url, "")
    for owner in random.choices(side.owners, k=SAVES):
        client._token = owner.token
        body = {"productId": random.randint(1, 30), "quantity": random.randint(2, 999_999)}
        client.ask("POST", "/items", body)
    client.close()
    return {
        "date": time.strftime("%Y-%m-%d"),
        "items": items,
        "index bytes of an item": _value(url, INDEXES) / items,
        "log bytes of a save": (_value(url, LOGGED) - logged) / SAVES,
        "idle transactions a second": done / IDLE_SECONDS,
        "idle, ms of a core a second": used / IDLE_SECONDS * 1_000,
    }


def _value(url: str, statement: str) -> float:
    """What the database says, over a connection of its own; 0 where it says nothing."""

    async def ask() -> float:
        connection = await asyncpg.connect(url)
        value = await connection.fetchval(statement)
        await connection.close()
        return float(value or 0)

    return asyncio.run(ask())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--again", action="store_true", help="show the tables of the last figures")
    parser.add_argument("--measured", type=int, nargs=2, default=(1_000_000, 20_000_000))
    for field in fields(Assumptions):
        option = f"--{field.name.replace('_', '-')}"
        what = WHAT[field.name]
        parser.add_argument(option, type=type(field.default), default=field.default, help=what)
    given = vars(parser.parse_args())
    again, counts = given.pop("again"), given.pop("measured")
    if not again:
        FIGURES.write_text(json.dumps(measure(counts), indent=1) + "\n")
    figures, assumed = json.loads(FIGURES.read_text()), Assumptions(**given)
    print(f"{measured(figures)}\n\n{worked_out(figures, assumed)}")


if __name__ == "__main__":
    main()
