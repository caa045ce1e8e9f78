"""Lists: named, ordered collections of a profile's items (rule: list-order)."""

import contextlib
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from wishwell import events, ids, profiles
from wishwell import field_types as types
from wishwell.db import Reader, Writer, mapping, statements
from wishwell.errors import Invalid, LimitReached, NotFound, no_record
from wishwell.profiles import Profile, Scope, pages
from wishwell.stores import SizeLimits
from wishwell.wishlists import (
    fields,
    item_changes,
    items,
    merging,
    ordering,
    reservation_rows,
    shares,
)
from wishwell.wishlists.items import Item

Sort = Literal["recently_saved", "oldest_saved", "customer"]
SORTS: tuple[Sort, ...] = get_args(Sort)
MAX_NAME = 255


class List(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """A named collection of items."""

    id: types.Id
    name: types.ListName
    item_count: types.Count
    """The number of items on the list."""
    created_at: types.Time
    updated_at: types.Time
    items: list[Item] | UnsetType = UNSET
    """The items, in the requested order."""
    profile: types.ProfileGid | UnsetType = UNSET
    """The owner; only for an admin token without `Profile`."""


from_row = mapping.from_columns(List, "list_fields")
_from_store_row = mapping.from_columns(List, "list_fields", "profile")
"""Both convert a row to a list; the row of a whole store's page also has the owner's GID."""

_COLUMN_COUNT = len(statements.columns("list_fields"))


class ListFields(msgspec.Struct, frozen=True):
    """Validated fields of a list in a request. None leaves a field unchanged."""

    name: str | None = None


def check_name(name: str, field: str = "name") -> str:
    """Returns the trimmed name.

    Raises ``Invalid`` unless it has 1 to 255 characters and no control characters.
    """
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME:
        raise Invalid(f"{field}: must be 1 to {MAX_NAME} characters after trimming.")
    if fields.has_control(name):
        raise Invalid(f"{field}: must not contain control characters.")
    return name


def snapshot_reader(
    tx: Reader, profile: Profile, id: str | None = None
) -> Callable[[], Awaitable[events.ListSnapshots]]:
    """Returns a reader for ``events.record_list_changes`` of a profile's lists, or one, with their
    order."""

    async def read() -> events.ListSnapshots:
        if id is None:
            rows = await tx.all("lists_all", profile=profile.id)
        else:
            rows = await tx.all("list_find", profile=profile.id, id=id)
        orders: dict[str, list[str]] = {row[0]: [] for row in rows}
        for list_id, item_id in await tx.all("places", profile=profile.id, list=id):
            orders[list_id].append(item_id)
        return {row[0]: events.ListSnapshot(from_row(row), tuple(orders[row[0]])) for row in rows}

    return read


async def _read_positions(tx: Reader, profile: Profile, id: str) -> dict[str, int]:
    """Returns a list's items in order, with their positions (0 if never placed)."""
    return dict(map(tuple, await tx.all("list_order", profile=profile.id, id=id)))


@contextlib.asynccontextmanager
async def _record_changes(tx: Writer, profile: Profile, id: str, now: str) -> AsyncIterator[None]:
    """Locks the profile and records the list's changes as events.

    Raises ``NotFound``, ``profiles.missing``.
    """
    async with events.record_list_changes(tx, profile, now, snapshot_reader(tx, profile, id)):
        is_known = await profiles.lock_known(tx, profile)
        if not is_known or await tx.one("list_find", profile=profile.id, id=id) is None:
            raise no_record("list")
        yield


async def page(tx: Reader, scope: Scope, request: pages.PageRequest) -> pages.Page[List]:
    """Returns a page of lists, newest first. Raises ``profiles.missing``."""
    convert = from_row if isinstance(scope, Profile) else _from_store_row
    return await pages.read(tx, "lists", scope, request, convert)


# rule: list-sort
async def find(tx: Reader, profile: Profile, id: str, sort: Sort) -> List:
    """Returns a list with its items. Raises ``NotFound``, ``profiles.missing``."""
    rows = await tx.all("list_with_items", profile=profile.id, id=id)
    if not rows:
        await profiles.check_open(tx, profile)
        raise no_record("list")
    found_list = from_row(rows[0][:_COLUMN_COUNT])
    positions = {}
    found_list.items = list_items = []
    for row in rows:
        position = row[_COLUMN_COUNT]
        if position is not None:
            item = items.from_row(row[_COLUMN_COUNT + 1 :])
            positions[item.id] = position
            list_items.append(item)
    list_items.sort(key=lambda item: (item.created_at, item.id), reverse=sort != "oldest_saved")
    if sort == "customer":
        # The sort is stable: items that were never placed (0) stay newest first, at the end.
        list_items.sort(key=lambda item: positions[item.id] or math.inf)
    return found_list


# rule: profile-limits
async def create(
    tx: Writer, profile: Profile, fields: ListFields, id: str, limits: SizeLimits, now: str
) -> List:
    """Creates an empty list. Raises ``LimitReached``, ``profiles.missing``."""
    async with events.record_list_changes(tx, profile, now, snapshot_reader(tx, profile, id)):
        return await add(tx, profile, fields, id, limits, now)


async def add(
    tx: Writer, profile: Profile, fields: ListFields, id: str, limits: SizeLimits, now: str
) -> List:
    """Creates a list like ``create``, but leaves recording the event to the caller."""
    params = {"profile": profile.id, "most": limits.lists}
    if await tx.one("list_count_lock", **params) is None:
        await profiles.lock(tx, profile, now)
        if await tx.one("list_count_lock", **params) is None:
            raise LimitReached(
                f"A profile can have at most {limits.lists} lists; delete some first.",
                "list_limit_reached",
            )
    [row] = await tx.all("list_create", profile=profile.id, id=id, now=now, **asdict(fields))
    return from_row(row)


# rule: item-lists
async def find_or_create(
    tx: Writer,
    profile: Profile,
    names: Sequence[str],
    new_ids: Sequence[str],
    limits: SizeLimits,
    now: str,
) -> dict[str, str]:
    """Returns the id of a list for each name, under the profile's lock: of several the oldest.

    Creates missing lists, with the ``new_ids``. Raises ``LimitReached``, ``profiles.missing``.
    """
    if not names:
        return {}
    ids_by_name: dict[str, str] = {}
    for row in await tx.all("lists_all", profile=profile.id):  # the oldest first
        ids_by_name.setdefault(merging.normalised_name(from_row(row).name), row[0])
    for name, id in zip(names, new_ids, strict=True):
        if (key := merging.normalised_name(name)) not in ids_by_name:
            ids_by_name[key] = (await create(tx, profile, ListFields(name), id, limits, now)).id
    return {name: ids_by_name[merging.normalised_name(name)] for name in names}


# rule: updated-at
async def change(tx: Writer, profile: Profile, id: str, fields: ListFields, now: str) -> List:
    """Changes a list's own fields. Raises ``NotFound``, ``profiles.missing``."""
    async with _record_changes(tx, profile, id, now):
        [row] = await tx.all("list_change", profile=profile.id, id=id, now=now, **asdict(fields))
        return from_row(row)


# rule: delete-scope
async def delete(tx: Writer, profile: Profile, id: str, now: str) -> None:
    """Deletes a list but not its items. Raises ``NotFound``, ``profiles.missing``."""
    async with _record_changes(tx, profile, id, now):
        await shares.delete_all(tx, profile, await shares.find_of_list(tx, profile, id))
        if item_ids := list(await _read_positions(tx, profile, id)):
            await tx.run("list_leave_items", profile=profile.id, id=id, items=item_ids)
            await tx.run("entries_remove", profile=profile.id, lists=[id], items=item_ids)
        await tx.run("lists_remove", profile=profile.id, ids=[id])
        await profiles.count(tx, profile, lists=-1)
        await reservation_rows.delete_unshared(tx, profile.id)


# rule: list-order
async def order(tx: Writer, profile: Profile, id: str, item_ids: Sequence[str], now: str) -> List:
    """Moves these items to the front of a list, in this order. Returns the list in that order.

    Other items with a position follow in their old order; items never placed come last. Raises
    ``Invalid`` if an id is a duplicate or not on the list; ``NotFound``; ``profiles.missing``.
    """
    async with _record_changes(tx, profile, id, now):
        old_positions = await _read_positions(tx, profile, id)
        fields.each_once("itemIds", item_ids)
        for index, item_id in enumerate(item_ids):
            if item_id not in old_positions:
                raise Invalid(f"itemIds[{index}]: isn't the id of an item on this list.")
        moved = set(item_ids)
        old_order = [id for id, position in old_positions.items() if position]
        new_order = [*item_ids, *(id for id in old_order if id not in moved)]
        if new_order != old_order:  # rule: updated-at
            params = {"profile": profile.id, "list": id}
            await ordering.rearrange(tx, params, old_positions, new_order)
            await tx.run("list_touch", profile=profile.id, id=id, now=now)
    return await find(tx, profile, id, "customer")


# rule: list-order
async def put_item(
    tx: Writer,
    profile: Profile,
    id: str,
    item_id: str,
    after: str | UnsetType | None,
    limits: SizeLimits,
    now: str,
    *,
    is_last: bool = False,
) -> Item:
    """Puts an item on a list, after the item ``after``.

    None puts it first, or last if ``is_last``; ``UNSET`` keeps its position. Raises ``Invalid`` if
    ``after`` isn't another item of the list, ``LimitReached``, ``NotFound``, ``profiles.missing``.
    """
    item = await _find_item(tx, profile, id, item_id)
    if after is UNSET:
        return await item_changes.replace_lists(
            tx, profile, item, {*item.list_ids, id}, limits, now
        )
    if is_last:
        other_ids = [other for other in await _read_positions(tx, profile, id) if other != item_id]
        after = other_ids[-1] if other_ids else None
    params = {"profile": profile.id, "list": id}
    pair = [item_id, after] if after is not None and ids.is_uuid(after) else [item_id]
    rows = await tx.all("entries_named", **params, items=pair)
    old_positions: dict[str, int] = dict(map(tuple, rows))
    if after is not None and (after == item_id or after not in old_positions):
        raise Invalid("after: must be null, or the id of another item on this list.")
    item = await item_changes.replace_lists(tx, profile, item, {*item.list_ids, id}, limits, now)
    if after is None or old_positions[after]:
        low = 0 if after is None else old_positions[after]
        if not await ordering.move(tx, params, item_id, old_positions.get(item_id, 0), low):
            return item
    else:  # `after` and the items before it get positions too
        old_positions = await _read_positions(tx, profile, id) | {item_id: 0}
        other_ids = [other for other in old_positions if other != item_id]
        new_order = [*other_ids[: other_ids.index(after) + 1], item_id]
        await ordering.rearrange(tx, params, old_positions, new_order)
    [row] = await tx.all("list_touch", profile=profile.id, id=id, now=now)
    move = events.encode_list_move(from_row(row), item_id, after)
    await events.record_event(tx, profile, now, "list.updated", move)
    return item


# rule: delete-scope
async def remove_item(
    tx: Writer, profile: Profile, id: str, item_id: str, limits: SizeLimits, now: str
) -> None:
    """Removes an item from a list. Raises ``NotFound``, ``profiles.missing``."""
    item = await _find_item(tx, profile, id, item_id)
    if id not in item.list_ids:
        raise NotFound("The item isn't on this list.", "item_not_on_list")
    await item_changes.replace_lists(tx, profile, item, {*item.list_ids} - {id}, limits, now)


# rules: delete-scope, bulk-atomic
async def remove_items(
    tx: Writer, profile: Profile, id: str, item_ids: Sequence[str] | None, now: str
) -> None:
    """Removes these items from a list, or all with ``None``. Ignores ids that aren't on it.

    Raises ``NotFound``, ``profiles.missing``.
    """
    async with _record_changes(tx, profile, id, now):
        listed_ids = [*await _read_positions(tx, profile, id)]
        if item_ids is not None:
            leaving_ids = {*item_ids}
            listed_ids = [item_id for item_id in listed_ids if item_id in leaving_ids]
        await item_changes.apply(tx, profile, await _leaving(tx, profile, id, listed_ids), now)


# rules: list-order, bulk-atomic
async def replace_items(
    tx: Writer,
    profile: Profile,
    id: str,
    item_ids: Sequence[str],
    limits: SizeLimits,
    now: str,
) -> List:
    """Leaves exactly these items on a list, in this order. Returns the list in that order.

    Raises ``Invalid`` for a duplicate; ``NotFound`` for the list or an item; ``LimitReached``;
    ``profiles.missing``.
    """
    fields.each_once("itemIds", item_ids)
    async with _record_changes(tx, profile, id, now):
        old_positions = await _read_positions(tx, profile, id)
        joining_ids = [item_id for item_id in item_ids if item_id not in old_positions]
        staying_ids = {*item_ids}
        leaving_ids = [item_id for item_id in old_positions if item_id not in staying_ids]
        items_by_id = await _read_items(tx, profile, joining_ids)
        for index, item_id in enumerate(item_ids):
            if item_id not in old_positions and item_id not in items_by_id:
                raise NotFound(
                    f"itemIds[{index}]: isn't the id of an item of this profile.", "item_not_found"
                )
        changes = await _leaving(tx, profile, id, leaving_ids)
        changes += [
            (item, replace(item, list_ids=sorted({*item.list_ids, id})))
            for item in items_by_id.values()
        ]
        await item_changes.check_limits(tx, profile, changes, limits, "itemIds")
        await item_changes.apply(tx, profile, changes, now)
        positions = {item_id: old_positions.get(item_id, 0) for item_id in item_ids}
        old_order = [item_id for item_id in old_positions if positions.get(item_id)]
        if [*item_ids] != old_order:
            params = {"profile": profile.id, "list": id}
            await ordering.rearrange(tx, params, positions, item_ids)
        if changes or [*item_ids] != old_order:  # rule: updated-at
            await tx.run("list_touch", profile=profile.id, id=id, now=now)
    return await find(tx, profile, id, "customer")


async def _read_items(tx: Reader, profile: Profile, item_ids: Sequence[str]) -> dict[str, Item]:
    """Returns those of the items that the profile has, by id."""
    valid_ids = [item_id for item_id in item_ids if ids.is_uuid(item_id)]
    if not valid_ids:
        return {}
    rows = await tx.all("items_known", profile=profile.id, ids=valid_ids)
    return {item.id: item for item in map(items.from_row, rows)}


async def _leaving(
    tx: Reader, profile: Profile, id: str, item_ids: Sequence[str]
) -> list[items.Change]:
    """Returns the changes of items that leave a list."""
    items_by_id = await _read_items(tx, profile, item_ids)
    return [
        (item, replace(item, list_ids=[other for other in item.list_ids if other != id]))
        for item in items_by_id.values()
    ]


async def _find_item(tx: Writer, profile: Profile, id: str, item_id: str) -> Item:
    """Returns an item under the profile's lock. Raises ``NotFound`` for the item or the list."""
    item = await item_changes.find_locked(tx, profile, item_id)
    if await tx.one("list_find", profile=profile.id, id=id) is None:
        raise no_record("list")
    return item
