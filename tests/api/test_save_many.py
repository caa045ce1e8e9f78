"""PUT /items: a bulk save. Each item behaves as in a single save: tests/contract/test_model.py."""

from .conftest import data, new_list, nothing_changes, refused, save


def put(http, *wanted):
    return data(http.put("/items", json={"items": list(wanted)}))


def new_item(product, **fields):
    return {"productId": product, **fields}


def test_bulk_save_accepts_1_to_250_items(http):
    """A bulk save takes 1 to 250 items, each product and variant once. Rule: bulk-atomic."""
    assert len(put(http, *[new_item(n, variantId=n % 3 or None) for n in range(1, 251)])) == 250
    with nothing_changes(http):
        twice = [new_item(1, variantId=2), new_item(2), new_item(1, variantId=2)]
        for wanted in ([new_item(1), new_item(1, quantity=2)], twice):
            refused(http.put("/items", json={"items": wanted}), 400, "items")
    assert len(put(http, new_item(1, variantId=1), new_item(1, variantId=None))) == 2


def test_bulk_save_with_one_bad_item_saves_nothing(http):
    """One bad item refuses the whole save; the message names its index.
    Rules: bulk-atomic, item-lists."""
    save(http, 1)
    with nothing_changes(http):
        for bad, status, place in (
            (new_item("x"), 400, "productId"),
            (new_item(5, listIds=["x"]), 404, "listIds"),
        ):
            wanted = {"items": [new_item(1, quantity=9), bad, new_item(3)]}
            refused(http.put("/items", json=wanted), status, f"items[1].{place}")


def test_bulk_save_over_a_limit_saves_nothing(make_shop):
    """A save that would exceed a limit saves nothing.
    Rules: bulk-atomic, profile-limits."""
    shop = make_shop("--limit", "items=6", "--limit", "list_items=3", "--limit", "entries=4")
    http = shop.customer("1").http
    one, two = (new_list(http)["id"] for _ in range(2))
    put(http, *[new_item(n, listIds=[one]) for n in (1, 2)])
    with nothing_changes(http):
        too_many = [new_item(n) for n in range(1, 8)]
        on_one = [new_item(n, listIds=[one]) for n in (1, 2, 3, 4)]
        on_both = [new_item(1, listIds=[two]), new_item(2), new_item(3, listIds=[one, two])]
        for wanted, *words in (
            (too_many, "6 items"),
            (on_one, "items[3].listIds", "a list", "3 items"),
            (on_both, "items[2].listIds", "4 items"),
        ):
            refused(http.put("/items", json={"items": wanted}), 400, *words)
    put(
        http,
        new_item(1, listIds=[one]),
        new_item(3, listIds=[one]),
        new_item(4, listIds=[two]),
        new_item(5),
        new_item(6),
    )
    assert len(put(http, *[new_item(n, quantity=2) for n in range(1, 7)])) == 6


def test_bulk_save_counts_as_one_request_and_needs_a_profile(shop):
    """A bulk save counts as one request and needs a profile.
    Rules: bulk-atomic, profile-header."""
    http = shop.customer("1").http
    body = {"items": [new_item(n) for n in range(1, 60)]}
    answers = [http.put("/items", json=body) for _ in range(2)]
    left = [int(answer.headers["X-RateLimit-Remaining"]) for answer in answers]
    assert left[0] - left[1] in (1, left[0] - 238)
    refused(shop.admin.put("/items", json={"items": [new_item(1)]}), 400, "Profile")
    [made] = put(shop.acting_as(shop.gid("2")), new_item(1))
    assert "profile" not in made
