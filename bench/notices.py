"""A price drop that very many wish for: `python -m bench.notices`, half an hour for each engine.

Fills a database with so many wishes for one product, and reads pages of others at a constant rate:
first alone, then while the drop is told, then alone again. Printed are the p99 of each, and how
long the telling took. The service is killed twice on the way, and at the end each profile must
have been told exactly once.
"""

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg

from bench import seed
from bench.client import PREFIX, Raw
from bench.single import Deployment, deploy, insert
from bench.steady import _request, steady
from bench.targets import Target, run, stop
from tests.servers import PostgresServer
from tests.servers.base import mind
from wishwell import app, config, ids, stores

BATCH = 100_000
READERS = 500
SECONDS = 6
"""Of each run of reads."""


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


async def events_on(place: Deployment) -> None:
    db = app.open_database(config.load({"WISHWELL_DATABASE_URL": place.url}))
    patch = stores.StorePatch(events=True)
    await db.write(stores.update, "bench", patch, ids.timestamp(ids.wall_clock()))
    await db.close()


def ask(place: Deployment, sql: str) -> Any:
    """The one value of a statement."""
    if place.engine == "SQLite":
        with sqlite3.connect(config.sqlite_path(place.url)) as connection:
            return connection.execute(sql).fetchone()[0]

    async def value() -> Any:
        connection = await asyncpg.connect(place.url)
        found = await connection.fetchval(sql)
        await connection.close()
        return found

    return asyncio.run(value())


def put(target: Target, place: Deployment, amount: str) -> None:
    price = {"amount": amount, "currency": "EUR"}
    Raw(target.url, place.admin).ask("PUT", "/products/7777", {"price": price})


def p99(target: Target, reads: list[bytes], rate: float) -> float:
    times = steady(target.url, reads, rate, SECONDS)
    return times[int(len(times) * 0.99)] * 1000


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
    for share in (0.3, 0.6):
        while ask(place, "SELECT count(*) FROM events") < share * count:
            time.sleep(1)
        kill(target)
        target = place.serve()
    while ask(place, "SELECT count(*) FROM products WHERE noticed_at IS NOT NULL"):
        time.sleep(1)
    took = time.monotonic() - began
    after = [p99(target, reads, rate) for _ in range(rounds)]
    stop(target)
    made = ask(place, "SELECT count(*) FROM events")
    of = ask(place, "SELECT count(DISTINCT profile_id) FROM events")
    idle = statistics.median([*alone, *after])
    print(
        f"{place.engine:10} {count:,} wishes, {rate:,.0f} reads a second: p99 {idle:.2f} ms alone, "
        f"{statistics.median(beside):.2f} ms beside it "
        f"({statistics.median(beside) / idle:.2f} times; alone {spread(alone + after)}, beside "
        f"{spread(beside)}); {speed:,.0f} told a second, {took:,.0f} s in all over two kills; "
        f"{made:,} events of {of:,} profiles: {'right' if made == of == count else 'WRONG'}",
        flush=True,
    )


def spread(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.notices", description=__doc__)
    words.add_argument("--wishes", type=int, default=1_000_000)
    words.add_argument("--rate", type=float, default=300, help="reads a second")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--engine", choices=("SQLite", "PostgreSQL"), action="append")
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as name, PostgresServer(fsync=True) as server:
        for engine in chosen.engine or ["PostgreSQL", "SQLite"]:
            place = deploy(engine, Path(name) / engine, server)
            measure(place, chosen.wishes, chosen.rate, chosen.rounds)


if __name__ == "__main__":
    run(main)
