"""Items, singly and in bulk. Random sequences of changes: tests/contract/test_model.py."""

import time
import uuid

from tests.servers import PREFIX

from .conftest import (
    ITEM_KEYS,
    TIME,
    data,
    done,
    item,
    new_list,
    nothing_changes,
    products,
    refused,
    save,
)


def test_new_item_is_returned_complete(http):
    """A new item is returned complete, with 201 and `Location`.
    Rule: save-once."""
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


def test_unknown_list_changes_nothing(http, shop):
    """An unknown or foreign list is refused, and nothing changes.
    Successful changes: tests/contract/test_model.py.
    Rule: item-lists."""
    kept, foreign = new_list(http)["id"], new_list(shop.customer("2").http)["id"]
    record = save(http, 1, listIds=[kept])
    path, new = f"/items/{record['id']}/lists", {"productId": 2}
    with nothing_changes(http):
        for id in (str(uuid.uuid4()), foreign, "nonsense", "", "\u0000", "x" * 1000):
            refused(http.put(path, json={"listIds": [kept, id]}), 404)
            refused(http.post("/items", json=new | {"listIds": [kept, id]}), 404)


def test_bulk_delete_ignores_unknown_deleted_and_foreign_items(http, shop):
    """A bulk delete ignores ids that are deleted, unknown or another profile's.
    Rules: delete-scope, bulk-atomic."""
    made = [save(http, n)["id"] for n in range(1, 6)]
    foreign = save(shop.customer("2").http, 1)["id"]
    body = {"itemIds": [*made[:2], str(uuid.uuid4()), foreign, "nonsense"]}
    for _ in range(2):
        done(http.request("DELETE", "/items", json=body))
    assert sorted(products(http)) == [3, 4, 5]
    done(http.delete(f"/items?itemIds={made[2]},{made[3]},{uuid.uuid4()}"))
    assert products(http) == [5] and products(shop.customer("2").http) == [1]
    done(http.delete(f"/items/{made[4]}"))
    refused(http.delete(f"/items/{made[4]}"), 404)


def test_bulk_delete_accepts_250_ids_in_the_body_or_in_the_query(http):
    """A bulk delete takes 250 ids, in the body or in the query. Rule: bulk-atomic."""
    record = save(http, 1)
    ids = [record["id"], *(str(uuid.uuid4()) for _ in range(249))]
    of_one = f"/items?itemIds={ids[0]}"
    with nothing_changes(http):
        refused(http.delete("/items"), 400, "itemIds")
        refused(http.request("DELETE", of_one, json={"itemIds": ids[:1]}), 400, "not in both")
    done(http.request("DELETE", "/items", json={"itemIds": ids}))
    assert products(http) == []
