"""A client for each test, of the kind that blocks.

The one for asyncio is the same text (test_generated.py), and has one test of its own in
test_operations.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.client.lossy import Lossy
from wishwell.client import Wishwell

SOON: dict[str, Any] = {"retries": 4, "longest_wait": 0.05}
"""Pauses that no test has to wait for."""


@pytest.fixture
def connect() -> Iterator[Callable[..., Any]]:
    """Make a client."""
    made = []

    def make(url: str, token: str, **options: Any) -> Wishwell:
        made.append(Wishwell(url, token, **options))
        return made[-1]

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
