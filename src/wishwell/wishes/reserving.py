"""Reserving: somebody promises to give an item of another's shared list (contract: reserve-secret).

It is one transaction under the locks of the owner and of the one who reserves, so that the sum is
exact. It touches no record of the owner, and makes no event.
"""

from wishwell import profiles
from wishwell.db import Writer
from wishwell.errors import Conflict, Forbidden, LimitReached, NotFound
from wishwell.profiles import Profile
from wishwell.wishes import reservations, shares
from wishwell.wishes.shares import Finder, SharedItem

MOST = 1_000
"""Of how many items a profile may have reservations."""


# contract: reserve-put, reserve-quantity, reserve-most, reserve-at-once, reserve-secret
async def reserve(
    tx: Writer,
    finder: Finder,
    token: str,
    item_id: str,
    holder: Profile,
    quantity: int,
    now: str,
) -> SharedItem:
    """Reserves so many of the item for the holder, in place of what they have reserved of it.

    Raises ``UnknownShare``, ``NotFound``, ``Conflict`` if fewer are left, ``LimitReached``,
    ``Forbidden`` for the owner and where the share has no reservations, and
    ``profiles.missing(holder)``.
    """
    shared = await shares.lock(tx, finder, token, holder, now)
    owner = shared.owner
    if owner.id == holder.id:
        raise Forbidden("This is your own list; what others reserve of it is their secret.")
    if not shared.reservations:
        raise Forbidden("This share has no reservations.")
    if await tx.one("entry_find", profile=owner.id, list=shared.list_id, item=item_id) is None:
        raise NotFound("There is no such item on this list.")
    if (
        await tx.one(
            "reservation_put",
            profile=owner.id,
            item=item_id,
            holder=holder.id,
            quantity=quantity,
            now=now,
        )
        is None
    ):
        raise Conflict("quantity: fewer of this item are left to reserve.")
    count = await tx.one("held_count", profile=holder.id, owner=owner.id, item=item_id)
    if count is not None and count[0] >= MOST:
        raise LimitReached(f"A profile has reservations of at most {MOST} items.")
    await tx.run(
        "held_add",
        profile=holder.id,
        owner=owner.id,
        item=item_id,
        store=owner.store.id,
        merged=None,
    )
    await tx.run("reservation_changed", profile=owner.id)
    [shown] = (await shares.view(tx, finder, token, holder, now, item_id)).items
    return shown


# contract: reserve-delete
async def give_back(tx: Writer, token: str, item_id: str, holder: Profile) -> None:
    """Ends the holder's reservation of the item.

    The holder's own record says whose item it is, so the share may have ended. Raises
    ``UnknownShare`` for what is no token, ``NotFound``, ``profiles.missing(holder)``.
    """
    shares.check_form(token)
    await profiles.lock_known(tx, holder)
    if not await reservations.end(tx, holder.id, item_id):
        raise NotFound("You have not reserved this item.")
