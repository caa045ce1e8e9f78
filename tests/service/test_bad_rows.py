"""The program on a damaged database: background work continues, and an unreadable row affects its
own store only."""

import collections
import itertools
import json
import time

import httpx2
import pytest

from tests.conftest import SEALING_KEY, Shop
from tests.servers import wait_until
from tests.service.test_metrics import value
from wishwell import ids

pytestmark = pytest.mark.either_engine

DROPPED = '{"": {"price": {"amount": "1", "currency": "EUR"}, "dropped_at": "2026-02-31"}}'
NEVER = "2031-02-31T00:00:00.000Z"
NOBODY = "01900000-0000-7000-8000-000000000000"
OTHER = "01900000-0000-7000-8000-000000000001"
PRODUCT = (
    "INSERT INTO products (store_id, product_id, id, position, noticed_at, created_at, updated_at, "
    "document, variants, known) VALUES ('{}', '{}', '{}', '{}', '2026', '2026', '2026', '{}', '[]', '{}')"
)


def product(store, id, document="{}", known="{"):
    return PRODUCT.format(store, id, ids.random_uuid(), ids.NO_UUID, document, known)


def events(service, name):
    """Returns the log entries of this event."""
    lines = [json.loads(line) for line in service.log_lines() if line.startswith("{")]
    return [line for line in lines if line["event"] == name]


def has_price_drop(shop):
    found = shop.admin.get("/events?type=item.price_dropped").json()["data"]
    return len(found) == 1


def shown(service, name):
    """Returns the storefront's status on the host of this shop."""
    address = f"{service.url}/apps/wishlist/api/items"
    return httpx2.get(address, headers={"Host": f"{name}.example"}).status_code


def damaged(new_service):
    """Returns a stopped service with a good store that wishes for product 7, and stores with bad
    rows."""
    service = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY).start()
    good, naming, limits, rows = (
        Shop(service, "--events", "on", "--host", f"http://{name}.example")
        for name in ("good", "naming", "limits", "rows")
    )
    visitor, numbers = good.customer().http, itertools.count(100)

    def records_events():
        visitor.post("/items", json={"productId": next(numbers)})
        return good.admin.get("/events").json()["data"]

    # The process sees within seconds that events are on.
    assert wait_until(records_events, seconds=60, every=0.2)
    assert good.customer().http.post("/items", json={"productId": 7}).status_code == 201
    revoked = rows.customer()
    assert revoked.http.post("/items", json={"productId": 3}).status_code == 201
    service.stop()
    owner = ids.profile_key(rows.id, revoked.gid)
    for statement in (
        f"UPDATE stores SET naming = '[', updated_at = '2031' WHERE id = '{naming.id}'",
        f"UPDATE stores SET limits = '{{\"items\": \"x\"}}' WHERE id = '{limits.id}'",
        f"UPDATE store_secrets SET sealed = 'damaged' WHERE store_id = '{rows.id}'",
        f"INSERT INTO revocations VALUES ('{owner}', '', '{NEVER}')",
        "INSERT INTO webhooks (store_id, id, enabled, position, missed, created_at, updated_at, "
        "due_at, types, url, sealed) "
        f"VALUES ('{rows.id}', '{NOBODY}', 1, 0, 0, '', '', '2026-02-31', '', 'https://a.b', '?')",
        product(rows.id, 1),
        product(rows.id, 2, document="[", known="{}"),
        product(rows.id, 3, known=DROPPED),
        product(naming.id, 1, known="{}"),
        product(OTHER, 1, known="{}"),
    ):
        service.rows(statement)
    return service, good, naming, limits, rows, revoked


@pytest.mark.slow
def test_other_stores_are_served_despite_bad_rows(new_service):
    """Good stores are served next to bad rows, also after a start; each bad row is logged once.
    Rule: bad-row."""
    service, good, naming, limits, rows, revoked = damaged(new_service)
    code, out, err = service.attempt("store", "list", "--json")
    assert code == 0
    assert good.id in {one["id"] for one in json.loads(out)}
    assert naming.id in err and naming.id not in out
    service.restart(settings={"WISHWELL_WORKERS": "2"})
    for amount in ("100", "80"):
        said = {"price": {"amount": amount, "currency": "EUR"}}
        assert good.admin.put("/products/7", json=said).status_code == 200
    assert wait_until(lambda: has_price_drop(good), seconds=30, every=0.1)
    assert naming.admin.get("/items").status_code == 503
    assert limits.admin.get("/items").status_code == 503
    assert rows.admin.get("/items").status_code == 200
    assert revoked.http.get("/items").status_code == 401
    assert [shown(service, name) for name in ("good", "naming", "nobody")] == [200, 503, 404]
    with httpx2.Client(headers={"Host": "naming.example"}) as browser:
        assert browser.get(f"{service.url}/metrics").status_code == 404
    expected = {
        ("stores", naming.id), ("stores", limits.id), ("store_secrets", rows.id), ("revocations", ids.profile_key(rows.id, revoked.gid)),
        ("webhooks", NOBODY), ("webhooks", rows.id), ("products", "1"), ("products", "2"), ("products", "3"),
    }  # fmt: skip

    def all_are_named():
        assert good.admin.get("/items").status_code == 200
        lines = events(service, "bad_row")
        return {(line["table"], line["row"].partition(" ")[0]) for line in lines} >= expected

    assert wait_until(all_are_named, seconds=30, every=0.1)
    lines = events(service, "bad_row")
    # Once per worker, and sometimes at the start, in a separate process.
    times = collections.Counter((line["table"], line["row"], line["reason"]) for line in lines)
    assert max(times.values()) <= 3, times
    assert service.stop() == 0


@pytest.mark.slow
def test_failed_job_resumes_when_it_can(new_service):
    """While a job's table is missing, the job's failure is logged once and only its metric stops;
    later it catches up.
    Rules: bad-row, health-checks."""
    service = new_service().start()
    Shop(service, "--events", "on")

    def done(task):
        return value(service, "wishwell_background_done_timestamp_seconds", task=task)

    begun = time.time()
    assert wait_until(lambda: done("feed") > begun, seconds=30, every=0.1)
    service.rows("ALTER TABLE events RENAME TO away")
    failed = lambda: [*events(service, "feed_failed"), *events(service, "feed_put_off")]  # noqa: E731
    assert wait_until(failed, seconds=30, every=0.1)
    stood, others = done("feed"), done("access_cache")
    time.sleep(2.5)
    assert wait_until(lambda: done("access_cache") > others, seconds=30, every=0.1)
    assert done("feed") == stood
    assert len(failed()) == 1
    service.rows("ALTER TABLE away RENAME TO events")
    assert wait_until(lambda: done("feed") > stood, seconds=30, every=0.1)
    assert wait_until(lambda: events(service, "feed_again"), seconds=30, every=0.1)
    assert service.stop() == 0
