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

from tests.servers import HERE, PREFIX, Service, wait_until

pytestmark = pytest.mark.xdist_group("shares")

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CUSTOMERS = [f"gid://shopify/Customer/{number}" for number in range(3)]


def value(service: Service, name: str) -> float:
    lines = httpx2.get(f"{service.url}/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name}"))


@contextlib.contextmanager
def locked(service: Service):
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


def test_full_process_serves_the_quiet_and_refuses_the_greedy():
    """A full process serves another store's read and another customer's save, and refuses the busiest.
    Rules: load-shedding, fair-queueing."""
    with Service({"WISHWELL_MAX_IN_FLIGHT": "6"}) as service, ThreadPoolExecutor(12) as threads:
        service.cli("store", "create", "other")
        token, other = service.admin_token(), service.create_token("other")
        read = {"Authorization": f"Bearer {other}", "Profile": CUSTOMERS[1]}
        url = f"{service.url}{PREFIX}/items"
        assert wait_until(lambda: httpx2.get(url, headers=read).status_code == 200, seconds=30)
        assert save(service, token, CUSTOMERS[0]) == 201
        with locked(service):
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


def test_key_set_that_hangs_holds_up_nobody():
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
