"""Linking: at a sign-in, a session's records are merged into the customer's.

A link is one transaction, also when several requests link the same profiles concurrently
(rule: link-atomic). It locks both profiles first, so it waits for earlier writes, and later writes
find the session closed. It reads the records of both, ``merging.py`` computes the result, and the
rest of this module stores it.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from wishwell import events, opaque, profiles
from wishwell import field_types as types
from wishwell.db import Reader, Writer, statements
from wishwell.profiles import Profile
from wishwell.stores import SizeLimits
from wishwell.wishlists import (
    item_changes,
    item_life,
    items,
    lists,
    merging,
    ordering,
    reservation_rows,
    reservations,
    shares,
)
from wishwell.wishlists.items import Change, Item
from wishwell.wishlists.merging import Merged, OrderedList

Event = tuple[events.Type, bytes]
"""Type and data of an event."""


class Linked(msgspec.Struct):
    """Data of the event ``profile.linked``: both GIDs, and how much the session had."""

    session: types.ProfileGid
    """For a link: the session, which is now closed."""
    customer: types.ProfileGid
    """For a link: the customer who has signed in."""
    items: types.Count
    """For a link: the number of items of the session."""
    lists: types.Count
    """For a link: the number of lists of the session."""
    left: types.Count  # rule: link-limits
    """For a link: the number of items that were not moved."""


# rules: link-limits, profile-email, link-atomic, event-changed, cluster-nodes, notice-drop
async def link(
    tx: Writer, session: Profile, customer: Profile, limits: SizeLimits, now: str
) -> int:
    """Moves all records of the session and closes it. Returns the number of items moved.

    The customer has at most twice the ``limits`` afterwards. Returns 0 for a session that is
    already linked. Raises ``NotFound`` for a session that is unknown or is being removed.
    """
    locked = await _lock(tx, session, customer, now)
    if locked is None:
        return 0
    async with events.record_list_changes(tx, customer, now, lists.snapshot_reader(tx, customer)):
        linked, new_events = await _move(tx, session, customer, limits, locked, now)
    new_events = [(type_, events.mark_as_linked(data)) for type_, data in new_events]
    new_events.append(("profile.linked", msgspec.json.encode(linked)))
    await events.record_events(tx, customer, now, new_events)
    return linked.items - linked.left


async def _lock(tx: Writer, session: Profile, customer: Profile, now: str) -> set[str] | None:
    """Locks both profiles and the owners of items that the session has reserved, sessions first.
    The same order everywhere prevents deadlocks.

    Returns the keys of the locked profiles, or ``None`` if the session is linked. Raises
    ``NotFound``.
    """
    both = {(False, session.id), (True, customer.id)}
    in_order = sorted(both | await reservations.find_owners(tx, session.id))
    for _, id in in_order:
        if id == customer.id:
            await profiles.lock(tx, customer, now)
            continue
        row = await tx.one("profile_lock", profile=id)
        if id == session.id:
            if row is None or (row[0] is not None and row[1] == profiles.REMOVED):
                raise profiles.unknown_session()
            if row[0] is not None:
                return None
    return {id for _, id in in_order}


async def _move(
    tx: Writer,
    session: Profile,
    customer: Profile,
    limits: SizeLimits,
    locked: set[str],
    now: str,
) -> tuple[Linked, list[Event]]:
    """Moves the session's records. Returns the data of the link's event and the items' events."""
    session_items, customer_items = await _read_items(tx, session), await _read_items(tx, customer)
    session_lists, customer_lists = await _read_lists(tx, session), await _read_lists(tx, customer)
    remaining = merging.remaining_capacity(
        limits,
        len(customer_items),
        len(customer_lists),
        sum(one.row["item_count"] for one in customer_lists),
    )
    names = {merging.normalised_name(one.name) for one in session_lists}
    same_named = [one for one in customer_lists if merging.normalised_name(one.name) in names]
    twins = _find_twins(session_items, customer_items)
    if not twins and not same_named and merging.fits(session_items, session_lists, remaining):
        merged = merging.merge_unchanged(session_items, session_lists)
        for statement in _COPY_STATEMENTS:
            await tx.run(statement, session=session.id, customer=customer.id)
        new_events = item_changes.make_events(customer, [(None, item) for item in session_items])
    else:
        created = _compute_creation_times(session_items, customer_items, twins)
        session_lists = await _read_order(tx, session, session_lists, created)
        same_named = await _read_order(tx, customer, same_named, created)
        twin_ids = {id: twin.id for id, twin in twins.items()}
        merged = merging.merge(session_items, session_lists, twin_ids, same_named, remaining)
        positions = await _write_lists(tx, customer, session_lists, same_named, merged, now)
        changes = _merge_changes(session_items, twins, merged)
        new_events = await item_changes.write(tx, customer, changes, now, positions)
        await _merge_notice_times(tx, session, customer, merged.items)
    pairs = [(item, twins.get(item.id)) for item in session_items]
    further = await item_life.merged(tx, session, customer, pairs, merged.items, now)
    new_events += await item_changes.write(tx, customer, further, now)
    await _move_shares(tx, session, customer, merged.joins, moves_whole=not customer_items)
    await reservations.merge_owned(tx, session.id, customer.id, merged.items)
    await reservations.merge_held(tx, session.id, customer.id, locked)
    await _close(tx, session, customer, now)
    left_behind = len(session_items) - len(merged.items)
    counts = len(session_items), len(session_lists), left_behind
    return Linked(session.gid, customer.gid, *counts), new_events


def _find_twins(session_items: Sequence[Item], customer_items: Sequence[Item]) -> dict[str, Item]:
    """Returns the customer's items with the same product and variant, by the session's item ids."""
    by_key = {items.item_key(item): item for item in customer_items}
    keys = {item.id: items.item_key(item) for item in session_items}
    return {id: by_key[key] for id, key in keys.items() if key in by_key}


def _compute_creation_times(
    session_items: Sequence[Item], customer_items: Sequence[Item], twins: Mapping[str, Item]
) -> dict[str, str]:
    """Returns the creation time of each item, as it will be after the merge."""
    created = {item.id: item.created_at for item in (*session_items, *customer_items)}
    for item in session_items:
        if twin := twins.get(item.id):
            created[twin.id] = min(twin.created_at, item.created_at)
    return created


async def _close(tx: Writer, session: Profile, customer: Profile, now: str) -> None:
    """Counts the customer's records again, and deletes the session's records."""
    [row] = await tx.all("profile_shown", profile=session.id)
    session_record = statements.name_columns("profile_record_fields", row)
    kept = {"email": None, "notices": None}  # see item_life.merged
    shared = session_record["shared"]
    await tx.run("profile_recount", profile=customer.id, shared=shared, **kept)
    await reservation_rows.delete_unshared(tx, customer.id)
    for statement in _DELETE_STATEMENTS:
        await tx.run(statement, profile=session.id)
    await tx.run("session_close", profile=session.id, customer=customer.id, now=now)


_COPY_STATEMENTS = (
    "link_copy_items",
    "link_copy_item_tags",
    "link_copy_lists",
    "link_copy_entries",
)
_DELETE_STATEMENTS = (
    *("link_leave_entries", "link_leave_item_tags", "link_leave_lists", "link_leave_items"),
    "link_leave_shares",
)


async def _read_items(tx: Reader, profile: Profile) -> list[Item]:
    return [items.from_row(row) for row in await tx.all("items_all", profile=profile.id)]


async def _read_lists(tx: Reader, profile: Profile) -> list[OrderedList]:
    """Returns the lists, the oldest first, without their items."""
    rows = await tx.all("lists_kept", profile=profile.id)
    return [OrderedList(statements.name_columns("lists_filled", row)) for row in rows]


async def _read_order(
    tx: Reader, profile: Profile, lists: Sequence[OrderedList], created: Mapping[str, str]
) -> list[OrderedList]:
    """Returns the lists with their items in the profile's own order. ``created``: the creation time
    of each item."""
    if not lists:
        return []
    entries: dict[str, list[tuple[str, int]]] = defaultdict(list)
    list_ids = [one.id for one in lists]
    for list_id, id, position in await tx.all("link_entries", profile=profile.id, lists=list_ids):
        entries[list_id].append((id, position))
    for list_entries in entries.values():
        # The sorts are stable: items without a position follow, the newest first.
        list_entries.sort(key=lambda entry: (created[entry[0]], entry[0]), reverse=True)
        list_entries.sort(key=lambda entry: entry[1] or math.inf)
    return [replace(one, items=dict(entries[one.id])) for one in lists]


# rule: link-merges-items
def _merge_changes(
    session_items: Sequence[Item], twins: Mapping[str, Item], merged: Merged
) -> list[Change]:
    """Returns the changes to the customer's items: merged ones, and those that move."""
    added_lists = defaultdict(set)
    for list_id, item_ids in merged.added.items():
        for id in item_ids:
            added_lists[id].add(list_id)
    changes: list[Change] = []
    for item in session_items:
        if twin := twins.get(item.id):
            changes.append((twin, merging.merge_items(twin, item, added_lists[twin.id])))
        elif item.id in merged.items:
            changes.append((None, replace(item, list_ids=sorted(added_lists[item.id]))))
    return changes


async def _write_lists(
    tx: Writer,
    customer: Profile,
    session_lists: Sequence[OrderedList],
    same_named: Sequence[OrderedList],
    merged: Merged,
    now: str,
) -> dict[tuple[str, str], int]:
    """Stores the lists that move or get longer. Returns the positions of the entries added to them,
    by list and item."""
    moving = [one for one in session_lists if merged.joins.get(one.id) == one.id]
    await _add_lists(tx, customer, moving)
    shared = [one.id for one in session_lists if one.row["shared"]]
    targets = {merged.joins[id] for id in shared if id in merged.joins}
    rows = [{"profile": customer.id, "id": id} for id in sorted(targets)]
    await tx.run_many("list_mark_shared", rows)
    longer = [one for one in same_named if one.id in merged.added]
    positions = await _extend_lists(tx, customer, longer, merged.added, now)
    for one in moving:
        positions |= {
            (one.id, merged.items.get(id, "")): position for id, position in one.items.items()
        }
    return positions


async def _add_lists(tx: Writer, customer: Profile, moving: Sequence[OrderedList]) -> None:
    """Stores lists of the session as the customer's, without their items."""
    if moving:
        columns = {"profile_id": customer.id, "item_count": 0}
        await tx.fill("lists", [{**one.row, **columns} for one in moving])


async def _extend_lists(
    tx: Writer,
    customer: Profile,
    lists: Sequence[OrderedList],
    added: Mapping[str, Sequence[str]],
    now: str,
) -> dict[tuple[str, str], int]:
    """Gives the items of lists that get longer their new positions. Returns the positions of all of
    their items, also the ``added`` ones, which the caller stores."""
    await tx.run_many(
        "list_touch", [{"profile": customer.id, "id": one.id, "now": now} for one in lists]
    )
    positions: dict[tuple[str, str], int] = {}
    rows = []
    for one in lists:
        new_order = ordering.positions_in_order([*one.items, *added[one.id]])
        positions |= {(one.id, id): position for id, position in new_order.items()}
        params = {"profile": customer.id, "list": one.id}
        rows += [
            {**params, "item": id, "position": new_order[id]}
            for id, old_position in one.items.items()
            if old_position != new_order[id]
        ]
    await tx.run_many("entry_place", rows)
    return positions


# rule: notice-each-once
async def _merge_notice_times(
    tx: Writer, session: Profile, customer: Profile, new_ids: Mapping[str, str]
) -> None:
    """Copies the times of the last notices to the customer's items, so that they aren't repeated
    soon."""
    rows = [
        {
            "profile": customer.id,
            "id": new_ids[id],
            "dropped_at": dropped,
            "restocked_at": restocked,
        }
        for id, dropped, restocked in await tx.all("link_notice_times", profile=session.id)
        if id in new_ids
    ]
    await tx.run_many("link_set_notice_times", rows)


# rule: share-ends
async def _move_shares(
    tx: Writer,
    session: Profile,
    customer: Profile,
    joins: Mapping[str, str],
    *,
    moves_whole: bool,
) -> None:
    """Moves the shares of lists that move, and of the whole wishlist if the customer had no items.

    Others end, because what is merged with the customer's list or items is private."""
    session_shares = await shares.find_all(tx, session)

    def moves(list_id: str | UnsetType) -> bool:
        return moves_whole if list_id is UNSET else joins.get(list_id) == list_id

    moving = [share for share in session_shares if moves(share.list_id)]
    ending = [share for share in session_shares if share not in moving]
    await shares.delete_all(tx, session, ending)
    if moving:
        hashes = [opaque.hashed(share.token) for share in moving]
        await tx.run("link_move_tokens", profile=customer.id, hashes=hashes)
        await tx.run("link_move_shares", session=session.id, customer=customer.id)
