"""Processing of platforms' privacy requests, on a controlled clock, after kills and under
concurrency."""

from typing import Any

import pytest
import structlog

from wishwell import ids, profiles, stores
from wishwell.errors import Conflict, NotFound, StoreDeleted
from wishwell.ids import DAY_MS
from wishwell.privacy import (
    erasure,
    personal_export,
    platform_requests,
    request_processing,
    store_deletion,
)
from wishwell.privacy.platform_requests import PlatformWebhook
from wishwell.profiles import pages
from wishwell.profiles.search import Search


def store_request(bench, store, topic, customer=None, *, id=None, body=None):
    """Stores a request; returns its id."""
    named = id or bench.new_id(), body or bench.new_id()
    delivery = PlatformWebhook(topic, *named, customer)
    return bench.write(
        platform_requests.record_request, store, delivery, bench.new_id(), bench.clock.milliseconds
    )


def item_count(bench, customer):
    return bench.holds(customer)[0]


def requests_by_id(bench, store):
    page = bench.read(platform_requests.page, store, pages.PageRequest(None, 250, Search()))
    return {each.id: each for each in page.records}


def process_due(bench):
    """Processes everything due; returns the erased GIDs and the number of steps."""

    steps = bench.drain(request_processing.process_due(bench.db, bench.clock))
    return [step.gid for step in steps if step is not None], len(steps)


def run_erasure(bench):
    bench.drain(erasure.remove_erased(bench.db, bench.clock))


def advance_clock(bench, milliseconds):
    bench.clock.milliseconds += milliseconds


def test_same_body_is_a_duplicate_only_within_48_hours(bench, store):
    """The same body within 48 hours is a duplicate; later, or in another store, it is a new
    request.
    Rule: privacy-requests."""
    first = store_request(bench, store, "shop/redact", body="b")
    advance_clock(bench, 2 * DAY_MS - 1)
    assert store_request(bench, store, "shop/redact", body="b") == first
    other = bench.new_store("other-of-same-body")
    assert store_request(bench, other, "shop/redact", body="b") != first
    advance_clock(bench, 2)
    again = store_request(bench, store, "shop/redact", body="b")
    assert again != first
    advance_clock(bench, 300 * DAY_MS)
    last = store_request(bench, store, "shop/redact", id="x", body="c")
    assert store_request(bench, store, "customers/redact", id="x") == last
    assert requests_by_id(bench, store).keys() == {first, again, last}


def test_export_is_deleted_after_30_days(bench, store):
    """An export expires after 30 days, even before its removal, and doesn't show later changes.
    Rule: privacy-requests."""
    ann = bench.new_customer(store)
    bench.save(ann)
    id = store_request(bench, store, "customers/data_request", ann)

    def export(of=store):
        return bench.read(
            platform_requests.read_export, of, id, ids.timestamp(bench.clock.milliseconds)
        )

    with pytest.raises(NotFound):
        export()
    process_due(bench)
    bench.save(ann, 2)
    assert b'"items":1,' in export()
    other = bench.new_store("other-of-export")
    with pytest.raises(NotFound):
        export(other)
    ends = requests_by_id(bench, store)[id].expires_at
    assert (
        ids.from_timestamp(ends)
        == ids.from_timestamp(requests_by_id(bench, store)[id].done_at) + 30 * DAY_MS
    )
    bench.clock.milliseconds = ids.from_timestamp(ends) - 1
    assert export()
    advance_clock(bench, 1)
    with pytest.raises(NotFound):
        export()
    process_due(bench)
    kept = bench.select("SELECT state, profile_id, gid, export FROM requests WHERE id = $1", id)
    assert kept == [("exported", None, None, None)]
    assert requests_by_id(bench, store)[id].expires_at is None


def test_erasure_discards_an_export_that_is_being_made(bench, store, monkeypatch):
    """Erasing a customer discards an export that is being made at that moment, and no other's.
    Rule: privacy-requests."""
    ann, ben = bench.new_customer(store), bench.new_customer(store)
    bench.save(ann)
    id, other = (store_request(bench, store, "customers/data_request", who) for who in (ann, ben))
    document = personal_export.stream_document

    async def slow(db, profile, shown):
        async for piece in document(db, profile, shown):
            yield piece
        if profile == ann:
            await db.long_write(erasure.erase, ann, bench.clock.milliseconds)

    monkeypatch.setattr(personal_export, "stream_document", slow)
    process_due(bench)
    after = requests_by_id(bench, store)
    assert (after[id].state, after[other].state) == ("erased", "exported")
    row = bench.select("SELECT profile_id, gid, export, due_at FROM requests WHERE id = $1", id)
    assert row == [(None, None, None, None)]
    run_erasure(bench)


def test_request_waits_while_its_customer_is_being_erased(bench, store):
    """A request for a customer who is being erased waits, so no export has data that is being
    removed.
    Rule: privacy-requests."""
    ann = bench.new_customer(store)
    bench.save(ann)
    bench.write(erasure.erase, ann, bench.clock.milliseconds)
    id = store_request(bench, store, "customers/data_request", ann)
    process_due(bench)
    run_erasure(bench)
    process_due(bench)
    assert requests_by_id(bench, store)[id].state == "exported"
    now = ids.timestamp(bench.clock.milliseconds)
    assert b'"items":[]' in bench.read(platform_requests.read_export, store, id, now)


def stopped_after(bench, steps):
    """Runs ``steps`` steps of the work, then stops as if killed."""

    async def run():
        running: Any = request_processing.process_due(bench.db, bench.clock)
        for _ in range(steps):
            await anext(running)
        await running.aclose()

    bench.run(run())


def wait_for_a_deletion(bench):
    """Advances the clock until the pending deletion of a store is the only work due."""
    advance_clock(bench, 7 * DAY_MS - 1)
    process_due(bench)
    advance_clock(bench, 1)


def test_store_is_deleted_after_7_days(bench, store, monkeypatch):
    """A store is deleted 7 days after the request, with a kill after each step.
    Rules: privacy-requests, store-delete."""
    monkeypatch.setattr(store_deletion, "_MAX_PROFILES", 1)
    other = bench.new_store("other-of-deletion")
    kept = bench.new_customer(other)
    bench.save(kept)
    wished = [bench.new_customer(store) for _ in range(3)]
    for customer in wished:
        bench.save(customer)
    id = store_request(bench, store, "shop/redact")
    wait_for_a_deletion(bench)
    assert bench.read(stores.by_handle, store.handle)
    stopped_after(bench, 1)
    with pytest.raises(Conflict):
        bench.read(stores.by_handle, store.handle)
    with pytest.raises(Conflict):  # rule: privacy-requests
        bench.write(platform_requests.cancel, store, id, ids.timestamp(bench.clock.milliseconds))
    assert sum(item_count(bench, customer) for customer in wished) == 3
    assert process_due(bench) == ([], 0)  # not before every process has seen it
    advance_clock(bench, stores.PROPAGATION_MS)
    for _ in range(2):
        stopped_after(bench, 2)
    process_due(bench)
    assert bench.select("SELECT 1 FROM stores WHERE id = $1", store.id) == []
    assert bench.select("SELECT 1 FROM requests WHERE store_id = $1", store.id) == []
    assert [item_count(bench, customer) for customer in (*wished, kept)] == [0, 0, 0, 1]
    with pytest.raises(StoreDeleted):
        store_request(bench, store, "customers/redact", wished[0])


def test_store_deletion_can_be_cancelled_until_it_begins(bench, store):
    """A deletion can be cancelled in the last moment before it begins.
    Rule: privacy-requests."""
    ann = bench.new_customer(store)
    bench.save(ann)
    id = store_request(bench, store, "shop/redact")
    advance_clock(bench, 7 * DAY_MS)
    bench.write(platform_requests.cancel, store, id, ids.timestamp(bench.clock.milliseconds))
    advance_clock(bench, DAY_MS)
    process_due(bench)
    assert requests_by_id(bench, store)[id].state == "called_off"
    assert item_count(bench, ann) == 1


def test_request_stays_with_its_store_when_the_shop_moves(bench, store):
    """A request stays with its store after the shop moves to another store and the store is
    renamed.
    Rule: privacy-requests."""
    domain = f"{store.handle}.myshopify.com"
    named = {"naming": {"platform_shop": domain}}
    bench.update_store(store, **named)
    ann = bench.new_customer(store)
    bench.save(ann)
    erased, deleted = (
        store_request(bench, store, "customers/redact", ann),
        store_request(bench, store, "shop/redact"),
    )
    bench.update_store(store, handle=f"{store.handle}-old", naming={"platform_shop": ""})
    heir = bench.update_store(bench.new_store(), **named)
    theirs = profiles.of_customer(heir, ann.gid)
    bench.save(theirs)
    assert process_due(bench)[0] == [ann.gid]
    assert requests_by_id(bench, store)[erased].state == "erased"
    assert (requests_by_id(bench, store)[deleted].state, requests_by_id(bench, heir)) == (
        "waiting",
        {},
    )
    advance_clock(bench, 7 * DAY_MS)
    process_due(bench)
    advance_clock(bench, stores.PROPAGATION_MS)
    process_due(bench)
    assert bench.select("SELECT 1 FROM stores WHERE id = $1", store.id) == []
    assert item_count(bench, theirs) == 1


def test_failing_request_delays_no_other(bench, store, monkeypatch):
    """A failing request is logged and retried. Requests processed after it aren't delayed, and each
    is carried out once.
    Rules: bad-row, privacy-requests."""
    ann, ben = bench.new_customer(store), bench.new_customer(store)
    first, second = (store_request(bench, store, "customers/redact", who) for who in (ann, ben))
    erase = erasure.erase

    async def failing(tx, profile, now):
        if profile == ann:
            raise RuntimeError("no")
        return await erase(tx, profile, now)

    monkeypatch.setattr(erasure, "erase", failing)
    monkeypatch.setattr(request_processing, "_BATCH_SIZE", 1)
    with structlog.testing.capture_logs() as logged:
        assert process_due(bench)[0] == [ben.gid]
    assert [(entry["request"], entry["reason"]) for entry in logged] == [(first, "no")]
    states = lambda: [requests_by_id(bench, store)[id].state for id in (first, second)]  # noqa: E731
    assert states() == ["waiting", "erased"]
    monkeypatch.undo()
    assert process_due(bench)[0] == [ann.gid]
    assert states() == ["erased", "erased"]
    assert process_due(bench) == ([], 0)
    named = bench.select("SELECT profile_id, gid FROM requests WHERE store_id = $1", store.id)
    assert named == [(None, None)] * 2


def test_waiting_requests_are_counted_by_topic(bench, store):
    """Waiting requests are counted by topic, with the oldest's time."""
    before = bench.read(platform_requests.read_backlog).get("shop/redact", (0, ""))[0]
    store_request(bench, store, "shop/redact")
    store_request(bench, store, "customers/redact")  # names no customer
    store_request(bench, store, "customers/data_request", bench.new_customer(store))
    process_due(bench)
    after = bench.read(platform_requests.read_backlog)
    assert after.keys() == {"shop/redact"}
    assert after["shop/redact"][0] == before + 1
