"""A Citus cluster for these tests, and the effects of a server's failure. Needs a PostgreSQL with
Citus in WISHWELL_TEST_POSTGRES_BIN."""

import time

import pytest

from tests.api.test_webhooks import OPEN, Beside
from tests.conftest import SIGNING_KEY
from tests.servers import OwnCluster, Service, citus, has_citus, wait_until

from .conftest import saving

pytestmark = [
    pytest.mark.skipif(not has_citus(), reason="the PostgreSQL of the tests has no Citus"),
    pytest.mark.xdist_group("cluster"),
]
CUSTOMERS = [f"gid://shopify/Customer/{number}" for number in range(1, 25)]


@pytest.fixture(scope="module")
def own():
    with OwnCluster() as cluster:
        yield cluster


@pytest.fixture(params=[0, 1], ids=["coordinator", "worker"])
def served(own, request):
    """A service that uses one of the cluster's servers, or all; its store has events on. An address
    without a token gets ten requests a minute."""
    url = own.create_database()
    settings = OPEN | {
        "WISHWELL_DATABASE_URL": url,
        "WISHWELL_SIGNING_KEYS": SIGNING_KEY,
        "WISHWELL_LIMIT_ADDRESS": "10",
        "WISHWELL_LIMIT_PROFILE_WRITE": "1000000",
        "WISHWELL_LIMIT_ADMIN_WRITE": "1000000",
    }
    service = Service(settings)
    service.cli("migrate", "--cluster")
    service.cli("store", "update", "default", "--events", "on")
    database = url.rpartition("/")[2]
    asked = own.url_of_all(database) if request.param is None else own.url(database, request.param)
    service.settings["WISHWELL_DATABASE_URL"] = asked
    with service:
        yield service


def test_postgresql_accepts_every_setting_of_the_example(own):
    """PostgreSQL accepts every setting of `deploy/citus.conf`; it only warns about unknown ones."""
    for name, value in citus.settings().items():
        assert own.servers[0].sql(f"SHOW {name}").strip() == value


def test_dead_server_affects_only_its_profiles(own, served):
    """A dead server makes requests on its profiles, or on a whole store, 503. Once it is back
    everything works, the feed too.
    Rule: cluster-nodes."""
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
        time.sleep(5)  # until cached data has expired
        for product in (2, 3):
            reads = [http.get("/items").status_code for http in shoppers]
            saves = [http.post("/items", json={"productId": product}) for http in shoppers]
            assert {200, 503} == set(reads), served.output()[-3000:]
            assert [201 if read == 200 else 503 for read in reads] == [a.status_code for a in saves]
            assert all("Nothing was done" in save.text for save in saves if save.status_code == 503)
        assert served.client().get(f"{served.url}/readyz").status_code == 200
        assert admin.get("/items").status_code == 503
        assert "access_cache_put_off" not in served.output()
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


@pytest.mark.parametrize("served", [1, None], ids=["worker", "all"], indirect=True)
def test_wishes_emit_events_through_any_server(served):
    """Deliveries work through any server: setting up a connection to a worker fits into a
    statement's timeout.
    Rule: delivery-at-least-once."""
    admin = served.client(served.admin_token())
    with Beside() as receiver:
        assert admin.post("/webhooks", json={"url": receiver.url}).status_code == 201
        for gid in CUSTOMERS:
            saved = admin.post("/items", json={"productId": 1}, headers={"Profile": gid})
            assert saved.status_code == 201, saved.text

        def received():
            return {message.event["profile"] for message in receiver.got} >= {*CUSTOMERS}

        assert wait_until(received, seconds=20, every=0.1), served.output()[-3000:]


@pytest.mark.slow
def test_worker_is_added_and_data_moves_under_load(own, served):
    """Adding a worker and moving shards under load loses no acknowledged write; a save to a moving
    shard waits or is 503. Two shards per table move, because each takes seconds.
    Rule: write-durable."""
    admin = served.admin_token()
    database = served.settings["WISHWELL_DATABASE_URL"].rpartition("/")[2]
    with saving(*(served.client(admin, gid) for gid in CUSTOMERS[:8])) as savers:
        time.sleep(1)
        own.add_worker(database)
        moves = "max_shard_moves => 2, shard_transfer_mode => 'force_logical'"
        own.sql(f"SELECT rebalance_table_shards({moves})", database)
        time.sleep(1)
    moved = own.sql(
        f"SELECT count(*) FROM citus_shards WHERE nodeport = {own.servers[-1].port}", database
    )
    assert int(moved) > 0
    statuses = {one.status for saver in savers for one in saver.done}
    assert statuses <= {201, 503}, served.output()[-3000:]
    assert [saver.lost() for saver in savers] == [set()] * 8
