"""Placeholders that a shop's template or program leaves in place of a customer's id."""

import re

import pytest

from tests.api.conftest import soon

from .conftest import BY_JWT, nobodys, nothing_done, products, shop_jwt
from .test_platform import common, signed
from .way import direct

WORDS = (
    *("undefined", "null", "None", "NaN", "false", "True", "0", "GUEST", "anonymous"),
    *(
        "nil",
        "{{customer.id}}",
        "a}}",
        "%{id}",
        "${customer.id}",
        "gid://shopify/Customer/undefined",
    ),
)


@pytest.mark.parametrize("word", WORDS)
def test_shopper_with_a_placeholder_id_in_a_jwt_is_a_visitor(front, word):
    """A JWT in a header or cookie that names a placeholder names nobody: each browser has its own
    wishlist, and keeps it. Rule: placeholder-ids."""
    token = shop_jwt(word.replace("%", "%25") if word.startswith("gid") else word)
    for headers in ({"X-Shop-Token": token}, {"Cookie": f"shop_jwt={token}"}):
        with nothing_done(front):
            assert products(front.browser().get("/items", headers=headers)) == []
    one, other = front.browser(X_Shop_Token=token), front.browser(X_Shop_Token=token)
    assert one.post("/items", json={"productId": 1}).status_code == 201
    assert (one.products(), other.products()) == ([1], [])


def test_real_customer_counts_next_to_a_placeholder(front):
    """Of several cookies, one that names a placeholder counts as absent. Rule: placeholder-ids."""
    front.shop.customer("7").http.post("/items", json={"productId": 4})
    jar = f"shop_jwt={shop_jwt('undefined')}; shop_jwt={shop_jwt('7')}"
    assert products(front.browser().get("/items", headers={"Cookie": jar})) == [4]


@direct("Authorization and Wishwell-Customer are the way's own")
@pytest.mark.parametrize("word", WORDS)
def test_placeholder_in_the_customer_header_is_a_visitor(front, word):
    """`Wishwell-Customer` with a placeholder names nobody. Rule: placeholder-ids."""
    token = {"Authorization": f"Bearer {front.proxys_token(naming=True)}"}
    proxied = front.browser(Wishwell_Customer=word, X_Forwarded_Host=front.host, **token)
    assert proxied.get("/items").headers["Wishwell-Shopper"] == "-"


def test_placeholder_in_a_signed_query_is_a_visitor(api, new_front):
    """The platform's `logged_in_customer_id=0` names nobody. Rule: placeholder-ids."""
    key = "the-secret-of-the-platform-of-this-shop"
    (api.folder / "secret").write_text(key)
    front = new_front("--platform-shop", "zero.example", "--platform-secret-file", "secret")
    query = signed(common("0", shop="zero.example"), key)
    assert nobodys(front.browser().get(f"/items?{query}"))


def test_log_names_a_placeholder_once_a_minute(api, new_front):
    """The log says which placeholder a store sends, and not again for each request.
    Rule: placeholder-ids."""
    key = "the-key-of-a-shop-whose-template-is-wrong"
    (api.folder / "another-key").write_text(key)
    front = new_front(*BY_JWT[2:], "--jwt-key-file", "another-key")
    for word in ("undefined", "null", "undefined"):
        front.browser(X_Shop_Token=shop_jwt(word, key)).get("/items")
    line = rf'"store":"{front.shop.handle}".*"event":"placeholder_ignored"'
    soon(lambda: re.search(line, front.api.output()))
    [text] = re.findall(rf".*{line}", front.api.output())
    assert "its customer id is the placeholder undefined" in text
