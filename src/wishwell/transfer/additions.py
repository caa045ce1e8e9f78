"""Compares a profile in an import file with the database, and returns the rows to add."""

from collections import Counter, defaultdict
from typing import Any

import msgspec
from msgspec.structs import asdict

from wishwell import ids
from wishwell.db import mapping, statements
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

    ``lists``: whether each list was ever shared, by id. ``named``: list ids by normalised name.
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
    named: dict[str, str] = {}
    items: dict[tuple[str, str], tuple[str, str]] = {}
    shares: set[str] = set()


# rule: import-twice
def additions(store: Store, key: str, bundle: Bundle, existing: ExistingProfile | None) -> Rows:
    """Returns the rows that the profile lacks; no value of the result is empty.

    ``existing`` is ``None`` if the profile doesn't exist. A closed session gets nothing.
    """
    profile = bundle.profile
    if existing is None:
        rows: Rows = defaultdict(list, profiles=[_profile_row(store, key, bundle)])
        _add_records(rows, store, key, bundle, ExistingProfile())
        return rows
    rows = defaultdict(list)
    if existing.closed_at is not None or profile.closed_at is not None:
        return rows
    if bundle.joins:
        bundle = _joined(bundle, existing)
    _add_records(rows, store, key, bundle, existing)
    if rows or _changes(bundle, existing):
        of = {"profile": key, **mapping.to_columns(profile)}
        for statement in ("lists_recount", "profile_recount", "import_profile"):
            rows[statement].append(of)
    return rows


# rule: import-csv
def _joined(bundle: Bundle, existing: ExistingProfile) -> Bundle:
    """Returns the bundle with its lists replaced by the profile's own lists of the same names."""
    own = {
        id: existing.named[name]
        for id, record in bundle.lists.items()
        if id not in existing.lists
        and (name := merging.normalised_name(record.name)) in existing.named
    }
    return msgspec.structs.replace(
        bundle,
        lists={own.get(id, id): record for id, record in bundle.lists.items()},
        items=[
            msgspec.structs.replace(item, list_ids=list({own.get(id, id) for id in item.list_ids}))
            for item in bundle.items
        ],
    )


def _changes(bundle: Bundle, existing: ExistingProfile) -> bool:
    profile = bundle.profile
    return (
        profile.created_at < existing.created_at
        or (profile.touched_at > existing.touched_at and not bundle.joins)
        or profile.events > existing.events
        or bool(profile.email and not existing.email)
        or (profile.notices is not None and existing.notices is None)
        or profile.shared > existing.shared
    )


def _add_records(
    rows: Rows, store: Store, key: str, bundle: Bundle, existing: ExistingProfile
) -> None:
    fresh = [record for id, record in bundle.lists.items() if id not in existing.lists]
    _add_items(rows, store, key, bundle, existing)
    sizes = Counter(row["list_id"] for row in rows.get("entries", ()))
    for new in fresh:
        of = {"profile_id": key, "store_id": store.id, "item_count": sizes[new.id]}
        rows["lists"].append(mapping.to_columns(new) | of)
    for id, shared in existing.lists.items():
        if not shared and id in bundle.lists and bundle.lists[id].shared:
            rows["list_mark_shared"].append({"profile": key, "id": id})
    for removed in bundle.removed:
        of = {"profile": key, "store": store.id, "product_id": str(removed.product_id)}
        of |= {"variant_id": "" if removed.variant_id is None else str(removed.variant_id)}
        rows["import_removed"].append(asdict(removed) | of | {"saved_at": removed.saved_at or ""})
    for share in bundle.shares:
        if share.id not in existing.shares:
            of = {"profile": key, "store": store.id, "list_id": share.list_id or ids.NO_UUID}
            rows["share_add"].append(asdict(share) | of)


def _add_items(
    rows: Rows, store: Store, key: str, bundle: Bundle, existing: ExistingProfile
) -> None:
    """Adds missing items, and adds existing items to the lists that the file adds."""
    new_lists = bundle.lists.keys() - existing.lists.keys()
    positions = {
        (list_id, item_id): position
        for list_id in new_lists
        for item_id, position in ordering.positions_in_order(bundle.lists[list_id].order).items()
    }
    existing_ids = {id for id, _ in existing.items.values()}
    for item in bundle.items:
        if found := existing.items.get(item.kind):
            item_id, list_ids = found[0], found[1].split()
            open_lists = bundle.lists.keys() if bundle.joins else new_lists
            joined = [id for id in item.list_ids if id in open_lists and id not in list_ids]
            if joined:
                params = {"profile": key, "id": item_id}
                params["list_ids"] = " ".join(sorted(list_ids + joined))
                rows["import_item_lists"].append(params)
        elif item.id in existing_ids:
            continue  # the item has been changed to another product since the export
        else:
            item_id, joined = item.id, item.list_ids
            _add_item(rows, store, key, item)
        columns = {"profile_id": key, "item_id": item_id}
        for list_id in joined:
            position = positions.get((list_id, item.id), 0)
            rows["entries"].append({**columns, "list_id": list_id, "position": position})


def _add_item(rows: Rows, store: Store, key: str, item: ItemRecord) -> None:
    """Adds an item with its tags, but without its lists."""
    rows["items"].append(_item_row(store, key, item))
    columns = {"profile_id": key, "store_id": store.id, "item_id": item.id}
    for tag in item.tags:
        rows["item_tags"].append({**columns, "tag": tag})


def _profile_row(store: Store, key: str, bundle: Bundle) -> dict[str, Any]:
    profile = bundle.profile
    return mapping.to_columns(profile) | {
        "profile_id": key,
        "store_id": store.id,
        "is_session": int(profile.is_session),
        "items": len(bundle.items),
        "lists": len(bundle.lists),
    }


def _item_row(store: Store, key: str, item: ItemRecord) -> dict[str, Any]:
    product_id, variant_id = item.kind
    columns = mapping.to_columns(item)
    return (
        dict.fromkeys(statements.columns("items_filled"), "")
        | columns
        | {
            "profile_id": key,
            "store_id": store.id,
            "product_id": product_id,
            "variant_id": variant_id,
            "dropped_at": item.dropped_at or "",
            "restocked_at": item.restocked_at or "",
            "saved_price": columns["saved_price"] or "",
            "saved_at": item.saved_at or "",
            "list_ids": " ".join(sorted(item.list_ids)),
        }
    )
