"""Old events that go beside traffic: `python -m bench.retention`, some minutes for each engine.

Fills a database with so many events that are older than they are kept, and asks for pages, and
saves one time in ten, at a constant rate: first alone, then while the old events are removed.
Printed are the p99 of both, and how many were removed a second; then, when all are removed, how
long that took.
"""

import asyncio
import json
import sqlite3
import time
import uuid
from collections.abc import Iterator
from typing import Any

import asyncpg

from bench import seed
from bench.client import PREFIX
from bench.meanwhile import READERS, ask, compared, events_on, main, p99
from bench.single import Deployment, insert
from bench.steady import _request
from bench.targets import run, stop
from tests.servers import wait_until
from wishwell import config, ids

BATCH = 100_000
A_PROFILE = 20
"""Events of each profile."""

COLUMNS = ("profile_id", "sequence", "store_id", "number", "type", "created_at", "gid", "data")


def old(store: str, count: int) -> Iterator[list[tuple[Any, ...]]]:
    """So many events of eight days ago, in the feed, in batches."""
    at = ids.timestamp(ids.wall_clock() - 8 * 86_400_000)
    data = json.dumps({"item": {"id": ids.random_uuid(), "note": "n" * 250}})
    gid, profile = "gid://shopify/Customer/old", ""
    for begin in range(0, count, BATCH):
        rows = []
        for number in range(begin, min(begin + BATCH, count)):
            if number % A_PROFILE == 0:
                profile = str(uuid.uuid4())
            of = profile, number % A_PROFILE + 1, store, number + 1
            rows.append((*of, "item.updated", at, gid, data))
        yield rows


async def _copy(url: str, rows: list[tuple[Any, ...]]) -> None:
    connection = await asyncpg.connect(url)
    await connection.copy_records_to_table("events", records=rows, columns=COLUMNS)
    await connection.close()


def execute(place: Deployment, sql: str, rows: list[tuple[Any, ...]]) -> None:
    """A statement on SQLite, once for each row."""
    with sqlite3.connect(config.sqlite_path(place.url)) as connection:
        connection.executemany(sql, rows)


def fill(place: Deployment, count: int) -> None:
    feed = f"INSERT INTO feeds VALUES ('{place.store}', {count}, {count}, 0)"
    for rows in old(place.store, count):
        if place.engine == "SQLite":
            execute(
                place, f"INSERT INTO events ({', '.join(COLUMNS)}) VALUES (?,?,?,?,?,?,?,?)", rows
            )
        else:
            asyncio.run(_copy(place.url, rows))
    if place.engine == "SQLite":
        execute(place, feed, [()])
    else:
        ask(place, f"{feed} RETURNING 1")
        ask(place, "VACUUM ANALYZE events")


def traffic(owners: list[seed.Owner]) -> list[bytes]:
    """Nine pages for each save of a product that is there, in ever another quantity."""
    requests = []
    for number, owner in enumerate(owners):
        token = f"Authorization: Bearer {owner.token}"
        requests += [_request(f"{PREFIX}/items", token)] * 9
        body = json.dumps({"productId": number % 30 + 1, "quantity": number % 99 + 1}).encode()
        head = _request(f"{PREFIX}/items", token, "Content-Type: application/json",
                        f"Content-Length: {len(body)}")  # fmt: skip
        requests.append(head.replace(b"GET", b"POST", 1) + body)
    return requests


def measure(place: Deployment, count: int, rate: float, rounds: int) -> None:
    rows, owners = seed.plan(place.store, READERS)
    insert(place, rows)
    asyncio.run(events_on(place))
    fill(place, count)
    requests = traffic(owners)
    target = place.serve()
    time.sleep(6)  # until every process knows that the store tells events
    p99(target, requests, rate)  # the first one warms
    alone = [p99(target, requests, rate) for _ in range(rounds)]

    def removed() -> int:
        return int(ask(place, "SELECT removed FROM feeds"))

    if removed():
        raise RuntimeError("the removal began within the first minute: take fewer rounds")
    wait_until(lambda: removed() > 0, seconds=120, every=0.5)
    began, before = time.monotonic(), removed()
    beside = []
    while len(beside) < rounds and removed() < count:
        beside.append(p99(target, requests, rate))
    speed = (removed() - before) / (time.monotonic() - began)
    print(
        f"{place.engine:10} {count:,} events, {compared(alone, beside)}; {speed:,.0f} removed a second",
        flush=True,
    )
    if removed() == count:
        print("  all were removed before the requests ended: take more events")
    wait_until(lambda: removed() == count, seconds=10_800, every=1)
    took = time.monotonic() - began
    stop(target)
    left = ask(place, f"SELECT count(*) FROM events WHERE number <= {count}")
    print(f"{place.engine:10} {took:,.0f} s in all; {left} left", flush=True)


if __name__ == "__main__":
    run(lambda: main("retention", __doc__, "events", measure))
