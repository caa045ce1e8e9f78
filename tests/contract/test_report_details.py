"""Parts of reports that counts by hand don't have: ids that are text, product data, and times."""

import pytest

from tests.contract.conftest import Clock
from wishwell import ids, products, reports
from wishwell.errors import Invalid
from wishwell.products import NewProduct, ProductData
from wishwell.reports import counting, purchases, wishers
from wishwell.stores import reporting
from wishwell.wishlists import orders

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
    """In a store whose ids are text, all reports have the ids as they are, and the report of
    purchases has title and image. Rules: store-product-ids, purchase-report."""
    today = reporting.day_of(bench.clock(), of_texts.reporting.zone)
    of = bench.read(reports.span, of_texts, reports.Period(today, today))
    [wished] = bench.read(reports.products, of_texts, of, "wishes", "variant", 0, 9)
    assert (wished.product_id, wished.variant_id) == ("007", "01")
    assert bench.read(reports.rounded, of_texts, ["007"]) == [("007", 0)]
    [bought] = bench.read(purchases.products, of_texts, today, today)
    assert (bought.product_id, bought.title, bought.image) == ("007", "A mug", IMAGE)
    [page] = bench.drain(wishers.every(bench.db, of_texts, wishers.of("007", "01")))
    assert [(one.variant_id, one.quantity) for one in page] == [("01", 1)]


def test_count_ends_shortly_after_its_start(bench, store):
    """The end of a count is its start plus the time that it took. Rule: count-pace."""
    began = bench.clock()
    bench.drain(counting.run(bench.db, store, Clock(began)))
    [count] = bench.read(counting.last, store)
    assert count.began_at == ids.timestamp(began)
    assert 0 <= ids.from_timestamp(count.ended_at) - began < 60_000


def test_period_has_at_most_366_days(store):
    """A report is of up to 366 days, the first and the last included. Rule: report-period."""
    days = "2025-01-01", "2026-01-01"
    assert reports.period(store, *days, 0) == reports.Period(*days)
    with pytest.raises(Invalid, match="366 days"):
        reports.period(store, "2024-12-31", days[1], 0)
