"""Old events that go beside traffic: `python -m bench.retention`, some minutes for each engine.

Fills a database with so many events that are older than they are kept, and asks for pages, and
saves one time in ten, at a constant rate: first alone, then while the old events are removed.
Printed are the p99 of both, and how many were removed a second; then, when all are removed, how
long that took.
"""

import json
import time
import uuid

from bench import seed
from bench.client import bearer, request
from bench.meanwhile import Asked, compared, main
from bench.targets import Shop, run, say
from tests.servers import PREFIX, wait_until
from wishwell import ids

BATCH = 100_000
A_PROFILE = 20
"""Events of each profile."""


def fill(shop: Shop, count: int) -> None:
    """So many events of eight days ago, in the feed."""
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


def traffic(owners: list[seed.Owner]) -> list[bytes]:
    """Nine pages for each save of a product that is there, in ever another quantity."""
    requests = []
    for number, owner in enumerate(owners):
        path, headers = f"{PREFIX}/items", bearer(owner.token)
        requests += [request("GET", path, headers)] * 9
        body = {"productId": number % 30 + 1, "quantity": number % 99 + 1}
        requests.append(request("POST", path, headers, body))
    return requests


def measure(asked: Asked, count: int) -> None:
    shop = asked.shop
    fill(shop, count)
    requests = traffic(asked.owners)
    shop.serve()
    time.sleep(6)  # until every process knows that the store tells events
    next(asked.p99s(requests))  # the first one warms
    alone = list(asked.p99s(requests))

    def removed() -> int:
        return int(shop.number("SELECT removed FROM feeds"))

    if removed():
        raise RuntimeError("the removal began within the first minute: take fewer rounds")
    wait_until(lambda: removed() > 0, seconds=120, every=0.5)
    began, before = time.monotonic(), removed()
    beside = []
    for p99 in asked.p99s(requests):
        beside.append(p99)
        if removed() == count:
            break
    speed = (removed() - before) / (time.monotonic() - began)
    say(
        f"{shop.engine:10} {count:,} events, {compared(alone, beside)}; {speed:,.0f} removed a "
        "second"
    )
    if removed() == count:
        say("  all were removed before the requests ended: take more events")
    wait_until(lambda: removed() == count, seconds=10_800, every=1)
    took = time.monotonic() - began
    shop.stop()
    left = shop.number(f"SELECT count(*) FROM events WHERE number <= {count}")
    say(f"{shop.engine:10} {took:,.0f} s in all; {left:.0f} left")


if __name__ == "__main__":
    run(lambda: main("retention", __doc__, "events", measure))
