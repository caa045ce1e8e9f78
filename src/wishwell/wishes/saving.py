"""Saving: an item that is there already is changed (contract: save-once)."""

from collections.abc import Sequence

from msgspec import UNSET

from wishwell import events, profiles
from wishwell.db import Writer
from wishwell.profiles import Profile
from wishwell.stores import Bounds
from wishwell.wishes import items
from wishwell.wishes.items import Item, NewItem


# contract: save-again, item-limit
async def save(
    tx: Writer, profile: Profile, new: NewItem, id: str, bounds: Bounds, now: str
) -> tuple[Item, bool]:
    """Saves an item. Returns it, and whether it was created (with this ``id``) or existed.

    On an existing item the fields that ``new`` has are set, its lists are added, and nothing else
    changes. Raises ``LimitReached`` if one of the ``bounds`` would be exceeded, ``NotFound`` for a
    list that the profile does not have, ``profiles.missing``.
    """
    if new.tags is None and not new.list_ids:
        if events.are_told(profile):
            await profiles.lock(tx, profile, now)
        row = await tx.one(
            "item_save",
            profile=profile.id,
            id=id,
            product=new.product_id,
            variant=new.variant_id,
            quantity=new.quantity,
            note=new.note,
            now=now,
            most=bounds.items,
        )
        if row is not None:
            return await items.tell(tx, profile, row, now), bool(row[-1])
    # There are tags or lists, or the customer has no row yet, or it is full or has ended.
    [(before, item)] = await _save(tx, profile, [new], [id], bounds, now, "listIds")
    return item, before is None


# contract: items-put, items-put-all, limit-exact
async def save_many(
    tx: Writer,
    profile: Profile,
    wanted: Sequence[NewItem],
    new_ids: Sequence[str],
    bounds: Bounds,
    now: str,
) -> list[Item]:
    """Saves items, of which no two have the same product and variant; all, or on an error none.

    ``new_ids``: the id of each that is not there yet. Raises what ``save`` does.
    """
    field = "items[{}].listIds"
    return [item for _, item in await _save(tx, profile, wanted, new_ids, bounds, now, field)]


async def _save(
    tx: Writer,
    profile: Profile,
    wanted: Sequence[NewItem],
    new_ids: Sequence[str],
    bounds: Bounds,
    now: str,
    field: str,
) -> list[tuple[Item | None, Item]]:
    await profiles.lock(tx, profile, now)
    there = await items.of_products(tx, profile, [new.product_id for new in wanted])
    saves = []
    for new, id in zip(wanted, new_ids, strict=True):
        before = there.get((new.product_id, new.variant_id))
        fresh = Item(id, new.product_id, UNSET, 1, [], UNSET, [], now, now)
        after = items.changed(before or fresh, new)
        after.list_ids = sorted({*after.list_ids, *new.list_ids})
        saves.append((before, after))
    await items.check_room(tx, profile, saves, bounds, field)
    await items.apply(tx, profile, saves, now)
    return saves
