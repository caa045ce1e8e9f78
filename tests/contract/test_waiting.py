"""A write that waited for its profile's lock acts on the state after the wait.

tests/linearizability found these races. On SQLite writes are queued before they begin, so they
never wait inside.
"""

import asyncio
import os
from typing import Any

import msgspec
import pytest

from tests.contract.conftest import PLENTY, Interleaved, new_item
from tests.contract.test_model import profile_events
from wishwell import profiles
from wishwell.errors import LimitReached, NotFound, Unavailable
from wishwell.profiles import search
from wishwell.profiles.pages import PageRequest
from wishwell.wishlists import (
    item_changes,
    items,
    linking,
    lists,
    reservation_rows,
    reservations,
    saving,
)
from wishwell.wishlists.items import ItemPatch

ACTIVITY = "citus_stat_activity" if os.environ.get("WISHWELL_TEST_CITUS") else "pg_stat_activity"
WAITING = (
    f"SELECT 1 FROM {ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@pytest.fixture(autouse=True)
def _postgresql_alone(engine):
    if engine == "sqlite":
        pytest.skip("a transaction of SQLite's writer is never interrupted")


async def select(tx, sql):
    return await tx.fetch(sql)


async def one_after_the_other(db, first, second, last):
    held, go = asyncio.Event(), asyncio.Event()

    async def paused(tx):
        await first(tx)
        held.set()
        await go.wait()
        if last is not None:
            await last(tx)

    holding = asyncio.create_task(db.write(paused))
    # Ends at an error of ``first``, too.
    reached = asyncio.create_task(held.wait())
    await asyncio.wait({holding, reached}, return_when=asyncio.FIRST_COMPLETED)
    if holding.done():
        reached.cancel()
        second.close()
        return await holding
    waiting = asyncio.create_task(second)
    while not await db.read(select, WAITING):
        assert not waiting.done()
        await asyncio.sleep(0.005)
    go.set()
    await holding
    return await waiting


def run_while_waiting(bench, first, *write, last=None):
    """Runs ``first`` and commits it once ``write`` waits for its lock; returns the result of
    ``write``. ``last`` runs in the first transaction before its commit."""
    return bench.run(one_after_the_other(bench.db, first, bench.db.write(*write), last))


@pytest.fixture
def wish(bench):
    """A customer with an item, and a list without it."""
    profile = bench.new_customer()
    item = bench.save(profile, 1, 2, note="kept")
    return profile, item.id, bench.new_list(profile).id


def put_on_list(profile, item, made):
    """Returns a use case that locks the profile and puts the item on the list."""

    async def edit(tx):
        await profiles.lock_known(tx, profile)
        await item_changes.set_lists(tx, profile, item, [made], PLENTY, "")

    return edit


def link_of(session, customer, now):
    """Returns a use case that links and so holds both locks."""

    async def link(tx):
        await linking.link(tx, session, customer, PLENTY, now)

    return link


TAGS = ItemPatch(tags=("a",))
# Writes that wait while the item is put on the list, and a check of their result.
AFTER_PUT = {
    "change": (saving.change, (ItemPatch(quantity=5),), lambda got, made: got.list_ids == [made]),
    "change of tags": (saving.change, (TAGS,), lambda got, made: got.list_ids == [made]),
    "save": (saving.save, (), lambda got, made: (got[0].list_ids, got[1]) == ([made], False)),
    "rename": (lists.change, (lists.ListFields("y"),), lambda got, made: got.item_count == 1),
    "off all lists": (item_changes.set_lists, ([], PLENTY), lambda got, made: got.list_ids == []),
    "delete": (item_changes.delete, (), None),
    "delete of several": (item_changes.delete_many, (), None),
    "delete of the list": (lists.delete, (), None),
}


@pytest.mark.parametrize("name", AFTER_PUT)
def test_write_sees_the_list_that_it_waited_for(bench, wish, name):
    """A write sees the list that was added during its wait; else its result would lack it, or an
    entry would remain of a deleted item or list."""
    verb, given, right = AFTER_PUT[name]
    profile, item, made = wish
    of: tuple[Any, ...] = (profile, made if verb in (lists.change, lists.delete) else item)
    if verb is item_changes.delete_many:
        of = profiles.WholeStore(bench.store), [item]
    if verb is saving.save:
        of = profile, items.NewItem("1", "2", 5), bench.new_id(), PLENTY
    got = run_while_waiting(bench, put_on_list(*wish), verb, *of, *given, bench.clock.tick())
    bench.check(profile)
    assert right(got, made) if right else sum(bench.holds(profile)) == 1
    if name == "change":
        assert (got.product_id, got.variant_id, got.note) == ("1", "2", "kept")


def test_set_lists_that_waited_for_a_deletion_finds_no_item(bench, wish):
    """A set-lists that waited for the item's deletion is 404, even if only the deleting process
    knows that events are on.
    Rule: events-enabled."""
    profile, item, made = wish
    event_bench = msgspec.structs.replace(
        profile, store=msgspec.structs.replace(bench.store, events_since="")
    )

    async def delete(tx):
        await profiles.lock_known(tx, event_bench)
        await item_changes.delete(tx, event_bench, item, bench.clock.tick())

    with pytest.raises(NotFound, match="item doesn't exist"):
        run_while_waiting(bench, delete, item_changes.set_lists, profile, item, [made], PLENTY, "")
    bench.check(profile)


@pytest.mark.parametrize("events", ["off", "on"])
def test_save_that_waited_for_a_delete_respects_the_item_limit(bench, events):
    """A save that waited for its item's deletion respects the item limit, because another item took
    its place.
    Rule: profile-limits."""
    store = bench.new_store(events=events)
    profile, bounds, now = bench.new_customer(store), PLENTY._replace(items=1), bench.clock.tick()
    first = bench.save(profile, 1)

    async def exchange(tx):
        await profiles.lock_known(tx, profile)
        await item_changes.delete(tx, profile, first.id, now)
        await saving.save(tx, profile, new_item(2), bench.new_id(), bounds, now)

    again = saving.save, profile, new_item(1), bench.new_id(), bounds, now
    with pytest.raises(LimitReached):
        run_while_waiting(bench, exchange, *again)
    bench.check(profile)
    assert bench.holds(profile)[0] == 1


def test_set_lists_that_waited_for_a_link_finds_the_session_ended(bench):
    """A set-lists that waited for a link finds the session ended, changes nothing and says why."""
    customer, session = bench.new_customer(), bench.new_session()
    item, made, now = bench.save(session), bench.new_list(session), bench.clock.tick()
    edit = item_changes.set_lists, session, item.id, [made.id], PLENTY, now
    with pytest.raises(NotFound, match="session doesn't exist"):
        run_while_waiting(bench, link_of(session, customer, now), *edit)
    bench.check(customer)
    assert bench.holds(customer) == (1, 1, 0)


def test_deletion_removes_a_tag_added_while_it_waited(bench, wish):
    """A deletion removes a tag added during its wait; else a search would find a deleted item."""
    profile, item, _ = wish

    async def tag(tx):
        await saving.change(tx, profile, item, TAGS, bench.clock.tick())

    run_while_waiting(bench, tag, item_changes.delete, profile, item, bench.clock.tick())
    bench.check(profile)
    assert bench.holds(profile)[0] == 0


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (ItemPatch(quantity=5), ItemPatch(quantity=5), ["item.updated quantity"]),
        (ItemPatch(quantity=5), ItemPatch(quantity=1), ["item.updated quantity"] * 2),
        (ItemPatch(quantity=5), new_item(1, quantity=5), ["item.updated quantity"]),
        (ItemPatch(product_id="2"), new_item(1), ["item.updated productId", "item.created "]),
        (ItemPatch(product_id="2"), new_item(2), ["item.updated productId"]),
        (new_item(2), new_item(2), ["item.created "]),
        (new_item(2), new_item(2, quantity=7), ["item.created ", "item.updated quantity"]),
        (None, new_item(1, quantity=7), ["item.deleted ", "item.created "]),
        (ItemPatch(note="x"), None, ["item.updated note", "item.deleted "]),
    ],
)
def test_events_describe_what_changed_after_the_wait(bench, store, first, second, told):
    """Events describe what changed after the wait; each case starts with an item of product 1.
    Rules: event-changed, event-transaction."""
    profile, now = bench.new_customer(store), bench.clock.tick()
    item = bench.save(profile)

    async def do(tx, what):
        if what is None:
            await item_changes.delete(tx, profile, item.id, now)
        elif isinstance(what, ItemPatch):
            await saving.change(tx, profile, item.id, what, now)
        else:
            await saving.save(tx, profile, what, bench.new_id(), PLENTY, now)

    async def hold(tx):
        await profiles.lock_known(tx, profile)
        await do(tx, first)

    run_while_waiting(bench, hold, do, second)
    changes = [
        f"{event['type']} {','.join(event['data'].get('changed', ()))}"
        for event in profile_events(bench, profile)
    ]
    assert changes == ["item.created ", *told]
    bench.check(profile)


def test_bulk_deletion_that_waited_for_a_link_deletes_all_of_its_items(bench):
    """A bulk deletion that waited for a link deletes the merged and the moved item.
    Rule: link-atomic."""
    customer, session = bench.new_customer(), bench.new_session()
    own = bench.save(customer)
    bench.save(session)
    both = [own.id, bench.save(session, 2).id]
    delete = item_changes.delete_many, customer, both, bench.clock.tick()
    run_while_waiting(bench, link_of(session, customer, bench.clock.tick()), *delete)
    assert bench.holds(customer)[0] == 0


@pytest.mark.parametrize("verb", ["delete over a store", "link"])
def test_sessions_are_locked_before_customers(bench, verb):
    """Sessions are locked before customers, which prevents a deadlock. Rule: link-atomic."""
    session, customer = bench.new_session(), bench.new_customer()
    while customer.id > session.id:
        customer = bench.new_customer()
    made = [bench.save(profile).id for profile in (session, customer)]
    without_waiting = f"SELECT 1 FROM profiles WHERE profile_id = '{customer.id}' FOR UPDATE NOWAIT"

    async def take_session(tx):
        await tx.one("profile_lock", profile=session.id)

    async def take_customer(tx):
        assert await select(tx, without_waiting)
        await tx.one("profile_lock", profile=customer.id)

    both = {
        "link": (linking.link, session, customer, PLENTY),
        "delete over a store": (item_changes.delete_many, profiles.WholeStore(bench.store), made),
    }[verb]
    run_while_waiting(bench, take_session, *both, bench.clock.tick(), last=take_customer)
    assert bench.holds(customer)[0] == (1 if verb == "link" else 0)


def test_save_with_tags_is_invisible_until_the_tags_are_stored(bench):
    """An item and its tags become visible in one transaction."""
    profile, now = bench.new_customer(), bench.clock.tick()
    everything = PageRequest(None, 9, search.Search())
    bench.write(profiles.lock, profile, now)
    seen = []

    async def look():
        seen.append(await bench.db.read(items.page, profile, everything))

    async def save(tx):
        looking, new = Interleaved(tx, "fill", look, before=True), new_item(1, tags=("a",))
        await saving.save(looking, profile, new, bench.new_id(), PLENTY, now)

    bench.write(save)
    assert [page.records for page in seen] == [[]]
    bench.check(profile)


def test_connection_that_broke_while_idle_raises_unavailable(bench, wish):
    """A connection that broke while idle raises ``Unavailable``, as for any unreachable database.
    Rule: database-away."""

    async def broken(tx):
        await profiles.lock(tx, wish[0], bench.clock.tick())
        [(pid,)] = await tx.fetch("SELECT pg_backend_pid()")
        await bench.db.read(select, f"SELECT pg_terminate_backend({pid})")
        await asyncio.sleep(0.1)

    with pytest.raises(Unavailable):
        bench.write(broken)
    bench.read(items.page, wish[0], PageRequest(None, 1, search.Search()))


@pytest.fixture
def promise(bench):
    """An item of a session on a shared list, and a session that will reserve it."""
    owner, holder, now = bench.new_session(), bench.new_session(), bench.clock.tick()
    made = bench.new_list(owner).id
    item = bench.save(owner, list_ids=(made,)).id
    token = bench.share(owner, made).token

    async def reserve(tx):
        await reservations.reserve(tx, bench.finder, token, item, holder, 1, now)

    return owner, holder, item, token, reserve


def reserved_rows(bench, holder, *owners):
    """Returns how many rows the holder's reservations have, with the holder and with the owners."""
    count = bench.select("SELECT count(*) FROM held WHERE profile_id = $1", holder.id)[0][0]
    for owner in owners:
        sql = "SELECT count(*) FROM reservations WHERE profile_id = $1"
        count += bench.select(sql, owner.id)[0][0]
    return count


@pytest.mark.parametrize("verb", [item_changes.delete, item_changes.set_lists, lists.delete])
def test_item_that_leaves_its_list_ends_a_reservation_that_it_waited_for(bench, promise, verb):
    """An item that leaves its list ends a reservation committed during the wait, although its
    statement began before.
    Rule: reserve-ends."""
    owner, holder, item, _, reserve = promise
    made = bench.all("lists_all", profile=owner.id)[0][0]
    named = {
        item_changes.delete: (item,),
        item_changes.set_lists: (item, [], PLENTY),
        lists.delete: (made,),
    }[verb]
    run_while_waiting(bench, reserve, verb, owner, *named, bench.clock.tick())
    assert reserved_rows(bench, holder, owner) == 0


@pytest.mark.parametrize("by", ["holder", "purge"])
def test_reservation_moved_by_the_owners_link_can_be_ended(bench, promise, by):
    """A reservation that the owner's link has moved or merged meanwhile is ended by its holder, or
    by the holder's purge.
    Rules: reserve-ends, session-purged."""
    owner, holder, item, token, reserve = promise
    customer = bench.new_customer()
    bench.save(customer)
    bench.write(reserve)

    async def purge_it(tx):
        await tx.all_many("session_lock", [{"profile": holder.id}])
        await reservation_rows.purge(tx, [holder.id], 10)

    end = (purge_it,) if by == "purge" else (reservations.cancel, token, item, holder)
    run_while_waiting(bench, link_of(owner, customer, bench.clock.tick()), *end)
    assert reserved_rows(bench, holder, owner, customer) == 0


def test_link_of_a_holder_waits_for_the_owner(bench, promise):
    """The holder's link waits for the owner's lock, which protects the reservation's row there.
    Rules: reserve-ends, request-linearizable."""
    owner, holder, _, _, reserve = promise
    customer = bench.new_customer()
    bench.write(reserve)

    async def lock(tx):
        await profiles.lock_known(tx, owner)

    run_while_waiting(bench, lock, linking.link, holder, customer, PLENTY, bench.clock.tick())
    assert reserved_rows(bench, customer, owner) == 2


def test_writes_that_wait_for_a_profile_leave_connections_to_others(bench):
    """Sixty writes that wait for a profile locked by another program leave connections to others.
    Rule: fair-queueing."""
    busy, quiet = bench.new_customer(), bench.new_customer()
    bench.save(busy)
    held, go = asyncio.Event(), asyncio.Event()

    async def hold(tx):
        await tx.one("profile_lock", profile=busy.id)
        held.set()
        await go.wait()

    def save(profile, product):
        new, now = new_item(product), bench.clock.tick()
        return bench.db.write(saving.save, profile, new, bench.new_id(), PLENTY, now)

    async def check():
        holding = asyncio.create_task(bench.db.write(hold))  # names no profile: has no limit
        await held.wait()
        waiting = [asyncio.create_task(save(busy, product)) for product in range(2, 62)]
        await asyncio.sleep(0.1)
        assert bench.db.stats().in_use <= 3
        await save(quiet, 1)
        assert not any(task.done() for task in waiting)
        go.set()
        await asyncio.gather(holding, *waiting)
        assert bench.db.stats().waiting == 0

    bench.run(check())
    assert bench.holds(busy)[0] == 61


@pytest.mark.slow
def test_rows_sent_together_may_wait_as_long_as_their_transaction(bench):
    """In a long write, rows sent together may wait as long as their transaction, not just a
    statement's timeout."""
    mine, other = bench.new_customer(), bench.new_session()

    async def lock(tx):
        await profiles.lock_known(tx, other)

    async def touch(tx):
        await profiles.lock(tx, mine, bench.clock.tick())
        await tx.run_many(
            "profile_recount", [{"profile": other.id, "email": None, "notices": None, "shared": 0}]
        )

    with bench.with_timeout(3):
        writing = bench.db.long_write(touch)
        bench.run(one_after_the_other(bench.db, lock, writing, lambda _: asyncio.sleep(4.2)))
