"""Several workers on one socket, and a single one: start, stop, signals, metrics, revocation."""

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import time

import httpx2
import psutil
import pytest

from tests.api.conftest import data, new_list, save, soon
from tests.conftest import SEALING_KEY, SIGNING_KEY, Shop
from tests.servers import PREFIX, Service, wait_until

from .test_metrics import wait_for_value, workers

pytestmark = pytest.mark.either_engine

# The tests share a service that the last one stops, so xdist runs them in one process, in this
# order.
SHARED = pytest.mark.xdist_group("workers")


@pytest.fixture(scope="module")
def two_workers(new_service):
    service = new_service(WISHWELL_WORKERS="2", WISHWELL_LIMIT_ADDRESS="100000").start()
    yield service
    service.kill()


def statuses(service: Service, token: str = "", path: str = "/items", **body) -> set[int]:
    """Returns the statuses of 20 requests on new connections, so that each worker gets some."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url, method = f"{service.url}{PREFIX}{path}", "POST" if body else "GET"
    asked = [httpx2.request(method, url, headers=headers, json=body or None) for _ in range(20)]
    return {answer.status_code for answer in asked}


@SHARED
def test_metrics_are_those_of_all_workers(two_workers):
    """Metrics add up all workers, whichever responds. Rule: health-checks."""
    for _ in range(3):
        assert statuses(two_workers, two_workers.admin_token()) == {200}
    pattern = r'wishwell_requests_total\{method="GET",route="/items",status="200"\} (\d+)'

    def counted() -> int:
        return int(re.search(pattern, httpx2.get(f"{two_workers.url}/metrics").text)[1])

    # A request is counted just after its response was sent.
    soon(lambda: counted() >= 60)
    assert [counted() for _ in range(5)] == [60] * 5


@SHARED
def test_revocation_reaches_every_worker_within_5_seconds(two_workers):
    """A revoked admin token, or profile, is refused by every worker within 5 s.
    Rule: token-revoked."""
    shop = Shop(two_workers)
    customer, admin = shop.customer(), shop.admin_token
    [record] = json.loads(two_workers.quick("token", "list", "--store", shop.handle, "--json"))
    tokens = customer.token, admin
    assert [statuses(two_workers, token) for token in tokens] == [{200}] * 2
    two_workers.cli("token", "revoke", "--store", shop.handle, customer.gid)
    two_workers.cli("token", "revoke", record["id"])
    soon(lambda: [statuses(two_workers, token) for token in tokens] == [{401}] * 2)


@SHARED
def test_link_and_ended_share_take_effect_immediately_in_every_worker(two_workers):
    """A link and an ended share take effect immediately in every worker, even if cached as valid.
    Rules: link-atomic, share-ends."""
    shop = Shop(two_workers)
    visitor, owner = shop.session(), shop.customer()
    shares = f"/lists/{new_list(owner.http)['id']}/shares"
    shared = data(owner.http.post(shares), 201)
    view = f"/shared/{shared['token']}"
    assert statuses(two_workers, visitor.token) == {200}
    # Without a token nothing says that the store is new; each worker knows it within a second.
    soon(lambda: statuses(two_workers, path=view) == {200})
    shop.token(customer=owner.gid, session=visitor.gid)
    assert statuses(two_workers, visitor.token) == {401}
    assert owner.http.delete(f"{shares}/{shared['id']}").status_code == 204
    assert statuses(two_workers, path=view) == {404}


@pytest.mark.slow
@SHARED
def test_erasure_reaches_every_worker_within_5_seconds(two_workers):
    """An erased profile's tokens and shares are refused by every worker within 5 s, and nothing of
    it can be read.
    Rule: erase-immediate."""
    shop = Shop(two_workers)
    ann, visitor = shop.customer(), shop.session()
    made = new_list(ann.http, "mine")["id"]
    save(ann.http, 1, listIds=[made])
    save(visitor.http, 2)
    link = data(ann.http.post(f"/lists/{made}/shares"), 201)["token"]
    for member in (ann, visitor):
        assert shop.acting_as(member.gid).delete("/profile").status_code == 204
    tokens = ann.token, visitor.token
    soon(lambda: [statuses(two_workers, token) for token in tokens] == [{401}] * 2)
    soon(lambda: statuses(two_workers, path=f"/shared/{link}") == {404})
    for _ in range(12):
        assert data(shop.client(shop.admin_token).get("/items")) == []
        assert data(shop.client(shop.admin_token, ann.gid).get("/lists")) == []


@pytest.mark.slow
@SHARED
def test_platform_change_ends_customers_tokens_in_every_worker(two_workers):
    """After a platform change customers' tokens are refused by every worker, cached or not, until
    it is changed back.
    Rule: changes-take-effect."""
    shop = Shop(two_workers)
    used, unused, visitor = (
        one.token for one in (shop.customer(), shop.customer(), shop.session())
    )
    assert statuses(two_workers, used) == statuses(two_workers, visitor) == {200}
    shop.update("--platform", "presta", "--yes")
    # Polls with the used token, because the other must stay unused. On a busy machine one worker may
    # accept 20 connections in a row.
    soon(lambda: [statuses(two_workers, used) for _ in range(3)] == [{401}] * 3)
    assert statuses(two_workers, unused) == statuses(two_workers, used, productId=1) == {401}
    assert statuses(two_workers, visitor) == {200}
    shop.update("--platform", "shopify", "--yes")
    soon(lambda: [statuses(two_workers, used) for _ in range(3)] == [{200}] * 3)
    assert statuses(two_workers, unused) == {200}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
@SHARED
def test_metrics_leave_out_a_dead_worker(two_workers):
    """A dead worker's gauges leave the sum."""
    limit = "wishwell_pool_connections_limit"
    wait_for_value(two_workers, limit, lambda n: n == 40)
    [worker, *_] = workers(two_workers)
    worker.kill()
    psutil.wait_procs([worker], timeout=10)
    replaced = lambda: len({*workers(two_workers)} - {worker}) >= 2  # noqa: E731
    assert wait_until(replaced, seconds=30, every=0.1)
    time.sleep(2)  # the new worker has sampled by now, and a dead one would still be counted
    wait_for_value(two_workers, limit, lambda n: n == 40)


@SHARED
def test_stop_ends_all_workers_with_exit_code_0(two_workers: Service):
    """SIGTERM to the parent stops all workers with exit code 0."""
    assert two_workers.stop() == 0
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{two_workers.url}/livez")


@pytest.fixture
def reloadable(new_service):
    """Two workers with key files, the files, and a function that sends SIGHUP and returns new events."""
    service = new_service(WISHWELL_WORKERS="2", WISHWELL_LIMIT_ADDRESS="100000")
    signing, sealing = (service.folder / name for name in ("signing", "sealing"))
    for path, key in ((signing, SIGNING_KEY), (sealing, SEALING_KEY)):
        path.write_text(key)
        service.settings.pop(f"WISHWELL_{path.name.upper()}_KEYS", None)
        service.settings[f"WISHWELL_{path.name.upper()}_KEYS_FILE"] = str(path)

    def hang_up() -> list[str]:
        before = len(service.log_lines())
        service.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: '"workers_' in "".join(service.log_lines()[before:]), seconds=150)
        time.sleep(0.2)  # a second event would follow
        return [
            json.loads(line) for line in service.log_lines()[before:] if '"request"' not in line
        ]

    with service.start():
        yield service, signing, sealing, hang_up


@pytest.mark.slow
def test_hangup_with_bad_keys_leaves_the_workers_as_they_were(reloadable):
    """SIGHUP with bad keys retains the workers, and one event names the setting. A worker that dies later is
    replaced with the good keys. Rule: serve-workers."""
    service, signing, sealing, hang_up = reloadable
    token, before = service.admin_token(), {*workers(service)}
    profile = data(service.client(token).post("/profiles/token"), 201)["token"]
    assert len(before) == 2
    for path, bad in ((signing, "short"), (signing, " \n"), (sealing, ""), (sealing, None)):
        path.unlink()
        _ = path.mkdir() if bad is None else path.write_text(bad)
        [event] = hang_up()
        assert event["event"] == "workers_not_replaced"
        assert f"WISHWELL_{path.name.upper()}_KEYS_FILE" in event["reason"]
        assert {*workers(service)} == before
        if path == signing:
            path.write_text(SIGNING_KEY)
    sealing.rmdir()
    sealing.write_text("o" * 40)  # can't decrypt any store's secrets
    [event] = hang_up()
    assert (event["event"], {*workers(service)}) == ("workers_not_replaced", before)
    signing.write_text("short")
    killed = before.pop()
    killed.kill()
    psutil.wait_procs([killed], timeout=10)
    assert wait_until(lambda: len({*workers(service)} - {killed}) == 2, seconds=60, every=0.1)
    assert wait_until(lambda: '"worker_died"' in "".join(service.log_lines()), seconds=60)
    soon(lambda: statuses(service, profile) == {200})
    signing.write_text(f"{'n' * 40},{SIGNING_KEY}")
    sealing.write_text(SEALING_KEY)
    assert [event["event"] for event in hang_up()] == ["workers_replaced"]
    assert not {*workers(service)} & before
    assert statuses(service, profile) == {200}


@pytest.mark.slow
def test_hangup_with_a_key_file_that_hangs_leaves_the_workers_as_they_were(reloadable):
    """SIGHUP with a key file that hangs gives up after 20 s; SIGTERM in that time still stops the service.
    Rule: serve-workers."""
    service, signing, _, hang_up = reloadable
    token, before = service.admin_token(), {*workers(service)}
    signal.signal(signal.SIGIO, signal.SIG_IGN)  # which the kernel sends when another process waits
    hanging = signing.open("r+")
    fcntl.fcntl(hanging, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    [event] = hang_up()
    assert "longer than 20 s" in event["reason"]
    assert {*workers(service)} == before
    assert statuses(service, token) == {200}
    service.process.send_signal(signal.SIGHUP)
    time.sleep(1)
    began = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - began < 15  # without the rest of the 20 s
    hanging.close()


def test_hangup_of_a_single_worker_changes_nothing(new_service):
    """SIGHUP with a single worker does nothing and logs that. Rule: serve-workers."""
    with new_service().start() as service:
        service.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: '"reload_ignored"' in service.output(), seconds=30)
        assert httpx2.get(f"{service.url}/livez").status_code == 200
        assert service.stop() == 0


@pytest.mark.slow
def test_closed_terminal_stops_the_service_started_there(new_service):
    """Closing the terminal stops a service started there, so that it doesn't keep the port.
    Rule: serve-workers."""
    service = new_service()
    service.cli("init")
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
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
