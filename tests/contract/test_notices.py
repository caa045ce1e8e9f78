"""Price drops and restocks: how a put changes the reference prices, and which items get a
notice."""

import io
import json
from decimal import Decimal
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import strategies
from wishwell import events, ids, products, profiles
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.catalogue_changes import Changes
from wishwell.products import NewProduct, ProductData, Variant, notices
from wishwell.products.money import Money

PRODUCT = "7"
DAY_MS = 86_400_000
DROPPED, BACK = "item.price_dropped", "item.back_in_stock"


def money(text):
    """Returns the price for `19.90 EUR`, or `None`."""
    return None if text is None else Money(*text.split())


def product(price=None, available=None, variants=(), of=PRODUCT, **facts):
    """Returns a product to put; ``variants`` maps ids to price and availability."""
    made = tuple(
        Variant(str(id), price=money(text), available=there)
        for id, (text, there) in dict(variants).items()
    )
    return NewProduct(of, ProductData(price=money(price), available=available, **facts), made)


def put(bench, store, *args, **said):
    given = product(*args, **said)
    bench.write(products.put, store, [given], [bench.new_id()], bench.clock.tick())


def drop(bench, store):
    """Puts two prices, the second of which is a drop."""
    for price in ("100 EUR", "90 EUR"):
        put(bench, store, price)


def wish(bench, store, variant=None, of=PRODUCT, profile=None):
    """Saves an item for the product; returns its owner and its id."""
    owner = profile or bench.new_customer(store)
    item = bench.save(owner, of, variant)
    return owner, item.id


def run_batch(bench, store):
    bench.clock.tick()
    return bench.write(notices.process_batch, store, PRODUCT, bench.clock())


def new_notices(bench, store, every=False):
    """Runs all steps; returns the new notices by item as type, prices and variant."""
    before = 0 if every else len(notice_events(bench, store))
    steps = 0
    while bench.read(notices.backlog):
        run_batch(bench, store)
        steps += 1
        assert steps < 40
    found = {}
    for type_, data in notice_events(bench, store)[before:]:
        found.setdefault(data["item"]["id"], []).append((
            type_,
            *(data.get(name, {}).get("amount") for name in ("previousPrice", "price")),
            data.get("variantId"),
        ))  # fmt: skip
    return found


def notice_events(bench, store):
    rows = bench.select(
        "SELECT type, data FROM events WHERE store_id = $1 AND (type = $2 OR type = $3) "
        "ORDER BY created_at, profile_id, sequence",
        store.id, DROPPED, BACK,
    )  # fmt: skip
    return [(type_, json.loads(data)) for type_, data in rows]


def test_item_gets_one_notice_of_each_type_in_24_hours(bench, store):
    """An item gets one notice of each type in 24 hours. A notice dated ten years ahead by a wrong
    clock doesn't suppress later ones.
    Rules: notice-each-once, notice-reference, clock-guard."""
    _, id = wish(bench, store)
    for price in ("100 EUR", "90 EUR"):
        put(bench, store, price, True)
    assert len(new_notices(bench, store)) == 1
    put(bench, store, "100 EUR", False)
    put(bench, store, "80 EUR", True)
    assert new_notices(bench, store) == {id: [(BACK, None, "80", None)]}
    put(bench, store, "100 EUR", False)
    bench.clock.milliseconds += 3650 * DAY_MS
    put(bench, store, "90 EUR", True)
    assert new_notices(bench, store) == {id: [(BACK, "100", "90", None)]}
    bench.clock.milliseconds -= 3650 * DAY_MS
    put(bench, store, "100 EUR", False)
    put(bench, store, "70 EUR", True)
    assert (BACK, "100", "70", None) in new_notices(bench, store, every=True)[id]


@pytest.mark.parametrize("known", ["[", "[]", '{"": {"price": 1}}'])
def test_put_of_a_product_replaces_a_damaged_row(bench, store, known):
    """A damaged row is replaced by the next put, which doesn't fail for it or for other products.
    Rule: bad-row."""
    _, id = wish(bench, store)
    put(bench, store, "100 EUR")

    async def damage(tx):
        await tx.run(
            "product_set_notices",
            store=store.id,
            product=PRODUCT,
            known=known,
            position=ids.NO_UUID,
            noticed_at=None,
        )

    bench.write(damage)
    put(bench, store, "80 EUR")
    assert new_notices(bench, store) == {}
    put(bench, store, "60 EUR")
    assert new_notices(bench, store) == {id: [(DROPPED, "80", "60", None)]}


def test_store_without_events_gets_no_notices_but_reference_prices(bench, store):
    """Without events there are no notices, but reference prices are still updated.
    Rule: events-enabled."""
    off = bench.update_store(store, events=False)
    wish(bench, store)
    for price in ("100 EUR", "90 EUR"):
        put(bench, off, price)
    put(bench, store, "86 EUR")
    assert new_notices(bench, store) == {}
    put(bench, store, "85 EUR")
    assert bench.read(notices.backlog) == 1
    assert run_batch(bench, off) == 0
    assert bench.read(notices.backlog) == 0


def test_drop_emits_a_notice_for_each_wisher(bench, store):
    """Every item for the product gets one notice of the drop.
    Rules: notice-drop, notice-each-once, event-changed."""
    mine = [wish(bench, store)[1] for _ in range(2)]
    owner, third = wish(bench, store)
    mine.append(third)
    wish(bench, store, of=8)
    wish(bench, bench.store)
    facts = {"title": "A shirt", "url": "https://shop.example/7", "image": "https://i.example/7"}
    put(bench, store, "100 EUR", **facts)
    assert new_notices(bench, store) == {}
    put(bench, store, "95.00 EUR", **facts)
    assert new_notices(bench, store) == {id: [(DROPPED, "100", "95.00", None)] for id in mine}
    _, data = notice_events(bench, store)[0]
    assert data.keys() == {"item", "product", "previousPrice", "price", "notices"}
    assert data["product"] == facts
    assert data["price"] == {"amount": "95.00", "currency": "EUR"}
    assert data["item"]["productId"] == 7
    assert new_notices(bench, store) == {}
    bench.run(events.assign_positions(bench.db, bench.clock))
    feed = bench.read(events.read_feed, store, 0, 100, []).events
    types = [(event.sequence, event.type) for event in feed if event.profile == owner.gid]
    assert types == [(1, "item.created"), (2, DROPPED)]


def test_reverted_drop_stops_its_remaining_notices(bench, store):
    """A drop that is taken back stops the remaining notices: by price, currency or deletion. So does running out of stock again.
    Rule: notice-each-once."""
    for _ in range(30):
        wish(bench, store)
    for back in ("100 EUR", "95.01 EUR", "50 USD", "gone"):
        bench.clock.milliseconds += DAY_MS
        drop(bench, store)
        assert run_batch(bench, store) == 20
        if back == "gone":
            bench.write(products.delete, store, PRODUCT, bench.clock.tick())
        else:
            put(bench, store, back)
        assert new_notices(bench, store) == {}
        assert bench.read(notices.backlog) == 0
    for available in (False, True, False):
        put(bench, store, None, available)
    assert new_notices(bench, store) == {}


def test_unfinished_drop_resumes_with_the_newest_price(bench, store):
    """After another put, an unfinished drop continues with the newest price; sent notices stay.
    Rule: notice-each-once."""
    wishes = [wish(bench, store)[1] for _ in range(30)]
    put(bench, store, "100 EUR")
    put(bench, store, "80 EUR")
    run_batch(bench, store)
    put(bench, store, "90 EUR")
    left = new_notices(bench, store)
    assert left == {id: [(DROPPED, "100", "90", None)] for id in wishes[20:]}
    bench.clock.milliseconds += DAY_MS
    put(bench, store, "80 EUR")
    run_batch(bench, store)
    put(bench, store, "70 EUR")
    left = new_notices(bench, store)
    assert left == {id: [(DROPPED, "90", "70", None)] for id in wishes[20:]}


def test_unfinished_drop_is_emitted_once_after_a_day(bench, store):
    """An unfinished drop isn't repeated after a day; a new one of another variant visits all items
    again.
    Rule: notice-each-once."""
    first = [wish(bench, store, 1)[1] for _ in range(30)]
    second = wish(bench, store, 2)[1]
    put(bench, store, variants={1: ("100 EUR", None), 2: ("100 EUR", None)})
    put(bench, store, variants={1: ("90 EUR", None), 2: ("100 EUR", None)})
    run_batch(bench, store)
    bench.clock.milliseconds += DAY_MS + 1
    put(bench, store, variants={1: ("90 EUR", None), 2: ("90 EUR", None)})
    assert new_notices(bench, store).keys() == {*first[20:], second}


def test_wish_that_is_saved_later_gets_no_notice(bench, store):
    """An item saved over a minute after the put gets no notice; one saved within the minute may.
    Rule: notice-each-once."""
    for available in (False, True):
        put(bench, store, "100 EUR", available)
    bench.clock.milliseconds += 50_000
    soon = wish(bench, store)[1]
    bench.clock.milliseconds += 11_000
    wish(bench, store)
    assert new_notices(bench, store).keys() == {soon}


@pytest.mark.parametrize("heard", ["session", "customer", "nobody"])
def test_link_during_a_drop_neither_loses_nor_doubles_notices(bench, store, heard):
    """A link in between neither loses nor doubles a notice, and doesn't change updatedAt.
    Rule: notice-each-once."""
    session, customer = bench.new_session(store), bench.new_customer(store)
    first = {"session": session, "customer": customer}.get(heard)
    if first is not None:
        wish(bench, store, profile=first)
    for _ in range(30):
        wish(bench, store)
    for owner in {session, customer} - {first}:
        wish(bench, store, profile=owner)
    moved = wish(bench, store, 3, profile=session)[1]
    drop(bench, store)
    run_batch(bench, store)
    bench.link(session, customer)
    new_notices(bench, store, every=True)
    of = [(t, d["item"]["id"]) for t, d in notice_events(bench, store)]
    assert len(of) == len(set(of)) == 32
    assert (DROPPED, moved) in of
    marks = bench.select(
        "SELECT count(*) FROM items WHERE profile_id = $1 AND dropped_at <> ''", customer.id
    )
    assert marks == [(2,)]


def test_wish_of_a_closed_session_is_skipped(bench, store):
    """A closed session that waits for the purge is skipped and blocks nobody.
    Rule: notice-each-once."""
    session = bench.new_session(store)
    wish(bench, store, profile=session)
    _, id = wish(bench, store)
    bench.one("session_close", profile=session.id, customer=None, now=bench.clock.tick())
    drop(bench, store)
    assert new_notices(bench, store).keys() == {id}


def test_owner_with_a_concurrent_write_gets_the_notice_in_the_next_batch(bench, store, engine):
    """An owner whose row is locked by another write is visited in the next step; the step doesn't
    wait.
    Rule: notice-fair."""
    if engine == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    wishes = [wish(bench, store) for _ in range(5)]
    drop(bench, store)

    async def meanwhile(tx):
        await profiles.lock(tx, wishes[2][0], bench.clock.tick())
        return await bench.db.write(notices.process_batch, store, PRODUCT, bench.clock())

    assert bench.write(meanwhile) == 2
    assert bench.read(notices.backlog) == 1
    assert new_notices(bench, store).keys() == {id for _, id in wishes[2:]}


def test_two_processes_never_work_on_one_product(bench, store, engine):
    """Two processes never work on the same product. Rule: notice-fair."""
    if engine == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    wish(bench, store)
    drop(bench, store)

    async def meanwhile(tx):
        await tx.one("product_notice", store=store.id, product=PRODUCT)
        return await bench.db.write(notices.process_batch, store, PRODUCT, bench.clock())

    assert bench.write(meanwhile) == 0
    assert len(new_notices(bench, store)) == 1


def test_store_with_one_notice_is_not_delayed_by_a_busy_store(bench, store):
    """A store with one notice isn't delayed by another store with sixty products (fair queueing).
    Rule: notice-fair."""
    other = bench.new_store(events=True)
    many = [str(number) for number in range(100, 160)]
    for of in many:
        wish(bench, store, of=of)
    wish(bench, other)
    for price in ("100 EUR", "80 EUR"):
        given = [product(price, of=of) for of in many]
        new_ids = [bench.new_id() for _ in given]
        bench.write(products.put, store, given, new_ids, bench.clock.tick())
        put(bench, other, price)

    assert sum(bench.drain(notices.process_batches(bench.db, bench.clock))) == 2
    assert len(notice_events(bench, other)) == 1
    for _ in range(60):
        bench.drain(notices.process_batches(bench.db, bench.clock))
    assert len(notice_events(bench, store)) == 60
    assert bench.read(notices.backlog) == 0


# ----------------------------------------------------------------------- any sequence of puts

amounts = st.one_of(
    st.sampled_from(["0", "0.0001", "94", "95", "95.0", "95.0001", "100", "100.00", "105.26"]),
    st.decimals(0, 200, places=2).map(str),
    st.decimals(0, 999_999_999_999, places=4).map(str),
)
prices = st.none() | st.tuples(amounts, st.sampled_from(["EUR", "EUR", "EUR", "USD"])).map(
    lambda pair: " ".join(pair)
)
said = st.tuples(prices, st.sampled_from([None, True, False]))
puts = st.lists(
    st.tuples(said, st.dictionaries(st.sampled_from([1, 2]), said, max_size=2)),
    min_size=1,
    max_size=12,
)


def dropping(first, second):
    """Returns two puts of a product, each with one of these prices."""
    return [((f"{price} EUR", None), {}) for price in (first, second)]


class Plain(NamedTuple):
    """A variant by restated rules: its price, the reference price, its availability, and of a drop that
    waits, the price before and the number of the put that caused it."""

    price: tuple | None = None
    reference: tuple | None = None
    available: bool | None = None
    waiting: tuple | None = None


def restate_put(was, price, available, percent, number):
    """Returns the variant after a put, of a drop the price before and the number of the put, and
    whether it is back in stock."""
    amount, currency = (Decimal(price.split()[0]), price.split()[1]) if price else (None, None)
    back = was.available is False and available is True
    available = was.available if available is None else available
    if not amount:  # unknown, or free
        free = None if amount is None else (amount, currency)
        return Plain(free, was.reference, available, was.waiting), None, back
    now = amount, currency
    waiting = was.waiting if drops(was.waiting, now, percent) else None
    if drops(was.reference, now, percent):
        waiting = (*(waiting or was.reference)[:2], number)
    elif was.reference and was.reference[1] == currency and amount <= was.reference[0]:
        return restate_variant(now, was.reference, available, waiting, back)
    return restate_variant(now, now, available, waiting, back)


def drops(before, now, percent):
    """Returns whether a price is a drop from one before."""
    if before is None or before[1] != now[1]:
        return False
    return now[0] <= before[0] * (1 - Decimal(percent) / 100) and now[0] < before[0]


def restate_variant(now, reference, available, waiting, back):
    """Returns the variant, whose drop waits while it is sold out, the price it dropped from, and
    whether it is back."""
    if available is False:
        return Plain(now, reference, available, waiting), None, back
    return Plain(now, reference, available), waiting and waiting[::2], back


@pytest.mark.either_engine
def test_drop_to_zero_causes_no_notice(bench):
    """A price of 0 causes no notice, and the next price is compared with the one before it.
    Rule: notice-drop."""
    store = bench.new_store(events=True)
    wish(bench, store)
    for price in ("100 EUR", "0 EUR"):
        put(bench, store, price)
    assert new_notices(bench, store) == {}
    put(bench, store, "80 EUR")
    [[(kind, before, after, *_)]] = new_notices(bench, store).values()
    assert (kind, before, after) == (DROPPED, "100", "80")


@pytest.mark.either_engine
def test_put_without_values_keeps_history(bench):
    """After a put without a price and availability, the next ones are compared with the last known
    ones, and a drop and a restock are notified once.
    Rules: notice-drop, notice-reference."""
    store = bench.new_store(events=True)
    wish(bench, store)
    put(bench, store, "100 EUR", False)
    put(bench, store, None, None)
    assert new_notices(bench, store) == {}
    put(bench, store, "80 EUR", True)
    assert [*new_notices(bench, store).values()] == [[(BACK, "100", "80", None)]]
    bench.clock.milliseconds += DAY_MS + 1
    for price in (None, "80 EUR"):
        put(bench, store, price, price and True)
    assert new_notices(bench, store) == {}


@pytest.mark.either_engine
@pytest.mark.parametrize("unknown", [None, "0 EUR"])
def test_pending_drop_waits_while_the_price_is_unknown(bench, unknown):
    """A drop of which some items have no notice yet waits while the price is unknown, and resumes with the next price
    that is a drop; nobody gets it twice. One that was taken back in the meantime ends.
    Rules: notice-reference, notice-each-once."""
    for after, expected in (("90 EUR", "90"), ("80 EUR", "80"), ("100 EUR", None)):
        store = bench.new_store(events=True)
        wishes = [wish(bench, store)[1] for _ in range(30)]
        drop(bench, store)
        assert run_batch(bench, store) == 20
        for _ in range(2):
            put(bench, store, unknown)
            assert new_notices(bench, store) == {}
            assert bench.read(notices.backlog) == 0
        put(bench, store, after)
        left = wishes[20:] if expected else ()
        assert new_notices(bench, store) == {id: [(DROPPED, "100", expected, None)] for id in left}


@pytest.mark.either_engine
def test_pending_drop_does_not_delay_a_restock(bench):
    """A restock is emitted while a drop waits for a known price, and continues while availability is unknown.
    Rules: notice-reference, notice-each-once."""
    store = bench.new_store(events=True)
    wishes = [wish(bench, store)[1] for _ in range(30)]
    put(bench, store, "100 EUR", availability="backorder")
    put(bench, store, "90 EUR", None)
    put(bench, store, None, True)
    assert run_batch(bench, store) == 20
    put(bench, store, None, None)
    assert new_notices(bench, store, every=True) == {
        id: [(BACK, None, None, None)] for id in wishes
    }
    put(bench, store, "90 EUR", None)
    assert new_notices(bench, store) == {id: [(DROPPED, "100", "90", None)] for id in wishes}
    put(bench, store, "90 EUR", True)
    assert new_notices(bench, store) == {}


STOCK = ("out_of_stock", "preorder", "backorder", "in_stock")


@pytest.mark.either_engine
@pytest.mark.parametrize("after", STOCK)
def test_drop_of_a_sold_out_product_waits_until_it_is_available(bench, after):
    """A drop of a sold-out product waits. The restock's notice then has the lower price; other
    availability causes a notice of the drop. Rules: notice-drop, notice-reference."""
    store = bench.new_store(events=True)
    _, id = wish(bench, store)
    put(bench, store, "100 EUR", availability="in_stock")
    put(bench, store, "60 EUR", availability="out_of_stock")
    put(bench, store, "60 EUR", availability=None)
    assert new_notices(bench, store) == {}
    put(bench, store, "60 EUR", availability=after)
    kind = {"in_stock": BACK, "out_of_stock": None}.get(after, DROPPED)
    assert new_notices(bench, store) == ({id: [(kind, "100", "60", None)]} if kind else {})
    put(bench, store, "60 EUR", availability="in_stock")
    assert bool(new_notices(bench, store)) == (after != "in_stock")


@pytest.mark.either_engine
def test_drop_is_notified_only_below_the_saved_price(bench):
    """A shopper who saved for less than the new price gets no notice of the drop, but one of the
    next drop below the saved price; in another currency, or without a saved price, each drop
    counts. Rule: notice-drop."""
    store = bench.new_store(events=True)
    _, unpriced = wish(bench, store)
    saved = {}
    for price in ("150 USD", "100 EUR", "150 EUR"):
        put(bench, store, price)
        saved[price] = wish(bench, store)[1]
    put(bench, store, "110 EUR")
    told = {unpriced: [(DROPPED, "150", "110", None)]}
    heard = told | {saved[price]: told[unpriced] for price in ("150 USD", "150 EUR")}
    assert new_notices(bench, store) == heard
    bench.clock.milliseconds += DAY_MS + 1
    put(bench, store, "90 EUR")
    assert new_notices(bench, store).keys() == {unpriced, *saved.values()}


@pytest.mark.either_engine
@pytest.mark.parametrize("after", STOCK)
@pytest.mark.parametrize("before", STOCK)
def test_only_a_change_to_in_stock_is_a_restock(bench, before, after):
    """Only a change to `in_stock` causes a notice, whatever was before.
    Rules: product-replaced, notice-drop."""
    store = bench.new_store(events=True)
    wish(bench, store)
    for availability in (before, after):
        put(bench, store, availability=availability)
    is_back = after == "in_stock" != before
    assert [one[0] for [one] in new_notices(bench, store).values()] == [BACK] * is_back


@pytest.mark.either_engine
def test_sale_that_begins_later_notifies_nobody(bench):
    """A future sale and a past sale cause no notice; a current one is a drop.
    Rules: catalogue-prices, notice-drop."""
    store = bench.new_store(events=True)
    head = "id\ttitle\tprice\tsale_price\tsale_price_effective_date\n"
    for feed, periods in (("before", ["", "", ""]), ("sale", PERIODS)):
        rows = [
            f"{id}\tKettle\t80.00 EUR\t{'50.00 EUR' if feed == 'sale' else ''}\t{period}\n"
            for id, period in zip((701, 702, 703), periods, strict=True)
        ]
        file = io.BytesIO((head + "".join(rows)).encode())
        found = Catalogue("feed.tsv", file, store, ids.from_timestamp("2026-11-26T12:00:00.000Z"))
        for _ in found.read():
            pass
        if feed == "before":
            items = [wish(bench, store, of=id)[1] for id in ("701", "702", "703")]
        changes = Changes(found)
        bench.drain(changes.compare(bench.db))
        bench.drain(changes.put(bench.db, bench.new_id, bench.clock.tick))
    for id in ("701", "702", "703"):
        bench.clock.tick()
        bench.write(notices.process_batch, store, id, bench.clock())
    found = new_notices(bench, store, every=True)
    assert {item: one[1:3] for item, [one] in found.items()} == {items[2]: ("80.00", "50.00")}


PERIODS = (
    "2027-03-01T00:00+0100/2027-03-08T23:59+0100",
    "2026-01-02T00:00+0100/2026-01-09T23:59+0100",
    "2026-11-01T00:00+0100/2026-12-31T23:59+0100",
)


@pytest.mark.either_engine
@given(sequence=puts, percent=st.sampled_from([5, 5, 1, 90]) | st.integers(1, 90))
@example(sequence=dropping("0.0020", "0.0019"), percent=5)
@example(sequence=dropping("100", "95.01"), percent=5)
@example(sequence=dropping("10", "1"), percent=90)
@example(sequence=dropping("999999999999.9999", "989999999999.9999"), percent=1)
@example(sequence=dropping("0", "0.00"), percent=1)
@example(sequence=dropping("0.0001", "0"), percent=5)
@strategies.examples(10)
def test_any_sequence_of_puts_agrees_with_the_plain_rules(bench, sequence, percent):
    """Notices follow restated rules for each variant, with a day between puts; an item without a
    variant gets that of the first variant that has one, unless it had one of a later drop before.
    Rules: notice-drop, notice-reference."""
    store = bench.new_store(events=True, price_drop_percent=percent)
    wishes = {variant: wish(bench, store, variant)[1] for variant in (None, 1, 2, 9)}
    model: dict[int | None, Plain] = {}
    told_at = dict.fromkeys(wishes.values(), -1)
    for number, ((price, available), variants) in enumerate(sequence):
        bench.clock.milliseconds += DAY_MS + 1
        put(bench, store, price, available, variants=variants)
        whole = {None: (price, available)} | {
            id: (own or price, available if there is None else there)
            for id, (own, there) in variants.items()
        }
        expected = {}
        after = {}
        for id, (its, there) in whole.items():
            after[id], dropped, back = restate_put(
                model.get(id, Plain()), its, there, percent, number
            )
            expected[id] = (dropped, back)
        model = after
        found = new_notices(bench, store)
        for variant, item in wishes.items():
            own = variant if variant in expected else None
            heard = [own] if variant is not None else [*expected]
            due = [one for one in heard if expected[one][0] is not None]
            drops = [one for one in due if expected[one][0][1] > told_at[item]]
            told_at[item] = number if drops else told_at[item]
            backs = [one for one in heard if expected[one][1]]
            kinds = {one[0]: one for one in found.get(item, [])}
            merged = drops[:1] == backs[:1]
            assert kinds.keys() == {*[DROPPED][: len(drops) * (not merged)], *[BACK][: len(backs)]}
            if backs:
                assert kinds[BACK][3] == backs[0]
            if drops:
                told = kinds[BACK if merged else DROPPED]
                assert (Decimal(told[1]), told[3]) == (expected[drops[0]][0][0], drops[0])
