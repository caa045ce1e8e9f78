"""Linking: a visitor signs in, and what the session holds becomes the customer's.

It is one transaction, also when several requests link the same profiles at once (contract:
link-atomic). It locks both profiles first. So it waits for earlier writes, and later writes find
the session closed. It reads what both hold, ``merging.py`` says what becomes of it, and the rest
writes that down.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import asdict, astuple, replace

from wishwell import events, opaque, profiles
from wishwell.db import Reader, Writer
from wishwell.errors import NotFound
from wishwell.profiles import Profile
from wishwell.stores import Bounds
from wishwell.wishes import items, lists, merging, reservations, shares
from wishwell.wishes.merging import Merged, OrderedList, Wish


class Linked(msgspec.Struct):
    """The data of the event: both GIDs, and how many items and lists the session had.

    ``left``: how many of the items the customer had no room for (contract: link-limits).
    """

    session: str
    customer: str
    items: int
    lists: int
    left: int


# contract: link-items, link-limits, link-email, link-closes-session, link-again, link-races,
#   event-link, cluster-link, profile-notices
async def link(tx: Writer, session: Profile, customer: Profile, bounds: Bounds, now: str) -> int:
    """Moves all records of the session and closes it. Returns the number of items moved.

    The customer has at most twice the ``bounds`` afterwards. Returns 0 for a session that is closed
    already. Raises ``NotFound`` for an unknown session.
    """
    locked = await _lock(tx, session, customer, now)
    if locked is None:
        return 0
    of_items, of_lists = items.records(tx, customer, "items_all"), lists.records(tx, customer)
    async with (
        events.watch(tx, customer, now, "item", of_items),
        events.watch(tx, customer, now, "list", of_lists),
    ):
        linked = await _move(tx, session, customer, bounds, locked, now)
    await events.tell(tx, customer, now, "profile.linked", msgspec.json.encode(linked))
    return linked.items - linked.left


async def _lock(tx: Writer, session: Profile, customer: Profile, now: str) -> set[str] | None:
    """Locks both, and the owners of what the session has reserved, sessions first as everywhere.

    Returns the keys of all that is locked; None if the session is closed. Raises ``NotFound``.
    """
    both = {(False, session.id), (True, customer.id)}
    every = sorted(both | await reservations.owners(tx, session.id))
    for _, id in every:
        if id == customer.id:
            await profiles.lock(tx, customer, now)
            continue
        row = await tx.one("profile_lock", profile=id)
        if id == session.id and row is None:
            raise NotFound("session: there is no such session.")
        if id == session.id and row is not None and row[0] is not None:
            return None
    return {id for _, id in every}


async def _move(
    tx: Writer,
    session: Profile,
    customer: Profile,
    bounds: Bounds,
    locked: set[str],
    now: str,
) -> Linked:
    wishes, mine = await _wishes(tx, session), await _wishes(tx, customer)
    made, own = await _lists(tx, session), await _lists(tx, customer)
    room = merging.room(bounds, len(mine), len(own), sum(held.item_count for held in own))
    names = {merging.alike(held.name) for held in made}
    own = [held for held in own if merging.alike(held.name) in names]
    kinds = {wish.kind: wish for wish in mine}
    twins = {wish.id: kinds[wish.kind] for wish in wishes if wish.kind in kinds}
    created = {wish.id: wish.created_at for wish in (*wishes, *mine)}
    made = await _ordered(tx, session, made, created)
    for wish in wishes:
        if twin := twins.get(wish.id):
            created[twin.id] = min(twin.created_at, wish.created_at)
    own = await _ordered(tx, customer, own, created)
    same = {id: twin.id for id, twin in twins.items()}
    merged = merging.merge(wishes, made, same, own, room)

    await _write_items(tx, customer, wishes, twins, merged, now)
    await _write_lists(tx, customer, made, merged, now)
    await _move_shares(tx, session, customer, merged.joins)
    await reservations.link_owned(tx, session.id, customer.id, merged.items)
    await reservations.link_held(tx, session.id, customer.id, locked)
    await reservations.end_unshared(tx, customer.id)
    for statement in _LEAVE:
        await tx.run(statement, profile=session.id)
    row = await tx.one("profile_shown", profile=session.id)
    assert row is not None
    *_, notices, _, email = row
    await tx.run("profile_recount", profile=customer.id, email=email, notices=notices)
    await tx.run("session_close", profile=session.id, customer=customer.id, now=now)
    left = len(wishes) - len(merged.items)
    return Linked(session.gid, customer.gid, len(wishes), len(made), left)


_LEAVE = (
    *("link_leave_entries", "link_leave_item_tags", "link_leave_lists", "link_leave_items"),
    "link_leave_shares",
)


async def _wishes(tx: Reader, profile: Profile) -> list[Wish]:
    return [Wish(*row) for row in await tx.all("link_wishes", profile=profile.id)]


async def _lists(tx: Reader, profile: Profile) -> list[OrderedList]:
    """The lists, the oldest first, without their items."""
    return [OrderedList(*row) for row in await tx.all("lists_kept", profile=profile.id)]


async def _ordered(
    tx: Reader, profile: Profile, lists: Sequence[OrderedList], created: Mapping[str, str]
) -> list[OrderedList]:
    """The lists with their items in the customer's order; ``created``: when each item was."""
    if not lists:
        return []
    entries: dict[str, list[tuple[str, int]]] = defaultdict(list)
    ids = [held.id for held in lists]
    for list_id, id, position in await tx.all("link_entries", profile=profile.id, lists=ids):
        entries[list_id].append((id, position))
    for on in entries.values():
        # The sorts are stable: of what has no place, the newest comes first.
        on.sort(key=lambda entry: (created[entry[0]], entry[0]), reverse=True)
        on.sort(key=lambda entry: entry[1] or math.inf)
    return [replace(held, items=dict(entries[held.id])) for held in lists]


async def _write_items(
    tx: Writer,
    customer: Profile,
    wishes: Sequence[Wish],
    twins: Mapping[str, Wish],
    merged: Merged,
    now: str,
) -> None:
    on = defaultdict(set)
    for list_id, placed in merged.places.items():
        for id in placed:
            on[id].add(list_id)
    moved: list[Wish] = []
    united: list[Wish] = []
    tags: list[tuple[str, str]] = []
    for wish in wishes:
        mine = twins.get(wish.id)
        if mine is not None:
            list_ids = " ".join(sorted(on[mine.id].union(mine.list_ids.split())))
            after = merging.united(mine, wish, list_ids, now)
            before = mine.tags.split()
            tags += [(mine.id, tag) for tag in after.tags.split() if tag not in before]
            if after != mine:
                united.append(after)
        elif wish.id in merged.items:
            moved.append(replace(wish, list_ids=" ".join(sorted(on[wish.id]))))
            tags += [(wish.id, tag) for tag in wish.tags.split()]
    key, store = customer.id, customer.store.id
    await _fill(tx, "items", [(key, wish.id, store, *astuple(wish)[1:]) for wish in moved])
    await _fill(tx, "item_tags", [(key, id, tag, store) for id, tag in tags])
    if united:
        await tx.run_many("link_set_item", [{"profile": key, **asdict(wish)} for wish in united])


async def _write_lists(
    tx: Writer, customer: Profile, made: Sequence[OrderedList], merged: Merged, now: str
) -> None:
    key, store = customer.id, customer.store.id
    moving = [held for held in made if merged.joins.get(held.id) == held.id]
    await _fill(tx, "lists", [(key, held.id, store, *astuple(held)[1:-1]) for held in moving])
    marked = [
        {"profile": key, "id": merged.joins[held.id]}
        for held in made
        if held.shared and held.id in merged.joins
    ]
    if marked:
        await tx.run_many("list_mark_shared", marked)
    added: list[tuple[str, str, str, int]] = []
    placed: list[dict[str, object]] = []
    for list_id, order in merged.grown.items():
        coming = set(merged.places[list_id])
        for at, id in enumerate(order, 1):
            if id in coming:
                added.append((key, list_id, id, at))
            else:
                placed.append({"profile": key, "list": list_id, "item": id, "position": at})
    for held in moving:
        positions = {merged.items.get(id): at for id, at in held.items.items()}
        kept = merged.places.get(held.id, ())
        added += [(key, held.id, id, positions[id]) for id in kept]
    await _fill(tx, "entries", added)
    if placed:
        await tx.run_many("entry_place", placed)
    if merged.grown:
        longer = [{"profile": key, "id": id, "now": now} for id in merged.grown]
        await tx.run_many("list_touch", longer)
    await tx.run("lists_recount", profile=key)


async def _fill(tx: Writer, table: str, rows: Sequence[Sequence[object]]) -> None:
    if rows:
        await tx.fill(table, rows)


# contract: share-link
async def _move_shares(
    tx: Writer, session: Profile, customer: Profile, joins: Mapping[str, str]
) -> None:
    """Moves the shares with their lists. Those of a list that joins another end: it is private."""
    all_ = await shares.every(tx, session)
    moving = [share for share in all_ if joins.get(share.list_id) == share.list_id]
    await shares.end(tx, session, [share for share in all_ if share not in moving])
    if moving:
        hashes = [opaque.hashed(share.token) for share in moving]
        await tx.run("link_move_tokens", profile=customer.id, hashes=hashes)
        await tx.run("link_move_shares", session=session.id, customer=customer.id)
