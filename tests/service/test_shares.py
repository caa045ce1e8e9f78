"""Greedy callers of the real program: who gets an answer, and who has to wait or is refused.

What takes time is a lock that another program holds, so the order of the answers is certain.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.api.conftest import connect
from tests.servers import HERE, PREFIX, Service, wait_until

pytestmark = pytest.mark.xdist_group("shares")

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CUSTOMERS = [f"gid://shopify/Customer/{number}" for number in range(1, 4)]


def value(service: Service, name: str) -> float:
    lines = httpx2.get(f"{service.url}/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name}"))


@contextlib.contextmanager
def hold_write_lock(service: Service):
    """Another program writes to the SQLite file for the time of a block."""
    other = sqlite3.connect(service.folder / "wishwell.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def save(service: Service, token: str, profile: str, product: int = 1) -> int:
    headers = {"Authorization": f"Bearer {token}", "Profile": profile}
    url, body = f"{service.url}{PREFIX}/items", {"productId": product}
    return httpx2.post(url, json=body, headers=headers, timeout=20).status_code


def test_full_process_refuses_the_busiest_and_serves_others():
    """A full process serves another store's read and another customer's save, and refuses the busiest.
    Rules: load-shedding, fair-queueing."""
    with Service({"WISHWELL_MAX_IN_FLIGHT": "6"}) as service, ThreadPoolExecutor(12) as threads:
        service.cli("store", "create", "other")
        token, other = service.admin_token(), service.create_token("other")
        read = {"Authorization": f"Bearer {other}", "Profile": CUSTOMERS[1]}
        url = f"{service.url}{PREFIX}/items"
        assert wait_until(lambda: httpx2.get(url, headers=read).status_code == 200, seconds=30)
        assert save(service, token, CUSTOMERS[0]) == 201
        with hold_write_lock(service):
            greedy = [threads.submit(save, service, token, CUSTOMERS[0], n) for n in range(2, 8)]
            assert wait_until(
                lambda: value(service, "wishwell_requests_in_flight") == 6, seconds=30
            )
            quiet = threads.submit(save, service, token, CUSTOMERS[1])
            assert wait_until(lambda: value(service, "wishwell_shed_total") == 1, seconds=30)
            assert httpx2.get(url, headers=read).status_code == 200
        assert quiet.result() == 201
        assert sorted(one.result() for one in greedy) == [201] * 4 + [503] * 2
        full = 'wishwell_shed_reasons_total{reason="full"}'
        assert wait_until(lambda: value(service, full) == 2, seconds=30)


def test_hanging_key_set_delays_nobody():
    """A hanging key set delays nobody, although more requests wait for it than a process admits.
    Rule: fair-queueing."""
    settings = {"WISHWELL_MAX_IN_FLIGHT": "3", "WISHWELL_WEBHOOK_HTTP": "true"}
    settings |= {"WISHWELL_WEBHOOK_PRIVATE": "true"}
    service = Service(settings)
    with socket.create_server((HERE, 0)) as silent, ThreadPoolExecutor(8) as threads:
        silent.settimeout(60)
        keys = f"http://{HERE}:{silent.getsockname()[1]}/keys"
        service.cli("init")
        shop = ("--host", "https://shop.example", "--jwt-header", "Customer-Token")
        service.cli("store", "update", "default", *shop, "--jwt-key-set", keys)
        service.cli("store", "create", "other", "--host", "https://other.example")
        with service:
            url = f"{service.url}/apps/wishlist/api/items"
            token = jwt.encode({"sub": "1"}, RSA, "RS256", {"kid": "unknown"})
            head = {"Host": "shop.example", "Customer-Token": token}
            ask = functools.partial(httpx2.get, url, timeout=20)
            waiting = [threads.submit(ask, headers=head)]
            fetch, _ = silent.accept()  # the fetch has begun
            for _ in range(5):
                time.sleep(0.1)  # no more than three start at the same moment
                waiting.append(threads.submit(ask, headers=head))
            time.sleep(0.3)
            statuses = {ask(headers={"Host": "other.example"}).status_code for _ in range(4)}
            assert statuses == {200}
            assert not any(one.done() for one in waiting)
            fetch.close()
            assert {one.result().status_code for one in waiting} == {503}


def post(service: Service, source: str, token: str | None, path: str = f"{PREFIX}/items"):
    """Sends a save from an address; returns the connection, on which the response will arrive."""
    lines = ["Content-Type: application/json", "Content-Length: 15"]
    shop = "Host: shop.example", "Sec-Fetch-Site: same-origin"
    lines += ["Host: localhost", f"Authorization: Bearer {token}"] if token else shop
    connection = connect(service, source=source)
    head = "\r\n".join([f"POST {path} HTTP/1.1", *lines])
    connection.sendall(head.encode() + b'\r\n\r\n{"productId":1}')
    return connection


@pytest.mark.slow
@pytest.mark.parametrize(("sessions", "each", "own"), [(139, 1, 1), (30, 5, 8)])
def test_many_sessions_of_one_address_refuse_no_newcomers_of_others(sessions, each, own):
    """Sessions of one address share the process with other addresses of the store as one of them, also by token: none
    of the requests of newcomers, `own` by each token, is refused, and the crowd loses its newest ones.
    Rules: load-shedding, fair-queueing."""
    with Service({}) as service, contextlib.ExitStack() as stack:
        service.cli("store", "update", "default", "--host", "https://shop.example")
        admin = service.client(service.admin_token())
        tokens = [
            admin.post("/profiles/token").json()["data"]["token"] for _ in range(sessions + 5)
        ]
        crowd_tokens, others = tokens[5:], tokens[:5]
        senders = [(f"127.0.1.{n}", token) for n, token in enumerate(others, 1)]
        with hold_write_lock(service):
            crowd = [
                stack.enter_context(post(service, "127.0.0.2", token))
                for _ in range(each)
                for token in crowd_tokens
            ]
            in_flight = functools.partial(value, service, "wishwell_requests_in_flight")
            assert wait_until(lambda: in_flight() == 128, seconds=30)
            newcomers = [stack.enter_context(post(service, *sender)) for sender in senders * own]
            shop = "/apps/wishlist/api/items"
            newcomers += [
                stack.enter_context(post(service, f"127.0.2.{n}", None, shop)) for n in range(1, 6)
            ]
            refused = sessions * each - 128 + len(newcomers)
            shed = functools.partial(value, service, "wishwell_shed_total")
            assert wait_until(lambda: shed() >= refused, seconds=30)
        assert {int(one.recv(65536).split()[1]) for one in newcomers} <= {200, 201}
        statuses = [int(one.recv(65536).split()[1]) for one in crowd]
        assert statuses.count(503) == refused and statuses[0] == 201
