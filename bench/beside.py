"""This program beside another one of its kind: the one before a change, from its checkout.

``python -m bench.beside ../before --rounds 7`` starts both on databases of their own, fills them
through the API, and asks them in turns. It prints, for each engine and workload, this one's
throughput as a share of the other's, and its processor time a request, the database's
included: medians, and the least and the most of the rounds. ``--events`` lets the store of this one
tell events; without another checkout it then stands beside itself.
"""

import argparse
import contextlib
import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench import seed
from bench.client import Raw
from bench.report import OURS_ALONE, READS, WRITES
from bench.targets import ENGINES, ROOT, Shop, Source, cost, in_turns, run, say, write_owners, wrk
from tests.servers import PostgresServer
from tools.tables import spread
from wishwell import ids

WORKS = [work for work in (*READS, *WRITES, *OURS_ALONE) if work != "delete"] + ["new"]
LARGE, SMALL = 4_990, 20


def fill(shop: Shop, profiles: int) -> list[seed.Owner]:
    """So many profiles of 30 items on one list, saved in turns, as a shop's would be."""

    def some(part: range) -> list[seed.Owner]:
        if not part:
            return []
        gids = [f"gid://shopify/Customer/{number}" for number in part]
        tokens = [seed.token(shop.store, gid) for gid in gids]
        lists, items = [], []
        client = Raw(shop.url, "")
        for token in tokens:
            client.token = token
            made, _ = client.ask("POST", "/lists", {"name": "Wishes"})
            lists.append(made["data"]["id"])
        for product in range(1, seed.ITEMS + 1):
            items.clear()
            for token, list_id in zip(tokens, lists, strict=True):
                client.token = token
                body = {"productId": product, "listIds": [list_id]}
                item, _ = client.ask("POST", "/items", body)
                items.append(item["data"]["id"])
        client.close()
        keys = [ids.profile_key(shop.store, gid) for gid in gids]
        return list(map(seed.Owner, tokens, keys, items, lists))

    with ThreadPoolExecutor(8) as threads:
        parts = threads.map(some, [range(at, profiles, 8) for at in range(8)])
        return [owner for owners in parts for owner in owners]


@contextlib.contextmanager
def programs(
    sources: list[Source], profiles: int, engines: list[str], *, events: bool
) -> Iterator[dict[str, list[Shop]]]:
    """Of each engine, each source's program, filled; each has a PostgreSQL of its own."""
    running: dict[str, list[Shop]] = {engine: [] for engine in engines}
    with contextlib.ExitStack() as opened:
        for engine in engines:
            for number, source in enumerate(sources):
                server = None
                if engine == "PostgreSQL":
                    server = opened.enter_context(PostgresServer(fsync=True))
                options = ["--events", "on"] if events and number == 0 else []
                shop = Shop(engine, server, source, options)
                opened.callback(shop.close)
                write_owners(shop.serve().owners, fill(shop, profiles))
                running[engine].append(shop)
        yield running


def compare(shops: list[Shop], work: str, rounds: int, seconds: int) -> None:
    load = partial(wrk, work=work, seconds=seconds)
    ours, theirs = in_turns(shops, rounds, lambda shop: cost(shop, load))
    rates = [mine[0] / max(other[0], 1) for mine, other in zip(ours, theirs, strict=True)]
    costs = [mine[1] / max(other[1], 1e-9) for mine, other in zip(ours, theirs, strict=True)]
    say(f"{shops[0].engine:10} {work:6} throughput {spread(rates)}  processor {spread(costs)}")


def sizes(shop: Shop, rounds: int) -> None:
    """A save into a large profile beside one into a small one, one request at a time."""
    clients = {}
    for size in (LARGE, SMALL):
        gid = f"gid://shopify/Customer/of-{size}"
        clients[size] = Raw(shop.url, seed.token(shop.store, gid))
        for product in range(1, size + 1):
            clients[size].ask("POST", "/items", {"productId": product})
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
    say(f"{shop.engine:10} a new item into {LARGE} items against {SMALL}: {spread(ratios)}")


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.beside", description=__doc__)
    words.add_argument(
        "before", type=Path, nargs="?", default=ROOT, help="the checkout of the other program"
    )
    words.add_argument("--events", action="store_true")
    words.add_argument("--rounds", type=int, default=7)
    words.add_argument("--seconds", type=int, default=2)
    words.add_argument("--profiles", type=int, default=2_000)
    words.add_argument("--engine", choices=ENGINES, action="append")
    words.add_argument("--work", choices=WORKS, action="append")
    chosen = words.parse_args()
    engines = [ENGINES[engine] for engine in chosen.engine or ENGINES]
    sources = [Source(ROOT), Source(chosen.before.absolute())]
    with programs(sources, chosen.profiles, engines, events=chosen.events) as running:
        for shops in running.values():
            if not chosen.work:
                sizes(shops[0], chosen.rounds)
            for work in chosen.work or WORKS:
                compare(shops, work, chosen.rounds, chosen.seconds)


if __name__ == "__main__":
    run(main)
