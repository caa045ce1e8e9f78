"""Items: products saved by a profile, at most one per product and variant (rule: save-once)."""

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell import profiles
from wishwell.db import Reader, Row, mapping, statements
from wishwell.errors import no_record
from wishwell.profiles import Profile, Scope, pages

NO_VARIANT = ""  # stored instead of NULL, which the unique constraint ignores

MAX_BULK = 250


class Purchased(msgspec.Struct, frozen=True):
    """The purchases of an item since it was last saved."""

    quantity: types.Count
    """The number of units in all these orders."""
    at: types.Time
    """When the last of these orders was placed."""


class Item(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """A product or variant that a profile saved.

    Product and variant ids are stored as text; ``show`` converts them for a store with integer ids.
    """

    id: types.Id
    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType
    """Omitted without a variant."""
    quantity: types.Quantity
    tags: Annotated[list[types.Tag], types.Unique]
    """At most 20, but linking may merge the tags of two items."""
    note: Annotated[types.Note, types.published(minLength=1)] | UnsetType
    """Omitted without a note."""
    list_ids: Annotated[list[types.Id], types.Unique]
    """The ids of the lists that contain the item."""
    created_at: types.Time
    updated_at: types.Time
    saved_price: Annotated[msgspec.Raw, types.published("Price")] | UnsetType = UNSET
    """The product's price when this product or variant was saved; omitted if it was unknown."""
    purchased: Purchased | UnsetType = UNSET  # rule: purchase-mark
    """Omitted unless an order has matched the item since it was last saved."""
    profile: types.ProfileGid | UnsetType = UNSET
    """The owner; only for an admin token without `Profile`."""
    product: types.ItemProduct | UnsetType = UNSET


class NewItem(msgspec.Struct, frozen=True):
    """A validated item to save (rule: item-lists). None: the body lacks the field."""

    product_id: str
    variant_id: str = NO_VARIANT
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None
    list_ids: tuple[str, ...] = ()
    list_name: str | None = None
    """The name of another list to put the item on (rule: item-lists)."""


class ItemPatch(msgspec.Struct, frozen=True):
    """Changes to an item. None leaves a field unchanged; ``""`` clears variant or note."""

    product_id: str | None = None
    variant_id: str | None = None
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None


from_row = mapping.from_columns(Item, "item_fields")
from_store_row = mapping.from_columns(Item, "item_fields", "profile")
"""Both convert a row to an item; the row of a whole store's page also has the owner's GID."""

Change = tuple[Item | None, Item | None]
"""An item before and after a change: (None, new) creates it, (old, None) deletes it."""

OPTIONS = statements.columns("item_options")
"""Fields that a save and a change may give, and that an event and a merge treat as plain values."""


class Saved(NamedTuple):
    """A saved item, and whether the save created it."""

    item: Item
    created: bool
    product: Row | None = None
    """The columns of the product's data; ``None`` if the statement that saves didn't read them."""


def new(id: str, product_id: str, variant_id: str, now: str) -> Item:
    """Returns an item with a quantity of 1 and nothing else."""
    columns = {"id": id, "product_id": product_id, "variant_id": variant_id, "quantity": 1}
    columns |= {"created_at": now, "updated_at": now}
    return from_row([columns.get(name, "") for name in statements.columns("item_fields")])


class _HasProduct(Protocol):
    """An item, or an item of a shared list."""

    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType


# rule: store-product-ids
def show(items: Iterable[_HasProduct], *, text_ids: bool) -> None:
    """Converts product and variant ids to numbers, unless the store has text ids."""
    if text_ids:
        return
    for item in items:
        # Inlines stores.number, because its calls would take 3 % of a page's time.
        product, variant = item.product_id, item.variant_id
        if product.__class__ is str and product.isdecimal():
            item.product_id = int(product)
        if variant.__class__ is str and variant.isdecimal():
            item.variant_id = int(variant)


async def page(tx: Reader, scope: Scope, request: pages.PageRequest) -> pages.Page[Item]:
    """Returns a page of items, newest first. Raises ``profiles.missing``."""
    convert = from_row if isinstance(scope, Profile) else from_store_row
    return await pages.read(tx, "items", scope, request, convert)


async def find(tx: Reader, profile: Profile, id: str) -> Item:
    """Returns an item. Raises ``NotFound``, ``profiles.missing``."""
    row = await tx.one("item_find", profile=profile.id, id=id)
    if row is None:
        await profiles.check_open(tx, profile)
        raise no_record("item")
    return from_row(row)


async def find_by_products(
    tx: Reader, profile: Profile, products: Iterable[str]
) -> dict[tuple[str, str], Item]:
    """Returns the profile's items with these products, by key (see ``item_key``)."""
    rows = await tx.all("items_of_products", profile=profile.id, products=sorted({*products}))
    return {item_key(item): item for item in map(from_row, rows)}


def item_key(item: Item) -> tuple[str, str]:
    """Returns an item's key, unique in its profile: product and variant as stored."""
    return str(item.product_id), str(item.variant_id or NO_VARIANT)


def event_data(item: Item, text_ids: bool, changed: Sequence[str] = ()) -> bytes:
    show([item], text_ids=text_ids)
    return msgspec.json.encode({"item": item, "changed": changed} if changed else {"item": item})
