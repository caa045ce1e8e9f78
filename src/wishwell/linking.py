"""Linking: a visitor signs in, and what the session holds becomes the customer's.

One transaction, however often and from wherever it is asked at once (contract: link-atomic). It
holds the session's row, then the customer's, so that it waits for every write that was accepted
before, and every later write finds the session closed. Rows are copied and deleted: a row's profile
is never changed. The number of statements does not depend on how much there is to move.
"""

import msgspec

from wishwell import ids, profiles
from wishwell.db import Writer
from wishwell.errors import NotFound
from wishwell.profiles import Profile


# contract: link-items, link-limits, link-email, link-closes-session, link-again, link-races
async def link(tx: Writer, session: Profile, customer: Profile, list_items: int, now: str) -> int:
    """Moves all that the session holds and closes it; how many items that were.

    ``list_items`` is the bound of a list: one that has been joined past it takes no more. A
    session that is closed already has nothing left to move: that succeeds, with 0. Raises
    ``NotFound`` for a session that is not there.
    """
    row = await tx.one("link_begin", session.id)
    if row is None:
        raise NotFound("session: there is no such session.")
    closed_at, count, email, *_ = row
    if closed_at is not None:
        return 0
    await profiles.lock(tx, customer, now)
    await _merge_tags(tx, session, customer, now)
    begins = [row[0] for row in await tx.all("link_parts", session.id)]
    for part in zip(begins, [*begins[1:], ids.MAX_UUID], strict=False):
        await tx.run("link_move_tags", session.id, customer.id, *part)
    await _move_lists(tx, session, customer, list_items, now)
    await tx.run("link_merge_items", session.id, customer.id, now)
    await tx.run("link_move_items", session.id, customer.id)
    for statement in _LEAVE:
        await tx.run(statement, session.id)
    await tx.run("link_size_lists", customer.id)
    # An address that the visitor gave follows, unless the customer has one.
    await tx.run("link_count", customer.id, email)
    await tx.run("session_close", session.id, now)
    moved: int = count
    return moved


_LEAVE = ("link_leave_entries", "link_leave_tags", "link_leave_lists", "link_leave_items")


# contract: link-tags
async def _merge_tags(tx: Writer, session: Profile, customer: Profile, now: str) -> None:
    """The union of both, the customer's tags first. It may pass the 20 that a body may name."""
    unions = {}
    for id, mine, theirs in await tx.all("link_tags", session.id, customer.id):
        union = " ".join(dict.fromkeys([*mine.split(), *theirs.split()]))
        if union != mine:
            unions[id] = union
    if unions:
        await tx.run("link_set_tags", customer.id, _pairs(unions), now)


# contract: link-list-merge, link-list-full
async def _move_lists(
    tx: Writer, session: Profile, customer: Profile, list_items: int, now: str
) -> None:
    """Moves the lists; one with a name that the customer has joins that list, behind its items."""
    named: dict[str, str] = {}
    sizes = {}
    for id, name, size in await tx.all("link_lists", customer.id):
        if size <= list_items:
            named.setdefault(name.strip().casefold(), id)
            sizes[id] = size
    joins = {}
    for id, name, size in await tx.all("link_lists", session.id):
        target = named.get(name.strip().casefold())
        if target is not None and sizes[target] <= list_items:
            joins[id] = target
            sizes[target] += size
    await tx.run("link_move_lists", session.id, customer.id, list(joins))
    pairs = _pairs(joins)
    grown = await tx.all("link_touch_lists", session.id, customer.id, pairs, now)
    if grown:
        await tx.run("link_place", session.id, customer.id, [row[0] for row in grown])
    await tx.run("link_move_entries", session.id, customer.id, pairs)


def _pairs(texts: dict[str, str]) -> str:
    """What ``pairs`` of queries.sql takes."""
    return msgspec.json.encode(texts).decode()
