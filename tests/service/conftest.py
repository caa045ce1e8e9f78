"""Helpers for concurrency: race rounds, racing clients, and clients that save during faults."""

import asyncio
import contextlib
import functools
import itertools
import secrets
import threading
import time
from typing import NamedTuple

import httpx2
import pytest

from tests.api.conftest import walk
from tests.conftest import ROOMY, Shop, slow
from tests.servers import PREFIX


@pytest.fixture(scope="module")
def racing(service):
    return Shop(service, *ROOMY)


@pytest.fixture(params=[0, *(slow(n) for n in range(1, 25))])
def number(request) -> int:
    """The number of the race round."""
    return request.param


def client_of(service):
    """Returns an asynchronous API client for many concurrent requests."""
    limits = httpx2.Limits(max_connections=64, max_keepalive_connections=64)
    return httpx2.AsyncClient(base_url=service.url + PREFIX, limits=limits, timeout=30)


@pytest.fixture
def http(service, number):
    return client_of(service)


def race(round_):
    """Turns an asynchronous round into a test."""

    @functools.wraps(round_)
    def test(http, **given):
        async def main():
            async with http:
                await round_(http, **given)

        asyncio.run(main())

    return test


def soon():
    """Returns a random delay in seconds, within the duration of the concurrent requests."""
    return secrets.randbelow(12) / 1000


class Racer:
    """A caller with a token, or an anonymous one."""

    def __init__(self, http, token="", gid=""):
        self.http, self.gid = http, gid
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def ask(self, method, path, body=None, after=0.0):
        await asyncio.sleep(after)
        return await self.http.request(method, path, json=body, headers=self.headers)

    async def do(self, method, path, body=None, after=0.0, refused=()):
        """Returns the response's record; `None` without a body or for a status in ``refused``."""
        answer = await self.ask(method, path, body, after)
        if answer.status_code in refused:
            return None
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json()["data"] if answer.content else None

    async def save(self, product, **fields):
        return await self.do("POST", "/items", {"productId": product, **fields})

    async def products(self):
        return sorted([item["productId"] for item in await self.do("GET", "/items?limit=250")])


async def racer(http, shop, after=0.0, **body):
    """Requests a token for a new visitor or the named profile (with both, after a link); returns
    its Racer."""
    made = await Racer(http, shop.admin_token).do("POST", "/profiles/token", body, after)
    return Racer(http, made["token"], made["profile"])


def statuses_of(answers):
    return [answer.status_code for answer in answers]


class Saved(NamedTuple):
    """The response to a save; ``at`` is its time (monotonic)."""

    product: int
    status: int
    seconds: float
    at: float


class Saver(threading.Thread):
    """A thread that saves one product after the other until ``over`` is set."""

    def __init__(self, http: httpx2.Client) -> None:
        super().__init__(daemon=True)
        http.timeout = 30
        self.http, self.over = http, threading.Event()
        self.done: list[Saved] = []
        self.start()

    def run(self) -> None:
        for product in itertools.count(1):
            if self.over.wait(0.03):
                break
            began = time.monotonic()
            answer = self.http.post("/items", json={"productId": product})
            now = time.monotonic()
            self.done.append(Saved(product, answer.status_code, now - began, now))

    def lost(self) -> set[int]:
        """Returns the products whose save was acknowledged but which are missing."""
        pages = walk(self.http, "/items", limit=250)
        there = {item["productId"] for page in pages for item in page}
        return {one.product for one in self.done if one.status == 201} - there


@contextlib.contextmanager
def saving(*clients: httpx2.Client):
    """Lets each client save during a block."""
    savers = [Saver(http) for http in clients]
    try:
        yield savers
    finally:
        for saver in savers:
            saver.over.set()
        for saver in savers:
            saver.join()
