"""Refusals of a real service that pass: a limit that is used up, a database that is away."""

import sys
import threading
import time
from pathlib import Path

import pytest

from tests.client.lossy import Lossy
from tests.conftest import Shop
from tests.servers import PostgresServer, Service

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
