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
    async with events.record_list_changes(tx, customer, now, lists.records(tx, customer)):
        linked, told = await _move(tx, session, customer, limits, locked, now)
    told = [(type_, events.marked_as_linked(data)) for type_, data in told]
    told.append(("profile.linked", msgspec.json.encode(linked)))
    await events.record_events(tx, customer, now, told)
    return linked.items - linked.left


async def _lock(tx: Writer, session: Profile, customer: Profile, now: str) -> set[str] | None:
    """Locks both profiles and the owners of items that the session has reserved, sessions first.
    The same order everywhere prevents deadlocks.

    Returns the keys of the locked profiles, or ``None`` if the session is linked. Raises
    ``NotFound``.
    """
    both = {(False, session.id), (True, customer.id)}
    every = sorted(both | await reservations.owners(tx, session.id))
    for _, id in every:
        if id == customer.id:
            await profiles.lock(tx, customer, now)
            continue
        row = await tx.one("profile_lock", profile=id)
        if id == session.id:
            if row is None or (row[0] is not None and row[1] == profiles.REMOVED):
                raise profiles.unknown_session()
            if row[0] is not None:
                return None
    return {id for _, id in every}


async def _move(
    tx: Writer,
    session: Profile,
    customer: Profile,
    limits: SizeLimits,
    locked: set[str],
    now: str,
) -> tuple[Linked, list[tuple[events.Type, bytes]]]:
    """Moves the session's records. Returns the data of the link's event and the items' events."""
    wishes, mine = await _items(tx, session), await _items(tx, customer)
    made, own = await _lists(tx, session), await _lists(tx, customer)
    remaining = merging.remaining_capacity(
        limits, len(mine), len(own), sum(held.row["item_count"] for held in own)
    )
    names = {merging.normalised_name(held.name) for held in made}
    own = [held for held in own if merging.normalised_name(held.name) in names]
    by_key = {items.item_key(item): item for item in mine}
    twins = {
        item.id: by_key[items.item_key(item)] for item in wishes if items.item_key(item) in by_key
    }
    if not twins and not own and merging.fits(wishes, made, remaining):
        merged = merging.unchanged(wishes, made)
        for statement in _COPY_STATEMENTS:
            await tx.run(statement, session=session.id, customer=customer.id)
        told = item_changes.make_events(customer, [(None, item) for item in wishes])
    else:
        created = {item.id: item.created_at for item in (*wishes, *mine)}
        made = await _ordered(tx, session, made, created)
        for item in wishes:
            if twin := twins.get(item.id):
                created[twin.id] = min(twin.created_at, item.created_at)
        own = await _ordered(tx, customer, own, created)
        same = {id: twin.id for id, twin in twins.items()}
        merged = merging.merge(wishes, made, same, own, remaining)
        positions = await _write_lists(tx, customer, made, own, merged, now)
        changes = _changes(wishes, twins, merged)
        told = await item_changes.write(tx, customer, changes, now, positions)
        await _merge_notice_times(tx, session, customer, merged.items)
    pairs = [(item, twins.get(item.id)) for item in wishes]
    further = await item_life.merged(tx, session, customer, pairs, merged.items)
    told += await item_changes.write(tx, customer, further, now)
    await _move_shares(tx, session, customer, merged.joins, moves_whole=not mine)
    await reservations.merge_owned(tx, session.id, customer.id, merged.items)
    await reservations.merge_held(tx, session.id, customer.id, locked)
    [row] = await tx.all("profile_shown", profile=session.id)
    of_session = statements.named("profile_record_fields", row)
    given = {name: of_session[name] for name in ("email", "notices", "shared")}
    await tx.run("profile_recount", profile=customer.id, **given)
    await reservation_rows.delete_unshared(tx, customer.id)
    for statement in _DELETE_STATEMENTS:
        await tx.run(statement, profile=session.id)
    await tx.run("session_close", profile=session.id, customer=customer.id, now=now)
    left = len(wishes) - len(merged.items)
    return Linked(session.gid, customer.gid, len(wishes), len(made), left), told


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


async def _items(tx: Reader, profile: Profile) -> list[Item]:
    return [items.from_row(row) for row in await tx.all("items_all", profile=profile.id)]


async def _lists(tx: Reader, profile: Profile) -> list[OrderedList]:
    """Returns the lists, the oldest first, without their items."""
    rows = await tx.all("lists_kept", profile=profile.id)
    return [OrderedList(statements.named("lists_filled", row)) for row in rows]


async def _ordered(
    tx: Reader, profile: Profile, lists: Sequence[OrderedList], created: Mapping[str, str]
) -> list[OrderedList]:
    """Returns the lists with their items in the profile's own order. ``created``: the creation time
    of each item."""
    if not lists:
        return []
    entries: dict[str, list[tuple[str, int]]] = defaultdict(list)
    ids = [held.id for held in lists]
    for list_id, id, position in await tx.all("link_entries", profile=profile.id, lists=ids):
        entries[list_id].append((id, position))
    for on in entries.values():
        # The sorts are stable: items without a position follow, the newest first.
        on.sort(key=lambda entry: (created[entry[0]], entry[0]), reverse=True)
        on.sort(key=lambda entry: entry[1] or math.inf)
    return [replace(held, items=dict(entries[held.id])) for held in lists]


# rule: link-merges-items
def _changes(wishes: Sequence[Item], twins: Mapping[str, Item], merged: Merged) -> list[Change]:
    """Returns the changes to the customer's items: merged ones, and those that move."""
    on = defaultdict(set)
    for list_id, placed in merged.added.items():
        for id in placed:
            on[id].add(list_id)
    changes: list[Change] = []
    for item in wishes:
        if twin := twins.get(item.id):
            changes.append((twin, merging.merge_items(twin, item, on[twin.id])))
        elif item.id in merged.items:
            changes.append((None, replace(item, list_ids=sorted(on[item.id]))))
    return changes


async def _write_lists(
    tx: Writer,
    customer: Profile,
    made: Sequence[OrderedList],
    own: Sequence[OrderedList],
    merged: Merged,
    now: str,
) -> dict[tuple[str, str], int]:
    """Stores the lists that move or get longer. Returns the positions of the entries added to them,
    by list and item."""
    key = customer.id
    moving = [held for held in made if merged.joins.get(held.id) == held.id]
    if moving:
        await tx.fill(
            "lists", [{**held.row, "profile_id": key, "item_count": 0} for held in moving]
        )
    shared = [held.id for held in made if held.row["shared"]]
    joined = {merged.joins[id] for id in shared if id in merged.joins}
    marked = [{"profile": key, "id": id} for id in sorted(joined)]
    await tx.run_many("list_mark_shared", marked)
    grown = {
        held.id: (*held.items, *merged.added[held.id]) for held in own if held.id in merged.added
    }
    await tx.run_many("list_touch", [{"profile": key, "id": id, "now": now} for id in grown])
    orders = {list_id: ordering.positions_in_order(on) for list_id, on in grown.items()}
    positions = {(list_id, id): at for list_id, on in orders.items() for id, at in on.items()}
    placed = [
        {"profile": key, "list": held.id, "item": id, "position": orders[held.id][id]}
        for held in own
        if held.id in grown
        for id, at in held.items.items()
        if orders[held.id][id] != at
    ]
    await tx.run_many("entry_place", placed)
    for held in moving:
        positions |= {(held.id, merged.items.get(id, "")): at for id, at in held.items.items()}
    return positions


# rule: notice-each-once
async def _merge_notice_times(
    tx: Writer, session: Profile, customer: Profile, now_ids: Mapping[str, str]
) -> None:
    """Copies the times of the last notices to the customer's items, so that they aren't repeated
    soon."""
    rows = [
        {"profile": customer.id, "id": now_ids[id], "dropped_at": dropped, "restocked_at": back}
        for id, dropped, back in await tx.all("link_notice_times", profile=session.id)
        if id in now_ids
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
    all_ = await shares.find_all(tx, session)

    def moves(list_id: str | UnsetType) -> bool:
        return moves_whole if list_id is UNSET else joins.get(list_id) == list_id

    moving = [share for share in all_ if moves(share.list_id)]
    await shares.delete_all(tx, session, [share for share in all_ if share not in moving])
    if moving:
        hashes = [opaque.hashed(share.token) for share in moving]
        await tx.run("link_move_tokens", profile=customer.id, hashes=hashes)
        await tx.run("link_move_shares", session=session.id, customer=customer.id)
