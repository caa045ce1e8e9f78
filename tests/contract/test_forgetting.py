"""Erasure of inactive customers, the event sequence after an erasure, and a person's export."""

import asyncio
import os

import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from tests.contract.desk import DAY
from wishwell import ids
from wishwell.db import run_statement
from wishwell.errors import NotFound
from wishwell.privacy import erasure, personal_export
from wishwell.profiles import records
from wishwell.wishlists import saving
from wishwell.wishlists.items import ItemPatch


def forget_idle_customers(bench, store, now, **options):
    """Erases the store's idle customers as of ``now``. Returns their GIDs."""
    found = [customer for customer, _ in bench.drain(erasure.erase_idle(bench.db, now, **options))]
    return [customer.gid for customer in found if customer.store.id == store.id]


def test_customers_idle_before_the_option_was_turned_on_count_as_seen_then(bench):
    """A customer who has been absent for 100 days is erased a month after the option is turned on, not
    immediately. Rule: forget-customers."""
    store = bench.new_store()
    customer = bench.new_customer(store)
    bench.save(customer)
    bench.clock.milliseconds += 100 * DAY
    store = bench.update_store(store, forget_customers_after=1)
    turned_on = bench.clock.milliseconds
    for days in (0, 1, 27):
        assert forget_idle_customers(bench, store, turned_on + days * DAY) == [], days
    assert bench.holds(customer)[0] == 1
    assert forget_idle_customers(bench, store, turned_on + 32 * DAY, dry=True) == [customer.gid]
    assert forget_idle_customers(bench, store, turned_on + 32 * DAY) == [customer.gid]


def test_idle_customers_beyond_one_batch_are_found_once(bench):
    """Each of 250 idle customers is found once, although some were last seen at the same time.
    Rule: forget-customers."""
    store = bench.new_store(forget_customers_after=1)
    customers = [bench.new_customer(store) for _ in range(250)]
    seen = [ids.timestamp(bench.clock.milliseconds + number // 7) for number in range(250)]
    columns = "profile_id store_id gid is_session created_at touched_at"
    rows = [(one.id, store.id, one.gid, 0, at, at) for one, at in zip(customers, seen, strict=True)]
    bench.insert("profiles", columns, rows)
    found = forget_idle_customers(bench, store, bench.clock.milliseconds + 32 * DAY, dry=True)
    assert sorted(found) == sorted(customer.gid for customer in customers)


def test_idle_customer_who_comes_back_before_the_erasure_is_kept(bench):
    """A request between the search for idle customers and the erasure prevents the erasure.
    Rule: forget-customers."""
    store = bench.new_store(forget_customers_after=1)
    customers = [bench.new_customer(store) for _ in range(2)]
    for customer in customers:
        bench.save(customer)
    later = bench.clock.milliseconds + 32 * DAY

    async def erase():
        erased = []
        async for customer, _ in erasure.erase_idle(bench.db, later):
            erased += [customer] if customer in customers else []
            if erased:
                back = {"profile": customers[1].id, "now": ids.timestamp(later)}
                await bench.db.write(run_statement, "customer_touch", **back)
        return erased

    assert bench.run(erase()) == [customers[0]]
    assert bench.holds(customers[1])[0] == 1


def test_session_can_be_erased_until_it_has_ended(bench, store):
    """A session that is erased or linked can't be erased again. Rule: erase-immediate."""
    session, customer = bench.new_session(store), bench.new_customer(store)
    bench.save(session)
    assert bench.write(erasure.erase, session, bench.clock.milliseconds) == [session.id]
    ended = bench.new_session(store)
    bench.link(ended, customer)
    for gone in (session, ended):
        with pytest.raises(NotFound, match="session doesn't exist"):
            bench.write(erasure.erase, gone, bench.clock.milliseconds)


def test_erasure_is_in_the_feed_of_a_store_that_has_turned_events_off(bench, store):
    """An erasure is in the feed of a store that has turned events off, but not of one that never recorded
    any. Rule: erase-event."""
    for before, types in ((store, ["profile.erased"]), (bench.new_store(), [])):
        customer = bench.new_customer(before)
        bench.save(customer)
        customer = replace(customer, store=bench.update_store(before, events=False))
        bench.write(erasure.erase, customer, bench.clock.milliseconds)
        bench.drain(erasure.remove_erased(bench.db, bench.clock))
        found = "SELECT type FROM events WHERE profile_id = $1"
        assert [type for (type,) in bench.select(found, customer.id)] == types


def test_two_processes_that_remove_the_same_profiles_do_not_block_each_other(bench):
    """Two processes that remove the same profiles don't block each other. Rule: erase-completes."""
    customers = [bench.new_customer() for _ in range(5)]
    for customer in customers:
        bench.save(customer)
        bench.write(erasure.erase, customer, bench.clock.milliseconds)

    async def work():
        return [gone async for gone in erasure.remove_erased(bench.db, bench.clock)]

    async def both():
        async with asyncio.timeout(30):
            await asyncio.gather(work(), work())

    bench.run(both())
    assert [bench.holds(customer) for customer in customers] == [(0, 0, 0)] * 5


STUCK = {
    "sqlite": "CREATE TRIGGER stuck BEFORE DELETE ON items WHEN old.profile_id = '{0}' "
    "BEGIN SELECT RAISE(ABORT, 'stuck'); END",
    "postgresql": "CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql AS "
    "$$BEGIN RAISE 'stuck'; END$$; CREATE TRIGGER stuck BEFORE DELETE ON items FOR EACH ROW "
    "WHEN (old.profile_id = '{0}') EXECUTE FUNCTION stuck()",
}


@pytest.mark.skipif("WISHWELL_TEST_CITUS" in os.environ, reason="distributed tables: no triggers")
def test_profile_that_cannot_be_removed_is_skipped_logged_and_tried_again(bench, engine):
    """A profile whose data can't be removed doesn't stop the others, and is retried.
    Rule: erase-completes."""
    bench.drain(erasure.remove_erased(bench.db, bench.clock))  # what other tests have left
    customers = [bench.new_customer() for _ in range(3)]
    for customer in customers:
        bench.save(customer)
        bench.clock.tick()
        bench.write(erasure.erase, customer, bench.clock.milliseconds)
    since = ids.timestamp(bench.clock.milliseconds - 4)
    assert bench.read(erasure.read_backlog) == (3, since)
    bench.execute(STUCK[engine].format(customers[0].id))
    with capture_logs() as logs:
        assert bench.drain(erasure.remove_erased(bench.db, bench.clock)) == [1, 2]
    assert [(line["event"], line["key"]) for line in logs] == [
        ("profile_not_erased", customers[0].id)
    ]
    assert "stuck" in logs[0]["reason"]
    assert bench.read(erasure.read_backlog) == (1, since)
    bench.execute("DROP TRIGGER stuck" + " ON items" * (engine == "postgresql"))
    assert bench.drain(erasure.remove_erased(bench.db, bench.clock)) == [1]
    assert bench.holds(customers[0]) == (0, 0, 0)


def test_erased_sequence_is_kept_30_days_or_a_day_longer_than_events(bench, store):
    """The sequence of an erased profile is kept as long as its event. Rule: erase-event."""
    for events_days, kept_days in ((7, 30), (29, 30), (31, 32), (90, 91)):
        customer = bench.new_customer(store)
        bench.save(customer)
        erased = bench.clock.milliseconds
        bench.write(erasure.erase, customer, erased)
        bench.drain(erasure.remove_erased(bench.db, bench.clock))
        kept = []
        for hours in (kept_days * 24 - 1, kept_days * 24 + 1):
            bench.write(erasure.forget_old, events_days, erased + hours * 3_600_000)
            found = "SELECT count(*) FROM erasures WHERE profile_id = $1"
            kept += [count for (count,) in bench.select(found, customer.id)]
        assert kept == [1, 0], events_days


def change(bench, profile, times):
    """Saves an item and changes it, which records ``times + 1`` events."""
    item = bench.save(profile)

    async def often(tx):
        for number in range(times):
            patch = ItemPatch(quantity=2 + number % 2)
            await saving.change(tx, profile, item.id, patch, bench.clock.tick())

    bench.write(often)


def test_export_of_a_person_has_every_event_however_many(bench, store):
    """An export has all events, more than two pages each from the customer and from the merged session.
    Rule: profile-export."""
    customer, session = bench.new_customer(store), bench.new_session(store)
    change(bench, session, 511)
    change(bench, customer, 624)
    bench.link(session, customer)
    shown = bench.read(records.find, customer)
    document = b"".join(bench.drain(personal_export.stream_document(bench.db, customer, shown)))
    events = msgspec.json.decode(document)["data"]["events"]
    sequences = {profile.gid: [] for profile in (session, customer)}
    for event in events:
        sequences[event["profile"]].append(event["sequence"])
    assert sequences[session.gid] == [*range(1, 513)]
    # The merge adds `item.updated` and `profile.linked`.
    assert sequences[customer.gid] == [*range(1, 628)]
