"""Anonymous callers and visitors: the first save starts a session."""

import base64
import json
import uuid

from tests.servers import wait_until

from .conftest import envelope, nobodys, nothing_done, sessions_in, set_cookies


def test_first_save_or_list_starts_a_session(front):
    """The first save or list starts a session; reads don't.
    Rule: storefront-visitor."""
    assert front.browser().post("/lists", json={"name": "Gifts"}).status_code == 201
    browser, before = front.browser(), sessions_in(front.api)
    with nothing_done(front):
        for path in ("/items", "/lists", "/items?query=product:1"):
            answer = browser.get(path)
            assert nobodys(answer)
            assert "Set-Cookie" not in answer.headers
        assert browser.head("/items").status_code == 200
    answer = browser.post("/items", json={"productId": 1})
    assert answer.status_code == 201
    [line] = set_cookies(answer)
    value, *attributes = line.split("; ")
    assert value.startswith("wishwell=ey")
    expected = {"path=/", "httponly", "samesite=lax", "max-age=7776000"}
    assert {word.lower() for word in attributes} == expected
    assert sessions_in(front.api) == before + 1
    content, _, signed = browser.cookie.partition(".")
    assert signed == front.signature(content)
    decoded = json.loads(base64.urlsafe_b64decode(content + "=="))
    assert set(decoded) == {"s", "t", "v"} and decoded["v"] == 1
    assert browser.products() == [1]
    assert "Set-Cookie" not in browser.get("/items").headers
    assert sessions_in(front.api) == before + 1


def test_first_save_creates_the_list_that_it_names(front):
    """The save that starts a session also creates the list that it names.
    Rules: storefront-visitor, item-lists."""
    browser = front.browser()
    saved = browser.save(1, listName="Later")
    assert browser.save(2, listName="later")["listIds"] == saved["listIds"]
    [made] = browser.get("/lists").json()["data"]
    assert (made["id"], made["name"], made["itemCount"]) == (*saved["listIds"], "Later", 2)


def test_refused_first_save_starts_no_session(front):
    """A refused first save starts no session. Rule: storefront-visitor."""
    browser = front.browser()
    with nothing_done(front):
        for method, path in (("POST", "/items"), ("PUT", "/items"), ("POST", "/lists")):
            answer = browser.request(method, path, json={})
            envelope(answer, 400)
            assert "Set-Cookie" not in answer.headers
            assert answer.headers["Wishwell-Shopper"] == "-"


def test_anonymous_caller_changes_nothing(front):
    """An anonymous caller, such as a crawler, changes and creates nothing.
    Rule: storefront-visitor."""
    browser, id = front.browser(), uuid.uuid4()
    with nothing_done(front):
        assert all(nobodys(browser.get(path)) for path in ("/items", "/lists") * 20)
        envelope(browser.get(f"/lists/{id}"), 404)
        envelope(browser.get(f"/items/{id}"), 404)
        envelope(browser.patch(f"/items/{id}", json={"quantity": 2}), 404)
        envelope(browser.delete(f"/items/{id}"), 404)
        envelope(browser.put(f"/items/{id}/lists", json={"listIds": []}), 404)
        envelope(browser.patch(f"/lists/{id}", json={"name": "x"}), 404)
        envelope(browser.put(f"/lists/{id}/items/order", json={"itemIds": []}), 404)
        answer = browser.request("DELETE", "/items", json={"itemIds": [str(id)]})
        assert (answer.status_code, answer.content) == (204, b"")


GIDS = {
    "query": {"params": {"profile": "{gid}"}},
    "query customer": {"params": {"customer": "{gid}", "session": "{gid}"}},
    "platform's parameter": {"params": {"logged_in_customer_id": "7"}},
    "header": {"headers": {"Profile": "{gid}"}},
    "other header": {"headers": {"X-Wishwell-Session": "{gid}", "X-Customer-Id": "{gid}"}},
    "cookie": {"headers": {"Cookie": "session={gid}; profile={gid}; wishwell_session={gid}"}},
    "cookie of https": {"headers": {"Cookie": "__Host-wishwell={cookie}"}},
    "no bearer": {"headers": {"Authorization": "Basic c2hvcDpzdGFnaW5n", "Profile": "{gid}"}},
    "another request": {
        "headers": {"X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/api/2025-04/items"}
    },
}


def test_gid_outside_the_cookie_is_ignored(front):
    """A GID in a query, header, body or other cookie is ignored, and so are headers meant for other
    servers.
    Rules: storefront-naming, storefront-hosts."""
    victim = front.anyone(1)
    for name, template in GIDS.items():
        words = json.dumps(template).replace("{gid}", victim.session)
        given = json.loads(words.replace("{cookie}", victim.cookie))
        with nothing_done(front):
            assert nobodys(front.browser().get("/items", **given)), name
        other = front.anyone(5)
        if "Cookie" in given.get("headers", {}):
            given["headers"]["Cookie"] += f"; wishwell={other.cookie}"
        answer = other.get("/items", **given)
        shown = [item["productId"] for item in answer.json().get("data", [])]
        assert shown == ([5] if answer.status_code == 200 else []), name
    for field in ("profile", "session", "customer", "owner"):
        answer = other.post("/items", json={"productId": 9, field: victim.session})
        assert field in envelope(answer, 400)
    assert victim.products() == [1]


def test_bulk_save_starts_a_session(front):
    """A bulk save starts a session too. Rules: storefront-visitor, bulk-atomic."""
    browser, before = front.browser(), sessions_in(front.api)
    answer = browser.put("/items", json={"items": [{"productId": 1}, {"productId": 2}]})
    assert answer.status_code == 200 and len(set_cookies(answer)) == 1
    assert sessions_in(front.api) == before + 1
    assert browser.products() == [1, 2]


def test_shopper_reads_but_cannot_delete_their_own_profile(front):
    """A shopper reads their profile and export and can't delete it; an anonymous caller gets zeros
    and 404.
    Rules: storefront-paths, storefront-visitor."""
    nobody = front.browser()
    with nothing_done(front):
        zeros = {"items": 0, "lists": 0, "notices": None, "noticesBy": "none"}
        assert nobody.get("/profile").json()["data"] == zeros
        envelope(nobody.get("/profile/export"), 404)
        envelope(nobody.patch("/profile", json={"notices": False}), 404)
        answer = nobody.delete("/profile")
        envelope(answer, 405)
        assert "DELETE" not in answer.headers["Allow"]
    visitor = front.anyone(1, 2)
    envelope(visitor.delete("/profile"), 405)
    assert visitor.get("/profile").json()["data"]["items"] == 2
    answer = visitor.patch("/profile", json={"notices": False})
    assert answer.json()["data"]["notices"] is False
    document = visitor.get("/profile/export")
    assert len(document.json()["data"]["items"]) == 2
    assert "email" not in visitor.get("/profile").json()["data"]


def test_cookie_of_an_erased_visitor_is_ignored(front):
    """An erased visitor's cookie is invalid. Rules: erase-immediate, storefront-visitor."""
    visitor = front.anyone(1)
    gid = visitor.get("/profile").json()["data"]["profile"]
    assert front.shop.acting_as(gid).delete("/profile").status_code == 204
    assert visitor.get("/items").json()["data"] == []
    assert visitor.get("/items").headers["Wishwell-Shopper"] == "-"
    # Waits for the erasure, because it would change the database during the next test.
    waiting = "SELECT 1 FROM erasures WHERE done_at IS NULL"
    assert wait_until(lambda: not front.api.rows(waiting), seconds=30)
