"""Linking keeps its rules, for any two profiles."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import strategies
from tests.contract.conftest import bounds
from tests.contract.test_model import UNLIMITED, compare, do
from tests.profile_model import Model
from wishwell import profiles, stores
from wishwell.wishes import linking, lists

names = st.lists(strategies.alike, max_size=4)
# Of items, lists, places, items on a list; twice as many are kept, so two sign-ins pass each.
rooms = st.sampled_from(
    [(99, 99, 99, 99), (2, 99, 99, 99), (99, 2, 99, 99), (99, 99, 2, 99), (99, 99, 99, 2)]
)
VISITS = {
    "mine": strategies.sequences,
    "visits": st.lists(st.tuples(names, strategies.sequences), min_size=1, max_size=3),
    "room": rooms,
}

# An item that moves and one that is merged, each on six lists.
_SIX = [("save", product, None, 1, [], [*range(6)], "") for product in (1, 2)]
_LISTS = [("new_list", name) for name in "abcdef"]


@given(**VISITS)
@example(mine=[("new_list", "a"), *_SIX[1:]], visits=[([], [*_LISTS, *_SIX])], room=(99,) * 4)
@strategies.examples(20)
def test_links_agree_with_the_model(bench, mine, visits, room):
    """contract: link-items, link-item-merge, link-quantity, link-tags, link-note, link-list-merge,
    link-list-full, link-limits, item-updated-at, list-updated-at. Of one sign-in after the other, also
    where there is little room."""
    of = dict(zip(("items", "lists", "entries", "list_items"), room, strict=True))
    customer, model = bench.new_customer(), Model(**of)
    full = model.most
    model.most = (UNLIMITED, UNLIMITED)
    for step in mine:
        do(bench, customer, model, step)
    model.most = full
    for names, sequence in visits:
        session, other = bench.new_session(), Model()
        for step in [*(("new_list", name) for name in names), *sequence]:
            do(bench, session, other, step)
        had, at = len(other.items), bench.clock.tick()
        moved = bench.write(linking.link, session, customer, stores.Bounds(**of), at)
        assert moved == had - model.link(other, at)
        compare(bench, customer, model)
        assert bench.holds(session) == (0, 0, 0)
        bench.check(session)
        again = bench.new_customer()
        assert bench.write(linking.link, session, again, stores.Bounds(**of), at) == 0


test_links_at_length = strategies.at_length(test_links_agree_with_the_model, 150, **VISITS)


@pytest.mark.parametrize(
    ("visitors", "own", "then"),
    [("a@b.example", None, "a@b.example"), ("a@b.example", "c@d.example", "c@d.example")],
)
def test_link_takes_the_address_along_unless_there_is_one(bench, visitors, own, then):
    """contract: link-email. And the session keeps none."""
    customer, session = bench.new_customer(), bench.new_session()
    remember = profiles.remember_email
    for profile, address in ((session, visitors), (customer, own)):
        if address:
            bench.write(remember, profile, address, bench.clock.tick())
    bench.link(session, customer)
    kept = "SELECT email FROM profiles WHERE profile_id = $1"
    assert bench.select(kept, customer.id) == [(then,)]
    assert bench.select(kept, session.id) == [(None,)]


class Counting:
    """A handle that counts the statements that run through it."""

    def __init__(self, tx):
        self.tx, self.count = tx, 0

    def __getattr__(self, verb):
        self.count += 1
        return getattr(self.tx, verb)


def test_link_takes_as_many_statements_for_thousands_of_items_as_for_ten(bench):
    """contract: link-limits. Each is a round trip to PostgreSQL."""

    async def counted(tx, session, customer):
        counting = Counting(tx)
        await linking.link(counting, session, customer, bounds(1_000), bench.clock.tick())
        return counting.count

    counts = []
    for products, made, on in ((10, 1, 1), (2_500, 20, 3)):
        customer, session = bench.new_customer(), bench.new_session()
        bench.write(profiles.lock, customer, bench.clock.tick())
        bench.fill(customer, products=products, lists=made, tags=1)
        bench.fill(session, products=products, lists=made, on=on, tags=2)
        counts.append(bench.write(counted, session, customer))
    assert counts[0] == counts[1]


def test_joined_list_shows_a_merged_item_where_its_new_age_belongs(bench):
    """contract: link-item-merge, link-list-merge. By the earlier time; what joins is last."""
    session, customer = bench.new_session(), bench.new_customer()
    for profile, products in ((session, (1, 9)), (customer, (2, 1, 3))):
        on = bench.new_list(profile).id
        for product in products:
            listed = () if (profile, product) == (session, 1) else (on,)
            bench.save(profile, product, list_ids=listed)
    bench.link(session, customer)
    made = bench.read(lists.find, customer, on, "customer")
    assert [item.product_id for item in made.items] == ["3", "2", "1", "9"]
