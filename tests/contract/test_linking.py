"""Linking keeps its rules, for any two profiles."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from tests import strategies
from tests.contract.conftest import bounds, new_item
from wishwell import profiles
from wishwell.profiles import search
from wishwell.profiles.pages import PageRequest
from wishwell.wishes import items, linking, lists

SLOW = [HealthCheck.function_scoped_fixture]
wishes = st.lists(
    st.tuples(
        strategies.products,
        strategies.variants,
        strategies.quantities,
        strategies.tags,
        st.lists(st.integers(0, 5), unique=True, max_size=6),
        strategies.notes,
    ),
    max_size=7,
    unique_by=lambda wish: wish[:2],
)
profiles_ = st.tuples(
    st.lists(strategies.alike, max_size=6), wishes, st.none() | st.permutations(range(4))
)


def fill(bench, profile, plan):
    """Makes the lists and items of a plan, and orders the first list by it."""
    names, wanted, order = plan
    made = [
        bench.write(
            lists.create, profile, name.strip(), bench.new_id(), bounds(999), bench.clock.tick()
        )
        for name in names
    ]
    for product, variant, quantity, tags, on, note in wanted:
        chosen = tuple(made[at].id for at in on if at < len(made))
        new = new_item(product, variant, quantity, tuple(tags), chosen, note)
        bench.write(items.save, profile, new, bench.new_id(), bounds(999), bench.clock.tick())
    if made and order is not None:
        held = bench.read(lists.find, profile, made[0].id, "recently_saved").items
        placed = [held[at].id for at in order if at < len(held)]
        bench.write(lists.order, profile, made[0].id, placed, bench.clock.tick())


def contents(bench, profile):
    """Items by product and variant, and lists by id with their items in customer order."""
    asked = PageRequest(None, 250, search.Search())
    found = bench.read(items.page, profile, asked).records
    shown = bench.read(lists.page, profile, asked).records
    whole = [bench.read(lists.find, profile, made.id, "customer") for made in shown]
    return {(item.product_id, item.variant_id): item for item in found}, {m.id: m for m in whole}


# An item that moves and one that is merged, each on six lists.
_SIX = [(product, None, 1, [], range(6), "") for product in (1, 2)]


@given(mine=profiles_, theirs=profiles_)
@example(mine=(["a"], _SIX[1:], None), theirs=([*"abcdef"], _SIX, None))
@settings(max_examples=15, deadline=None, suppress_health_check=SLOW)
def test_link_keeps_every_rule(bench, mine, theirs):
    """contract: link-items, link-item-merge, link-quantity, link-tags, link-note, link-list-merge,
    item-updated-at, list-updated-at. Union of items, larger quantity, union of tags and lists, earlier createdAt, ids kept; lists by
    name; joined items behind those already there; the session empty and closed."""
    customer, session = bench.new_customer(), bench.new_session()
    fill(bench, customer, mine)
    fill(bench, session, theirs)
    old, old_lists = contents(bench, customer)
    new, new_lists = contents(bench, session)
    at = bench.clock.tick()
    assert bench.write(linking.link, session, customer, 1_000, at) == len(new)
    now, now_lists = contents(bench, customer)

    assert now.keys() == old.keys() | new.keys()
    for key, item in now.items():
        before, came = old.get(key), new.get(key)
        assert item.id == (before or came).id
        both = [wish for wish in (before, came) if wish]
        assert item.quantity == max(wish.quantity for wish in both)
        assert set(item.tags) == {tag for wish in both for tag in wish.tags}
        assert item.created_at == min(wish.created_at for wish in both)
        assert item.note == next((wish.note for wish in both if wish.note), UNSET)
        unchanged = before is None or before == replace(item, updated_at=before.updated_at)
        assert item.updated_at == (both[0].updated_at if unchanged else at)

    first_of = {}
    for made in sorted(old_lists.values(), key=lambda made: made.id):
        first_of.setdefault(made.name.strip().casefold(), made.id)
    became = {
        made.id: first_of.get(made.name.strip().casefold(), made.id) for made in new_lists.values()
    }
    assert now_lists.keys() == old_lists.keys() | set(became.values())
    same = {new[key].id: old[key].id for key in old.keys() & new.keys()}
    for id, made in now_lists.items():
        already = [item.id for item in old_lists[id].items] if id in old_lists else []
        joined = [
            [same.get(item.id, item.id) for item in new_lists[came].items]
            for came, target in sorted(became.items())
            if target == id
        ]
        order = list(dict.fromkeys([*already, *(item for part in joined for item in part)]))
        got = [item.id for item in made.items]
        assert sorted(got) == sorted(order)
        longer = id in old_lists and len(got) > len(already)
        assert made.updated_at == (
            at if longer else (old_lists.get(id) or new_lists[id]).updated_at
        )
        # A merged item takes the earlier createdAt, and with it another place among those that
        # were never placed; all others stay as they were.
        if len(joined) <= 1:
            merged = set(same.values())
            assert [id for id in got if id not in merged] == [
                id for id in order if id not in merged
            ]

    assert bench.holds(session) == (0, 0, 0)
    bench.check(session)
    bench.check(customer)
    again = bench.write(linking.link, session, bench.new_customer(), 1_000, bench.clock.tick())
    assert again == 0
    assert contents(bench, customer) == (now, now_lists)


test_link_at_length = strategies.at_length(
    test_link_keeps_every_rule, 60, mine=profiles_, theirs=profiles_
)


def test_link_never_fails_for_a_limit_and_drops_nothing(bench):
    """contract: link-limits. Tags past 20, and 600 items beside 600: all of it is there
    afterwards."""
    customer, session = bench.new_customer(), bench.new_session()
    for profile, prefix, first in ((customer, "a", 1), (session, "b", 301)):
        tags = tuple(f"{prefix}{number}" for number in range(20))
        new = new_item(10_000, None, 1, tags)
        bench.write(items.save, profile, new, bench.new_id(), bounds(9999), bench.clock.tick())
        for product in range(first, first + 600):
            new = new_item(product)
            bench.write(items.save, profile, new, bench.new_id(), bounds(9999), bench.clock.tick())
    bench.write(linking.link, session, customer, 1_000, bench.clock.tick())
    assert bench.holds(customer)[0] == 901
    asked = PageRequest(None, 250, search.parse("tag:a0,b0", bench.store))
    [merged] = bench.read(items.page, customer, asked).records
    assert len(merged.tags) == 40


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
    bench.write(linking.link, session, customer, 1_000, bench.clock.tick())
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
    """contract: link-limits. Each is a round trip to PostgreSQL, and holds up every other write on
    SQLite."""

    async def counted(tx, session, customer):
        counting = Counting(tx)
        await linking.link(counting, session, customer, 1_000, bench.clock.tick())
        return counting.count

    counts = []
    for products, made, on in ((10, 1, 1), (2_500, 20, 3)):
        customer, session = bench.new_customer(), bench.new_session()
        bench.write(profiles.lock, customer, bench.clock.tick())
        bench.fill(customer, products=products, lists=made, tags=1)
        bench.fill(session, products=products, lists=made, on=on, tags=2)
        counts.append(bench.write(counted, session, customer))
    assert counts[0] == counts[1]


def test_link_at_the_bounds_drops_nothing(bench):
    """4,900 items on both sides, each on 4 of 20 lists of the same names, half of the places shared."""
    customer, session = bench.new_customer(), bench.new_session()
    bench.write(profiles.lock, customer, bench.clock.tick())
    mine = bench.fill(customer, products=4_900, lists=20, on=4)
    theirs = bench.fill(session, products=4_900, lists=20, on=6)
    bench.write(linking.link, session, customer, 1_000, bench.clock.tick())
    assert bench.holds(customer) == (4_900, 20, 4_900 * 6)
    bench.check(customer)
    bench.check(session)
    held = bench.all("list_positions", profile=customer.id, id=mine[0])
    places = sorted(row[1] for row in held)
    assert len(set(places)) == len(places) == 4_900 * 6 // 20
    assert places[:980] == [*range(1, 981)]
    assert not set(theirs) & {row[0] for row in bench.all("link_lists", customer.id)}


@pytest.mark.parametrize("first", range(4))
def test_item_of_two_joined_lists_has_the_first_of_its_places(bench, first):
    """contract: link-list-merge. The items of the older list come first, also one that both have."""
    customer, session = bench.new_customer(), bench.new_session()
    fill(bench, customer, (["Gifts"], [], None))
    wanted = [(product, None, None, [], [0, 1], None) for product in (1, 2, 3, 4)]
    fill(bench, session, (["Gifts", "gifts"], wanted, [first]))
    before = bench.read(lists.page, session, PageRequest(None, 9, search.Search())).records
    oldest = bench.read(lists.find, session, before[-1].id, "customer")
    bench.write(linking.link, session, customer, 99, bench.clock.tick())
    [joined] = contents(bench, customer)[1].values()
    assert [item.id for item in joined.items or ()] == [item.id for item in oldest.items or ()]


def test_joined_list_shows_a_merged_item_where_its_new_age_belongs(bench):
    """contract: link-item-merge, link-list-merge. What was never placed is newest first, by the
    earlier of the two times; what joins comes behind."""
    session, customer = bench.new_session(), bench.new_customer()
    for profile, products in ((session, (1, 9)), (customer, (2, 1, 3))):
        on = bench.new_id()
        bench.write(lists.create, profile, "x", on, bounds(9), bench.clock.tick())
        for product in products:
            listed = () if (profile, product) == (session, 1) else (on,)
            new = new_item(product, list_ids=listed)
            bench.write(items.save, profile, new, bench.new_id(), bounds(9), bench.clock.tick())
    bench.write(linking.link, session, customer, 1_000, bench.clock.tick())
    [made] = contents(bench, customer)[1].values()
    assert [item.product_id for item in made.items] == ["3", "2", "1", "9"]


@pytest.mark.parametrize("lists_of", [[1, 1, 1], [1, 2]])
def test_list_past_its_bound_is_joined_by_no_other(bench, lists_of):
    """contract: link-list-full. A link never fails for a bound: the first takes the list past it,
    the next list of that name then moves as one of its own, whichever session it is of. So a list
    holds at most twice as many as it may."""
    customer, products, now = bench.new_customer(), iter(range(1, 99)), bench.clock.tick()
    for count in lists_of:
        session = bench.new_session()
        for _ in range(count):
            id = bench.new_id()
            bench.write(lists.create, session, "Wishes", id, bounds(9), now)
            for _ in range(3):
                new = new_item(next(products), list_ids=(id,))
                bench.write(items.save, session, new, bench.new_id(), bounds(9), now)
        bench.write(linking.link, session, customer, 3, now)
    _, shown = contents(bench, customer)
    assert sorted(made.item_count for made in shown.values()) == [3, 6]
