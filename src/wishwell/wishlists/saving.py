"""Saving and changing items. Saving an item that exists updates it (rule: save-once)."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from wishwell import events, profiles
from wishwell.db import Reader, Row, UniqueViolation, Writer
from wishwell.errors import Conflict
from wishwell.profiles import Profile
from wishwell.stores import SizeLimits
from wishwell.wishlists import items, lists, purchases
from wishwell.wishlists.items import Item, ItemPatch, NewItem


class Saved(NamedTuple):
    item: Item
    created: bool
    product: Row | None = None
    """The columns of the product's data; ``None`` if the statement that saves didn't read them."""


# rules: save-once, profile-limits
async def save(
    tx: Writer,
    profile: Profile,
    new: NewItem,
    id: str,
    limits: SizeLimits,
    now: str,
    new_list_ids: Sequence[str] = (),
    *,
    with_product: bool = False,
) -> Saved:
    """Saves an item. Returns it, and whether it was created (with this ``id``).

    If the item exists, updates only the fields that ``new`` has, and adds its lists.
    ``new_list_ids``: with ``new.list_name``, the id of the list if it is created. ``with_product``:
    reads the product, too, unless that takes another statement: for an item with tags or lists, and
    on a cluster. Raises ``LimitReached`` if one of the ``limits`` would be exceeded, ``NotFound``
    for a list that the profile doesn't have, ``profiles.missing``.
    """
    if new.tags is None and not new.list_ids and new.list_name is None:
        if events.events_enabled(profile) or profile.store.reporting.purchases:
            await tx.begin()
        params = {"profile": profile.id, "id": id, "now": now, "most": limits.items}
        price = "" if tx.joins_products else await _price(tx, profile, new)
        params |= {"saved_price": price, "with_product": int(with_product)}
        row = await tx.one("item_save", **asdict(new), **params)
        if row is not None:
            product = row[-2:] if with_product and tx.joins_products else None
            row = row[:-2]
            item, created = await _record_event(tx, profile, row, now), bool(row[-1])
            if created or item.purchased is UNSET or profile.store.reporting.purchases:
                if not created:
                    [item] = await purchases.saved_again(tx, profile, [item], now)
                return Saved(item, created, product)
    # There are tags or lists; or the profile has no row yet, is closed, or is at its limit; or the
    # item has a mark from before purchases were turned off.
    [(before, item)] = await _save(tx, profile, [new], [id], limits, now, new_list_ids, "")
    return Saved(item, before is None)


# rules: bulk-atomic, profile-limits
async def save_many(
    tx: Writer,
    profile: Profile,
    wanted: Sequence[NewItem],
    new_ids: Sequence[str],
    limits: SizeLimits,
    now: str,
    new_list_ids: Sequence[str] = (),
) -> list[Item]:
    """Saves items with distinct products and variants, all or, on an error, none.

    ``new_ids``: for each item its id, used if it is created. ``new_list_ids``: an id for each
    ``list_name``, in order. Raises what ``save`` does.
    """
    saves = await _save(tx, profile, wanted, new_ids, limits, now, new_list_ids, "items[{}].")
    return [item for _, item in saves]


async def _save(
    tx: Writer,
    profile: Profile,
    wanted: Sequence[NewItem],
    new_ids: Sequence[str],
    limits: SizeLimits,
    now: str,
    new_list_ids: Sequence[str],
    field_prefix: str,
) -> list[tuple[Item | None, Item]]:
    await profiles.lock(tx, profile, now)
    names = [new.list_name for new in wanted if new.list_name is not None]
    named = await lists.find_or_create(tx, profile, names, new_list_ids, limits, now)
    there = await items.of_products(tx, profile, [new.product_id for new in wanted])
    saves: list[tuple[Item | None, Item]] = []
    for new, id in zip(wanted, new_ids, strict=True):
        before = there.get((new.product_id, new.variant_id))
        after = _changed(before or items.new(id, new.product_id, new.variant_id, now), new)
        by_name = [named[new.list_name]] if new.list_name is not None else []
        after.list_ids = sorted({*after.list_ids, *new.list_ids, *by_name})
        saves.append((before, after))
    field = "listName" if names and not any(new.list_ids for new in wanted) else "listIds"
    await items.check_limits(tx, profile, saves, limits, field_prefix + field)
    await set_prices(tx, profile, [after for before, after in saves if before is None])
    await items.apply(tx, profile, saves, now)
    again = [after for before, after in saves if before]
    cleared = {item.id: item for item in await purchases.saved_again(tx, profile, again, now)}
    return [(before, cleared.get(after.id, after)) for before, after in saves]


# rule: saved-price
async def set_prices(tx: Reader, profile: Profile, saved: Sequence[Item]) -> None:
    """Sets the saved price of items to their products' current prices."""
    if not saved:
        return
    products, variants = map(list, zip(*map(items.item_key, saved), strict=True))
    these = {"products": products, "variants": variants}
    rows = await tx.all("product_prices", store=profile.store.id, **these)
    prices = {(product, variant): price for product, variant, price in rows if price}
    for item in saved:
        price = prices.get(items.item_key(item))
        item.saved_price = msgspec.Raw(price.encode()) if price else UNSET


async def _price(tx: Writer, profile: Profile, new: NewItem) -> str:
    """Returns a product's price as JSON, or an empty text."""
    [item] = wanted = [items.new("", new.product_id, new.variant_id, "")]
    await set_prices(tx, profile, wanted)
    return "" if item.saved_price is UNSET else bytes(item.saved_price).decode()


# rules: save-once, updated-at, saved-price
async def change(tx: Writer, profile: Profile, id: str, patch: ItemPatch, now: str) -> Item:
    """Changes an item. Sets ``updated_at`` only if something changed.

    Raises ``Conflict`` if another item has the product and variant, ``NotFound``,
    ``profiles.missing``.
    """
    try:
        if (patch.tags, patch.product_id, patch.variant_id) == (None, None, None):
            if events.events_enabled(profile):
                await tx.begin()
            row = await tx.one("item_change", profile=profile.id, id=id, now=now, **asdict(patch))
            if row is not None:
                return await _record_event(tx, profile, (*row, False), now)
        before = await items.find_locked(tx, profile, id)
        item = _changed(before, patch)
        has_other_product = items.item_key(item) != items.item_key(before)
        if has_other_product:
            await set_prices(tx, profile, [item])
        await items.apply(tx, profile, [(before, item)], now)
        if has_other_product:  # rule: purchase-mark
            [item] = await purchases.saved_again(tx, profile, [item], now)
    except UniqueViolation as error:
        raise Conflict(
            "productId, variantId: another item of this profile has this product and variant.",
            "item_exists",
        ) from error
    return item


def _changed(item: Item, fields: NewItem | ItemPatch) -> Item:
    """Returns the item with the given fields set, except its lists."""
    after = replace(item)
    for name in ItemPatch.__struct_fields__:
        value = getattr(fields, name)
        if value is not None:
            setattr(after, name, list(value) if name == "tags" else value or UNSET)
    return after


# rule: event-transaction
async def _record_event(tx: Writer, profile: Profile, row: Row, now: str) -> Item:
    """Records the event of an item that a statement has saved, and returns the item.

    ``row``: the item's columns, the names of changed fields, and whether it was created.
    """
    *columns, names, created = row
    item = items.from_row(columns)
    if events.events_enabled(profile) and (created or names):
        type_: events.Type = "item.created" if created else "item.updated"
        data = items.data(item, profile.store.has_text_ids, names.split())
        await events.record_event(tx, profile, now, type_, data)
    return item
