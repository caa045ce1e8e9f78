"""Adds product data to items in responses and events."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import msgspec
from msgspec import UNSET

from wishwell import events
from wishwell.db import Reader, Row
from wishwell.events import Event
from wishwell.field_types import published
from wishwell.profiles import Profile, Scope, pages
from wishwell.stores import Store
from wishwell.wishlists import items
from wishwell.wishlists.items import Item
from wishwell.wishlists.list_pages import ListPage
from wishwell.wishlists.lists import List
from wishwell.wishlists.reservations import HeldReservation
from wishwell.wishlists.shares import SharedItem

P = ParamSpec("P")
S = TypeVar("S", bound=Scope)
T = TypeVar("T", Item, List, ListPage, pages.Page[Item])


class ProductView(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """The published data of an item's product; only with `include=product`. URL, image, price and
    availability are the variant's if it has its own. Unknown fields are omitted.

    Values are passed through: they were checked when the product was put.
    """

    title: Annotated[Any, published("Title")] = None
    variant_title: Annotated[Any, published("Title")] = None
    url: Annotated[Any, published("Url")] = None
    image: Annotated[Any, published("Url")] = None
    price: Annotated[Any, published("Price")] = None
    available: Annotated[Any, published(type="boolean")] = None
    availability: Annotated[Any, published("Availability")] = None
    deleted: Annotated[Any, published(type="boolean")] = None
    """true if the store has deleted the product, at most a year ago; then nothing else is known."""


_decode = msgspec.json.Decoder(ProductView).decode
_encode = msgspec.json.Encoder().encode
_NOTHING = b"{}"
_VARIANT = '{"variantId":"'
_AVAILABLE = {
    b'"available":true}': b'"available":true,"availability":"in_stock"}',
    b'"available":false}': b'"available":false,"availability":"out_of_stock"}',
}
"""Ends of stored data without an availability, and as they are shown."""


async def page(tx: Reader, scope: Scope, request: pages.PageRequest) -> pages.Page[Item]:
    """Returns a page of items with their products, like ``items.page``.

    Joins the products in the same statement, because a separate one would take half of a page's
    time.
    """
    if not tx.joins_products:
        return await including(items.page)(tx, scope, request)
    convert = items.from_row if isinstance(scope, Profile) else items.from_store_row

    def from_row(row: Row) -> Item:
        *columns, document, variant = row
        item = convert(columns)
        set_product(item, document, variant)
        return item

    return await pages.read(tx, "items_shown", scope, request, from_row)


def including(
    use_case: Callable[Concatenate[Any, S, P], Awaitable[T]],
) -> Callable[Concatenate[Any, S, P], Awaitable[T]]:
    """Wraps a use-case so that the items in its result have their products."""

    async def run(tx: Reader, scope: S, /, *arguments: P.args, **options: P.kwargs) -> T:
        answer = await use_case(tx, scope, *arguments, **options)
        if isinstance(answer, pages.Page):
            await include(tx, scope.store, answer.records)
        elif isinstance(answer, ListPage):
            await include(tx, scope.store, answer.wishlist.items or ())
        elif isinstance(answer, List):
            await include(tx, scope.store, answer.items or ())
        else:
            await include(tx, scope.store, [answer])
        return answer

    return run


class _EventItem(msgspec.Struct):
    """The part of an event's item that leads to its product."""

    product_id: Any
    variant_id: Any
    product: Any = UNSET


_HasProduct = Item | SharedItem | HeldReservation | _EventItem


# rule: event-product
async def add_to_events(tx: Reader, store_id: str, found_events: Sequence[Event]) -> list[Event]:
    """Returns the events, the items in their data with their products."""
    documents = [msgspec.json.decode(event.data) for event in found_events]
    raw_items = [document["item"] for document in documents if "item" in document]
    event_items = [_EventItem(item["productId"], item.get("variantId")) for item in raw_items]
    await _include(tx, store_id, event_items)
    for raw_item, event_item in zip(raw_items, event_items, strict=True):
        if event_item.product is not UNSET:
            raw_item["product"] = event_item.product
    return [
        msgspec.structs.replace(event, data=msgspec.Raw(_encode(document)))
        if "item" in document
        else event
        for event, document in zip(found_events, documents, strict=True)
    ]


async def feed(
    tx: Reader,
    store: Store,
    after: int | None,
    limit: int,
    types: Sequence[str],
    profile: Profile | None = None,
) -> events.FeedPage:
    """Returns a page of the feed like ``events.read_feed``, the items in it with their products."""
    page = await events.read_feed(tx, store, after, limit, types, profile)
    return page._replace(events=await add_to_events(tx, store.id, page.events))


async def include(
    tx: Reader, store: Store, items: Sequence[Item | SharedItem | HeldReservation]
) -> None:
    """Sets ``product`` of each item whose product has data."""
    await _include(tx, store.id, items)


# rule: profile-limits
async def _include(tx: Reader, store_id: str, items: Sequence[_HasProduct]) -> None:
    """Sets ``product`` of each item whose product has data.

    Without a variant, the stored JSON is passed through, because decoding it would double the
    cost of a page.
    """
    if not items:
        return
    keys = [(str(item.product_id), str(item.variant_id or "")) for item in items]
    products, variants = map(list, zip(*set(keys), strict=True))
    params = {"store": store_id, "products": products, "variants": variants}
    rows = await tx.all("products_varied", **params)
    columns_by_key = {(product, variant): columns for product, variant, *columns in rows}
    for item, key in zip(items, keys, strict=True):
        if key in columns_by_key:
            set_product(item, *columns_by_key[key])


def set_product(
    item: Item | SharedItem | HeldReservation | _EventItem,
    document: str | None,
    variant: str | None,
) -> None:
    """Sets an item's ``product``, if it has data. The columns are as in ``merged_data``."""
    if document is None:
        return
    product = document.encode() if variant is None else _encode(merged_data(document, variant))
    start = product.rfind(b'"available":')
    if (ending := _AVAILABLE.get(product[start:])) is not None:
        product = product[:start] + ending
    if product != _NOTHING:
        item.product = msgspec.Raw(product)


def merged_data(document: str, variant: str | None) -> ProductView:
    """Returns a product's data, overridden by the values of one of its variants.

    ``document``: the product's stored JSON. ``variant``: the stored JSON array of variants from the
    wanted one on, or None. Quotes inside JSON strings are escaped, so ``_VARIANT`` can only be
    the start of the next variant object.
    """
    merged = _decode(document)
    if variant is not None:
        end = variant.find(f",{_VARIANT}")
        own = _decode(variant[: end if end > 0 else -1])
        merged.variant_title = own.title
        for field in ("url", "image", "price"):
            if (value := getattr(own, field)) is not None:
                setattr(merged, field, value)
        if own.available is not None:
            merged.available, merged.availability = own.available, own.availability
    return merged
