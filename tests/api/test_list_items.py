"""PUT and DELETE /lists/{listId}/items/{itemId}: one list of an item, and its place on it.

In any sequence, with its events: tests/contract/test_model.py.
"""

import concurrent.futures
import uuid

import pytest

from .conftest import (
    data,
    done,
    item,
    new_list,
    nothing_changes,
    order_of,
    refused,
    save,
    whole_list,
)


def place(http, on, id, **body):
    return data(http.put(f"/lists/{on}/items/{id}", json=body))


def listed(http, count=5):
    """A list with so many items, and their ids in the order `customer`."""
    on = new_list(http)["id"]
    for n in range(1, count + 1):
        save(http, n, listIds=[on])
    return on, order_of(http, on)


def test_item_is_put_on_one_list_and_taken_off(http):
    """contract: list-item-put, list-item-after, list-item-remove, item-updated-at, list-updated-at.
    Its other lists stay as they are; a second time nothing changes, and taking off is 404."""
    one, two = (new_list(http)["id"] for _ in range(2))
    made = save(http, 1, listIds=[one])
    put = data(http.put(f"/lists/{two}/items/{made['id']}"))
    assert put == item(http, made["id"])
    assert put["listIds"] == sorted([one, two]) and put["updatedAt"] > made["updatedAt"]
    assert whole_list(http, two)["itemCount"] == 1
    assert place(http, two, made["id"], after=None) == put
    with nothing_changes(http):
        for body in ({}, {"after": None}):
            assert place(http, two, made["id"], **body) == put
    done(http.delete(f"/lists/{one}/items/{made['id']}"))
    assert item(http, made["id"])["listIds"] == [two]
    assert whole_list(http, one)["itemCount"] == 0
    with nothing_changes(http):
        refused(http.delete(f"/lists/{one}/items/{made['id']}"), 404, "list")


def test_tabs_do_not_undo_one_another(http):
    """contract: list-item-put. Ten lists at once: the item is on all of them."""
    lists = [new_list(http)["id"] for _ in range(10)]
    made = save(http, 1)["id"]
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        answers = [*pool.map(lambda on: http.put(f"/lists/{on}/items/{made}"), lists)]
    assert {answer.status_code for answer in answers} == {200}
    assert item(http, made)["listIds"] == sorted(lists)


def test_unknown_and_others_are_404(shop, http):
    """contract: list-item-put, list-item-remove, token-scope, whole-store."""
    on, (first, *_) = listed(http, 2)
    other = shop.customer("2").http
    foreign, others = save(other, 1)["id"], new_list(other)["id"]
    with nothing_changes(http), nothing_changes(other):
        for of in (http, shop.admin, shop.acting_as(shop.gid("1"))):
            for ask in (of.put, of.delete):
                for id in (foreign, str(uuid.uuid4()), "x"):
                    refused(ask(f"/lists/{on}/items/{id}"), 404, "there is no such")
                    refused(ask(f"/lists/{id}/items/{first}"), 404, "there is no such")
            if of is not shop.admin:
                refused(of.put(f"/lists/{others}/items/{first}"), 404, "list")
    made = save(http, 3)["id"]
    put = data(shop.admin.put(f"/lists/{on}/items/{made}", json={"after": None}))
    assert (put["listIds"], put["profile"]) == ([on], shop.gid("1"))
    assert order_of(http, on)[0] == made
    done(shop.admin.delete(f"/lists/{on}/items/{made}"))
    assert item(http, made)["listIds"] == []


@pytest.mark.parametrize("placed", [0, 1, 2, 5])
@pytest.mark.parametrize("behind", [None, 0, 1, 3, 4])
def test_all_before_the_new_place_get_one(http, placed, behind):
    """contract: list-item-after. Where only some have a place: what is saved afterwards comes
    behind those with a place, and before those without."""
    on, ids = listed(http)
    if placed:
        data(http.put(f"/lists/{on}/items/order", json={"itemIds": ids[:placed]}))
    new = save(http, 99)["id"]
    put = place(http, on, new, after=None if behind is None else ids[behind])
    assert put["listIds"] == [on]
    cut = 0 if behind is None else behind + 1
    assert order_of(http, on) == [*ids[:cut], new, *ids[cut:]]
    last = save(http, 100, listIds=[on])["id"]
    with_place = 1 + max(placed, cut)
    order = [*ids[:cut], new, *ids[cut:]]
    assert order_of(http, on) == [*order[:with_place], last, *order[with_place:]]


def test_place_that_is_none_changes_nothing(http):
    """contract: list-item-after. `after` that is the item itself, not on the list or no text; an
    item that is put on it in the same request is not put there."""
    on, ids = listed(http, 3)
    other, off = save(http, 98)["id"], save(http, 97)["id"]
    with nothing_changes(http):
        for moved in (ids[1], other):
            for after in (moved, off, str(uuid.uuid4()), "x", "", 7, []):
                refused(http.put(f"/lists/{on}/items/{moved}", json={"after": after}), 400, "after")
        refused(http.put(f"/lists/{on}/items/{other}", json={"before": None}), 400, "before")
        refused(http.put(f"/lists/{on}/items/{other}?after=x"), 400, "after")
