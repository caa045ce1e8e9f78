"""Changes of items: deletes, moves between lists, and the writes that all other changes make.

``write`` saves all changes of items, except those that one statement can make.
"""

import contextlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from wishwell import events, ids, profiles
from wishwell.db import Reader, Writer, mapping
from wishwell.errors import LimitReached, NotFound, no_record
from wishwell.profiles import Profile, Scope, search
from wishwell.stores import SizeLimits
from wishwell.wishlists import item_life, items, reservation_rows
from wishwell.wishlists.items import Item


# rule: delete-scope
async def delete(tx: Writer, profile: Profile, id: str, now: str) -> None:
    """Deletes an item. Raises ``NotFound``, ``profiles.missing``."""
    has_events = events.events_enabled(profile)
    if has_events:
        await tx.begin()
    row = None
    if not item_life.is_followed(profile.store):
        row = await tx.one("items_delete", profile=profile.id, ids=[id])
    if row is None:  # it has tags or lists, doesn't exist, or a feature follows it
        if not await _delete_existing(tx, profile, [id], now):
            raise no_record("item")
    elif has_events:
        event = _make_event(items.from_row(row), None, profile.store.has_text_ids)
        await events.record_event(tx, profile, now, *event)


# rules: bulk-atomic, link-atomic
async def delete_many(tx: Writer, scope: Scope, item_ids: Sequence[str], now: str) -> None:
    """Deletes these items, all or, on an error, none. Ignores unknown ids."""
    valid_ids = [id for id in item_ids if ids.is_uuid(id)]
    if isinstance(scope, Profile):
        await _delete_existing(tx, scope, valid_ids, now)
        return
    # Twice, because a link may move an item to a customer between lookup and lock, but only once.
    for _ in range(2):
        rows = await tx.all("items_owners", store=scope.store.id, ids=valid_ids)
        owners = {row[0]: Profile(row[0], scope.store, row[3], bool(row[2])) for row in rows}
        # The same lock order as in a link (sessions before customers) prevents deadlocks.
        for owner in sorted(owners.values(), key=lambda owner: (not owner.is_session, owner.id)):
            with contextlib.suppress(NotFound):  # a link has closed the session since
                await _delete_existing(tx, owner, valid_ids, now)


async def _delete_existing(tx: Writer, profile: Profile, item_ids: list[str], now: str) -> bool:
    """Deletes the given items that exist, under the profile's lock. Returns whether any did."""
    if not await profiles.lock_known(tx, profile):
        return False
    rows = await tx.all("items_known", profile=profile.id, ids=item_ids)
    await apply(tx, profile, [(items.from_row(row), None) for row in rows], now)
    return bool(rows)


# rule: item-lists
async def set_lists(
    tx: Writer, profile: Profile, id: str, list_ids: Sequence[str], limits: SizeLimits, now: str
) -> Item:
    """Puts the item on exactly these lists.

    Raises ``NotFound`` for the item or a list, ``LimitReached`` if a list or the profile would
    exceed its size limit.
    """
    return await replace_lists(
        tx, profile, await find_locked(tx, profile, id), list_ids, limits, now
    )


async def find_locked(tx: Writer, profile: Profile, id: str) -> Item:
    """Returns an item under the profile's lock. Raises ``NotFound``, ``profiles.missing``."""
    row = None
    if await profiles.lock_known(tx, profile):
        row = await tx.one("item_find", profile=profile.id, id=id)
    if row is None:
        raise no_record("item")
    return items.from_row(row)


async def replace_lists(
    tx: Writer,
    profile: Profile,
    before: Item,
    list_ids: Collection[str],
    limits: SizeLimits,
    now: str,
) -> Item:
    """Puts an item that was read under the profile's lock on exactly these lists."""
    item = replace(before, list_ids=sorted({*list_ids}))
    if item == before:
        return item
    await check_limits(tx, profile, [(before, item)], limits, "listIds")
    await apply(tx, profile, [(before, item)], now)
    return item


def _list_ids(item: Item | None) -> set[str]:
    return set(item.list_ids) if item else set()


# rule: profile-limits
async def check_limits(
    tx: Reader, profile: Profile, changes: Sequence[items.Change], limits: SizeLimits, field: str
) -> None:
    """Checks changes, applied in order, against the size limits.

    Raises ``NotFound`` for a list that the profile doesn't have, ``LimitReached`` if one of the
    ``limits`` would be exceeded. ``field``: the field with the lists, for the error message; a
    placeholder gets the index of the change.
    """
    item_count = 0
    if any(before is None for before, _ in changes):
        row = await tx.one("profile_items", profile=profile.id)
        item_count = row[0] if row else 0
    sizes: dict[str, int] = dict(map(tuple, await tx.all("list_sizes", profile=profile.id)))
    entry_count = sum(sizes.values())
    for index, (before, after) in enumerate(changes):
        joined_lists, left_lists = (
            _list_ids(after) - _list_ids(before),
            _list_ids(before) - _list_ids(after),
        )
        item_count += before is None
        entry_count += len(joined_lists) - len(left_lists)
        if before is None and item_count > limits.items:
            raise LimitReached(
                f"A profile can have at most {limits.items} items; delete some first.",
                "item_limit_reached",
            )
        field_name = field.format(index)
        if unknown := joined_lists - sizes.keys():
            raise NotFound(
                f"{field_name}: {search.excerpt(min(unknown))} isn't the id of a list of this "
                "profile.",
                "list_not_found",
            )
        for id in left_lists:
            sizes[id] -= 1
        for id in joined_lists:
            sizes[id] += 1
            if sizes[id] > limits.list_items:
                raise LimitReached(
                    f"{field_name}: a list can have at most {limits.list_items} items.",
                    "list_item_limit_reached",
                )
        if len(joined_lists) > len(left_lists) and entry_count > limits.entries:
            raise LimitReached(
                f"{field_name}: all lists of a profile together can have at most {limits.entries} "
                "items.",
                "list_entry_limit_reached",
            )


async def apply(tx: Writer, profile: Profile, changes: Sequence[items.Change], now: str) -> None:
    """Saves changes like ``write``, and records their events."""
    await events.record_events(tx, profile, now, await write(tx, profile, changes, now))


# rules: event-changed, event-transaction, updated-at, item-lists, reserve-ends
async def write(
    tx: Writer,
    profile: Profile,
    changes: Sequence[items.Change],
    now: str,
    positions: Mapping[tuple[str, str], int] = MappingProxyType({}),
) -> list[tuple[events.Type, bytes]]:
    """Saves changes of items with their tags and lists, under the profile's lock.

    Returns the events, which the caller records. ``positions``: positions of items on lists that
    they are added to, by list id and item id; other items get none. Sets ``updated_at`` of changed
    items. Raises ``UniqueViolation``.
    """
    real = [change for change in changes if change[0] != change[1]]
    for before, after in real:
        if before and after:
            after.updated_at = max(before.updated_at, now)
    deleted = [before.id for before, after in real if before and not after]
    created = [after for before, after in real if after and not before]
    updated = [after for before, after in real if after and before]
    if created:
        await tx.fill("items", [_to_columns(profile, item) for item in created])
    await tx.run_many("item_put", [_to_columns(profile, item) for item in updated])
    await _write_tags(tx, profile, real)
    any_left_list = await _write_entries(tx, profile, real, positions)
    if deleted:
        await item_life.removed(tx, profile, deleted, now)
        await tx.run("items_remove", profile=profile.id, ids=deleted)
    if deleted or any_left_list:
        await reservation_rows.delete_unshared(tx, profile.id)
    if len(created) != len(deleted):
        await profiles.count(tx, profile, items=len(created) - len(deleted))
    return make_events(profile, real)


def make_events(
    profile: Profile, changes: Sequence[items.Change]
) -> list[tuple[events.Type, bytes]]:
    """Returns the events of changes that have been saved, if the store has events enabled."""
    if not events.events_enabled(profile):
        return []
    return [_make_event(before, after, profile.store.has_text_ids) for before, after in changes]


async def _write_tags(tx: Writer, profile: Profile, changes: Sequence[items.Change]) -> None:
    """Updates ``item_tags``, which only searches use; an item is read with ``items.tags``."""
    cleared: list[str] = []
    added: list[dict[str, str]] = []
    for before, after in changes:
        old_tags, new_tags = before.tags if before else [], after.tags if after else []
        if before and old_tags and old_tags != new_tags:
            cleared.append(before.id)
        if after and old_tags != new_tags:
            params = {"profile_id": profile.id, "store_id": profile.store.id, "item_id": after.id}
            added += [{**params, "tag": tag} for tag in new_tags]
    if cleared:
        await tx.run("item_tags_clear", profile=profile.id, ids=cleared)
    if added:
        await tx.fill("item_tags", added)


async def _write_entries(
    tx: Writer,
    profile: Profile,
    changes: Sequence[items.Change],
    positions: Mapping[tuple[str, str], int],
) -> bool:
    """Updates the lists' entries. Returns whether any item left a list."""
    added: list[dict[str, object]] = []
    removed: list[dict[str, object]] = []
    sizes = Counter[str]()
    for before, after in changes:
        joined_lists, left_lists = (
            _list_ids(after) - _list_ids(before),
            _list_ids(before) - _list_ids(after),
        )
        if after:
            params = {"profile_id": profile.id, "item_id": after.id}
            added += [
                {**params, "list_id": id, "position": positions.get((id, after.id), 0)}
                for id in joined_lists
            ]
        if before:
            removed += [{"profile": profile.id, "list": id, "item": before.id} for id in left_lists]
        sizes.update(joined_lists)
        sizes.subtract(left_lists)
    await tx.run_many("entry_remove", removed)
    if added:
        await tx.fill("entries", added)
    resized = [{"profile": profile.id, "id": id, "more": n} for id, n in sizes.items()]
    await tx.run_many("list_resize", resized)
    return bool(removed)


def _to_columns(profile: Profile, item: Item) -> dict[str, object]:
    product_id, variant_id = items.item_key(item)
    return mapping.to_columns(item, "items_filled") | {
        "profile_id": profile.id,
        "store_id": profile.store.id,
        "product_id": product_id,
        "variant_id": variant_id,
        **dict.fromkeys(("dropped_at", "restocked_at", "saved_at"), ""),
    }


# rule: event-changed
def _make_event(
    before: Item | None, after: Item | None, text_ids: bool
) -> tuple[events.Type, bytes]:
    if after is None:
        assert before is not None
        return "item.deleted", items.event_data(before, text_ids)
    if before is None:
        return "item.created", items.event_data(after, text_ids)
    return "item.updated", items.event_data(
        after, text_ids, events.find_changed_fields(before, after)
    )
