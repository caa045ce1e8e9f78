"""Searches: items by their products, lists by name, and deliveries by status."""

import pytest

from tests.conftest import ROOMY, SEALING_KEY, Shop
from tests.servers import wait_until

from .conftest import data, done, new_list, refused, save, walk
from .test_store_shown import FOUND, TITLES

OPEN = {f"WISHWELL_WEBHOOK_{name}": "true" for name in ("HTTP", "PRIVATE")}


@pytest.mark.both_engines
def test_items_are_found_by_the_title_of_their_product(roomy_shop):
    """A search by title finds the same items as that of products, in pages of every order, and
    combines with the list. Rules: search-terms, cursor-pagination, item-sort."""
    http = roomy_shop.customer().http
    named = [{"productId": n + 1, "title": title} for n, title in enumerate(TITLES)]
    done(roomy_shop.admin.put("/products", json={"products": named}))
    on = new_list(http)["id"]
    for product in range(1, len(TITLES) + 2):  # the last has no data
        save(http, product, listIds=[on] if product % 2 else [])
    found = {}
    for query in FOUND:
        items = data(http.get("/items", params={"query": query}))
        assert all("product" not in item for item in items)
        found[query] = sorted(item["productId"] - 1 for item in items)
    assert found == FOUND
    for sort in ("newest", "oldest", "title"):
        whole = data(http.get("/items", params={"query": "title:e", "sort": sort}))
        assert len(whole) == 5
        pages = walk(http, "/items", limit=2, query="title:e", sort=sort)
        assert [item for page in pages for item in page] == whole
        products = [item["productId"] for item in whole]
        assert sort == "title" or products == sorted(products, reverse=sort == "newest")
    listed = data(http.get("/items", params={"query": f"title:e list:{on}"}))
    assert {item["productId"] for item in listed} == {1, 3}
    assert data(roomy_shop.customer().http.get("/items?query=title:e")) == []


@pytest.mark.both_engines
def test_items_are_found_by_availability_of_their_variant(roomy_shop):
    """A variant's own availability decides, then that of the product; a deleted product and one
    without data are unknown. Rule: search-terms."""
    http, admin = roomy_shop.customer().http, roomy_shop.admin
    variants = [{"variantId": 7, "available": False}, {"variantId": 8, "title": "Blue"}]
    on_order = {"availability": "backorder", "title": "On order"}
    for product, body in (
        (1, {"title": "One", "available": True, "variants": variants}),
        (2, {"title": "Two", "available": False}),
        (3, on_order),
        (4, {"title": "Four"}),
        (5, {"title": "Five", "available": True}),
    ):
        data(admin.put(f"/products/{product}", json=body))
    for variant in (None, 7, 8):
        save(http, 1, **({} if variant is None else {"variantId": variant}))
    for product in range(2, 7):
        save(http, product)
    done(admin.delete("/products/5"))

    def found(query):
        items = data(http.get("/items", params={"query": query, "include": "product"}))
        return {(item["productId"], item.get("variantId")) for item in items}

    assert found("available:true") == {(1, None), (1, 8), (3, None)}
    assert found("available:false") == {(1, 7), (2, None)}
    assert found("available:unknown") == {(4, None), (5, None), (6, None)}
    assert found("available:false,unknown title:o") == {(1, 7), (2, None), (4, None)}
    assert found("available:true available:false") == set()
    assert found("available:true variant:8") == {(1, 8)}
    refused(http.get("/items?query=available:maybe"), 400, "true, false or unknown")
    for query in ("available:true", "title:one"):
        refused(admin.get("/items", params={"query": query}), 400, "Profile")


@pytest.mark.both_engines
def test_lists_are_found_by_name(shop, http):
    """A search finds any part of a list's name, without case, in pages. Rule: search-terms."""
    made = [new_list(http, name)["id"] for name in ("Geburtstag Ä", "Birthday", "BIRTHDAY 2", "*")]
    new_list(shop.customer("2").http, "Birthday")

    def found(query):
        return [each["id"] for each in data(http.get("/lists", params={"query": query}))]

    assert found("name:birthday") == [made[2], made[1]]
    assert found("name:birthday name:2") == [made[2]]
    assert found("name:ä,*") == [made[3], made[0]]
    assert found("") == made[::-1]
    assert found("name:[a-z]") == []
    pages = walk(http, "/lists", limit=1, query="name:birthday")
    assert [each["id"] for page in pages for each in page] == [made[2], made[1]]
    refused(http.get("/lists?query=title:a"), 400, "name:")
    refused(shop.admin.get("/lists?query=name:a"), 400, "Profile")


@pytest.mark.both_engines
@pytest.mark.xdist_group("webhooks")
def test_deliveries_are_listed_by_status(new_service):
    """`status` lists the deliveries with it, in pages; cursors belong to the status."""
    service = new_service(**OPEN, WISHWELL_SEALING_KEYS=SEALING_KEY).start()
    shop = Shop(service, *ROOMY, "--events", "on")
    hook = data(shop.admin.post("/webhooks", json={"url": "http://127.0.0.1:9/closed"}), 201)
    path = f"/webhooks/{hook['id']}/deliveries"
    tests = [data(shop.admin.post(f"/webhooks/{hook['id']}/test"))["id"] for _ in range(3)]

    def failed():
        return [each["id"] for each in data(shop.admin.get(f"{path}?status=failed"))]

    assert wait_until(lambda: failed() == tests[::-1], seconds=60)
    save(shop.customer().http, 1)

    def pending():
        return [each["type"] for each in data(shop.admin.get(f"{path}?status=pending"))]

    assert wait_until(lambda: pending() == ["item.created"], seconds=60)
    assert failed() == tests[::-1]
    assert data(shop.admin.get(f"{path}?status=delivered")) == []
    pages = walk(shop.admin, path, limit=2, status="failed")
    assert [each["id"] for page in pages for each in page] == tests[::-1]
    cursor = shop.admin.get(f"{path}?status=failed&limit=2").json()["pageInfo"]["next"]
    refused(shop.admin.get(path, params={"page": cursor}), 400)
    refused(shop.admin.get(f"{path}?status=lost"), 400, "failed")
