"""Import of a product catalogue: the forecast of notices, and prices that are held back."""

import pytest

from wishwell import products, profiles
from wishwell.importers.catalogue_changes import Changes
from wishwell.products import notices
from wishwell.profiles import records

from .test_catalogue import eur, read
from .test_catalogue import put as put_products
from .test_notices import BACK, DROPPED, notice_events, wish

HEAD = "id,title,price\n"


def run(bench, store, text, **how):
    """Imports a feed. Returns its catalogue and its changes."""
    found = read(text, store)[0]
    return found, put_products(bench, found, **how)


def rows(numbers, title, price):
    return "".join(f"{n},{title},{price} EUR\n" for n in numbers)


def price_of(bench, store, product):
    return bench.read(products.find, store, str(product)).price


@pytest.mark.parametrize(("drops", "price", "held"), [(20, 1, 0), (21, 20, 0), (21, "19.99", 21)])
def test_prices_are_held_back_when_more_than_20_products_drop(bench, store, drops, price, held):
    """If more than 20 products would become cheaper by more than 80 %, their prices stay; their
    other fields and other products are imported. Rule: catalogue-drops."""
    run(bench, store, HEAD + rows(range(1, 31), "old", 100))
    dropped = range(1, drops + 1)
    text = HEAD + rows(dropped, "new", price) + rows(range(drops + 1, 31), "new", 90)
    found, changes = run(bench, store, text)
    assert (found.put, changes.held_prices, len(changes.held_drops)) == (30, held, held)
    assert price_of(bench, store, drops) == eur("100" if held else str(price))
    assert price_of(bench, store, drops + 1) == eur("90")
    assert bench.read(products.find, store, "1").title == "new"
    found, changes = run(bench, store, text)
    assert (found.unchanged, changes.unchanged, changes.held_prices) == (30, 30, held)
    assert run(bench, store, text, accepts_drops=True)[0].put == held
    assert price_of(bench, store, drops) == eur(str(price))


def test_price_drop_limit_can_be_set(bench, store):
    """The limit is a percentage; a price in another currency and a higher one are no drops.
    Rule: catalogue-drops."""
    run(bench, store, HEAD + rows(range(1, 31), "t", 100))
    for text, held in (("69", 30), ("70", 0)):
        found = read(HEAD + rows(range(1, 31), "t", text), store)[0]
        assert put_products(bench, found, max_drop=30).held_prices == held
    for text in (rows(range(1, 31), "t", 700), rows(range(1, 31), "t", 1).replace("EUR", "USD")):
        assert run(bench, store, HEAD + text)[1].held_prices == 0


def test_price_that_was_unknown_is_compared_with_the_last_known_one(bench, store):
    """An empty price is no drop; the next one is compared with the price before it.
    Rule: catalogue-drops."""
    for price, held in ((100, 0), ("", 0), (0, 0), (19, 21), (20, 0)):
        text = rows(range(1, 22), "t", price).replace(", EUR", ",")
        assert run(bench, store, HEAD + text)[1].held_prices == held


@pytest.mark.parametrize(("wishes", "held"), [(100, []), (101, ["7", "8"])])
def test_price_drop_of_a_product_with_many_wishes_is_held_back(bench, wishes, held):
    """If any product with more than 100 wishes would become cheaper by more than 80 %, such prices
    stay. Rule: catalogue-drops."""
    store = bench.new_store(product_ids="text")
    run(bench, store, HEAD + rows([7, 8, 9], "t", 100))
    for _ in range(wishes):
        wish(bench, store, of="7")
    found, changes = run(bench, store, HEAD + rows([7, 8], "t", 10) + rows([9], "t", 50))
    assert [drop.product_id for drop in changes.held_drops] == held
    assert found.put == 1 if held else 3
    assert [price_of(bench, store, n) for n in (7, 9)] == [eur("100" if held else "10"), eur("50")]
    shown = [(str(drop), drop.held) for drop in changes.largest_drops]
    text = "product {}: 100 to 10 EUR, 90.0 % cheaper, wishes: {}"
    numbers = zip((7, 8), (wishes, 0), strict=True)
    assert shown[:2] == [(text.format(*pair), bool(held)) for pair in numbers]


def test_price_drop_of_a_variant_holds_back_all_prices_of_its_product(bench, store):
    """A drop of a variant's price holds back all prices of its product; a new variant then has
    none of its own, and other fields are taken. Rule: catalogue-drops."""
    head, numbers = "id,item_group_id,title,price\n", range(10, 31)
    row = "{0}1,{0},Rug red,{1}\n{0}2,{0},Rug {3},{2}\n"
    run(bench, store, head + "".join(row.format(n, "9 EUR", "50 EUR", "blue") for n in numbers))
    cheap = (
        "".join(row.format(n, "8 EUR", "5 EUR", "sky") for n in numbers)
        + "103,10,Rug green,1 EUR\n"
    )
    changes = run(bench, store, head + cheap)[1]
    assert changes.held_prices == 21
    assert (changes.held_drops[0].variant_id, changes.held_drops[0].percent) == (102, 90.0)
    product = bench.read(products.find, store, "10")
    assert product.price == eur("9")
    assert [(one.title, one.price) for one in product.variants] == [
        ("red", eur("9")),
        ("sky", eur("50")),
        ("green", None),
    ]


def test_forecast_counts_the_notices_that_a_put_causes(bench):
    """The counted items are those that then get a notice, of the kind that they get: not those of
    shoppers who decline them, saved at a lower price, or with a placeholder's id.
    Rule: catalogue-dry-run."""
    store = bench.new_store(events=True)
    head = "id,item_group_id,title,price,availability\n"
    first = (
        "1,,A,100 EUR,in_stock\n2,,B,100 EUR,out_of_stock\n"
        "31,3,C x,50 EUR,no\n32,3,C y,60 EUR,yes\n"
    )
    run(bench, store, head + first.replace("100", "30"))
    wish(bench, store, of=1)
    run(bench, store, head + first)
    for of, variant in ((1, None), (1, None), (2, None), (3, 31), (3, 32), (3, None)):
        wish(bench, store, variant, of)
    wish(
        bench, store, of=1, profile=profiles.of_customer(store, "gid://shopify/Customer/undefined")
    )
    owner, _ = wish(bench, store, of=1)
    bench.write(records.set_notices, owner, False, bench.clock.tick())
    found = read(
        f"{head}1,,A,40 EUR,in_stock\n2,,B,90 EUR,in_stock\n"
        "31,3,C x,50 EUR,yes\n32,3,C y,40 EUR,no\n4,,D,1 EUR,yes\n",
        store,
    )[0]
    changes = Changes(found)
    for work in (changes.compare(bench.db), changes.preview(bench.db, bench.clock())):
        bench.drain(work)
    assert (changes.new, changes.changed, changes.unchanged) == (1, 3, 0)
    largest = [(one.product_id, one.percent) for one in changes.largest_drops]
    assert largest == [(1, 60.0), (3, 33.33), (2, 10.0)]
    bench.drain(changes.put(bench.db, bench.new_id, bench.clock.tick))
    while bench.read(notices.backlog):
        bench.drain(notices.process_batches(bench.db, bench.clock))
    kinds = [kind for kind, _ in notice_events(bench, store)]
    assert changes.notices == (kinds.count(DROPPED), kinds.count(BACK)) == (3, 3)
