"""Items shown together with product data (`include=product`)."""

import pytest

from tests.conftest import Shop

from .conftest import data, done, new_list, save

BLUE = {
    "title": "Blue",
    "url": "https://shop.example/7?v=8",
    "image": "https://img.example/b.jpg",
    "available": False,
}
BLUE |= {"price": {"amount": "9.00", "currency": "USD"}}
SHIRT = {
    "title": 'A "shirt" ✂, {"variantId":"8"}',
    "url": "https://shop.example/7?a=b",
    "image": "https://img.example/7.jpg",
    "price": {"amount": "19.90", "currency": "EUR"},
    "available": True,
    "availability": "in_stock",
}
OUT = {"availability": "out_of_stock"}
VARIANTS = [
    {"variantId": 80, "title": "Eighty"},
    {"variantId": 8, **BLUE},
    {"variantId": 9, "title": 'x{"variantId":"10"', "available": False},
    {"variantId": 10},
]
INCLUDE = {"include": "product"}


def put(shop, product, **fields):
    data(shop.admin.put(f"/products/{product}", json=fields))


def without(record, *fields):
    return {name: value for name, value in record.items() if name not in fields}


def shared_by(http, list_id):
    return data(http.post(f"/lists/{list_id}/shares", json={}), 201)["token"]


@pytest.fixture
def world(shop):
    """Items with and without variants on one list of a customer; some have no product data."""
    put(shop, 7, **SHIRT, variants=VARIANTS)
    put(shop, 5)
    put(shop, 6, price=SHIRT["price"])
    http = shop.customer("1").http
    on = new_list(http)["id"]
    kinds = [(7, None), (7, 8), (7, 9), (7, 10), (7, 11), (5, None), (4, 8), (6, 1)]
    saved = [save(http, product, variantId=variant, listIds=[on]) for product, variant in kinds]
    return shop, http, on, saved


EXPECTED = [
    SHIRT,
    SHIRT | BLUE | OUT | {"title": SHIRT["title"], "variantTitle": "Blue"},
    SHIRT | {"variantTitle": 'x{"variantId":"10"', "available": False} | OUT,
    SHIRT, SHIRT, None, None, {"price": SHIRT["price"]},
]  # fmt: skip


def test_product_is_shown_wherever_items_are(world):
    """Product data appears wherever items do, with the variant's own values first; unknown fields
    are left out."""
    shop, http, on, saved = world
    token = shared_by(http, on)
    for of in (http, shop.acting_as(shop.gid("1")), shop.admin):
        page = data(of.get("/items", params=INCLUDE))[::-1]
        listed = data(of.get(f"/lists/{on}", params=INCLUDE | {"sort": "oldest_saved"}))["items"]
        single = [data(of.get(f"/items/{made['id']}", params=INCLUDE)) for made in saved]
        for found in (page, listed, single):
            assert [record.get("product") for record in found] == EXPECTED
            assert [without(record, "product", "profile") for record in found] == saved
    for reader in (shop.anonymous, http, shop.customer("2").http):
        found = data(reader.get(f"/shared/{token}", params=INCLUDE))["items"][::-1]
        assert [record.get("product") for record in found] == EXPECTED
        plain = data(reader.get(f"/shared/{token}"))["items"][::-1]
        assert [without(record, "product") for record in found] == plain
    order = list(data(http.get(f"/items/{saved[1]['id']}", params=INCLUDE))["product"])
    assert order == ["title", "variantTitle", "url", "image", "price", "available", "availability"]
    for path in ("/items", f"/items/{saved[0]['id']}", f"/lists/{on}", f"/shared/{token}"):
        assert '"product"' not in http.get(path).text
        head, got = (of(path, params=INCLUDE) for of in (http.head, http.get))
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["Content-Length"] == got.headers["Content-Length"]


def test_save_returns_the_product_if_asked(shop):
    """`POST /items` with `include=product` returns the product; another value saves nothing."""
    put(shop, 7, **SHIRT)
    http = shop.customer("3").http
    body = {"productId": 7}
    assert http.post("/items", params={"include": "x"}, json=body).status_code == 400
    for status in (201, 200):
        made = data(http.post("/items", params=INCLUDE, json=body), status)
        assert made["product"] == SHIRT
    assert "product" not in data(http.post("/items", json=body))


@pytest.mark.parametrize("more", [{}, {"tags": ["gift"]}, {"listName": "Birthday"}])
def test_save_returns_the_product_that_reads_return(shop, more):
    """A save with `include=product` returns the same product as a read of its item: of a variant
    with a price of its own, of a deleted product, or none if it is unknown."""
    cheaper = {"variantId": 71, "title": "Small", "price": {"amount": "9.50", "currency": "EUR"}}
    put(shop, 7, **SHIRT, variants=[cheaper, {"variantId": 72}])
    put(shop, 8, **SHIRT)
    shop.admin.delete("/products/8")
    http = shop.customer("4").http
    shown = []
    for product in (
        {"productId": 7, "variantId": 71},
        {"productId": 7, "variantId": 72},
        {"productId": 8},
        {"productId": 9},
    ):
        for status in (201, 200):
            made = data(http.post("/items", params=INCLUDE, json=product | more), status)
            assert made == data(http.get(f"/items/{made['id']}", params=INCLUDE))
        shown.append(made.get("product"))
    assert [it and it.get("price") for it in shown] == [
        cheaper["price"],
        SHIRT["price"],
        None,
        None,
    ]
    assert shown[2:] == [{"deleted": True}, None]


def test_cursor_works_with_and_without_include(world):
    """A cursor works with and without `include`."""
    _, http, _, saved = world
    for first, second in ((INCLUDE, {}), ({}, INCLUDE)):
        cursor = http.get("/items", params={"limit": 3} | first).json()["pageInfo"]["next"]
        [*_, last] = data(http.get("/items", params={"page": cursor} | second))
        assert (last["id"], "product" in last) == (saved[0]["id"], bool(second))


def test_products_with_text_ids_are_included_only_from_their_store(make_shop):
    """Products with text ids are included, and only those of the same store.
    Rules: store-product-ids, store-isolation."""
    shop, other = make_shop("--product-ids", "text"), make_shop("--product-ids", "text")
    put(other, "prod_1", title="Elsewhere")
    http = shop.customer("1").http
    save(http, "prod_1", variantId="Zz:=")
    assert "product" not in data(http.get("/items", params=INCLUDE))[0]
    variants = [{"variantId": "Zz:", "title": "no"}, {"variantId": "Zz:=", "title": "It"}]
    put(shop, "prod_1", title="Here", variants=variants)
    [found] = data(http.get("/items", params=INCLUDE))
    assert found["product"] == {"title": "Here", "variantTitle": "It"}
    on = new_list(http)["id"]
    http.put(f"/items/{found['id']}/lists", json={"listIds": [on]})
    view = shop.anonymous.get(f"/shared/{shared_by(http, on)}", params=INCLUDE)
    assert data(view)["items"][0]["product"] == found["product"]


@pytest.mark.slow
def test_largest_responses_stay_within_the_size_limit(service):
    """The largest possible list and page, with every field at its limit, stay within the size
    limit.
    Rule: profile-limits."""
    kinds = ("profile_write", "profile_read", "admin_write")
    limits = [word for kind in kinds for word in ("--limit", f"{kind}=1000000")]
    shop = Shop(service, *limits, "--limit", "entries=40000")
    http = shop.customer("1").http
    long = {"title": "🎁" * 255, "image": 'https://x.example/?"' + '"' * 2_028}
    price = {"amount": "9" * 12 + ".9999", "currency": "EUR"}
    facts = {**long, "url": long["image"], "price": price, "available": False}
    for at in range(0, 1_000, 20):
        named = [
            {"productId": 2**53 - 1 - n, **facts, "variants": [{"variantId": 2**53 - 1, "title": long["title"]}]}
            for n in range(at, at + 20)
        ]  # fmt: skip
        done(shop.admin.put("/products", json={"products": named}))
    lists = [new_list(http)["id"] for _ in range(40)]
    tags = [f"{n:_>50}" for n in range(20)]
    for at in range(0, 1_000, 40):
        wanted = [
            {"productId": 2**53 - 1 - n, "variantId": 2**53 - 1, "quantity": 1_000_000, "tags": tags,
             "note": "🎁" * 500, "listIds": lists}
            for n in range(at, at + 40)
        ]  # fmt: skip
        data(http.put("/items", json={"items": wanted}))
    for path in (f"/lists/{lists[0]}", "/items?limit=250"):
        assert len(http.get(path).content) <= 8_000_000
        whole = http.get(path, params=INCLUDE | ({"limit": "250"} if "?" in path else {}))
        assert whole.status_code == 200 and "variantTitle" in whole.text[:20_000]
        assert len(whole.content) <= 16_000_000
    assert len(http.get(f"/lists/{lists[0]}", params=INCLUDE).content) > 14_000_000


def test_longest_variants_are_shown_whole(shop):
    """A variant is extracted whole from the stored JSON when all its fields are at their limits."""
    price = {"amount": "9" * 12 + ".9999", "currency": "EUR"}
    longest = {"title": '"' * 255, "image": "https://img.example/" + "\\" * 2028, "price": price}
    longest["url"] = longest["image"]
    variants = [{"variantId": 10**15 + n, **longest, "available": False} for n in range(26)]
    put(shop, 7, title="Shirt", variants=variants)
    http = shop.customer("1").http
    on = new_list(http)["id"]
    for n in (0, 13, 25):
        save(http, 7, variantId=10**15 + n, listIds=[on])
    wanted = {"title": "Shirt", "variantTitle": longest["title"], "available": False}
    wanted["availability"] = "out_of_stock"
    wanted |= without(longest, "title")
    listed = data(http.get(f"/lists/{on}", params=INCLUDE))["items"]
    for found in (data(http.get("/items", params=INCLUDE)), listed):
        assert [item["product"] for item in found] == [wanted] * 3
