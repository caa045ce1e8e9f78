"""Requests at a constant rate, alone and beside something that goes on meanwhile."""

import argparse
import statistics
from collections.abc import Callable

from bench.flood import share
from bench.steady import steady
from bench.targets import ENGINES, Shop
from tests.servers import PostgresServer

READERS = 500


def p99(shop: Shop, requests: list[bytes], rate: float) -> float:
    """In milliseconds."""
    return share(steady(shop.url, requests, rate), 0.99)


def compared(alone: list[float], beside: list[float]) -> str:
    """The p99 of each, in milliseconds, and their ratio."""
    idle, busy = statistics.median(alone), statistics.median(beside)
    return (
        f"p99 {idle:.2f} ms alone, {busy:.2f} ms beside it ({busy / idle:.2f} times; alone "
        f"{min(alone):.2f} to {max(alone):.2f}, beside {min(beside):.2f} to {max(beside):.2f})"
    )


def main(
    name: str, about: str | None, records: str, measure: Callable[[Shop, int, float, int], None]
) -> None:
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
            measure(shop, chosen.count, chosen.rate, chosen.rounds)
