"""Linking: a visitor signs in, and what the session holds becomes the customer's.

One transaction, however often and from wherever it is asked at once (decisions, section 1). It
holds the session's row, then the customer's, so that it waits for every write that was accepted
before, and every later write finds the session closed. Rows are copied and deleted: a row's profile
is never changed.
"""

from collections.abc import Sequence
from typing import Any

from wishwell import items, profiles
from wishwell.db import Row, Writer
from wishwell.errors import NotFound
from wishwell.profiles import Profile


async def link(tx: Writer, session: Profile, customer: Profile, now: str) -> int:
    """Moves all that the session holds and closes it; how many items that were.

    A session that is closed already has nothing left to move: that succeeds, with 0. Raises
    ``NotFound`` for a session that is not there.
    """
    row = await tx.one("profile_lock", session.id)
    if row is None:
        raise NotFound("session: there is no such session.")
    if row[0] is not None:
        return 0
    await profiles.lock(tx, customer, now)
    same = await _merge_items(tx, session, customer, now)
    count = await tx.one("item_count", session.id)
    await tx.run("link_move_items", session.id, customer.id)
    await tx.run("link_move_tags", session.id, customer.id)
    await _move_lists(tx, session, customer, same, now)
    await _move_email(tx, session, customer)
    await tx.run("link_leave_lists", session.id)
    await tx.run("link_leave_items", session.id)
    await tx.run("session_close", session.id, now)
    return count[0] if count else 0


async def _merge_items(tx: Writer, session: Profile, customer: Profile, now: str) -> dict[str, str]:
    """Merges what both have into the customer's items; which of theirs each of ours became."""
    same = {}
    for row in await tx.all("link_same_items", session.id, customer.id):
        theirs, mine = row[:4], row[4:]
        same[theirs[0]] = mine[0]
        id, quantity, tags, created_at, updated_at = mine
        # The union may pass the 20 that a body may name: a merge drops nothing.
        union = " ".join(dict.fromkeys([*tags.split(), *theirs[2].split()]))
        merged = (max(quantity, theirs[1]), union, min(created_at, theirs[3]))
        if merged != (quantity, tags, created_at):
            await tx.run("link_merge_item", customer.id, id, *merged, max(now, updated_at))
        if union != tags:
            await items.index_tags(tx, customer, id, union.split())
    return same


async def _move_lists(
    tx: Writer, session: Profile, customer: Profile, same: dict[str, str], now: str
) -> None:
    named: dict[str, str] = {}
    for id, name in await tx.all("link_lists", customer.id):
        named.setdefault(name.strip().casefold(), id)
    entries: dict[str, list[Row]] = {}
    for row in await tx.all("link_entries", session.id):
        entries.setdefault(row[0], []).append(row[1:])
    touched = set()
    for id, name in await tx.all("link_lists", session.id):
        moving = [(same.get(row[0], row[0]), *row[1:]) for row in entries.get(id, [])]
        target = named.get(name.strip().casefold())
        if target is None:
            await tx.run("link_move_list", session.id, customer.id, id)
            rows = [(customer.id, id, item, position) for item, position, _ in moving]
            await tx.run_many("entry_add", rows)
        else:
            await _join_list(tx, customer, target, moving, now)
        touched |= {new for old, new in same.items() if any(row[0] == new for row in moving)}
    for id in sorted(touched):
        await tx.run("item_touch", customer.id, id, now)


async def _join_list(
    tx: Writer, customer: Profile, target: str, moving: Sequence[Row], now: str
) -> None:
    """Puts items behind those that are on the customer's list already, in the order they had."""
    there = _in_customer_order(await tx.all("list_entries", customer.id, target))
    known = set(there)
    joining = [id for id in _in_customer_order(moving) if id not in known]
    if not joining:
        return
    rows = [(customer.id, target, id, at) for at, id in enumerate([*there, *joining], 1)]
    await tx.run_many("entry_add", rows[len(there) :])
    await tx.run_many("entry_place", rows[: len(there)])
    await tx.run("list_touch", customer.id, target, now)


def _in_customer_order(entries: Sequence[Row]) -> list[Any]:
    """Item ids of (item id, position, createdAt): the placed ones, then the newest first."""
    newest = sorted(entries, key=lambda row: (row[2], row[0]), reverse=True)
    return [row[0] for row in sorted(newest, key=lambda row: (row[1] == 0, row[1]))]


async def _move_email(tx: Writer, session: Profile, customer: Profile) -> None:
    """An address that the visitor gave follows, unless the customer has one."""
    known = await tx.one("profile_email", session.id)
    own = await tx.one("profile_email", customer.id)
    if known and known[0] and not (own and own[0]):
        await tx.run("profile_set_email", customer.id, known[0])
