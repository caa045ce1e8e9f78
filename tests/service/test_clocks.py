"""Two processes of the program on one database, and a clock that is wrong for a moment."""

import json
import re

import httpx2
import pytest

from tests.conftest import SEALING_KEY
from tests.faults.faults_clock import DAY, QUICK, YEAR, Attacked
from tests.faults.harness import step, with_clock
from tests.servers import wait_until

SUSPECT = "wishwell_clock_suspect 1.0"


@pytest.fixture(scope="module")
def attacked(new_service):
    service = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY, **QUICK)
    clock = with_clock(service, 0)
    service.start()
    service.admin_token()
    made = Attacked(service, clock)
    yield made
    made.close()


def events(service):
    """Returns the names of the logged events."""
    return [json.loads(line).get("event") for line in service.log_lines() if line.startswith("{")]


@pytest.mark.slow
@pytest.mark.either_engine
def test_clock_years_ahead_for_seconds_loses_nothing_and_is_reported(attacked):
    """A clock that is years ahead for seconds loses no sessions, counts or stores. Log, metrics, /readyz,
    doctor and `wishwell clock` report it until the clock is right. Rules: clock-guard, clock-jump, count-days."""
    attacked.fill()
    attacked.ask_for_deletion()
    service = attacked.first
    browser = httpx2.Client(base_url=f"{service.url}/apps/wishlist/api")
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    assert browser.post("/items", json={"productId": 7}).status_code == 201
    step(attacked.clock, 3 * YEAR)
    shown = browser.get("/items")
    assert [item["productId"] for item in shown.json()["data"]] == [7]
    assert "Max-Age=0" not in shown.headers.get("set-cookie", "")
    browser.delete(f"/items/{shown.json()['data'][0]['id']}").raise_for_status()
    assert wait_until(lambda: attacked.suspicion(service), seconds=30)
    assert SUSPECT in httpx2.get(f"{service.url}/metrics").text
    for command in ("doctor", "clock", "purge"):
        done = service.cli(command, check=False)
        assert done.returncode == 1, done.stdout
        assert "by NTP" in done.stdout + done.stderr
        assert command != "clock" or (done.stdout + done.stderr).count("by NTP") == 1
    saved = attacked.api(service, attacked.visitors[0]).post("/items", json={"productId": 1})
    assert saved.status_code in (200, 201)
    beside = attacked.suspicion(attacked.second)
    assert bool(beside) == attacked.shares_clock  # a node with the right clock keeps working
    step(attacked.clock, 0)
    assert wait_until(lambda: not attacked.suspicion(service), seconds=30)
    attacked.wait_for(lambda: not attacked.lost() or None, "as before", seconds=60)
    assert wait_until(lambda: "clock_plausible_again" in events(service), seconds=30)
    assert [events(service).count(name) for name in ("clock_suspect", "clock_plausible_again")] == [
        1,
        1,
    ]


@pytest.mark.slow
def test_changes_of_a_node_with_a_slow_clock_reach_the_others(attacked):
    """A store and revocations created by commands on a machine 20 minutes behind reach the other node. On
    SQLite the shared clock jumps a day back. Rules: changes-take-effect, clock-jump, token-revoked."""
    first, second = attacked.first, attacked.second
    token = first.create_token()
    session = attacked.api(second).post("/profiles/token", json={}).json()["data"]
    assert second.client(token).get("/items").status_code == 200
    assert second.client(session["token"]).get("/items").status_code == 200
    step(attacked.clock, -DAY if attacked.shares_clock else -1200)
    first.cli("store", "create", "behind")
    of_new = first.create_token("behind")
    first.cli("token", "revoke", token)
    first.cli("token", "revoke", session["profile"])
    step(attacked.clock, 0)
    for held, status in ((of_new, 200), (token, 401), (session["token"], 401)):
        there = second.client(held)
        assert wait_until(lambda: there.get("/items").status_code == status, seconds=30), status


@pytest.mark.slow
def test_clock_confirm_accepts_a_jump_but_no_difference_from_postgresql(attacked):
    """`clock confirm` accepts a jump, but not a difference from PostgreSQL's clock.
    Rule: clock-jump."""
    step(attacked.clock, 2 * DAY)
    service = attacked.first
    assert wait_until(lambda: attacked.suspicion(service), seconds=30)
    asked = service.cli("clock", "confirm", check=False)
    assert (asked.returncode, "not confirmed; nothing was changed" in asked.stderr) == (1, True)
    assert re.search(r"Difference: +\+172,\d{3} s", asked.stderr) or not attacked.shares_clock
    assert attacked.suspicion(service)
    done = service.cli("clock", "confirm", input="yes\n", check=False)
    assert (done.returncode == 0) == attacked.shares_clock
    seconds = 30 if attacked.shares_clock else 3
    good = wait_until(lambda: not attacked.suspicion(service), seconds=seconds)
    assert good == attacked.shares_clock
    step(attacked.clock, 0)
