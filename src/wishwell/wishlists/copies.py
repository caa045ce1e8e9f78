"""Copies: the items of a shared list, put on a new list of the caller."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from wishwell import events
from wishwell.db import Writer
from wishwell.profiles import Profile
from wishwell.stores import SizeLimits
from wishwell.wishlists import item_changes, items, lists, ordering, saving, shares
from wishwell.wishlists.items import Item, Saved
from wishwell.wishlists.lists import List, ListFields
from wishwell.wishlists.shares import SharedItem, ShareLookup

COPIED_FIELDS = [name for name in items.OPTIONS if name in SharedItem.__struct_fields__]
"""Fields of a new item that a copy takes from the shared list: those that it shows."""


DEFAULT_NAME = "Wishlist"
"""Name of the copy of a whole wishlist, unless the request or the share has one."""


class NewList(NamedTuple):
    """The new list's id and fields. Without a name, it gets that of the shared list."""

    id: str
    fields: ListFields


# rules: copy-list, event-changed
async def copy(
    tx: Writer,
    lookup: ShareLookup,
    token: str,
    caller: Profile,
    new_list: NewList,
    new_id: Callable[[], str],
    limits: SizeLimits,
    now: str,
) -> List:
    """Creates a list of the caller's with the items of a shared list, in its order.

    An item that the caller already has is put on the list unchanged. A new item gets the quantity
    and, if the share shows notes, the note. Raises ``UnknownShare``, ``LimitReached``,
    ``profiles.missing(caller)``.
    """
    await shares.resolve_locked(tx, lookup, token, caller, now)
    shared = await shares.view(tx, lookup, token, None, now)
    name = new_list.fields.name or shared.name or shared.display_name or DEFAULT_NAME
    fields = replace(new_list.fields, name=name)
    async with events.record_list_changes(
        tx, caller, now, lists.snapshot_reader(tx, caller, new_list.id)
    ):
        copied = await lists.add(tx, caller, fields, new_list.id, limits, now)
        changes = await _copy_items(tx, caller, shared.items, copied.id, new_id, now)
        created = [after for before, after in changes if before is None]
        await saving.set_prices(tx, caller, created)
        await item_changes.check_limits(tx, caller, changes, limits, "copy")
        order = ordering.positions_in_order([item.id for _, item in changes])
        positions = {(copied.id, id): position for id, position in order.items()}
        new_events = await item_changes.write(tx, caller, changes, now, positions)
    await events.record_events(tx, caller, now, new_events)
    await saving.follow_saves(tx, caller, [Saved(item, created=True) for item in created], now)
    copied.item_count = len(changes)
    return copied


async def _copy_items(
    tx: Writer,
    caller: Profile,
    shared_items: Sequence[SharedItem],
    list_id: str,
    new_id: Callable[[], str],
    now: str,
) -> list[tuple[Item | None, Item]]:
    """Returns the changes that put the items on a list of the caller's, in the same order."""
    products = [str(item.product_id) for item in shared_items]
    existing = await items.find_by_products(tx, caller, products)
    changes: list[tuple[Item | None, Item]] = []
    # Reversed, so that the first item gets the newest id and pages show the list's order too.
    for item in reversed(shared_items):
        product, variant = str(item.product_id), str(item.variant_id or items.NO_VARIANT)
        if before := existing.get((product, variant)):
            after = replace(before, list_ids=sorted([*before.list_ids, list_id]))
        else:
            after = items.new(new_id(), product, variant, now)
            after.list_ids.append(list_id)
            for name in COPIED_FIELDS:
                setattr(after, name, getattr(item, name))
        changes.insert(0, (before, after))
    return changes
