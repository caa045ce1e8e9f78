"""Reservations: items on a shared list that other people have promised to give
(rule: reserve-secret).

Each reservation has two rows. The one in ``reservations`` belongs to the item's owner, so that one
lock guards the reserved quantity; the one in ``held`` belongs to the holder, so that a sign-in and
a purge find it. Both change in one transaction, ``held`` first. To create or move a reservation,
both profiles are locked; an owner's change deletes one under the owner's lock alone, and a purge
under the purged profile's. No reservation changes an owner's record or emits an event.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell import profiles
from wishwell.db import Reader, RunAgain, Writer
from wishwell.errors import Conflict, Forbidden, LimitReached, NotFound
from wishwell.profiles import Profile
from wishwell.wishlists import reservation_rows, shares
from wishwell.wishlists.shares import SharedItem, ShareLookup

MAX_RESERVED_ITEMS = 1_000
"""Limit of items that a profile may have reserved."""


class HeldReservation(msgspec.Struct, rename="camel", omit_defaults=True):
    """A reservation of somebody's item by the caller. The item's owner isn't shown."""

    item_id: types.Id
    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType
    """Omitted without a variant."""
    quantity: types.Quantity
    """The quantity that the caller has reserved."""
    created_at: types.Time
    product: types.ItemProduct | UnsetType = UNSET


# rules: reserve-list, reserve-secret
async def find_held(tx: Reader, holder: Profile) -> list[HeldReservation]:
    """Returns the reservations that a profile holds, oldest first. Raises ``profiles.missing``."""
    await profiles.check_open(tx, holder)
    owner_ids = [row[0] for row in await tx.all("held_owners", profile=holder.id)]
    rows = await tx.all("person_reserved", holder=holder.id, owners=owner_ids) if owner_ids else ()
    return [
        HeldReservation(item_id, product_id, variant_id or UNSET, quantity, created_at)
        for item_id, product_id, variant_id, quantity, created_at in rows
    ]


# rules: reserve-quantity, profile-limits, request-linearizable, reserve-secret
async def reserve(
    tx: Writer,
    lookup: ShareLookup,
    token: str,
    item_id: str,
    holder: Profile,
    quantity: int,
    now: str,
) -> SharedItem:
    """Reserves ``quantity`` of the item for the holder, replacing the holder's earlier reservation.

    Raises ``UnknownShare``, ``NotFound``, ``Conflict`` if fewer are left, ``LimitReached``,
    ``Forbidden`` for the owner and if the share has no reservations, and
    ``profiles.missing(holder)``.
    """
    shared = await shares.resolve_locked(tx, lookup, token, holder, now)
    owner = shared.owner
    if owner.id == holder.id:
        raise Forbidden("You can't reserve items on your own list.", "own_list")
    if not shared.reservations:
        raise Forbidden("Reservations are turned off for this share.", "reservations_off")
    statement = "item_find" if shared.list_id == shares.WHOLE else "entry_find"
    keys = {"profile": owner.id, "list": shared.list_id, "item": item_id, "id": item_id}
    if await tx.one(statement, **keys) is None:
        raise NotFound("The item isn't on this list.", "item_not_on_list")
    params = {"owner": owner.id, "holder": holder.id, "item": item_id}
    row = await tx.one("reservation_put", **params, quantity=quantity, now=now)
    if row is None:
        [item] = (await shares.view(tx, lookup, token, holder, now, item_id)).items
        available = item.quantity - (item.reserved or 0) + (item.yours or 0)
        raise Conflict(f"quantity: only {max(0, available)} is left to reserve.", "too_few_left")
    count = await tx.one("held_count", **params)
    if count is not None and count[0] >= MAX_RESERVED_ITEMS:
        raise LimitReached(
            f"A profile can reserve at most {MAX_RESERVED_ITEMS} items.",
            "reservation_limit_reached",
        )
    await tx.run("held_add", **params, store=owner.store.id, merged=None)
    [item] = (await shares.view(tx, lookup, token, holder, now, item_id)).items
    return item


# rule: reserve-ends
async def cancel(tx: Writer, token: str, item_id: str, holder: Profile) -> None:
    """Deletes the holder's reservation of the item.

    The holder's row in ``held`` names the owner, so this works after the share has ended. Raises
    ``UnknownShare`` for a malformed token, ``NotFound``, ``profiles.missing(holder)``.
    """
    shares.check_form(token)
    await profiles.lock_known(tx, holder)
    while key := await tx.one("held_find", profile=holder.id, item=item_id):
        params = reservation_rows.key_columns(key)
        if await tx.one("held_end", **params):
            await tx.run("reservation_end", **params)
            return
        # A link of the owner has moved the reservation while this waited for its lock.
    raise NotFound("You have not reserved this item.", "reservation_not_found")


# ---------------------------------------------------------------------------- at a sign-in


async def find_owners(tx: Reader, holder_id: str) -> set[tuple[bool, str]]:
    """Returns the owners of items that this profile has reserved: whether each is a customer, and
    its key."""
    owner_ids = [row[0] for row in await tx.all("held_owners", profile=holder_id)]
    if not owner_ids:
        return set()
    return {(not row[1], row[0]) for row in await tx.all("profiles_kinds", profiles=owner_ids)}


# rule: reserve-ends
async def merge_held(tx: Writer, session_id: str, customer_id: str, locked: set[str]) -> None:
    """Moves the session's reservations to the customer, except those of the customer's own items.

    ``locked``: keys of the profiles that the caller has locked, both profiles and those of
    ``find_owners``. Raises ``RunAgain`` if the session has reserved an item of another owner since.
    """
    owner_ids = {row[0] for row in await tx.all("held_owners", profile=session_id)}
    if owner_ids - locked:
        raise RunAgain
    if owner_ids:
        rows = [
            {"owner": owner_id, "session": session_id, "customer": customer_id}
            for owner_id in sorted(owner_ids)
        ]
        await tx.run_many("link_pass", [row for row in rows if row["owner"] != customer_id])
        await tx.run_many("link_passed", rows)
        await tx.run("link_move_held", session=session_id, customer=customer_id)
        await tx.run("link_leave_held", profile=session_id)


# rules: reserve-ends, reserve-quantity, link-limits
async def merge_owned(
    tx: Writer, session_id: str, customer_id: str, new_ids: Mapping[str, str]
) -> None:
    """Moves others' reservations of the session's items to the customer's. Reservations that the
    customer holds, or of items that didn't move, end.

    ``new_ids``: the new id of each item that moved, by its old id.
    """
    rows = await tx.all("reservations_all", profile=session_id)
    if not rows:
        return
    ordered = sorted((holder_id, session_id, item_id) for item_id, holder_id, *_ in rows)
    await tx.run_many("held_end", [reservation_rows.key_columns(key) for key in ordered])
    # Read again, because a purge that this has waited for may have deleted some.
    moving: list[dict[str, Any]] = []
    for item_id, holder_id, store_id, quantity, created_at in await tx.all(
        "reservations_all", profile=session_id
    ):
        new_id = new_ids.get(item_id)
        if new_id is not None and holder_id != customer_id:
            moving.append(
                {
                    "owner": customer_id,
                    "holder": holder_id,
                    "item": new_id,
                    "store": store_id,
                    "merged": item_id if new_id != item_id else None,
                    "quantity": quantity,
                    "created_at": created_at,
                }
            )
    moving.sort(key=lambda row: (row["holder"], row["item"]))
    await tx.run_many("held_add", moving)
    await tx.run_many("reservation_add", moving)
    await tx.run("link_leave_reservations", profile=session_id)
