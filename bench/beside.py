"""Compares this program with an earlier version from another checkout.

``python -m bench.beside ../before`` fills a database of each through the API, and sends both 200
requests in turn. For each engine and workload it prints the other's CPU time (database included)
and latency per request as a share of this one's: the medians over all pairs of turns. Turns are
short, so another busy program affects both. ``--events`` turns events on in this one's store;
without another checkout it is compared with itself. ``make bench-quick`` fails below 0.93 of the
CPU time.
"""

import argparse
import contextlib
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench import seed
from bench.client import Raw
from bench.targets import ENGINES, OURS, Shop, Source, processor, run, say
from tests.servers import PostgresServer
from tools.tables import spread
from wishwell import ids

_LINES, _VOLLEYS = 8, 25
"""Connections, and requests per connection in a turn."""
_FEWEST = 21
"""Least number of pairs of turns, on however slow a machine."""


def _change() -> dict[str, int]:
    """Returns another quantity each time, because a change without effect costs less."""
    return {"quantity": random.randint(1, 10**6)}


WORKS: dict[str, Callable[[seed.Owner], tuple[str, str, Any]]] = {
    "page": lambda _: ("GET", "/items", None),
    "page-product": lambda _: ("GET", "/items?include=product", None),
    "saved": lambda _: ("GET", "/items?query=product:7,8,9,1001", None),
    "item": lambda owner: ("GET", f"/items/{owner.item}", None),
    "list": lambda owner: ("GET", f"/lists/{owner.list}", None),
    "post": lambda _: ("POST", "/items", {"productId": random.randint(1, 30)} | _change()),
    "post-product": lambda _: (
        "POST",
        "/items?include=product",
        {"productId": random.randint(1, 30)} | _change(),
    ),
    "patch": lambda owner: ("PATCH", f"/items/{owner.item}", _change()),
    "lists": lambda owner: (
        "PUT",
        f"/items/{owner.item}/lists",
        {"listIds": random.choice(([], [owner.list]))},
    ),
    "put": lambda _: (
        "PUT",
        "/items",
        {"items": [{"productId": number} | _change() for number in range(1, seed.ITEMS + 1)]},
    ),
    "new": lambda _: ("POST", "/items", {"productId": random.randint(1_000, 10**9)}),
    "newlist": lambda _: ("POST", "/lists", {"name": "Another"}),
    "shared": lambda owner: ("GET", f"/shared/{owner.share}", None),
    "token": lambda _: ("POST", "/profiles/token", {"customer": "gid://shopify/Customer/1"}),
}


def fill(shop: Shop, profiles: int) -> list[seed.Owner]:
    """Makes products, and ``profiles`` profiles with 30 items on one list, interleaved as in a real
    shop."""
    facts = {"title": "A shirt of linen", "url": "https://shop.example/products/a-shirt-of-linen"}
    facts |= {"image": "https://images.shop.example/files/a-shirt-of-linen.jpg"}
    products = [{"productId": number} | facts for number in range(1, seed.ITEMS + 1)]
    admin = Raw(shop.url, shop.admin)
    admin.ask("PUT", "/products", {"products": products})
    admin.close()

    def some(part: range) -> list[seed.Owner]:
        gids = [f"gid://shopify/Customer/c{number}" for number in part]
        tokens = [seed.token(shop.store, gid) for gid in gids]
        lists, shares, items = [], [], [""] * len(part)
        client = Raw(shop.url, "")
        for client.token in tokens:
            made, _ = client.ask("POST", "/lists", {"name": "Wishes"})
            lists.append(made["data"]["id"])
            shared, _ = client.ask("POST", f"/lists/{lists[-1]}/shares", {})
            shares.append(shared["data"]["token"])
        for product in range(1, seed.ITEMS + 1):
            for at, client.token in enumerate(tokens):
                body = {"productId": product, "listIds": [lists[at]]}
                item, _ = client.ask("POST", "/items", body)
                items[at] = item["data"]["id"]
        client.close()
        keys = [ids.profile_key(shop.store, gid) for gid in gids]
        return list(map(seed.Owner, tokens, keys, items, lists, shares))

    with ThreadPoolExecutor(8) as threads:
        parts = threads.map(some, [range(at, profiles, 8) for at in range(8)])
        return [owner for owners in parts for owner in owners]


class Side:
    """A program, filled and running."""

    def __init__(self, shop: Shop, profiles: int) -> None:
        self.shop = shop.serve()
        self._owners = fill(shop, profiles)

    def turn(self, work: str) -> tuple[float, float]:
        """Runs a turn; returns CPU seconds (database included) and seconds per request."""
        # New connections, because those of the last turn may have been closed as idle.
        lines = [Raw(self.shop.url, "") for _ in range(_LINES)]
        used, began = processor(self.shop), time.perf_counter()
        for _ in range(_VOLLEYS):
            for line in lines:
                owner = random.choice(self._owners)
                line.token = self.shop.admin if work == "token" else owner.token
                line.send(*WORKS[work](owner))
            for line in lines:
                answered = line.read()
                if answered.status not in (200, 201):
                    raise RuntimeError(f"{work}: {answered}")
        count = _VOLLEYS * _LINES
        took = (processor(self.shop) - used) / count, (time.perf_counter() - began) / count
        for line in lines:
            line.close()
        return took


@contextlib.contextmanager
def programs(
    sources: list[Source], profiles: int, engine: str, *, events: bool
) -> Iterator[list[Side]]:
    """Starts each source's program on an engine, with separate PostgreSQL servers."""
    with contextlib.ExitStack() as opened:
        sides = []
        for source in sources:
            server = None
            if engine == "PostgreSQL":
                server = opened.enter_context(PostgresServer(fsync=True))
            options = ["--events", "on"] if events and not sides else []
            shop = opened.enter_context(Shop(engine, server, source, options))
            sides.append(Side(shop, profiles))
        yield sides


def shares(sides: list[Side], work: str, seconds: float) -> list[tuple[float, float]]:
    """Returns the other's CPU time and latency as shares of ours, per pair of turns."""
    for side in sides:
        side.turn(work)  # prepares statements
    pairs: list[tuple[float, float]] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until or len(pairs) < _FEWEST:
        order = (0, 1) if len(pairs) % 2 else (1, 0)
        took = {at: sides[at].turn(work) for at in order}
        pairs.append((took[1][0] / took[0][0], took[1][1] / took[0][1]))
    return pairs


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.beside", description=__doc__)
    words.add_argument("before", type=Path, nargs="?", help="the checkout of the other program")
    words.add_argument("--events", action="store_true")
    words.add_argument("--least", type=float, default=0, help="of the processor time, or it fails")
    words.add_argument("--seconds", type=float, default=18, help="for each workload and engine")
    words.add_argument("--profiles", type=int, default=100)
    words.add_argument("--engine", choices=ENGINES.values(), nargs="+", default=ENGINES.values())
    words.add_argument("--work", choices=WORKS, nargs="+", default=list(WORKS))
    chosen = words.parse_args()
    other, low = OURS, []
    if chosen.before:  # the other's program is in its .venv
        folder = chosen.before.absolute()
        python = folder / ".venv" / "bin" / "python"
        other = Source(folder, str(python) if python.exists() else sys.executable)
    for engine in chosen.engine:
        with programs([OURS, other], chosen.profiles, engine, events=chosen.events) as sides:
            for work in chosen.work:
                pairs = shares(sides, work, chosen.seconds)
                processors, times = zip(*pairs, strict=True)
                say(f"{engine:10} {work:12} processor {spread(processors)}, time {spread(times)}")
                if statistics.median(processors) < chosen.least:
                    low.append(f"{work} on {engine}")
    sys.exit(f"less than {chosen.least} of the processor time: {', '.join(low)}" if low else 0)


if __name__ == "__main__":
    run(main)
