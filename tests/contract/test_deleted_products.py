"""A deleted product leaves a marker, so that its items can say so."""

import json

import pytest
from msgspec import UNSET

from wishwell import products
from wishwell.privacy import store_deletion
from wishwell.products import ProductData, shown
from wishwell.profiles.pages import PageRequest
from wishwell.wishlists import items, shares

YEAR_MS = 365 * 86_400_000


def put(bench, store, *ids):
    given = [products.NewProduct(id, ProductData(title=f"Product {id}")) for id in ids]
    new_ids = [bench.new_id() for _ in given]
    bench.write(products.put, store, given, new_ids, bench.clock.tick())


def seen(bench, owner):
    """Returns the product data of each item by product, in a page, a list and a lookup alike."""
    found = bench.read(shown.page, owner, PageRequest(None, 50)).records
    for item in found:
        alone = bench.read(shown.including(items.find), owner, item.id)
        assert alone.product == item.product
    return {item.product_id: item.product and json.loads(bytes(item.product)) for item in found}


@pytest.fixture
def wished(bench):
    """A store with the products 1 and 2, and a customer who wishes for 1, for 2 and for 3."""
    store = bench.new_store()
    put(bench, store, "1", "2")
    owner = bench.new_customer(store)
    for product, variant in ((1, None), (2, 5), (3, None)):
        bench.save(owner, product, variant)
    return store, owner


def test_item_shows_that_its_product_was_deleted(bench, wished):
    """The item of a deleted product shows only that it was deleted. It shows nothing of a product
    that the catalogue never had, and the data again after another put. Rule: product-deleted."""
    store, owner = wished
    for id in ("1", "2"):
        bench.write(products.delete, store, id, bench.clock.tick())
    gone = {"deleted": True}
    assert seen(bench, owner) == {"1": gone, "2": gone, "3": UNSET}
    put(bench, store, "1", "3")
    title = {id: {"title": f"Product {id}"} for id in ("1", "3")}
    assert seen(bench, owner) == title | {"2": {"deleted": True}}
    assert bench.select(
        "SELECT product_id FROM deleted_products WHERE store_id = $1", store.id
    ) == [("2",)]


def test_deletion_markers_expire_after_a_year(bench, wished):
    """A marker is kept for a year, and only in its store. Rules: product-deleted, store-isolation."""
    store, owner = wished
    other = bench.new_customer(bench.new_store())
    bench.save(other, 1)
    bench.write(products.delete, store, "1", bench.clock.tick())
    assert seen(bench, other)["1"] is UNSET
    bench.clock.milliseconds += YEAR_MS - 10
    bench.write(products.forget_deleted, bench.clock())
    assert seen(bench, owner)["1"] == {"deleted": True}
    bench.clock.milliseconds += 20
    assert bench.write(products.forget_deleted, bench.clock())
    assert seen(bench, owner)["1"] is UNSET


def test_deleting_a_store_deletes_its_deletion_markers(bench, wished):
    """Deleting a store deletes its markers. Rules: product-deleted, store-delete."""
    store, _ = wished
    bench.write(products.delete, store, "1", bench.clock.tick())
    bench.write(store_deletion.begin, store.handle, bench.clock.tick())
    bench.drain(store_deletion.remove_store(bench.db, store))
    assert not bench.select("SELECT 1 FROM deleted_products WHERE store_id = $1", store.id)
    assert not bench.select("SELECT 1 FROM stores WHERE id = $1", store.id)


def test_shared_list_shows_that_a_product_was_deleted(bench, wished):
    """Everybody with the link of a shared list sees that a product was deleted.
    Rule: product-deleted."""
    store, owner = wished
    bench.write(products.delete, store, "2", bench.clock.tick())
    token = shares.new_token()
    terms = shares.ShareSettings()
    bench.write(
        shares.create, owner, shares.WHOLE, terms, bench.new_id(), token, bench.clock.tick()
    )
    view = bench.run(
        bench.db.read(
            shares.view, bench.finder, token, None, bench.clock.tick(), include=shown.include
        )
    )
    found = {item.product_id: item.product for item in view.items}
    assert bytes(found[2]) == b'{"deleted": true}' and found[3] is UNSET
