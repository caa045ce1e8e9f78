"""The event feed: each event exactly once and in the same order for every reader, under
concurrency."""

import asyncio
import json
import random
from typing import Any

import pytest

from tests.contract.conftest import PLENTY, Interleaved, new_item
from tests.contract.test_model import profile_events
from tests.contract.test_purge import DAY
from tests.replay import shown_event
from wishwell import events, ids, profiles
from wishwell.db.postgres.database import Postgres
from wishwell.errors import Conflict, Gone
from wishwell.events import retention
from wishwell.wishlists import item_changes, items, linking, lists, saving


def assign_positions_now(bench):
    return bench.run(events.assign_positions(bench.db, bench.clock))


def read_feed(bench, after=None, limit=250, types=()):
    return bench.read(events.read_feed, bench.store, after, limit, types)


async def walk(db, store, told, limit, after):
    """Returns all events that a reader gets until everything was recorded."""
    seen = []
    while True:
        last = told.is_set()
        page = await db.read(events.read_feed, store, after, limit, ())
        seen += page.events
        after = page.until
        if last and not page.events:
            return seen
        await asyncio.sleep(0.01)


@pytest.mark.slow
def test_feed_is_gapless_when_processes_that_assign_positions_are_killed(event_bench):
    """Concurrent readers see every event of concurrent writers once and in order, although several
    processes that assign positions are killed midway. Rules: feed-once, event-sequence."""
    bench, db, store = event_bench, event_bench.db, event_bench.store
    chance = random.Random(7)
    owners = [bench.new_customer() for _ in range(5)]
    over, told = asyncio.Event(), asyncio.Event()
    pauses = isinstance(db, Postgres)

    async def slow(tx, profile, id, now):
        await lists.create(tx, profile, lists.ListFields("slow"), id, PLENTY, now)
        if pauses:  # SQLite has one writer, so no other write can run next to an open transaction
            await asyncio.sleep(chance.random() / 5)

    async def write(writer):
        for turn in range(20):
            profile, id, now = chance.choice(owners), bench.new_id(), bench.clock.tick()
            if turn % 5 == writer % 5:
                await db.write(slow, profile, id, now)
            else:
                new = new_item(chance.randrange(1, 40), quantity=turn + 1)
                await db.write(saving.save, profile, new, id, PLENTY, now)
            await asyncio.sleep(chance.random() / 200)

    async def give():
        while not over.is_set():
            once = asyncio.create_task(events.assign_positions(db, bench.clock))
            await asyncio.wait([once], timeout=chance.random() / 50)
            once.cancel()
            await asyncio.gather(once, return_exceptions=True)

    async def everything():
        readers = [
            asyncio.create_task(walk(db, store, told, *how))
            for how in ((1, 0), (7, 0), (250, None))
        ]
        numbering = [asyncio.create_task(give()) for _ in range(3)]
        await asyncio.gather(*(write(writer) for writer in range(8)))
        over.set()
        await asyncio.gather(*numbering)
        await events.assign_positions(db, bench.clock)
        told.set()
        return await asyncio.gather(*readers)

    first, *others = bench.run(everything())
    assert all(seen == first for seen in others)
    written = {profile.gid: profile_events(bench, profile) for profile in owners}
    assert len(first) == len({event.id for event in first}) == sum(map(len, written.values())) > 100
    for gid, mine in written.items():
        of = [event for event in first if event.profile == gid]
        assert [event.sequence for event in of] == list(range(1, len(mine) + 1))
        assert [event.id for event in of] == [event["id"] for event in mine]


@pytest.mark.parametrize("step", [1, 1_000])
def test_events_of_a_session_precede_its_link(event_bench, monkeypatch, step):
    """A session's events come before its link, whatever the keys and wherever a batch ends.
    Rule: event-sequence."""
    monkeypatch.setattr(events, "_BATCH_SIZE", step)
    bench, linked = event_bench, []
    for _ in range(8):
        session, customer = bench.new_session(), bench.new_customer()
        bench.save(session)
        bench.link(session, customer)
        linked.append((session.gid, customer.gid))
    assign_positions_now(bench)
    told = [(event.profile, event.type) for event in read_feed(bench).events]
    for session, customer in linked:
        assert told.index((session, "item.created")) < told.index((customer, "item.created"))


def test_events_of_a_session_precede_its_link_when_linked_during_a_batch(event_bench, engine):
    """The order holds although save and link commit between two statements that assign positions.
    Rule: event-sequence."""
    if engine == "sqlite":
        pytest.skip("SQLite gives a place with the event")
    bench, session, customer = event_bench, event_bench.new_session(), event_bench.new_customer()
    new, made, now = new_item(1), bench.new_id(), bench.clock.tick()

    async def save_and_link():
        await bench.db.write(saving.save, session, new, made, PLENTY, now)
        await bench.db.write(linking.link, session, customer, PLENTY, now)

    async def step(tx):
        beside: Any = Interleaved(tx, "all", save_and_link)
        await events.assign_batch(beside, bench.store.id, now)

    bench.write(step)
    assign_positions_now(bench)
    told = [(event.profile, event.type) for event in read_feed(bench).events]
    assert told[0] == (session.gid, "item.created")
    assert told[-1] == (customer.gid, "profile.linked")


def test_unpublished_position_is_not_readable(event_bench, engine):
    """Positions that were assigned but not published aren't readable; the next process publishes
    them.
    Rule: feed-once."""
    bench = event_bench
    bench.save(bench.new_customer())
    if engine == "postgresql":  # SQLite assigned the position with the event
        assert bench.write(events.assign_batch, bench.store.id, bench.clock.tick()) == (0, 1, 1)
    assert read_feed(bench) == events.FeedPage([], 0)
    assign_positions_now(bench)
    assert [event.sequence for event in read_feed(bench).events] == [1]
    assert read_feed(bench, 1) == events.FeedPage([], 1)


def test_events_are_complete_from_5_seconds_after_the_switch(bench):
    """Events are complete from 5 s after they are turned on, each time again.
    Rule: events-enabled."""
    store = bench.new_store()

    def switch(**patch):
        since = bench.update_store(store, **patch).events_since
        return since and ids.from_timestamp(since)

    assert switch(events=False) is None
    first = switch(events=True)
    assert first == bench.clock() + 5_000
    assert switch(events=True) == switch() == first
    assert switch(events=False) is None
    assert switch(events=True) == bench.clock() + 5_000 > first


def test_event_that_an_earlier_release_wrote_is_read(event_bench):
    """Events stored by an earlier release as an array are readable, also with an extra column at
    the end.
    Rule: migrate-once."""
    bench = event_bench
    customer = bench.new_customer()
    item = bench.save(customer, 7, note="In blue")
    times = (item.created_at, item.updated_at)
    columns = (item.id, "7", "", 1, "", "In blue", "", *times, "of a later release")
    [(id, *row)] = bench.select(
        "SELECT profile_id, sequence, type, created_at, gid FROM events WHERE profile_id = $1",
        customer.id,
    )
    array = json.dumps([False, "", *columns])
    assert (
        shown_event(events.from_row((str(id), *row, array, "")))
        == profile_events(bench, customer)[0]
    )


def test_event_keeps_the_form_in_which_it_was_written(event_bench):
    """An event keeps the form in which it was written; in a store with text ids, digits are text.
    Rule: store-product-ids."""
    bench, note = event_bench, '"[{\\u0041}]\', \\"\n\u2028\U0001f381\u202e$1 é'
    before = bench.new_customer()
    bench.save(before, 7, variant=8)
    bench.store = bench.update_store(bench.store, product_ids="text")
    after = profiles.of_customer(bench.store, before.gid)
    item = bench.save(after, "007", variant="08", note=note)
    patch = items.ItemPatch(quantity=2)
    bench.write(saving.change, after, item.id, patch, bench.clock.tick())
    bench.write(item_changes.delete, after, item.id, bench.clock.tick())
    first, *others = [event["data"]["item"] for event in profile_events(bench, after)]
    assert (first["productId"], first["variantId"]) == (7, 8)
    assert [(item["productId"], item["variantId"], item["note"]) for item in others] == [
        ("007", "08", note)
    ] * 3
    with pytest.raises(Conflict):
        bench.update_store(bench.store, product_ids="integer")


def retain(bench, days=7):
    return bench.drain(retention.remove_events(bench.db, days, bench.clock()))


def removed(bench):
    """Returns the feed position of the store's last removed event."""
    [(number,)] = bench.select("SELECT removed FROM feeds WHERE store_id = $1", bench.store.id)
    return number


def insert(bench, owner, count):
    """Records ``count`` events of a profile that has none."""
    now = bench.clock.tick()
    told = {
        "profile_id": owner.id,
        "store_id": bench.store.id,
        "type": "item.created",
        "created_at": now,
        "gid": owner.gid,
        "data": '{"item":{}}',
        "traceparent": "",
    }

    async def add(tx):
        await profiles.lock(tx, owner, now)
        await tx.fill("events", [{"sequence": n, **told} for n in range(1, count + 1)])

    bench.write(add)


def test_old_events_are_removed_in_batches_and_only_readers_who_missed_some_get_410(event_bench):
    """Expired events are removed in batches; only a reader who missed some gets 410.
    Rule: feed-retention."""
    bench = event_bench
    assign_positions_now(bench)  # assigns positions to events of earlier tests
    owner = bench.new_customer()
    insert(bench, owner, 450)
    assert assign_positions_now(bench) == 450
    bench.clock.milliseconds += 7 * DAY + 1
    bench.save(bench.new_customer())
    assign_positions_now(bench)
    assert read_feed(bench, 0).until == 250
    steps = retain(bench)
    assert (max(steps), removed(bench)) == (200, 450)
    for gone in (0, 1, 449):
        with pytest.raises(Gone, match="without `from`"):
            read_feed(bench, gone)
    assert [event.sequence for event in read_feed(bench, 450).events] == [1]
    assert read_feed(bench) == read_feed(bench, 450)
    bench.clock.milliseconds += 30 * DAY
    retain(bench)
    assert read_feed(bench, 451) == read_feed(bench) == events.FeedPage([], 451)
    with pytest.raises(Gone, match="no longer stored"):
        read_feed(bench, 450)
    bench.save(owner, 9)
    assign_positions_now(bench)
    assert len(read_feed(bench, 451).events) == 1


@pytest.mark.slow
def test_reader_during_the_removal_gets_the_next_events_or_410(event_bench):
    """A reader during the removal gets the next events or 410, never a gap.
    Rule: feed-retention."""
    bench, db, store = event_bench, event_bench.db, event_bench.store
    insert(bench, bench.new_customer(), 2_000)
    assign_positions_now(bench)
    bench.clock.milliseconds += 8 * DAY
    gone = []

    async def remove():
        async for _ in retention.remove_events(db, 7, bench.clock()):
            await asyncio.sleep(0.01)

    async def read(removing):
        while not removing.done():
            for after in range(0, 1_999, 166):
                try:
                    page = await db.read(events.read_feed, store, after, 50, ())
                except Gone:
                    gone.append(after)
                else:
                    told = [event.sequence for event in page.events]
                    assert told == list(range(after + 1, min(after + 50, 2_000) + 1))
            await asyncio.sleep(0)

    async def both():
        removing = asyncio.create_task(remove())
        await asyncio.gather(removing, *(read(removing) for _ in range(3)))

    bench.run(both())
    assert gone
    assert removed(bench) == 2_000


def test_young_event_keeps_all_later_ones(event_bench):
    """A young event keeps all later ones too, even if a slow clock dated them earlier, so readers
    never find a gap.
    Rule: feed-retention."""
    bench = event_bench
    late, early = bench.new_customer(), bench.new_customer()
    first, second = sorted((late, early), key=lambda profile: profile.id)
    bench.save(first)
    assign_positions_now(bench)
    bench.clock.milliseconds -= 2 * DAY
    bench.save(second)
    assign_positions_now(bench)
    bench.clock.milliseconds += 8 * DAY
    retain(bench)
    assert removed(bench) == 0
    bench.clock.milliseconds += 2 * DAY
    retain(bench)
    assert removed(bench) == 2
