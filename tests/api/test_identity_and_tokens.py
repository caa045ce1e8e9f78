"""Callers, the `Profile` header, and token formats. Permissions: tests/http/test_authorisation.py."""

import re
import time

import jwt
import pytest

from .conftest import ITEM_KEYS, LIST_KEYS, data, item, new_list, refused, save, whole_list


def test_admin_token_without_a_valid_prefix_and_checksum_is_refused(shop):
    """An admin token has a prefix and a checksum, so a typo is refused. Rule: admin-token-hashed."""
    token = shop.admin_token
    assert re.fullmatch(r"wwadm_[A-Za-z0-9]{30,}", token)
    swapped = [
        token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :] for at in (6, 20, -2)
    ]
    others = [token + "A", token[:-1], "wwxxx_" + token[6:], token.swapcase(), token[6:]]
    for typo in [*swapped, *others]:
        refused(shop.client(typo).get("/items"), 401)
    data(shop.admin.get("/items"))


@pytest.mark.both_engines("only it reads the owners of a store's lists")
def test_admin_without_profile_header_sees_all_records_with_their_owners(shop):
    """Without `Profile`, an admin token sees all records, each with its owner's `profile`.
    Rule: profile-header."""
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


def test_profile_header_without_a_valid_gid_is_refused(shop):
    """A malformed `Profile`, or one of another platform, is refused.
    Rules: profile-header, profile-gid."""
    bad = ["", "17", "gid://shopify/Customer/", "gid://other/Customer/1", "gid://shopify/Order/1"]
    bad += [
        "gid://shopify/customer/1",
        "gid%3A%2F%2Fshopify%2FCustomer%2F1",
        f"{shop.gid('9' * 256)}",
    ]
    bad += [shop.gid(id) for id in ("a b", "1/", "1%x", "../1", "9" * 10_000)]
    bad += [shop.gid("\u00e9").encode()]
    for gid in bad:
        refused(shop.admin.get("/items", headers={"Profile": gid}), 400, "profile")
    assert data(shop.acting_as("gid://shopify/Customer/" + "aZ_-" * 16).get("/items")) == []


def test_duplicate_header_is_refused(shop):
    """A duplicate of a header that affects the request's meaning is refused, even with an equal
    value.
    Rule: input-strict."""
    bearer, json_type = f"Bearer {shop.admin_token}", "application/json"
    for name, value in (("Authorization", bearer), ("Content-Type", json_type), ("Origin", "x")):
        answer = shop.anonymous.post("/profiles/token", headers=[(name, value), (name, value)])
        refused(answer, 400, name)
    for second in "12":
        both = [("Profile", shop.gid("1")), ("Profile", shop.gid(second))]
        refused(shop.admin.post("/items", headers=both, json={"productId": 1}), 400, "profile")
    assert data(shop.admin.get("/items")) == []


def test_customers_differ_by_store_and_case_and_need_no_registration(make_shop):
    """Customers are distinguished by store and by the case of their GID, and need not be
    registered.
    Rules: profile-gid, store-isolation."""
    shop, other = make_shop(), make_shop()
    saved = save(shop.acting_as(shop.gid("abc")), 1)
    assert item(shop.customer("abc").http, saved["id"]) == saved
    for http in (
        shop.customer("ABC").http,
        shop.acting_as(shop.gid("ABC")),
        other.customer("abc").http,
        other.acting_as(shop.gid("abc")),
        other.admin,
    ):
        assert http.get("/items").json() == http.get("/lists").json() == {"data": []}
        refused(http.get(f"/items/{saved['id']}"), 404)


def test_profile_token_is_a_jwt_of_one_day(shop):
    """A profile token is a JWT with the documented claims, valid for one day.
    Rule: profile-token-strict."""
    began = int(time.time())
    for member in (shop.customer("1"), shop.session()):
        said = jwt.decode(member.token, options={"verify_signature": False})
        header = jwt.get_unverified_header(member.token)
        assert said["sub"] == member.gid
        assert {"sub", "aud", "jti", "iat", "exp"} <= set(said)
        assert type(said["iat"]) is int and type(said["exp"]) is int
        assert said["exp"] - said["iat"] == 86_400
        assert began <= said["iat"] <= time.time()
        assert header["kid"] and header["alg"].startswith("HS")


def test_authorization_without_a_bearer_token_is_refused(shop):
    """A missing or malformed bearer token is 401 with `WWW-Authenticate`. Rule: token-required."""
    token = shop.admin_token
    values = ["", "Bearer", f"Basic {token}", f"Token {token}", token, f"Bearer {token} x"]
    values += [f"Bearer {token},{token}", f"Bearer\t{token}x", f"Bearer={token}"]
    for value in (*values, "Bearer é".encode()):
        refused(shop.anonymous.get("/items", headers={"Authorization": value}), 401)
    refused(shop.anonymous.get(f"/items?token={token}"), 401)
