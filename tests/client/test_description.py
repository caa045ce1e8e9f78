"""The client and the API description agree."""

import inspect
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
import pytest

from tests.client.recorded import call_of
from wishwell.http import management
from wishwell_client import (
    Event,
    Feed,
    Item,
    ItemCreatedEvent,
    Money,
    NewItem,
    NewOrder,
    NewProduct,
    OrderLine,
    Page,
    ProfileEmail,
    StoreLookPatch,
    StoreReportingPatch,
    Suppression,
    Variant,
    Wishwell,
    calls,
)

ROOT = Path(__file__).parents[2]
DOCUMENT = msgspec.json.decode(management.description())
ID = "01964a1b-0739-7128-a24b-e40ad23f0824"
PRICE = Money("1", "EUR")
BLUE = Variant(1, "t", "http://i", PRICE, True)
SHIRT = NewProduct(7, "t", "http://u", "http://i", PRICE, True, "in_stock", (BLUE,))
LATER = datetime(2125, 4, 18, tzinfo=UTC)
ORDER = NewOrder(
    "1", "gid://shopify/Customer/7", LATER, LATER, "paid", (OrderLine(7, 1, 8, PRICE),)
)
VALUES = {
    str: ID,
    int: 7,
    bool: True,
    datetime: LATER,
    NewProduct: SHIRT,
    Sequence[NewItem]: [NewItem(7)],
    Sequence[str]: [ID],
    Sequence[NewProduct]: [SHIRT],
    Sequence[NewOrder]: [ORDER],
    Sequence[ProfileEmail]: [ProfileEmail("gid://shopify/Customer/7", "a@b.example", "de")],
    Sequence[Suppression]: [Suppression("a@b.example", "bounced")],
    StoreLookPatch: StoreLookPatch(shop_name="Shop"),
    StoreReportingPatch: StoreReportingPatch(show_wishes=True),
}


def value(kind: Any) -> Any:
    """Returns a value of an argument's type."""
    if get_origin(kind) in (Union, UnionType, Literal):
        first = get_args(kind)[0]
        return first if get_origin(kind) is Literal else value(first)
    return VALUES[kind]


def use(name: str, client: Wishwell) -> Any:
    """Calls a method such as "items.find" with every argument that it has."""
    resource, _, method = name.partition(".")
    call = getattr(getattr(client, resource), method)
    taken = inspect.signature(call).parameters.values()
    return call(**{argument.name: value(argument.annotation) for argument in taken})


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


CALLS = {
    name: call_of(partial(use, operation["x-python"]))
    for name, (_, _, _, operation) in OPERATIONS.items()
    if "x-python" in operation
}


def test_every_operation_has_a_call():
    """Every operation has a client method, except the description itself and the platform's
    webhook."""
    without = {path for name, (_, path, _, _) in OPERATIONS.items() if name not in CALLS}
    assert without == {"/.well-known/openapi", "/platforms/shopify/webhooks"}
    assert DOCUMENT["servers"][0]["url"] == calls.PREFIX


@pytest.mark.parametrize("name", CALLS)
def test_call_sends_exactly_the_described_request(name):
    """A call has the described method, path, query parameters and body fields, and no others."""
    method, path, item, operation = OPERATIONS[name]
    call = CALLS[name]
    assert call.method == method
    assert re.fullmatch(re.sub(r"\{\w+\}", f"({ID}|7)", path), call.path)
    given = (
        [resolved(entry) for entry in [*item.get("parameters", []), *operation["parameters"]]]
        if "parameters" in operation
        else []
    )
    described = {entry["name"] for entry in given if entry["in"] == "query"} - {"itemIds", "format"}
    if name == "getList":  # `lists.list_items` takes the pages
        described -= {"limit", "page"}
    assert dict(call.params).keys() == described
    if "requestBody" not in operation:
        assert call.body is None
        return
    [content] = operation["requestBody"]["content"].values()
    fields = resolved(content["schema"])["properties"]
    assert msgspec.json.decode(call.body).keys() == fields.keys()


def test_example_responses_are_parsed_by_their_calls():
    """Every example response is parsed by its call."""
    read = 0
    for name, call in CALLS.items():
        for status, answer in OPERATIONS[name][3]["responses"].items():
            content = resolved(answer).get("content", {}).get("application/json")
            if content is not None and status < "300":
                for example in content["examples"].values():
                    record = call.read(msgspec.json.encode(example["value"]))
                    sent = example["value"]["data"]
                    paged = isinstance(record, Page | Feed)
                    assert len(record) == len(sent) if paged else record or not sent
                    # Secrets must not appear in a record's repr.
                    if isinstance(sent, dict) and name in ("createProfileToken", "createWebhook"):
                        assert sent.get("secret", sent.get("token")) not in repr(record)
                    read += 1
    assert read >= 15


def test_event_has_the_class_of_its_type():
    """Each event of the feed has its type's class, whose data has the fields that the type always
    has; an event of an unknown type is an `Event`."""
    read = CALLS["listEvents"].read
    examples = OPERATIONS["listEvents"][3]["responses"]["200"]["content"]["application/json"]
    feed = examples["examples"]["feed"]["value"]
    created, updated, ordered = read(msgspec.json.encode(feed))
    assert isinstance(created, ItemCreatedEvent)
    item: Item = created.data.item  # a type checker knows that it isn't None
    assert (item.product_id, updated.data.changed) == (632910392, ("quantity",))
    assert (type(ordered).__name__, ordered.data.item) == ("ListUpdatedEvent", None)
    newer = feed["data"][0] | {"type": "item.shared"}
    [unknown] = read(msgspec.json.encode({"data": [newer], "resume": "1"}))
    assert (type(unknown), unknown.type, unknown.data.item.id) == (Event, "item.shared", item.id)
    del feed["data"][0]["data"]["item"]
    with pytest.raises(msgspec.ValidationError):
        read(msgspec.json.encode(feed))


def test_unknown_field_of_a_newer_service_is_ignored():
    """Unknown fields of records, pages and envelopes are ignored."""
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
