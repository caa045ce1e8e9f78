"""Purchases after a mail that named the product, in the report of what wishes earn."""

import pytest
from msgspec import UNSET

from wishwell import ids
from wishwell.contacts import addresses, queue, retention
from wishwell.contacts.queue import Attempt, Notice
from wishwell.mailer import contents
from wishwell.reports import purchases as reports
from wishwell.reports.purchases import Earned, Revenue, Sales
from wishwell.wishlists import item_changes, orders
from wishwell.wishlists.orders import Line, Order

from .test_mails import BASE, MAIL, claim, known, later, now, put


@pytest.fixture
def till(bench):
    """A store that sends mails and takes orders."""
    host = f"https://{ids.random_uuid()}.example"
    reporting = {"purchases": True}
    return bench.new_store(mail=MAIL, hosts=(host,), notices="opt-in", reporting=reporting)


def mail(bench, store, profile, item):
    """Mails a price drop of an item to its owner. Returns the content, or None if it wasn't sent."""
    bench.write(queue.collect, store, [Notice(profile.id, item.id, "d")], now(bench))
    later(bench, 16)
    [claimed] = claim(bench, store)
    content = bench.write(contents.begin, store, claimed, BASE, now(bench))
    if content is not None:
        bench.write(queue.record, store, Attempt(content.begun, "sent"), now(bench))
    return content


def order(bench, profile, id, *product_ids, placed=None, quantity=1):
    lines = [Line(str(product), "", quantity, "5.00", "EUR") for product in product_ids]
    at = now(bench)
    bench.write(orders.apply, profile.store, Order(id, profile, placed or at, at, lines), at)


def earned(bench, store):
    return bench.read(reports.summary, store, "2000-01-01", "2100-01-01")


def test_purchases_after_a_mail_are_reported(bench, till):
    """A purchase counts as mailed if a mail had named its product to its buyer in the seven days before
    the order; other products, other buyers and later orders don't. Rules: purchase-mailed,
    purchase-report."""
    for product in (1, 2):
        put(bench, till, "10", f"{product}")
    ann, ben = known(bench, till), known(bench, till, "ben@shop.example")
    for profile in (ann, ben):
        bench.save(profile, 2)
    order(bench, ann, "before", 1)
    item = bench.save(ann, 1)  # again, because bought items have no notices
    put(bench, till, "5")
    assert mail(bench, till, ann, item) is not None
    order(bench, ben, "other buyer", 1)
    order(bench, ann, "other product", 2)
    later(bench, days=6)
    order(bench, ann, "mailed", 1, 2, quantity=2)
    later(bench, days=1)
    order(bench, ann, "too late", 1)
    mailed = Sales(1, 2, [Revenue("10.00", "EUR")])
    assert earned(bench, till) == Earned(5, 8, [Revenue("40.00", "EUR")], mailed)
    of_products = bench.read(reports.products, till, "2000-01-01", "2100-01-01")
    rows = {str(row.product_id): row.mailed for row in of_products}
    assert rows == {"1": mailed, "2": UNSET}
    columns, table = reports.table("product", of_products)
    assert columns[-3:] == ["mailed.orders", "mailed.units", "mailed.revenue.EUR"]
    assert [[row.get(column) for column in columns[-3:]] for row in table] == [
        [1, 2, "10.00"],
        [None, None, None],
    ]


def test_mailed_purchase_stays_when_its_mail_and_item_are_removed(bench, till):
    """A later version of an order keeps what its first one found, though the mail and the item are
    removed. Rules: purchase-mailed, order-versions."""
    put(bench, till, "10")
    ann = known(bench, till)
    item = bench.save(ann, 1)
    put(bench, till, "5")
    mail(bench, till, ann, item)
    placed = now(bench)
    order(bench, ann, "1", 1, placed=placed, quantity=3)
    bench.write(item_changes.delete, ann, item.id, now(bench))
    later(bench, days=31)
    bench.drain(retention.remove_old(bench.db, bench.clock.milliseconds))
    assert bench.select("SELECT 1 FROM mails WHERE profile_id = $1", ann.id) == []
    order(bench, ann, "1", 1, placed=placed, quantity=2)
    assert earned(bench, till).mailed == Sales(1, 2, [Revenue("10.00", "EUR")])


def test_mail_to_a_visitor_counts_after_the_sign_in(bench, till):
    """A mail to a visitor counts for the purchases of the customer that they become, whose items have
    other ids. Rules: purchase-mailed, link-atomic."""
    put(bench, till, "10")
    ann, visitor = bench.new_customer(till), bench.new_session(till)
    item = bench.save(visitor, 1)
    confirmed = {"source": "link", "confirmed_at": now(bench)}
    bench.write(addresses.set_address, visitor.id, "v@shop.example", "confirmed", **confirmed)
    bench.write(addresses.choose, visitor.id, True, "link", now(bench))
    put(bench, till, "5")
    assert mail(bench, till, visitor, item) is not None
    bench.link(visitor, ann)
    order(bench, ann, "1", 1)
    assert earned(bench, till).mailed == Sales(1, 1, [Revenue("5.00", "EUR")])


def test_product_that_a_mail_left_out_does_not_count(bench, till):
    """A product that was left out, because it became dearer before the mail was sent, wasn't named.
    Rules: purchase-mailed, mail-consent."""
    put(bench, till, "10")
    ann = known(bench, till)
    put(bench, till, "12")
    assert mail(bench, till, ann, bench.save(ann, 1)) is None
    order(bench, ann, "1", 1)
    assert earned(bench, till) == Earned(1, 1, [Revenue("5.00", "EUR")])
