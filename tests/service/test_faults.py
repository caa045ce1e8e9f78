"""Faults found by the long suite (`tests/faults/`), each as a quick test of the real program."""

import os
import resource
import signal
import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from tests.api.conftest import connect, request_head
from tests.conftest import SIGNING_KEY, Shop
from tests.servers import PostgresServer, Service, holding, wait_until
from tests.service.test_away import begin_body

CUSTOMER = "gid://shopify/Customer/one"
# The tests share a server and stop it, so xdist runs them in one process.
pytestmark = pytest.mark.xdist_group("faults")

ROOMY = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_LIMIT_ADDRESS": "100000"}


@pytest.fixture(scope="module")
def own_postgres():
    """A server that only these tests use, so they may stop it."""
    with PostgresServer() as server:
        yield server
        server.resume()


def new_service_on(server: PostgresServer, **settings: str) -> Service:
    service = Service(ROOMY | {"WISHWELL_DATABASE_URL": server.create_database()} | settings)
    service.cli("init")
    return service


@pytest.fixture
def alone():
    """A factory for services on the embedded database, closed with the test."""
    made = []

    def make(**settings: str) -> Service:
        service = Service(ROOMY | {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"} | settings)
        made.append(service)
        return service

    yield make
    for service in made:
        service.close()


# ---------------------------------------------------------------------------- a paused database


@pytest.mark.parametrize("command", ["store list", "migrate"])
def test_command_names_the_time_limit_when_the_database_is_suspended(own_postgres, command):
    """A command that can't reach a suspended database in time names the limit and its setting.
    Rule: command-error."""
    service = new_service_on(own_postgres)
    service.settings["WISHWELL_COMMAND_TIMEOUT"] = "0.5"
    own_postgres.pause()
    try:
        done = service.cli(*command.split(), check=False)
    finally:
        own_postgres.resume()
    assert done.returncode == 1
    assert "didn't respond within 0.5 s" in done.stderr
    assert "WISHWELL_COMMAND_TIMEOUT" in done.stderr


@pytest.mark.slow
def test_command_waits_for_a_busy_database(own_postgres):
    """A command succeeds although the database, or the only one of two hosts that runs, is
    suspended for longer than a request may take. Rule: command-error."""
    services = [new_service_on(own_postgres), new_service_on(own_postgres)]
    url = services[1].settings["WISHWELL_DATABASE_URL"]
    services[1].settings["WISHWELL_DATABASE_URL"] = url.replace(
        "@127.0.0.1", "@127.0.0.1:1,127.0.0.1"
    )
    own_postgres.pause()
    try:
        with ThreadPoolExecutor() as pool:
            commands = [pool.submit(service.cli, "store", "list") for service in services]
            time.sleep(6)
            own_postgres.resume()
            assert ["default" in command.result().stdout for command in commands] == [True, True]
    finally:
        own_postgres.resume()


@pytest.mark.slow
def test_request_fails_within_5_seconds_when_the_database_is_suspended(own_postgres):
    """With a suspended database and expired caches, thirty concurrent requests are each 503 within
    5 s.
    Rule: database-away."""
    with new_service_on(own_postgres) as service:
        http = Shop(service).customer().http
        own_postgres.pause()
        try:
            with ThreadPoolExecutor(30) as pool:
                answers = [a for _ in range(4) for a in pool.map(http.get, ["/items"] * 30)]
        finally:
            own_postgres.resume()
        told = {(answer.status_code, answer.headers["Retry-After"]) for answer in answers}
        assert told == {(503, "1")}
        # The limit of a request's time (5 s) holds, because requests don't wait for each other.
        assert max(answer.elapsed.total_seconds() for answer in answers) < 5
        assert wait_until(lambda: http.get("/items").status_code == 200, seconds=30)


def test_write_whose_connection_is_lost_is_reported_as_undecided(own_postgres):
    """A write whose connection is lost while its statement waits for a lock is reported as
    undecided.
    Rule: write-durable."""
    with new_service_on(own_postgres) as service:
        http = Shop(service).customer().http
        assert http.post("/items", json={"productId": 1}).status_code == 201
        database = service.settings["WISHWELL_DATABASE_URL"]
        cut = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            f"AND application_name = 'wishwell' AND datname = '{database.rpartition('/')[2]}'"
        )
        lock = holding(database, "LOCK TABLE profiles IN ACCESS EXCLUSIVE MODE")
        with lock, ThreadPoolExecutor() as pool:
            asked = pool.submit(http.post, "/items", json={"productId": 2})
            assert wait_until(lambda: asked.done() or own_postgres.sql(cut), seconds=30)
            answer = asked.result()
        assert answer.status_code == 503
        assert "The outcome is unknown" in answer.json()["error"]["message"]


# ------------------------------------------------------------------------ processes that die


@pytest.mark.slow
def test_worker_that_dies_while_the_database_is_unreachable_is_replaced(own_postgres):
    """A worker that dies while the database is unreachable is replaced, and the service doesn't
    end.
    Rule: serve-workers."""
    with new_service_on(own_postgres, WISHWELL_WORKERS="2") as service:
        shop = Shop(service)
        token = shop.customer().token
        workers = psutil.Process(service.process.pid).children(recursive=True)
        serving = [w for w in workers if "spawn_main" in " ".join(w.cmdline())]
        own_postgres.stop("immediate")
        try:
            serving[0].kill()
            time.sleep(3)
            assert service.running, service.output()[-3000:]
        finally:
            own_postgres.start()
        good = lambda: shop.client(token).get("/items").status_code == 200  # noqa: E731
        assert wait_until(good, seconds=30)
        assert '"worker_died"' in service.output()


@pytest.mark.slow
def test_workers_end_when_their_parent_was_killed(alone):
    """Workers end when their parent is killed, and free the port. Rule: serve-workers."""
    service = alone(WISHWELL_WORKERS="2").start()
    family = psutil.Process(service.process.pid).children(recursive=True)
    os.kill(service.process.pid, signal.SIGKILL)
    service.process.wait()
    left = lambda: [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]  # noqa: E731
    assert wait_until(lambda: not left(), seconds=30)


# ------------------------------------------------------------------------------ half a body


def test_half_sent_bodies_take_no_request_slots(alone):
    """Sixteen half-sent bodies don't take the four request slots. Rule: slow-clients."""
    with alone(WISHWELL_MAX_IN_FLIGHT="4") as service:
        customer = Shop(service).customer()
        dawdling = [begin_body(service, customer.token) for _ in range(16)]
        assert {customer.http.get("/items").status_code for _ in range(5)} == {200}
        assert customer.http.post("/items", json={"productId": 1}).status_code == 201
        for connection in dawdling:  # they still get their response
            connection.sendall(b'{"productId": 123456789012345}')
            assert connection.recv(4096).split()[1] in (b"200", b"201")
            connection.close()


@pytest.mark.slow
def test_program_raises_its_limit_of_open_files(alone):
    """The program raises its limit of open files to the system's maximum. Rule: slow-clients."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    service = alone()
    # Only the program gets the low limit: the tests' own process may have more files open.
    script = service.folder / "limited"
    script.write_text(f'#!/bin/sh\nulimit -Sn 512\nexec {service.command} "$@"\n')
    script.chmod(0o700)
    service.command = script
    service.start()
    found = resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE)
    assert found == (min(65_536, files[1]), files[1])


# --------------------------------------------------------------------- steps of one request


def test_link_is_rolled_back_when_its_token_cannot_be_issued(own_postgres):
    """A link is rolled back if its token can't be issued.
    Rules: write-durable, link-atomic."""
    with new_service_on(own_postgres, WISHWELL_DATABASE_TIMEOUT="2") as service:
        admin = service.client(service.admin_token())
        session = admin.post("/profiles/token").json()["data"]
        visitor = service.client(session["token"])
        assert visitor.post("/items", json={"productId": 1}).status_code == 201
        body = {"customer": CUSTOMER, "session": session["profile"]}
        database = service.settings["WISHWELL_DATABASE_URL"]
        with holding(database, "LOCK TABLE revocations"):
            answer = admin.post("/profiles/token", json=body)
        assert answer.status_code == 503
        assert "Nothing was done" in answer.json()["error"]["message"]
        assert wait_until(lambda: visitor.get("/items").status_code != 503, seconds=30)
        [item] = visitor.get("/items").json()["data"]
        assert item["productId"] == 1
        assert admin.get("/items", headers={"Profile": CUSTOMER}).json()["data"] == []
        assert admin.post("/profiles/token", json=body).status_code == 201
        assert visitor.get("/items").status_code == 401


def test_clients_that_cut_their_connections_leave_no_traceback(alone):
    """Connections that are reset while one of their requests is in progress leave no traceback."""
    with alone().start() as service:
        token = Shop(service).customer().token
        body = b'{"productId": 1}'
        lines = ("Content-Type: application/json", f"Content-Length: {len(body)}")
        request = request_head("POST", "/items", token, *lines) + body

        def cut(number: int) -> None:
            with connect(service) as connection:
                reset = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                connection.sendall(request * 16)
                time.sleep(number % 10 / 1000)

        with ThreadPoolExecutor(8) as pool:
            for _ in range(10):  # on a slow machine fewer are in progress when cut
                list(pool.map(cut, range(300)))
                if service.output().count("/items") > 100:
                    break
        assert service.stop() == 0
        assert service.output().count("/items") > 100
        assert "Traceback" not in service.output()
