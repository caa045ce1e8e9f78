"""Puts of a product, wishes for it, and what is told of it."""

import json

from wishwell import products, stores
from wishwell.products import Facts, NewProduct, Variant, notices
from wishwell.products.notices import Money

PRODUCT = "7"
DAY_MS = 86_400_000
DROPPED, BACK = "item.price_dropped", "item.back_in_stock"


def switched(bench, store, **changes):
    patch = stores.StorePatch(**changes)
    return bench.write(stores.update, store.handle, patch, bench.clock.tick())


def money(text):
    """`19.90 EUR`, or nothing known."""
    return None if text is None else Money(*text.split())


def product(price=None, available=None, variants=(), of=PRODUCT, **facts):
    """A product as a put says it; ``variants`` by id: a price, and whether there are some."""
    made = tuple(
        Variant(str(id), price=money(text), available=there)
        for id, (text, there) in dict(variants).items()
    )
    return NewProduct(of, Facts(price=money(price), available=available, **facts), made)


def put(bench, store, *args, **said):
    given = product(*args, **said)
    bench.write(products.put, store, [given], [bench.new_id()], bench.clock.tick())


def wish(bench, store, variant=None, of=PRODUCT, profile=None):
    """A wish; its owner and its id."""
    owner = profile or bench.new_customer(store)
    item = bench.save(owner, of, variant)
    return owner, item.id


def step(bench, store):
    bench.clock.tick()
    return bench.write(notices.step, store, PRODUCT, bench.clock())


def told(bench, store, every=False):
    """Works all off; the notices that this made, by item: type, prices and variant."""
    before = 0 if every else len(written(bench, store))
    steps = 0
    while bench.read(notices.waiting):
        step(bench, store)
        steps += 1
        assert steps < 40
    found = {}
    for type_, data in written(bench, store)[before:]:
        found.setdefault(data["item"]["id"], []).append((
            type_,
            *(data.get(name, {}).get("amount") for name in ("previousPrice", "price")),
            data.get("variantId"),
        ))  # fmt: skip
    return found


def written(bench, store):
    rows = bench.select(
        "SELECT type, data FROM events WHERE store_id = $1 AND (type = $2 OR type = $3) "
        "ORDER BY created_at, profile_id, sequence",
        store.id, DROPPED, BACK,
    )  # fmt: skip
    return [(type_, json.loads(data)) for type_, data in rows]
