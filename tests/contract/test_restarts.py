"""Transactions that restart, or wait, because another one is still open: on PostgreSQL only."""

import asyncio

import pytest

from tests.contract import test_waiting as waiting
from tests.contract.conftest import PLENTY, Interleaved, new_item
from tests.contract.desk import SEALING
from tests.contract.test_csv import HEADER, read
from wishwell import events, ids, profiles
from wishwell.events import deliveries, webhooks
from wishwell.events.webhooks import NewWebhook
from wishwell.privacy import erasure
from wishwell.transfer import importing
from wishwell.wishlists import item_changes, linking, orders, reservations, saving


@pytest.fixture(autouse=True)
def _postgresql_only(engine):
    if engine == "sqlite":
        pytest.skip("SQLite runs one write transaction at a time")


def run_while_open(bench, first, second, last=None):
    """Starts ``second`` while the transaction of ``first`` is open, commits that once ``second``
    waits for a lock, and returns the result of ``second``."""
    return bench.run(waiting.one_after_the_other(bench.db, first, second, last))


async def blocked(db, count, done):
    """Returns once ``count`` transactions wait for locks and keep waiting, or ``done`` is set."""
    polls = 0
    while polls < 20 and not done.is_set():
        polls = polls + 1 if len(await db.read(waiting.select, waiting.WAITING)) >= count else 0
        await asyncio.sleep(0.005)


def test_sign_in_restarts_when_the_session_has_just_reserved_an_item(bench):
    """A sign-in restarts in order to lock the owner of an item that the session has just reserved. The
    owner's deletion of the item comes first and ends the reservation. Rules: request-linearizable, reserve-ends."""
    holder, customer, owner = bench.new_session(), *(bench.new_customer() for _ in range(2))
    if owner.id < customer.id:  # it locks in the order of the keys
        owner, customer = customer, owner
    made, now = bench.new_list(owner).id, bench.clock.tick()
    item = bench.save(owner, list_ids=(made,)).id
    token = bench.share(owner, made).token
    linked, deleting = asyncio.Event(), []

    async def reserve(tx):
        await reservations.reserve(tx, bench.finder, token, item, holder, 1, now)

    async def link():
        await bench.db.write(linking.link, holder, customer, PLENTY, now)
        linked.set()

    async def delete(tx):
        await profiles.lock_known(tx, owner)
        await blocked(bench.db, 1, linked)
        assert not linked.is_set(), "the sign-in moved the reservation without the owner's lock"
        await item_changes.delete(tx, owner, item, now)

    async def start_deletion(_):
        deleting.append(asyncio.create_task(bench.db.write(delete)))
        await blocked(bench.db, 2, linked)

    async def all_three():
        await waiting.one_after_the_other(bench.db, reserve, link(), start_deletion)
        await deleting[0]

    bench.run(all_three())
    assert linked.is_set()
    assert waiting.reserved_rows(bench, holder, owner) == 0
    assert waiting.reserved_rows(bench, customer) == 0


def test_order_restarts_when_a_sign_in_has_just_moved_its_match(bench):
    """A version of an order restarts when a sign-in moves the order's match between its reads, so the
    match stays with the customer. Rules: request-linearizable, order-versions."""
    store = bench.new_store(reporting={"purchases": True})
    session, customer = bench.new_session(store), bench.new_customer(store)
    bench.save(session, 1)
    placed, attempts = bench.clock.tick(), []

    def version(number):
        line = orders.Line("1", "", number, "", "")
        return orders.Order("1", session, placed, ids.timestamp(number), [line])

    bench.write(orders.apply, store, version(1), bench.clock.tick())

    async def sign_in():
        await bench.db.write(linking.link, session, customer, PLENTY, bench.clock.tick())

    async def apply(tx):
        attempts.append(tx)
        interleaved = Interleaved(tx, "all", sign_in) if len(attempts) == 1 else tx
        await orders.apply(interleaved, store, version(2), bench.clock.tick())

    bench.write(apply)
    assert len(attempts) == 2
    rows = bench.select("SELECT quantity, profile_id FROM purchases WHERE store_id = $1", store.id)
    assert [(quantity, str(owner)) for quantity, owner in rows] == [(2, customer.id)]


def test_import_restarts_when_a_request_creates_one_of_its_profiles(bench, store, tmp_path):
    """An import restarts when a request creates one of its profiles, and adds what the new profile lacks.
    Rule: import-twice."""
    customer, now = bench.new_customer(store), bench.clock.tick()
    file = read(tmp_path, f"{HEADER}\n{customer.gid},1,,,,,,\n{customer.gid},2,,,,,,\n", store)

    async def save(tx):
        await saving.save(tx, customer, new_item(1), bench.new_id(), PLENTY, now)

    async def load():
        steps = importing.load(bench.db, file, store, dry=False, mode="same")
        return [counts async for counts in steps][-1]

    counts = run_while_open(bench, save, load())
    assert (counts.profiles, counts.existing, counts.items) == (0, 1, 1)
    bench.check(customer)
    assert bench.holds(customer)[0] == 2


def test_erasure_waits_for_deliveries_that_are_being_queued(bench, store):
    """An erasure waits for deliveries that are being queued; otherwise the delivery of an erased event would
    remain. Rule: erase-completes."""
    customer, now = bench.new_customer(store), bench.clock.tick()
    made = webhooks.create, SEALING, store, NewWebhook("https://shop.example/"), bench.new_id()
    hook = bench.write(*made, now).id
    bench.save(customer)
    bench.run(events.assign_positions(bench.db, bench.clock))
    queued = "SELECT count(*) FROM deliveries WHERE profile_id = $1"
    turns = []

    async def queue(tx):
        given = store.id, hook, [], 500, "lease", bench.new_id, bench.clock
        turns.append(await deliveries.process_batch(tx, *given))

    async def erase():
        await bench.db.long_write(erasure.erase, customer, bench.clock.milliseconds)
        return [gone async for gone in erasure.remove_erased(bench.db, bench.clock)]

    assert run_while_open(bench, queue, erase())[-1] == 1
    assert [taken.type for taken in turns[0].claimed] == ["item.created"]
    assert bench.select(queued, customer.id) == [(0,)]
