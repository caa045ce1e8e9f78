"""Who is shopping while nobody has signed in: nobody yet, until something is saved."""

import base64
import json
import uuid

import pytest

from .conftest import envelope, nobodys, nothing_done, sessions_in, set_cookies


def test_visitor_begins_with_a_save(front):
    """contract: storefront-visitor, storefront-cookie. Reads make nothing and set no cookie; the
    first save does both, and so does the first list."""
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


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/items", {"productId": "x"}),
        ("/items", []),
        ("/items?x=1", {"productId": 1}),
        ("/lists", {}),
    ],
)
def test_first_save_that_is_refused_begins_nothing(front, path, body):
    """contract: storefront-visitor. No session, and no cookie."""
    browser = front.browser()
    with nothing_done(front):
        answer = browser.post(path, json=body)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Wishwell-Shopper"] == "-"


def test_nobody_has_nothing_to_change(front):
    """contract: storefront-visitor. The other writes of nobody are 404, DELETE items 204, and make
    nothing; nor does a crawler, however much it reads."""
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
}


def test_gid_of_the_browser_is_never_used(front):
    """contract: storefront-evidence. No GID from the browser, in no query, header or cookie of
    another name."""
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
    assert victim.products() == [1]


def test_gid_in_a_body_is_never_used(front):
    """contract: storefront-evidence. A GID in the body is the API's unknown field, and nothing
    more."""
    victim, thief = front.anyone(1), front.anyone(2)
    for field in ("profile", "session", "customer", "owner"):
        answer = thief.post("/items", json={"productId": 9, field: victim.session})
        assert field in envelope(answer, 400)
    assert (victim.products(), thief.products()) == ([1], [2])


def test_record_of_another_is_404(front, new_front):
    """contract: token-scope, store-isolation. The ids of another visitor's records lead nowhere, in the
    same store and in another."""
    victim = front.anyone()
    item, gifts = victim.save(1)["id"], victim.post("/lists", json={"name": "Gifts"}).json()["data"]
    for thief in (front.anyone(), front.signed_in(), new_front().anyone()):
        own = thief.save(2)["id"]
        with nothing_done(front):
            for path, change in (
                (f"/items/{item}", {"quantity": 5}),
                (f"/lists/{gifts['id']}", {"name": "x"}),
            ):
                envelope(thief.get(path), 404)
                envelope(thief.patch(path, json=change), 404)
                envelope(thief.delete(path), 404)
            body = {"listIds": [gifts["id"]]}
            assert "listIds" in envelope(thief.put(f"/items/{own}/lists", json=body), 404)
        assert thief.request("DELETE", "/items", json={"itemIds": [item]}).status_code == 204
    assert victim.products() == [1]


def test_many_items_begin_a_visit_too(front):
    """contract: storefront-visitor, items-put, list-item-put, include-product. PUT items begins a
    session; what a list has is a heart's own to change, and shows what the shop says of it."""
    browser, before = front.browser(), sessions_in(front.api)
    with nothing_done(front):
        assert browser.put("/items", json={"items": []}).status_code == 400
    answer = browser.put("/items", json={"items": [{"productId": 1}, {"productId": 2}]})
    assert answer.status_code == 200 and len(set_cookies(answer)) == 1
    assert sessions_in(front.api) == before + 1
    assert browser.products() == [1, 2]
    first, second = (made["id"] for made in answer.json()["data"])
    on = browser.post("/lists", json={"name": "x"}).json()["data"]["id"]
    for id, body in ((first, {}), (second, {"after": first})):
        assert browser.put(f"/lists/{on}/items/{id}", json=body).status_code == 200
    front.shop.admin.put("/products/2", json={"title": "Two"})
    query = "?include=product&sort=customer"
    listed = browser.get(f"/lists/{on}{query}").json()["data"]["items"]
    assert [made.get("product") for made in listed] == [None, {"title": "Two"}]
    assert browser.get("/items?include=product").json()["data"] == listed
    token = browser.post(f"/lists/{on}/shares", json={}).json()["data"]["token"]
    shared = front.browser().get(f"/shared/{token}?include=product").json()["data"]["items"]
    assert [made.get("product") for made in shared] == [None, {"title": "Two"}]
    assert browser.get("/items?include=x").status_code == 400
    assert browser.delete(f"/lists/{on}/items/{first}").status_code == 204
    assert browser.delete(f"/lists/{on}/items/{first}").status_code == 404
