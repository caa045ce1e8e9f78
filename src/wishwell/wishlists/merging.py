"""Rules for merging a session into a customer (a link), without I/O (rule: link-limits)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from wishwell.field_types import MAX_TAGS
from wishwell.stores import SizeLimits
from wishwell.wishlists.items import OPTIONS, Item


class OrderedList(msgspec.Struct, frozen=True):
    """A list's columns, and its items' positions by item id, in the customer's order."""

    row: Mapping[str, Any]
    items: dict[str, int] = {}

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def name(self) -> str:
        return str(self.row["name"])


class Merged(msgspec.Struct):
    """The result of a merge.

    ``items``: the id that each of the session's items has afterwards, without items left behind.
    ``joins``: the list that each of the session's lists becomes; its own id if it moves.
    ``added``: ids of the items added to each list, in order.
    """

    items: dict[str, str]
    joins: dict[str, str]
    added: dict[str, list[str]]


# rule: link-limits
def remaining_capacity(limits: SizeLimits, items: int, lists: int, entries: int) -> SizeLimits:
    """Returns how many items, lists and entries a merge may add to these counts of a customer.

    A merged profile may exceed its size limits up to twofold.
    """
    return SizeLimits(
        items=max(0, 2 * limits.items - items),
        lists=max(0, 2 * limits.lists - lists),
        entries=max(0, 2 * limits.entries - entries),
        list_items=limits.list_items,
    )


def fits(wishes: Sequence[Item], lists: Sequence[OrderedList], remaining: SizeLimits) -> bool:
    """Returns whether all of the session's items and lists fit into the remaining
    capacity."""
    entries = sum(int(made.row["item_count"]) for made in lists)
    return (
        len(wishes) <= remaining.items
        and len(lists) <= remaining.lists
        and entries <= remaining.entries
    )


def unchanged(wishes: Sequence[Item], lists: Sequence[OrderedList]) -> Merged:
    """Returns the merge of a session that has no item and no list name in common with the customer,
    and that fits: all of it moves as it is, without ``added``."""
    return Merged({wish.id: wish.id for wish in wishes}, {made.id: made.id for made in lists}, {})


# rules: link-merges-items, link-merges-lists, link-limits
def merge(
    wishes: Sequence[Item],
    lists: Sequence[OrderedList],
    same: Mapping[str, str],
    own: Sequence[OrderedList],
    remaining: SizeLimits,
) -> Merged:
    """Decides what becomes of the session's items (``wishes``) and lists.

    ``same``: for items that both have, the customer's item id by the session's. ``own``: the
    customer's lists with the same names. ``remaining``: the customer's remaining capacity.
    """
    newest = sorted(wishes, key=lambda wish: (wish.created_at, wish.id), reverse=True)
    moved = [wish.id for wish in newest if wish.id not in same][: remaining.items]
    items = {**same, **{id: id for id in moved}}
    joins = _choose_target_lists(lists, items, own, remaining.list_items)
    moving = [made.id for made in lists if made.id not in joins]
    joins |= {id: id for id in sorted(moving, reverse=True)[: remaining.lists]}
    return Merged(items, joins, _added_items(newest, lists, items, joins, own, remaining.entries))


def _choose_target_lists(
    lists: Sequence[OrderedList], items: Mapping[str, str], own: Sequence[OrderedList], most: int
) -> dict[str, str]:
    """Returns the session's lists that are merged into one of the customer's, by id."""
    joins = {}
    there = {mine.id: set(mine.items) for mine in own}
    for made in lists:
        coming = {items[id] for id in made.items if id in items}
        for mine in own:
            union = there[mine.id] | coming
            fits = len(union) <= max(most, len(there[mine.id]))
            if fits and normalised_name(mine.name) == normalised_name(made.name):
                joins[made.id], there[mine.id] = mine.id, union
                break
    return joins


def _added_items(
    newest: Sequence[Item],
    lists: Sequence[OrderedList],
    items: Mapping[str, str],
    joins: Mapping[str, str],
    own: Sequence[OrderedList],
    most: int,
) -> dict[str, list[str]]:
    """Returns the items added to each list, in order. Of more than ``most``, keeps the newest."""
    taken = {mine.id: set(mine.items) for mine in own}
    added: dict[str, list[str]] = {}
    for made in lists:
        if (target := joins.get(made.id)) is not None:
            there = taken.setdefault(target, set())
            coming = [items[id] for id in made.items if id in items and items[id] not in there]
            there.update(coming)
            if coming:
                added.setdefault(target, []).extend(coming)
    if sum(map(len, added.values())) <= most:
        return added
    age = {items[wish.id]: at for at, wish in enumerate(newest) if wish.id in items}
    every = [(age[id], target, id) for target, on in added.items() for id in on]
    kept = {(target, id) for _, target, id in sorted(every)[:most]}
    left = {target: [id for id in on if (target, id) in kept] for target, on in added.items()}
    return {target: on for target, on in left.items() if on}


# rule: link-merges-lists
def normalised_name(name: str) -> str:
    """Returns a list's normalised name: trimmed and case-folded. A link merges equal ones."""
    return name.strip().casefold()


# rule: link-merges-items
def merge_items(mine: Item, theirs: Item, more: Iterable[str]) -> Item:
    """Merges the session's item into the customer's, and adds the lists ``more``.

    Options are the customer's, or the session's where the customer's are empty; the quantity is the
    higher one.
    """
    # A link by an older release may have left more tags.
    tags = list(dict.fromkeys([*mine.tags, *theirs.tags]))[: max(MAX_TAGS, len(mine.tags))]
    own_first = {name: getattr(mine, name) or getattr(theirs, name) for name in OPTIONS}
    own_first["quantity"] = max(mine.quantity, theirs.quantity)
    return replace(
        mine,
        **own_first,
        created_at=min(mine.created_at, theirs.created_at),
        saved_price=min(mine, theirs, key=lambda item: item.created_at).saved_price,
        tags=tags,
        list_ids=sorted({*mine.list_ids, *more}),
    )
