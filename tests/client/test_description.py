"""The client and the description of the API say the same, so that neither drifts from the other."""

import re
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import UnionType
from typing import Any, get_args

import msgspec
import pytest

from tests.client.recorded import call_of
from wishwell.client import Wishwell, calls, records
from wishwell.client.records import (
    Item,
    List,
    Money,
    NewItem,
    NewProduct,
    Page,
    Product,
    ProfileToken,
    Variant,
)
from wishwell.http import management

ROOT = Path(__file__).parents[2]
DOCUMENT = msgspec.json.decode(management.description())
ID = "01964a1b-0739-7128-a24b-e40ad23f0824"
PRICE = Money("1", "EUR")
BLUE = Variant(1, "t", "http://i", PRICE, True)
SHIRT = NewProduct(ID, "t", "http://u", "http://i", PRICE, True, (BLUE,))
USES: dict[str, Callable[[Wishwell], Any]] = {
    "listItems": lambda of: of.items.list(page="c", limit=5, query="tag:a", include="product"),
    "createItem": lambda of: of.items.create(
        1, variant_id=2, quantity=3, tags=["a"], note="n", list_ids=[ID]
    ),
    "saveItems": lambda of: of.items.save_many([NewItem(1)]),
    "deleteItems": lambda of: of.items.delete_many([ID]),
    "getItem": lambda of: of.items.find(ID, include="product"),
    "updateItem": lambda of: of.items.update(
        ID, product_id=1, variant_id=2, quantity=3, tags=["a"], note="n"
    ),
    "deleteItem": lambda of: of.items.delete(ID),
    "setItemLists": lambda of: of.items.set_lists(ID, [ID]),
    "listLists": lambda of: of.lists.list(page="c", limit=5),
    "createList": lambda of: of.lists.create("a"),
    "getList": lambda of: of.lists.find(ID, sort="customer", include="product"),
    "updateList": lambda of: of.lists.update(ID, name="a"),
    "deleteList": lambda of: of.lists.delete(ID),
    "orderListItems": lambda of: of.lists.order(ID, [ID]),
    "putListItem": lambda of: of.lists.put_item(ID, ID, after=None),
    "removeListItem": lambda of: of.lists.remove_item(ID, ID),
    "listShares": lambda of: of.shares.list(ID, page="c", limit=5),
    "createShare": lambda of: of.shares.create(
        ID, expires_at=datetime(2125, 4, 18, tzinfo=UTC), reservations=True, notes=True
    ),
    "updateShare": lambda of: of.shares.update(
        ID, ID, expires_at=None, reservations=True, notes=True
    ),
    "deleteShare": lambda of: of.shares.delete(ID, ID),
    "getSharedList": lambda of: of.shared.find(ID, include="product"),
    "copySharedList": lambda of: of.shared.copy(ID, name="a"),
    "reserveSharedItem": lambda of: of.shared.reserve(ID, ID, 1),
    "deleteReservation": lambda of: of.shared.delete_reservation(ID, ID),
    "listProducts": lambda of: of.products.list(page="c", limit=5),
    "putProducts": lambda of: of.products.put_many([SHIRT]),
    "getProduct": lambda of: of.products.find(ID),
    "putProduct": lambda of: of.products.put(SHIRT),
    "deleteProduct": lambda of: of.products.delete(ID),
    "createProfileToken": lambda of: of.profiles.token(
        customer="gid://a/Customer/1", session="gid://a/Session/1"
    ),
    "listWebhooks": lambda of: of.webhooks.list(page="c", limit=5),
    "createWebhook": lambda of: of.webhooks.create("https://a.example/", types=["item.created"]),
    "getWebhook": lambda of: of.webhooks.find(ID),
    "updateWebhook": lambda of: of.webhooks.update(
        ID, url="https://a.example/", types=[], enabled=True
    ),
    "deleteWebhook": lambda of: of.webhooks.delete(ID),
    "renewWebhookSecret": lambda of: of.webhooks.renew_secret(ID),
    "testWebhook": lambda of: of.webhooks.test(ID),
    "replayWebhook": lambda of: of.webhooks.replay(ID, datetime(2025, 4, 18, tzinfo=UTC)),
    "listDeliveries": lambda of: of.webhooks.deliveries(ID, page="c", limit=5),
    "retryDelivery": lambda of: of.webhooks.retry(ID, ID),
    "identifyProfile": lambda of: of.profiles.identify("a@example.org"),
    "listEvents": lambda of: of.events.list(from_="7", limit=5, types=["item.created"]),
}
CALLS = {name: call_of(use) for name, use in USES.items()}


def resolved(node):
    while "$ref" in node:
        reference = node["$ref"].removeprefix("#/").split("/")
        node = DOCUMENT
        for part in reference:
            node = node[part]
    return node


OPERATIONS = {
    operation["operationId"]: (method.upper(), path, item, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if isinstance(operation, dict)
}


def test_every_operation_has_a_call():
    """All but the description itself."""
    without = {
        path for _, path, _, _ in (OPERATIONS[id] for id in OPERATIONS.keys() - CALLS.keys())
    }
    assert without == {"/.well-known/openapi"}
    assert CALLS.keys() <= OPERATIONS.keys()
    assert DOCUMENT["servers"][0]["url"] == calls.PREFIX


@pytest.mark.parametrize("name", CALLS)
def test_call_sends_what_is_described(name):
    """Method, path, every query parameter and every field of the body, and no other."""
    method, path, item, operation = OPERATIONS[name]
    call = CALLS[name]
    assert call.method == method
    assert re.fullmatch(re.sub(r"\{\w+\}", ID, path), call.path)
    given = (
        [resolved(entry) for entry in [*item.get("parameters", []), *operation["parameters"]]]
        if "parameters" in operation
        else []
    )
    described = {entry["name"] for entry in given if entry["in"] == "query"} - {"itemIds"}
    assert dict(call.params).keys() == described
    if "requestBody" not in operation:
        assert call.body is None
        return
    [content] = operation["requestBody"]["content"].values()
    fields = resolved(content["schema"])["properties"]
    assert msgspec.json.decode(call.body).keys() == fields.keys()


def test_sorts_are_those_of_the_description():
    described = DOCUMENT["components"]["parameters"]["Sort"]["schema"]["enum"]
    assert set(get_args(calls.Sort)) == set(described)


def schema(*names):
    node = DOCUMENT["components"]["schemas"]
    for name in names:
        node = resolved(node[name])
    return node


SHAPES = [
    (Item, schema("Item"), set()),
    (records.ItemProduct, schema("ItemProduct"), set()),
    (List, schema("ListWithItems"), {"items"}),
    (List, schema("List"), set()),
    (records.Share, schema("Share"), set()),
    (records.SharedList, schema("SharedList"), set()),
    (records.SharedItem, schema("SharedItem"), set()),
    (Product, schema("Product"), set()),
    (Variant, schema("Variant"), set()),
    (Money, schema("Price"), set()),
    (ProfileToken, schema("TokenResult", "properties", "data"), set()),
    (records.SignIn, schema("IdentifyResult", "properties", "data"), set()),
    (records.Webhook, schema("Webhook"), set()),
    (records.Delivery, schema("Delivery"), set()),
    (records._PageInfo, schema("PageInfo"), set()),
    (records.Event, schema("Event"), set()),
    (records.EventData, schema("EventData"), set()),
    (records.EventProduct, schema("EventData", "properties", "product"), set()),
    (records.Feed, schema("Feed"), set()),
]
KINDS = {str: "string", int: "integer", datetime: "string", tuple: "array", bool: "boolean"}
KINDS |= dict.fromkeys(
    (Item, List, Money, records.ItemProduct, records.EventData, records.EventProduct), "object"
)


def kinds(described):
    """The kinds of value that a schema allows."""
    described = resolved(described)
    if "oneOf" in described:
        return {kind for one in described["oneOf"] for kind in kinds(one)}
    return {described["type"]}


@pytest.mark.parametrize(("shape", "described", "sometimes"), SHAPES)
def test_record_is_the_schema(shape, described, sometimes):
    """Fields, required ones and kinds; what is not always sent has a default."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    extra = {"items"} if described is schema("List") else set()
    assert fields.keys() - extra == described["properties"].keys()
    required = {name for name, field in fields.items() if field.required}
    assert required == set(described.get("required", [])) - sometimes
    for name in fields.keys() - extra:
        kind = fields[name].type
        options = get_args(kind) if isinstance(kind, UnionType) else [kind]
        bare = {getattr(one, "__origin__", one) for one in options} - {type(None)}
        sent = resolved(described["properties"][name])
        assert {KINDS[one] for one in bare} == kinds(sent), name
        assert (bare == {datetime}) == (sent.get("format") == "date-time"), name


def test_examples_of_the_description_are_read():
    """Every example of an answer, by the call that gets it."""
    read = 0
    for name, call in CALLS.items():
        for status, answer in OPERATIONS[name][3]["responses"].items():
            for content in resolved(answer).get("content", {}).values():
                for example in content["examples"].values() if status < "300" else ():
                    record = call.read(msgspec.json.encode(example["value"]))
                    sent = example["value"]["data"]
                    paged = isinstance(record, Page | records.Feed)
                    assert len(record) == len(sent) if paged else record
                    read += 1
    assert read >= 15


def test_field_of_a_newer_service_is_passed_over():
    """Unknown fields of records, pages and envelopes are no error."""
    item = {
        "id": ID, "productId": 1, "quantity": 1, "tags": [], "listIds": [],
        "createdAt": "2025-04-18T18:13:27.481Z", "updatedAt": "2025-04-18T18:13:27.481Z",
        "price": {"amount": 1},
    }  # fmt: skip
    body = {"data": [item], "pageInfo": {"next": "c", "total": 9}, "meta": {}}
    page = CALLS["listItems"].read(msgspec.json.encode(body))
    assert (page.data[0].id, page.next, page.previous) == (ID, "c", None)
    assert hash(page) == hash(page)
    with pytest.raises(AttributeError):
        page.data[0].quantity = 2


def test_extra_and_tests_take_the_same_library():
    """`wishwell[client]` asks for what is tested here, and the service for none of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    [needed] = project["project"]["optional-dependencies"]["client"]
    assert needed in project["dependency-groups"]["dev"]
    assert not any(name.startswith("httpx") for name in project["project"]["dependencies"])
    run = (ROOT / "requirements" / "run.lock").read_text()
    assert "httpx" not in run
