"""What an item is: its record as the API shows it, made from its row."""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, UnsetType

from wishwell.db import Row

NO_VARIANT = ""
"""Stored instead of a missing variant, because the unique constraint ignores NULL."""


# contract: item-fields
class Item(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """An item as the API shows it. ``profile`` is set only in answers for a whole store.

    Product and variant ids are text here; for a store with integer ids the API shows numbers.
    """

    id: str
    product_id: str | int
    variant_id: str | int | UnsetType
    quantity: int
    tags: list[str]
    note: str | UnsetType
    list_ids: list[str]
    created_at: str
    updated_at: str
    profile: str | UnsetType = UNSET


def from_row(row: Row) -> Item:
    """Makes an item from its columns (``item_fields``)."""
    id, product_id, variant_id, quantity, tags, note, list_ids, created_at, updated_at = row
    return Item(
        id,
        product_id,
        variant_id or UNSET,
        quantity,
        tags.split(),
        note or UNSET,
        list_ids.split(),
        created_at,
        updated_at,
    )


# contract: product-id-kind
def show(found: Iterable[Item], *, text_ids: bool) -> None:
    """Turns the ids of products and variants into those of a store's kind."""
    if text_ids:
        return
    for item in found:
        # As stores.number does: its calls are 3 % of a page.
        product, variant = item.product_id, item.variant_id
        if isinstance(product, str) and product.isdecimal():
            item.product_id = int(product)
        if isinstance(variant, str) and variant.isdecimal():
            item.variant_id = int(variant)
