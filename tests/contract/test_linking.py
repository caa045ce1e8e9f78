"""Cases of linking that random sequences in test_model.py don't reach."""

import pytest

from tests.contract.conftest import bounds
from wishwell import profiles
from wishwell.contacts import addresses
from wishwell.profiles import records
from wishwell.wishlists import linking, lists


@pytest.mark.parametrize(
    ("own", "address", "own_choice", "choice"),
    [
        (None, "a@b.example", None, False),
        ("c@d.example", "c@d.example", True, True),
    ],
)
def test_link_moves_email_and_notice_setting_unless_the_customer_has_them(
    bench, own, address, own_choice, choice
):
    """A link moves the e-mail address and the notice setting unless the customer has them; the
    session keeps no address.
    Rules: profile-email, notice-drop."""
    customer, session = bench.new_customer(), bench.new_session()
    for profile, said, wants in ((session, "a@b.example", False), (customer, own, own_choice)):
        if said:
            bench.write(addresses.remember, profile, said, bench.clock.tick())
        bench.write(records.set_notices, profile, wants, bench.clock.tick())
    bench.link(session, customer)
    kept = "SELECT email FROM profiles WHERE profile_id = $1"
    assert bench.select(kept, customer.id) == [(address,)]
    assert bench.select(kept, session.id) == [(None,)]
    assert bench.read(records.find, customer).notices is choice


class Counting:
    """A transaction handle that counts statements."""

    def __init__(self, tx):
        self.tx, self.count = tx, 0

    def __getattr__(self, verb):
        self.count += 1
        return getattr(self.tx, verb)


def test_link_takes_as_many_statements_for_hundreds_of_items_as_for_ten(bench):
    """A link of hundreds of items takes as many statements (round trips) as one of ten.
    Rule: link-limits."""

    async def counted(tx, session, customer):
        counting = Counting(tx)
        await linking.link(counting, session, customer, bounds(1_000), bench.clock.tick())
        return counting.count

    counts = []
    for products, made, on in ((10, 1, 1), (400, 20, 3)):
        customer, session = bench.new_customer(), bench.new_session()
        bench.write(profiles.lock, customer, bench.clock.tick())
        bench.fill(customer, products=products, lists=made, tags=1)
        bench.fill(session, products=products, lists=made, on=on, tags=2)
        counts.append(bench.write(counted, session, customer))
    assert counts[0] == counts[1]


def test_merged_item_is_sorted_by_its_earlier_time_in_a_joined_list(bench):
    """In a joined list a merged item is sorted by its earlier time; joining items come
    last.
    Rules: link-merges-items, link-merges-lists."""
    session, customer = bench.new_session(), bench.new_customer()
    made, on = bench.new_list(session).id, bench.new_list(customer).id
    oldest = bench.save(customer, 4, list_ids=(on,))
    merged = bench.save(session, 1)
    bench.save(session, 9, list_ids=(made,))
    for product in (2, 1, 3):
        bench.save(customer, product, list_ids=(on,))
    bench.link(session, customer)
    shown = bench.read(lists.find, customer, on, "customer").items
    assert [item.product_id for item in shown] == ["3", "2", "1", "4", "9"]
    assert [item.created_at for item in shown[2:4]] == [merged.created_at, oldest.created_at]


@pytest.mark.parametrize(("common", "joins"), [(0, False), (1, True), (2, True)])
def test_lists_are_joined_only_when_the_items_of_both_fit(bench, common, joins):
    """Lists of the same name are joined only if the result fits: three items and two more don't fit a limit
    of four. Rule: link-merges-lists."""
    session, customer = bench.new_session(), bench.new_customer()
    for profile, products in ((customer, (1, 2, 3)), (session, (4 - common, 5 - common))):
        on = bench.new_list(profile).id
        for product in products:
            bench.save(profile, product, list_ids=(on,))
    limits = bounds(100, list_items=4)
    bench.write(linking.link, session, customer, limits, bench.clock.tick())
    sizes = bench.select("SELECT item_count FROM lists WHERE profile_id = $1", customer.id)
    assert sorted(sizes) == ([(5 - common,)] if joins else [(2,), (3,)])


def order(bench, profile, list_id):
    shown = bench.read(lists.find, profile, list_id, "customer")
    return [item.product_id for item in shown.items]


def test_joined_list_keeps_the_order_of_items_saved_in_one_millisecond(bench):
    """A merged list keeps the order of items with equal times.
    Rules: link-merges-lists, list-sort."""
    session, customer = bench.new_session(), bench.new_customer()
    bench.write(profiles.lock, customer, bench.clock.tick())
    [made] = bench.fill(session, products=8, lists=1, on=1)
    [on] = bench.fill(customer, products=8, lists=1, on=1, first=9)
    expected = order(bench, customer, on) + order(bench, session, made)
    bench.link(session, customer)
    assert order(bench, customer, on) == expected


def test_joined_list_has_items_with_a_position_first(bench):
    """A joined list has the items with a position first, then the others, newest first.
    Rules: link-merges-lists, list-sort."""
    session, customer = bench.new_session(), bench.new_customer()
    for profile, products in ((session, (1, 2, 3, 4)), (customer, (5, 6, 7, 8))):
        on = bench.new_list(profile).id
        saved = [bench.save(profile, product, list_ids=(on,)).id for product in products]
        bench.write(lists.order, profile, on, saved[:2], bench.clock.tick())
    bench.link(session, customer)
    assert order(bench, customer, on) == list("56871243")


def test_link_moves_reservations_to_the_customers_items(bench):
    """Others' reservations of a session's items move to the customer's items. Rule: reserve-ends."""
    session, customer, friend = bench.new_session(), bench.new_customer(), bench.new_customer()
    made = bench.new_list(session).id
    item = bench.save(session, list_ids=(made,)).id
    bench.reserve(bench.share(session, made).token, item, friend)
    bench.link(session, customer)
    rows = "SELECT profile_id FROM reservations WHERE holder_id = $1"
    held = "SELECT owner_id FROM held WHERE profile_id = $1"
    for sql in (rows, held):
        assert [str(id) for (id,) in bench.select(sql, friend.id)] == [customer.id]


@pytest.mark.parametrize("most", [3, 4])
def test_link_to_a_customer_with_nothing_in_common_moves_rows_unchanged(bench, most):
    """All columns of items, tags, lists and entries stay as they were, next to the customer's own;
    with a limit that is one item too low, the oldest item isn't moved.
    Rules: link-limits, notice-each-once, purchase-match."""
    session, customer = bench.new_session(), bench.new_customer()
    bench.save(customer, 99, list_ids=(bench.new_list(customer, "mine").id,))
    bench.write(profiles.lock, session, bench.clock.tick())
    bench.fill(session, products=5, lists=2, on=2, tags=1)
    newest = bench.save(session, 7, quantity=3, note="n")
    bench.new_list(session, "empty")
    for columns in (
        "items SET dropped_at = '2', restocked_at = '3', saved_at = '4'",
        "entries SET position = 7",
    ):
        bench.execute(f"UPDATE {columns} WHERE profile_id = '{session.id}'")

    def rows(profile):
        found = set()
        for table in ("items", "item_tags", "lists", "entries"):
            read = f"SELECT * FROM {table} WHERE profile_id = $1"
            found |= {(table, *row[1:]) for row in bench.select(read, profile.id)}
        return found

    before, own = rows(session), rows(customer)
    room = bounds(1_000, items=most)
    moved = bench.write(linking.link, session, customer, room, bench.clock.tick())
    assert moved == (6 if most == 4 else 5)
    assert (rows(customer) == before | own) == (most == 4)
    assert newest.id in {row[1] for row in rows(customer)}
    assert rows(session) == set()
