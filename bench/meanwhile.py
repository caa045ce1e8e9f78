"""Requests at a constant rate, alone and beside what goes on in the background.

``python -m bench.meanwhile notices`` tells a price drop to very many who wish for the product, half
an hour for each engine. ``retention`` removes very many events that are older than they are kept,
some minutes. Printed are the p99 of pages, of which the second one saves one time in ten, alone and
beside it; how many were told or removed a second; and whether in the end all was, once.
"""

import argparse
import json
import statistics
import time
import uuid
from collections.abc import Iterator

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
"""Events of each profile."""


class Notices:
    """A drop that so many profiles hear of."""

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
    """So many events of eight days ago, in the feed."""

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
        """Nine pages for each save of a product that is there, in ever another quantity."""
        requests = []
        for number, owner in enumerate(owners):
            path, headers = f"{PREFIX}/items", bearer(owner.token)
            requests += [request("GET", path, headers)] * 9
            body = {"productId": number % 30 + 1, "quantity": number % 99 + 1}
            requests.append(request("POST", path, headers, body))
        return requests

    def serve(self) -> None:
        self._shop.serve()
        time.sleep(6)  # until every process knows that the store tells events

    def begin(self) -> None:
        """It begins by itself, a minute after the start."""
        if self._shop.number(self.done):
            raise RuntimeError("the removal began within the first minute: take fewer rounds")
        wait_until(lambda: self._shop.number(self.done) > 0, seconds=120, every=0.5)


WORKS: dict[str, type[Notices | Retention]] = {"notices": Notices, "retention": Retention}


def measure(shop: Shop, work: str, count: int, rate: float, rounds: int) -> None:
    rows, owners = seed.plan(shop.store, READERS)
    shop.insert(rows)
    meanwhile = WORKS[work](shop, count)
    requests = meanwhile.requests(owners)

    def p99s() -> Iterator[float]:
        """Of each round, in milliseconds."""
        for _ in range(rounds):
            yield share(steady(shop.url, requests, rate), 0.99)

    meanwhile.serve()
    next(p99s())  # the first one warms
    alone = list(p99s())
    meanwhile.begin()
    began = time.monotonic()
    beside = list(p99s())
    speed = shop.number(meanwhile.done) / (time.monotonic() - began)
    if shop.number(meanwhile.done) >= count:
        say("  all was done before the requests ended: take more")
    idle, busy = statistics.median(alone), statistics.median(beside)
    say(
        f"{shop.engine:10} {count:,} {work}, p99 {idle:.2f} ms alone, {busy:.2f} ms beside "
        f"({busy / idle:.2f} times; {min(beside):.2f} to {max(beside):.2f}); {speed:,.0f} a second"
    )
    wait_until(lambda: shop.number(meanwhile.done) >= count, seconds=10_800, every=1)
    took = time.monotonic() - began
    shop.stop()
    say(f"{shop.engine:10} {took:,.0f} s in all; {shop.number(meanwhile.wrong):.0f} wrong")


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.meanwhile", description=__doc__)
    words.add_argument("work", choices=WORKS)
    words.add_argument("--count", type=int, default=1_000_000)
    words.add_argument("--rate", type=float, default=300, help="requests a second")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--engine", choices=ENGINES.values(), nargs="+", default=ENGINES.values())
    given = words.parse_args()
    with PostgresServer(fsync=True) as server:
        for engine in given.engine:
            shop = Shop(engine, server, options=("--events", "on"))
            measure(shop, given.work, given.count, given.rate, given.rounds)


if __name__ == "__main__":
    run(main)
