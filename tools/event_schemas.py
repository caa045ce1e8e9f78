"""Generates the schemas of events: a union by ``type``, with a schema for each type."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import events
from wishwell.events import deliveries
from wishwell.field_types import Id, published
from wishwell.products import notices
from wishwell.wishlists import items, linking, lists, orders

Node = Any  # a part of the description


class ItemData(msgspec.Struct, rename="camel"):
    """The item as it was after the change, or before it for a deletion."""

    item: items.Item
    linked: bool | UnsetType = UNSET
    """True if a link moved the item or merged it into this one; omitted otherwise."""


class ListData(msgspec.Struct, rename="camel"):
    """The list as it was after the change, or before it for a deletion."""

    list: lists.List


Changed = Annotated[
    list[Annotated[str, published(minLength=1)]], published(minItems=1, uniqueItems=True)
]


class ItemUpdatedData(ItemData, kw_only=True):
    """The item as it was after the change."""

    changed: Changed
    """For an update: the fields that changed, except `updatedAt`."""


class ListCreatedData(ListData):
    """The new list."""

    item_ids: list[Id] | UnsetType = UNSET
    """For a new list or an order set as a whole: the items with a position, in order. The others
    follow, most recently saved first."""


class MovedItem(msgspec.Struct, rename="camel"):
    """A move of one item. Items up to and including `after` have a position now."""

    item_id: Id
    after: Id | None
    """The item after which it is now; null means that it is first."""


class ListUpdatedData(ListCreatedData, kw_only=True):
    """The list as it was after the change."""

    changed: Changed
    """For an update: the fields that changed, except `updatedAt`."""
    moved: MovedItem | UnsetType = UNSET
    """For a move of one item."""


class NoData(msgspec.Struct):
    """Empty."""


# Types of the events' data, and of the records in the data.
DATA = {"MovedItem": MovedItem} | {
    f"{name}Data": Annotated[type_, published(**{"x-python-base": "EventData"})]
    for name, type_ in {
        "ItemCreated": ItemData,
        "ItemUpdated": ItemUpdatedData,
        "ItemDeleted": ItemData,
        "ListCreated": ListCreatedData,
        "ListUpdated": ListUpdatedData,
        "ListDeleted": ListData,
        "ProfileLinked": linking.Linked,
        "ProfileErased": NoData,
        "ItemPriceDropped": notices.NoticeData,
        "ItemBackInStock": notices.NoticeData,
        "ItemPurchased": orders.PurchaseView,
        "WebhookTest": NoData,
    }.items()
}


def add(schemas: Node) -> None:
    """Replaces the schema of an event with the union; adds its members and a webhook's test."""
    whole = schemas["WishlistEvent"]
    members: dict[str, str] = {type_: _name(type_) for type_ in events.TYPES}
    for type_, name in members.items():
        schemas[f"{name}Event"] = _member(whole, type_, name)
    test = _member(whole, deliveries.TEST, "WebhookTest")
    del test["x-python-base"]
    test["description"] = "A test of the webhook. No event is behind it."
    test["required"] = ["id", "type", "timestamp", "data"]
    test["properties"] = {name: test["properties"][name] for name in test["required"]}
    schemas["WebhookTestMessage"] = test
    references = {type_: f"#/components/schemas/{name}Event" for type_, name in members.items()}
    schemas["WishlistEvent"] = {
        "description": whole["description"],
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "type", "mapping": references},
        "x-python": "Event",
    }


def _name(type_: str) -> str:
    """Returns the name of a type in schemas: ``ItemPriceDropped`` for ``item.price_dropped``."""
    return type_.replace(".", "_").title().replace("_", "")


def _member(event_schema: Node, type_: str, name: str) -> Node:
    narrowed = {
        "type": {"type": "string", "const": type_},
        "data": {"$ref": f"#/components/schemas/{name}Data"},
    }
    member: Node = {key: value for key, value in event_schema.items() if key != "x-python"}
    member |= {"x-python-base": "Event", "description": f"The event `{type_}`."}
    return member | {"properties": event_schema["properties"] | narrowed}
