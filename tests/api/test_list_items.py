"""PUT and DELETE /lists/{listId}/items/{itemId}: one list of an item, and its place on it.

In any sequence, with its events: tests/contract/test_model.py.
"""

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


def test_one_of_two_that_is_anothers_is_404(shop, http):
    """contract: list-item-put, list-item-remove, token-scope, whole-store. Both are of one owner."""
    on, (first, *_) = listed(http, 2)
    other = shop.customer("2").http
    foreign, others = save(other, 1)["id"], new_list(other)["id"]
    with nothing_changes(http), nothing_changes(other):
        for of in (http, shop.admin):
            for ask in (of.put, of.delete):
                refused(ask(f"/lists/{on}/items/{foreign}"), 404, "there is no such item")
                refused(ask(f"/lists/{others}/items/{first}"), 404, "there is no such")
    made = save(http, 3)["id"]
    put = data(shop.admin.put(f"/lists/{on}/items/{made}", json={"after": None}))
    assert (put["listIds"], put["profile"]) == ([on], shop.gid("1"))
    assert order_of(http, on)[0] == made
    done(shop.admin.delete(f"/lists/{on}/items/{made}"))
    assert item(http, made)["listIds"] == []


def test_place_that_is_none_changes_nothing(http):
    """contract: list-item-after. `after` that is the item itself, or not on the list; an item that is put
    on it in the same request is not put there."""
    on, ids = listed(http, 3)
    other, off = save(http, 98)["id"], save(http, 97)["id"]
    with nothing_changes(http):
        for moved in (ids[1], other):
            for after in (moved, off, "x"):
                refused(http.put(f"/lists/{on}/items/{moved}", json={"after": after}), 400, "after")
