"""Stores, callers, the `Profile` header, and what each kind of token may do."""

import re
import time

import jwt

from .conftest import (
    ITEM_KEYS,
    LIST_KEYS,
    data,
    done,
    everything,
    item,
    new_list,
    nothing_changes,
    refused,
    save,
    whole_list,
)


def claims(token: str) -> dict:
    return jwt.decode(token, options={"verify_signature": False})


# --- stores --------------------------------------------------------------------------------------


def test_store_sees_nothing_of_another(make_shop):
    """contract: store-isolation. Nothing of one store is ever visible from another."""
    ours, theirs = make_shop(), make_shop()
    customer = ours.customer("7")
    kept = new_list(customer.http)
    saved = save(customer.http, 1, listIds=[kept["id"]])
    for stranger in (theirs.admin, theirs.customer("7").http, theirs.acting_as(customer.gid)):
        assert everything(stranger) == {"items": [], "lists": [], "orders": []}
        for path in (f"/items/{saved['id']}", f"/lists/{kept['id']}"):
            for method in ("GET", "PATCH", "DELETE"):
                refused(stranger.request(method, path, json={}), 404)
        refused(stranger.put(f"/items/{saved['id']}/lists", json={"listIds": []}), 404)
        refused(stranger.put(f"/lists/{kept['id']}/items/order", json={"itemIds": []}), 404)
        done(stranger.request("DELETE", "/items", json={"itemIds": [saved["id"]]}))
    assert item(customer.http, saved["id"]) == saved


def test_session_of_another_store_is_unknown(make_shop):
    """contract: session-unknown. An unknown session GID is 404, and so is one of another store."""
    ours, theirs = make_shop(), make_shop()
    gid = ours.session().gid
    refused(theirs.acting_as(gid).get("/items"), 404)
    refused(theirs.admin.post("/profiles/token", json={"session": gid}), 404)
    both = {"session": gid, "customer": theirs.gid()}
    refused(theirs.admin.post("/profiles/token", json=both), 404)


def test_platform_of_the_store_is_the_one_of_its_customers(make_shop):
    """contract: gid-customer. The platform name is the `<platform>` of its customer GIDs."""
    shop = make_shop("--platform", "presta")
    assert shop.customer("5").gid == "gid://presta/Customer/5"
    other = "gid://shopify/Customer/5"
    refused(shop.admin.post("/profiles/token", json={"customer": other}), 400, "customer")
    refused(shop.acting_as(other).get("/items"), 400, "profile")


# --- admin tokens --------------------------------------------------------------------------------


def test_admin_token_has_a_prefix_and_nothing_else_is_one(shop):
    """contract: admin-token-form. A recognisable prefix and a checksum; a typo is refused."""
    token = shop.admin_token
    assert re.fullmatch(r"wwadm_[A-Za-z0-9]{30,}", token)
    swapped = [
        token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :] for at in (6, 20, -2)
    ]
    others = [token + "A", token[:-1], "wwxxx_" + token[6:], token.swapcase(), token[6:]]
    for typo in [*swapped, *others]:
        refused(shop.client(typo).get("/items"), 401)
    data(shop.admin.get("/items"))


def test_admin_without_profile_sees_and_names_every_owner(shop):
    """contract: whole-store. Each record with its `profile`."""
    first, visitor = shop.customer("1"), shop.session()
    kept = new_list(first.http)
    saved = save(first.http, 1, variantId=2, listIds=[kept["id"]])
    save(visitor.http, 2)
    newest, oldest = data(shop.admin.get("/items"))
    assert set(newest) == ITEM_KEYS | {"profile"} and newest["profile"] == visitor.gid
    assert oldest == saved | {"profile": first.gid}
    [listed] = data(shop.admin.get("/lists"))
    assert set(listed) == LIST_KEYS | {"profile"} and listed["profile"] == first.gid
    assert item(shop.admin, saved["id"]) == saved | {"profile": first.gid}
    whole = whole_list(shop.admin, kept["id"])
    assert whole == listed | {"items": [saved | {"profile": first.gid}]}


def test_admin_without_profile_changes_and_deletes_in_the_whole_store(shop):
    """contract: whole-store. Every read, update and delete."""
    owner, other = shop.customer("1"), shop.customer("2")
    kept = new_list(owner.http)
    first, second = save(owner.http, 1), save(other.http, 2)
    changed = data(shop.admin.patch(f"/items/{first['id']}", json={"quantity": 9}))
    assert changed["quantity"] == 9 and changed["profile"] == owner.gid
    placed = data(shop.admin.put(f"/items/{first['id']}/lists", json={"listIds": [kept["id"]]}))
    assert placed["listIds"] == [kept["id"]] and placed["profile"] == owner.gid
    renamed = data(shop.admin.patch(f"/lists/{kept['id']}", json={"name": "New"}))
    assert renamed["name"] == "New" and renamed["profile"] == owner.gid
    order = f"/lists/{kept['id']}/items/order"
    ordered = data(shop.admin.put(order, json={"itemIds": [first["id"]]}))
    assert [entry["profile"] for entry in (ordered, *ordered["items"])] == [owner.gid] * 2
    done(shop.admin.delete(f"/lists/{kept['id']}"))
    done(shop.admin.request("DELETE", "/items", json={"itemIds": [first["id"], second["id"]]}))
    assert everything(shop.admin) == {"items": [], "lists": [], "orders": []}


def test_admin_without_profile_cannot_put_an_item_on_the_list_of_another_profile(shop):
    """contract: item-list-ids. Lists of the item's own profile."""
    foreign = new_list(shop.customer("2").http)
    saved = save(shop.customer("1").http, 1)
    body = {"listIds": [foreign["id"]]}
    with nothing_changes(shop.admin):
        refused(shop.admin.put(f"/items/{saved['id']}/lists", json=body), 404)


def test_admin_with_profile_acts_exactly_as_that_profile(shop):
    """contract: profile-header. That profile, exactly as its own token would."""
    for member in (shop.customer("1"), shop.session()):
        acting = shop.acting_as(member.gid)
        kept = new_list(acting)
        saved = save(acting, 1, listIds=[kept["id"]])
        assert set(saved) == ITEM_KEYS and set(kept) == LIST_KEYS
        assert everything(acting) == everything(member.http)
        other = save(shop.customer("99").http, 1) if member.gid.endswith("/1") else None
        if other:
            refused(acting.get(f"/items/{other['id']}"), 404)
            refused(acting.delete(f"/items/{other['id']}"), 404)
        done(acting.delete(f"/items/{saved['id']}"))
        refused(member.http.get(f"/items/{saved['id']}"), 404)


# --- the Profile header --------------------------------------------------------------------------


def test_profile_header_that_is_no_profile_is_refused(shop):
    """contract: profile-header-invalid, gid-customer. A bad id, another platform, no GID."""
    bad = ["", "17", "nonsense", "gid://", "gid://shopify/Customer/", "gid://shopify/Customer/a b"]
    bad += ["gid://shopify/Customer/" + "9" * 65, "gid://other/Customer/1", "gid://shopify/Order/1"]
    bad += [
        "gid://shopify/customer/1",
        "gid%3A%2F%2Fshopify%2FCustomer%2F1",
        "GID://shopify/Customer/1",
    ]
    bad += [f"gid://shopify/Customer/{id}" for id in ("1/", "1?x", "../1")]
    bad += ["gid://shopify/Customer/\u00e9".encode(), "gid://shopify/Customer/" + "9" * 10_000]
    for gid in bad:
        answer = shop.admin.get("/items", headers={"Profile": gid})
        refused(answer, 400, "profile")
    assert data(shop.acting_as("gid://shopify/Customer/" + "aZ_-" * 16).get("/items")) == []


def test_header_that_may_be_there_once_is_refused_twice(shop):
    """contract: header-twice. Those that decide what a request is; of equal values, too."""
    bearer, json_type = f"Bearer {shop.admin_token}", "application/json"
    for name, value in (("Authorization", bearer), ("Content-Type", json_type), ("Origin", "x")):
        answer = shop.anonymous.post("/profiles/token", headers=[(name, value), (name, value)])
        refused(answer, 400, name)
    for second in "12":
        both = [("Profile", shop.gid("1")), ("Profile", shop.gid(second))]
        refused(shop.admin.post("/items", headers=both, json={"productId": 1}), 400, "profile")
    assert data(shop.admin.get("/items")) == []


# --- customers and sessions ----------------------------------------------------------------------


def test_customers_differ_by_case_and_need_not_be_known(shop):
    """contract: profile-key, customer-exists. The GID as it is; `a` and `A` are two customers, one
    of whom nobody has heard of."""
    saved = save(shop.acting_as(shop.gid("abc")), 1)
    assert item(shop.customer("abc").http, saved["id"]) == saved
    for http in (shop.customer("ABC").http, shop.acting_as(shop.gid("ABC"))):
        assert http.get("/items").json() == http.get("/lists").json() == {"data": []}


# --- profile tokens ------------------------------------------------------------------------------


def test_profile_token_is_a_jwt_of_one_day(shop):
    """contract: profile-token-form. `sub`, `aud`, `jti`, `iat`, `exp`, `kid`; one day."""
    for member in (shop.customer("1"), shop.session()):
        said, header = claims(member.token), jwt.get_unverified_header(member.token)
        assert said["sub"] == member.gid
        assert {"sub", "aud", "jti", "iat", "exp"} <= set(said)
        assert type(said["iat"]) is int and type(said["exp"]) is int
        assert said["exp"] - said["iat"] == 86_400
        assert abs(said["iat"] - time.time()) < 5
        assert header["kid"] and header["alg"].startswith("HS")


def test_authorization_that_is_no_bearer_token_is_refused(shop):
    """contract: token-refused. No token, or one that is malformed; with `WWW-Authenticate`."""
    token = shop.admin_token
    values = ["", "Bearer", f"Basic {token}", f"Token {token}", token, f"Bearer {token} x"]
    values += [
        f"Bearer {token},{token}",
        f"Bearer\t{token}x",
        f"Bearer={token}",
        "Bearer é".encode(),
    ]
    for value in values:
        refused(shop.anonymous.get("/items", headers={"Authorization": value}), 401)
    answer = shop.anonymous.get(f"/items?token={token}")
    assert answer.status_code in (400, 401), "a token in the query counts for nothing"
    twice = [("Authorization", f"Bearer {token}"), ("Authorization", "Bearer nonsense")]
    assert shop.anonymous.get("/items", headers=twice).status_code in (400, 401)
