"""Items, one at a time and many at once; how they change in any order:
tests/contract/test_model.py."""

import time
import uuid
from typing import Any

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


def test_create_with_only_a_product(http):
    """contract: item-fields, record-times, save-status. The whole record, and its place."""
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


def test_create_with_every_field_at_its_bound(http):
    """contract: item-fields, item-numbers, item-tags."""
    on = [new_list(http, name)["id"] for name in "AB"]
    tags = [f"{n:02}" + "x" * 48 for n in range(20)]
    sent = {"variantId": LARGEST, "quantity": 1_000_000, "tags": tags, "listIds": on}
    record = save(http, LARGEST, **sent)
    assert set(record) == ITEM_KEYS | {"variantId"}
    shown = {name: record[name] for name in sent}
    assert shown | {"tags": sorted(shown["tags"]), "listIds": sorted(shown["listIds"])} == sent
    assert [whole_list(http, id)["items"] for id in on] == [[record], [record]]
    assert products(http, f"product:{LARGEST}") == [LARGEST]


def test_create_twice_is_saving_once(http):
    """contract: save-once, save-status, save-again. Each variant, and none, is an item of its own;
    what the body names is set, and its lists are added."""
    first, second = new_list(http, "A")["id"], new_list(http, "B")["id"]
    record = save(http, 1, quantity=3, tags=["a", "b"], listIds=[first])
    save(http, 1, variantId=1), save(http, 1, variantId=2)
    again = data(http.post("/items", json={"productId": 1}), 200)
    assert again == record
    body = {"productId": 1, "quantity": 2, "listIds": [second]}
    again = data(http.post("/items", json=body), 200)
    assert sorted(again["listIds"]) == sorted([first, second])
    kept = {"quantity": 2, "listIds": again["listIds"], "updatedAt": again["updatedAt"]}
    assert again == record | kept and again["updatedAt"] >= record["updatedAt"]
    cleared = data(http.post("/items", json={"productId": 1, "tags": []}), 200)
    assert (cleared["tags"], cleared["quantity"]) == ([], 2)
    assert item(http, record["id"]) == cleared
    assert products(http) == [1, 1, 1]


NO_INTEGERS = [-1, 0, 2**63, 2**64 + 1, int("9" * 200), -(2**63), 1.5, "1", "", True, False, [], {}]
BAD_TAGS = [
    [""], ["A"], ["a b"], ["x" * 51], ["\u00e9"], ["a\u0000"], ["a\n"], ["a.b"], [1], [None], [True], [["a"]],
    [f"t{n}" for n in range(21)], ["a", "b", "a"], "a", 1, {}, None, True,
]  # fmt: skip
BAD: list[tuple[str, Any]] = [
    *(("productId", value) for value in (*NO_INTEGERS, LARGEST + 1, None)),
    *(("variantId", value) for value in (*NO_INTEGERS, LARGEST + 1)),
    *(("quantity", value) for value in (*NO_INTEGERS, 1_000_001, None)),
    *(("tags", value) for value in BAD_TAGS),
    *((field, 1) for field in ("id", "profile", "storeId", "createdAt", "updatedAt", "productid")),
    ("", 1),
]  # fmt: skip


def test_bad_value_is_refused(http):
    """contract: item-numbers, item-tags, item-update, body-malformed, body-unknown-field. On create
    and on change; nothing changes, and the message names the field."""
    record = save(http, 1, variantId=2)
    with nothing_changes(http):
        for field, value in BAD:
            body = {"productId": 1, "quantity": 5} | {field: value}
            refused(http.post("/items", json=body), 400, field)
            refused(http.patch(f"/items/{record['id']}", json=body), 400, field)
        refused(http.post("/items", json={"productId": 1, "quantity": 0}), 400, "1000000")
        for body in ({}, {"variantId": 1}):
            refused(http.post("/items", json=body), 400, "productId")
        refused(http.patch(f"/items/{record['id']}", json={"listIds": []}), 400, "listIds")


def test_update_changes_each_field_alone(http):
    """contract: item-update, item-updated-at, item-variant-null. `createdAt` stays."""
    record = save(http, 1, variantId=2, quantity=3, tags=["a"])
    changes = [("productId", 5), ("variantId", 6), ("quantity", 7), ("tags", ["b"]), ("tags", [])]
    for change in ({field: value} for field, value in changes):
        time.sleep(0.002)
        changed = data(http.patch(f"/items/{record['id']}", json=change))
        assert changed == record | change | {"updatedAt": changed["updatedAt"]}
        assert changed["updatedAt"] > record["updatedAt"]
        assert data(http.patch(f"/items/{record['id']}", json={})) == changed
        record = changed
    cleared = data(http.patch(f"/items/{record['id']}", json={"variantId": None}))
    assert set(cleared) == ITEM_KEYS
    assert item(http, record["id"]) == cleared


def test_update_that_would_make_two_items_the_same_is_a_conflict(http):
    """contract: item-conflict. With other fields beside it as well."""
    plain, variant, other = save(http, 1), save(http, 1, variantId=2), save(http, 3, variantId=2)
    with nothing_changes(http):
        refused(http.patch(f"/items/{variant['id']}", json={"variantId": None, "quantity": 9}), 409)
        refused(http.patch(f"/items/{plain['id']}", json={"variantId": 2}), 409)
        refused(http.patch(f"/items/{other['id']}", json={"productId": 1, "tags": ["x"]}), 409)
    data(http.patch(f"/items/{plain['id']}", json={"productId": 1}))


def test_lists_of_an_item_are_exactly_those_from_now_on(http):
    """contract: item-set-lists, item-set-lists-place. `[]` takes it off all."""
    a, b, c = (new_list(http, name)["id"] for name in "abc")
    other, record = save(http, 2, listIds=[b])["id"], save(http, 1, listIds=[a, b])
    data(http.put(f"/lists/{b}/items/order", json={"itemIds": [record["id"], other]}))
    moved = data(http.put(f"/items/{record['id']}/lists", json={"listIds": [b, c]}))
    assert moved["listIds"] == sorted([b, c])
    assert moved == record | {"listIds": moved["listIds"], "updatedAt": moved["updatedAt"]}
    orders = [[], [record["id"], other], [record["id"]]]
    assert [order_of(http, id) for id in (a, b, c)] == orders
    assert data(http.put(f"/items/{record['id']}/lists", json={"listIds": []}))["listIds"] == []
    assert [order_of(http, id) for id in (a, b, c)] == [[], [other], []]


def test_unknown_list_changes_nothing(http, shop):
    """contract: item-set-lists, item-list-ids. Another's, none, twice, too many; on a save, too."""
    kept, foreign = new_list(http)["id"], new_list(shop.customer("2").http)["id"]
    record = save(http, 1, listIds=[kept])
    many = [str(uuid.uuid4()) for _ in range(251)]
    path, new = f"/items/{record['id']}/lists", {"productId": 2}
    with nothing_changes(http):
        for id in (many[0], foreign, "nonsense", "", "\u0000", "x" * 1000):
            refused(http.put(path, json={"listIds": [kept, id]}), 404)
            refused(http.post("/items", json=new | {"listIds": [kept, id]}), 404)
        for value in (None, "x", 1, {}, [1], [None], [kept, 1], kept, [kept, kept], many):
            refused(http.put(path, json={"listIds": value}), 400, "listIds")
            refused(http.post("/items", json=new | {"listIds": value}), 400, "listIds")
        refused(http.put(path, json={}), 400, "listIds")
        refused(http.put(path, json={"listIds": [], "x": 1}), 400, "x")


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


def test_delete_many(http, shop):
    """contract: items-delete, items-delete-query. Who is gone, or another's, is no error."""
    made = [save(http, n)["id"] for n in range(1, 6)]
    foreign = save(shop.customer("2").http, 1)["id"]
    body = {"itemIds": [*made[:2], str(uuid.uuid4()), foreign, "nonsense"]}
    for _ in range(2):
        done(http.request("DELETE", "/items", json=body))
    assert sorted(products(http)) == [3, 4, 5]
    done(http.delete(f"/items?itemIds={made[2]},{made[3]},{uuid.uuid4()}"))
    assert products(http) == [5] and products(shop.customer("2").http) == [1]


def test_delete_many_takes_1_to_250(http):
    """contract: items-delete, items-delete-query."""
    record = save(http, 1)
    ids = [record["id"], *(str(uuid.uuid4()) for _ in range(250))]
    with nothing_changes(http):
        refused(http.request("DELETE", "/items", json={"itemIds": ids}), 400, "itemIds", "250")
        refused(http.delete(f"/items?itemIds={','.join(ids)}"), 400, "itemIds", "250")
        for path in ("/items?itemIds=", "/items", f"/items?itemIds={ids[0]}&itemIds={ids[0]}"):
            refused(http.delete(path), 400, "itemIds")
        for value in ([], None, ids[0], {}, 1, [1], [ids[0], None]):
            refused(http.request("DELETE", "/items", json={"itemIds": value}), 400, "itemIds")
        refused(http.request("DELETE", "/items", json={"itemIds": ids[:1], "x": 1}), 400, "x")
        refused(http.delete(f"/items?ids={ids[0]}"), 400, "ids")
    done(http.request("DELETE", "/items", json={"itemIds": ids[:250]}))
    assert products(http) == []
