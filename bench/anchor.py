"""``python -m bench.anchor``: compares the service with a Fastify service (bench/fastify).

Both serve the same rows, tokens and answers from one process each. They take turns, and every round
gives a ratio of processor time, the database's included, and one of throughput. The floor
(bench/floor.py) takes part, to show what driver and server cost alone. Writes
bench/results/anchor.json and prints its table; ``--again`` prints the last one. Needs Node.js, npm
and wrk.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from bench import report, seed
from bench.targets import (
    ENGINES,
    ROOT,
    Bare,
    Shop,
    Target,
    cost,
    in_turns,
    run,
    say,
    write_owners,
    wrk,
)  # fmt: skip
from tests.servers import PREFIX, PostgresServer
from tools.tables import keep, machine, markdown, of_machine, spread

FOLDER = Path(__file__).parent / "fastify"
FIGURES = ROOT / "bench" / "results" / "anchor.json"
WORKS = ("page", "saved", "item", "post")


class Fastify(Bare):
    """The Fastify service on a shop's database, started."""

    def __init__(self, shop: Shop) -> None:
        super().__init__("fastify", shop)

    def command(self, port: int) -> list[Any]:
        return ["node", FOLDER / "server.js", port]

    def settings(self, shop: Shop) -> dict[str, str]:
        own = {"FASTIFY_KEY": seed.KEY, "FASTIFY_STORE": shop.store}
        return own | {"NODE_ENV": "production"}


def install() -> None:
    """Installs the packages of the lock file. better-sqlite3 is compiled with Node's own headers,
    because npm has no compiled one."""
    node = shutil.which("node") or sys.exit("This takes Node.js with npm: apt install npm")
    env = os.environ | {"npm_config_nodedir": str(Path(node).parents[1])}
    if not (FOLDER / "node_modules").exists():
        say("installing what the Fastify service needs")
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=FOLDER, env=env, check=True)


def check_answers(shop: Shop, anchor: Fastify, owner: seed.Owner) -> None:
    """Raises unless both give the same answers to the requests that are measured."""
    headers = {"Authorization": f"Bearer {owner.token}"}
    with httpx2.Client(headers=headers, trust_env=False) as client:
        for path in ("/items", "/items?query=product:7,8,9,1001", f"/items/{owner.item}"):
            ours, theirs = (client.get(f"{at}{path}") for at in (shop.url + PREFIX, anchor.url))
            _compare(path, ours, theirs)
        body = {"productId": 7, "quantity": 70}
        ours, theirs = (
            client.post(f"{at}/items", json=body) for at in (shop.url + PREFIX, anchor.url)
        )
        _compare("POST /items", ours, theirs, varying=("updatedAt",))


def _compare(
    path: str, ours: httpx2.Response, theirs: httpx2.Response, varying: Sequence[str] = ()
) -> None:
    answers = [(one.status_code, one.json()) for one in (ours, theirs)]
    for name in varying:
        for _, answer in answers:
            answer["data"].pop(name)
    if answers[0] != answers[1]:
        raise RuntimeError(f"{path}: {answers[0]} and {answers[1]}")


def measure(
    shop: Shop, anchor: Fastify, floor: Bare, rounds: int, seconds: int
) -> dict[str, list[list[float]]]:
    """Returns per kind of request and round: our, Fastify's and the floor's rate and processor time
    in microseconds."""
    sides: tuple[Target, ...] = (shop, anchor, floor)
    rounds_by_work = {}
    for work in WORKS:
        load = partial(wrk, work=work, seconds=seconds)
        # The first round is discarded: it fills caches and lets V8 compile.
        costs_by_side = in_turns(sides, rounds + 1, lambda side: cost(side, load))  # noqa: B023
        rounds_by_work[work] = [
            [value for rate, used in row for value in (rate, used * 1e6)]
            for row in list(zip(*costs_by_side, strict=True))[1:]
        ]
        say(f"{shop.engine}: {work}")
    return rounds_by_work


def table(record: dict[str, Any]) -> str:
    """Returns the medians of the last run as a Markdown table. A ratio of processor time below 1
    and one of throughput above 1 are in our favour."""
    rows = []
    for engine, works in record["engines"].items():
        for work, rounds in works.items():
            times = [round_costs[1] / round_costs[3] for round_costs in rounds]
            rates = [round_costs[0] / round_costs[2] for round_costs in rounds]
            floors = [
                round_costs[5] / round_costs[3] for round_costs in rounds if len(round_costs) > 4
            ]
            ours, theirs = (
                statistics.median(round_costs[index] for round_costs in rounds) for index in (1, 3)
            )
            cost = f"{ours:.0f}, {theirs:.0f} µs"
            least = spread(floors) if floors else ""
            rows.append([engine, report.NAMES[work], cost, spread(times), spread(rates), least])
    heading = ["Engine", "Request", "Processor time, ours and Fastify's"]
    return markdown(
        [*heading, "Ours / Fastify's, processor time", "throughput", "floor / Fastify's"], rows
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.anchor", description=__doc__)
    parser.add_argument("--again", action="store_true", help="only print the last table")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--profiles", type=int, default=5_000)
    parser.add_argument("--engine", choices=ENGINES, nargs="*", default=list(ENGINES))
    options = parser.parse_args()
    if not options.again:
        if shutil.which("wrk") is None:
            sys.exit("This takes wrk, which Debian has: apt install wrk")
        install()
        engines = {}
        with PostgresServer(fsync=True) as server:
            for engine in options.engine:
                with contextlib.ExitStack() as opened:
                    shop = Shop(ENGINES[engine], server)
                    opened.callback(shop.close)
                    rows, owners = seed.plan(shop.store, options.profiles)
                    shop.insert(rows)
                    anchor = Fastify(shop.serve())
                    opened.callback(anchor.close)
                    check_answers(shop, anchor, owners[0])
                    floor = Bare("floor", shop)
                    opened.callback(floor.close)
                    for target in (shop, anchor, floor):
                        write_owners(target.owners, owners)
                    engines[shop.engine] = measure(
                        shop, anchor, floor, options.rounds, options.seconds
                    )
        keep(FIGURES, {"machine": machine(), "arguments": vars(options), "engines": engines})
    record = json.loads(FIGURES.read_text())
    print(f"{of_machine(record['machine'])}\n\n{table(record)}")


if __name__ == "__main__":
    run(main)
