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


def fits(
    session_items: Sequence[Item], lists: Sequence[OrderedList], remaining: SizeLimits
) -> bool:
    """Returns whether all of the session's items and lists fit into the remaining
    capacity."""
    entries = sum(int(one.row["item_count"]) for one in lists)
    return (
        len(session_items) <= remaining.items
        and len(lists) <= remaining.lists
        and entries <= remaining.entries
    )


def merge_unchanged(session_items: Sequence[Item], lists: Sequence[OrderedList]) -> Merged:
    """Returns the merge of a session whose items and list names all differ from the customer's, and
    fit: everything moves unchanged, without ``added``."""
    return Merged(
        {item.id: item.id for item in session_items}, {one.id: one.id for one in lists}, {}
    )


# rules: link-merges-items, link-merges-lists, link-limits
def merge(
    session_items: Sequence[Item],
    session_lists: Sequence[OrderedList],
    twin_ids: Mapping[str, str],
    same_named: Sequence[OrderedList],
    remaining: SizeLimits,
) -> Merged:
    """Decides what becomes of the session's items and lists.

    ``twin_ids``: for items that both have, the customer's item id by the session's. ``same_named``:
    the customer's lists with the same names. ``remaining``: the customer's remaining capacity.
    """
    newest = sorted(session_items, key=lambda item: (item.created_at, item.id), reverse=True)
    moving_items = [item.id for item in newest if item.id not in twin_ids][: remaining.items]
    new_ids = {**twin_ids, **{id: id for id in moving_items}}
    joins = _choose_target_lists(session_lists, new_ids, same_named, remaining.list_items)
    moving_lists = [one.id for one in session_lists if one.id not in joins]
    joins |= {id: id for id in sorted(moving_lists, reverse=True)[: remaining.lists]}
    added = _choose_added_items(session_lists, new_ids, joins, same_named)
    if sum(map(len, added.values())) > remaining.entries:
        newest_ids = [new_ids[item.id] for item in newest if item.id in new_ids]
        added = _choose_newest_entries(added, newest_ids, remaining.entries)
    return Merged(new_ids, joins, added)


def _choose_target_lists(
    session_lists: Sequence[OrderedList],
    new_ids: Mapping[str, str],
    same_named: Sequence[OrderedList],
    max_items: int,
) -> dict[str, str]:
    """Returns the session's lists that are merged into one of the customer's, by id."""
    joins = {}
    contents = {one.id: set(one.items) for one in same_named}
    for session_list in session_lists:
        joining = {new_ids[id] for id in session_list.items if id in new_ids}
        for target in same_named:
            union = contents[target.id] | joining
            fits = len(union) <= max(max_items, len(contents[target.id]))
            if fits and normalised_name(target.name) == normalised_name(session_list.name):
                joins[session_list.id], contents[target.id] = target.id, union
                break
    return joins


def _choose_added_items(
    session_lists: Sequence[OrderedList],
    new_ids: Mapping[str, str],
    joins: Mapping[str, str],
    same_named: Sequence[OrderedList],
) -> dict[str, list[str]]:
    """Returns the items added to each list, in order."""
    contents = {one.id: set(one.items) for one in same_named}
    added: dict[str, list[str]] = {}
    for session_list in session_lists:
        if (target := joins.get(session_list.id)) is not None:
            content = contents.setdefault(target, set())
            joining = [new_ids[id] for id in session_list.items if id in new_ids]
            joining = [id for id in joining if id not in content]
            content.update(joining)
            if joining:
                added.setdefault(target, []).extend(joining)
    return added


def _choose_newest_entries(
    added: Mapping[str, Sequence[str]], newest_ids: Sequence[str], max_entries: int
) -> dict[str, list[str]]:
    """Returns those of the items added to lists that were saved last."""
    ranks = {id: rank for rank, id in enumerate(newest_ids)}
    entries = [(ranks[id], target, id) for target, item_ids in added.items() for id in item_ids]
    fitting = {(target, id) for _, target, id in sorted(entries)[:max_entries]}
    remaining = {
        target: [id for id in item_ids if (target, id) in fitting]
        for target, item_ids in added.items()
    }
    return {target: item_ids for target, item_ids in remaining.items() if item_ids}


# rule: link-merges-lists
def normalised_name(name: str) -> str:
    """Returns a list's normalised name: trimmed and case-folded. A link merges equal ones."""
    return name.strip().casefold()


# rule: link-merges-items
def merge_items(customer_item: Item, session_item: Item, list_ids: Iterable[str]) -> Item:
    """Merges the session's item into the customer's, and adds the lists ``list_ids``.

    Options are the customer's, or the session's where the customer's are empty; the quantity is the
    higher one.
    """
    # A link by an older release may have left more tags.
    tags = list(dict.fromkeys([*customer_item.tags, *session_item.tags]))[
        : max(MAX_TAGS, len(customer_item.tags))
    ]
    options = {
        name: getattr(customer_item, name) or getattr(session_item, name) for name in OPTIONS
    }
    options["quantity"] = max(customer_item.quantity, session_item.quantity)
    return replace(
        customer_item,
        **options,
        created_at=min(customer_item.created_at, session_item.created_at),
        saved_price=min(customer_item, session_item, key=lambda item: item.created_at).saved_price,
        tags=tags,
        list_ids=sorted({*customer_item.list_ids, *list_ids}),
    )
