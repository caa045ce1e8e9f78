"""A cluster of its own, and what it costs that one of its servers dies.

With the programs of a PostgreSQL that has Citus: WISHWELL_TEST_POSTGRES_BIN.
"""

import time

import pytest

from tests.conftest import SEALING_KEY, SIGNING_KEY
from tests.servers import OwnCluster, Service, has_citus, wait_until

pytestmark = [
    pytest.mark.skipif(not has_citus(), reason="the PostgreSQL of the tests has no Citus"),
    pytest.mark.xdist_group("cluster"),
]
CUSTOMERS = [f"gid://shopify/Customer/{number}" for number in range(24)]


@pytest.fixture(scope="module")
def own():
    with OwnCluster() as cluster:
        yield cluster


@pytest.fixture(params=[0, 1], ids=["coordinator", "worker"])
def served(own, request):
    """A service that asks that server of the cluster; its store tells events."""
    url = own.create_database()
    settings = {
        "WISHWELL_DATABASE_URL": url,
        "WISHWELL_SIGNING_KEYS": SIGNING_KEY,
        "WISHWELL_SEALING_KEYS": SEALING_KEY,
        "WISHWELL_LIMIT_ADDRESS": "10",
    }
    service = Service(settings)
    service.cli("migrate", "--cluster")
    service.cli("store", "update", "default", "--events", "on")
    service.settings["WISHWELL_DATABASE_URL"] = own.url(url.rpartition("/")[2], request.param)
    with service:
        yield service


def test_server_that_dies_costs_only_its_profiles(own, served):
    """contract: cluster-server-away. Its profiles get 503, the others are served, `/readyz` is 200;
    when it is back, all of them are, the purge and the feed too."""
    admin = served.client(served.admin_token())
    tokens = [
        admin.post("/profiles/token", json={"customer": gid}).json()["data"]["token"]
        for gid in CUSTOMERS
    ]
    shoppers = [served.client(token) for token in tokens]
    for http in shoppers:
        assert http.post("/items", json={"productId": 1}).status_code == 201
    own.servers[2].stop("immediate")
    try:
        time.sleep(5)  # what was known is old by now
        for product in (2, 3):
            reads = [http.get("/items").status_code for http in shoppers]
            saves = [http.post("/items", json={"productId": product}) for http in shoppers]
            assert {200, 503} == set(reads), served.output()[-3000:]
            assert [201 if read == 200 else 503 for read in reads] == [a.status_code for a in saves]
        assert served.client().get(f"{served.url}/readyz").status_code == 200
        assert admin.get("/items").status_code == 503
    finally:
        own.servers[2].start()
    back = time.monotonic()
    assert wait_until(lambda: all(h.get("/items").status_code == 200 for h in shoppers), seconds=2)
    print("well after", time.monotonic() - back)
    assert admin.get("/items").status_code == 200
    there = len(admin.get("/items?limit=250").json()["data"])

    def told() -> bool:
        return len(admin.get("/events?limit=250").json()["data"]) == there

    assert wait_until(told, seconds=10, every=0.2)
    assert "Traceback" not in served.output()
