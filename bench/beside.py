"""This program beside another one of its kind: the one before a change, from its checkout.

``python -m bench.beside ../before --rounds 7`` starts both on databases of their own, fills them
through the API, and asks them in turns. It prints, for each engine and workload, this one's
throughput as a share of the other's, and its processor time a request, the database's
included: medians, and the least and the most of the rounds. ``page-product`` is a page with the
products of its items, beside this program's own page without; ``put`` is 250 items at once beside
as many posts. ``--events`` lets the store of this one
tell events; without another checkout it then stands beside itself.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import seed
from bench.__main__ import OURS_ALONE, READS, WRITES, wrk
from bench.client import Raw
from bench.targets import GENEROUS, Target, cost, run, start, stop, write_owners
from tests.servers import PostgresServer
from wishwell import ids

HERE = Path(__file__).parents[1]
AGAINST = {"page-product": "page"}
WORKS = [work for work in (*READS, *WRITES, *OURS_ALONE) if work != "delete"] + ["new", *AGAINST]
LARGE, SMALL = 4_990, 20
PRODUCTS = 1_000


class Source(NamedTuple):
    """A checkout, and the interpreter that has what its program needs."""

    folder: Path
    python: str = sys.executable


class Program(NamedTuple):
    """One of the two, on one engine."""

    target: Target
    admin: str
    store: str
    database: PostgresServer | None


def fill(url: str, store: str, profiles: int) -> list[seed.Owner]:
    """So many profiles of 30 items on one list, saved in turns, as a shop's would be."""
    gids = [f"gid://shopify/Customer/{number}" for number in range(profiles)]
    tokens = [seed.token(store, gid) for gid in gids]

    def some(part: range) -> list[seed.Owner]:
        clients = {at: Raw(url, tokens[at]) for at in part[:1]}
        client, owners = clients[part[0]], {}
        for at in part:
            client._token = tokens[at]
            made, _ = client.ask("POST", "/lists", {"name": "Wishes"})
            owners[at] = made["data"]["id"]
        for product in range(1, seed.ITEMS + 1):
            for at in part:
                client._token = tokens[at]
                body = {"productId": product, "listIds": [owners[at]]}
                item, _ = client.ask("POST", "/items", body)
                if product == seed.ITEMS:
                    key = ids.profile_key(store, gids[at])
                    owners[at] = seed.Owner(tokens[at], key, item["data"]["id"], owners[at])
        client.close()
        return list(owners.values())

    parts = [range(at, profiles, 8) for at in range(8)]
    with ThreadPoolExecutor(8) as threads:
        return [owner for owners in threads.map(some, parts) for owner in owners]


@contextlib.contextmanager
def programs(
    sources: list[Source], profiles: int, engines: list[str], *, events: bool
) -> Iterator[dict[tuple[str, int], Program]]:
    """Each source's program on each engine, filled; each has a PostgreSQL of its own."""
    running: dict[tuple[str, int], Program] = {}
    with contextlib.ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        opened.callback(lambda: stop(*(program.target for program in running.values())))
        for engine in engines:
            for number, source in enumerate(sources):
                server = None
                if engine == "postgresql":
                    server = opened.enter_context(PostgresServer(fsync=True))
                options = ["--events", "on"] if events and number == 0 else []
                running[engine, number] = begin(
                    folder, f"{engine}-{number}", source, server, profiles, options
                )
        yield running


def begin(
    folder: Path,
    name: str,
    source: Source,
    server: PostgresServer | None,
    profiles: int,
    options: list[str],
) -> Program:
    """Start a program; one from before a setting was there would refuse it, so is not given it."""
    url = server.create_database() if server else f"sqlite:///{folder}/{name}.db"
    known = (source.folder / "docs" / "configuration.md").read_text()
    env = {name: value for name, value in GENEROUS.items() if f"`{name}`" in known} | {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(source.folder / "src"),
        "WISHWELL_DATABASE_URL": url,
        "WISHWELL_SIGNING_KEYS": seed.KEY,
    }

    def command(*words: str) -> str:
        program = [source.python, "-m", "wishwell", *words]
        return subprocess.run(program, env=env, check=True, stdout=-1, text=True).stdout

    command("migrate")
    store = json.loads(command("store", "create", "bench", *options, "--json"))[0]["id"]
    admin = command("token", "create", "--store", "bench", "--label", "bench").strip()
    listed = folder / name
    target = start(name, "wishwell", listed, folder, env, python=source.python)
    facts = {
        "title": "A shirt of linen",
        "url": "https://shop.example/products/a-shirt-of-linen",
        "image": "https://images.shop.example/files/a-shirt-of-linen.jpg",
        "price": {"amount": "19.90", "currency": "EUR"},
        "available": True,
    }
    for first in range(1, PRODUCTS, 250):
        products = [{"productId": number, **facts} for number in range(first, first + 250)]
        Raw(target.url, admin).ask("PUT", "/products", {"products": products})
    write_owners(listed, fill(target.url, store, profiles))
    if server is not None:  # as the server itself does within a minute
        server.sql("ANALYZE", url.rpartition("/")[2])
    return Program(target, admin, store, server)


def compare(
    running: dict,
    engine: str,
    works: list[str],
    rounds: int,
    seconds: int,
) -> None:
    ours, theirs = running[engine, 0], running[engine, 1]
    for work in works:
        pair = [(ours, work), (theirs, work)]
        if work in AGAINST:
            pair[1] = ours, AGAINST[work]
        rates: list[float] = []
        costs: list[float] = []
        for round_ in range(rounds):
            found = {}
            for program, asked in pair if round_ % 2 else pair[::-1]:
                load = partial(wrk, work=asked, seconds=seconds, admin=program.admin)
                found[program, asked] = cost(program.target, program.database, load)
            (rate, processor), (their_rate, their_processor) = (found[each] for each in pair)
            rates.append(rate / max(their_rate, 1))
            costs.append(processor / max(their_processor, 1e-9))
        print(
            f"{engine:10} {work:6} throughput {spread(rates)}  processor {spread(costs)}",
            flush=True,
        )


def sizes(program: Program, engine: str, rounds: int) -> None:
    """A save into a large profile beside one into a small one, one request at a time."""
    clients = {}
    for size in (LARGE, SMALL):
        client = clients[size] = Raw(
            program.target.url, seed.token(program.store, f"gid://shopify/Customer/of-{size}")
        )
        for product in range(1, size + 1):
            client.ask("POST", "/items", {"productId": product})
    ratios = []
    for number in range(rounds):
        took: dict[int, list[float]] = {size: [] for size in clients}
        for again in range(60):
            for size, client in clients.items():
                product = 10_000 + number * 60 + again
                made, seconds = client.ask("POST", "/items", {"productId": product})
                took[size].append(seconds)
                client.ask("DELETE", f"/items/{made['data']['id']}")
        ratios.append(statistics.median(took[LARGE]) / statistics.median(took[SMALL]))
    print(
        f"{engine:10} a new item into {LARGE} items against {SMALL}: {spread(ratios)}", flush=True
    )


def at_once(program: Program, engine: str, rounds: int) -> None:
    """How many times as long 250 posts take as one request for as many items."""
    ratios = []
    for number in range(rounds):
        took = []
        for size in (1, 250):
            gid = f"gid://shopify/Customer/at-once-{number}-{size}"
            client = Raw(program.target.url, seed.token(program.store, gid))
            wanted = [{"productId": product} for product in range(1, 251)]
            client.ask("GET", "/items")
            began = time.perf_counter()
            if size == 1:
                for item in wanted:
                    client.ask("POST", "/items", item)
            else:
                client.ask("PUT", "/items", {"items": wanted})
            took.append(time.perf_counter() - began)
            client.close()
        ratios.append(took[0] / took[1])
    print(f"{engine:10} 250 posts against one put of 250 items: {spread(ratios)}", flush=True)


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.beside", description=__doc__)
    words.add_argument(
        "before", type=Path, nargs="?", default=HERE, help="the checkout of the other program"
    )
    words.add_argument("--events", action="store_true")
    words.add_argument("--rounds", type=int, default=7)
    words.add_argument("--seconds", type=int, default=2)
    words.add_argument("--profiles", type=int, default=2_000)
    words.add_argument("--engine", choices=("sqlite", "postgresql"), action="append")
    words.add_argument("--work", choices=[*WORKS, "put"], action="append")
    chosen = words.parse_args()
    engines = chosen.engine or ["postgresql", "sqlite"]
    sources = [Source(HERE), Source(chosen.before)]
    with programs(sources, chosen.profiles, engines, events=chosen.events) as running:
        for engine in engines:
            if not chosen.work:
                sizes(running[engine, 0], engine, chosen.rounds)
            if not chosen.work or "put" in chosen.work:
                at_once(running[engine, 0], engine, chosen.rounds)
            works = [work for work in chosen.work or WORKS if work != "put"]
            compare(running, engine, works, chosen.rounds, chosen.seconds)


if __name__ == "__main__":
    run(main)
