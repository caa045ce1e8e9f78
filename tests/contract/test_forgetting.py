"""Erasing customers who stay away, the sequence kept after an erasure, the export of a person."""

import msgspec

from tests.contract.desk import DAY
from wishwell.moving import person
from wishwell.profiles import records
from wishwell.wishes import erasure, saving
from wishwell.wishes.items import ItemPatch


def forgotten(bench, store, now, *, dry=False):
    """Erases the store's idle customers as of ``now``. Returns their GIDs."""

    async def erase():
        return [
            customer.gid
            async for customer, _ in erasure.idle(bench.db, now, dry=dry)
            if customer.store.id == store.id
        ]

    return bench.run(erase())


def test_customers_idle_before_the_option_was_turned_on_count_as_seen_then(bench):
    """contract: forget-customers. A customer who stayed away for 100 days is erased a month after the
    option is turned on, not immediately."""
    store = bench.new_store()
    customer = bench.new_customer(store)
    bench.save(customer)
    bench.clock.milliseconds += 100 * DAY
    store = bench.update_store(store, forget_customers_after=1)
    turned_on = bench.clock.milliseconds
    for days in (0, 1, 27):
        assert forgotten(bench, store, turned_on + days * DAY) == [], days
    assert bench.holds(customer)[0] == 1
    assert forgotten(bench, store, turned_on + 32 * DAY, dry=True) == [customer.gid]
    assert forgotten(bench, store, turned_on + 32 * DAY) == [customer.gid]


def test_erased_sequence_is_kept_30_days_or_a_day_longer_than_events(bench, store):
    """contract: erase-sequence."""
    for events_days, kept_days in ((7, 30), (29, 30), (31, 32), (90, 91)):
        customer = bench.new_customer(store)
        bench.save(customer)
        erased = bench.clock.milliseconds
        bench.write(erasure.erase, customer, erased)
        bench.drain(erasure.work(bench.db, bench.clock))
        kept = []
        for hours in (kept_days * 24 - 1, kept_days * 24 + 1):
            bench.write(erasure.forget, events_days, erased + hours * 3_600_000)
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
    """contract: profile-export. More than two pages from the customer and from the merged session."""
    customer, session = bench.new_customer(store), bench.new_session(store)
    change(bench, session, 511)
    change(bench, customer, 624)
    bench.link(session, customer)
    shown = bench.read(records.find, customer)
    document = b"".join(bench.drain(person.document(bench.db, customer, shown)))
    events = msgspec.json.decode(document)["data"]["events"]
    sequences = {profile.gid: [] for profile in (session, customer)}
    for event in events:
        sequences[event["profile"]].append(event["sequence"])
    assert sequences[session.gid] == [*range(1, 513)]
    # The merge adds `item.updated` and `profile.linked`.
    assert sequences[customer.gid] == [*range(1, 628)]
