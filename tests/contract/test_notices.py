"""What a put of a product makes of its references, on both engines."""

from decimal import Decimal
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.drops import (
    BACK,
    DAY_MS,
    DROPPED,
    PRODUCT,
    product,
    put,
    step,
    switched,
    told,
    wish,
)
from wishwell import ids, stores
from wishwell.products import notices
from wishwell.stores import naming


@pytest.mark.parametrize(
    ("percent", "first", "second", "drops"),
    [
        (5, "100 EUR", "95.01 EUR", False),
        (5, "100 EUR", "95 EUR", True),
        (5, "0.0020 EUR", "0.0019 EUR", True),
        (90, "10 EUR", "1.0001 EUR", False),
        (90, "10 EUR", "1 EUR", True),
        (1, "999999999999.9999 EUR", "989999999999.9999 EUR", True),
        (1, "999999999999.9999 EUR", "990000000000.0000 EUR", False),
        (1, "0 EUR", "0.00 EUR", False),
        (5, "1 EUR", "0 EUR", True),
        (5, "100 EUR", "50 USD", False),
        (5, "50 EUR", "100 EUR", False),
    ],
)  # fmt: skip
def test_drop_is_by_the_stores_percentage(bench, store, percent, first, second, drops):
    """contract: notice-drop, notice-currency."""
    store = switched(bench, store, price_drop_percent=percent)
    wish(bench, store)
    put(bench, store, first)
    put(bench, store, second)
    assert bool(told(bench, store)) == drops


def test_one_of_a_kind_in_a_day(bench, store):
    """contract: notice-once-a-day, notice-reference. Up and down; the other kind is its own; and a
    day later it is told again."""
    _, id = wish(bench, store)
    for price in ("100 EUR", "90 EUR"):
        put(bench, store, price, False)
    assert len(told(bench, store)) == 1
    put(bench, store, "100 EUR", False)
    put(bench, store, "80 EUR", True)
    assert told(bench, store) == {id: [(BACK, None, "80", None)]}
    put(bench, store, "100 EUR", True)
    bench.clock.milliseconds += DAY_MS
    put(bench, store, "80 EUR", True)
    assert told(bench, store) == {id: [(DROPPED, "100", "80", None)]}


def test_wrong_clock_that_told_a_wish_loses_no_later_notice(bench, store):
    """contract: clock-steps. It was ten years ahead when it told of a drop and of a product that is back."""
    _, id = wish(bench, store)
    put(bench, store, "100 EUR", False)
    bench.clock.milliseconds += 3650 * DAY_MS
    put(bench, store, "90 EUR", True)
    assert len(told(bench, store)[id]) == 2
    bench.clock.milliseconds -= 3650 * DAY_MS
    put(bench, store, "100 EUR", False)
    put(bench, store, "80 EUR", True)
    both = {(DROPPED, "100", "80", None), (BACK, None, "80", None)}
    assert both < set(told(bench, store, every=True)[id])


@pytest.mark.parametrize("known", ["[", "[]", '{"": {"price": 1}}'])
def test_put_of_a_product_whose_row_is_damaged_begins_anew(bench, store, known):
    """contract: bad-row. Neither it nor the others of the same put are refused."""
    _, id = wish(bench, store)
    put(bench, store, "100 EUR")

    async def damage(tx):
        await tx.run(
            "product_noticed",
            store=store.id,
            product=PRODUCT,
            known=known,
            position=ids.NO_UUID,
            noticed_at=None,
        )

    bench.write(damage)
    put(bench, store, "80 EUR")
    assert told(bench, store) == {}
    put(bench, store, "60 EUR")
    assert told(bench, store) == {id: [(DROPPED, "80", "60", None)]}


def test_variants_are_told_to_those_who_wish_for_them(bench, store):
    """contract: notice-variant. One without a variant hears of any, once; the others of their own."""
    any_, one, two, other = (wish(bench, store, variant)[1] for variant in (None, 1, 2, 9))
    put(bench, store, "100 EUR", variants={1: ("100 EUR", None), 2: (None, None)})
    put(bench, store, "100 EUR", variants={1: ("90 EUR", None), 2: (None, None)})
    assert told(bench, store) == {id: [(DROPPED, "100", "90", 1)] for id in (any_, one)}
    bench.clock.milliseconds += DAY_MS
    # What the product says holds for a variant that is named without a price, and for one that is not.
    put(bench, store, "80 EUR", variants={1: ("90 EUR", None), 2: (None, None)})
    assert told(bench, store) == {
        any_: [(DROPPED, "100", "80", None)],
        two: [(DROPPED, "100", "80", 2)],
        other: [(DROPPED, "100", "80", None)],
    }


def test_store_without_events_hears_nothing_and_goes_on_counting(bench, store):
    """contract: notice-events. The references move all the same."""
    off = switched(bench, store, events=False)
    wish(bench, store)
    for price in ("100 EUR", "90 EUR"):
        put(bench, off, price)
    put(bench, store, "86 EUR")
    assert told(bench, store) == {}
    put(bench, store, "85 EUR")
    assert bench.read(notices.waiting) == 1
    assert step(bench, off) == 0
    assert bench.read(notices.waiting) == 0


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


class Plain(NamedTuple):
    """A variant by the plain rules: its price, what that is compared with, whether it is there."""

    price: tuple | None = None
    reference: tuple | None = None
    available: bool | None = None


def plain(was, price, available, percent):
    """The variant after a put, the price that it has dropped from, and whether it is back."""
    amount, currency = (Decimal(price.split()[0]), price.split()[1]) if price else (None, None)
    back = was.available is False and available is True
    if price is None:
        return Plain(None, None, available), None, back
    if was.reference is None or was.reference[1] != currency or amount > was.reference[0]:
        return Plain((amount, currency), (amount, currency), available), None, back
    least = was.reference[0] * (1 - Decimal(percent) / 100)
    if amount <= least and amount < was.reference[0]:
        return Plain((amount, currency), (amount, currency), available), was.reference[0], back
    return Plain((amount, currency), was.reference, available), None, back


@pytest.mark.either_engine
@given(sequence=puts, percent=st.integers(1, 90))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_sequence_of_puts_agrees_with_the_plain_rules(bench, sequence, percent):
    """contract: notice-drop, notice-reference, notice-currency, notice-stock, notice-unknown. Each put
    is told before the next, a day later: exactly what the rules say of each variant."""
    store = bench.new_store()
    store = switched(bench, store, events=True, price_drop_percent=percent)
    wishes = {variant: wish(bench, store, variant)[1] for variant in (1, 2, 9)}
    model: dict[int | None, Plain] = {}
    for (price, available), variants in sequence:
        bench.clock.milliseconds += DAY_MS + 1
        put(bench, store, price, available, variants=variants)
        whole = {None: (price, available)} | {
            id: (own or price, available if there is None else there)
            for id, (own, there) in variants.items()
        }
        expected = {}
        after = {}
        for id, (its, there) in whole.items():
            after[id], dropped, back = plain(model.get(id, Plain()), its, there, percent)
            expected[id] = (dropped, back)
        model = after
        found = told(bench, store)
        for variant, item in wishes.items():
            dropped, back = expected.get(variant, expected[None])
            kinds = {one[0]: one for one in found.get(item, [])}
            assert (DROPPED in kinds, BACK in kinds) == (dropped is not None, back)
            if dropped is not None:
                assert Decimal(kinds[DROPPED][1]) == dropped


@given(sequence=puts, percent=st.integers(1, 90))
@settings(max_examples=200, deadline=None)
def test_what_is_left_to_tell_is_true_now(sequence, percent):
    """contract: notice-taken-back, notice-again. After any puts that came before all was told: a drop
    that is left is one by the newest price, and its price before it is no lower than the reference."""
    named = naming.Naming()
    store = stores.Store("1", "s", "p", "integer", "", (), named, (), {}, percent, "2027", "")
    known = ""
    for at, ((price, available), variants) in enumerate(sequence):
        given_ = product(price, available, variants).said
        was = notices.known_from(store, PRODUCT, known)
        known, position, noticed = notices.compare(store, was, "here", given_, f"{at:04}")
        after = msgspec.json.decode(known, type=dict[str, notices.Known])
        assert after.keys() == given_.keys()
        left = [one for one in after.values() if one.dropped_at or one.restocked_at]
        assert (noticed is not None) == bool(left)
        new = any(f"{at:04}" in (one.dropped_at, one.restocked_at) for one in left)
        assert position == (ids.NO_UUID if new else "here")
        for one in left:
            assert one.available or not one.restocked_at
            if one.dropped_at:
                before, now = Decimal(one.dropped_from.amount), Decimal(one.price.amount)
                assert one.dropped_from.currency == one.price.currency
                assert now < before
                assert now <= before * (1 - Decimal(percent) / 100)
                assert before >= Decimal(one.reference.amount)
