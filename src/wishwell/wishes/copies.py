"""Copies: what is on a shared list, put on a new list of whoever asks."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import UNSET

from wishwell import events, profiles
from wishwell.db import Writer
from wishwell.errors import LimitReached
from wishwell.profiles import Profile
from wishwell.stores import Bounds
from wishwell.wishes import items, lists, shares
from wishwell.wishes.items import NO_VARIANT, Item
from wishwell.wishes.lists import List
from wishwell.wishes.shares import Finder, SharedItem


class Wanted(NamedTuple):
    """The new list: its id, and its name; None is for that of the shared list."""

    id: str
    name: str | None


# contract: copy-list, copy-once, copy-limits, event-copy
async def copy(
    tx: Writer,
    finder: Finder,
    token: str,
    caller: Profile,
    wanted: Wanted,
    new_id: Callable[[], str],
    bounds: Bounds,
    now: str,
) -> List:
    """Makes a list of the caller's with what is on the shared list, in its order.

    An item that the caller has already is put on it; of the others come quantity and, where the
    share shows it, note. Raises ``UnknownShare``, ``LimitReached``, ``profiles.missing(caller)``.
    """
    await shares.lock(tx, finder, token, caller, now)
    shared = await shares.view(tx, finder, token, None, now)
    name = shared.name if wanted.name is None else wanted.name
    products = sorted({_kind(item)[0] for item in shared.items})
    of_products = items.records(tx, caller, "items_of_products", products=products)
    of_list = lists.record(tx, caller, wanted.id)
    async with (
        events.watch(tx, caller, now, "item", of_products),
        events.watch(tx, caller, now, "list", of_list),
    ):
        made = await lists.add(tx, caller, name, wanted.id, bounds, now)
        rows = await tx.all("items_of_products", profile=caller.id, products=products)
        there = {_kind(item): item for item in map(items.from_row, rows)}
        new = [item for item in shared.items if _kind(item) not in there]
        await _check_room(tx, caller, len(shared.items), len(new), bounds)
        # The first of the list has the newest id, so that pages show them in the list's order too.
        ids = {_kind(item): new_id() for item in reversed(new)}
        ids |= {kind: item.id for kind, item in there.items()}
        placed = [ids[_kind(item)] for item in shared.items]
        key, store = caller.id, caller.store.id
        await tx.fill(
            "items",
            [
                (
                    *(key, ids[_kind(item)], store, *_kind(item), item.quantity, now, now),
                    *("", "", made.id, "", "" if item.note is UNSET else item.note),
                )
                for item in new
            ],
        )
        of, both = {"profile": key, "now": now}, set(placed)
        longer = [
            {**of, "id": item.id, "list_ids": " ".join(sorted([*item.list_ids, made.id]))}
            for item in there.values()
            if item.id in both
        ]
        await tx.run_many("item_set_lists", longer)
        entries = [(key, made.id, id, place) for place, id in enumerate(placed, 1)]
        await tx.fill("entries", entries)
        await tx.run("list_resize", profile=key, id=made.id, more=len(placed))
        await profiles.count(tx, caller, items=len(new))
    made.item_count = len(placed)
    return made


async def _check_room(tx: Writer, caller: Profile, all_: int, new: int, bounds: Bounds) -> None:
    """Raises ``LimitReached`` if the caller's bounds don't hold so many entries and new items."""
    row = await tx.one("holdings", profile=caller.id)
    assert row is not None
    held, entries = row
    if all_ > bounds.list_items:
        raise LimitReached(f"A list holds at most {bounds.list_items} items; this one has {all_}.")
    if held + new > bounds.items:
        raise LimitReached(f"A profile holds at most {bounds.items} items; delete some first.")
    if entries + all_ > bounds.entries:
        raise LimitReached(f"All lists of a profile together hold at most {bounds.entries} items.")


def _kind(item: Item | SharedItem) -> tuple[str, str]:
    """Product and variant as they are stored; no two items of a profile have the same."""
    variant = NO_VARIANT if item.variant_id is UNSET else str(item.variant_id)
    return str(item.product_id), variant
