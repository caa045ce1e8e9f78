"""Anonymous callers and visitors: the first save starts a session."""

import base64
import json
import uuid

from .conftest import envelope, nobodys, nothing_done, sessions_in, set_cookies


def test_visitor_begins_with_a_save(front):
    """The first save or list starts a session; reads don't.
    Rules: storefront-visitor, storefront-cookie."""
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


def test_first_save_that_is_refused_begins_nothing(front):
    """A refused first save starts no session. Rule: storefront-visitor."""
    browser = front.browser()
    with nothing_done(front):
        for method, path in (("POST", "/items"), ("PUT", "/items"), ("POST", "/lists")):
            answer = browser.request(method, path, json={})
            envelope(answer, 400)
            assert "Set-Cookie" not in answer.headers
            assert answer.headers["Wishwell-Shopper"] == "-"


def test_nobody_has_nothing_to_change(front):
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


def test_what_a_browser_says_beside_its_cookie_changes_nothing(front):
    """A GID in a query, header, body or other cookie is ignored, and so are headers meant for other
    servers.
    Rules: storefront-naming, storefront-token."""
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


def test_many_items_begin_a_visit_too(front):
    """A bulk save starts a session too. Rules: storefront-visitor, bulk-atomic."""
    browser, before = front.browser(), sessions_in(front.api)
    answer = browser.put("/items", json={"items": [{"productId": 1}, {"productId": 2}]})
    assert answer.status_code == 200 and len(set_cookies(answer)) == 1
    assert sessions_in(front.api) == before + 1
    assert browser.products() == [1, 2]
