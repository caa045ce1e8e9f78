"""Counting for reports: `python -m bench.counting`, half an hour for 20 million items on each engine.

Fills a store past the API: 20 items a profile, of 100,000 products in two variants each. Asks for
pages at a constant rate before the first count and while the service counts, then in turns alone
and beside ten reports at once. These are of a store of which a tenth of 100,000 products changed on
each of 30 days. The rows of 1,000 products that change daily for 760 days are measured too.
"""

import contextlib
import datetime
import json
import sqlite3
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import psutil

from bench import seed
from bench.client import bearer, request
from bench.meanwhile import Asked, compared, main
from bench.targets import Shop, in_turns, processor, run, say
from tests.servers import PREFIX
from wishwell.reports import counting, found

PRODUCTS = 100_000
USUAL_SECONDS = 3_600
"""From one count to the next, by default."""

BEFORE_SECONDS = 32
"""After its start the service looks for the first time what is to be counted."""

OTHERS = "days", "months"
INDEXES = {
    "items_store_idx": "items (store_id, id)",
    "items_store_product_idx": "items (store_id, product_id, id)",
    "items_store_variant_idx": "items (store_id, variant_id, id) WHERE variant_id <> ''",
}


def write(shop: Shop, *statements: str) -> None:
    for statement in statements:
        if shop.server:
            if statement.startswith("INSERT"):  # without a look at each row's profile and store
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
    """So many items. The indexes of a store are made afterwards, which is faster."""

    def uuid(number: str) -> str:
        text = f"'00000000-0000-7000-8000-' || substr(CAST(1000000000000 + {number} AS text), 2)"
        return f"({text})::uuid" if shop.server else text

    now, columns = seed.now(), {name: of.replace(" ", ", ") for name, of in seed.COLUMNS.items()}
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


def fill_days(shop: Shop, store: str, products: int, days: int, every: int) -> None:
    """Counts of days until today; each product changes every so many days."""
    today, began = datetime.datetime.now(datetime.UTC).date().isoformat(), seed.now()
    counts = ", ".join(
        f"('{store}', '{found.following(today, number - days)}', {number}, '{began}', "
        f"'{began}', 9000000, 9, 0, 9, 9, 0, 0)"
        for number in range(1, days + 1)
    )
    write(
        shop,
        f"INSERT INTO counts (store_id, {', '.join(found.Count._fields)}) VALUES {counts}",
        "INSERT INTO wish_counts (store_id, since, until, product_id, variant_id, customers, "
        f"visitors, added) {numbers(products * days // every)} SELECT '{store}', at, CASE WHEN "
        f"at + {every} > {days} THEN {found.FOREVER} ELSE at + {every} END, "
        f"CAST(1000000 + product AS text), '', at + product % 50, 3, at FROM (SELECT "
        f"i % {products} AS product, i / {products} * {every} + i % {every} + 1 AS at FROM n) x",
        "VACUUM ANALYZE wish_counts" if shop.server else "ANALYZE wish_counts",
    )


def size(shop: Shop) -> float:
    if shop.server:
        return shop.number("SELECT pg_total_relation_size('wish_counts')")
    return shop.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")


def report(shop: Shop, token: str) -> float:
    """The milliseconds of a report."""
    with shop.client(token) as client:
        began = time.perf_counter()
        client.get("/reports/products", params={"limit": 250}).raise_for_status()
        return (time.perf_counter() - began) * 1000


@contextlib.contextmanager
def ten_reports(shop: Shop, token: str) -> Iterator[None]:
    """Ten that ask for reports, each for one after the other."""
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            report(shop, token)

    with ThreadPoolExecutor(10) as askers:
        asking = [askers.submit(ask) for _ in range(10)]
        yield
        done.set()
    for one in asking:
        one.result()


def measure(asked: Asked, count: int) -> None:
    shop, began = asked.shop, time.monotonic()
    fill(shop, count)
    made = [json.loads(shop.quick("store", "create", name, "--json"))[0] for name in OTHERS]
    fill_days(shop, made[0]["id"], PRODUCTS, 30, 10)
    before = size(shop)
    fill_days(shop, made[1]["id"], 1_000, 760, 1)
    say(f"{shop.engine}: {count:,} items, filled in {time.monotonic() - began:.0f} s")
    say(f"  1,000 products that change daily, 760 days: {(size(shop) - before) / 2**20:.0f} MiB")
    requests = [request("GET", f"{PREFIX}/items", bearer(owner.token)) for owner in asked.owners]
    token, once = shop.create_token(OTHERS[0]), asked._replace(rounds=1)
    shop.serve()
    first_turn = time.monotonic() + BEFORE_SECONDS

    def took() -> float:
        return (
            shop.number(
                f"SELECT coalesce(max(took), 0) FROM counts WHERE store_id = '{shop.store}'"
            )
            / 1000
        )

    next(once.p99s(requests))  # warms
    used = processor(shop)
    alone = list(asked._replace(rounds=3).p99s(requests))
    asking = (processor(shop) - used) / 3  # what the requests of a round take
    time.sleep(max(0, first_turn - time.monotonic()))
    used, began, beside, memory = processor(shop), time.monotonic(), list[float](), 0
    while not took():
        beside += once.p99s(requests)
        memory = max(memory, psutil.Process(shop.process.pid).memory_info().rss)
    used, passed = processor(shop) - used - asking * len(beside), time.monotonic() - began
    pause = max(USUAL_SECONDS, took() / counting.SHARE)
    say(
        f"  a count: {passed:.0f} s, processor {used:.0f} s, {took():.0f} s as it notes itself, so "
        f"again after {pause:,.0f} s: {used / (pause + passed):.1%} of a core; {memory >> 20} MiB"
    )
    say(f"  pages, counting: {compared(alone, beside)}")
    times = [report(shop, token) for _ in range(11)]
    say(f"  a report of {PRODUCTS:,} products and 30 days: {statistics.median(times):.0f} ms")
    sides: list[Callable[[], AbstractContextManager[None]]]
    sides = [contextlib.nullcontext, lambda: ten_reports(shop, token)]

    def turn(side: Callable[[], AbstractContextManager[None]]) -> float:
        with side():
            return next(once.p99s(requests))

    say(f"  pages, ten reports at once: {compared(*in_turns(sides, asked.rounds, turn))}")
    shop.stop()
    shop.close()


if __name__ == "__main__":
    run(lambda: main("counting", __doc__, "items", measure))
