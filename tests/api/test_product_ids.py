"""Product ids, as text or as numbers depending on the store; and notes."""

import pytest

from .conftest import (
    LARGEST,
    data,
    nothing_changes,
    products,
    refused,
    save,
    soon,
    whole_list,
)

LONGEST = "a" + "~" * 99
SHOPIFY = "UHJvZDox="


@pytest.fixture
def text_shop(make_shop):
    return make_shop("--product-ids", "text")


def test_store_with_text_ids_accepts_and_returns_them_unchanged(text_shop):
    """A store with text ids accepts and returns them unchanged wherever items appear.
    Rule: store-product-ids."""
    http = text_shop.customer("1").http
    ids = (SHOPIFY, "prod_01", "007", "7", LONGEST, "A.b_c:d~e=f-g", "x", "X")
    for id in ids:
        saved = save(http, id, variantId=id)
        assert (saved["productId"], saved["variantId"]) == (id, id)
    wanted = [{"productId": id, "variantId": id} for id in ids]
    assert data(http.put("/items", json={"items": wanted}))[-1] == saved
    assert len(data(http.get("/items"))) == 8
    made = data(http.post("/lists", json={"name": "Gifts"}), 201)["id"]
    data(http.put(f"/items/{saved['id']}/lists", json={"listIds": [made]}))
    view = f"/shared/{data(http.post(f'/lists/{made}/shares'), 201)['token']}"
    other = text_shop.customer("2").http
    copy = data(other.post(f"{view}/copies"), 201)["id"]
    shown = (whole_list(http, made), data(other.get(view)), whole_list(other, copy))
    assert [(its["productId"], its["variantId"]) for of in shown for its in of["items"]] == [
        ("X", "X")
    ] * 3
    changed = data(http.patch(f"/items/{saved['id']}", json={"productId": "y", "variantId": None}))
    assert (changed["productId"], "variantId" in changed) == ("y", False)


def test_text_ids_can_be_searched_for(text_shop):
    """Text ids can be searched for; a term's field ends at its first colon.
    Rule: store-product-ids."""
    http = text_shop.customer("1").http
    for id in (SHOPIFY, "a:b", "prod_01", "other"):
        save(http, id)
    assert products(http, f"product:{SHOPIFY},a:b,nothing") == ["a:b", SHOPIFY]
    assert products(text_shop.admin, "product:prod_01") == ["prod_01"]


def test_product_id_of_the_other_type_is_refused(shop, text_shop):
    """An id of the other type is refused, and the message names the store's type.
    Rule: store-product-ids."""
    kinds = ((shop, 1, "1", "integer"), (text_shop, "a", 1, "text"))
    for its, good, bad, kind in kinds:
        http = its.customer("1").http
        kept = save(http, good)["id"]
        with nothing_changes(http):
            for body in ({"productId": bad}, {"productId": good, "variantId": bad}):
                refused(http.post("/items", json=body), 400, kind, list(body)[-1])
                refused(http.patch(f"/items/{kept}", json=body), 400, kind)
    # A cached parse of the same query in another store doesn't matter.
    assert products(text_shop.customer("1").http, "product:a,7") == ["a"]
    refused(shop.customer("1").http.get("/items?query=product:a,7"), 400, "integer", "product")


def test_malformed_text_id_is_refused(text_shop):
    """A malformed text id is refused. Rule: store-product-ids."""
    http = text_shop.customer("1").http
    for id in ("", "a b", "-a", "_a", "a,b", "a/b", "é", "a\n", LONGEST + "~"):
        refused(http.post("/items", json={"productId": id}), 400, "productId")
        refused(http.post("/items", json={"productId": "a", "variantId": id}), 400, "variantId")
    assert products(http) == []


def test_store_changes_to_text_ids_and_back_only_when_empty(shop):
    """Changing a store to text turns numbers into decimal text; changing back needs an empty store.
    Rules: store-product-ids, changes-take-effect."""
    http = shop.customer("1").http
    for number in (7, LARGEST):
        save(http, number, variantId=3)
    shop.update("--product-ids", "text")
    soon(lambda: products(http) == [str(LARGEST), "7"])
    assert save(http, "7", variantId="4")["productId"] == "7"
    assert http.post("/items", json={"productId": "7", "variantId": "3"}).status_code == 200
    back = ("store", "update", shop.handle, "--product-ids", "integer")
    failed = shop.service.cli(*back, check=False)
    assert failed.returncode == 1
    assert "only when the store has no items" in failed.stderr
    failed = shop.service.cli(*back[:-1], "Text", check=False)
    assert failed.returncode == 1 and "integer or text" in failed.stderr
    for entry in data(http.get("/items")):
        http.delete(f"/items/{entry['id']}")
    assert '"integer"' in shop.service.cli(*back, "--json").stdout
    soon(lambda: http.post("/items", json={"productId": "late"}).status_code == 400)
    save(http, 7)
    # Text ids saved before the change was seen remain and are shown.
    assert products(http)[0] == 7
    assert set(products(http)[1:]) <= {"late"}
