"""PUT /items: several items, saved at once."""

import concurrent.futures

import pytest

from tests.conftest import Shop

from .conftest import data, item, new_list, nothing_changes, products, refused, save, whole_list
from .test_events import awaited, end


@pytest.fixture
def http(shop):
    return shop.customer("1").http


def put(http, *wanted, status=200):
    return data(http.put("/items", json={"items": list(wanted)}), status)


def of(product, **fields):
    return {"productId": product, **fields}


def test_items_are_saved_in_the_order_sent(http):
    """contract: items-put, items-put-new. Of the new ones the first is the newest, in a page and on a
    list; what was there keeps its id and place."""
    there = save(http, 2)
    on = new_list(http)["id"]
    found = put(http, of(1, listIds=[on]), of(2), of(3, variantId=4, listIds=[on]), of(3))
    assert [(made["productId"], made.get("variantId")) for made in found] == [
        (1, None),
        (2, None),
        (3, 4),
        (3, None),
    ]
    assert found[1] == there
    assert [item(http, made["id"]) for made in found] == found
    assert products(http) == [1, 3, 3, 2]
    assert [made["id"] for made in whole_list(http, on)["items"]] == [
        found[0]["id"],
        found[2]["id"],
    ]


BEFORE = [
    of(1, quantity=2, tags=["a"], note="x"),
    of(2),
    of(3, note="y"),
    of(4, tags=["a", "b"]),
    of(7),
]
WANTED = [
    of(9, quantity=3, tags=["new"], note="n"), of(1), of(2, quantity=5, note="z"), of(3, note=None),
    of(4, tags=["b", "a"]), of(8), of(7, quantity=1, tags=[], note=""), of(6, note="", tags=[]),
]  # fmt: skip


@pytest.mark.parametrize("text_ids", [False, True])
def test_each_is_saved_as_a_post_would(service, text_ids):
    """contract: items-put, save-again, event-changed. Fields, lists, times that move and events are
    those of one post after the other."""
    shop = Shop(service, "--events", "on", *["--product-ids", "text"][: 2 * text_ids])
    ones = []
    for many in (False, True):
        begin = end(shop)
        http = shop.customer(f"of-{many}").http
        on = [new_list(http, name)["id"] for name in "ab"]
        named = [[{**wanted, "productId": f"p:{wanted['productId']}" if text_ids else wanted["productId"]}
                  for wanted in group] for group in (BEFORE, WANTED)]  # fmt: skip
        before = [
            data(http.post("/items", json=wanted | {"listIds": on[:1]}), 201) for wanted in named[0]
        ]
        wanted = [entry | {"listIds": on[: at % 3]} for at, entry in enumerate(named[1])]
        if many:
            found = put(http, *wanted)
        else:
            found = [http.post("/items", json=entry).json()["data"] for entry in wanted]
        times = {made["id"]: made["updatedAt"] for made in before}
        shown = [
            plain(made, on) | {"moved": made["updatedAt"] > times.get(made["id"], "")}
            for made in found
        ]
        told = awaited(shop, begin, 13)[7:]
        ones.append(
            (
                shown,
                [(e["type"], e["data"].get("changed"), plain(e["data"]["item"], on)) for e in told],
            )
        )
        tagged = data(http.get("/items?query=tag:new,b"))
        assert len(tagged) == 2
        sizes = [(held["name"], held["itemCount"]) for held in data(http.get("/lists"))]
        assert sizes == [("b", 2), ("a", 7)]
    assert ones[0] == ones[1]


def plain(made, lists):
    """An item but for what no two saves have in common."""
    kept = {k: v for k, v in made.items() if k not in ("id", "createdAt", "updatedAt")}
    return kept | {"listIds": sorted(lists.index(on) for on in made["listIds"])}


def test_at_the_bound_and_past_it(http):
    """contract: items-put. 1 to 250, each product and variant once."""
    many = [of(n, variantId=n % 3 or None) for n in range(1, 252)]
    assert len(put(http, *many[:250])) == 250
    with nothing_changes(http):
        for wanted in (
            [],
            many,
            [of(1), of(1, quantity=2)],
            [of(1, variantId=2), of(2), of(1, variantId=2)],
        ):
            refused(http.put("/items", json={"items": wanted}), 400, "items")
        refused(http.put("/items", json={}), 400, "items")
        refused(http.put("/items"), 400, "items")
        refused(http.put("/items", json={"items": [of(1)], "x": 1}), 400, "x")
        refused(http.put("/items", json={"items": [of(1), 7]}), 400, "items[1]")
    assert [made["quantity"] for made in put(http, of(1, variantId=1), of(1, variantId=None))] == [
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("bad", "status", "words"),
    [
        (of("x"), 400, ["items[1].productId"]), (of(0), 400, ["items[1].productId"]),
        (of(5, quantity=0), 400, ["items[1].quantity"]), (of(5, tags=["A"]), 400, ["items[1].tags"]),
        (of(5, tags=["a", "a"]), 400, ["items[1].tags"]), (of(5, note="\0"), 400, ["items[1].note"]),
        (of(5, listIds=["x"]), 404, ["items[1].listIds"]), (of(5, colour=1), 400, ["items[1].colour"]),
        (of(5, listIds=["x", "x"]), 400, ["items[1].listIds"]), ({}, 400, ["items[1].productId"]),
    ],
)  # fmt: skip
def test_refusal_in_the_middle_saves_nothing(http, bad, status, words):
    """contract: items-put-all, item-list-ids. The message names the place; what was there stays too."""
    save(http, 1)
    with nothing_changes(http):
        refused(http.put("/items", json={"items": [of(1, quantity=9), bad, of(3)]}), status, *words)


def test_bounds_in_the_middle_save_nothing(make_shop):
    """contract: items-put-all, item-limit, list-item-limit, place-limit. Each bound is reached and not
    passed; what is there already takes no room."""
    shop = make_shop("--limit", "items=6", "--limit", "list_items=3", "--limit", "entries=4")
    http = shop.customer("1").http
    one, two = (new_list(http)["id"] for _ in range(2))
    put(http, *[of(n, listIds=[one]) for n in (1, 2)])
    with nothing_changes(http):
        for wanted, words in (
            ([of(n) for n in range(1, 8)], ["6 items"]),
            (
                [of(n, listIds=[one]) for n in (1, 2, 3, 4)],
                ["items[3].listIds", "a list", "3 items"],
            ),
            (
                [of(1, listIds=[two]), of(2), of(3, listIds=[one, two])],
                ["items[2].listIds", "4 items"],
            ),
        ):
            refused(http.put("/items", json={"items": wanted}), 400, *words)
    put(http, of(1, listIds=[one]), of(3, listIds=[one]), of(4, listIds=[two]), of(5), of(6))
    assert len(put(http, *[of(n, quantity=2) for n in range(1, 7)])) == 6


def test_bound_of_items_is_exact_at_once(make_shop):
    """contract: limit-exact, items-put-all. Ten at once of 30 items each, where there is room for 100:
    three are saved whole, and the others not at all."""
    shop = make_shop("--limit", "items=100")
    http = shop.customer("1").http
    wanted = [{"items": [of(100 * n + k) for k in range(1, 31)]} for n in range(10)]
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        answers = [*pool.map(lambda body: http.put("/items", json=body).status_code, wanted)]
    assert sorted(answers) == [200] * 3 + [400] * 7
    assert len(products(http)) == 50
    assert len(data(http.get("/items?limit=250"))) == 90
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # the same, at once: saved once
        same = [*pool.map(lambda _: http.put("/items", json={"items": [of(1), of(2)]}), range(4))]
    assert len({tuple(made["id"] for made in data(answer)) for answer in same}) == 1


def test_is_one_request_for_the_limits_and_needs_an_owner(shop):
    """contract: items-put, whole-store-create."""
    http = shop.customer("1").http
    left = [
        int(
            http.put("/items", json={"items": [of(n) for n in range(1, 60)]}).headers[
                "X-RateLimit-Remaining"
            ]
        )
        for _ in range(2)
    ]
    assert left[0] - left[1] in (1, left[0] - 238)
    refused(shop.admin.put("/items", json={"items": [of(1)]}), 400, "Profile")
    [made] = put(shop.acting_as(shop.gid("2")), of(1))
    assert "profile" not in made
