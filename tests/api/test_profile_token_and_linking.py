"""`POST /profiles/token`, and what linking a session to a customer does."""

import re
import uuid

import pytest

from .conftest import (
    data,
    envelope,
    everything,
    is_uuid,
    item,
    new_list,
    nothing_changes,
    order_of,
    products,
    refused,
    save,
    whole_list,
)


def link(shop, session: str, customer: str):
    return shop.admin.post("/profiles/token", json={"session": session, "customer": customer})


# --- which token ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", [None, b"", b"{}", b" \n{ }\t"], ids=["none", "empty", "object", "spaces"]
)
def test_token_with_nothing_in_the_body_makes_a_session(shop, body):
    """contract: token-new-session, gid-session. No body, an empty one or `{}`."""
    headers = {"Content-Type": "application/json"} if body else {}
    issued = data(shop.admin.post("/profiles/token", content=body, headers=headers), 201)
    assert set(issued) == {"token", "profile"}
    space, _, id = issued["profile"].rpartition("/")
    assert space == "gid://wishwell/Session" and is_uuid(id)
    assert data(shop.client(issued["token"]).get("/items")) == []


def test_token_with_customer_is_for_that_customer(shop):
    """contract: token-customer. `customer` gives a token for the customer."""
    gid = shop.gid("17")
    issued = data(shop.admin.post("/profiles/token", json={"customer": gid}), 201)
    assert set(issued) == {"token", "profile"} and issued["profile"] == gid
    save(shop.client(issued["token"]), 5)
    assert products(shop.acting_as(gid)) == [5]


def test_token_with_session_is_fresh_for_that_session(shop):
    """contract: token-session. `session` gives a fresh token, so a visitor keeps the list."""
    visitor = shop.session()
    saved = save(visitor.http, 1)
    again = shop.token(session=visitor.gid)
    assert again.gid == visitor.gid and again.token != visitor.token
    assert item(again.http, saved["id"]) == item(visitor.http, saved["id"]) == saved


def test_token_with_an_unknown_session_is_not_found(shop):
    """contract: session-unknown, token-session. An unknown session GID is 404 in a body."""
    unknown = f"gid://wishwell/Session/{uuid.uuid4()}"
    refused(shop.admin.post("/profiles/token", json={"session": unknown}), 404)
    refused(link(shop, unknown, shop.gid("1")), 404)


def test_token_with_a_customer_that_is_none_is_refused(shop):
    """contract: gid-customer. 1 to 64 of `A-Z a-z 0-9 _ -`; another platform is 400."""
    visitor = shop.session()
    ids = ("", "a b", "9" * 65, "١", "1\n", "\x00")
    gids = (
        "",
        "1",
        "gid://other/Customer/1",
        visitor.gid,
        *map("gid://shopify/Customer/{}".format, ids),
    )
    for value in (*gids, 17, True, [], {}):
        refused(shop.admin.post("/profiles/token", json={"customer": value}), 400, "customer")
        refused(link(shop, visitor.gid, value), 400, "customer")
    data(visitor.http.get("/items"))


def test_token_with_a_session_that_is_none_is_refused(shop):
    """contract: gid-session. Wrong type, or not the form of a session GID."""
    for value in ("", "x", "gid://wishwell/Session/", shop.gid("1"), 17, True, [], {}, "\u0000"):
        refused(shop.admin.post("/profiles/token", json={"session": value}), 400, "session")
    for value in ("gid://wishwell/Session/17", f"gid://other/Session/{uuid.uuid4()}"):
        answer = shop.admin.post("/profiles/token", json={"session": value})
        assert answer.status_code in (400, 404)
        envelope(answer, answer.status_code)


def test_token_asked_with_profile_header_is_for_that_profile(shop):
    """contract: profile-header-token. As if the body named that profile."""
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
def test_token_asked_with_profile_header_and_the_other_in_the_body_links(shop, header):
    """contract: profile-header-token, link-closes-session. Whichever of the two the header names,
    and the body the other or both."""
    for both in (False, True):
        visitor = shop.session()
        named = {"customer": shop.gid(), "session": visitor.gid}
        save(visitor.http, 1)
        body = {kind: gid for kind, gid in named.items() if both or kind != header}
        issued = data(shop.acting_as(named[header]).post("/profiles/token", json=body), 201)
        assert issued["profile"] == named["customer"]
        assert products(shop.client(issued["token"])) == [1]
        refused(visitor.http.get("/items"), 401)


def test_token_asked_with_profile_header_and_another_in_the_body_is_refused(shop):
    """contract: profile-header-token. A body that names another of the same kind is 400, and
    nothing is done."""
    visitor, other = shop.session(), shop.session()
    save(visitor.http, 1)
    acting = shop.acting_as(shop.gid("1"))
    for body in ({"customer": shop.gid("2")}, {"customer": shop.gid("2"), "session": visitor.gid}):
        refused(acting.post("/profiles/token", json=body), 400, "customer", "Profile")
    acting = shop.acting_as(visitor.gid)
    for body in ({"session": other.gid}, {"session": other.gid, "customer": shop.gid("1")}):
        refused(acting.post("/profiles/token", json=body), 400, "session", "Profile")
    assert products(visitor.http) == [1]


def test_token_asked_with_an_unknown_profile_header_is_refused(shop):
    """contract: profile-header-token, profile-header-invalid, session-unknown. 400 for what is no
    GID, 404 for a session that is unknown or linked."""
    for gid in ("x", "gid://other/Customer/1", shop.gid("a b")):
        refused(shop.acting_as(gid).post("/profiles/token"), 400, "Profile")
    acting = shop.acting_as(f"gid://wishwell/Session/{uuid.uuid4()}")
    refused(acting.post("/profiles/token"), 404, "session")
    refused(acting.post("/profiles/token", json={"customer": shop.gid("1")}), 404, "session")
    linked, customer = shop.session(), shop.gid("1")
    data(link(shop, linked.gid, customer), 201)
    refused(shop.acting_as(linked.gid).post("/profiles/token"), 404, "session")
    body = {"customer": customer}
    data(shop.acting_as(linked.gid).post("/profiles/token", json=body), 201)
    for member in (shop.customer("1"), shop.session()):
        acting = shop.client(member.token, member.gid)
        refused(acting.post("/profiles/token"), 403)


def test_gid_that_is_refused_is_told_what_would_do(shop):
    """contract: error-message, gid-customer, gid-session. The message names the form that a person
    could follow."""
    person, visit = "gid://shopify/Customer/<id>", "gid://wishwell/Session/<uuid>"
    wrong = {"customer": shop.session().gid, "session": shop.gid("1")}
    for field, form, other in (("customer", person, visit), ("session", visit, person)):
        for value in (wrong[field], "x"):
            answer = shop.admin.post("/profiles/token", json={field: value})
            message = refused(answer, 400, f"{field}: must be {form}")
            assert other not in message
    answer = shop.acting_as("x").get("/items")
    refused(answer, 400, f"Profile: must be {person}", visit)
    answer = shop.acting_as(f"gid://wishwell/Session/{uuid.uuid4()}").get("/items")
    assert refused(answer, 404) == "Profile: there is no such session."


# --- linking -------------------------------------------------------------------------------------


def test_linking_moves_items_and_lists_with_their_ids_and_order(shop):
    """contract: link-items. Ids of moved items stay; lists move with their ids and order."""
    visitor = shop.session()
    kept = new_list(visitor.http, "Summer")
    saved = [
        save(visitor.http, n, variantId=9, listIds=[kept["id"]], tags=["a"]) for n in (1, 2, 3)
    ]
    wanted = [saved[n]["id"] for n in (1, 2, 0)]
    data(visitor.http.put(f"/lists/{kept['id']}/items/order", json={"itemIds": wanted}))
    linked = data(link(shop, visitor.gid, shop.gid("1")), 201)
    assert set(linked) == {"token", "profile"} and linked["profile"] == shop.gid("1")
    customer = shop.client(linked["token"])
    for record in saved:
        assert item(customer, record["id"]) | {"updatedAt": 0} == record | {"updatedAt": 0}
    [moved] = data(customer.get("/lists"))
    assert moved["id"] == kept["id"] and moved["name"] == "Summer" and moved["itemCount"] == 3
    assert order_of(customer, kept["id"]) == wanted


def test_linking_merges_what_both_have(shop):
    """contract: link-item-merge, link-quantity, link-tags. The customer's item stays, larger
    quantity, union of tags and lists, the earlier `createdAt`."""
    visitor, customer = shop.session(), shop.customer("1")
    theirs, ours = new_list(visitor.http, "Theirs"), new_list(customer.http, "Ours")
    early = save(visitor.http, 1, variantId=2, quantity=9, tags=["a", "b"], listIds=[theirs["id"]])
    late = save(customer.http, 1, variantId=2, quantity=4, tags=["b", "c"], listIds=[ours["id"]])
    more = save(customer.http, 2, quantity=8)
    save(visitor.http, 2, quantity=3)
    plain = save(visitor.http, 1)
    data(link(shop, visitor.gid, customer.gid), 201)
    merged = item(customer.http, late["id"])
    assert merged["quantity"] == 9
    assert sorted(merged["tags"]) == ["a", "b", "c"]
    assert set(merged["listIds"]) == {theirs["id"], ours["id"]}
    assert merged["createdAt"] == early["createdAt"] <= late["createdAt"]
    assert item(customer.http, more["id"])["quantity"] == 8
    assert item(customer.http, plain["id"])["productId"] == 1, "no variant is another item"
    refused(customer.http.get(f"/items/{early['id']}"), 404)
    assert sorted(products(customer.http)) == [1, 1, 2]


def test_linking_joins_a_list_of_the_same_name(shop):
    """contract: link-list-merge. The same name after trimming, without case, is not duplicated: its
    items join the customer's list, after those already there."""
    visitor, customer = shop.session(), shop.customer("1")
    theirs, ours = new_list(visitor.http, "  gIFTS "), new_list(customer.http, "Gifts")
    new_list(visitor.http, "Other")
    first = [save(customer.http, n, listIds=[ours["id"]])["id"] for n in (1, 2)]
    then = [save(visitor.http, n, listIds=[theirs["id"]])["id"] for n in (3, 4)]
    data(customer.http.put(f"/lists/{ours['id']}/items/order", json={"itemIds": first}))
    data(visitor.http.put(f"/lists/{theirs['id']}/items/order", json={"itemIds": then}))
    data(link(shop, visitor.gid, customer.gid), 201)
    names = sorted(entry["name"] for entry in data(customer.http.get("/lists")))
    assert names == ["Gifts", "Other"]
    assert order_of(customer.http, ours["id"]) == first + then
    joined = whole_list(customer.http, ours["id"])
    assert joined["itemCount"] == 4
    assert all(entry["listIds"] == [ours["id"]] for entry in joined["items"])
    refused(customer.http.get(f"/lists/{theirs['id']}"), 404)


# --- the closed session --------------------------------------------------------------------------


def test_linking_a_closed_session_again_moves_nothing_and_succeeds(shop):
    """contract: link-again. To the same or another customer; nothing leaks to the second."""
    visitor, customer, second = shop.session(), shop.customer("1"), shop.customer("2")
    save(visitor.http, 1, quantity=5)
    data(link(shop, visitor.gid, customer.gid), 201)
    [moved] = data(customer.http.get("/items"))
    data(customer.http.patch(f"/items/{moved['id']}", json={"quantity": 2}))
    with nothing_changes(customer.http):
        assert data(link(shop, visitor.gid, customer.gid), 201)["profile"] == customer.gid
        assert data(link(shop, visitor.gid, second.gid), 201)["profile"] == second.gid
        assert everything(second.http) == {"items": [], "lists": [], "orders": []}
    [owned] = data(shop.admin.get("/items"))
    assert owned["profile"] == customer.gid


def test_ended_session_is_told_so_whatever_else_is_wrong(shop):
    """contract: session-ended, link-closes-session, token-session. On reads and writes alike, by
    each of its tokens; the message says to ask for a new one. In the header and in a body it is
    404."""
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
