"""PUT and DELETE /lists/{listId}/items: all items of a list in one request."""

import pytest

from tests.conftest import ROOMY, Shop
from tests.servers.base import wait_until

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
from .test_list_pages import pages_of


def listed(http, count):
    """Creates a list with ``count`` items; returns its id and theirs in the order `customer`."""
    on = new_list(http)["id"]
    for start in range(1, count + 1, 250):
        products = range(start, min(start + 250, count + 1))
        data(
            http.put(
                "/items", json={"items": [{"productId": n, "listIds": [on]} for n in products]}
            )
        )
    return on, order_of(http, on)


def remove(http, on, **body):
    return http.request("DELETE", f"/lists/{on}/items", json=body)


@pytest.mark.both_engines
def test_list_of_1000_items_is_reordered_paged_and_emptied_in_a_request_each(http):
    """A list of 1,000 items is reordered, halved and emptied by one request each, and each page of
    250 is one; the items stay saved. Rules: bulk-atomic, list-order, list-pages, delete-scope."""
    on, order = listed(http, 1_000)
    replaced = data(http.put(f"/lists/{on}/items", json={"itemIds": order[::-1]}))
    assert [each["id"] for each in replaced["items"]] == order[::-1] == order_of(http, on)
    pages, _ = pages_of(http, on, sort="customer", limit=250)
    assert pages == [order[start - 250 : start][::-1] for start in (1_000, 750, 500, 250)]
    done(remove(http, on, itemIds=order[:500]))
    assert order_of(http, on) == order[:499:-1]
    done(remove(http, on, all=True))
    assert whole_list(http, on)["itemCount"] == 0
    assert item(http, order[0])["listIds"] == []
    data(http.put(f"/lists/{on}/items", json={"itemIds": order}))
    assert order_of(http, on) == order and whole_list(http, on)["itemCount"] == 1_000


@pytest.mark.both_engines
def test_replaced_items_join_and_leave_and_keep_their_other_lists(http):
    """PUT adds the named items, takes off the others and keeps other lists; an empty array empties
    the list, and a repetition changes nothing. Rules: bulk-atomic, list-order, updated-at."""
    on, (first, second, third) = listed(http, 3)
    other = new_list(http)["id"]
    joining = save(http, 9, listIds=[other])["id"]
    ids = [joining, third, first]
    for _ in range(2):
        replaced = data(http.put(f"/lists/{on}/items", json={"itemIds": ids}))
        assert [each["id"] for each in replaced["items"]] == ids and replaced["itemCount"] == 3
    assert item(http, joining)["listIds"] == sorted([on, other])
    assert item(http, second)["listIds"] == []
    with nothing_changes(http):
        data(http.put(f"/lists/{on}/items", json={"itemIds": ids}))
        done(remove(http, on, itemIds=[second, "unknown"]))
    assert data(http.put(f"/lists/{on}/items", json={"itemIds": []}))["items"] == []
    assert item(http, joining)["listIds"] == [other]


def test_bad_ids_change_nothing(shop, http):
    """PUT refuses unknown ids with 404 and repeated ones with 400, DELETE an empty array, repeated
    ids, and both or neither of its fields with 400; nothing is changed. Rule: bulk-atomic."""
    on, ids = listed(http, 2)
    foreign = save(shop.customer("2").http, 1)["id"]
    url = f"/lists/{on}/items"
    with nothing_changes(http):
        for unknown in (foreign, "x"):
            answer = http.put(url, json={"itemIds": [ids[0], unknown]})
            refused(answer, 404, "itemIds[1]")
            assert answer.json()["error"]["code"] == "item_not_found"
        refused(http.put(url, json={"itemIds": [ids[0], ids[0]]}), 400, "itemIds[1]")
        refused(http.put(url, json={"itemIds": ["x"] * 1_001}), 400, "at most 1000")
        refused(remove(http, on, itemIds=[]), 400, "1 to 1000")
        refused(remove(http, on, itemIds=[ids[0], ids[0]]), 400, "itemIds[1]")
        for body in ({}, {"all": False}, {"all": True, "itemIds": ids}):
            refused(remove(http, on, **body), 400, "itemIds")
        refused(http.put(f"/lists/{foreign}/items", json={"itemIds": []}), 404, "list")


def test_list_limit_holds_when_items_are_replaced(shop):
    """A full list accepts another item in place of one, but not beside all. Rule: profile-limits."""
    http = Shop(shop.service, *ROOMY, "--limit", "list_items=3").customer("1").http
    on, ids = listed(http, 3)
    extra = save(http, 5_000)["id"]
    with nothing_changes(http):
        refused(http.put(f"/lists/{on}/items", json={"itemIds": [*ids, extra]}), 400, "at most 3")
    data(http.put(f"/lists/{on}/items", json={"itemIds": [*ids[1:], extra]}))


@pytest.mark.both_engines
def test_each_item_that_joins_or_leaves_has_an_event_and_the_list_one(shop):
    """Each item that joins or leaves has its `item.updated`, the list one `list.updated`.
    Rules: bulk-atomic, event-changed."""
    shop = Shop(shop.service, *ROOMY, "--events", "on")
    http = shop.acting_as(shop.gid())
    on, (first, second, _) = listed(http, 3)
    joining = save(http, 9)["id"]

    def events():
        return shop.admin.get("/events?limit=200").json()["data"]

    assert wait_until(lambda: len(events()) == 5, seconds=10, every=0.2)
    data(http.put(f"/lists/{on}/items", json={"itemIds": [joining, second, first]}))
    assert wait_until(lambda: len(events()) == 8, seconds=10, every=0.2)
    joined, left, whole = sorted(
        events()[5:], key=lambda event: (event["type"], event["sequence"])
    )[:3]
    assert {joined["type"], left["type"], whole["type"]} == {"item.updated", "list.updated"}
    assert {event["data"]["item"]["id"] for event in (joined, left)} >= {joining}
    assert whole["data"]["itemIds"] == [joining, second, first]
    done(remove(http, on, all=True))
    assert wait_until(lambda: len(events()) == 12, seconds=10, every=0.2)
    kinds = [event["type"] for event in events()[8:]]
    assert kinds == ["item.updated"] * 3 + ["list.updated"]
    assert events()[-1]["data"]["list"]["itemCount"] == 0


@pytest.mark.both_engines
def test_events_of_a_bulk_change_are_in_the_order_in_which_items_were_saved(shop):
    """Both engines number the events of one change in the same order. Rule: event-changed."""
    shop = Shop(shop.service, *ROOMY, "--events", "on")
    http = shop.acting_as(shop.gid())
    on, item_ids = listed(http, 12)
    done(remove(http, on, all=True))
    events = data(http.get("/profile/export"))["events"]
    left = [event["data"]["item"]["id"] for event in events if event["type"] == "item.updated"]
    assert left == sorted(item_ids)


def test_null_counts_as_a_missing_optional_body(http):
    """An optional body may be null, which clients generated for Go send. Rule: openapi-complete."""
    on, (first, _) = listed(http, 2)
    json = {"headers": {"Content-Type": "application/json"}, "content": b"null\n"}
    data(http.put(f"/lists/{on}/items/{first}", **json))
    data(http.post(f"/lists/{on}/shares", **json), 201)
    done(http.request("DELETE", f"/items?itemIds={first}", **json))
    refused(http.request("DELETE", "/items", **json), 400, "itemIds")
