"""Refusals of a real service that pass: a limit that is used up, a database that is away."""

import sys
import threading
import time
from pathlib import Path

import pytest

from tests.client.conftest import SOON
from tests.client.lossy import Lossy
from tests.client.test_operations import logged
from tests.conftest import Shop
from tests.servers import PostgresServer, Service
from wishwell.client import RateLimited, Unavailable

pytestmark = pytest.mark.either_engine

ROOT = Path(__file__).parents[2]


class Clock:
    """A service's own clock, so that a test needn't wait for the end of a real minute."""

    def __init__(self, service: Service) -> None:
        self._file = service.folder / "clock"
        self._step(0)
        script = service.folder / "wishwell"
        script.write_text(
            f"#!/bin/sh\nTORTURE_CLOCK={self._file} PYTHONPATH={ROOT} exec {sys.executable} -m "
            'torture.skewed "$@"\n'
        )
        script.chmod(0o755)
        service.command = script

    def set_second(self, second: float) -> None:
        """Goes to this second of the next minute: the counts of the one before are over."""
        now = time.time()
        following = int(now + self._offset) // 60 + 1
        self._step(60 * following + second - now)

    def _step(self, offset: float) -> None:
        self._offset = offset
        new = self._file.with_suffix(".new")
        new.write_text(str(offset))
        new.replace(self._file)


@pytest.fixture(scope="module")
def narrow():
    """A service whose profiles may write and ask twice a minute, by a clock that can be set."""
    service = Service({"WISHWELL_LIMIT_PROFILE_WRITE": "2", "WISHWELL_LIMIT_PROFILE_READ": "2"})
    clock = Clock(service)
    with service:
        yield service, clock


def test_limit_is_waited_for(connect, narrow):
    """contract: limit-window. Beyond the limit a call waits as long as it is told, then happens once: a
    new list too."""
    service, clock = narrow
    with Lossy(service.url) as network:
        patient = connect(network.url, Shop(service).customer().token)
        clock.set_second(56)
        for product in (1, 2):
            patient.items.create(product)
        network.expect()
        began = time.monotonic()
        made = patient.lists.create("Gifts")
        assert len(network.seen) >= 2
        assert time.monotonic() - began >= 1
        assert patient.lists.list().data == (made,)


def test_limit_that_is_longer_than_the_patience(connect, narrow):
    """The error comes at once, after one request, and says how long to wait."""
    service, clock = narrow
    with Lossy(service.url) as network:
        hasty = connect(network.url, Shop(service).customer().token, longest_wait=2)
        clock.set_second(5)
        for product in (1, 2):
            hasty.items.create(product)
        network.expect()
        with pytest.raises(RateLimited) as refused:
            hasty.items.create(3)
        assert len(network.seen) == 1
        assert refused.value.status == 429
        assert 2 < refused.value.retry_after <= 55
        logged(service, refused.value.request_id)
        assert [item.product_id for item in hasty.items.all()] == [2, 1]


@pytest.fixture(scope="module")
def frail():
    """A service on a database that can be stopped and started."""
    with PostgresServer() as database:
        settings = {
            "WISHWELL_DATABASE_URL": database.create_database(),
            "WISHWELL_SIGNING_KEYS": "k" * 40,
        }
        service = Service(settings)
        service.cli("migrate")
        with service:
            yield service, database


def test_database_that_comes_back_is_waited_for(connect, frail):
    """503 is answered meanwhile; what is harmless to repeat succeeds by itself, and once."""
    service, database = frail
    with Lossy(service.url) as network:
        patient = connect(network.url, Shop(service).customer().token, retries=8)
        patient.items.create(1)
        database.stop()
        starting = threading.Timer(0.5, database.start)
        starting.start()
        network.expect()
        assert patient.items.create(2).product_id == 2
        starting.join()
        assert len(network.seen) >= 2
        assert [item.product_id for item in patient.items.all()] == [2, 1]


def test_database_that_stays_away(connect, frail):
    """The error after all retries; for a new list after one request, as it can't be repeated."""
    service, database = frail
    shop = Shop(service)
    with Lossy(service.url) as network:
        customer = connect(network.url, shop.customer().token, retries=1)
        database.stop()
        try:
            with pytest.raises(Unavailable) as refused:
                customer.items.list()
            assert len(network.seen) == 2
            assert refused.value.status == 503
            assert refused.value.retry_after >= 1
            logged(service, refused.value.request_id)
            network.expect()
            with pytest.raises(Unavailable):
                customer.lists.create("Gifts")
            assert len(network.seen) == 1
            hasty = connect(network.url, shop.admin_token, **SOON)
            network.expect()
            with pytest.raises(Unavailable):
                hasty.items.list()
            assert len(network.seen) == 1
        finally:
            database.start()
        assert list(customer.lists.all()) == []
