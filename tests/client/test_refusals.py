"""Refusals of a real service that pass: a limit that is used up, a database that is away."""

import threading
import time

import pytest

from tests.client.lossy import Lossy
from tests.conftest import Shop
from tests.servers import PostgresServer, Service
from torture.faults_clock import step, with_clock

pytestmark = pytest.mark.either_engine


@pytest.fixture(scope="module")
def narrow():
    """A service whose profiles may write and ask twice a minute, by a clock that can be stepped."""
    service = Service({"WISHWELL_LIMIT_PROFILE_WRITE": "2", "WISHWELL_LIMIT_PROFILE_READ": "2"})
    clock = with_clock(service, 0)
    with service:
        yield service, clock


def test_limit_is_waited_for(connect, narrow):
    """contract: limit-window. Beyond the limit a call waits as long as it is told, then happens
    once: a new list too."""
    service, clock = narrow
    shop = Shop(service)
    with Lossy(service.url) as network:
        step(clock, 116 - time.time() % 60)  # second 56 of the next minute
        patient = connect(network.url, shop.customer().token)
        for product in (1, 2):
            patient.items.create(product)
        network.expect()
        began = time.monotonic()
        made = patient.lists.create("Gifts")
        assert len(network.seen) >= 2
        assert time.monotonic() - began >= 1
        assert patient.lists.list().data == (made,)


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
