"""Each way to create, change and end items calls the events of ``item_life.py``.

What the features do at each event is tested with them, as in test_purchases.py.
"""

import pytest

from tests.contract.conftest import PLENTY, new_item
from wishwell.wishlists import copies, item_changes, item_life, items, linking, lists, saving


@pytest.fixture
def calls(monkeypatch):
    """The names of the events that were called, and the items that were saved, in order."""
    calls = []

    def spy(name):
        event = getattr(item_life, name)

        async def call(tx, *arguments):
            saves = arguments[1] if name == "saved" else ()
            calls.append((name, *((save.item.product_id, save.created) for save in saves)))
            return await event(tx, *arguments)

        monkeypatch.setattr(item_life, name, call)

    for name in ("saved", "changed_product", "removed", "merged"):
        spy(name)
    return calls


def test_every_way_to_change_items_calls_its_event(bench, calls):
    """Saves (of one item, several, or a copied list), changes, deletes and sign-ins call their
    event once. Rule: purchase-mark."""
    store = bench.new_store(reporting={"purchases": True})
    ann, session = bench.new_customer(store), bench.new_session(store)
    bench.save(ann, 1)
    bench.save(ann, 1, tags=["a"])
    pair = [new_item(product, None) for product in (1, 2)]
    ids = [bench.new_id(), bench.new_id()]
    saved = bench.write(saving.save_many, ann, pair, ids, PLENTY, bench.clock.tick())
    assert calls == [
        ("saved", ("1", True)),
        ("saved", ("1", False)),
        ("saved", ("1", False), ("2", True)),
    ]
    calls.clear()
    owner = bench.new_customer(store)
    list_id = bench.new_list(owner).id
    for product in (1, 3):
        bench.save(owner, product, list_ids=(list_id,))
    token, new_list = (
        bench.share(owner, list_id).token,
        copies.NewList(bench.new_id(), lists.ListFields()),
    )
    calls.clear()
    copy = bench.finder, token, ann, new_list, bench.new_id, PLENTY, bench.clock.tick()
    bench.write(copies.copy, *copy)
    assert calls == [("saved", ("3", True))]
    calls.clear()
    patch = items.ItemPatch(product_id="9")
    bench.write(saving.change, ann, saved[0].id, patch, bench.clock.tick())
    bench.write(item_changes.delete, ann, saved[0].id, bench.clock.tick())
    bench.write(item_changes.delete_many, ann, [saved[1].id], bench.clock.tick())
    bench.write(linking.link, session, ann, PLENTY, bench.clock.tick())
    assert calls == [("changed_product",), ("removed",), ("removed",), ("merged",)]
