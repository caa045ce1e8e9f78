"""``python -m bench.model``: capacity and costs by size, from measurements and assumptions.

Measures the bytes of an item with its indexes, a request's CPU time (service and database), and a
worker's memory, with 1 and with 20 million items; also a process's idle database load, and a save's
bytes in the database's log. Writes bench/results/model.json and prints tables, whose main rows are
in docs/scaling.md. Takes 20 minutes and 30 GB. ``--again`` prints the last figures. Each assumption
has an option: ``--again --items-per-profile 5 --price-core 10``.
"""

import argparse
import asyncio
import json
import math
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import psutil

from bench import seed, sizes
from bench.client import Raw
from bench.targets import ROOT, Shop, processor, run
from tests.servers import PostgresServer
from tools.tables import keep, machine, markdown, spread

FIGURES = ROOT / "bench" / "results" / "model.json"
SIZES = (1_000_000, 100_000_000, 1_000_000_000)
TABLES = ("items", "entries", "lists", "profiles")
SAVES = 2_000
IDLE_SECONDS = 20


ASSUMED: dict[str, tuple[float, str]] = {
    "items_per_profile": (20.0, "items of a profile"),
    "active_a_day": (0.05, "share of the profiles that come on a day"),
    "requests_of_an_active": (20.0, "requests of one that comes"),
    "writes": (0.1, "share of writes"),
    "peak": (4.0, "the busiest second against the average"),
    "busy": (0.5, "how busy a core may be then"),
    "growth": (
        1.4,
        "bytes in daily use against those right after filling: indexes with gaps, rows that changed",
    ),
    "copies": (2, "copies of the database: the primary and its standbys"),
    "in_memory": (0.2, "share of the data that the database has in memory"),
    "cores_of_a_machine": (8, "cores of a database machine"),
    "disk_of_a_machine": (1_000.0, "GB of data of a database machine"),
    "price_core": (25.0, "a core"),
    "price_gb_memory": (4.0, "a GB of memory"),
    "price_gb_disk": (0.15, "a GB of disk"),
}
"""Assumptions; prices are per month in any currency."""

BESIDES = (
    "index bytes of an item",
    "log bytes of a save",
    "idle transactions a second",
    "idle, ms of a core a second",
)


def needs(figures: dict[str, Any], items: int, a: SimpleNamespace) -> dict[str, float]:
    """Returns the resources needed for ``items`` items."""
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
    # A cluster has a coordinator in addition to its machines.
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


def price(need: dict[str, float], a: SimpleNamespace) -> float:
    """Returns the monthly price of these resources."""
    cores = need["workers"] + need["cores of the databases"]
    memory = need["memory of the workers, GB"] + need["memory of the databases, GB"]
    return cores * a.price_core + memory * a.price_gb_memory + need["disk, GB"] * a.price_gb_disk


def measured(figures: dict[str, Any]) -> str:
    """Returns a Markdown table of the measurements."""
    sides, besides = figures["sizes"], figures["besides"]

    def row(name: str, *path: str) -> list[str]:
        cells = []
        for value in sides:
            for key in path:
                value = value[key]
            cells.append(f"{value:,.0f}")
        return [name, *cells]

    head, *rows = (
        row("With items", "items"),
        row("an item with its indexes, bytes", "bytes", "items"),
        row("its place on a list, bytes", "bytes", "entries"),
        row("a list, bytes", "bytes", "lists"),
        row("a profile, bytes", "bytes", "profiles"),
        row("a page of 30 items, µs of the service", "us", "service read"),
        row("a page of 30 items, µs of the database", "us", "database read"),
        row("a save, µs of the service", "us", "service write"),
        row("a save, µs of the database", "us", "database write"),
        row("memory of a worker, MB", "worker MB"),
    )
    times = [(name, spread(values)) for name, values in figures["times"].items()]
    against = f"Time with {sides[-1]['items']:,} items, against {sides[0]['items']:,}"
    others = [(name, _short(besides[name])) for name in BESIDES]
    return "\n\n".join((
        f"{figures['date']}, PostgreSQL {figures['postgresql']}; 30 items of a profile, on one list.",
        markdown(head, rows),
        markdown((against, ""), times),
        markdown((f"{besides['date']}, with {besides['items']:,} items", ""), others),
    ))  # fmt: skip


def worked_out(figures: dict[str, Any], a: SimpleNamespace) -> str:
    """Returns Markdown tables of the assumptions and the results."""
    assumed = markdown(
        ("Assumed", ""), [(ASSUMED[name][1], f"{value:g}") for name, value in vars(a).items()]
    )
    of_sizes = [needs(figures, items, a) for items in SIZES]
    rows = [[name, *(_short(need[name]) for need in of_sizes)] for name in of_sizes[0]]
    costs = [price(need, a) for need in of_sizes]
    rows.append(["**a month**", *(f"**{_short(cost)}**" for cost in costs)])
    per = [1e6 * cost / items for cost, items in zip(costs, SIZES, strict=True)]
    rows.append(["a month for a million items", *map(_short, per)])
    return f"{assumed}\n\n{markdown(['Items', *(f'{items:,}' for items in SIZES)], rows)}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2f}"


def measure(counts: Sequence[int]) -> dict[str, Any]:
    """Measures a database of each size; returns the figures."""
    memory = {"shared_buffers": "1GB", "maintenance_work_mem": "1GB", "max_wal_size": "8GB"}
    sides, figures = [], []
    with PostgresServer(fsync=True, settings=memory) as server:
        for items in counts:
            shop = Shop("PostgreSQL", server)
            owners = asyncio.run(sizes.fill(shop, items))
            bytes_ = _bytes(shop, items)
            # Otherwise the service would purge the sessions made for the purge measurement.
            shop.serve(WISHWELL_PURGE_INTERVAL="86400")
            sides.append(sizes.Side(shop, owners))
            used = _requests(shop, owners)
            rss = psutil.Process(shop.process.pid).memory_info().rss / 1e6
            figures.append({"items": items, "bytes": bytes_, "us": used, "worker MB": rss})
        small, large = sides
        times = sizes.compare(small, large)
        small.shop.stop()
        besides = _besides(large, counts[-1])
        large.shop.stop()
    return {
        "date": time.strftime("%Y-%m-%d"),
        "postgresql": machine()["postgresql"],
        "sizes": figures,
        "times": times,
        "besides": besides,
        "connections": 20,
    }


def _bytes(shop: Shop, items: int) -> dict[str, float]:
    """Returns bytes per row of each table, with its indexes."""
    rows = {"items": items, "entries": items}
    sizes = {table: shop.number(f"SELECT pg_total_relation_size('{table}')") for table in TABLES}
    return {name: size / rows.get(name, items / seed.ITEMS) for name, size in sizes.items()}


def _requests(shop: Shop, owners: list[seed.Owner], count: int = 3_000) -> dict[str, float]:
    """Returns CPU microseconds of a page and a save, of the service and of the database."""
    clients = [Raw(shop.url, owner.token) for owner in owners[-20:]]
    microseconds = {}
    for kind in ("read", "write"):
        for counted in (False, True):  # the first round prepares statements and fills caches
            before = processor(shop, database=False), processor(shop)
            for number in range(count):
                client = clients[number % len(clients)]
                if kind == "read":
                    client.ask("GET", "/items?limit=30")
                else:
                    quantity = number // len(clients) % 900 + 1 + 50 * counted
                    body = {"productId": number // len(clients) % 30 + 1, "quantity": quantity}
                    client.ask("POST", "/items", body)
            after = processor(shop, database=False), processor(shop)
        service, both = (ended - began for began, ended in zip(before, after, strict=True))
        microseconds[f"service {kind}"] = service / count * 1e6
        microseconds[f"database {kind}"] = (both - service) / count * 1e6
    for client in clients:
        client.close()
    return microseconds


DONE = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
LOGGED = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
INDEXES = "SELECT pg_indexes_size('items') + pg_indexes_size('entries')"


def _besides(side: sizes.Side, items: int) -> dict[str, Any]:
    """Measures index bytes, database log bytes, and idle polling.

    Each save is of a random profile, shortly after a checkpoint. On a large database almost every
    save is then the first to touch its pages, which are logged in full.
    """
    value = side.shop.number
    time.sleep(IDLE_SECONDS)  # an idle connection reports its statistics only after 10 s
    done, used = value(DONE), processor(side.shop)
    time.sleep(IDLE_SECONDS)
    done, used = value(DONE) - done, processor(side.shop) - used
    value("CHECKPOINT")
    logged = value(LOGGED)
    sizes.save(side, 0, SAVES)
    return {
        "date": time.strftime("%Y-%m-%d"),
        "items": items,
        "index bytes of an item": value(INDEXES) / items,
        "log bytes of a save": (value(LOGGED) - logged) / SAVES,
        "idle transactions a second": done / IDLE_SECONDS,
        "idle, ms of a core a second": used / IDLE_SECONDS * 1_000,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--again", action="store_true", help="show the tables of the last figures")
    parser.add_argument("--measured", type=int, nargs=2, default=(1_000_000, 20_000_000))
    for name, (value, what) in ASSUMED.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=type(value), default=value, help=what)
    options = vars(parser.parse_args())
    shows_last, counts = options.pop("again"), options.pop("measured")
    if not shows_last:
        keep(FIGURES, measure(counts))
    figures, assumed = json.loads(FIGURES.read_text()), SimpleNamespace(**options)
    print(f"{measured(figures)}\n\n{worked_out(figures, assumed)}")


if __name__ == "__main__":
    run(main)
