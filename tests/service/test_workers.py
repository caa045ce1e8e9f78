"""Several workers on one socket: one start, one stop, metrics of all, revocation in each."""

import json
import re
import time

import httpx2
import pytest

from tests.servers import Service


@pytest.fixture
def two_workers(new_service):
    service = new_service(WISHWELL_WORKERS="2", WISHWELL_LIMIT_ADDRESS="100000").start()
    yield service
    service.kill()


def test_workers_say_that_they_count_for_themselves(two_workers):
    """decisions §5: without Redis, starting several workers says so."""
    events = [json.loads(line).get("event") for line in two_workers.log_lines()]
    assert "limits_per_worker" in events


def test_metrics_are_those_of_all_workers(two_workers):
    """Each request is counted once, whichever worker had it and whichever is asked."""
    http = two_workers.client(two_workers.admin_token())
    for _ in range(60):
        # A new connection each time, so that both have some.
        headers = dict(http.headers)
        httpx2.get(f"{two_workers.url}/api/2025-04/items", headers=headers)
    pattern = r'wishwell_requests_total\{method="GET",route="/items",status="200"\} (\d+)'
    for _ in range(5):
        text = httpx2.get(f"{two_workers.url}/metrics").text
        assert int(re.search(pattern, text)[1]) == 60


def test_revocation_reaches_every_worker_within_5_seconds(two_workers):
    """decisions §1: of an admin token, and of all tokens of a profile."""
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
    time.sleep(5)
    assert statuses(token) == statuses(admin) == {401}


def test_stop_ends_all_workers_well(two_workers: Service):
    """SIGTERM to the parent: all are gone, and that is no failure."""
    assert two_workers.stop() == 0
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{two_workers.url}/livez")
