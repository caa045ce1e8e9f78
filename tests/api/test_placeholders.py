"""Placeholders, such as `undefined`, as ids of customers, products and variants."""

import pytest

from .conftest import data, done, envelope, refused, save

CUSTOMERS = ("undefined", "null", "NONE", "nan", "false", "true", "0", "guest", "%7B%7Bid%7D%7D")
PRODUCTS = ("undefined", "Null", "none", "NaN")


def refuses(answer):
    refused(answer, 400, "placeholder")
    assert answer.json()["error"]["code"] == "placeholder_id"


@pytest.mark.parametrize("id", CUSTOMERS)
def test_customer_with_a_placeholder_id_can_save_nothing(make_shop, id):
    """No token, order or change is for a customer whose id is a placeholder; reading and deleting
    work, for what older versions stored. Rule: placeholder-ids."""
    shop = make_shop("--purchases", "on")
    gid = f"gid://{shop.platform}/Customer/{id}"
    acting = shop.acting_as(gid)
    refuses(acting.post("/items", json={"productId": 1}))
    refuses(acting.patch("/profile", json={"notices": True}))
    refuses(shop.admin.post("/profiles/token", json={"customer": gid}))
    times = {"placedAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}
    order = {"orderId": "1", "profile": gid, "status": "paid", "lines": [], **times}
    refuses(shop.admin.put("/orders", json={"orders": [order]}))
    assert data(acting.get("/items")) == []
    assert data(acting.get("/profile/export"))["profile"]["profile"].startswith("gid://")
    done(acting.delete("/profile"))


@pytest.mark.parametrize("id", PRODUCTS)
def test_product_with_a_placeholder_id_is_not_saved(make_shop, id):
    """Neither an item nor a product gets a placeholder as id of its product or variant; such ids can
    be searched for and deleted. Rule: placeholder-ids."""
    shop = make_shop("--product-ids", "text")
    http = shop.customer().http
    wish = save(http, "a")
    refuses(http.post("/items", json={"productId": id}))
    refuses(http.put("/items", json={"items": [{"productId": "b", "variantId": id}]}))
    refuses(http.patch(f"/items/{wish['id']}", json={"productId": id}))
    refuses(shop.admin.put(f"/products/{id}", json={"title": "A"}))
    refuses(shop.admin.put("/products", json={"products": [{"productId": id}]}))
    refuses(shop.admin.put("/products/a", json={"variants": [{"variantId": id}]}))
    assert [one["productId"] for one in data(http.get("/items"))] == ["a"]
    assert data(http.get(f"/items?query=product:{id}")) == []
    envelope(shop.admin.delete(f"/products/{id}"), 404)


def test_words_that_may_be_product_ids_are_saved(make_shop):
    """`guest`, `0` and `true` are ids of products in a store with text ids. Rule: placeholder-ids."""
    http = make_shop("--product-ids", "text").customer().http
    for id in ("guest", "0", "true", "false", "anonymous", "undefined-1"):
        assert save(http, id)["productId"] == id
