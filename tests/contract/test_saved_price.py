"""The price that an item's product had when the item was saved."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from tests import strategies
from tests.contract.conftest import PLENTY, new_item
from wishwell import products
from wishwell.products import ProductData, Variant
from wishwell.products.money import Money
from wishwell.wishlists import copies, items, lists, merging, saving, shares
from wishwell.wishlists.items import ItemPatch
from wishwell.wishlists.lists import ListFields
from wishwell.wishlists.shares import ShareSettings


def put(bench, store, product, price, **variants):
    """Sets the prices of a product and its variants."""
    data = ProductData(price=price and Money(price, "EUR"))
    listed = tuple(
        Variant(id.removeprefix("v"), price=own and Money(own, "EUR"))
        for id, own in variants.items()
    )
    new = [products.NewProduct(str(product), data, listed)]
    bench.write(products.put, store, new, [bench.new_id()], bench.clock.tick())


def amount(item):
    """Returns the amount of an item's saved price, or None."""
    return None if item.saved_price is UNSET else msgspec.json.decode(item.saved_price)["amount"]


def find(bench, owner, item):
    return bench.read(items.find, owner, item.id)


@pytest.fixture(scope="module")
def store(bench):
    """A store with text ids and prices of products and variants."""
    made = bench.new_store(product_ids="text")
    put(bench, made, "shirt", "20.00", vS="18.50", vL=None, **{"v~=.": "7"})
    put(bench, made, "bag", None, vA="30")
    put(bench, made, "cap", None)
    return made


EXPECTED = {
    ("shirt", None): "20.00",
    ("shirt", "S"): "18.50",
    ("shirt", "L"): "20.00",  # a variant without its own price
    ("shirt", "XL"): "20.00",  # a variant that the catalogue doesn't list
    ("shirt", "~=."): "7",
    ("bag", None): None,
    ("bag", "A"): "30",
    ("bag", "B"): None,
    ("cap", "A"): None,
    ("unknown", None): None,
}


@pytest.mark.parametrize(("key", "price"), EXPECTED.items())
def test_every_way_to_save_stores_the_current_price(bench, store, key, price):
    """A single save, one with tags, a bulk save and a change of variant store the same price, which
    later prices and saves don't change. Rule: saved-price."""
    owner = bench.new_customer(store)
    assert amount(bench.save(owner, *key)) == price
    assert amount(bench.save(owner, *key, 5)) == price
    assert amount(bench.save(bench.new_customer(store), *key, None, ("a",))) == price
    other = bench.new_customer(store)
    [many] = bench.write(
        saving.save_many, other, [new_item(*key)], [bench.new_id()], PLENTY, bench.clock.tick()
    )
    assert amount(many) == amount(find(bench, other, many)) == price


def test_change_to_another_variant_sets_the_current_price(bench, store):
    """Another variant or product sets the price of the moment; other changes keep the saved one.
    Rule: saved-price."""
    owner = bench.new_customer(store)
    item = bench.save(owner, "shirt", "S")

    def change(**fields):
        return bench.write(saving.change, owner, item.id, ItemPatch(**fields), bench.clock.tick())

    put(bench, store, "shirt", "25.00", vS="15.00")
    assert amount(change(quantity=3)) == amount(change(tags=("a",))) == "18.50"
    assert amount(change(product_id="shirt", variant_id="S")) == "18.50"
    assert amount(change(variant_id="L")) == "25.00"
    assert amount(change(product_id="cap")) is None
    assert amount(change(product_id="shirt", variant_id="")) == "25.00"
    assert amount(find(bench, owner, item)) == "25.00"


@pytest.mark.parametrize("earlier", ["session", "customer"])
def test_merge_keeps_the_price_of_the_earlier_item(bench, earlier):
    """A sign-in keeps the earlier item's price; an item that only moves keeps its own.
    Rules: saved-price, link-merges-items."""
    store = bench.new_store()
    session, customer = bench.new_session(store), bench.new_customer(store)
    first, second = (session, customer) if earlier == "session" else (customer, session)
    put(bench, store, 1, "10")
    put(bench, store, 2, "5")
    bench.save(first, 1)
    bench.save(session, 2)
    for product in (1, 2):
        put(bench, store, product, "8")
    bench.save(second, 1)
    bench.link(session, customer)
    merged = bench.run(bench.db.read(items.find_by_products, customer, ["1", "2"]))
    assert {key[0]: amount(item) for key, item in merged.items()} == {"1": "10", "2": "5"}


PRICE = st.sampled_from([UNSET, msgspec.Raw(b'{"amount":"1"}'), msgspec.Raw(b'{"amount":"2"}')])
ITEM = st.builds(
    lambda price, at: replace(items.new("a", "1", "", f"2025-01-0{at}"), saved_price=price),
    PRICE,
    st.integers(1, 4),
)


@given(st.lists(ITEM, min_size=1, max_size=5, unique_by=lambda item: item.created_at))
@strategies.examples(60)
def test_merged_price_is_that_of_the_earliest_item_in_any_order(every):
    """Merging several items in any order keeps the earliest item's price. Rule: saved-price."""
    for ordered in (every, every[::-1]):
        merged = ordered[0]
        for item in ordered[1:]:
            merged = merging.merge_items(merged, item, ())
        assert merged.saved_price == min(every, key=lambda item: item.created_at).saved_price


def test_copy_takes_the_price_at_copying(bench):
    """A copied item has the price at the time of the copy, not that of the owner's item.
    Rules: saved-price, copy-list."""
    store = bench.new_store()
    owner, reader = bench.new_customer(store), bench.new_customer(store)
    made = bench.new_list(owner)
    put(bench, store, 1, "10")
    bench.save(owner, 1, list_ids=(made.id,))
    token = shares.new_token()
    bench.write(
        shares.create, owner, made.id, ShareSettings(), bench.new_id(), token, bench.clock.tick()
    )
    put(bench, store, 1, "8")
    wanted = copies.NewList(bench.new_id(), ListFields())
    named = (wanted, bench.new_id, PLENTY, bench.clock.tick())
    copy = bench.write(copies.copy, bench.finder, token, reader, *named)
    [item] = bench.read(lists.find, reader, copy.id, "customer").items
    assert amount(item) == "8"


def test_bad_product_row_does_not_fail_a_save(bench):
    """A product whose stored state is unreadable has no known price. Rules: saved-price, bad-row."""
    store = bench.new_store()
    put(bench, store, 1, "10")
    bench.execute(f"UPDATE products SET known = '{{\"' WHERE store_id = '{store.id}'")
    assert amount(bench.save(bench.new_customer(store), 1)) is None
