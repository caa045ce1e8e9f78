"""Profiles as large as they may be: what a sign-in, a purge or an answer of theirs costs the others."""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, NamedTuple

import asyncpg

from torture.harness import ENGINES, PREFIX, Harness, Result, harness, scenario
from torture.relay import relay
from wishwell import ids

NOW = "2026-01-01T00:00:00.000Z"
LONG_AGO = "2020-01-01T00:00:00.000Z"
LINK_SECONDS = {"sqlite": 0.5, "postgresql": 1.0, "cluster": 2.0}
SAVE_SECONDS = 0.5
READ_MS = 50
ROUNDS = 5
TABLES = {
    "profiles": "profile_id store_id gid is_session items lists created_at touched_at",
    "lists": "profile_id id store_id name item_count created_at updated_at",
    "items": "profile_id id store_id product_id variant_id quantity tags note list_ids created_at "
    "updated_at",
    "entries": "profile_id list_id item_id position",
    "item_tags": "profile_id item_id tag store_id",
}
Rows = dict[str, list[tuple[Any, ...]]]


class Size(NamedTuple):
    """So many items, each ``on`` so many of the lists, which two profiles of one size have alike;
    ``shift`` sets them on other lists of the same names."""

    items: int
    lists: int
    on: int
    tags: int = 0
    shift: int = 0


def rows(store: str, gid: str, size: Size, at: str = NOW, made: bool = False) -> Rows:
    """All rows of a profile; its own too, unless it was ``made`` by a request."""
    new_id, profile = ids.UUID7(), ids.profile_key(store, gid)
    found: Rows = {table: [] for table in TABLES}
    session = int("/Session/" in gid)
    if not made:
        held = (size.items, size.lists)
        found["profiles"].append((profile, store, gid, session, *held, at, at))
    lists = [new_id() for _ in range(size.lists)]
    tags = [f"{session}-{n:02}-{'x' * 40}" for n in range(size.tags)]
    for product in range(1, size.items + 1):
        item = new_id()
        stands = sorted(lists[(product + n + size.shift) % size.lists] for n in range(size.on))
        texts = (" ".join(tags), "", " ".join(stands))
        found["items"].append((profile, item, store, str(product), "", 1, *texts, at, at))
        found["item_tags"] += [(profile, item, tag, store) for tag in tags]
        found["entries"] += [(profile, on, item, 0) for on in stands]
    sizes = Counter(on for _, on, _, _ in found["entries"])
    for number, id in enumerate(lists):
        found["lists"].append((profile, id, store, f"List {number}", sizes[id], at, at))
    return found


async def fill(r: Harness, found: Rows) -> None:
    """Puts rows into the tables, past the API; PostgreSQL has no statistics of them."""
    if r.postgres is not None:
        connection = await asyncpg.connect(r.postgres.url(r.database))
        for table, columns in TABLES.items():
            names = columns.split()
            await connection.copy_records_to_table(table, records=found[table], columns=names)
        await connection.close()
        return
    with sqlite3.connect(r.sqlite_file, timeout=30) as connection:
        for table, columns in TABLES.items():
            names = columns.split()
            marks = ", ".join("?" * len(names))
            sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"
            connection.executemany(sql, found[table])


def store_id(r: Harness) -> str:
    return r.sql("SELECT id FROM stores")


class Beside:
    """How long an ordinary caller's requests take, one after the other, in milliseconds."""

    def __init__(self, r: Harness, method: str, body: Callable[[int], Any] | None = None) -> None:
        gid = "gid://shopify/Customer/beside"
        self._client = r.client(Authorization=f"Bearer {r.service.admin_token()}", Profile=gid)
        self._method, self._body = method, body
        self._running = True
        self.times: list[float] = []
        self.refused: list[int] = []

    async def run(self) -> None:
        number = 0
        while self._running:
            number += 1
            began = time.perf_counter()
            body = self._body(number) if self._body else None
            answer = await self._client.ask(self._method, PREFIX + "/items", body)
            self.times.append((time.perf_counter() - began) * 1000)
            if answer.status not in (200, 201):
                self.refused.append(answer.status)
            await asyncio.sleep(0.002)
        self._client.close()

    async def during(self, act: Callable[[], Awaitable[None]]) -> None:
        running = asyncio.create_task(self.run())
        try:
            await asyncio.sleep(0.2)
            self.times.clear()
            await act()
            await asyncio.sleep(0.05)
        finally:
            self._running = False
            await running


def saves(r: Harness) -> Beside:
    return Beside(r, "POST", lambda number: {"productId": number})


async def _sign_in(r: Harness, size: Size, number: int) -> tuple[float, Beside]:
    """Links a session to a customer of the same size beside another's saves; seconds that it took."""
    admin, store = r.service.admin_token(), store_id(r)
    client = r.client(Authorization=f"Bearer {admin}")
    session = (await client.ask("POST", PREFIX + "/profiles/token")).data()["profile"]
    customer = f"gid://shopify/Customer/large-{number}"
    await fill(r, rows(store, session, size._replace(shift=0), made=True))
    await fill(r, rows(store, customer, size))
    beside, took = saves(r), 0.0

    async def link() -> None:
        nonlocal took
        began = time.perf_counter()
        answer = await client.ask(
            "POST", PREFIX + "/profiles/token", {"customer": customer, "session": session}
        )
        took = time.perf_counter() - began
        r.result.must(answer.status == 201, f"link {number} of {size}: {answer.status}")

    await beside.during(link)
    r.result.must(not beside.refused, f"saves beside the link: {beside.refused[:5]}")
    profile = ids.profile_key(store, customer)
    held = r.sql(f"SELECT count(*) FROM items WHERE profile_id = '{profile}'")
    r.result.must(held == str(size.items), f"{held} items after the link")
    places = int(r.sql(f"SELECT count(*) FROM entries WHERE profile_id = '{profile}'"))
    twice = size.on * size.items * (2 if size.shift else 1)
    r.result.must(places == twice, f"{places} places on lists after the link, not {twice}")
    client.close()
    return took, beside


@contextmanager
def _noted(result: Result, what: str) -> Iterator[list[tuple[float, Beside]]]:
    """Notes the seconds of several sign-ins, and the slowest save beside each."""
    found: list[tuple[float, Beside]] = []
    yield found
    took = sorted(seconds for seconds, _ in found)
    saved = sorted(max(beside.times) for _, beside in found)
    result.notes.append(
        f"{what}: {statistics.median(took):.2f} s ({took[0]:.2f} to {took[-1]:.2f}), the slowest "
        f"save beside it {statistics.median(saved):.0f} ms ({saved[0]:.0f} to {saved[-1]:.0f})"
    )


@scenario(*ENGINES)
async def large_sign_ins(engine: str, result: Result, scale: float) -> None:
    """4,900 items on both sides, each on 4 of 20 lists: how long a link takes, and a save beside it."""
    alike, apart = Size(4_900, 20, 4), Size(4_900, 20, 4, shift=7)
    result.faults = f"{ROUNDS} sign-ins of 4,900 items on both sides, and more"
    with harness(engine, result, scale) as r:
        for what, size in (("on the same lists", alike), ("on other lists", apart)):
            with _noted(result, what) as found:
                for number in range(ROUNDS):
                    found.append(await _sign_in(r, size, number + ROUNDS * (size is apart)))
            took = statistics.median(seconds for seconds, _ in found)
            slowest = statistics.median(max(beside.times) for _, beside in found)
            if size is alike or engine != "sqlite":
                result.must(took <= LINK_SECONDS[engine], f"{what}: {took:.2f} s")
                result.must(slowest <= SAVE_SECONDS * 1000, f"{what}: a save took {slowest:.0f} ms")
        with _noted(result, "5,000 items, 250 lists, 100,000 tags on both sides") as found:
            found.append(await _sign_in(r, Size(5_000, 250, 4, tags=20), 2 * ROUNDS))
        result.must("Traceback" not in r.service.output(), "a traceback in the log")
    if engine == "postgresql":
        await _through_a_delay(result, scale, alike)


async def _through_a_delay(result: Result, scale: float, size: Size) -> None:
    """The same with 1 ms more for each round trip to the database."""
    async with AsyncExitStack() as stack:
        r = stack.enter_context(harness("postgresql", result, scale))
        assert r.postgres is not None and r.postgres.port is not None
        slow = await stack.enter_async_context(relay(r.postgres.port, delay=0.0005))
        url = r.postgres.url(r.database).replace(f":{r.postgres.port}", f":{slow.port}")
        await asyncio.to_thread(r.service.restart, settings={"WISHWELL_DATABASE_URL": url})
        with _noted(result, "through 1 ms of delay") as found:
            for number in range(3):
                found.append(await _sign_in(r, size, number))
        took = statistics.median(seconds for seconds, _ in found)
        result.must(took <= LINK_SECONDS["postgresql"], f"through 1 ms of delay: {took:.2f} s")


@scenario()
async def large_session_in_the_purge(engine: str, result: Result, scale: float) -> None:
    """One dead session of 5,000 items on 250,000 places, of the time before lists had a bound, and
    150 ordinary ones behind it: all of them go, and others are served meanwhile."""
    with harness(engine, result, scale, {"WISHWELL_PURGE_INTERVAL": "86400"}) as r:
        store = store_id(r)
        for number in range(151):
            gid = f"gid://wishwell/Session/{ids.random_uuid()}"
            size = Size(3, 1, 1) if number else Size(5_000, 250, 50)
            at = LONG_AGO if not number else LONG_AGO.replace("2020", "2021")
            await fill(r, rows(store, gid, size, at))
        beside, took = saves(r), 0.0

        async def purge() -> None:
            nonlocal took
            began = time.perf_counter()
            said = (await asyncio.to_thread(r.service.cli, "purge")).stdout
            took = time.perf_counter() - began
            result.must("151 sessions" in said, f"the purge said: {said!r}")

        await beside.during(purge)
        slowest = max(beside.times)
        result.faults = "250,000 places of one session purged"
        result.notes.append(f"{took:.1f} s; the slowest save of others beside it {slowest:.0f} ms")
        result.must(not beside.refused, f"saves beside the purge: {beside.refused[:5]}")
        result.must(
            slowest <= SAVE_SECONDS * 1000, f"a save beside the purge took {slowest:.0f} ms"
        )
        result.must(r.sql("SELECT count(*) FROM entries") == "0", "entries were left")


@scenario()
async def large_answers(engine: str, result: Result, scale: float) -> None:
    """A list of 1,000 items, each on 20 lists and with 20 tags: how long others' reads wait for it."""
    with harness(engine, result, scale) as r:
        store, gid = store_id(r), "gid://shopify/Customer/large"
        found = rows(store, gid, Size(1_000, 20, 20, tags=20))
        await fill(r, found)
        client = r.client(Authorization=f"Bearer {r.service.admin_token()}", Profile=gid)
        path = f"{PREFIX}/lists/{found['lists'][0][1]}?sort=customer"
        await client.ask("GET", path)
        delays, size = [], 0
        for _ in range(4 * ROUNDS):
            alone, beside = Beside(r, "GET"), Beside(r, "GET")

            async def read() -> None:
                nonlocal size
                size = len((await client.ask("GET", path)).body)

            await alone.during(lambda: asyncio.sleep(0.1))
            await beside.during(read)
            delays.append(max(beside.times) - statistics.median(alone.times))
        middle = statistics.median(delays)
        result.faults = f"{len(delays)} answers of {size / 1e6:.1f} MB"
        result.notes.append(
            f"the slowest read beside one: {middle:.0f} ms more ({min(delays):.0f} to "
            f"{max(delays):.0f})"
        )
        result.must(middle <= READ_MS, f"reads wait {middle:.0f} ms for the largest answer")
        client.close()
