"""Both clients, called alike: a test is written once and runs with each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.client.lossy import Lossy
from wishwell.client import AsyncWishwell, Wishwell

SOON = {"retries": 4, "longest_wait": 0.05}
"""Pauses that no test has to wait for."""


class Awaited:
    """The async client, or a part of it, called like the blocking one: each call on an event loop."""

    def __init__(self, portal: BlockingPortal, real: Any) -> None:
        self._portal = portal
        self._real = real

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        return partial(self._call, found) if callable(found) else Awaited(self._portal, found)

    def _call(self, method: Any, *arguments: Any, **named: Any) -> Any:
        result = method(*arguments, **named)
        if inspect.isawaitable(result):
            return self._portal.call(_awaited, result)
        if inspect.isasyncgen(result):
            return self._each(result)
        return Awaited(self._portal, result) if isinstance(result, AsyncWishwell) else result

    def _each(self, records: Any) -> Any:
        while True:
            try:
                yield self._portal.call(_awaited, anext(records))
            except StopAsyncIteration:
                return

    def close(self) -> None:
        self._portal.call(self._real.aclose)


async def _awaited(result: Any) -> Any:
    return await result


@pytest.fixture(scope="session", params=["sync", "async"])
def kind(request) -> str:
    return request.param


@pytest.fixture(scope="session")
def portal(kind):
    if kind == "sync":
        yield None
        return
    with start_blocking_portal("asyncio") as portal:
        yield portal


@pytest.fixture
def connect(portal) -> Iterator[Callable[..., Any]]:
    """Make a client, of the one kind and of the other."""
    made = []

    def make(url: str, token: str, **options: Any) -> Any:
        if portal is None:
            client: Any = Wishwell(url, token, **options)
        else:
            client = Awaited(portal, portal.call(partial(AsyncWishwell, url, token, **options)))
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def wishes(connect, roomy_shop):
    """A client of a new customer, of a store without narrow limits."""
    member = roomy_shop.customer()
    return connect(roomy_shop.service.url, member.token)


@pytest.fixture
def lossy(service):
    """The service, behind a network that loses what a test tells it to."""
    with Lossy(service.url) as proxy:
        yield proxy
