"""Fairness: greedy callers don't get more than their share while quiet ones wait.

The limits are those of the rule fair-queueing: at most 1 % of the quiet callers' requests fail, and their
median rises by at most twice the time of the greedy callers' most expensive request.

On a machine that others use, durations say little. There the service's processor time during a request
counts, and may rise by that of ``MAX_AHEAD`` requests: the loop, which runs a step of each admitted
request in turn, costs some even with fair queues, and without them 128 would be ahead.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import random
import socket
import statistics
import time
from asyncio import to_thread
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import jwt
import psutil
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.faults import greedy
from tests.faults.harness import TWO, Harness, scenario
from tests.faults.load import Client, Cut, Unsent
from tests.servers import HERE, PREFIX

SHOP, OTHER = "shop.example", "other.example"
SEALED = {"WISHWELL_SEALING_KEYS": "torture-torture-torture-torture-torture"}
SHARED = {"WISHWELL_TRUSTED_PROXIES": "127.0.0.0/8"} | SEALED
BASE = "/apps/wishlist/api"
PACE_SECONDS = 0.05
MAX_AHEAD = 12
HANGING_MS = 10.0
"""The cost of a request that only waits for another server."""

Ask = Callable[[], Awaitable[int]]
Words = tuple[str, str, Any]
Attack = Callable[[Harness], Awaitable[None]]


def attack(*engines: str, **settings: str) -> Callable[[Attack], Attack]:
    """Registers an attack twice: on one worker, and as ``…-two-workers`` on two."""

    def register(run: Attack) -> Attack:
        @functools.wraps(run)
        async def two_workers(r: Harness) -> None:
            await run(r)

        two_workers.__name__ += "_two_workers"
        two_workers.__doc__ = "The same with two workers."
        scenario(*engines, settings=SHARED | settings)(run)
        scenario(*engines, settings=SHARED | settings | TWO)(two_workers)
        return run

    return register


def saves(base: str) -> list[Words]:
    """Requests that each change something."""
    pairs = [(product, random.randint(1, 99)) for product in random.sample(range(1, 201), 200)]
    return [("POST", base + "/items", {"productId": p, "quantity": n}) for p, n in pairs]


def bulk_saves(base: str) -> list[Words]:
    """Requests that each change 250 items."""
    return [
        (
            "PUT",
            base + "/items",
            {"items": [{"productId": p, "quantity": n} for p in range(1, 251)]},
        )
        for n in random.sample(range(1, 99), 10)
    ]


def reads(base: str, limit: int = 10) -> list[Words]:
    return [("GET", f"{base}/items?limit={limit}", None)]


def shopper(host: str, address: str) -> dict[str, str]:
    """Returns the headers of a visitor behind a shop's proxy, until they have a cookie."""
    head = {"Host": host, "X-Forwarded-For": address, "X-Forwarded-Proto": "https"}
    return head | {"Sec-Fetch-Site": "same-origin"}


async def with_cookie(r: Harness, head: dict[str, str]) -> dict[str, str]:
    client = Client(HERE, r.port, head)
    answer = await client.ask("POST", BASE + "/items", {"productId": 1})
    client.close()
    return head | {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


async def customer(r: Harness, store: str, number: int) -> dict[str, str]:
    """Returns the headers of a customer with a token."""
    admin = await to_thread(r.service.admin_token, store)
    client = Client(HERE, r.port, {"Authorization": f"Bearer {admin}"})
    body = {"customer": f"gid://shopify/Customer/c{number}"}
    answer = await client.ask("POST", PREFIX + "/profiles/token", body)
    client.close()
    return {"Authorization": f"Bearer {answer.data()['token']}"}


def asks(r: Harness, head: dict[str, str], requests: list[Words]) -> Ask:
    """Sends the next of the requests on one connection."""
    client, following = Client(HERE, r.port, head), itertools.cycle(requests)

    async def ask() -> int:
        try:
            return (await client.ask(*next(following))).status
        except (Cut, Unsent, TimeoutError):
            return 0

    return ask


class Took(NamedTuple):
    """Milliseconds of a request, and of the service's processor time during it."""

    wall: float
    processor: float


Asked = tuple[list[Took], Counter[int]]


class Timer:
    """Measures requests of a service by both clocks."""

    def __init__(self, r: Harness) -> None:
        parent = psutil.Process(r.service.process.pid)
        self._pids = [parent.pid, *(child.pid for child in parent.children(recursive=True))]

    def _processor(self) -> float:
        spent = 0
        for pid in self._pids:
            for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                with contextlib.suppress(OSError):  # the thread has ended
                    spent += int(task.read_text().split()[0])
        return spent / 1e6

    async def paced(self, ask: Ask, seconds: float) -> Asked:
        """Sends requests with pauses. Returns their times, and the count of each status."""
        times, statuses, end = [], Counter[int](), time.monotonic() + seconds
        while time.monotonic() < end:
            spent, began = self._processor(), time.perf_counter()
            statuses[await ask()] += 1
            wall = (time.perf_counter() - began) * 1000
            times.append(Took(wall, self._processor() - spent))
            await asyncio.sleep(PACE_SECONDS * random.uniform(0.5, 1.5))
        return times, statuses


def median(times: list[Took]) -> Took:
    return Took(*(statistics.median(kind) for kind in zip(*times, strict=True)))


async def measure(
    r: Harness,
    callers: list[tuple[dict[str, str], list[Words]]],
    quiet: dict[str, Ask],
    *,
    served: bool = True,
) -> None:
    """Measures the quiet callers without and with the greedy ones, and checks the limits.

    ``served``: whether the greedy callers must get some responses, too.
    """
    seconds, timer = max(4.0, 16 * r.scale), Timer(r)

    async def asked(seconds: float) -> list[Asked]:
        return await asyncio.gather(*(timer.paced(ask, seconds) for ask in quiet.values()))

    before = await asked(seconds / 2)
    dearest = Took(HANGING_MS, HANGING_MS)
    if served:
        dearest = median([(await timer.paced(asks(r, *callers[0]), 0.001))[0][0] for _ in range(9)])
    words = [{"headers": head, "requests": requests} for head, requests in callers]
    process = await greedy.start(r.port, words)
    await asyncio.sleep(0.5)
    beside = await asked(seconds)
    statuses = await greedy.stop(process)
    after = await asked(seconds / 2)
    clock, ahead = (1, MAX_AHEAD) if r.is_busy() else (0, 2)
    # Beside the greedy callers all workers are busy, and one of them serves the quiet request.
    workers = (1, int(r.service.settings.get("WISHWELL_WORKERS", "1")))[clock]
    what = ("", "of processor time ")[clock]
    one = dearest[clock]
    r.note(f"greedy: {dict(statuses)} in {seconds:.0f} s; one of theirs {one:.1f} ms {what}alone")
    some = statuses["200"] + statuses["201"] > 0
    r.must(some or not served, "the greedy ones were starved")
    for name, first, (times, found), last in zip(quiet, before, beside, after, strict=True):
        # The slower of both, because other programs on the machine slow down all of them.
        alone = max(median(first[0])[clock], median(last[0])[clock])
        middle, limit = median(times)[clock] / workers, alone + ahead * one
        failed = 1 - (found[200] + found[201]) / found.total()
        most = max(took.wall for took in times)
        r.note(
            f"{name}: median {alone:.1f} ms {what}alone, {middle:.1f} beside them (limit {limit:.1f}), "
            f"most {most:.0f} ms; {failed:.1%} of {found.total()} failed"
        )
        r.result.slowest_ms = max(r.result.slowest_ms, round(most, 1))
        r.result.answered({str(status): count for status, count in found.items()})
        r.must(failed <= 0.01, f"{name}: {failed:.1%} failed")
        r.must(middle <= limit, f"{name}: median {middle:.1f} ms {what}(limit {limit:.1f})")


async def shops(r: Harness) -> dict[str, Ask]:
    """Creates two shops. Returns quiet visitors: of the other shop, and of the same one from another
    address."""

    def create() -> None:
        r.service.cli("store", "update", "default", "--host", f"https://{SHOP}")
        r.service.cli("store", "create", "other", "--host", f"https://{OTHER}")
        time.sleep(5)

    await to_thread(create)
    found: dict[str, Ask] = {}
    for n, (name, host) in enumerate({"other shop": OTHER, "same shop": SHOP}.items()):
        for what, words in (("save", saves(BASE)), ("read", reads(BASE))):
            head = await with_cookie(r, shopper(host, f"203.0.113.{10 * n + len(what)}"))
            found[f"{name}, {what}"] = asks(r, head, words)
    return found


async def of_one_address(r: Harness, requests: Callable[[], list[Words]]) -> None:
    """Measures 140 greedy connections of one address with 10 cookies."""
    quiet = await shops(r)
    heads = [await with_cookie(r, shopper(SHOP, "198.51.100.1")) for _ in range(10)]
    for head in heads:
        await asks(r, head, bulk_saves(BASE))()
    callers = zip(range(140), itertools.cycle(heads), strict=False)
    await measure(r, [(head, requests()) for _, head in callers], quiet)


@attack()
async def share_address_saves(r: Harness) -> None:
    """140 connections of one address with 10 cookies save."""
    await of_one_address(r, lambda: saves(BASE))


@attack()
async def share_address_bulk(r: Harness) -> None:
    """140 connections of one address with 10 cookies save 250 items in each request."""
    await of_one_address(r, lambda: bulk_saves(BASE))


@attack()
async def share_address_reads(r: Harness) -> None:
    """140 connections of one address with 10 cookies read 250 items in each request."""
    await of_one_address(r, lambda: reads(BASE, 250))


async def of_one_profile(r: Harness) -> None:
    await shops(r)
    head = await customer(r, "default", 1)
    quiet = {
        "other store, save": asks(r, await customer(r, "other", 2), saves(PREFIX)),
        "other customer, save": asks(r, await customer(r, "default", 3), saves(PREFIX)),
    }
    await measure(r, [(head, bulk_saves(PREFIX)) for _ in range(60)], quiet)


@attack()
async def share_profile_bulk(r: Harness) -> None:
    """One customer's saves of 250 items, 60 at a time."""
    await of_one_profile(r)


@scenario("sqlite", settings=SHARED | {"WISHWELL_WORKERS": "4"})
async def share_sqlite_processes(r: Harness) -> None:
    """Four workers write to one file all the time, each for 40 customers of one store."""
    await shops(r)
    heads = [await customer(r, "default", number) for number in range(40)]
    quiet = {"other store, save": asks(r, await customer(r, "other", 1000), saves(PREFIX))}
    await measure(r, [(head, saves(PREFIX)) for head in heads], quiet)
    r.within(r.result.slowest_ms, 1000, "milliseconds that a writer waited")


@attack("postgresql")
async def share_profile_locked(r: Harness) -> None:
    """60 writes wait for the lock of a profile that another program holds, again and again."""
    await shops(r)
    head = await customer(r, "default", 1)
    await asks(r, head, saves(PREFIX))()
    quiet = {
        "other store, save": asks(r, await customer(r, "other", 2), saves(PREFIX)),
        "other customer, save": asks(r, await customer(r, "default", 3), saves(PREFIX)),
    }
    stop = asyncio.Event()

    async def hold() -> None:
        row = "SELECT 1 FROM profiles WHERE gid LIKE '%/Customer/1' FOR UPDATE"
        while not stop.is_set():
            held = f"BEGIN; {row}; SELECT pg_sleep(1); COMMIT"
            await to_thread(r.sql, held)
            await asyncio.sleep(0.2)

    holding = asyncio.create_task(hold())
    try:
        await measure(r, [(head, saves(PREFIX)) for _ in range(60)], quiet)
    finally:
        stop.set()
        await holding


@attack(WISHWELL_WEBHOOK_HTTP="true", WISHWELL_WEBHOOK_PRIVATE="true")
async def share_key_set(r: Harness) -> None:
    """140 connections of a shop whose key set hangs, while another shop's visitors are served."""
    quiet = {name: ask for name, ask in (await shops(r)).items() if name.startswith("other")}
    silent = socket.create_server((HERE, 0))  # the kernel accepts connections, but nothing responds
    keys = f"http://{HERE}:{silent.getsockname()[1]}/keys"
    naming = ("--jwt-header", "Customer-Token", "--jwt-key-set", keys)
    await to_thread(r.service.cli, "store", "update", "default", *naming)
    await asyncio.sleep(5)
    token = jwt.encode({"sub": "1"}, rsa.generate_private_key(65537, 2048), "RS256", {"kid": "x"})
    head = shopper(SHOP, "198.51.100.1") | {"Customer-Token": token}
    await measure(r, [(head, reads(BASE)) for _ in range(140)], quiet, served=False)
    silent.close()
