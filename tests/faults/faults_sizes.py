"""The largest possible profiles: how a sign-in or a large response affects other callers."""

from __future__ import annotations

import asyncio
import statistics
import time
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from bench import seed
from tests.faults.harness import ENGINES, PREFIX, Harness, scenario
from tests.faults.relay import relay
from tools.tables import spread
from wishwell import ids

LINK_SECONDS = {"sqlite": 0.5, "postgresql": 1.0, "cluster": 2.0}
SAVE_SECONDS = 0.5
READ_MS = 50
ROUNDS = 5


class Size(NamedTuple):
    """``items`` items, each on ``on`` of the lists, which are equal in two profiles of one size;
    ``shift`` puts them on other lists of the same names."""

    items: int
    lists: int
    on: int
    tags: int = 0
    shift: int = 0


async def fill(r: Harness, gid: str, size: Size, **more: Any) -> seed.Rows:
    """Inserts a profile directly, so PostgreSQL has no statistics about it."""
    held = size._asdict()
    products = range(1, held.pop("items") + 1)
    made = seed.profile(store_id(r), gid, products, **held, **more)
    await to_thread(seed.insert, r.url, made, analyze=False)
    return made


def store_id(r: Harness) -> str:
    return r.sql("SELECT id FROM stores")


class Beside:
    """Measures an ordinary caller's sequential requests, in milliseconds."""

    def __init__(self, r: Harness, method: str, body: Callable[[int], Any] | None = None) -> None:
        gid = "gid://shopify/Customer/beside"
        self._client = r.client(Profile=gid)
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
    """Links a session to a customer of the same size during another caller's saves; returns the
    seconds."""
    client, store = r.client(), store_id(r)
    session = (await client.ask("POST", PREFIX + "/profiles/token")).data()["profile"]
    customer = f"gid://shopify/Customer/large-{number}"
    await fill(r, session, size._replace(shift=0), row=False)
    await fill(r, customer, size)
    beside, took = saves(r), 0.0

    async def link() -> None:
        nonlocal took
        began = time.perf_counter()
        body = {"customer": customer, "session": session}
        answer = await client.ask("POST", PREFIX + "/profiles/token", body)
        took = time.perf_counter() - began
        r.must(answer.status == 201, f"link {number} of {size}: {answer.status}")

    await beside.during(link)
    client.close()
    r.must(not beside.refused, f"saves beside the link: {beside.refused[:5]}")
    of_customer = f"WHERE profile_id = '{ids.profile_key(store, customer)}'"
    held, places = (
        await r.count(f"FROM items {of_customer}"),
        await r.count(f"FROM entries {of_customer}"),
    )
    r.must(held == size.items, f"{held} items after the link")
    expected = size.on * size.items * (2 if size.shift else 1)
    r.must(places == expected, f"{places} places on lists after the link, not {expected}")
    return took, beside


async def _sign_ins(r: Harness, what: str, size: Size, numbers: range) -> tuple[float, float]:
    """Returns medians of several sign-ins: seconds, and the slowest concurrent save in ms."""
    results = [await _sign_in(r, size, number) for number in numbers]
    took = [seconds for seconds, _ in results]
    saved = [max(beside.times) for _, beside in results]
    r.note(f"{what}: {spread(took)} s, the slowest save beside it {spread(saved, 0)} ms")
    return statistics.median(took), statistics.median(saved)


@scenario(*ENGINES)
async def large_sign_ins(r: Harness) -> None:
    """4,900 items on both sides, each on 4 of 20 lists: duration of a link, and of concurrent
    saves."""
    r.result.faults = f"{ROUNDS} sign-ins of 4,900 items on both sides, and more"
    alike, apart = Size(4_900, 20, 4), Size(4_900, 20, 4, shift=7)
    most = LINK_SECONDS[r.engine]
    for number, (what, size) in enumerate(
        (("on the same lists", alike), ("on other lists", apart))
    ):
        numbers = range(number * ROUNDS, (number + 1) * ROUNDS)
        took, slowest = await _sign_ins(r, what, size, numbers)
        if size is alike or r.engine != "sqlite":
            r.within(took, most, f"seconds, {what}")
            r.within(slowest, SAVE_SECONDS * 1000, f"milliseconds of a save, {what}")
    what, size = "5,000 items, 250 lists, 100,000 tags on both sides", Size(5_000, 250, 4, tags=20)
    await _sign_ins(r, what, size, range(2 * ROUNDS, 2 * ROUNDS + 1))
    if r.engine == "postgresql":
        async with relay(r.postgres.port, delay=0.0005) as slow:
            url = r.postgres.url(r.database).replace(f":{r.postgres.port}", f":{slow.port}")
            await to_thread(r.service.restart, settings={"WISHWELL_DATABASE_URL": url})
            what = "through 1 ms of delay for each round trip to the database"
            took, _ = await _sign_ins(r, what, alike, range(100, 103))
            r.within(took, most, f"seconds, {what}")


@scenario()
async def large_answers(r: Harness) -> None:
    """A list of 1,000 items, each on 20 lists and with 20 tags: how long others' reads wait for it."""
    gid = "gid://shopify/Customer/large"
    made = await fill(r, gid, Size(1_000, 20, 20, tags=20))
    client = r.client(Profile=gid)
    path = f"{PREFIX}/lists/{made['lists'][0][1]}?sort=customer"
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
    client.close()
    middle = statistics.median(delays)
    r.result.faults = f"{len(delays)} answers of {size / 1e6:.1f} MB"
    r.note(f"the slowest read beside one: {spread(delays, 0)} ms more")
    r.within(middle, READ_MS, "milliseconds that reads wait for the largest answer")
