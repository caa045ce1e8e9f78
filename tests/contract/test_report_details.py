"""Parts of reports that counts by hand don't have: ids that are text, product data, and times."""

import asyncio
import time
import tracemalloc

import pytest
from msgspec import UNSET

from wishwell import ids, products, reports
from wishwell.errors import Invalid
from wishwell.privacy import erasure
from wishwell.products import NewProduct, ProductData, Variant
from wishwell.products.money import Money
from wishwell.reports import counting, purchases, shoppers, tally, wishers
from wishwell.reports.wish_values import WishValue
from wishwell.stores import reporting
from wishwell.wishlists import item_changes, orders

IMAGE = "https://cdn.example/mug.jpg"


@pytest.fixture
def of_texts(bench):
    """A store whose ids are text, with a product, a wish for a variant of it, and its purchase."""
    store = bench.new_store(product_ids="text", reporting={"purchases": True, "show_wishes": True})
    data = ProductData("A mug", image=IMAGE)
    bench.write(
        products.put, store, [NewProduct("007", data)], [bench.new_id()], bench.clock.tick()
    )
    customer = bench.new_customer(store)
    bench.save(customer, "007", "01")
    placed, line = bench.clock.tick(), orders.Line("007", "01", 2, "1.50", "EUR")
    order = orders.Order("1", customer, placed, ids.timestamp(1), [line])
    bench.write(orders.apply, store, order, bench.clock.tick())
    bench.drain(counting.run(bench.db, store, bench.clock))
    return store


def test_reports_have_text_ids_and_product_data(bench, of_texts):
    """In a store whose ids are text, all reports have the ids as they are; the report of purchases has
    title and image, and the summary the owners. Rules: store-product-ids, purchase-report."""
    today = reporting.day_of(bench.clock(), of_texts.reporting.zone)
    of = bench.read(reports.span, of_texts, reports.Period(today, today))
    summary = reports.summary(of)
    assert (summary.profiles, summary.lists) == (reports.WishHolders(customers=1, visitors=0), 0)
    [wished] = bench.read(reports.products, of_texts, of, "wishes", "variant", 0, 9)
    assert (wished.product_id, wished.variant_id) == ("007", "01")
    assert bench.read(reports.rounded_wishes, of_texts, ["007"]) == [("007", 0)]
    [bought] = bench.read(purchases.products, of_texts, today, today)
    assert (bought.product_id, bought.title, bought.image) == ("007", "A mug", IMAGE)
    days = bench.read(purchases.days, of_texts, [tally.following(today, -1), today])
    assert [(day.orders, day.units) for day in days] == [(0, 0), (1, 2)]
    [page] = bench.drain(
        wishers.wisher_batches(bench.db, of_texts, wishers.search_for("007", "01"))
    )
    assert [(one.variant_id, one.quantity) for one in page] == [("01", 1)]


def test_wish_older_than_the_retained_days_is_added_on_none_of_them(bench, store):
    """A wish that is older than 25 months counts as a wish of the first retained day, but isn't added
    on it. Rule: count-days."""
    now = bench.clock()
    for years in (3, 0):
        bench.clock.milliseconds = now - years * 365 * ids.DAY_MS
        bench.save(bench.new_customer(store))
    bench.drain(counting.run(bench.db, store, bench.clock))
    newest, *_, oldest = bench.read(counting.last, store, "9999-12-31", counting.ALL_DAYS)
    assert (oldest.wishes, oldest.added) == (1, 0)
    assert (newest.wishes, newest.added) == (2, 1)


def test_days_without_wishes_keep_their_counts_when_older_ones_had_some(bench, store):
    """A store that had wishes, then none for days, has a count for each day. A wish that is added two days before
    the next count is on each of these days. Rule: count-days."""
    begin, customer = bench.clock(), bench.new_customer(store)

    def count(day):
        bench.clock.milliseconds = begin + day * ids.DAY_MS
        bench.drain(counting.run(bench.db, store, bench.clock))

    item = bench.save(customer)
    count(0)
    bench.write(item_changes.delete, customer, item.id, bench.clock.tick())
    for day in (1, 2, 3, 4):
        count(day)
    bench.clock.milliseconds = begin + 6 * ids.DAY_MS
    bench.save(customer)
    count(8)
    counts = bench.read(counting.last, store, "9999-12-31", counting.ALL_DAYS)
    assert [count.customers for count in counts] == [1, 1, 1, *[0] * 5, 1]


def test_count_ends_at_its_start_plus_its_duration(bench, store):
    """A count that takes a tenth of a second ends that much after its start. Rule: count-pace."""

    async def run():
        began = time.monotonic()
        async for _ in counting.run(bench.db, store, bench.clock):
            await asyncio.sleep(0.1)
        return (time.monotonic() - began) * 1000

    took = bench.run(run())
    [count] = bench.read(counting.last, store)
    assert count.began_at == ids.timestamp(bench.clock())
    assert 90 <= ids.from_timestamp(count.ended_at) - bench.clock() <= took + 1


def test_batches_of_a_count_have_at_most_250_items(bench, store):
    """A count of five profiles with 100 items each reads the items in two batches, so that no
    request waits for long. Each of the 100 products that it writes counts as three rows.
    Rule: count-pace."""
    for _ in range(5):
        customer = bench.new_customer(store)
        bench.save(customer, 7_000_000)
        bench.fill(customer, products=99)
    rows = bench.drain(counting.run(bench.db, store, bench.clock))
    assert rows[1:5] == [5, 250 + 3 * 49, 250 + 3 * 50, 3 * 1]


@pytest.mark.slow
def test_count_needs_no_more_memory_for_more_products(bench, store):
    """Counting 6,000 products takes at most twice the memory of counting 600.
    Rule: count-pace."""

    def peak() -> int:
        tracemalloc.start()
        bench.drain(counting.run(bench.db, store, bench.clock))
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    customer = bench.new_customer(store)
    bench.save(customer, 7_000_000)
    bench.fill(customer, products=600)
    peak()
    bench.fill(customer, products=600, first=601)
    few = peak()
    bench.fill(customer, products=6_000, first=1_201)
    assert peak() < 2 * few
    assert bench.read(counting.last, store)[0].wishes == 7_201


def test_csv_of_products_has_a_column_for_each_field():
    """The products report by variant, sorted by rise, has all columns. Rule: report-csv."""
    assert " ".join(reports.columns("variant", "rising")) == (
        "productId variantId title variantTitle image wishes customers visitors added removed rise "
        "price.amount price.currency availability"
    )


def test_period_has_at_most_366_days(store):
    """A report is of up to 366 days, the first and the last included. Rule: report-period."""
    days = "2025-01-01", "2026-01-01"
    assert reports.period(store, *days, 0) == reports.Period(*days)
    with pytest.raises(Invalid, match="366 days"):
        reports.period(store, "2024-12-31", days[1], 0)


def test_value_of_wishes_is_price_times_quantity_by_currency(bench):
    """The value multiplies the price of the variant, else of the product, by the quantity; sold-out
    products are apart, and bought wishes and products without a price add nothing. The days before
    the first count have no value. Rule: report-value."""
    store = bench.new_store(reporting={"purchases": True})

    def price(amount, currency="EUR"):
        return Money(amount, currency)

    def put(*new_products):
        new_ids = [bench.new_id() for _ in new_products]
        bench.write(products.put, store, new_products, new_ids, bench.clock.tick())

    put(
        NewProduct(
            "1", ProductData("A", price=price("10.10")), (Variant("12", price=price("20")),)
        ),
        NewProduct("2", ProductData("B", price=price("7", "USD"), availability="preorder")),
        NewProduct("3", ProductData("C", price=price("5"), available=False)),
        NewProduct("4", ProductData("D")),
    )
    customer = bench.new_customer(store)
    for product, variant, quantity in (
        (1, 11, 3), (1, 12, 2), (2, None, 1), (3, None, 4), (4, None, 9), (5, None, 9),
    ):  # fmt: skip
        bench.save(customer, product, variant, quantity=quantity)

    def value(day):
        bench.drain(counting.run(bench.db, store, bench.clock))
        return reports.summary(bench.read(reports.span, store, reports.Period(day, day))).value

    today = reporting.day_of(bench.clock(), store.reporting.zone)
    first = [WishValue("70.30", "20", "EUR"), WishValue("7", "0", "USD")]
    assert value(today) == first
    line = orders.Line("1", "12", 2, "20", "EUR")
    placed = bench.clock.tick()
    order = orders.Order("1", customer, placed, ids.timestamp(1), [line])
    bench.write(orders.apply, store, order, bench.clock.tick())
    put(NewProduct("2", ProductData("B", price=price("8.50", "USD"), available=False)))
    assert value(today) == [WishValue("30.30", "20", "EUR"), WishValue("0", "8.50", "USD")]
    assert value(tally.following(today, -1)) is UNSET


def test_products_are_selected_by_stock_and_by_a_lower_price(bench, store):
    """`sold_out` follows the current stock. `price_dropped` selects products with a wish that was saved
    at a higher price in the same currency, by the variant's price if it has one, as of the last count;
    other sorts than by wishes are allowed. Rule: report-dropped."""

    def put(id, amount, currency="EUR", variant=None, **data):
        variants = (Variant("9", price=Money(variant, "EUR")),) if variant else ()
        product_data = ProductData(price=Money(amount, currency), **data)
        new_product = NewProduct(str(id), product_data, variants)
        bench.write(products.put, store, [new_product], [bench.new_id()], bench.clock.tick())

    def found(only, sort="wishes"):
        today = reporting.day_of(bench.clock(), store.reporting.zone)
        span = bench.read(reports.span, store, reports.Period(today, today))
        rows = bench.read(reports.products, store, span, sort, "product", 0, 9, "", only)
        return [row.product_id for row in rows]

    put(1, "20", available=False)
    put(2, "20", availability="out_of_stock")
    put(3, "20", availability="preorder")
    put(4, "20", variant="30")
    put(5, "20")
    visitor, customer = bench.new_session(store), bench.new_customer(store)
    for product in (1, 2, 3, 5):
        bench.save(customer, product)
    bench.save(customer, 4, 9)
    bench.save(visitor, 3)
    put(1, "19.99", available=False)
    put(3, "20.01")
    put(4, "15", variant="30")
    put(5, "19", currency="USD")
    assert found("price_dropped") == [], "no count has seen the prices yet"
    bench.drain(counting.run(bench.db, store, bench.clock))
    assert found("price_dropped") == [1]
    assert found("sold_out") == [1, 2]
    assert found("", "visitors")[0] == 3
    put(4, "15", variant="29")
    bench.drain(counting.run(bench.db, store, bench.clock))
    assert found("price_dropped") == [1, 4]


def test_shoppers_are_the_most_recent_or_those_with_the_most_wishes(bench, store):
    """Shoppers are listed by their newest wish, or by their wishes at the last count; erased ones, and
    those of another store, aren't. Only the last count stores their keys. Rule: report-shoppers."""
    few, many, erased = (bench.new_customer(store) for _ in range(3))
    visitor, other = bench.new_session(store), bench.new_store()
    for who, number in ((many, 3), (few, 1), (visitor, 2), (erased, 4)):
        for product in range(1, 1 + number):
            saved = bench.save(who, product)
        if who == visitor:
            newest = saved.created_at
    bench.save(bench.new_customer(other), 1)

    def listed(sort, store=store):
        return [(one.profile, one.items) for one in bench.read(shoppers.find, store, sort)]

    assert listed("wishes") == []
    for day in range(2):
        bench.clock.milliseconds += day * ids.DAY_MS
        bench.drain(counting.run(bench.db, store, bench.clock))
    bench.write(erasure.erase, erased, bench.clock())
    assert listed("wishes") == [(many.gid, 3), (visitor.gid, 2), (few.gid, 1)]
    assert listed("recent") == [(visitor.gid, 2), (few.gid, 1), (many.gid, 3)]
    first = bench.read(shoppers.find, store, "recent")[0]
    assert (first.kind, first.saved_at) == ("session", newest)
    assert listed("wishes", other) == []
    details = bench.select("SELECT details FROM counts WHERE store_id = $1 ORDER BY day", store.id)
    assert [bool(text) for (text,) in details] == [False, True]
