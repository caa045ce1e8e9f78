"""PUT and DELETE /lists/{listId}/items/{itemId}: one item on one list, and its position there.
Random sequences with their events: tests/contract/test_model.py."""

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
    """Creates a list with ``count`` items; returns its id and theirs in the order `customer`."""
    on = new_list(http)["id"]
    for n in range(1, count + 1):
        save(http, n, listIds=[on])
    return on, order_of(http, on)


def test_item_is_put_on_a_list_and_removed_without_affecting_its_other_lists(http):
    """An item is put on one list and removed; its other lists stay. Repeating the put changes
    nothing, repeating the removal is 404.
    Rules: list-order, delete-scope, updated-at."""
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


def test_item_or_list_of_another_owner_is_404(shop, http):
    """An item or list of another owner is 404.
    Rules: list-order, delete-scope, token-scope, profile-header."""
    on, (first, *_) = listed(http, 2)
    other = shop.customer("2").http
    foreign, others = save(other, 1)["id"], new_list(other)["id"]
    with nothing_changes(http), nothing_changes(other):
        for of in (http, shop.admin):
            for ask in (of.put, of.delete):
                refused(ask(f"/lists/{on}/items/{foreign}"), 404, "doesn't exist")
                refused(ask(f"/lists/{others}/items/{first}"), 404, "doesn't exist")
    made = save(http, 3)["id"]
    put = data(shop.admin.put(f"/lists/{on}/items/{made}", json={"after": None}))
    assert (put["listIds"], put["profile"]) == ([on], shop.gid("1"))
    assert order_of(http, on)[0] == made
    done(shop.admin.delete(f"/lists/{on}/items/{made}"))
    assert item(http, made)["listIds"] == []


def test_position_moves_an_item_to_an_end_of_the_list(http):
    """`position` puts an item first or last, also a new one, one that is there already, and the only
    one; beside `after` it is refused. Rule: list-order."""
    on, (a, b, c) = listed(http, 3)
    order = order_of(http, on)
    new = save(http, 98)["id"]

    def put(id, position):
        return data(http.put(f"/lists/{on}/items/{id}", json={"position": position}))

    assert put(order[0], "last")["listIds"] == [on]
    assert order_of(http, on) == [*order[1:], order[0]]
    put(order[0], "first")
    put(order[0], "first")
    assert order_of(http, on) == order
    put(new, "last")
    put(new, "last")
    assert order_of(http, on) == [*order, new]
    for id in (a, b, c):
        done(http.delete(f"/lists/{on}/items/{id}"))
    put(new, "last")
    assert order_of(http, on) == [new]
    with nothing_changes(http):
        for body in ({"position": "last", "after": None}, {"position": "second"}):
            refused(http.put(f"/lists/{on}/items/{new}", json=body), 400, "position")


def test_invalid_position_leaves_the_order_unchanged(http):
    """`after` must be another item of the list. With a bad `after`, the item isn't put on the list
    either.
    Rule: list-order."""
    on, ids = listed(http, 3)
    other, off = save(http, 98)["id"], save(http, 97)["id"]
    with nothing_changes(http):
        for moved in (ids[1], other):
            for after in (moved, off, "x"):
                refused(http.put(f"/lists/{on}/items/{moved}", json={"after": after}), 400, "after")
