"""Events of a service that is killed: none is lost, none is told twice, whatever was going on."""

import threading
import time

import httpx2
import pytest

from tests.replay import Replay
from tests.servers import wait_until

GIDS = [f"gid://shopify/Customer/{number}" for number in range(4)]


class Shopper(threading.Thread):
    """Saves, changes and deletes, for one customer, until it is stopped; what fails, fails."""

    def __init__(self, service, token, gid):
        super().__init__()
        self.service, self.gid, self.over = service, gid, False
        self.headers = {"Authorization": f"Bearer {token}", "Profile": gid}

    def run(self):
        turn = 0
        while not self.over:
            turn += 1
            try:
                self.once(turn)
            except (httpx2.HTTPError, ValueError):
                time.sleep(0.02)

    def once(self, turn):
        address = f"{self.service.url}/api/2025-04"
        with httpx2.Client(base_url=address, headers=self.headers, verify=False) as http:
            for product in range(turn % 7, turn % 7 + 4):
                answer = http.post("/items", json={"productId": product + 1, "quantity": turn})
                if product % 3 == 0 and answer.is_success:
                    http.delete(f"/items/{answer.json()['data']['id']}")
                time.sleep(0.005)  # whatever they say is read again, twice


@pytest.mark.slow
def test_every_change_is_told_once_over_kills(new_service):
    """contract: event-transaction, event-sequence, feed-once, feed-soon. Two processes, both killed
    with `kill -9` again and again while others save, and read the feed `from` where they were."""
    roomy = {f"WISHWELL_LIMIT_ADMIN_{kind}": "1000000" for kind in ("READ", "WRITE")}
    service = new_service(WISHWELL_WORKERS="2", **roomy)
    service.cli("migrate")
    service.cli("store", "update", "default", "--events", "on")
    service.start()
    service.settings["WISHWELL_PORT"] = service.url.rpartition(":")[2]
    token = service.admin_token()
    shoppers = [Shopper(service, token, gid) for gid in GIDS]
    told, resume = [], "0"
    for shopper in shoppers:
        shopper.start()
    try:
        for _ in range(8):
            time.sleep(0.7)
            service.kill()
            service.start()
            page = service.client(token).get("/events", params={"from": resume}).json()
            told, resume = told + page["data"], page["resume"]
    finally:
        for shopper in shoppers:
            shopper.over = True
        for shopper in shoppers:
            shopper.join()
    http = service.client(token)
    time.sleep(2)
    while (page := http.get("/events", params={"from": resume, "limit": 250}).json())["data"]:
        told, resume = told + page["data"], page["resume"]
    assert len(told) > 100
    anew, at = [], "0"
    while (page := http.get("/events", params={"from": at, "limit": 250}).json())["data"]:
        anew, at = anew + page["data"], page["resume"]
    assert anew == told
    copies = {gid: Replay() for gid in GIDS}
    for event in told:
        copies[event["profile"]].hear(event)
    for gid, copy in copies.items():
        there = service.client(token, gid).get("/items", params={"limit": 250}).json()["data"]
        assert copy.items == {item["id"]: item for item in there}
    assert wait_until(
        lambda: _value(service, "wishwell_events_waiting") == 0, seconds=12, every=0.5
    )
    service.kill()


def _value(service, name):
    lines = httpx2.get(f"{service.url}/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(f"{name} ")).split()[1])
