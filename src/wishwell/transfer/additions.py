"""Compares a profile in an import file with the database, and returns the rows to add."""

from collections import Counter, defaultdict
from typing import Any

import msgspec
from msgspec.structs import asdict

from wishwell import ids
from wishwell.db import Reader, mapping, statements
from wishwell.stores import Store
from wishwell.transfer.file_records import ItemRecord
from wishwell.transfer.import_file import Bundle
from wishwell.wishlists import merging, ordering

TABLES = ("profiles", "lists", "items", "entries", "item_tags")
"""Tables that rows are inserted into, in this order."""

Rows = dict[str, list[Any]]
"""New rows by table; arguments of updates by statement."""


class ExistingProfile(msgspec.Struct):
    """A profile that exists in the database.

    ``lists``: whether each list was ever shared, by id. ``list_ids_by_name``: by normalised name.
    ``items``: the id and list ids (a text) of each item by product and variant. ``shares``: ids.
    """

    created_at: str = ""
    touched_at: str = ""
    events: int = 0
    email: str | None = None
    closed_at: str | None = None
    notices: int | None = None
    shared: int = 0
    lists: dict[str, int] = {}
    list_ids_by_name: dict[str, str] = {}
    items: dict[tuple[str, str], tuple[str, str]] = {}
    shares: set[str] = set()


async def read_records(tx: Reader, profiles: dict[str, ExistingProfile]) -> None:
    """Reads the lists, shares and items of existing profiles, which are given by key."""
    keys = list(profiles)
    for key, id, shared, name in await tx.all("import_lists_held", profiles=keys):
        profiles[key].lists[id] = shared
        ids_by_name, name = profiles[key].list_ids_by_name, merging.normalised_name(name)
        ids_by_name[name] = min(id, ids_by_name.get(name, id))
    for key, id in await tx.all("import_shares_held", profiles=keys):
        profiles[key].shares.add(id)
    for key, id, product, variant, list_ids in await tx.all("import_items_held", profiles=keys):
        profiles[key].items[product, variant] = id, list_ids


# rule: import-twice
def find_additions(
    store: Store, key: str, bundle: Bundle, existing: ExistingProfile | None
) -> Rows:
    """Returns the rows that the profile lacks; no value of the result is empty.

    ``existing`` is ``None`` if the profile doesn't exist. A closed session gets nothing.
    """
    profile = bundle.profile
    if existing is None:
        rows: Rows = defaultdict(list, profiles=[_create_profile_row(store, key, bundle)])
        _add_records(rows, store, key, bundle, ExistingProfile())
        return rows
    rows = defaultdict(list)
    if existing.closed_at is not None or profile.closed_at is not None:
        return rows
    if bundle.joins_lists:
        bundle = _join_lists(bundle, existing)
    _add_records(rows, store, key, bundle, existing)
    if rows or _has_changes(bundle, existing):
        params = {"profile": key, **mapping.to_columns(profile, "profile_file_fields")}
        for statement in ("lists_recount", "profile_recount", "import_profile"):
            rows[statement].append(params)
    return rows


# rule: import-csv
def _join_lists(bundle: Bundle, existing: ExistingProfile) -> Bundle:
    """Returns the bundle with its lists replaced by the profile's own lists of the same names."""
    existing_ids = {
        id: existing.list_ids_by_name[name]
        for id, record in bundle.lists.items()
        if id not in existing.lists
        and (name := merging.normalised_name(record.name)) in existing.list_ids_by_name
    }
    return msgspec.structs.replace(
        bundle,
        lists={existing_ids.get(id, id): record for id, record in bundle.lists.items()},
        items=[
            msgspec.structs.replace(
                item, list_ids=list({existing_ids.get(id, id) for id in item.list_ids})
            )
            for item in bundle.items
        ],
    )


def _has_changes(bundle: Bundle, existing: ExistingProfile) -> bool:
    profile = bundle.profile
    return (
        profile.created_at < existing.created_at
        or (profile.touched_at > existing.touched_at and not bundle.joins_lists)
        or profile.events > existing.events
        or bool(profile.email and not existing.email)
        or (profile.notices is not None and existing.notices is None)
        or profile.shared > existing.shared
    )


def _add_records(
    rows: Rows, store: Store, key: str, bundle: Bundle, existing: ExistingProfile
) -> None:
    new_lists = [record for id, record in bundle.lists.items() if id not in existing.lists]
    _add_items(rows, store, key, bundle, existing)
    sizes = Counter(row["list_id"] for row in rows.get("entries", ()))
    for record in new_lists:
        params = {"profile_id": key, "store_id": store.id, "item_count": sizes[record.id]}
        rows["lists"].append(mapping.to_columns(record, "lists_filled") | params)
    for id, was_shared in existing.lists.items():
        if not was_shared and id in bundle.lists and bundle.lists[id].shared:
            rows["list_mark_shared"].append({"profile": key, "id": id})
    for removed_item in bundle.removed:
        params = {"profile": key, "store": store.id, "product_id": str(removed_item.product_id)}
        params |= {
            "variant_id": "" if removed_item.variant_id is None else str(removed_item.variant_id)
        }
        rows["import_removed"].append(asdict(removed_item) | params)
    for share in bundle.shares:
        if share.id not in existing.shares:
            params = {"profile": key, "store": store.id, "list_id": share.list_id or ids.NO_UUID}
            rows["share_add"].append(asdict(share) | params)


def _add_items(
    rows: Rows, store: Store, key: str, bundle: Bundle, existing: ExistingProfile
) -> None:
    """Adds missing items, and adds existing items to the lists that the file adds."""
    new_list_ids = bundle.lists.keys() - existing.lists.keys()
    positions = {
        (id, item): position
        for id in new_list_ids
        for item, position in ordering.positions_in_order(bundle.lists[id].order).items()
    }
    existing_ids = {id for id, _ in existing.items.values()}
    for item in bundle.items:
        if existing_item := existing.items.get(item.kind):
            item_id, old_list_ids = existing_item[0], existing_item[1].split()
            open_list_ids = bundle.lists.keys() if bundle.joins_lists else new_list_ids
            added_list_ids = [
                id for id in item.list_ids if id in open_list_ids and id not in old_list_ids
            ]
            if added_list_ids:
                params = {"profile": key, "id": item_id}
                params["list_ids"] = " ".join(sorted(old_list_ids + added_list_ids))
                rows["import_item_lists"].append(params)
        elif item.id in existing_ids:
            continue  # the item has been changed to another product since the export
        else:
            item_id, added_list_ids = item.id, item.list_ids
            _add_item(rows, store, key, item)
        columns = {"profile_id": key, "item_id": item_id}
        for list_id in added_list_ids:
            position = positions.get((list_id, item.id), 0)
            rows["entries"].append({**columns, "list_id": list_id, "position": position})


def _add_item(rows: Rows, store: Store, key: str, item: ItemRecord) -> None:
    """Adds an item with its tags, but without its lists."""
    rows["items"].append(_create_item_row(store, key, item))
    columns = {"profile_id": key, "store_id": store.id, "item_id": item.id}
    for tag in item.tags:
        rows["item_tags"].append({**columns, "tag": tag})


def _create_profile_row(store: Store, key: str, bundle: Bundle) -> dict[str, Any]:
    profile = bundle.profile
    return mapping.to_columns(profile, "profiles_filled") | {
        "profile_id": key,
        "store_id": store.id,
        "is_session": int(profile.is_session),
        "items": len(bundle.items),
        "lists": len(bundle.lists),
    }


def _create_item_row(store: Store, key: str, item: ItemRecord) -> dict[str, Any]:
    product_id, variant_id = item.kind
    no_values = dict.fromkeys(statements.columns("items_filled"), "")
    return (
        no_values
        | mapping.to_columns(item, "items_filled")
        | {
            "profile_id": key,
            "store_id": store.id,
            "product_id": product_id,
            "variant_id": variant_id,
            "list_ids": " ".join(sorted(item.list_ids)),
        }
    )
