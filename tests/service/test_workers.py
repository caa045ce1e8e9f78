"""Several workers on one socket, and one alone: start, stop, signals, metrics, revocation."""

import json
import os
import pty
import re
import signal
import subprocess

import httpx2
import pytest

from tests.conftest import Shop
from tests.servers import Service, wait_until

pytestmark = pytest.mark.either_engine

# They share one, and the last of them stops it: one process of the suite runs these, in this order.
SHARED = pytest.mark.xdist_group("workers")


@pytest.fixture(scope="module")
def two_workers(new_service):
    service = new_service(WISHWELL_WORKERS="2", WISHWELL_LIMIT_ADDRESS="100000").start()
    yield service
    service.kill()


@SHARED
def test_metrics_are_those_of_all_workers(two_workers):
    """contract: metrics-served. Each request is counted once, whichever worker had it and whichever
    is asked."""
    http = two_workers.client(two_workers.admin_token())
    for _ in range(60):
        # A new connection each time, so that both have some.
        headers = dict(http.headers)
        httpx2.get(f"{two_workers.url}/api/2025-04/items", headers=headers)
    pattern = r'wishwell_requests_total\{method="GET",route="/items",status="200"\} (\d+)'

    def counted() -> int:
        return int(re.search(pattern, httpx2.get(f"{two_workers.url}/metrics").text)[1])

    # The last one is counted right after its answer has gone.
    assert wait_until(lambda: counted() >= 60, seconds=5)
    assert [counted() for _ in range(5)] == [60] * 5


@SHARED
def test_revocation_reaches_every_worker_within_5_seconds(two_workers):
    """contract: token-revoked. Of an admin token, and of all tokens of a profile."""
    admin = two_workers.admin_token()
    body = {"customer": "gid://shopify/Customer/1"}
    token = two_workers.client(admin).post("/profiles/token", json=body).json()["data"]["token"]
    [record] = json.loads(two_workers.cli("token", "list", "--json").stdout)

    def statuses(held):
        headers = {"Authorization": f"Bearer {held}"}
        url = f"{two_workers.url}/api/2025-04/items"
        return {httpx2.get(url, headers=headers).status_code for _ in range(20)}

    assert statuses(token) == statuses(admin) == {200}
    two_workers.cli("token", "revoke", "--store", "default", body["customer"])
    two_workers.cli("token", "revoke", record["id"])
    assert wait_until(lambda: statuses(token) == statuses(admin) == {401}, seconds=5, every=0.2)


@SHARED
def test_other_platform_ends_customers_tokens_in_every_worker(two_workers):
    """contract: store-platform-change. Used before or never, by any worker, until the platform is
    back."""
    shop = Shop(two_workers)
    used, unused, visitor = shop.customer("1"), shop.customer("2"), shop.session()
    url = f"{two_workers.url}/api/2025-04/items"

    def statuses(member, method="GET"):
        headers = {"Authorization": f"Bearer {member.token}"}
        body = {"productId": 1} if method == "POST" else None
        asked = [httpx2.request(method, url, headers=headers, json=body) for _ in range(20)]
        return {answer.status_code for answer in asked}

    assert statuses(used) == statuses(visitor) == {200}
    shop.update("--platform", "presta")
    # Not with the one that was never used: the first look at it would be a use.
    assert wait_until(lambda: statuses(used) == {401}, seconds=5, every=0.2)
    assert statuses(unused) == statuses(used, "POST") == {401}
    assert statuses(visitor) == {200}
    shop.update("--platform", "shopify")
    assert wait_until(lambda: statuses(used) == {200}, seconds=5, every=0.2)
    assert statuses(unused) == {200}


@SHARED
def test_stop_ends_all_workers_well(two_workers: Service):
    """SIGTERM to the parent: all are gone, and that is no failure."""
    assert two_workers.stop() == 0
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{two_workers.url}/livez")


def test_hangup_of_a_single_worker_changes_nothing(new_service):
    """contract: serve-workers. SIGHUP, as an operator sends it to reload: it serves on, and says
    that it did nothing."""
    with new_service().start() as service:
        service.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: '"hangup_ignored"' in service.output(), seconds=5)
        assert httpx2.get(f"{service.url}/livez").status_code == 200
        assert service.stop() == 0


def test_closed_terminal_stops_what_was_started_there(new_service):
    """contract: serve-workers. Nobody wants the port held by a program whose terminal is gone."""
    service = new_service()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [service.command, "serve"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=service.folder,
        env=service.environment,
    )
    try:
        for line in process.stdout:
            if b'"listening"' in line:
                break
        process.send_signal(signal.SIGHUP)
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
