"""Product data over HTTP: put, read, list and delete."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import LARGEST, TIME, data, done, refused, save, soon, walk

SHIRT = {
    "title": "A shirt ✂",
    "url": "https://shop.example/7?a=b#c",
    "image": "http://img.example/7.jpg",
    "price": {"amount": "19.90", "currency": "EUR"},
    "available": True,
    "availability": "in_stock",
    "variants": [
        {
            "variantId": 8,
            "title": "Blue",
            "image": "https://img.example/8.jpg",
            "price": {"amount": "017.9000", "currency": "USD"},
            "available": False,
            "url": "https://shop.example/7?v=8",
            "availability": "out_of_stock",
        },
        {"variantId": LARGEST},
    ],
}


def put(shop, product=7, **fields):
    return data(shop.admin.put(f"/products/{product}", json=fields))


def test_product_is_returned_exactly_as_it_was_put(shop):
    """A product is returned exactly as it was put, and a put replaces it as a whole.
    Rule: product-replaced."""
    made = put(shop, **SHIRT)
    assert made == SHIRT | {
        "productId": 7, "createdAt": made["createdAt"], "updatedAt": made["createdAt"]
    }  # fmt: skip
    assert TIME.fullmatch(made["createdAt"])
    assert data(shop.admin.get("/products/7")) == made
    again = put(shop, title="Another")
    assert again.keys() == {"productId", "title", "variants", "createdAt", "updatedAt"}
    assert (again["title"], again["variants"]) == ("Another", [])
    assert again["createdAt"] == made["createdAt"] <= again["updatedAt"]
    nothing = dict.fromkeys(("title", "url", "image", "price", "available", "variants"))
    assert put(shop, **nothing).keys() == {"productId", "variants", "createdAt", "updatedAt"}
    head = shop.admin.head("/products/7")
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"available": True}, (True, "in_stock")),
        ({"available": False}, (False, "out_of_stock")),
        ({"availability": "preorder"}, (True, "preorder")),
        ({"availability": "backorder", "available": False}, (True, "backorder")),
        ({"availability": "out_of_stock", "available": True}, (False, "out_of_stock")),
        ({"availability": "in_stock", "available": None}, (True, "in_stock")),
        ({}, (None, None)),
    ],
)
def test_available_follows_from_availability(shop, given, shown):
    """`availability` decides, and `available` is true for all but `out_of_stock`, for products,
    variants and items alike. Rule: product-replaced."""
    made = put(shop, **given, variants=[{"variantId": 8, **given}])
    http = shop.customer("1").http
    wish = save(http, 7, variantId=8)
    included = data(http.get(f"/items/{wish['id']}?include=product")).get("product", {})
    for found in (made, *made["variants"], data(shop.admin.get("/products/7")), included):
        assert (found.get("available"), found.get("availability")) == shown
    body = {"availability": "sold out"}
    refused(shop.admin.put("/products/7", json=body), 400, "availability", "preorder")


@pytest.mark.parametrize("code", ["PCS", "BGN", "XXX"])
def test_currency_is_one_of_iso_4217(shop, code):
    """A price's currency is a current code of ISO 4217. Rule: product-replaced."""
    price = {"price": {"amount": "60", "currency": code}}
    for body, field in (
        (price, "price"),
        ({"variants": [{"variantId": 8, **price}]}, "variants[0]."),
    ):
        answer = shop.admin.put("/products/7", json=body)
        refused(answer, 400, f"{code} isn't a currency of ISO 4217")
        [detail] = answer.json()["error"]["details"]
        assert detail["field"].startswith(field)


def test_deleting_a_product_keeps_the_items_that_wish_for_it(shop, make_shop):
    """Deleting a product keeps the items that wish for it.
    Rules: delete-scope, store-isolation."""
    wish = save(shop.customer("1").http, 7)
    put(shop, **SHIRT)
    other = make_shop().admin
    refused(other.get("/products/7"), 404)
    refused(other.delete("/products/7"), 404)
    assert data(other.get("/products")) == []
    done(shop.admin.delete("/products/7"))
    refused(shop.admin.delete("/products/7"), 404, "product")
    refused(shop.admin.get("/products/7"), 404, "product")
    assert data(shop.admin.get(f"/items/{wish['id']}"))["productId"] == 7
    assert put(shop)["variants"] == []


@pytest.mark.parametrize("kind", ["integer", "text"])
def test_product_id_in_a_path_has_the_stores_type_and_format(make_shop, kind):
    """A product id in a path has the store's type and format.
    Rule: store-product-ids."""
    shop = make_shop("--product-ids", kind)
    good, bad = ["1", str(LARGEST)], ["0", "01", "-1", "1.0", "a", str(LARGEST + 1), "%31a", "é"]
    if kind == "text":
        good, bad = ["1", "01", "a:b~=.c", "x" * 100], ["-a", "a b", "é", "x" * 101, "a,b", "%0a"]
    for id in good:
        made = put(shop, id)
        assert str(made["productId"]) == id
        assert isinstance(made["productId"], str) == (kind == "text")
        assert data(shop.admin.get(f"/products/{id}")) == made
        done(shop.admin.delete(f"/products/{id}"))
    for method in ("GET", "PUT", "DELETE"):
        for id in bad:
            body = {"json": {}} if method == "PUT" else {}
            refused(shop.admin.request(method, f"/products/{id}", **body), 400, "productId", kind)
    refused(shop.admin.get("/products/a%2Fb"), 404)


def test_bulk_put_saves_all_products_or_none(shop):
    """A bulk put saves 1 to 250 products, or on an error none. Rule: product-replaced."""
    many = [{"productId": n, "title": f"No. {n}"} for n in range(1, 251)]
    done(shop.admin.put("/products", json={"products": many}))
    assert data(shop.admin.get("/products/250"))["title"] == "No. 250"
    changed = [{"productId": n} for n in range(1, 250)]
    for last in ({"productId": 1}, {"productId": 300, "title": ""}):
        assert shop.admin.put("/products", json={"products": [*changed, last]}).status_code == 400
    assert "title" in data(shop.admin.get("/products/1"))
    refused(shop.admin.get("/products/300"), 404)


def test_products_come_in_pages(shop):
    """Products come in pages by first put; putting one again doesn't move it.
    Rule: cursor-pagination."""
    for number in (3, 1, 2):
        put(shop, number, **SHIRT)
    put(shop, 3, title="again")
    pages = walk(shop.admin, "/products", limit=2)
    assert [[one["productId"] for one in page] for page in pages] == [[2, 1], [3]]
    assert "variants" not in pages[0][0]
    assert pages[0][0]["price"] == SHIRT["price"]
    cursor = shop.admin.get("/products?limit=2").json()["pageInfo"]["next"]
    refused(shop.admin.get("/items", params={"page": cursor}), 400, "page")
    back = shop.admin.get("/products", params={"page": cursor}).json()["pageInfo"]["previous"]
    assert len(data(shop.admin.get("/products", params={"page": back}))) == 2
    refused(shop.admin.get("/products/1?limit=1"), 400, "limit")


def test_concurrent_puts_of_one_product_are_serialised(shop):
    """Concurrent puts of one product are serialised: each is stored as a whole, none fails, and
    bulk puts in different orders don't deadlock.
    Rule: product-replaced."""

    def one(number):
        if number % 2:
            return shop.admin.put("/products/7", json={"title": f"{number}", "price": price})
        named = [{"productId": id, "title": f"{number}", "price": price} for id in (9, 7, 8)]
        return shop.admin.put("/products", json={"products": named[:: number % 4 - 1]})

    price = {"amount": "1", "currency": "EUR"}
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(one, range(60)))
    assert {answer.status_code for answer in answers} <= {200, 204}
    assert data(shop.admin.get("/products/7"))["price"] == price
    for number in range(20):
        assert put(shop, title=f"{number}")["title"] == f"{number}"
        assert data(shop.admin.get("/products/7"))["title"] == f"{number}"


def test_store_with_products_changes_to_text_ids_and_not_back(shop):
    """Product and variant ids become text with the store, which then can't change back.
    Rule: store-product-ids."""
    put(shop, **SHIRT)
    shop.update("--product-ids", "text")
    soon(lambda: shop.admin.get("/products/a").status_code == 404)
    found = data(shop.admin.get("/products/7"))
    assert found["productId"] == "7"
    assert [one["variantId"] for one in found["variants"]] == ["8", str(LARGEST)]
    back = ("store", "update", shop.handle, "--product-ids", "integer")
    assert "no products" in shop.service.attempt(*back)[2]
    done(shop.admin.delete("/products/7"))
    shop.service.quick(*back)
