"""``python -m bench``: compares the service with the floor and with a typical stack.

Runs the workloads in interleaved rounds, then the measurements of ``bench.single``. Prints
progress, writes bench/results/latest.json, and prints its tables. Only ratios within a round are
meaningful, because machines differ and this one may be busy. ``--again`` prints the last results'
tables. Start reading here; ``targets`` has the programs, ``seed`` their data, ``report`` the
tables.
"""

import argparse
import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench import report, seed, single, steady
from bench.report import OURS_ALONE, READS, WRITES, Measurement
from bench.targets import Bare, Shop, Target, run, say, write_owners, wrk
from tests.servers import PostgresServer

VICTIMS = 4_800
"""Profiles whose 30 items each are deleted, each item once."""


@contextlib.contextmanager
def everything(server: PostgresServer, profiles: int) -> Iterator[tuple[list[Shop], list[Target]]]:
    """The filled shops on PostgreSQL and SQLite, and all targets including these two."""
    say(f"filling {profiles} profiles with {seed.ITEMS} items each")
    with contextlib.ExitStack() as opened:
        shops: list[Shop] = []
        everybody: list[Target] = []
        for engine in report.ENGINES.values():
            shop = Shop(engine, server)
            rows, owners = seed.plan(shop.store, profiles)
            doomed, victims = seed.plan(shop.store, VICTIMS, first=profiles)
            victim_items = list(seed.each_item(doomed, victims))
            rows = seed.joined([rows, doomed])
            shop.insert(rows)
            shops.append(shop.serve())
            targets: list[Target] = [shop, Bare("floor", shop)]
            if engine == "PostgreSQL":
                os.environ["USUAL_DATABASE"] = shop.database
                tokens = seed.usual(shop.database, rows, "k" * 40)
                targets.append(Bare("usual", shop))
            for target in targets:
                owners_and_victims = [owners, victim_items]
                if target.kind == "usual":
                    owners_and_victims = [
                        [o._replace(token=tokens[o.profile]) for o in some]
                        for some in owners_and_victims
                    ]
                else:  # each deletes its own items, but these two share a database
                    half = len(victim_items) // 2
                    owners_and_victims[1] = (
                        victim_items[:half] if target is shop else victim_items[half:]
                    )
                write_owners(target.owners, owners_and_victims[0])
                write_owners(Path(f"{target.owners}-victims"), owners_and_victims[1])
                opened.callback(target.close)
            everybody += targets
        yield shops, everybody


def measure(targets: list[Target], rounds: int, seconds: int) -> list[dict[str, Any]]:
    """Runs every workload on every target in turn, so that a busy moment affects all."""
    results = []
    for number in range(1, rounds + 1):
        for work in (*READS, *WRITES, *OURS_ALONE):
            for target in targets[:: 1 if number % 2 else -1]:
                if work in OURS_ALONE and target.kind != "wishwell":
                    continue
                if target.name == "floor SQLite" and work in WRITES:
                    continue  # two processes on one file would wait for each other's locks
                got = wrk(target, work, seconds)
                results.append({"round": number, "work": work, "target": target.name} | got)
            say(f"round {number} of {rounds}: {work}")
    return results


def alone(server: PostgresServer) -> list[Measurement]:
    """Measurements that need separate databases."""
    figures = single.first_answer()
    page = partial(wrk, work="page", seconds=3)
    for engine in report.ENGINES.values():
        say(f"a constant rate, {engine}")
        shop = Shop(engine, server)
        rows, owners = seed.plan(shop.store, 20_000)
        shop.insert(rows)
        figures += steady.half_load(shop, owners, page)
        say(f"depth and links, {engine}")
        figures += single.deep(Shop(engine, server))
        figures += single.link(Shop(engine, server))
        figures += single.moves(Shop(engine, server, options=("--events", "on")))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--again", action="store_true", help="only print the last tables")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--profiles", type=int, default=20_000)
    options = parser.parse_args()
    if options.again:
        print(report.tables())
        return
    if shutil.which("wrk") is None:
        sys.exit("This takes wrk, which Debian has: apt install wrk")
    figures: list[Measurement] = []
    with (
        PostgresServer(fsync=True) as server,
        everything(server, options.profiles) as (shops, targets),
    ):
        on_postgres, on_sqlite = shops
        # The first round is discarded: it fills caches and prepares statements.
        measure(targets, 1, 1)
        say("now it counts")
        results = measure(targets, options.rounds, options.seconds)
        for shop in shops:
            say(f"a million requests, {shop.engine}")
            figures += single.memory(shop, partial(wrk, work="mix", seconds=10))
        page = partial(wrk, work="page", seconds=3)
        figures += single.pages_by_processor(on_postgres, on_sqlite, page)
    print(report.table(results))
    report.write(vars(options), results, figures)  # keeps these results if the rest fails
    with PostgresServer(fsync=True) as server:
        figures += alone(server)
    report.write(vars(options), results, figures)
    print(report.tables())


if __name__ == "__main__":
    run(main)
