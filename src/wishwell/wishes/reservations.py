"""Reservations: what others have promised to give of the items on a shared list.

A reservation lies with the item's owner, so that one lock guards the sum, and its row in ``held``
with its holder, so that it is found by a sign-in and a purge. Both change in one transaction,
``held`` first. Whoever makes or moves one has locked both profiles; an owner ends one, and a purge
its holder's, under their own lock alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from wishwell.db import Reader, Row, RunAgain, Writer

ENDS = ("held_end", "reservation_end")


# contract: reserve-ends, reserve-at-once
async def end_unshared(tx: Writer, owner_id: str) -> None:
    """Ends those whose items are on no shared list any more. The caller holds the owner's lock."""
    await _end(tx, await tx.all("reservations_unshared", profile=owner_id))


# contract: reserve-delete
async def end(tx: Writer, holder_id: str, item_id: str) -> bool:
    """Ends the holder's, if there is one. The caller holds the holder's lock."""
    while key := await tx.one("held_find", profile=holder_id, item=item_id):
        named = _named(key)
        if await tx.one("held_end", **named):
            await tx.run("reservation_end", **named)
            return True
        # The owner's link, which this has waited for, has moved it.
    return False


async def _end(tx: Writer, keys: Sequence[Row]) -> None:
    """Ends those with these keys: the holder, the item's owner, the item."""
    if keys:
        # In one order everywhere: no deadlocks.
        ordered = [_named(key) for key in sorted(tuple(key) for key in keys)]
        for statement in ENDS:
            await tx.run_many(statement, ordered)


def _named(key: Sequence[Any]) -> dict[str, Any]:
    holder_id, owner_id, item_id = key
    return {"holder": holder_id, "owner": owner_id, "item": item_id}


# contract: reserve-purge
async def purge(tx: Writer, profiles: list[str], most: int) -> int:
    """Ends at most ``most`` of what these hold, and of what others hold of theirs.

    Returns how many. They are locked by the caller, the others are not: the link of an owner may
    still move a reservation, so it is done when none is found.
    """
    ended = 0
    for statement in ("purge_held", "purge_reservations"):
        while ended < most and (
            keys := await tx.all(statement, profiles=profiles, limit=most - ended)
        ):
            await _end(tx, keys)
            ended += len(keys)
    return ended


# ---------------------------------------------------------------------------- at a sign-in


async def owners(tx: Reader, holder_id: str) -> set[tuple[bool, str]]:
    """Of whose items this profile holds some: whether they are customers, and their keys."""
    ids_ = [row[0] for row in await tx.all("held_owners", profile=holder_id)]
    if not ids_:
        return set()
    return {(not row[1], row[0]) for row in await tx.all("profiles_kinds", profiles=ids_)}


# contract: reserve-sign-in
async def link_held(tx: Writer, session_id: str, customer_id: str, locked: set[str]) -> None:
    """Gives the customer what the session holds, but of the customer's own items.

    ``locked``: the profiles that the caller has locked, the two and those of ``owners``. Raises
    ``RunAgain`` if the session reserved of another since the caller looked.
    """
    held = {row[0] for row in await tx.all("held_owners", profile=session_id)}
    if held - locked:
        raise RunAgain
    if held:
        from_session = [
            {"owner": owner_id, "session": session_id, "customer": customer_id}
            for owner_id in sorted(held)
        ]
        passed = [row for row in from_session if row["owner"] != customer_id]
        if passed:
            await tx.run_many("link_pass", passed)
        await tx.run_many("link_passed", from_session)
        await tx.run("link_move_held", session=session_id, customer=customer_id)
        await tx.run("link_leave_held", session=session_id)


# contract: reserve-sign-in, reserve-kept, link-limits
async def link_owned(
    tx: Writer, session_id: str, customer_id: str, items: Mapping[str, str]
) -> None:
    """Moves what others hold of the session's items; what the customer holds of them ends.

    ``items``: the id that each item has now. What is held of the others ends too.
    """
    keys = await tx.all("reservations_of", profile=session_id)
    if not keys:
        return
    await tx.run_many("held_end", [_named(key) for key in sorted(tuple(key) for key in keys)])
    # Looked at only now: a purge that this has waited for may have ended some.
    held: list[dict[str, Any]] = []
    moving: list[dict[str, Any]] = []
    found = await tx.all("reservations_all", profile=session_id)
    for item_id, holder_id, store_id, quantity, created_at in found:
        now_id = items.get(item_id)
        if now_id is None or holder_id == customer_id:
            continue
        of = {"item": now_id, "store": store_id}
        merged_id = item_id if now_id != item_id else None
        held.append({**of, "profile": holder_id, "owner": customer_id, "merged": merged_id})
        more = {"quantity": quantity, "created_at": created_at}
        moving.append({**of, **more, "profile": customer_id, "holder": holder_id})
    if moving:
        held.sort(key=lambda row: (row["profile"], row["item"]))
        await tx.run_many("held_add", held)
        await tx.run_many("reservation_add", moving)
    await tx.run("link_leave_reservations", session=session_id)
