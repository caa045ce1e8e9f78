"""Request latency at a constant rate, alone and during background work.

``python -m bench.meanwhile notices`` emits a price drop for a great many items, half an hour per
engine. ``retention`` removes a great many expired events, some minutes. Prints the p99 of page
requests (in the second, one in ten is a save) alone and during the work, the notices or removals a
second, and whether all were done exactly once.
"""

import argparse
import functools
import json
import statistics
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench import seed
from bench.client import Raw, bearer, request
from bench.flood import share
from bench.steady import steady
from bench.targets import ENGINES, Shop, run, say
from tests.servers import PREFIX, PostgresServer, wait_until
from wishwell import ids

READERS = 500
BATCH = 10_000
PRODUCT = 7777
A_PROFILE = 20
"""Events per profile."""


class Notices:
    """A price drop of a product in ``count`` profiles' items."""

    done = "SELECT count(*) FROM events"
    wrong = "SELECT count(*) - count(DISTINCT profile_id) FROM events"

    def __init__(self, shop: Shop, count: int) -> None:
        self._shop = shop
        for begin in range(0, count, BATCH):
            numbers = range(begin, min(begin + BATCH, count))
            gids = [f"gid://shopify/Customer/w{number}" for number in numbers]
            shop.insert(seed.joined(seed.profile(shop.store, gid, [PRODUCT]) for gid in gids))

    def requests(self, owners: list[seed.Owner]) -> list[bytes]:
        return [request("GET", f"{PREFIX}/items", bearer(owner.token)) for owner in owners]

    def serve(self) -> None:
        self._shop.serve()
        self._put("100")

    def begin(self) -> None:
        self._put("80")

    def _put(self, amount: str) -> None:
        price = {"amount": amount, "currency": "EUR"}
        Raw(self._shop.url, self._shop.admin).ask("PUT", f"/products/{PRODUCT}", {"price": price})


class Retention:
    """``count`` events in the feed that are eight days old."""

    done = "SELECT removed FROM feeds"
    wrong = "SELECT count(*) FROM events e JOIN feeds f ON e.number <= f.removed"

    def __init__(self, shop: Shop, count: int) -> None:
        self._shop = shop
        at = ids.timestamp(ids.wall_clock() - 8 * 86_400_000)
        data = json.dumps({"item": {"id": ids.random_uuid(), "note": "n" * 250}})
        what = ("item.updated", at, "gid://shopify/Customer/old", data)
        for begin in range(0, count, BATCH):
            rows = []
            for number in range(begin, min(begin + BATCH, count)):
                if number % A_PROFILE == 0:
                    profile = str(uuid.uuid4())
                rows.append((profile, number % A_PROFILE + 1, shop.store, number + 1, *what))
            shop.insert({"events": rows})
        shop.insert({"feeds": [(shop.store, count, count, 0)]})

    def requests(self, owners: list[seed.Owner]) -> list[bytes]:
        """Returns nine page requests for each save, which changes an item's quantity every time."""
        requests = []
        for number, owner in enumerate(owners):
            path, headers = f"{PREFIX}/items", bearer(owner.token)
            requests += [request("GET", path, headers)] * 9
            body = {"productId": number % 30 + 1, "quantity": number % 99 + 1}
            requests.append(request("POST", path, headers, body))
        return requests

    def serve(self) -> None:
        self._shop.serve()
        time.sleep(6)  # until every process sees that the store's events are on

    def begin(self) -> None:
        """Waits for the removal, which starts a minute after the service."""
        if self._shop.number(self.done):
            raise RuntimeError("the removal began within the first minute: take fewer rounds")
        wait_until(lambda: self._shop.number(self.done) > 0, seconds=120, every=0.5)


WORKS: dict[str, type[Notices | Retention]] = {"notices": Notices, "retention": Retention}


class Asked(NamedTuple):
    """A shop, its owners, and the rate and rounds of requests."""

    shop: Shop
    owners: list[seed.Owner]
    rate: float
    rounds: int

    def p99s(self, requests: list[bytes]) -> Iterator[float]:
        """Yields each round's p99 in milliseconds."""
        for _ in range(self.rounds):
            yield share(steady(self.shop.url, requests, self.rate), 0.99)


def compared(alone: list[float], beside: list[float]) -> str:
    """Formats both median p99s in milliseconds, and their ratio."""
    idle, busy = statistics.median(alone), statistics.median(beside)
    return (
        f"p99 {idle:.2f} ms alone, {busy:.2f} ms beside it ({busy / idle:.2f} times; alone "
        f"{min(alone):.2f} to {max(alone):.2f}, beside {min(beside):.2f} to {max(beside):.2f})"
    )


def measure(work: str, load: Asked, count: int) -> None:
    shop, meanwhile = load.shop, WORKS[work](load.shop, count)
    requests = meanwhile.requests(load.owners)
    meanwhile.serve()
    next(load.p99s(requests))  # the first one warms up
    alone = list(load.p99s(requests))
    meanwhile.begin()
    began = time.monotonic()
    beside = list(load.p99s(requests))
    done = shop.number(meanwhile.done)
    if done >= count:
        say("  all was done before the requests ended: take more")
    speed = done / (time.monotonic() - began)
    say(f"{shop.engine:10} {count:,} {work}, {compared(alone, beside)}; {speed:,.0f} a second")
    wait_until(lambda: shop.number(meanwhile.done) >= count, seconds=10_800, every=1)
    took = time.monotonic() - began
    shop.stop()
    say(f"{shop.engine:10} {took:,.0f} s in all; {shop.number(meanwhile.wrong):.0f} wrong")


def main(name: str, about: str | None, records: str, measure: Callable[[Asked, int], None]) -> None:
    """Measures with the given number of records, on one engine after the other."""
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


def command() -> None:
    work = sys.argv.pop(1) if sys.argv[1:] else ""
    if work not in WORKS:
        sys.exit(
            f"Usage: python -m bench.meanwhile {'|'.join(WORKS)} [--count N] [--engine ENGINE]"
        )
    main(f"meanwhile {work}", __doc__, "count", functools.partial(measure, work))


if __name__ == "__main__":
    run(command)
