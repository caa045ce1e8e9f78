"""Webhooks from outside: the API, the command, and deliveries of the running program."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
import uuid
from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from tests.conftest import SEALING_KEY, Shop
from tests.servers import wait_until
from tests.servers.called import Called
from tests.servers.receiver import Receiver

from .conftest import data, refused, save, walk

OPEN = {f"WISHWELL_WEBHOOK_{name}": "true" for name in ("HTTP", "PRIVATE")}
OPEN |= {"WISHWELL_SEALING_KEYS": SEALING_KEY}
URL = "https://shop.example/hook"
MOST = ("--limit", "admin_write=1000000", "--limit", "admin_read=1000000", "--events", "on")


class Beside:
    """A webhook receiver, or another server for calls, in its own thread."""

    def __init__(self, says=None):
        self.receiver = says if isinstance(says, Called) else Receiver(says)
        self._open = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        async def story():
            async with self.receiver.serve():
                self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
                self._open.set()
                await self._end.wait()

        asyncio.run(story())

    def __enter__(self):
        self._thread.start()
        assert self._open.wait(60)
        return self.receiver

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(60)


pytestmark = pytest.mark.xdist_group("webhooks")


@pytest.fixture(scope="module")
def open_service(new_service):
    service = new_service(**OPEN, WISHWELL_LIMIT_ADDRESS="100000").start()
    yield service
    service.stop()
    assert "Traceback" not in service.output()
    assert "whsec_" not in service.output()


def test_description_allows_the_urls_that_a_setting_allows(open_service, service):
    """With `WISHWELL_WEBHOOK_HTTP`, the pattern of a webhook's URL allows http and every port.
    Rule: openapi-complete."""
    for here, allowed in ((open_service, True), (service, False)):
        document = here.client().get("/.well-known/openapi").json()
        pattern = document["components"]["schemas"]["WebhookUrlInput"]["pattern"]
        assert bool(re.match(pattern, "http://127.0.0.1:8080/hook")) is allowed
        assert re.match(pattern, URL)


@pytest.fixture(scope="module")
def telling_shop(open_service):
    """A store with events on, shared because tests have to wait until every process records them."""
    return Shop(open_service, *MOST)


@pytest.fixture
def webhook_shop(telling_shop):
    """The store with events on; its webhooks are deleted afterwards."""
    shop = telling_shop
    yield shop
    for hook in data(shop.admin.get("/webhooks")):
        shop.admin.delete(f"/webhooks/{hook['id']}")


def wait_for_events(shop):
    """Waits until every process records the store's events."""
    since = datetime.fromisoformat(shop.record["eventsSince"])
    time.sleep(max(0, (since - datetime.now(UTC)).total_seconds()) + 0.05)


def test_webhook_is_created_read_changed_and_deleted(make_shop):
    """A webhook is created, read, changed and deleted. Rule: webhook-signed."""
    shop = make_shop("--events", "on")
    made = shop.admin.post("/webhooks", json={"url": URL, "types": ["item.created"]})
    hook = data(made, 201)
    assert made.headers["location"] == f"/api/2025-04/webhooks/{hook['id']}"
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret := hook.pop("secret"))
    assert hook.keys() == {"id", "url", "types", "enabled", "createdAt", "updatedAt"}
    path = f"/webhooks/{hook['id']}"
    assert data(shop.admin.get(path)) == hook
    assert data(shop.admin.get("/webhooks")) == [hook]
    off = data(shop.admin.patch(path, json={"enabled": False, "types": []}))
    assert (off["enabled"], off["types"]) == (False, [])
    for same in ({}, {"enabled": False, "types": [], "url": URL}):
        assert data(shop.admin.patch(path, json=same)) == off
    again = {"since": "2025-04-18T18:13:27.481Z"}
    assert data(shop.admin.post(f"{path}/replays", json=again)) == off
    assert data(shop.admin.patch(path, json={"enabled": True}))["enabled"] is True
    assert data(shop.admin.post(f"{path}/secret"))["secret"] != secret
    assert shop.admin.delete(path).status_code == 204
    refused(shop.admin.get(path), 404)
    refused(shop.admin.delete(path), 404)


def test_bad_webhook_or_change_is_refused_and_changes_nothing(make_shop):
    """A bad webhook or change is refused, and nothing changes.
    Rule: outbound-address."""
    shop = make_shop("--events", "on")
    hook = data(shop.admin.post("/webhooks", json={"url": URL}), 201)
    path = f"/webhooks/{hook['id']}"
    for end in ("http://shop.example/", "https://127.0.0.1/", "https://shop.example:22/"):
        refused(shop.admin.post("/webhooks", json={"url": end}), 400, "url")
        refused(shop.admin.patch(path, json={"url": end}), 400, "url")
    refused(shop.admin.post(f"{path}/replays", json={"since": "2027-01-01T00:00:00"}), 400, "since")
    del hook["secret"]
    assert data(shop.admin.get("/webhooks")) == [hook]
    for unknown in ("x", str(uuid.uuid4()), "%00"):
        refused(shop.admin.get(f"/webhooks/{unknown}"), 404)
        refused(shop.admin.post(f"{path}/deliveries/{unknown}/retry"), 404)


@pytest.mark.both_engines("a server database has no keys of its own")
def test_webhooks_need_events_and_sealing_keys(make_shop, new_service, engine):
    """A webhook needs events to be on and, on a server database, sealing keys.
    Rule: webhook-signed."""
    message = refused(make_shop().admin.post("/webhooks", json={"url": URL}), 409)
    assert "--events on" in message
    if engine == "sqlite":
        return
    with new_service().start() as service:
        shop = Shop(service, "--events", "on")
        message = refused(shop.admin.post("/webhooks", json={"url": URL}), 409)
        assert "WISHWELL_SEALING_KEYS" in message
        code, _, err = service.attempt("webhook", "create", URL, "--store", shop.handle)
        assert code == 1 and "WISHWELL_SEALING_KEYS" in err


def test_running_program_delivers_signed_events(webhook_shop):
    """The program delivers signed events; the deliveries are listed in pages, newest first.
    Rules: webhook-signed, delivery-at-least-once, health-checks."""
    with Beside() as receiver:
        hook = data(webhook_shop.admin.post("/webhooks", json={"url": receiver.url}), 201)
        wait_for_events(webhook_shop)
        visitor = webhook_shop.customer()
        for product in range(1, 6):
            save(visitor.http, product)
        assert wait_until(lambda: len(receiver.got) >= 5, seconds=30)
        for message in receiver.got:
            Verifier(hook["secret"]).verify(message.body, message.headers)
            with pytest.raises(WebhookVerificationError):
                Verifier(hook["secret"]).verify(message.body + b" ", message.headers)
            assert hook["secret"] not in message.body.decode()
        path = f"/webhooks/{hook['id']}/deliveries"

        def delivered():
            return {one["status"] for one in data(webhook_shop.admin.get(path))} == {"delivered"}

        assert wait_until(delivered, seconds=30)
        walked = [one for page in walk(webhook_shop.admin, path, limit=2) for one in page]
        assert walked == data(webhook_shop.admin.get(path)) and len(walked) == 5
        assert {one["eventId"] for one in walked} == set(receiver.ids())

        def is_counted():
            metrics = webhook_shop.admin.get(f"{webhook_shop.service.url}/metrics").text
            return 'wishwell_deliveries_total{outcome="delivered"} 0.0' not in metrics

        assert wait_until(is_counted, seconds=30)


def test_webhook_command_does_everything_that_the_api_does(webhook_shop):
    """`wishwell webhook` does everything that the API does. Rule: command-error."""
    where = ("--store", webhook_shop.handle, "--json")

    def command(*words):
        return json.loads(webhook_shop.service.quick("webhook", *words, *where))

    with Beside() as receiver:
        [hook] = command("create", receiver.url, "--type", "item.created")
        assert hook["secret"].startswith("whsec_")
        [sent] = command("test", hook["id"])
        assert wait_until(lambda: receiver.ids() == [sent["eventId"]], seconds=30)
        seen = ("deliveries", hook["id"])
        assert wait_until(lambda: command(*seen)[0]["status"] == "delivered", seconds=30)
        [again] = command("retry", hook["id"], sent["id"])
        assert again["status"] == "pending"
        assert wait_until(lambda: receiver.ids() == [sent["eventId"]] * 2, seconds=30)
        [off] = command("update", hook["id"], "--off", "--all-types")
        assert (off["enabled"], off["types"]) == (False, [])
        assert command("update", hook["id"], "--on")[0]["enabled"] is True
        assert command("secret", hook["id"])[0]["secret"] != hook["secret"]
        for since in ("2027-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59"):
            command("replay", hook["id"], "--since", since)
        assert [one["id"] for one in command("list")] == [hook["id"]]
        webhook_shop.service.quick("webhook", "delete", hook["id"], "--store", webhook_shop.handle)
        assert command("list") == []
    for words in (("replay", hook["id"], "--since", "now"), ("create", "ftp://a")):
        code, _, err = webhook_shop.service.attempt("webhook", *words, *where)
        assert code == 1 and err.count("\n") == 1


@pytest.mark.slow
def test_no_event_is_lost_when_the_process_is_killed_during_deliveries(new_service):
    """No event is lost when the process is killed 50 times amid deliveries.
    Rule: delivery-at-least-once."""
    service = new_service(**OPEN, WISHWELL_LIMIT_ADDRESS="100000").start()
    shop = Shop(service, *MOST)
    with Beside() as receiver:
        hook = data(shop.admin.post("/webhooks", json={"url": receiver.url}), 201)
        wait_for_events(shop)
        gid, product = shop.gid(), 0
        for _ in range(50):
            customer = shop.token(customer=gid)
            for _ in range(20):
                product += 1
                save(customer.http, product)
            time.sleep(0.3)
            service.kill()
            service.restart()
        path = f"/webhooks/{hook['id']}/deliveries"

        def done():
            page = data(shop.admin.get(path, params={"limit": 250}))
            delivered = all(one["status"] == "delivered" for one in page)
            return delivered and len(set(receiver.ids())) >= product

        assert wait_until(done, seconds=60)
        sequences = {message.event["sequence"] for message in receiver.got}
        assert sequences == set(range(1, product + 1))
