"""Single requests to one profile, and links of two, are linearizable on both engines.

A short run; ``WISHWELL_TEST_HISTORIES`` makes thousands (docs/decisions/0013). A walk over several
pages is several requests and not atomic.
"""

import asyncio
import os

import pytest

from tests.conftest import slow
from tests.linearizability.checker import unexplained
from tests.linearizability.drive import histories
from tests.linearizability.harness import SETTINGS, Harness

HISTORIES = int(os.environ.get("WISHWELL_TEST_HISTORIES", "8"))


@pytest.fixture(params=["off", slow("on")])
def harness(new_service, engine, request):
    """A service whose store has events on, and one whose store has them off."""
    workers = "2" if engine == "postgresql" else "1"
    service = new_service(WISHWELL_WORKERS=workers, **SETTINGS)
    service.cli("init")
    service.cli("store", "update", "default", "--events", request.param)
    service.start()
    yield Harness(service)
    assert "Traceback" not in service.output()
    service.stop()


def test_histories_of_several_clients_are_linearizable(harness):
    """Histories of all kinds of requests are linearizable. Rule: request-linearizable."""
    kinds = set()
    for run in asyncio.run(histories(harness, HISTORIES)):
        assert not (why := unexplained(run.operations, run.who.world())), why
        assert all(operation.answer.status < 500 for operation in run.operations)
        kinds |= {operation.call.kind for operation in run.operations}
    assert kinds >= {"link", "purge", "save", "order", "move", "set_lists", "items_page"}
