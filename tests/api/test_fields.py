"""Fields of items and lists: each is saved, changed, emitted, exported, merged and copied.

A line in ``ITEM`` or ``LIST`` takes a new field through all tests of this module.
"""

import json
from typing import Any, NamedTuple

import msgspec
import pytest

from tests import schema
from tests.api.conftest import data, refused, save
from tests.servers import wait_until
from wishwell.db import statements
from wishwell.http import request_types
from wishwell.transfer.file_records import ItemRecord, ListRecord
from wishwell.wishlists import items, lists

pytestmark = pytest.mark.both_engines("each field is a column of both")


class Field(NamedTuple):
    """Two values of a field, and what a sign-in makes of them if the first is the customer's.

    ``shared``: whether a shared list shows the field, so that a copy takes it.
    """

    first: Any
    second: Any
    merged: Any
    shared: bool = False


ITEM = {
    "quantity": Field(2, 3, merged=3, shared=True),
    "tags": Field(["a"], ["b"], merged=["a", "b"]),
    "note": Field("Anna", "Ben", merged="Anna", shared=True),
}
LIST = {"name": Field("Gifts", "Garden", merged="Gifts")}

GIVEN_BY_THE_SERVICE = {"id", "createdAt", "updatedAt", "itemCount", "items", "profile", "product"}
GIVEN_BY_THE_SERVICE |= {"purchased", "savedPrice"}
OF_OTHER_TESTS = {"productId", "variantId", "listIds"}


@pytest.fixture
def event_shop(make_shop):
    """A new store with events on."""
    return make_shop("--events", "on")


def first(fields):
    return {name: field.first for name, field in fields.items()}


def second(fields):
    return {name: field.second for name, field in fields.items()}


def shown(record, fields):
    """Returns these fields of a response, with their values."""
    return {name: record[name] for name in fields if name in record}


def events_of(shop, noun, id):
    """Returns the types and data of a record's events, once one says that it was deleted."""
    found: list[tuple[str, dict]] = []

    def deleted():
        events = shop.admin.get("/events", params={"limit": 250}).json()["data"]
        every = [(event["type"], event["data"]) for event in events]
        found[:] = [(type_, body) for type_, body in every if body.get(noun, {}).get("id") == id]
        return found and found[-1][0] == f"{noun}.deleted"

    assert wait_until(deleted, seconds=30, every=0.05)
    return found


PLACES: dict[str, tuple[dict[str, Field], list[Any]]] = {
    "item": (
        ITEM,
        [
            items.Item,
            items.NewItem,
            items.ItemPatch,
            request_types.NewItemBody,
            request_types.ItemPatchBody,
            ItemRecord,
        ],
    ),
    "list": (
        LIST,
        [
            lists.List,
            lists.ListFields,
            request_types.NewListBody,
            request_types.ListPatchBody,
            ListRecord,
        ],
    ),
}
"""The types that have each field of a noun."""


@pytest.mark.parametrize("noun", PLACES)
def test_every_settable_field_is_listed_and_in_all_places(noun):
    """Each field that a client may set is listed at the head of this file, and every place that
    needs it has it."""
    known, (shape, *others) = PLACES[noun]
    names = {field.encode_name: field.name for field in msgspec.structs.fields(shape)}
    untested = names.keys() - GIVEN_BY_THE_SERVICE - OF_OTHER_TESTS - known.keys()
    assert not untested, f"fields of {shape.__name__} without a line in {__file__}"
    places = {place.__name__: place.__struct_fields__ for place in others}
    places |= {f"{noun}s.sql": statements.columns(f"{noun}_fields")}
    places |= {"the migrations": schema.tables()[f"{noun}s"]}
    unknown = [name for name in known if name not in names]
    assert not unknown, f"{shape.__name__} doesn't have these fields"
    lacking = [
        f"{place} lacks {n}" for n in known for place, at in places.items() if names[n] not in at
    ]
    assert not lacking


def test_every_way_to_save_or_change_an_item_takes_each_field(event_shop):
    """Every way to save or change an item takes each field, and its events name what changed.
    Rules: save-once, event-changed."""
    http = event_shop.customer().http
    made = save(http, 1, **first(ITEM))
    path = f"/items/{made['id']}"
    assert shown(made, ITEM) == shown(data(http.get(path)), ITEM) == first(ITEM)
    assert shown(data(http.get("/items"))[0], ITEM) == first(ITEM)
    [again] = data(http.put("/items", json={"items": [{"productId": 1, **second(ITEM)}]}))
    assert shown(again, ITEM) == second(ITEM)
    assert shown(data(http.patch(path, json=first(ITEM))), ITEM) == first(ITEM)
    for name, field in ITEM.items():  # without tags, one statement does it
        changed = data(http.patch(path, json={name: field.second}))
        assert shown(changed, ITEM)[name] == field.second
        data(http.post("/items", json={"productId": 1, name: field.first}))
        data(http.post("/items", json={"productId": 1, name: field.first}))
    assert shown(data(http.get(path)), ITEM) == first(ITEM)
    assert http.delete(path).status_code == 204
    events = events_of(event_shop, "item", made["id"])
    updates = [body["changed"] for type_, body in events if type_ == "item.updated"]
    assert [*map(sorted, updates[:2])] == [sorted(ITEM)] * 2
    assert updates[2:] == [[name] for name in ITEM for _ in range(2)]
    assert shown(events[0][1]["item"], ITEM) == shown(events[-1][1]["item"], ITEM) == first(ITEM)


def test_every_way_to_save_or_change_a_list_takes_each_field(event_shop):
    """Every way to save or change a list takes each field, and its events name what changed.
    Rule: event-changed."""
    http = event_shop.customer().http
    made = data(http.post("/lists", json=first(LIST)), 201)
    path = f"/lists/{made['id']}"
    assert shown(made, LIST) == shown(data(http.get(path)), LIST) == first(LIST)
    for name, field in LIST.items():
        changed = data(http.patch(path, json={name: field.second}))
        assert shown(changed, LIST) == first(LIST) | {name: field.second}
        data(http.patch(path, json={name: field.second}))
        data(http.patch(path, json={name: field.first}))
    assert shown(data(http.get("/lists"))[0], LIST) == first(LIST)
    assert http.delete(path).status_code == 204
    events = events_of(event_shop, "list", made["id"])
    updates = [body["changed"] for type_, body in events if type_ == "list.updated"]
    assert updates == [[name] for name in LIST for _ in range(2)]
    assert shown(events[-1][1]["list"], LIST) == first(LIST)


@pytest.mark.parametrize("noun", ["item", "list"])
def test_text_that_is_too_long_or_has_control_characters_is_refused(service, shop, tmp_path, noun):
    """Requests and imports refuse a text that is too long or has a control character.
    Rule: import-checked."""
    http, fields = shop.customer().http, {"item": ITEM, "list": LIST}[noun]
    new = first(fields) | ({"productId": 1} if noun == "item" else {})
    path = f"/{noun}s/{data(http.post(f'/{noun}s', json=new), 201)['id']}"
    written = service.quick("export", "--store", shop.handle)
    file = tmp_path / "store.jsonl"
    for name in (name for name, field in fields.items() if isinstance(field.first, str)):
        for text in ("bell \x07", "x" * 10_000):
            refused(http.post(f"/{noun}s", json=new | {name: text}), 400, name)
            refused(http.patch(path, json={name: text}), 400, name)
            file.write_text(
                written.replace(f'"{name}":"{new[name]}"', json.dumps({name: text})[1:-1])
            )
            code, _, said = service.attempt("import", str(file), "--store", shop.handle)
            assert code and f"{noun}.{name}: " in said, f"{name} of an import: {said}"


def test_fields_survive_an_export(service, shop, make_shop, tmp_path):
    """An export has each field of items and lists, and an import restores it. An item without
    optional fields has none of them in the export, not even as null, and none after the import.
    Rule: export-whole."""
    http = shop.customer("1").http
    data(http.post("/lists", json=first(LIST)), 201)
    save(http, 1, **first(ITEM))
    plain = save(http, 2)
    file = tmp_path / "store.jsonl"
    file.write_text(service.quick("export", "--store", shop.handle))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    exported = {line["item"]["productId"]: line["item"] for line in lines if "item" in line}
    required = {"id", "productId", "createdAt", "updatedAt"}
    assert exported[2] == {name: plain[name] for name in required}
    other = make_shop()
    service.quick("import", str(file), "--store", other.handle)
    moved = other.customer("1").http
    restored = {item["productId"]: item for item in data(moved.get("/items"))}
    assert shown(restored[1], ITEM) == first(ITEM)
    assert restored[2] == plain
    assert shown(data(moved.get("/lists"))[0], LIST) == first(LIST)


def test_sign_in_merges_each_field_of_an_item(shop):
    """A sign-in merges each field as ``ITEM`` says. What the customer lacks is the session's.
    Rule: link-merges-items."""
    visitor, customer = shop.session(), shop.customer()
    for product, given in ((1, first(ITEM)), (2, {})):
        save(customer.http, product, **given)
        save(visitor.http, product, **second(ITEM))
    save(visitor.http, 3, **second(ITEM))
    data(visitor.http.post("/lists", json=second(LIST)), 201)
    shop.token(customer=customer.gid, session=visitor.gid)
    merged = {item["productId"]: shown(item, ITEM) for item in data(customer.http.get("/items"))}
    assert merged[1] == {name: field.merged for name, field in ITEM.items()}
    assert merged[2] == merged[3] == second(ITEM)
    assert shown(data(customer.http.get("/lists"))[0], LIST) == second(LIST)


def test_sign_in_merges_each_field_of_a_list(shop):
    """A sign-in merges lists with the same name, and keeps the customer's fields.
    Rule: link-merges-lists."""
    visitor, customer = shop.session(), shop.customer()
    data(customer.http.post("/lists", json=first(LIST)), 201)
    data(visitor.http.post("/lists", json=second(LIST) | {"name": LIST["name"].first}), 201)
    shop.token(customer=customer.gid, session=visitor.gid)
    [merged] = data(customer.http.get("/lists"))
    assert shown(merged, LIST) == {name: field.merged for name, field in LIST.items()}


def test_copy_takes_only_the_fields_that_a_shared_list_shows(shop):
    """A shared list shows only the fields that ``ITEM`` calls shared, and a copy takes only them.
    The request may give the new list each field of a list. Rules: shared-hides-owner, copy-list."""
    owner, reader = shop.customer(), shop.customer()
    made = data(owner.http.post("/lists", json=first(LIST)), 201)
    save(owner.http, 1, listIds=[made["id"]], **first(ITEM))
    share = data(owner.http.post(f"/lists/{made['id']}/shares", json={"notes": True}), 201)
    path = f"/shared/{share['token']}"
    [seen] = data(reader.http.get(path))["items"]
    expected = {name: field.first for name, field in ITEM.items() if field.shared}
    assert shown(seen, ITEM) == expected
    copy = data(reader.http.post(f"{path}/copies", json=second(LIST)), 201)
    assert shown(copy, LIST) == second(LIST)
    [copied] = data(reader.http.get("/items"))
    plain = shown(save(reader.http, 2), ITEM)
    assert shown(copied, ITEM) == plain | expected


def test_saved_price_is_exported_but_never_shared(service, shop, make_shop, tmp_path):
    """An export has an item's saved price, and an import restores it, without the product; a shared
    list doesn't show it. Rules: saved-price, shared-hides-owner."""
    price = {"amount": "19.90", "currency": "EUR"}
    data(shop.admin.put("/products/77", json={"price": price}))
    http = shop.customer("77").http
    on = data(http.post("/lists", json={"name": "Gifts"}), 201)["id"]
    assert save(http, 77, listIds=[on])["savedPrice"] == price
    token = data(http.post(f"/lists/{on}/shares"), 201)["token"]
    assert "savedPrice" not in shop.anonymous.get(f"/shared/{token}?include=product").text
    assert data(http.get("/profile/export"))["items"][0]["savedPrice"] == price
    lines = service.quick("export", "--store", shop.handle).splitlines(keepends=True)
    file = tmp_path / "store.jsonl"
    file.write_text("".join(line for line in lines if not line.startswith('{"product"')))
    other = make_shop()
    service.quick("import", str(file), "--store", other.handle)
    assert data(other.customer("77").http.get("/items"))[0]["savedPrice"] == price
    file.write_text(file.read_text().replace('"amount":"19.90"', '"amount":"cheap"'))
    code, _, said = service.attempt("import", str(file), "--store", other.handle)
    assert code and "item.savedPrice.amount: " in said
