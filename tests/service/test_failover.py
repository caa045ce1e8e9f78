"""Failover of a primary with a synchronous standby: a short form of `tests/faults/faults_failover.py`,
and cut writes."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.conftest import SIGNING_KEY
from tests.faults.relay import Relay, relay
from tests.servers import HERE, PREFIX, PostgresServer, Service, wait_until

# The tests suspend servers for seconds, so xdist runs them in one process.
pytestmark = pytest.mark.xdist_group("failover")

CUSTOMER = "gid://shopify/Customer/1"
OURS = "FROM pg_stat_activity WHERE application_name = 'wishwell'"


class Pair:
    """A primary with a synchronous standby, and a service that knows both."""

    def __init__(self) -> None:
        self.primary = PostgresServer()
        database = self.primary.create_database()
        self.name = database.rpartition("/")[2]
        self.service = Service(
            {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_LIMIT_ADDRESS": "100000"}
            | {"WISHWELL_DATABASE_URL": database, "WISHWELL_DATABASE_TIMEOUT": "1"}
            | {"WISHWELL_DATABASE_CONNECTIONS": "6"}
        )
        self.service.cli("init")
        self.standby = self.primary.standby()
        self.primary.wait_for_standbys(wait=True)

    def start(self, *ports: int, options: str = "") -> httpx2.Client:
        """Starts the service with these hosts' ports; returns an admin's client."""
        hosts = ",".join(
            f"{HERE}:{port}" for port in ports or (self.primary.port, self.standby.port)
        )
        url = f"postgresql://{self.primary.user}@{hosts}/{self.name}{options}"
        self.service.settings["WISHWELL_DATABASE_URL"] = url
        self.service.start()
        admin = self.service.client(self.service.admin_token())
        admin.headers["Profile"] = CUSTOMER
        admin.timeout = 30
        return admin

    def products(self, server: PostgresServer) -> set[int]:
        return {int(n) for n in server.sql("SELECT product_id FROM items", self.name).split()}

    def close(self) -> None:
        self.standby.resume()
        self.primary.resume()
        for program in (self.service, self.standby, self.primary):
            program.close()


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    made = Pair()
    yield made
    made.close()


@pytest.fixture
def shared(pair) -> Iterator[Pair]:
    """The pair, for tests that don't promote the standby."""
    yield pair
    pair.standby.resume()
    pair.service.stop()
    pair.primary.sql("TRUNCATE profiles CASCADE", pair.name)


@contextlib.contextmanager
def relayed(*targets: int) -> Iterator[list[Relay]]:
    """Runs a relay to each port in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def begin(stack: contextlib.AsyncExitStack) -> list[Relay]:
        return [await stack.enter_async_context(relay(target)) for target in targets]

    stack = contextlib.AsyncExitStack()
    try:
        yield asyncio.run_coroutine_threadsafe(begin(stack), loop).result(10)
    finally:
        asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def saves(admin: httpx2.Client, product: int) -> bool:
    answer = admin.post("/items", json={"productId": product})
    print(f"product {product}: {answer.status_code} {answer.text}")  # shown if the test fails
    return answer.status_code == 201


@pytest.mark.slow
def test_overdue_write_loses_its_connection_but_continues_in_the_server(shared):
    """While the standby is suspended, an overdue save and link lose their connections and continue
    in the server, invisible to everybody. Both are visible once the standby resumes.
    Rules: standby-confirms, write-durable, database-away."""
    admin = shared.start()
    assert saves(admin, 1)
    del admin.headers["Profile"]
    session = admin.post("/profiles/token").json()["data"]
    visitor = shared.service.client(session["token"])
    assert saves(visitor, 2)
    shared.standby.pause()
    customer = {"Profile": CUSTOMER}
    saved = admin.post("/items", json={"productId": 3}, headers=customer)
    body = {"session": session["profile"], "customer": CUSTOMER + "2"}
    linked = admin.post("/profiles/token", json=body)
    for answer in (saved, linked):
        assert answer.status_code == 503
        assert "The outcome is unknown" in answer.json()["error"]["message"]
        assert answer.elapsed.total_seconds() < 5
    waiting = f"SELECT count(*) {OURS} AND wait_event = 'SyncRep'"
    # Over twice the statement timeout, so the server would have ended it by now.
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        assert int(shared.primary.sql(waiting)) >= 2
        assert shared.products(shared.primary) == {1, 2}
        time.sleep(0.2)
    [item] = admin.get("/items", headers=customer).json()["data"]
    assert item["productId"] == 1
    assert "canceling" not in shared.primary.output()
    shared.standby.resume()
    assert wait_until(lambda: shared.products(shared.primary) == {1, 2, 3}, seconds=5)
    answer = admin.get("/items", headers={"Profile": CUSTOMER + "2"})
    assert [item["productId"] for item in answer.json()["data"]] == [2]


def test_writes_that_wait_for_a_standby_do_not_block_reads(shared):
    """Reads work while three times as many writes as connections wait for the standby.
    Rule: standby-confirms."""
    admin = shared.start()
    assert saves(admin, 1)
    shared.standby.pause()
    answers: list[httpx2.Response] = []

    def write(number: int) -> None:
        headers = dict(admin.headers) | {"profile": f"gid://shopify/Customer/c{number}"}
        url = f"{shared.service.url}{PREFIX}/items"
        body = {"productId": number}
        answers.append(httpx2.post(url, headers=headers, json=body, timeout=30))

    with ThreadPoolExecutor(18) as at_once:
        list(at_once.map(write, range(2, 20)))
    assert {answer.status_code for answer in answers} == {503}
    assert {admin.get("/items").status_code for _ in range(5)} == {200}
    refused = admin.post("/items", json={"productId": 30})
    assert "Nothing was done" in refused.json()["error"]["message"]
    assert refused.elapsed.total_seconds() < 1
    assert int(shared.primary.sql(f"SELECT count(*) {OURS}")) <= 3 * 6
    shared.standby.resume()
    assert wait_until(lambda: saves(admin, 31), seconds=2)


@pytest.mark.slow
def test_unresponsive_first_host_does_not_block_a_start(shared):
    """An unresponsive first host doesn't block a start or a command, because each host has its own
    timeout.
    Rule: database-failover."""
    with relayed(shared.standby.port) as [first]:
        first.swallows = True
        admin = shared.start(first.port, shared.primary.port)
        assert saves(admin, 1)
        assert "nothing to do" in shared.service.cli("init").stdout


def test_process_moves_to_another_host_when_its_own_fails(shared):
    """With random load balancing, a process moves to another host when its own fails.
    Rule: database-failover."""
    with relayed(shared.primary.port, shared.primary.port) as ways:
        admin = shared.start(*(way.port for way in ways), options="?load_balance_hosts=random")
        assert saves(admin, 1)
        used, other = sorted(ways, key=lambda way: -way.connections)
        assert other.connections == 0
        used.swallows = True
        assert wait_until(lambda: admin.get("/items").status_code == 200, seconds=5)
        assert saves(admin, 2)
        assert other.connections >= 1


@pytest.mark.slow
def test_suspended_primary_is_replaced_and_not_written_to_again(pair):
    """A suspended primary is replaced and, when it resumes, not written to by this process or a new
    one that lists it first. Last test, because it promotes the standby.
    Rules: database-failover, write-durable."""
    admin = pair.start()
    assert saves(admin, 1)
    pair.primary.pause()
    answer = admin.post("/items", json={"productId": 2})
    assert answer.status_code == 503
    # A suspended server carries out what it received once it resumes, so no response may claim that
    # nothing was done.
    written = {1} if "Nothing was done" in answer.json()["error"]["message"] else {1, 2}
    pair.standby.sql("SELECT pg_promote()")
    assert wait_until(lambda: saves(admin, 3), seconds=2)
    pair.primary.resume()
    assert saves(admin, 4)
    kept = f"SELECT count(*) {OURS} AND state = 'idle'"
    assert wait_until(lambda: pair.primary.sql(kept) == "0\n", seconds=10)
    pair.service.restart()
    admin.base_url = pair.service.url + PREFIX
    assert saves(admin, 5)
    assert "database_old_primary" in pair.service.output()
    assert pair.products(pair.standby) >= {1, 3, 4, 5}
    # Writes that still wait for the lost standby become visible now.
    pair.primary.wait_for_standbys(wait=False)
    assert not wait_until(lambda: pair.products(pair.primary) - written, seconds=0.5, every=0.1)
