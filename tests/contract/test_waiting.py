"""A write that has waited for its profile answers, and does, what is right after the wait.

Found by tests/linearizability. On SQLite a write begins when it is its turn: there is nothing to wait for.
"""

import asyncio
import os

import msgspec
import pytest

from tests.contract.conftest import bounds, new_item
from tests.contract.test_events import heard
from wishwell import profiles
from wishwell.errors import NotFound, Unavailable
from wishwell.profiles import search
from wishwell.profiles.pages import PageRequest
from wishwell.wishes import items, linking, lists, reservations, shares
from wishwell.wishes.items import ItemPatch

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


async def _one_after_the_other(db, first, second, last=None):
    """Commits ``first`` when ``second`` waits for its lock; what ``second`` gives.

    ``last`` is what the first does before it commits.
    """
    held, go = asyncio.Event(), asyncio.Event()

    async def paused(tx):
        await first(tx)
        held.set()
        await go.wait()
        if last is not None:
            await last(tx)

    holding = asyncio.create_task(db.write(paused))
    await held.wait()
    waiting = asyncio.create_task(second())
    while not await db.read(select, WAITING):
        assert not waiting.done()
        await asyncio.sleep(0.005)
    go.set()
    await holding
    return await waiting


@pytest.fixture
def wish(bench):
    """A customer with an item and a list that it is not on."""
    profile, now = bench.new_customer(), bench.clock.tick()
    new = new_item(1, 2, note="kept")
    item, _ = bench.write(items.save, profile, new, bench.new_id(), bounds(99), now)
    made = bench.write(lists.create, profile, "x", bench.new_id(), bounds(99), now)
    return profile, item.id, made.id


def put_on_list(profile, item, made):
    """A list edit that holds the lock."""

    async def edit(tx):
        await profiles.lock_known(tx, profile)
        await items.set_lists(tx, profile, item, [made], bounds(99), "")

    return edit


@pytest.mark.parametrize("patch", [ItemPatch(quantity=5), ItemPatch(tags=("a",))])
def test_change_shows_the_lists_that_it_waited_for(bench, wish, patch):
    """Both ways: a single statement, and in a transaction for the tags."""
    profile, item, made = wish
    change = lambda: bench.db.write(items.change, profile, item, patch, bench.clock.tick())  # noqa: E731
    got = bench.run(_one_after_the_other(bench.db, put_on_list(profile, item, made), change))
    assert (got.list_ids, got.product_id, got.variant_id, got.note) == ([made], "1", "2", "kept")


def test_set_lists_takes_off_a_list_that_it_waited_for(bench, wish):
    """The item is on exactly the lists that were named, whatever came before."""
    profile, item, made = wish
    nowhere = (profile, item, [], bounds(99), bench.clock.tick())
    edit = lambda: bench.db.write(items.set_lists, *nowhere)  # noqa: E731
    got = bench.run(_one_after_the_other(bench.db, put_on_list(profile, item, made), edit))
    assert got.list_ids == []
    bench.check(profile)


def test_set_lists_that_waited_for_a_deletion_finds_no_item(bench, wish):
    """contract: store-events. Also if only the process that deletes knows yet that the store tells events."""
    profile, item, made = wish
    telling = msgspec.structs.replace(
        profile, store=msgspec.structs.replace(bench.store, events_since="")
    )

    async def delete(tx):
        await profiles.lock_known(tx, telling)
        await items.delete(tx, telling, item, bench.clock.tick())

    edit = lambda: bench.db.write(items.set_lists, profile, item, [made], bounds(99), "")  # noqa: E731
    with pytest.raises(NotFound, match="no such item"):
        bench.run(_one_after_the_other(bench.db, delete, edit))
    bench.check(profile)


@pytest.mark.parametrize("verb", [items.delete, items.delete_many, lists.delete])
def test_deletion_takes_an_entry_that_it_waited_for(bench, wish, verb):
    """Else the list would count an item that is gone, or the item stand on a list that is."""
    profile, item, made = wish
    now = bench.clock.tick()

    def delete():
        if verb is items.delete_many:
            return bench.db.write(verb, profiles.WholeStore(bench.store), [item], now)
        return bench.db.write(verb, profile, item if verb is items.delete else made, now)

    bench.run(_one_after_the_other(bench.db, put_on_list(profile, item, made), delete))
    bench.check(profile)
    assert sum(bench.holds(profile)) == 1


def test_deletion_takes_a_tag_that_it_waited_for(bench, wish):
    """Else a search would find an item that is gone."""
    profile, item, _ = wish
    patch = ItemPatch(tags=("a",))

    async def tag(tx):
        await items.change(tx, profile, item, patch, bench.clock.tick())

    delete = lambda: bench.db.write(items.delete, profile, item, bench.clock.tick())  # noqa: E731
    bench.run(_one_after_the_other(bench.db, tag, delete))
    bench.check(profile)
    assert bench.holds(profile)[0] == 0


def test_set_lists_that_waited_for_a_link_finds_the_session_ended(bench):
    """It changes nothing, and says why."""
    customer, session = bench.new_customer(), bench.new_session()
    now = bench.clock.tick()
    item, _ = bench.write(items.save, session, new_item(1), bench.new_id(), bounds(99), now)
    made = bench.write(lists.create, session, "x", bench.new_id(), bounds(99), now)

    async def link(tx):
        await linking.link(tx, session, customer, bounds(1_000), now)

    edit = lambda: bench.db.write(items.set_lists, session, item.id, [made.id], bounds(99), now)  # noqa: E731
    with pytest.raises(NotFound, match="no such session"):
        bench.run(_one_after_the_other(bench.db, link, edit))
    bench.check(customer)
    assert bench.holds(customer) == (1, 1, 0)


def test_save_shows_the_lists_that_it_waited_for(bench, wish):
    """A save of what is there already."""
    profile, item, made = wish
    new = items.NewItem("1", "2", 5)

    def save():
        return bench.db.write(
            items.save, profile, new, bench.new_id(), bounds(9999), bench.clock.tick()
        )

    got, created = bench.run(_one_after_the_other(bench.db, put_on_list(profile, item, made), save))
    assert (got.id, got.list_ids, got.note, created) == (item, [made], "kept", False)


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
def test_events_tell_what_changed_after_the_wait(bench, store, first, second, told):
    """contract: event-changed, event-nothing-changed. Each of an item, its product 1 at first."""
    profile, now = bench.new_customer(store), bench.clock.tick()
    item, _ = bench.write(items.save, profile, new_item(1), bench.new_id(), bounds(99), now)

    async def do(tx, what):
        if what is None:
            await items.delete(tx, profile, item.id, now)
        elif isinstance(what, ItemPatch):
            await items.change(tx, profile, item.id, what, now)
        else:
            await items.save(tx, profile, what, bench.new_id(), bounds(99), now)

    async def hold(tx):
        await profiles.lock_known(tx, profile)
        await do(tx, first)

    bench.run(_one_after_the_other(bench.db, hold, lambda: bench.db.write(do, second)))
    changes = [
        f"{event['type']} {','.join(event['data'].get('changed', ()))}"
        for event in heard(bench, profile)
    ]
    assert changes == ["item.created ", *told]
    bench.check(profile)


def test_rename_counts_the_items_that_it_waited_for(bench, wish):
    """itemCount of the answer."""
    profile, item, made = wish
    rename = lambda: bench.db.write(lists.rename, profile, made, "y", bench.clock.tick())  # noqa: E731
    got = bench.run(_one_after_the_other(bench.db, put_on_list(profile, item, made), rename))
    assert got.item_count == 1


def test_delete_of_several_items_that_waited_for_a_link_takes_all_of_them(bench):
    """The merged item and the moved one: gone, or neither; never the one without the other."""
    customer, session = bench.new_customer(), bench.new_session()
    now = bench.clock.tick()
    own, _ = bench.write(items.save, customer, new_item(1), bench.new_id(), bounds(99), now)
    bench.write(items.save, session, new_item(1), bench.new_id(), bounds(99), now)
    moved, _ = bench.write(items.save, session, new_item(2), bench.new_id(), bounds(99), now)

    async def link(tx):
        await linking.link(tx, session, customer, bounds(1_000), now)

    both, later = [own.id, moved.id], bench.clock.tick()
    delete = lambda: bench.db.write(items.delete_many, customer, both, later)  # noqa: E731
    bench.run(_one_after_the_other(bench.db, link, delete))
    assert bench.holds(customer)[0] == 0


@pytest.mark.parametrize("verb", ["delete over a store", "link"])
def test_sessions_are_taken_before_customers(bench, verb):
    """contract: link-races. While it waits for the session it holds no customer; else, a deadlock."""
    session, customer = bench.new_session(), bench.new_customer()
    while customer.id > session.id:
        customer = bench.new_customer()
    now, made = bench.clock.tick(), []
    for profile in (session, customer):
        item, _ = bench.write(items.save, profile, new_item(1), bench.new_id(), bounds(99), now)
        made.append(item.id)
    store = profiles.WholeStore(bench.store)
    without_waiting = f"SELECT 1 FROM profiles WHERE profile_id = '{customer.id}' FOR UPDATE NOWAIT"

    async def take_session(tx):
        await tx.one("profile_lock", profile=session.id)

    async def take_customer(tx):
        assert await select(tx, without_waiting)
        await tx.one("profile_lock", profile=customer.id)

    def both():
        if verb == "link":
            return bench.db.write(
                linking.link, session, customer, bounds(1_000), bench.clock.tick()
            )
        return bench.db.write(items.delete_many, store, made, bench.clock.tick())

    bench.run(_one_after_the_other(bench.db, take_session, both, take_customer))
    assert bench.holds(customer)[0] == (1 if verb == "link" else 0)


def test_save_with_tags_is_seen_by_nobody_before_the_tags_are_there(bench):
    """Neither the item nor what it is found by: one transaction."""
    profile, now = bench.new_customer(), bench.clock.tick()
    everything = PageRequest(None, 9, search.Search())
    bench.write(profiles.lock, profile, now)

    class Looking:
        """A handle beside which somebody reads before the tags are there."""

        joins_products = True

        def __init__(self, tx):
            self.one, self.all, self.run, self.page = tx.one, tx.all, tx.run, tx.page
            self.all_many, self.fill, self.tx = tx.all_many, tx.fill, tx

        async def run_many(self, *arguments):
            seen = await bench.db.read(items.page, profile, everything)
            assert seen.records == []
            await self.tx.run_many(*arguments)

    async def save(tx):
        new = new_item(1, tags=("a",))
        await items.save(Looking(tx), profile, new, bench.new_id(), bounds(9), now)

    bench.write(save)
    bench.check(profile)


def test_connection_that_breaks_before_the_commit_is_no_failure_of_ours(bench, wish):
    """contract: database-away. It has said so while nothing was asked of it."""

    async def broken(tx):
        await profiles.lock(tx, wish[0], bench.clock.tick())
        [(pid,)] = await tx.fetch("SELECT pg_backend_pid()")
        await bench.db.read(select, f"SELECT pg_terminate_backend({pid})")
        await asyncio.sleep(0.1)

    with pytest.raises(Unavailable):
        bench.write(broken)
    bench.read(items.page, wish[0], PageRequest(None, 1, search.Search()))


@pytest.fixture
def promise(bench, wish):
    """An item that a session has on a shared list, and a session that has reserved it."""
    owner, holder, now = bench.new_session(), bench.new_session(), bench.clock.tick()
    made = bench.write(lists.create, owner, "x", bench.new_id(), bounds(99), now)
    new = new_item(1, list_ids=(made.id,))
    item, _ = bench.write(items.save, owner, new, bench.new_id(), bounds(99), now)
    token, terms = shares.new_token(), shares.Terms(reservations=True)
    bench.write(shares.create, owner, made.id, terms, bench.new_id(), token, now)

    async def reserve(tx):
        await reservations.reserve(tx, bench.finder, token, item.id, holder, 1, now)

    return owner, holder, item.id, token, reserve


def reserved(bench, holder, *owners):
    """How many rows there are of what the holder has reserved, on both sides."""
    count = bench.select("SELECT count(*) FROM held WHERE profile_id = $1", holder.id)[0][0]
    for owner in owners:
        sql = "SELECT count(*) FROM reservations WHERE profile_id = $1"
        count += bench.select(sql, owner.id)[0][0]
    return count


@pytest.mark.parametrize("verb", [items.delete, items.set_lists, lists.delete])
def test_item_that_leaves_ends_a_reservation_that_it_waited_for(bench, promise, verb):
    """contract: reserve-ends. Its single statement began before there was one."""
    owner, holder, item, _, reserve = promise
    made, now = bench.all("lists_all", profile=owner.id)[0][0], bench.clock.tick()
    named = {
        items.delete: (item,),
        items.set_lists: (item, [], bounds(99)),
        lists.delete: (made,),
    }[verb]
    leave = lambda: bench.db.write(verb, owner, *named, now)  # noqa: E731
    bench.run(_one_after_the_other(bench.db, reserve, leave))
    assert reserved(bench, holder, owner) == 0


@pytest.mark.parametrize("by", ["holder", "purge"])
def test_reservation_that_a_link_of_the_owner_has_moved_is_ended(bench, promise, by):
    """contract: reserve-delete, reserve-purge. Given back, or with its holder; merged meanwhile."""
    owner, holder, item, token, reserve = promise
    customer, now = bench.new_customer(), bench.clock.tick()
    bench.write(items.save, customer, new_item(1), bench.new_id(), bounds(99), now)
    bench.write(reserve)

    async def link(tx):
        await linking.link(tx, owner, customer, bounds(1_000), now)

    async def purge_it(tx):
        await tx.all_many("session_lock", [{"profile": holder.id}])
        await reservations.purge(tx, [holder.id], 10)

    def end():
        if by == "purge":
            return bench.db.write(purge_it)
        return bench.db.write(reservations.give_back, token, item, holder)

    bench.run(_one_after_the_other(bench.db, link, end))
    assert reserved(bench, holder, owner, customer) == 0


def test_link_of_a_holder_waits_for_the_owner(bench, promise):
    """contract: reserve-sign-in, reserve-at-once. What lies with the owner changes under that lock."""
    owner, holder, _, _, reserve = promise
    customer, now = bench.new_customer(), bench.clock.tick()
    bench.write(reserve)

    async def lock(tx):
        await profiles.lock_known(tx, owner)

    link = lambda: bench.db.write(linking.link, holder, customer, bounds(1_000), now)  # noqa: E731
    bench.run(_one_after_the_other(bench.db, lock, link))
    assert reserved(bench, customer, owner) == 2


@pytest.mark.slow
def test_rows_sent_at_once_have_the_time_of_their_transaction(bench, monkeypatch):
    """In a long write they may wait for longer than a single statement may take."""
    monkeypatch.setattr(bench.db, "_seconds", 3)
    mine, other = bench.new_customer(), bench.new_session()

    async def lock(tx):
        await profiles.lock_known(tx, other)

    async def touch(tx):
        await profiles.lock(tx, mine, bench.clock.tick())
        await tx.run_many("profile_recount", [{"profile": other.id, "email": None}])

    writing = lambda: bench.db.long_write(touch)  # noqa: E731
    bench.run(_one_after_the_other(bench.db, lock, writing, lambda _: asyncio.sleep(4.2)))
