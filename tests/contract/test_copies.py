"""Copies of a shared list."""

from tests.contract.conftest import PLENTY
from wishwell.wishlists import copies, lists


def test_copy_keeps_the_order_and_reuses_items_of_the_caller(bench, store):
    """A copy has the shared list's order, and reuses items that the caller has.
    Rules: copy-list, event-changed."""
    owner, caller = bench.new_customer(store), bench.new_customer(store)
    oldest = bench.save(caller, 3)
    made = bench.new_list(owner).id
    saved = [bench.save(owner, product, list_ids=(made,)).id for product in (1, 2, 3, 4)]
    bench.write(lists.order, owner, made, [saved[2], saved[0]], bench.clock.tick())
    token = bench.share(owner, made).token
    wanted = copies.NewList(bench.new_id(), lists.ListFields("Copied"))
    given = bench.finder, token, caller, wanted, bench.new_id, PLENTY, bench.clock.tick()
    copied = bench.write(copies.copy, *given)
    shown = bench.read(lists.find, caller, copied.id, "customer").items
    assert [item.product_id for item in shown] == ["3", "1", "4", "2"]
    assert shown[0].id == oldest.id
    events = "SELECT type FROM events WHERE profile_id = $1 ORDER BY sequence"
    assert sorted(type for (type,) in bench.select(events, caller.id)[1:]) == [
        *["item.created"] * 3,
        "item.updated",
        "list.created",
    ]
