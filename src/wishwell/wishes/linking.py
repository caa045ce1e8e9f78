"""Linking: a visitor signs in, and what the session holds becomes the customer's.

It is one transaction, also when several requests link the same profiles at once (contract:
link-atomic). It locks the session's row, then the customer's. So it waits for earlier writes, and
later writes find the session closed. Rows are copied and deleted; a row's profile never changes.
The number of statements does not depend on how many records are moved.
"""

import msgspec

from wishwell import events, ids, opaque, profiles
from wishwell.db import Writer
from wishwell.errors import NotFound
from wishwell.profiles import Profile
from wishwell.wishes import items, lists, reservations, shares


# contract: link-items, link-limits, link-email, link-closes-session, link-again, link-races,
#   event-link, cluster-link
async def link(tx: Writer, session: Profile, customer: Profile, list_items: int, now: str) -> int:
    """Moves all records of the session and closes it. Returns the number of items moved.

    ``list_items`` is the bound of a list; a list that exceeds it takes no further list. Returns 0
    for a session that is closed already. Raises ``NotFound`` for an unknown session.
    """
    begun = await _lock(tx, session, customer, now)
    if begun is None:
        return 0
    moved, moved_lists, email, locked = begun
    of_items, of_lists = items.records(tx, customer, "items_all"), lists.records(tx, customer)
    async with (
        events.watch(tx, customer, now, "item", of_items),
        events.watch(tx, customer, now, "list", of_lists),
    ):
        await _merge_tags(tx, session, customer, now)
        begins = [row[0] for row in await tx.all("link_parts", session.id)]
        for part in zip(begins, [*begins[1:], ids.MAX_UUID], strict=False):
            await tx.run("link_move_tags", session.id, customer.id, *part)
        await _move_lists(tx, session, customer, list_items, now)
        await reservations.link_owned(tx, session.id, customer.id)
        await reservations.link_held(tx, session.id, customer.id, locked)
        await tx.run("link_merge_items", session.id, customer.id, now)
        await tx.run("link_move_items", session.id, customer.id)
        for statement in _LEAVE:
            await tx.run(statement, session.id)
        await tx.run("link_size_lists", customer.id)
        # The session's e-mail address moves too, unless the customer has one.
        await tx.run("link_count", customer.id, email)
        await tx.run("session_close", profile=session.id, now=now)
    linked = _Linked(session.gid, customer.gid, moved, moved_lists)
    await events.tell(tx, customer, now, "profile.linked", msgspec.json.encode(linked))
    return linked.items


async def _lock(
    tx: Writer, session: Profile, customer: Profile, now: str
) -> tuple[int, int, str | None, set[str]] | None:
    """Locks both, and the owners of what the session has reserved, sessions first as everywhere.

    Returns how many items and lists the session has, its e-mail address and all that is locked;
    None if it is closed. Raises ``NotFound``.
    """
    both = {(False, session.id), (True, customer.id)}
    others = await reservations.owners(tx, session.id)
    row = None
    for _, id in sorted(both | others):
        if id == customer.id:
            await profiles.lock(tx, customer, now)
        elif id != session.id:
            await tx.one("profile_lock", profile=id)
        else:
            row = await tx.one("link_begin", id)
            if row is None:
                raise NotFound("session: there is no such session.")
            if row[0] is not None:
                return None
    assert row is not None
    return row[1], row[2], row[3], {id for _, id in both | others}


class _Linked(msgspec.Struct):
    """The data of the event: both GIDs, and how many items and lists the session had."""

    session: str
    customer: str
    items: int
    lists: int


_LEAVE = (
    *("link_leave_entries", "link_leave_tags", "link_leave_lists", "link_leave_items"),
    "link_leave_shares",
)


# contract: link-tags
async def _merge_tags(tx: Writer, session: Profile, customer: Profile, now: str) -> None:
    """Merges the tags of items that both have, the customer's first. They may exceed 20."""
    unions = []
    for id, mine, theirs in await tx.all("link_tags", session.id, customer.id):
        union = " ".join(dict.fromkeys([*mine.split(), *theirs.split()]))
        if union != mine:
            unions.append((customer.id, id, union, now))
    if unions:
        await tx.run_many("link_set_tags", unions)


# contract: link-list-merge, link-list-full
async def _move_lists(
    tx: Writer, session: Profile, customer: Profile, list_items: int, now: str
) -> None:
    """Moves the lists. A list whose name the customer has is appended to the customer's list."""
    named: dict[str, str] = {}
    sizes = {}
    for id, name, size, _ in await tx.all("link_lists", customer.id):
        if size <= list_items:
            named.setdefault(name.strip().casefold(), id)
            sizes[id] = size
    joins, marked = {}, []
    for id, name, size, shared in await tx.all("link_lists", session.id):
        target = named.get(name.strip().casefold())
        if target is not None and sizes[target] <= list_items:
            joins[id] = target
            sizes[target] += size
            if shared:
                marked.append(target)
    await tx.run("link_move_lists", session.id, customer.id, list(joins))
    await _move_shares(tx, session, customer, joins)
    if marked:
        await tx.run("link_mark_lists", customer.id, marked)
    pairs = _pairs(joins)
    grown = await tx.all("link_touch_lists", session.id, customer.id, pairs, now)
    if grown:
        await tx.run("link_place", session.id, customer.id, [row[0] for row in grown])
    await tx.run("link_move_entries", session.id, customer.id, pairs)


# contract: share-link
async def _move_shares(
    tx: Writer, session: Profile, customer: Profile, joins: dict[str, str]
) -> None:
    """Moves the shares with their lists. Those of a list that joins another end: it is private."""
    found = await tx.all("link_shares", session.id)
    if found:
        await shares.end(tx, session, [row[:2] for row in found if row[2] in joins])
        hashes = [opaque.hashed(token) for _, token, list_id in found if list_id not in joins]
        await tx.run("link_move_tokens", customer.id, hashes)
        await tx.run("link_move_shares", session.id, customer.id)


def _pairs(texts: dict[str, str]) -> str:
    """The argument of ``pairs`` in queries.sql."""
    return msgspec.json.encode(texts).decode()
