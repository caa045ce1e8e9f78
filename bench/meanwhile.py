"""Requests at a constant rate, alone and beside something that goes on meanwhile."""

import argparse
import statistics
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench import seed
from bench.flood import share
from bench.steady import steady
from bench.targets import ENGINES, Shop
from tests.servers import PostgresServer

READERS = 500


class Asked(NamedTuple):
    """A shop with some owners, and how it is asked."""

    shop: Shop
    owners: list[seed.Owner]
    rate: float
    rounds: int

    def p99s(self, requests: list[bytes]) -> Iterator[float]:
        """Of each round, in milliseconds."""
        for _ in range(self.rounds):
            yield share(steady(self.shop.url, requests, self.rate), 0.99)


def compared(alone: list[float], beside: list[float]) -> str:
    """The p99 of each, in milliseconds, and their ratio."""
    idle, busy = statistics.median(alone), statistics.median(beside)
    return (
        f"p99 {idle:.2f} ms alone, {busy:.2f} ms beside it ({busy / idle:.2f} times; alone "
        f"{min(alone):.2f} to {max(alone):.2f}, beside {min(beside):.2f} to {max(beside):.2f})"
    )


def main(name: str, about: str | None, records: str, measure: Callable[[Asked, int], None]) -> None:
    """Measures with so many records, on one engine after the other."""
    words = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=about)
    words.add_argument(f"--{records}", dest="count", type=int, default=1_000_000)
    words.add_argument("--rate", type=float, default=300, help="requests a second")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--engine", choices=ENGINES.values(), action="append")
    chosen = words.parse_args()
    with PostgresServer(fsync=True) as server:
        for engine in chosen.engine or ENGINES.values():
            shop = Shop(engine, server, options=("--events", "on"))
            rows, owners = seed.plan(shop.store, READERS)
            shop.insert(rows)
            measure(Asked(shop, owners, chosen.rate, chosen.rounds), chosen.count)
