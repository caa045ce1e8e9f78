"""Saving and changing items. Saving an item that exists updates it (rule: save-once)."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from wishwell import events, profiles
from wishwell.db import Reader, Row, UniqueViolation, Writer
from wishwell.errors import Conflict
from wishwell.profiles import Profile
from wishwell.stores import SizeLimits
from wishwell.wishlists import item_changes, item_life, items, lists
from wishwell.wishlists.items import Item, ItemPatch, NewItem, Saved


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
        is_followed = item_life.is_followed(profile.store)
        if is_followed or events.events_enabled(profile):
            await tx.begin()
        params = {"profile": profile.id, "id": id, "now": now, "most": limits.items}
        price = "" if tx.joins_products else await _read_price(tx, profile, new)
        with_product = with_product and tx.joins_products
        statement = "item_save_shown" if with_product else "item_save"
        row = await tx.one(statement, **asdict(new), **params, saved_price=price)
        if row is not None:
            row, product = (row[:-2], row[-2:]) if with_product else (row, None)
            item, created = await _record_event(tx, profile, row, now), bool(row[-1])
            saved = Saved(item, created, product)
            if is_followed:
                changed = await follow_saves(tx, profile, [saved], now)
                return saved._replace(item=changed.get(item.id, item))
            if created or not item_life.needs_clearing(item):
                return saved
    # There are tags or lists; or the profile has no row yet, is closed, or is at its limit; or the
    # item has a mark of a feature that has been turned off since.
    [(before, item)] = await _save(tx, profile, [new], [id], limits, now, new_list_ids, "")
    return Saved(item, before is None)


# rules: bulk-atomic, profile-limits
async def save_many(
    tx: Writer,
    profile: Profile,
    new_items: Sequence[NewItem],
    new_ids: Sequence[str],
    limits: SizeLimits,
    now: str,
    new_list_ids: Sequence[str] = (),
) -> list[Item]:
    """Saves items with distinct products and variants, all or, on an error, none.

    ``new_ids``: for each item its id, used if it is created. ``new_list_ids``: an id for each
    ``list_name``, in order. Raises what ``save`` does.
    """
    saves = await _save(tx, profile, new_items, new_ids, limits, now, new_list_ids, "items[{}].")
    return [item for _, item in saves]


async def _save(
    tx: Writer,
    profile: Profile,
    new_items: Sequence[NewItem],
    new_ids: Sequence[str],
    limits: SizeLimits,
    now: str,
    new_list_ids: Sequence[str],
    field_prefix: str,
) -> list[tuple[Item | None, Item]]:
    await profiles.lock(tx, profile, now)
    names = [new.list_name for new in new_items if new.list_name is not None]
    lists_by_name = await lists.find_or_create(tx, profile, names, new_list_ids, limits, now)
    existing = await items.find_by_products(tx, profile, [new.product_id for new in new_items])
    saves: list[tuple[Item | None, Item]] = []
    for new, id in zip(new_items, new_ids, strict=True):
        before = existing.get((new.product_id, new.variant_id))
        after = _set_fields(before or items.new(id, new.product_id, new.variant_id, now), new)
        list_ids = {*after.list_ids, *new.list_ids}
        if new.list_name is not None:
            list_ids.add(lists_by_name[new.list_name])
        after.list_ids = sorted(list_ids)
        saves.append((before, after))
    field = "listName" if names and not any(new.list_ids for new in new_items) else "listIds"
    await item_changes.check_limits(tx, profile, saves, limits, field_prefix + field)
    await set_prices(tx, profile, [after for before, after in saves if before is None])
    await item_changes.apply(tx, profile, saves, now)
    all_saved = [Saved(after, created=before is None) for before, after in saves]
    changed = await follow_saves(tx, profile, all_saved, now)
    return [(before, changed.get(after.id, after)) for before, after in saves]


async def follow_saves(
    tx: Writer, profile: Profile, saves: Sequence[Saved], now: str
) -> dict[str, Item]:
    """Lets the features follow saves of items. Returns the items that these change further, by
    id."""
    changes = await item_life.saved(tx, profile, saves, now)
    await item_changes.apply(tx, profile, changes, now)
    return {after.id: after for _, after in changes}


# rule: saved-price
async def set_prices(tx: Reader, profile: Profile, saved: Sequence[Item]) -> None:
    """Sets the saved price of items to their products' current prices."""
    if not saved:
        return
    products, variants = map(list, zip(*map(items.item_key, saved), strict=True))
    params = {"store": profile.store.id, "products": products, "variants": variants}
    rows = await tx.all("product_prices", **params)
    prices = {(product, variant): price for product, variant, price in rows if price}
    for item in saved:
        price = prices.get(items.item_key(item))
        item.saved_price = msgspec.Raw(price.encode()) if price else UNSET


async def _read_price(tx: Writer, profile: Profile, new: NewItem) -> str:
    """Returns a product's price as JSON, or an empty text."""
    item = items.new("", new.product_id, new.variant_id, "")
    await set_prices(tx, profile, [item])
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
        before = await item_changes.find_locked(tx, profile, id)
        item = _set_fields(before, patch)
        has_other_product = items.item_key(item) != items.item_key(before)
        if has_other_product:
            await set_prices(tx, profile, [item])
        await item_changes.apply(tx, profile, [(before, item)], now)
        if has_other_product:
            changes = await item_life.changed_product(tx, profile, item, now)
            await item_changes.apply(tx, profile, changes, now)
            item = changes[-1][1] if changes else item
    except UniqueViolation as error:
        raise Conflict(
            "productId, variantId: another item of this profile has this product and variant.",
            "item_exists",
        ) from error
    return item


def _set_fields(item: Item, fields: NewItem | ItemPatch) -> Item:
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
        data = items.event_data(item, profile.store.has_text_ids, names.split())
        await events.record_event(tx, profile, now, type_, data)
    return item
