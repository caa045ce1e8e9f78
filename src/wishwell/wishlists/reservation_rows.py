"""Deletes reservations together with the items and profiles that they depend on.

Each reservation has two rows, one with the item's owner and one with its holder.
"""

from collections.abc import Sequence
from typing import Any

from wishwell.db import Row, Writer

DELETE_STATEMENTS = ("held_end", "reservation_end")
"""The statements that delete the holder's and the owner's row."""


# rules: reserve-ends, request-linearizable
async def delete_unshared(tx: Writer, owner_id: str) -> None:
    """Deletes reservations of items that are no longer on a shared list.

    The caller holds the owner's lock.
    """
    await delete(tx, await tx.all("reservations_unshared", profile=owner_id))


async def delete(tx: Writer, keys: Sequence[Row]) -> None:
    """Deletes reservations by key: the holder's profile, the owner's, and the item's id."""
    # The same lock order everywhere prevents deadlocks.
    in_order = [key_columns(key) for key in sorted(tuple(key) for key in keys)]
    for statement in DELETE_STATEMENTS:
        await tx.run_many(statement, in_order)


def key_columns(key: Sequence[Any]) -> dict[str, Any]:
    holder_id, owner_id, item_id = key
    return {"holder": holder_id, "owner": owner_id, "item": item_id}


# rule: session-purged
async def purge(tx: Writer, owners: list[str], limit: int) -> int:
    """Deletes at most ``limit`` reservations that these profiles hold, or that others hold of their
    items. Returns how many.

    The caller has locked the given profiles, but not the others: a link of an owner may still move
    a reservation, so each statement is repeated until it returns no rows.
    """
    deleted = 0
    for statement in ("purge_held", "purge_reservations"):
        while deleted < limit and (
            keys := await tx.all(statement, profiles=owners, limit=limit - deleted)
        ):
            await delete(tx, keys)
            deleted += len(keys)
    return deleted
