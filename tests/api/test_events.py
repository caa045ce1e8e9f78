"""GET /events over HTTP: its content, parameters, and delay."""

import pytest

from tests.api.conftest import data, is_uuid, refused, soon
from tests.conftest import Shop
from tests.replay import Replay


@pytest.fixture(scope="module")
def event_shop(service):
    """A store with events on in every process."""
    return Shop(service, "--events", "on")


def read(shop, **params):
    answer = shop.admin.get("/events", params=params)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body.keys() == {"data", "resume"}
    return body


def last_cursor(shop):
    """Returns the `resume` cursor after the newest event."""
    resume = "0"
    while (page := read(shop, **{"from": resume, "limit": 250}))["data"]:
        resume = page["resume"]
    return resume


def wait_for_events(shop, resume, count):
    """Waits for the ``count`` events after ``resume``; returns them."""
    soon(lambda: len(read(shop, **{"from": resume})["data"]) >= count)
    events = read(shop, **{"from": resume})["data"]
    assert len(events) == count
    return events


def test_events_of_a_visitor_and_the_sign_in_replay_to_the_records(event_shop):
    """Events from a visitor's first save to the sign-in come to the feed, and replaying them yields
    what the API shows.
    Rules: feed-once, event-sequence, event-changed."""
    shop, begin = event_shop, last_cursor(event_shop)
    visitor, customer = shop.session(), shop.customer()
    made = data(customer.http.post("/lists", json={"name": "Birthday"}), 201)
    customer.http.post("/items", json={"productId": 5, "listIds": [made["id"]]})
    other = data(visitor.http.post("/lists", json={"name": "birthday "}), 201)
    for product in (5, 6):
        visitor.http.post("/items", json={"productId": product, "quantity": 4, "tags": ["gift"]})
    moved = data(visitor.http.get("/items", params={"query": "product:6"}))[0]
    visitor.http.put(f"/items/{moved['id']}/lists", json={"listIds": [other["id"]]})
    shop.token(customer=customer.gid, session=visitor.gid)
    found = wait_for_events(shop, begin, 10)
    assert all(is_uuid(event["id"]) for event in found)
    told = [event["type"] for event in found if event["profile"] == customer.gid]
    assert told == [
        "list.created", "item.created", "list.updated", "item.updated", "item.created",
        "profile.linked",
    ]  # fmt: skip
    copies = {}
    for event in found:
        copies.setdefault(event["profile"], Replay()).hear(event)
    shown = data(customer.http.get(f"/lists/{made['id']}", params={"sort": "customer"}))
    assert copies[customer.gid].shown_lists() == {made["id"]: shown}


def test_feed_has_each_event_once_in_batches_of_any_size_and_by_type(event_shop):
    """Reading in batches of any size yields each event once; `type` filters by one type or several.
    Rule: feed-once."""
    shop, begin = event_shop, last_cursor(event_shop)
    customer = shop.customer()
    kept = [data(customer.http.post("/items", json={"productId": n}), 201) for n in (1, 2, 3)]
    customer.http.delete(f"/items/{kept[0]['id']}")
    customer.http.post("/lists", json={"name": "x"})
    whole = wait_for_events(shop, begin, 5)
    seen, resume = [], begin
    while (page := read(shop, **{"from": resume, "limit": 2}))["data"]:
        assert len(page["data"]) <= 2
        seen += page["data"]
        resume = page["resume"]
    assert seen == whole
    assert read(shop, **{"from": resume}) == {"data": [], "resume": resume}
    named = read(shop, **{"from": begin, "type": "item.deleted,list.created"})
    assert [event["type"] for event in named["data"]] == ["item.deleted", "list.created"]
    assert named["resume"] == resume
    assert [e["data"]["item"] for e in seen[:3]] == kept
    head = shop.admin.head("/events", params={"from": begin})
    assert (head.status_code, head.content) == (200, b"")


def test_feed_refuses_a_position_that_was_never_issued(event_shop):
    """A position that was never issued is 410 and says what to do. Rule: feed-retention."""
    answer = event_shop.admin.get("/events", params={"from": "9" * 18})
    refused(answer, 410, "was never issued by this store", "without `from`")


def test_events_of_one_profile_continue_by_resume(event_shop):
    """With `profile`, only the events of that customer or session are returned, page by page; a
    profile without events has none, and another platform's GID is 400. Rule: feed-once."""
    shop, begin = event_shop, last_cursor(event_shop)
    ann, ben = shop.customer(), shop.customer()
    for product in (1, 2):
        for one in (ann, ben):
            one.http.post("/items", json={"productId": product}).raise_for_status()
    wait_for_events(shop, begin, 4)
    own = {"from": begin, "profile": ann.gid, "limit": 1}
    first = read(shop, **own)
    second = read(shop, **own | {"from": first["resume"]})
    assert [event["profile"] for event in first["data"] + second["data"]] == [ann.gid] * 2
    assert [event["data"]["item"]["productId"] for event in second["data"]] == [2]
    assert read(shop, **own | {"from": second["resume"]})["data"] == []
    assert len(read(shop, **own | {"include": "product", "limit": 9})["data"]) == 2
    assert read(shop, profile=shop.session().gid)["data"] == []
    other = {"profile": "gid://elsewhere/Customer/1"}
    refused(shop.admin.get("/events", params=other), 400, "profile")


def test_from_latest_answers_the_end_of_the_feed(event_shop):
    """`from=latest` returns no events, and a `resume` that later events follow. Rule: feed-once."""
    shop = event_shop
    begin = last_cursor(shop)
    http = shop.acting_as(shop.gid())
    http.post("/items", json={"productId": 71})
    wait_for_events(shop, begin, 1)
    latest = read(shop, **{"from": "latest"})
    assert latest["data"] == [] and latest["resume"] == last_cursor(shop)
    http.post("/items", json={"productId": 72})
    [event] = wait_for_events(shop, latest["resume"], 1)
    assert event["data"]["item"]["productId"] == 72
    refused(shop.admin.get("/events?from=last"), 400, "from", "latest")
