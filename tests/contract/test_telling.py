"""Who is told of a drop, and what may happen while it is told, on both engines."""

import msgspec
import pytest

from tests.contract.drops import (
    DAY_MS,
    DROPPED,
    PRODUCT,
    product,
    put,
    step,
    switched,
    told,
    wish,
    written,
)
from wishwell import events, products, profiles
from wishwell.products import notices


def test_drop_is_told_to_each_who_wishes_for_it(bench, store):
    """contract: notice-drop, notice-event-fields, notice-each-once. Once, and to nobody else."""
    mine = [wish(bench, store)[1] for _ in range(3)]
    wish(bench, store, of=8)
    wish(bench, bench.store)
    facts = {"title": "A shirt", "url": "https://shop.example/7", "image": "https://i.example/7"}
    put(bench, store, "100 EUR", **facts)
    assert told(bench, store) == {}
    put(bench, store, "95.00 EUR", **facts)
    assert told(bench, store) == {id: [(DROPPED, "100", "95.00", None)] for id in mine}
    _, data = written(bench, store)[0]
    assert data.keys() == {"item", "product", "previousPrice", "price"}
    assert data["product"] == facts
    assert data["price"] == {"amount": "95.00", "currency": "EUR"}
    assert data["item"]["productId"] == 7
    assert told(bench, store) == {}


def test_notice_is_an_event_like_others(bench, store):
    """contract: notice-each-once, event-order. It has the next number of its profile, and its time."""
    owner, id = wish(bench, store)
    wish(bench, store, variant=1, profile=owner)
    put(bench, store, "10 EUR")
    put(bench, store, "5 EUR")
    told(bench, store)
    bench.run(events.number(bench.db, bench.clock))
    page = bench.read(events.feed, store, 0, 100, [])
    assert [(e.sequence, e.type) for e in page.events if e.profile == owner.gid] == [
        (1, "item.created"), (2, "item.created"), (3, DROPPED), (4, DROPPED)
    ]  # fmt: skip
    assert msgspec.json.decode(page.events[-2].data)["item"]["id"] == id


def test_drop_that_is_taken_back_stops_what_is_left(bench, store):
    """contract: notice-taken-back. Also by a currency, by silence, and by the product's end."""
    for _ in range(30):
        wish(bench, store)
    for back in ("100 EUR", "95.01 EUR", "50 USD", None, "gone"):
        bench.clock.milliseconds += DAY_MS
        put(bench, store, "100 EUR")
        put(bench, store, "90 EUR")
        assert step(bench, store) == 20
        if back == "gone":
            bench.write(products.delete, store, PRODUCT)
        else:
            put(bench, store, back)
        assert told(bench, store) == {}
        assert bench.read(notices.waiting) == 0


def test_unfinished_drop_goes_on_with_the_newest_price(bench, store):
    """contract: notice-again. What was told stays told; the rest hears of the price before the first
    drop, and of the newest."""
    wishes = [wish(bench, store)[1] for _ in range(30)]
    put(bench, store, "100 EUR")
    put(bench, store, "80 EUR")
    step(bench, store)
    put(bench, store, "90 EUR")
    left = told(bench, store)
    assert left == {id: [(DROPPED, "100", "90", None)] for id in wishes[20:]}
    bench.clock.milliseconds += DAY_MS
    put(bench, store, "80 EUR")
    step(bench, store)
    put(bench, store, "70 EUR")
    left = told(bench, store)
    assert left == {id: [(DROPPED, "90", "70", None)] for id in wishes[20:]}


def test_unfinished_drop_is_not_told_twice_after_a_day(bench, store):
    """contract: notice-each-once. A new one of another variant goes through all wishes again."""
    first = [wish(bench, store, 1)[1] for _ in range(30)]
    second = wish(bench, store, 2)[1]
    put(bench, store, variants={1: ("100 EUR", None), 2: ("100 EUR", None)})
    put(bench, store, variants={1: ("90 EUR", None), 2: ("100 EUR", None)})
    step(bench, store)
    bench.clock.milliseconds += DAY_MS + 1
    put(bench, store, variants={1: ("90 EUR", None), 2: ("90 EUR", None)})
    assert told(bench, store).keys() == {*first[20:], second}


def test_wish_that_is_saved_later_hears_nothing(bench, store):
    """contract: notice-later. A minute later: clocks may differ by that."""
    put(bench, store, "100 EUR")
    put(bench, store, "90 EUR")
    bench.clock.milliseconds += 50_000
    soon = wish(bench, store)[1]
    bench.clock.milliseconds += 11_000
    wish(bench, store)
    assert told(bench, store).keys() == {soon}


@pytest.mark.parametrize("heard", ["session", "customer", "nobody"])
def test_link_in_the_middle_loses_and_doubles_nothing(bench, store, heard):
    """contract: notice-link. The session's wish moves or is merged, before or behind the place that
    was reached; updatedAt does not move for it."""
    session, customer = bench.new_session(store), bench.new_customer(store)
    first = {"session": session, "customer": customer}.get(heard)
    if first is not None:
        wish(bench, store, profile=first)
    for _ in range(30):
        wish(bench, store)
    for owner in {session, customer} - {first}:
        wish(bench, store, profile=owner)
    moved = wish(bench, store, 3, profile=session)[1]
    put(bench, store, "100 EUR")
    put(bench, store, "90 EUR")
    step(bench, store)
    bench.link(session, customer)
    told(bench, store, every=True)
    of = [(t, d["item"]["id"]) for t, d in written(bench, store)]
    assert len(of) == len(set(of)) == 32
    assert (DROPPED, moved) in of
    marks = bench.select(
        "SELECT count(*) FROM items WHERE profile_id = $1 AND dropped_at <> ''", customer.id
    )
    assert marks == [(2,)]


def test_wish_of_a_closed_session_is_passed_over(bench, store):
    """contract: notice-each-once. One that waits for the purge hears nothing, and holds up nobody."""
    session = bench.new_session(store)
    wish(bench, store, profile=session)
    _, id = wish(bench, store)
    bench.one("session_close", profile=session.id, now=bench.clock.tick())
    put(bench, store, "10 EUR")
    put(bench, store, "5 EUR")
    assert told(bench, store).keys() == {id}


def test_owner_who_is_being_written_to_is_told_by_the_next_step(bench, store, engine):
    """contract: notice-steps. The step waits for nobody, and passes over nobody."""
    if engine == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    wishes = [wish(bench, store) for _ in range(5)]
    put(bench, store, "10 EUR")
    put(bench, store, "5 EUR")

    async def meanwhile(tx):
        await profiles.lock(tx, wishes[2][0], bench.clock.tick())
        return await bench.db.write(notices.step, store, PRODUCT, bench.clock())

    assert bench.write(meanwhile) == 2
    assert bench.read(notices.waiting) == 1
    assert told(bench, store).keys() == {id for _, id in wishes[2:]}


def test_two_processes_never_work_on_one_product(bench, store, engine):
    """contract: notice-steps."""
    if engine == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    wish(bench, store)
    put(bench, store, "10 EUR")
    put(bench, store, "5 EUR")

    async def meanwhile(tx):
        await tx.one("product_notice", store=store.id, product=PRODUCT)
        return await bench.db.write(notices.step, store, PRODUCT, bench.clock())

    assert bench.write(meanwhile) == 0
    assert len(told(bench, store)) == 1


def test_store_with_one_notice_waits_for_no_other_store(bench, store):
    """contract: notice-steps. A store with sixty products was there first: the other one's only notice
    is told all the same with the first look."""
    other = bench.new_store()
    other = switched(bench, other, events=True)
    many = [str(number) for number in range(100, 160)]
    for of in many:
        wish(bench, store, of=of)
    wish(bench, other)
    for price in ("100 EUR", "80 EUR"):
        given = [product(price, of=of) for of in many]
        new_ids = [bench.new_id() for _ in given]
        bench.write(products.put, store, given, new_ids, bench.clock.tick())
        put(bench, other, price)

    async def look():
        return [told async for told in notices.work(bench.db, bench.clock)]

    assert sum(bench.run(look())) < 60
    assert len(written(bench, other)) == 1
    for _ in range(10):
        bench.run(look())
    assert len(written(bench, store)) == 60
    assert bench.read(notices.waiting) == 0
