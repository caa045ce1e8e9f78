"""The order of items in responses, which ``sort`` selects."""

from .conftest import data, new_list, refused, save


def test_items_and_lists_are_sorted_on_request(shop):
    """``sort`` orders items and a list, with and without products; cursors belong to one order.
    Rules: item-sort, list-sort, cursor-pagination."""
    http = shop.customer().http
    on = new_list(http)["id"]
    for product, title, price in ((901, "beta", "3"), (902, "Alpha", "20"), (903, "gamma", None)):
        body = {"title": title} | ({"price": {"amount": price, "currency": "EUR"}} if price else {})
        data(shop.admin.put(f"/products/{product}", json=body))
        save(http, product, listIds=[on])
    orders = {
        "newest": [903, 902, 901],
        "custom": [903, 902, 901],
        "oldest": [901, 902, 903],
        "price": [901, 902, 903],
        "title": [902, 901, 903],
    }
    for sort, expected in orders.items():
        for more in ({}, {"include": "product"}):
            found = data(http.get("/items", params={"sort": sort, **more}))
            listed = data(http.get(f"/lists/{on}", params={"sort": sort, **more}))["items"]
            for items in (found, listed):
                assert [item["productId"] for item in items] == expected
                assert all(("product" in item) == bool(more) for item in items)
        whole = shop.admin.get("/items", params={"sort": sort, "query": f"list:{on}"})
        if sort in ("price", "title"):
            assert "Profile" in refused(whole, 400)
        else:
            assert [item["productId"] for item in data(whole)] == expected
    first = http.get("/items", params={"sort": "price", "limit": 1}).json()
    after = {"limit": 1, "page": first["pageInfo"]["next"]}
    assert data(http.get("/items", params={"sort": "price", **after}))[0]["productId"] == 902
    for other in ({}, {"sort": "title"}, {"sort": "oldest"}):
        refused(http.get("/items", params=after | other), 400)
    refused(http.get("/items?sort=random"), 400)
    refused(http.get(f"/lists/{on}?sort=random"), 400)
