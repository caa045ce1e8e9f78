"""A price drop that very many wish for: `python -m bench.notices`, half an hour for each engine.

Fills a database with so many wishes for one product, and reads pages of others at a constant rate:
first alone, then while the drop is told. Printed are the p99 of both; then, how long the telling
took. The service is killed twice on the way, and at the end each profile must have been told
exactly once.
"""

import asyncio
import time
from collections.abc import Iterator

from bench import seed
from bench.client import PREFIX, Raw
from bench.meanwhile import READERS, ask, compared, events_on, main, p99
from bench.single import Deployment, insert
from bench.steady import _request
from bench.targets import Target, run, stop
from tests.servers.base import mind
from wishwell import ids

BATCH = 100_000


def wishes(store: str, count: int) -> Iterator[seed.Rows]:
    """So many profiles with an item of product 7 each, in batches."""
    new_id, now = ids.UUID7(), ids.timestamp(ids.wall_clock())
    for begin in range(0, count, BATCH):
        rows: seed.Rows = {table: [] for table in seed.COLUMNS}
        for number in range(begin, min(begin + BATCH, count)):
            gid = f"gid://shopify/Customer/w{number}"
            profile = ids.profile_key(store, gid)
            rows["profiles"].append((profile, store, gid, 0, 1, 0, now, now))
            rows["items"].append((profile, new_id(), store, "7777", "", 1, "", "", "", now, now))
        yield rows


def put(target: Target, place: Deployment, amount: str) -> None:
    price = {"amount": amount, "currency": "EUR"}
    Raw(target.url, place.admin).ask("PUT", "/products/7777", {"price": price})


def kill(target: Target) -> None:
    target.process.kill()
    target.process.wait()
    mind("forget", target.process.pid)


def measure(place: Deployment, count: int, rate: float, rounds: int) -> None:
    rows, owners = seed.plan(place.store, READERS)
    insert(place, rows)
    for batch in wishes(place.store, count):
        insert(place, batch)
    asyncio.run(events_on(place))
    reads = [_request(f"{PREFIX}/items", f"Authorization: Bearer {o.token}") for o in owners]
    target = place.serve()
    put(target, place, "100")
    p99(target, reads, rate)  # the first one warms
    alone = [p99(target, reads, rate) for _ in range(rounds)]
    put(target, place, "80")
    began = time.monotonic()
    time.sleep(1)
    beside = [p99(target, reads, rate) for _ in range(rounds)]
    told = ask(place, "SELECT count(*) FROM events")
    if told >= count:
        print("  all was told before the reads ended: take more wishes")
    speed = told / (time.monotonic() - began)
    print(
        f"{place.engine:10} {count:,} wishes, {compared(alone, beside)}; {speed:,.0f} told a second",
        flush=True,
    )
    for share in (0.3, 0.6):
        while ask(place, "SELECT count(*) FROM events") < share * count:
            time.sleep(1)
        kill(target)
        target = place.serve()
    while ask(place, "SELECT count(*) FROM products WHERE noticed_at IS NOT NULL"):
        time.sleep(1)
    took = time.monotonic() - began
    stop(target)
    made = ask(place, "SELECT count(*) FROM events")
    of = ask(place, "SELECT count(DISTINCT profile_id) FROM events")
    right = "right" if made == of == count else "WRONG"
    print(
        f"{place.engine:10} {took:,.0f} s in all over two kills; {made:,} events of {of:,} profiles: "
        f"{right}",
        flush=True,
    )


if __name__ == "__main__":
    run(lambda: main("notices", __doc__, "wishes", measure))
