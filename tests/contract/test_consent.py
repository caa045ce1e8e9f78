"""Consent to notices: a profile's choice is yes, no or none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from wishwell import products
from wishwell.errors import Invalid
from wishwell.products import ProductData, notices
from wishwell.products.money import Money
from wishwell.profiles import records
from wishwell.reports import wishers

CHOICES = (True, False, None)


@pytest.mark.parametrize(("setting", "expected"), [("opt-out", {True, None}), ("opt-in", {True})])
def test_setting_decides_for_customers_who_never_chose(bench, setting, expected):
    """Notices go to customers who agreed and, with opt-out, to those who never chose; the event
    has the choice. Reports show all three states. Rules: notice-consent, notice-drop."""
    store = bench.new_store(events=True, notices=setting)
    bench.clock.milliseconds += 10_000
    for choice in CHOICES:
        owner = bench.new_customer(store)
        bench.save(owner, 7)
        bench.write(records.set_notices, owner, choice, bench.clock.tick())
        bench.write(records.set_notices, owner, None, bench.clock.tick())  # changes nothing
        assert bench.read(records.find, owner).notices is choice
    for amount in ("10", "5"):
        new = [products.NewProduct("7", ProductData(price=Money(amount, "EUR")))]
        bench.write(products.put, store, new, [bench.new_id()], bench.clock.tick())
    bench.clock.tick()
    while bench.write(notices.process_batch, store, "7", bench.clock()):
        pass
    rows = bench.select(
        "SELECT data FROM events WHERE store_id = $1 AND type = $2", store.id, "item.price_dropped"
    )
    told = [json.loads(data)["notices"] for (data,) in rows]
    assert len(told) == len(expected) and {*told} == expected
    [found] = bench.drain(wishers.wisher_batches(bench.db, store, wishers.search_for("7", None)))
    assert [wisher.notices for wisher in found] == [*reversed(CHOICES)]


@given(own=st.sampled_from(CHOICES), others=st.lists(st.sampled_from(CHOICES), max_size=3))
@strategies.examples(15)
def test_sign_in_keeps_the_customers_choice_else_the_sessions(bench, own, others):
    """After any number of sign-ins the customer's choice remains, else that of the first session
    that has one; no choice is ever removed. Rules: notice-consent, link-merges-items."""
    customer = bench.new_customer()
    bench.write(records.set_notices, customer, own, bench.clock.tick())
    for choice in others:
        session = bench.new_session()
        bench.write(records.set_notices, session, choice, bench.clock.tick())
        bench.link(session, customer)
    made = [choice for choice in (own, *others) if choice is not None]
    assert bench.read(records.find, customer).notices is (made[0] if made else None)


def test_unknown_value_of_the_setting_is_refused(bench):
    """Any other value of the setting is refused. Rule: store-settings."""
    with pytest.raises(Invalid, match="notices: 'maybe' must be opt-out or opt-in"):
        bench.new_store(notices="maybe")
