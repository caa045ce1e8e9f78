"""GET /lists/{listId}?limit=&page=: pages of the items on a list, in the list's order."""

import random
from itertools import chain

import pytest

from .conftest import data, done, new_list, order_of, refused, save

SORTS = ("recently_saved", "oldest_saved", "customer", "price", "title")


def pages_of(http, on, direction="next", **params):
    """Returns the pages of a list's items as ids, following the cursors in one direction."""
    found = []
    while True:
        answer = http.get(f"/lists/{on}", params=params)
        found.append([item["id"] for item in data(answer)["items"]])
        cursor = answer.json().get("pageInfo", {}).get(direction)
        if cursor is None:
            return found, answer.json().get("pageInfo", {})
        params["page"] = cursor


@pytest.mark.both_engines
def test_pages_of_a_list_are_in_its_order_in_both_directions(shop):
    """In each order, the pages together are the whole list, forwards and back, also for items whose
    times a sign-in changed. Rules: list-pages, list-sort."""
    session = shop.session()
    save(session.http, 1)
    http = shop.customer("1").http
    on = new_list(http)["id"]
    for product in (2, 1, *range(3, 14)):
        save(http, product, listIds=[on])
        if product % 3:
            price = {"amount": str(product % 5), "currency": "EUR"}
            body = {"title": f"Title {product % 4}", "price": price}
            data(shop.admin.put(f"/products/{product}", json=body))
    body = {"customer": shop.gid("1"), "session": session.gid}
    data(shop.admin.post("/profiles/token", json=body), 201)
    placed = random.sample(order_of(http, on), 5)
    data(http.put(f"/lists/{on}/items/order", json={"itemIds": placed}))
    for sort in SORTS:
        whole = order_of(http, on, sort)
        forwards, last = pages_of(http, on, sort=sort, limit=4)
        assert [len(page) for page in forwards] == [4, 4, 4, 1], sort
        assert [*chain(*forwards)] == whole, sort
        assert set(last) == {"previous"}
        backwards, first = pages_of(http, on, "previous", sort=sort, limit=4, page=last["previous"])
        assert [*chain(*backwards[::-1])] == whole[:12], sort
        assert set(first) == {"next"}
        [shown], none = pages_of(http, on, sort=sort, limit=250)
        assert shown == whole and none == {}
    answer = http.get(f"/lists/{on}?limit=2&include=product").json()
    assert answer["data"]["itemCount"] == 13
    assert answer["data"]["items"] == data(http.get(f"/lists/{on}?include=product"))["items"][:2]
    assert "product" in answer["data"]["items"][0] or "product" in answer["data"]["items"][1]


def test_pages_of_a_list_are_read_as_its_owner_only(shop, http):
    """An admin token without `Profile` pages any list, and another customer none; cursors belong to
    the list, its order and the profile; an empty list has one empty page. Rule: list-pages."""
    on, other = (new_list(http)["id"] for _ in range(2))
    for product in range(1, 4):
        save(http, product, listIds=[on, other])
    page = shop.admin.get(f"/lists/{on}?limit=2").json()
    assert page["data"]["profile"] == shop.gid("1")
    assert [item["profile"] for item in page["data"]["items"]] == [shop.gid("1")] * 2
    cursor = page["pageInfo"]["next"]
    assert len(data(shop.admin.get(f"/lists/{on}", params={"page": cursor}))["items"]) == 1
    for url, params in (
        (f"/lists/{other}", {}),
        (f"/lists/{on}", {"sort": "oldest_saved"}),
        ("/items", {}),
    ):
        refused(shop.admin.get(url, params=params | {"limit": 2, "page": cursor}), 400)
    refused(http.get(f"/lists/{on}", params={"limit": 2, "page": cursor}), 400)
    refused(http.get(f"/lists/{on}?limit=251"), 400, "limit")
    refused(shop.customer("2").http.get(f"/lists/{on}?limit=2"), 404)
    refused(http.get("/lists/unknown?limit=2"), 404)
    done(http.request("DELETE", f"/lists/{on}/items", json={"all": True}))
    empty = http.get(f"/lists/{on}?limit=2").json()
    assert empty["data"]["items"] == [] and "pageInfo" not in empty


def test_items_that_leave_a_list_between_pages_cost_no_other_item(http):
    """Following the cursor after the edge's item was deleted shows every other item once.
    Rule: list-pages."""
    on = new_list(http)["id"]
    for product in range(1, 7):
        save(http, product, listIds=[on])
    whole = order_of(http, on)
    data(http.put(f"/lists/{on}/items/order", json={"itemIds": whole[::-1]}))
    answer = http.get(f"/lists/{on}?sort=customer&limit=3").json()
    shown = [item["id"] for item in answer["data"]["items"]]
    done(http.delete(f"/items/{shown[-1]}"))
    params = {"sort": "customer", "limit": 3, "page": answer["pageInfo"]["next"]}
    rest = [item["id"] for item in data(http.get(f"/lists/{on}", params=params))["items"]]
    assert shown + rest == whole[::-1]
