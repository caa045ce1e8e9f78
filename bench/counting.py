"""Measures counting for reports: `python -m bench.counting`, half an hour per engine for 20 million
items.

Fills a store directly: 20 items a profile, of 100,000 products in two variants each. Counts it as
the service does, without pauses, and compares each number with a naive count. Then requests pages
at a constant rate, alternately before the service's count begins and during it, and alone and next
to ten concurrent reports. Those use a store where a tenth of 100,000 products changed on each of 30
days. It also measures the rows of 1,000 products that change daily for 760 days.

``--stores 85 --items 63000`` instead measures how old the counts of many stores are: a third of the
items is in one store, and the others are equal. ``--busy 4`` adds processes that never wait;
``--source FOLDER`` runs the service of another checkout. ``--simulate DAYS`` calculates it.
"""

import argparse
import asyncio
import contextlib
import datetime
import heapq
import json
import math
import multiprocessing
import random
import sqlite3
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import seed
from bench.client import bearer, request
from bench.flood import share
from bench.steady import steady
from bench.targets import (
    ENGINES,
    OURS,
    STORE,
    Shop,
    Source,
    in_turns,
    run,
    say,
    with_children,
)
from tests.servers import PREFIX, PostgresServer
from wishwell import ids, stores
from wishwell.db import Database
from wishwell.db.clock import ReferenceClock
from wishwell.db.postgres.database import Postgres
from wishwell.db.sqlite.database import SQLite
from wishwell.fairness.fair_queue import FairQueue, Flow
from wishwell.reports import counting, scheduling, tally

PRODUCTS, READERS = 100_000, 500
FIRST_SECONDS = 32
"""Seconds after the start before the service first polls for something to count."""

INDEXES = {
    "items_store_idx": "items (store_id, id)",
    "items_store_product_idx": "items (store_id, product_id, id)",
    "items_store_variant_idx": "items (store_id, variant_id, id) WHERE variant_id <> ''",
}


def write(shop: Shop, *statements: str) -> None:
    for statement in statements:
        if shop.server:
            if statement.startswith("INSERT"):  # skips triggers and foreign key checks
                statement = f"SET session_replication_role = replica; {statement}"
            shop.server.sql(statement, shop.database.rpartition("/")[2])
            continue
        connection = sqlite3.connect(shop.folder / "wishwell.db", isolation_level=None)
        with contextlib.closing(connection):
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA cache_size = -500000")
            connection.execute(statement)


def numbers(count: int) -> str:
    return f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {count} - 1)"


def fill(shop: Shop, count: int) -> None:
    """Inserts ``count`` items; indexes are created afterwards, which is faster."""

    def uuid(number: str) -> str:
        text = f"'00000000-0000-7000-8000-' || substr(CAST(1000000000000 + {number} AS text), 2)"
        return f"({text})::uuid" if shop.server else text

    now, columns = (
        seed.now(),
        {name: names.replace(" ", ", ") for name, names in seed.COLUMNS.items()},
    )
    write(
        shop,
        *(f"DROP INDEX {name}" for name in INDEXES),
        f"INSERT INTO profiles ({columns['profiles']}) {numbers(count // 20)} SELECT {uuid('i')}, "
        f"'{shop.store}', 'gid://shopify/Customer/filled-' || i, i % 2, 20, 0, '{now}', '{now}' "
        "FROM n",
        f"INSERT INTO items ({columns['items']}) {numbers(count)} SELECT {uuid('(i / 20)')}, "
        f"{uuid('i')}, '{shop.store}', CAST(1000000 + i % {PRODUCTS} * 7919 % {PRODUCTS} AS text), "
        f"CAST(i / 7 % 2 AS text), 1, '', '', '', '{now}', '{now}' FROM n",
        *(f"CREATE INDEX {name} ON {what}" for name, what in INDEXES.items()),
        "VACUUM ANALYZE" if shop.server else "ANALYZE",
    )


def fill_days(shop: Shop, store: str, products: int, days: int, interval_days: int) -> None:
    """Inserts the counts of ``days`` days until today; each product changes every ``interval_days`` days."""
    today, began = datetime.datetime.now(datetime.UTC).date().isoformat(), seed.now()
    counts = ", ".join(
        f"('{store}', '{tally.following(today, number - days)}', {number}, '{began}', "
        f"'{began}', 9, 0, 9, 9, 0, 0, '')"
        for number in range(1, days + 1)
    )
    write(
        shop,
        f"INSERT INTO counts (store_id, {', '.join(tally.Count._fields)}) VALUES {counts}",
        "INSERT INTO wish_counts (store_id, since, until, product_id, variant_id, customers, "
        f"visitors, added) {numbers(products * days // interval_days)} SELECT '{store}', at, CASE WHEN "
        f"at + {interval_days} > {days} THEN {tally.FOREVER} ELSE at + {interval_days} END, "
        f"CAST(1000000 + product AS text), '', at + product % 50, 3, at FROM (SELECT "
        f"i % {products} AS product, i / {products} * {interval_days} + i % {interval_days} + 1 AS at FROM n) x",
        "VACUUM ANALYZE wish_counts" if shop.server else "ANALYZE wish_counts",
    )


def size(shop: Shop) -> float:
    if shop.server:
        return shop.number("SELECT pg_total_relation_size('wish_counts')")
    return shop.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")


@contextlib.contextmanager
def reports(ask: Callable[[], float], count: int) -> Iterator[None]:
    """Requests reports from ``count`` threads during a block, in a separate process because one
    that shared the interpreter would slow the page requests."""

    def again() -> None:
        while True:
            ask()

    def all_ask() -> None:
        for asker in [threading.Thread(target=again) for _ in range(count)]:
            asker.start()

    asking = multiprocessing.get_context("fork").Process(target=all_ask)
    asking.start()
    try:
        yield
    finally:
        asking.kill()
        asking.join()


def opened(shop: Shop) -> Database:
    if shop.server:
        return Postgres(shop.database, connections=2, seconds=60)
    return SQLite(str(shop.folder / "wishwell.db"))


async def count(shop: Shop, handle: str = STORE) -> tuple[float, float]:
    """Returns a count's CPU seconds, database included, and the median seconds of a step."""
    db = opened(shop)
    [store] = [store for store in await db.read(stores.listed) if store.handle == handle]
    database = [shop.server.process.pid] if shop.server else []

    def used() -> float:
        return time.process_time() + sum(map(with_children, database))

    before, steps = used(), list[float]()
    ended = time.perf_counter()
    async for _ in counting.run(db, store, ReferenceClock(ids.wall_clock)):
        began, ended = ended, time.perf_counter()
        steps.append(ended - began)
    took = used() - before
    await db.close()
    return took, statistics.median(steps)


def check(shop: Shop) -> None:
    """Compares the stored count with a naive one."""
    expected_sql = (
        "SELECT i.product_id, i.variant_id, sum(1 - p.is_session), sum(p.is_session) FROM items i "
        f"JOIN profiles p ON p.profile_id = i.profile_id WHERE i.store_id = '{shop.store}' "
        "GROUP BY i.product_id, i.variant_id"
    )
    stored_sql = (
        "SELECT product_id, variant_id, customers, visitors FROM wish_counts "
        f"WHERE store_id = '{shop.store}'"
    )
    for minuend, subtrahend in ((expected_sql, stored_sql), (stored_sql, expected_sql)):
        if wrong := shop.number(f"SELECT count(*) FROM ({minuend} EXCEPT {subtrahend}) x"):
            raise RuntimeError(f"{wrong:,.0f} products are counted wrong")


def compared(alone: list[float], beside: list[float]) -> str:
    idle, busy = statistics.median(alone), statistics.median(beside)
    spread = f"{min(alone):.1f} to {max(alone):.1f}, {min(beside):.1f} to {max(beside):.1f}"
    return f"p99 {idle:.2f} ms alone, {busy:.2f} ms beside it ({busy / idle:.2f} times; {spread})"


def measure(shop: Shop, items: int, rate: float, rounds: int) -> None:
    rows, owners = seed.plan(shop.store, READERS)
    shop.insert(rows)
    fill(shop, items)
    days, months = (json.loads(shop.quick("store", "create", n, "--json"))[0]["id"] for n in "dm")
    fill_days(shop, days, PRODUCTS, 30, 10)
    before = size(shop)
    fill_days(shop, months, 1_000, 760, 1)
    say(f"{shop.engine}: {items:,} items")
    say(f"  1,000 products that change daily, 760 days: {(size(shop) - before) / 2**20:.0f} MiB")
    used, step = asyncio.run(count(shop))
    check(shop)
    say(f"  a count is exact: {used:.0f} s of processor time, {step * 1000:.1f} ms a step")
    requests = [request("GET", f"{PREFIX}/items", bearer(owner.token)) for owner in owners]
    token = shop.create_token("d")

    def p99() -> float:
        return share(steady(shop.url, requests, rate), 0.99)

    alone, beside = list[float](), list[float]()
    for _ in range(rounds):  # each start of the service begins a count
        write(shop, f"DELETE FROM counts WHERE store_id = '{shop.store}'")
        first_turn = time.monotonic() + FIRST_SECONDS
        shop.serve()
        p99()  # warms up
        alone += [p99(), p99()]
        time.sleep(max(0, first_turn - time.monotonic()))
        beside += [p99(), p99()]
        if counted := shop.number(f"SELECT count(*) FROM counts WHERE store_id = '{shop.store}'"):
            say(f"  {counted} count ended meanwhile: take more items")
        shop.stop()
    say(f"  pages, counting: {compared(alone, beside)}")
    shop.serve()

    def report() -> float:
        with shop.client(token) as client:
            began = time.perf_counter()
            client.get("/reports/products", params={"limit": 250}).raise_for_status()
            return (time.perf_counter() - began) * 1000

    times = statistics.median(report() for _ in range(11))
    say(f"  a report of {PRODUCTS:,} products and 30 days: {times:.0f} ms")

    def turn(count: int) -> float:
        with reports(report, count):
            return p99()

    say(f"  pages, ten reports at once: {compared(*in_turns((0, 10), rounds, turn))}")
    shop.close()


async def add_stores(shop: Shop, sizes: list[int]) -> None:
    """Adds a store for each number of wishes, in profiles of 20."""
    db = opened(shop)
    for number, size in enumerate(sizes):
        new = f"00000000-0000-7000-9000-{number:012}", f"store-{number}", stores.StorePatch()
        store = await db.write(stores.create, *new, seed.now())
        parts = [
            seed.profile(
                store.id,
                f"gid://shopify/{'Customer' if at % 40 else 'Session'}/{at}",
                range(at * 7 % 1_000, at * 7 % 1_000 + min(20, size - at)),
            )
            for at in range(0, size, 20)
        ]
        await asyncio.to_thread(seed.insert, shop.database, seed.joined(parts), analyze=not number)
    await db.close()


def burn() -> None:
    while True:
        pass


def ages(shop: Shop, number: int, minutes: float, busy: int) -> None:
    """Says how old the oldest of the stores' counts is, during the minutes after a start."""
    last = (
        "SELECT {} FROM (SELECT max(began_at) AS began, max(number) AS number FROM counts c "
        "JOIN stores s ON s.id = c.store_id WHERE handle LIKE 'store-%' GROUP BY store_id) x"
    )
    processes = [multiprocessing.get_context("fork").Process(target=burn) for _ in range(busy)]
    write(shop, "DELETE FROM counts", "DELETE FROM wish_counts")
    began = time.time()
    shop.serve()
    for process in processes:
        process.start()
    complete, oldest = 0.0, list[float]()
    while time.time() < began + minutes * 60:
        time.sleep(5)
        if complete or shop.number(last.format("count(*)")) == number:
            complete = complete or time.time() - began
            seconds = shop.number(last.format(f"{EPOCH[shop.server is not None]}"))
            oldest.append(time.time() - seconds)
    counts = shop.number(last.format("coalesce(sum(number), 0)"))
    for process in processes:
        process.kill()
    shop.stop()
    say(f"  {busy} busy processes: {counts:,.0f} counts in {minutes:.0f} minutes")
    if oldest:
        median, worst = statistics.median(oldest), max(oldest)
        say(f"  all counted after {complete:.0f} s; the oldest {median:.0f} s old ({worst:.0f})")


EPOCH = {True: "extract(epoch FROM min(began)::timestamptz)", False: "unixepoch(min(began))"}


def many(shop: Shop, items: int, number: int, minutes: float, busy: int) -> None:
    sizes = [items // 3, *[items * 2 // 3 // (number - 1)] * (number - 1)]
    asyncio.run(add_stores(shop, sizes))
    say(f"{shop.engine}: {sum(sizes):,} wishes in {number} stores")
    (large, _), (small, _) = [asyncio.run(count(shop, f"store-{at}")) for at in (0, 1)]
    wish = (large - small) / (sizes[0] - sizes[1])
    say(f"  {wish * 1e6:.0f} µs a wish, {(small - wish * sizes[1]) * 1000:.0f} ms a store")
    for processes in dict.fromkeys((0, busy)):
        ages(shop, number, minutes, processes)
    shop.close()


def simulate(items: int, stores: int, days: float) -> None:
    """Says how old counts get, by the stores' sizes (log-normal, sigma 2), if each batch costs what
    it is charged at most."""
    draws = [random.Random(at).lognormvariate(0, 2) for at in range(stores)]
    sizes = [int(items * draw / sum(draws)) for draw in draws]
    queue, now = FairQueue[tuple[int, int]](), 0.0
    due = [(0.0, at) for at in range(stores)]
    began, counted_at, ages = [0.0] * stores, [0.0] * stores, [math.inf] * stores
    while now < days * 86_400:
        while due and due[0][0] <= now:
            queue.push(Flow("1", str(due[0][1])), (heapq.heappop(due)[1], 0))
        if (entry := queue.pop()) is None:
            now = due[0][0]
            continue
        at, rows = entry.item
        began[at] = began[at] if rows else now
        batch = min(sizes[at] - rows, 250)
        cost = scheduling.charged_seconds(math.inf, batch)
        cost += 0 if rows else scheduling.charged_seconds(math.inf, 400)
        queue.finish(entry.flow)
        now += cost / scheduling.MAX_LOAD_SHARE
        if (rows := rows + batch) < sizes[at]:
            queue.push(Flow(str(len(str(rows))), str(at)), (at, rows))
        else:
            ages[at], counted_at[at] = now - counted_at[at], began[at]
            pause = scheduling.SMALL_SECONDS if rows < scheduling.SMALL_STORE_WISHES else 3600
            heapq.heappush(due, (now + pause, at))
    for digits in sorted({len(str(size)) for size in sizes}):
        hours = [
            age / 3600 for age, size in zip(ages, sizes, strict=True) if len(str(size)) == digits
        ]
        say(
            f"  {len(hours)} stores with less than {10**digits:,} wishes: counts are up to "
            f"{statistics.median(hours):.1f} hours old in the median store, {max(hours):.1f} at most"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.counting", description=__doc__)
    parser.add_argument("--items", type=int, default=20_000_000)
    parser.add_argument("--rate", type=float, default=300, help="requests a second")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engine", choices=ENGINES.values(), nargs="+", default=ENGINES.values())
    parser.add_argument("--stores", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10, help="with --stores")
    parser.add_argument("--busy", type=int, default=0, help="with --stores: busy processes")
    parser.add_argument("--source", type=Path, help="with --stores: another checkout")
    parser.add_argument("--simulate", type=float, metavar="DAYS", help="with --stores")
    options = parser.parse_args()
    if options.simulate:
        simulate(options.items, options.stores, options.simulate)
        return
    source = Source(options.source) if options.source else OURS
    with PostgresServer(fsync=True) as server:
        for engine in options.engine:
            shop = Shop(engine, server, source)
            if options.stores > 1:
                many(shop, options.items, options.stores, options.minutes, options.busy)
            else:
                measure(shop, options.items, options.rate, options.rounds)


if __name__ == "__main__":
    run(main)
