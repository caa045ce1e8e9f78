"""Single requests to one profile, and links between two, are linearizable on both engines.

A quick look; ``python -m torture linearizability`` takes thousands of histories (docs/decisions/0013). A walk
over several pages is several requests, and no single moment.
"""

import asyncio

import pytest

from tests.linearizability.harness import SETTINGS, Harness
from tests.linearizability.verify import verify

HISTORIES = 12


@pytest.fixture(params=["off", "on"])
def harness(new_service, engine, request):
    """A service whose store tells events, and one whose store doesn't."""
    workers = "2" if engine == "postgresql" else "1"
    service = new_service(WISHWELL_WORKERS=workers, **SETTINGS)
    service.cli("migrate")
    service.cli("store", "update", "default", "--events", request.param)
    service.start()
    yield Harness(service)
    assert "Traceback" not in service.output()
    service.stop()


def test_histories_of_several_clients_are_linearizable(harness):
    """contract: request-linearizable. Every kind of request has been among them."""
    found = asyncio.run(verify(harness, HISTORIES, seed=1))
    assert not found.wrong, found.wrong[0]
    assert found.histories == HISTORIES
    assert found.kinds.keys() >= {"link", "purge", "save", "order", "set_lists", "items_page"}
    assert not {status for status in found.statuses if status >= 500}
