"""The client and the description of the API say the same, so that neither drifts from the other."""

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from types import UnionType
from typing import Any, get_args

import msgspec
import pytest

from wishwell.client import calls, records
from wishwell.client.calls import Call
from wishwell.client.records import (
    Item,
    List,
    Money,
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
CALLS: dict[str, Call[Any]] = {
    "listItems": calls.list_items("c", 5, "tag:a"),
    "createItem": calls.create_item(1, 2, 3, ["a"], "n", [ID]),
    "deleteItems": calls.delete_items([ID]),
    "getItem": calls.find_item(ID),
    "updateItem": calls.update_item(ID, 1, 2, 3, ["a"], "n"),
    "deleteItem": calls.delete_item(ID),
    "setItemLists": calls.set_item_lists(ID, [ID]),
    "listLists": calls.list_lists("c", 5),
    "createList": calls.create_list("a"),
    "getList": calls.find_list(ID, "customer"),
    "updateList": calls.update_list(ID, "a"),
    "deleteList": calls.delete_list(ID),
    "orderListItems": calls.order_list(ID, [ID]),
    "listShares": calls.list_shares(ID, "c", 5),
    "createShare": calls.create_share(ID, datetime(2125, 4, 18, tzinfo=UTC), True, True),
    "updateShare": calls.update_share(ID, ID, None, True, True),
    "deleteShare": calls.delete_share(ID, ID),
    "getSharedList": calls.find_shared(ID),
    "copySharedList": calls.copy_shared(ID, "a"),
    "reserveSharedItem": calls.reserve(ID, ID, 1),
    "deleteReservation": calls.delete_reservation(ID, ID),
    "listProducts": calls.list_products("c", 5),
    "putProducts": calls.put_products([SHIRT]),
    "getProduct": calls.find_product(ID),
    "putProduct": calls.put_product(SHIRT),
    "deleteProduct": calls.delete_product(ID),
    "createProfileToken": calls.create_token("gid://a/Customer/1", "gid://a/Session/1"),
    "listWebhooks": calls.list_webhooks("c", 5),
    "createWebhook": calls.create_webhook("https://a.example/", ["item.created"]),
    "getWebhook": calls.find_webhook(ID),
    "updateWebhook": calls.update_webhook(ID, "https://a.example/", [], True),
    "deleteWebhook": calls.delete_webhook(ID),
    "renewWebhookSecret": calls.renew_webhook_secret(ID),
    "testWebhook": calls.send_webhook_test(ID),
    "replayWebhook": calls.replay_webhook(ID, datetime(2025, 4, 18, tzinfo=UTC)),
    "listDeliveries": calls.list_deliveries(ID, "c", 5),
    "retryDelivery": calls.retry_delivery(ID, ID),
    "identifyProfile": calls.identify("a@example.org"),
    "listEvents": calls.list_events("7", 5, ["item.created"]),
}


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
KINDS |= dict.fromkeys((Item, List, Money, records.EventData, records.EventProduct), "object")


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
    page = calls.list_items(None, None, None).read(msgspec.json.encode(body))
    assert (page.data[0].id, page.next, page.previous) == (ID, "c", None)
    assert hash(page) == hash(page)
    with pytest.raises(AttributeError):
        page.data[0].quantity = 2  # type: ignore[misc]


def test_extra_and_tests_take_the_same_library():
    """`wishwell[client]` asks for what is tested here, and the service for none of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    [needed] = project["project"]["optional-dependencies"]["client"]
    assert needed in project["dependency-groups"]["dev"]
    assert not any(name.startswith("httpx") for name in project["project"]["dependencies"])
    run = (ROOT / "requirements" / "run.lock").read_text()
    assert "httpx" not in run
