"""A blocking client for each test.

The asyncio client has the same source (tests/lint/test_generated.py) and one test of its own in
test_operations.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.client.lossy import Lossy
from wishwell_client import Wishwell

SOON: dict[str, Any] = {"retries": 4, "longest_wait": 0.05}
"""Backoff short enough for tests."""


@pytest.fixture
def connect() -> Iterator[Callable[..., Any]]:
    """A factory for clients."""
    made = []

    def make(url: str, token: str, **options: Any) -> Wishwell:
        made.append(Wishwell(url, token, **options))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def wishes(connect, roomy_shop):
    """A client of a new customer in a store with roomy rate limits."""
    member = roomy_shop.customer()
    return connect(roomy_shop.service.url, member.token)


@pytest.fixture
def lossy(service):
    """The service behind a proxy that loses requests and responses as planned."""
    with Lossy(service.url) as proxy:
        yield proxy
