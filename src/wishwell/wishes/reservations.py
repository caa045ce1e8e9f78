"""Reservations: what others have promised to give of the items on a shared list.

A reservation lies with the item's owner, so that one lock guards the sum, and its row in ``held``
with its holder, so that it is found by a sign-in and a purge. Both change in one transaction,
``held`` first. Whoever makes or moves one has locked both profiles; an owner ends one, and a purge
its holder's, under their own lock alone.
"""

from collections.abc import Sequence

from wishwell.db import Reader, Row, RunAgain, Writer

ENDS = ("held_end", "reservation_end")


# contract: reserve-ends, reserve-at-once
async def end_unshared(tx: Writer, owner_id: str) -> None:
    """Ends those whose items are on no shared list any more. The caller holds the owner's lock."""
    await _end(tx, await tx.all("reservations_unshared", owner_id))


# contract: reserve-delete
async def end(tx: Writer, holder_id: str, item_id: str) -> bool:
    """Ends the holder's, if there is one. The caller holds the holder's lock."""
    while key := await tx.one("held_find", holder_id, item_id):
        if await tx.one("held_end", *key):
            await tx.run("reservation_end", *key)
            return True
        # The owner's link, which this has waited for, has moved it.
    return False


async def _end(tx: Writer, keys: Sequence[Row]) -> None:
    """Ends those with these keys: the holder, the item's owner, the item."""
    if keys:
        # In one order everywhere: no deadlocks.
        ordered = sorted(tuple(key) for key in keys)
        for statement in ENDS:
            await tx.run_many(statement, ordered)


# contract: reserve-purge
async def purge(tx: Writer, profiles: list[str], most: int) -> int:
    """Ends at most ``most`` of what these hold, and of what others hold of theirs.

    Returns how many. They are locked by the caller, the others are not: the link of an owner may
    still move a reservation, so it is done when none is found.
    """
    ended = 0
    for statement in ("purge_held", "purge_reservations"):
        while ended < most and (keys := await tx.all(statement, profiles, most - ended)):
            await _end(tx, keys)
            ended += len(keys)
    return ended


# ---------------------------------------------------------------------------- at a sign-in


async def owners(tx: Reader, holder_id: str) -> set[tuple[bool, str]]:
    """Of whose items this profile holds some: whether they are customers, and their keys."""
    ids_ = [row[0] for row in await tx.all("held_owners", holder_id)]
    if not ids_:
        return set()
    return {(not row[1], row[0]) for row in await tx.all("profiles_kinds", ids_)}


# contract: reserve-sign-in
async def link_held(tx: Writer, session_id: str, customer_id: str, locked: set[str]) -> None:
    """Gives the customer what the session holds, but of the customer's own items.

    ``locked``: the profiles that the caller has locked, the two and those of ``owners``. Raises
    ``RunAgain`` if the session reserved of another since the caller looked.
    """
    held = {row[0] for row in await tx.all("held_owners", session_id)}
    if held - locked:
        raise RunAgain
    if held:
        passed = [(owner, session_id, customer_id) for owner in sorted(held - {customer_id})]
        if passed:
            await tx.run_many("link_pass", passed)
        await tx.run_many("link_passed", [(owner, session_id) for owner in sorted(held)])
        await tx.run("link_move_held", session_id, customer_id)
        await tx.run("link_leave_held", session_id)


# contract: reserve-sign-in, reserve-kept
async def link_owned(tx: Writer, session_id: str, customer_id: str) -> None:
    """Moves what others hold of the session's items, before the items; what the customer holds
    ends."""
    keys = await tx.all("reservations_of", session_id)
    if keys:
        await tx.run_many("held_end", sorted(tuple(key) for key in keys))
        # Looked at again: a purge that this has waited for may have ended some.
        moving = sorted(
            tuple(row) for row in await tx.all("link_reservations", session_id, customer_id)
        )
        if moving:
            await tx.run_many("held_add", moving)
        await tx.run("link_move_reservations", session_id, customer_id)
        await tx.run("link_leave_reservations", session_id)
