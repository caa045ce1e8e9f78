"""`POST /profiles/token`. How a link moves and merges records: tests/contract/test_linking.py."""

import re
import uuid

import pytest

from .conftest import data, is_uuid, item, products, refused, save


def link(shop, session: str, customer: str):
    return shop.admin.post("/profiles/token", json={"session": session, "customer": customer})


@pytest.mark.parametrize(
    "body", [None, b"", b"{}", b" \n{ }\t"], ids=["none", "empty", "object", "spaces"]
)
def test_token_request_with_an_empty_body_creates_a_session(shop, body):
    """No body, an empty one or `{}` creates a session. Rules: token-issued, profile-gid."""
    headers = {"Content-Type": "application/json"} if body else {}
    issued = data(shop.admin.post("/profiles/token", content=body, headers=headers), 201)
    assert set(issued) == {"token", "profile"}
    space, _, id = issued["profile"].rpartition("/")
    assert space == "gid://wishwell/Session" and is_uuid(id)
    assert data(shop.client(issued["token"]).get("/items")) == []


def test_token_request_that_names_a_profile_is_for_that_profile(shop):
    """A token for a named customer or session is for that profile; a visitor keeps their items.
    Rule: token-issued."""
    visitor = shop.session()
    for kind, gid, product in (("customer", shop.gid("17"), 5), ("session", visitor.gid, 6)):
        issued = data(shop.admin.post("/profiles/token", json={kind: gid}), 201)
        assert set(issued) == {"token", "profile"} and issued["profile"] == gid
        assert issued["token"] != visitor.token
        save(shop.client(issued["token"]), product)
        assert products(shop.acting_as(gid)) == [product]
    assert products(visitor.http) == [6]


def test_token_request_for_an_unknown_session_is_404(shop, make_shop):
    """An unknown session, or one of another store, is 404 in a body and in `Profile`.
    Rules: session-ended, token-issued."""
    for unknown in (f"gid://wishwell/Session/{uuid.uuid4()}", make_shop().session().gid):
        refused(shop.admin.post("/profiles/token", json={"session": unknown}), 404)
        refused(link(shop, unknown, shop.gid("1")), 404)
        refused(shop.acting_as(unknown).get("/items"), 404)
        for body in (None, {"customer": shop.gid("1")}):
            refused(shop.acting_as(unknown).post("/profiles/token", json=body), 404, "session")
        body = {"email": "ann@example.com"}
        refused(shop.acting_as(unknown).post("/profiles/identify", json=body), 404)


def test_token_request_with_a_malformed_gid_is_refused(shop):
    """A GID of another platform, kind, form or type is refused.
    Rule: profile-gid."""
    visitor = shop.session()
    ids = ("", "a b", "9" * 256, "١", "1\n", "\x00")
    customers = [
        "gid://other/Customer/1",
        visitor.gid,
        *map("gid://shopify/Customer/{}".format, ids),
    ]
    sessions = ["gid://wishwell/Session/", shop.gid("1"), "gid://wishwell/Session/17"]
    sessions += [f"gid://other/Session/{uuid.uuid4()}"]
    for kind, gids in (("customer", customers), ("session", sessions)):
        for value in (*gids, "", "x", "\u0000"):
            refused(shop.admin.post("/profiles/token", json={kind: value}), 400, kind)
            body = {"session": visitor.gid, "customer": shop.gid("1")} | {kind: value}
            refused(shop.admin.post("/profiles/token", json=body), 400, kind)
    data(visitor.http.get("/items"))


def test_token_requested_with_profile_header_is_for_that_profile(shop):
    """`Profile` acts as if the body named that profile. Rule: profile-header."""
    customer, visitor = shop.gid("1"), shop.session()
    for body in (None, {}, {"customer": customer}):
        issued = data(shop.acting_as(customer).post("/profiles/token", json=body), 201)
        assert issued["profile"] == customer
    saved = save(visitor.http, 1)
    for body in (None, {}, {"session": visitor.gid}):
        issued = data(shop.acting_as(visitor.gid).post("/profiles/token", json=body), 201)
        assert issued["profile"] == visitor.gid
        assert item(shop.client(issued["token"]), saved["id"]) == saved


@pytest.mark.parametrize("header", ["customer", "session"])
def test_token_request_with_customer_and_session_links_the_session(shop, header):
    """A customer and a session in header and body, in either place, link the session.
    Rules: profile-header, link-atomic."""
    for both in (False, True):
        visitor = shop.session()
        named = {"customer": shop.gid(), "session": visitor.gid}
        save(visitor.http, 1)
        body = {kind: gid for kind, gid in named.items() if both or kind != header}
        issued = data(shop.acting_as(named[header]).post("/profiles/token", json=body), 201)
        assert issued["profile"] == named["customer"]
        assert products(shop.client(issued["token"])) == [1]
        refused(visitor.http.get("/items"), 401)


def test_token_request_whose_body_contradicts_the_profile_header_is_refused(shop):
    """A body that contradicts `Profile` is refused, and nothing changes.
    Rule: profile-header."""
    visitor, other = shop.session(), shop.session()
    save(visitor.http, 1)
    acting = shop.acting_as(shop.gid("1"))
    for body in ({"customer": shop.gid("2")}, {"customer": shop.gid("2"), "session": visitor.gid}):
        refused(acting.post("/profiles/token", json=body), 400, "customer", "Profile")
    acting = shop.acting_as(visitor.gid)
    for body in ({"session": other.gid}, {"session": other.gid, "customer": shop.gid("1")}):
        refused(acting.post("/profiles/token", json=body), 400, "session", "Profile")
    assert products(visitor.http) == [1]


def test_ended_session_is_401_with_a_hint_whatever_else_is_wrong(shop):
    """All tokens of an ended session are 401 with a hint to request a new one, whatever else is
    wrong. In `Profile` and in a body, the session is 404.
    Rules: session-ended, link-atomic, token-issued."""
    visitor, other = shop.session(), shop.session()
    again, id = shop.token(session=visitor.gid), save(visitor.http, 1)["id"]
    for session in (visitor, other):
        data(link(shop, session.gid, shop.gid("1")), 201)
    refused(other.http.get("/items"), 401)
    refused(shop.admin.post("/profiles/token", json={"session": visitor.gid}), 404)
    bad = ("/items/x", "/lists/x", "/items?limit=0", "/items?query=zz", "/items?page=x")
    for path in ("/items", f"/items/{id}", *bad):
        refused(shop.acting_as(visitor.gid).get(path), 404, "session")
        for http in (visitor.http, again.http):
            assert re.search(r"\bnew\b", refused(http.get(path), 401, "token"))
    for method, path, body in (
        *(("PATCH", f"/items/{id}", body) for body in ({"quantity": 5}, {})),
        *(("POST", "/items", body) for body in ({"productId": 2}, {"zzz": 1})),
        *(("POST", "/lists", {"name": name}) for name in ("Late", "")),
        *(("DELETE", f"/items/{id}", None) for id in (id, "x")),
        ("POST", "/profiles/identify", {"email": "ann@example.com"}),
    ):
        refused(visitor.http.request(method, path, json=body), 401, "token")
    [kept] = data(shop.admin.get("/items"))
    assert (kept["id"], kept["quantity"]) == (id, 1)
