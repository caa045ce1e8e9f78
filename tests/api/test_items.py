"""Items, one at a time and many at once."""

import time
import uuid
from typing import Any

import pytest

from tests.servers import PREFIX

from .conftest import (
    ITEM_KEYS,
    LARGEST,
    TIME,
    data,
    done,
    item,
    new_list,
    nothing_changes,
    order_of,
    products,
    refused,
    save,
    whole_list,
)

# --- creating ------------------------------------------------------------------------------------


def test_create_with_only_a_product(http):
    """contract: item-fields, record-times, save-status. The whole record and its place; `quantity`
    1 by default, no `variantId`."""
    began = time.time()
    answer = http.post("/items", json={"productId": 17})
    record = data(answer, 201)
    assert answer.headers["Location"] == f"{PREFIX}/items/{record['id']}"
    fresh = {"productId": 17, "quantity": 1, "tags": [], "listIds": []}
    assert set(record) == ITEM_KEYS and fresh.items() <= record.items()
    assert record["id"] and isinstance(record["id"], str)
    assert TIME.fullmatch(record["createdAt"]) and record["createdAt"] == record["updatedAt"]
    written = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(began))
    assert written <= record["createdAt"], "a time that is UTC"
    assert record["createdAt"] <= time.strftime("%Y-%m-%dT%H:%M:%S.999Z", time.gmtime())
    assert item(http, record["id"]) == record


def test_create_with_every_field(http):
    """contract: item-fields. `POST` may carry `tags` and `listIds`."""
    first, second = new_list(http, "A"), new_list(http, "B")
    ids = [first["id"], second["id"]]
    record = save(http, 1, variantId=2, quantity=3, tags=["gift", "a_b-9"], listIds=ids)
    assert set(record) == ITEM_KEYS | {"variantId"}
    assert (record["productId"], record["variantId"], record["quantity"]) == (1, 2, 3)
    assert (sorted(record["tags"]), sorted(record["listIds"])) == (["a_b-9", "gift"], sorted(ids))
    assert [whole_list(http, id)["items"] for id in ids] == [[record], [record]]


def test_create_twice_is_saving_once(http):
    """contract: save-once, save-status. 200 with the existing one when it was there."""
    record = save(http, 1, variantId=2, quantity=3, tags=["a"])
    again = data(http.post("/items", json={"productId": 1, "variantId": 2}), 200)
    assert again == record | {"updatedAt": again["updatedAt"]}
    assert data(http.get("/items")) == [again]


def test_create_again_sets_what_the_body_names_and_nothing_else(http):
    """contract: save-again. `quantity` and `tags` are set, `listIds` added."""
    first, second = new_list(http, "A"), new_list(http, "B")
    record = save(http, 1, quantity=3, tags=["a", "b"], listIds=[first["id"]])
    body = {"productId": 1, "quantity": 2, "listIds": [second["id"]]}
    again = data(http.post("/items", json=body), 200)
    assert set(again["listIds"]) == {first["id"], second["id"]}
    kept = {"quantity": 2, "listIds": again["listIds"], "updatedAt": again["updatedAt"]}
    assert again == record | kept and again["updatedAt"] >= record["updatedAt"]
    retagged = data(http.post("/items", json={"productId": 1, "tags": ["c"]}), 200)
    assert retagged == again | {"tags": ["c"], "updatedAt": retagged["updatedAt"]}
    cleared = data(http.post("/items", json={"productId": 1, "tags": []}), 200)
    assert cleared["tags"] == [] and cleared["quantity"] == 2
    assert item(http, record["id"]) == cleared


def test_create_with_and_without_variant_are_two_items(http):
    """contract: save-once. No variant is a variant of its own."""
    (
        save(http, 1),
        save(http, 1, variantId=1),
        save(http, 1, variantId=2),
        save(http, 2, variantId=1),
    )
    data(http.post("/items", json={"productId": 1}), 200)
    data(http.post("/items", json={"productId": 1, "variantId": 1}), 200)
    assert len(products(http)) == 4


def test_create_at_the_bounds(http):
    """contract: item-numbers. The bounds themselves are allowed."""
    record = save(http, LARGEST, variantId=LARGEST, quantity=1_000_000)
    assert record["productId"] == record["variantId"] == LARGEST
    assert record["quantity"] == 1_000_000
    tags = [f"{n:02}" + "x" * 48 for n in range(20)]
    assert sorted(save(http, 1, variantId=1, quantity=1, tags=tags)["tags"]) == tags
    assert products(http, f"product:{LARGEST}") == [LARGEST]


@pytest.mark.parametrize("field", ["productId", "variantId", "quantity"])
def test_create_with_a_number_out_of_bounds_is_refused(http, field):
    """contract: item-numbers, body-malformed. A string, a fraction and a boolean as well."""
    above = 1_000_001 if field == "quantity" else LARGEST + 1
    numbers = [-1, 0, above, 2**63 - 1, 2**63, 2**64 + 1, int("9" * 200), -(2**63), 1.5]
    with nothing_changes(http):
        for value in [*numbers, "1", "", True, False, [], {}]:
            body = {"productId": 1} | {field: value}
            refused(http.post("/items", json=body), 400, field)
        bounds = "1000000" if field == "quantity" else "1"
        refused(http.post("/items", json={"productId": 1} | {field: 0}), 400, field, bounds)


def test_create_without_a_product_is_refused(http):
    """contract: item-numbers. `productId` is required on create."""
    with nothing_changes(http):
        refused(http.post("/items", json={}), 400, "productId")
        refused(http.post("/items", json={"productId": None}), 400, "productId")
        refused(http.post("/items", json={"variantId": 1}), 400, "productId")
        refused(http.post("/items"), 400)


BAD_TAGS = [
    [""], ["A"], ["a b"], ["x" * 51], ["\u00e9"], ["a\u0000"], ["a\n"], ["a.b"], [1], [None], [True], [["a"]],
    [f"t{n}" for n in range(21)], ["a", "b", "a"], "a", 1, {}, None, True,
]  # fmt: skip


def test_create_with_bad_tags_is_refused(http):
    """contract: item-tags. At most 20, unique, each 1 to 50 of `a-z 0-9 _ -`."""
    with nothing_changes(http):
        for tags in BAD_TAGS:
            refused(http.post("/items", json={"productId": 1, "tags": tags}), 400, "tags")


def test_create_with_bad_list_ids_is_refused(http):
    """contract: item-list-ids. Lists of the same profile; an unknown or malformed id is 404."""
    kept = new_list(http)
    with nothing_changes(http):
        for value in (1, "x", {}, None, [1], [None], [kept["id"], 1], kept["id"]):
            refused(http.post("/items", json={"productId": 1, "listIds": value}), 400, "listIds")
        for id in (str(uuid.uuid4()), "nonsense", "", "\u0000", "x" * 1000):
            refused(http.post("/items", json={"productId": 1, "listIds": [kept["id"], id]}), 404)


def test_create_with_a_list_twice_or_more_than_250_is_refused(http):
    """contract: item-list-ids. As on a change of an item's lists."""
    kept = new_list(http)["id"]
    saved = save(http, 2)["id"]
    many = [str(uuid.uuid4()) for _ in range(251)]
    with nothing_changes(http):
        for value in ([kept, kept], many):
            refused(http.post("/items", json={"productId": 1, "listIds": value}), 400, "listIds")
            refused(http.put(f"/items/{saved}/lists", json={"listIds": value}), 400, "listIds")


@pytest.mark.parametrize(
    "field", ["id", "profile", "storeId", "createdAt", "updatedAt", "productid", "", "\u0000"]
)
def test_create_with_an_unknown_field_is_refused(http, field):
    """contract: body-unknown-field. An unknown field in a body is 400 and named."""
    with nothing_changes(http):
        words = [field] if field.isprintable() else []
        refused(http.post("/items", json={"productId": 1, field: 1}), 400, *words)


def test_create_over_the_limit_of_items_is_refused(make_shop):
    """contract: item-limit. Too many items; saving one that is there goes on working."""
    shop = make_shop("--limit", "items=2")
    http = shop.customer("1").http
    save(http, 1), save(http, 2)
    with nothing_changes(http):
        refused(http.post("/items", json={"productId": 3}), 400, "2", "items")
    data(http.post("/items", json={"productId": 2, "quantity": 5}), 200)
    save(shop.customer("2").http, 3)
    done(http.request("DELETE", "/items", json={"itemIds": [data(http.get("/items"))[0]["id"]]}))
    save(http, 3)


# --- reading and changing one --------------------------------------------------------------------


def test_update_changes_each_field_alone(http):
    """contract: item-update, item-updated-at. `createdAt` stays; an empty object changes
    nothing."""
    record = save(http, 1, variantId=2, quantity=3, tags=["a"])
    changes = [("productId", 5), ("variantId", 6), ("quantity", 7), ("tags", ["b"]), ("tags", [])]
    for change in ({field: value} for field, value in changes):
        time.sleep(0.002)
        changed = data(http.patch(f"/items/{record['id']}", json=change))
        assert changed == record | change | {"updatedAt": changed["updatedAt"]}
        assert changed["updatedAt"] > record["updatedAt"]
        assert data(http.patch(f"/items/{record['id']}", json={})) == changed
        assert item(http, record["id"]) == changed
        record = changed


def test_update_with_null_clears_the_variant(http):
    """contract: item-variant-null, item-fields. It is left out then."""
    record = save(http, 1, variantId=2)
    changed = data(http.patch(f"/items/{record['id']}", json={"variantId": None}))
    assert set(changed) == ITEM_KEYS
    data(http.post("/items", json={"productId": 1}), 200)
    save(http, 1, variantId=2)


def test_update_that_would_make_two_items_the_same_is_a_conflict(http):
    """contract: item-conflict. With other fields beside it as well."""
    plain, variant, other = save(http, 1), save(http, 1, variantId=2), save(http, 3, variantId=2)
    with nothing_changes(http):
        refused(http.patch(f"/items/{variant['id']}", json={"variantId": None, "quantity": 9}), 409)
        refused(http.patch(f"/items/{plain['id']}", json={"variantId": 2}), 409)
        refused(http.patch(f"/items/{other['id']}", json={"productId": 1, "tags": ["x"]}), 409)
    data(http.patch(f"/items/{plain['id']}", json={"productId": 1}))


def test_update_with_a_bad_value_is_refused(http):
    """contract: item-update. The same bounds as on create; nothing changes."""
    record = save(http, 1, variantId=2)
    bad: list[Any] = [("productId", value) for value in (0, LARGEST + 1, "1", 1.5, True, None)]
    bad += [("variantId", value) for value in (0, -1, "1", True, [])]
    bad += [("quantity", value) for value in (0, 1_000_001, "1", None, False)]
    bad += [("tags", value) for value in BAD_TAGS]
    bad += [
        (field, []) for field in ("listIds", "id", "createdAt", "updatedAt", "profile", "colour")
    ]
    with nothing_changes(http):
        for field, value in bad:
            body = {"quantity": 5} | {field: value}
            refused(http.patch(f"/items/{record['id']}", json=body), 400, field)


# --- the lists of an item ------------------------------------------------------------------------


def test_lists_of_an_item_are_exactly_those_from_now_on(http):
    """contract: item-set-lists. Exactly these; `[]` takes it off all."""
    a, b, c = (new_list(http, name)["id"] for name in "abc")
    record = save(http, 1, listIds=[a, b])
    moved = data(http.put(f"/items/{record['id']}/lists", json={"listIds": [b, c]}))
    assert set(moved["listIds"]) == {b, c}
    assert moved == record | {"listIds": moved["listIds"], "updatedAt": moved["updatedAt"]}
    assert [order_of(http, id) for id in (a, b, c)] == [[], [record["id"]], [record["id"]]]
    assert data(http.put(f"/items/{record['id']}/lists", json={"listIds": []}))["listIds"] == []
    assert [order_of(http, id) for id in (a, b, c)] == [[], [], []]
    assert item(http, record["id"])["listIds"] == []


def test_lists_of_an_item_keep_its_place_on_a_list_where_it_stays(http):
    """contract: item-set-lists-place. A list that is named again is not left."""
    a, b = (new_list(http, name)["id"] for name in "ab")
    made = [save(http, n, listIds=[a])["id"] for n in (1, 2, 3)]
    data(http.put(f"/lists/{a}/items/order", json={"itemIds": made}))
    data(http.put(f"/items/{made[0]}/lists", json={"listIds": [a, b]}))
    assert order_of(http, a) == made


def test_lists_of_an_item_with_an_unknown_list_change_nothing(http, shop):
    """contract: item-set-lists. An unknown list is 404 and nothing changes."""
    a, b = (new_list(http, name)["id"] for name in "ab")
    foreign = new_list(shop.customer("2").http)["id"]
    record = save(http, 1, listIds=[a])
    with nothing_changes(http):
        for unknown in (str(uuid.uuid4()), foreign, "nonsense"):
            refused(http.put(f"/items/{record['id']}/lists", json={"listIds": [b, unknown]}), 404)
        for body in ({}, *({"listIds": value} for value in (None, "x", 1, {}, [1], a))):
            refused(http.put(f"/items/{record['id']}/lists", json=body), 400, "listIds")
        refused(http.put(f"/items/{record['id']}/lists", json={"listIds": [], "x": 1}), 400, "x")


# --- deleting ------------------------------------------------------------------------------------


def test_delete_one(http):
    """contract: item-delete, answer-record. Deleting answers 204; a second time it is not there."""
    kept = new_list(http)
    record, other = save(http, 1, listIds=[kept["id"]]), save(http, 2)
    done(http.delete(f"/items/{record['id']}"))
    refused(http.get(f"/items/{record['id']}"), 404)
    refused(http.delete(f"/items/{record['id']}"), 404)
    assert data(http.get("/items")) == [other]
    assert whole_list(http, kept["id"])["itemCount"] == 0
    assert save(http, 1)["id"] != record["id"]


def test_delete_many_in_the_body_or_in_the_query(http):
    """contract: items-delete, items-delete-query. Both do the same."""
    made = [save(http, n)["id"] for n in range(1, 6)]
    done(http.request("DELETE", "/items", json={"itemIds": made[:2]}))
    assert sorted(products(http)) == [3, 4, 5]
    done(http.delete(f"/items?itemIds={made[2]},{made[3]}"))
    assert products(http) == [5]


def test_delete_many_that_are_gone_is_no_error(http, shop):
    """contract: items-delete. One of somebody else's is as gone."""
    made = [save(http, n)["id"] for n in (1, 2)]
    foreign = save(shop.customer("2").http, 1)["id"]
    body = {"itemIds": [made[0], str(uuid.uuid4()), foreign, "nonsense"]}
    done(http.request("DELETE", "/items", json=body))
    done(http.request("DELETE", "/items", json=body))
    done(http.delete(f"/items?itemIds={uuid.uuid4()}"))
    assert products(http) == [2] and products(shop.customer("2").http) == [1]


def test_delete_many_takes_1_to_250(http):
    """contract: items-delete. 1 to 250 of them."""
    record = save(http, 1)
    ids = [record["id"], *(str(uuid.uuid4()) for _ in range(250))]
    with nothing_changes(http):
        refused(http.request("DELETE", "/items", json={"itemIds": ids}), 400, "itemIds", "250")
        refused(http.request("DELETE", "/items", json={"itemIds": []}), 400, "itemIds")
        refused(http.delete("/items?itemIds="), 400, "itemIds")
        refused(http.delete("/items"), 400, "itemIds")
        refused(http.delete(f"/items?itemIds={','.join(ids)}"), 400, "itemIds", "250")
        for value in (None, ids[0], {}, 1, [1], [ids[0], None]):
            refused(http.request("DELETE", "/items", json={"itemIds": value}), 400, "itemIds")
        refused(http.request("DELETE", "/items", json={"itemIds": ids[:1], "x": 1}), 400, "x")
        refused(http.delete(f"/items?itemIds={ids[0]}&itemIds={ids[0]}"), 400, "itemIds")
        refused(http.delete(f"/items?ids={ids[0]}"), 400, "ids")
    done(http.request("DELETE", "/items", json={"itemIds": ids[:250]}))
    assert products(http) == []
