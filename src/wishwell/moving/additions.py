"""What a profile of the database lacks of what a file has of it."""

from collections import Counter
from typing import Any, NamedTuple

import msgspec

from wishwell.moving import import_shares
from wishwell.moving.file_records import ItemRecord, ProfileRecord
from wishwell.moving.import_file import Bundle
from wishwell.stores import Store

TABLES = ("profiles", "lists", "items", "entries", "item_tags")

Rows = dict[str, list[tuple[Any, ...]]]


class Held(NamedTuple):
    """A profile of the store, its lists and whether each is shared, of its items by product and
    variant the id and the lists, and its shares."""

    created_at: str
    touched_at: str
    events: int
    email: str | None
    closed_at: str | None
    lists: dict[str, int]
    items: dict[tuple[str, str], tuple[str, str]]
    shares: set[str]

    @property
    def ids(self) -> set[str]:
        """The ids of its items."""
        return {id for id, _ in self.items.values()}


class Additions(msgspec.Struct):
    """What a profile lacks of what a file has: new rows, by table, and changes of what is there."""

    rows: Rows
    shares: list[dict[str, Any]] = []
    item_lists: list[dict[str, str]] = []
    """Items that come onto more lists, as ``import_item_lists`` takes them."""
    shared: list[str] = []
    """Lists that are shared from now on."""
    profile: bool = False
    """Whether the profile itself changes."""

    @property
    def any(self) -> bool:
        changes = self.shares or self.item_lists or self.shared or self.profile
        return bool(changes) or any(self.rows.values())


def additions(store: Store, key: str, bundle: Bundle, held: Held | None) -> Additions:
    """What the profile lacks. A profile that has ended gets nothing."""
    added = Additions({table: [] for table in TABLES})
    if held is None:
        added.rows["profiles"] = [_profile_row(store, key, bundle)]
        held = Held("", "", 0, None, None, {}, {}, set())
    elif held.closed_at is not None or bundle.profile.closed_at is not None:
        return added
    else:
        added.profile = _changes(bundle.profile, held)
    added.shares = [
        import_shares.row(store, key, record)
        for record in bundle.shares
        if record.id not in held.shares
    ]
    added.shared = [
        id
        for id, shared in held.lists.items()
        if not shared and id in bundle.lists and bundle.lists[id].shared
    ]
    _add_items(added, store, key, bundle, held)
    _add_lists(added, store, key, bundle, held)
    return added


def _changes(profile: ProfileRecord, held: Held) -> bool:
    return (
        profile.created_at < held.created_at
        or profile.touched_at > held.touched_at
        or profile.events > held.events
        or bool(profile.email and not held.email)
    )


def _add_items(added: Additions, store: Store, key: str, bundle: Bundle, held: Held) -> None:
    """Items that are not there, and the lists that come with the file of those that are."""
    fresh = bundle.lists.keys() - held.lists.keys()
    places = {
        (id, item): place for id in fresh for place, item in enumerate(bundle.lists[id].order, 1)
    }
    known = held.ids
    for item in bundle.items:
        there = held.items.get(item.kind)
        if there is None:
            if item.id in known:
                continue  # it has become one of another product
            id, lists = item.id, item.list_ids
            added.rows["items"].append(_item_row(store, key, item))
            added.rows["item_tags"] += [(key, id, tag, store.id) for tag in item.tags]
        else:
            id, on = there[0], there[1].split()
            lists = [id for id in item.list_ids if id in fresh and id not in on]
            if lists:
                list_ids = " ".join(sorted(on + lists))
                added.item_lists.append({"profile": key, "id": id, "list_ids": list_ids})
        added.rows["entries"] += [
            (key, list_id, id, places.get((list_id, item.id), 0)) for list_id in lists
        ]


def _add_lists(added: Additions, store: Store, key: str, bundle: Bundle, held: Held) -> None:
    sizes = Counter(list_id for _, list_id, _, _ in added.rows["entries"])
    for id in bundle.lists.keys() - held.lists.keys():
        record = bundle.lists[id]
        shared, made, changed = int(record.shared), record.created_at, record.updated_at
        row = (key, id, store.id, sizes[id], shared, made, changed, record.name)
        added.rows["lists"].append(row)


def _profile_row(store: Store, key: str, bundle: Bundle) -> tuple[Any, ...]:
    profile = bundle.profile
    return (
        *(key, store.id, profile.gid, int(profile.is_session), len(bundle.items)),
        *(len(bundle.lists), profile.events, profile.created_at, profile.touched_at),
        *(profile.closed_at, profile.email),
    )


def _item_row(store: Store, key: str, item: ItemRecord) -> tuple[Any, ...]:
    return (
        *(key, item.id, store.id, *item.kind, item.quantity, item.created_at),
        *(item.updated_at, item.dropped_at or "", item.restocked_at or ""),
        *(" ".join(sorted(item.list_ids)), " ".join(item.tags), item.note),
    )
