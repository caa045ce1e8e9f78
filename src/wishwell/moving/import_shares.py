"""Puts shares, and what is reserved, into a store (contract: import-shares)."""

from collections.abc import Sequence
from typing import Any

from wishwell import ids, opaque, stores
from wishwell.db import Database, Writer
from wishwell.moving.file_records import ReservationRecord, ShareRecord
from wishwell.moving.import_file import Bundle
from wishwell.stores import Store

_AT_ONCE = 500
"""How many reservations go into one transaction, which locks their holders."""


def row(store: Store, key: str, record: ShareRecord) -> dict[str, Any]:
    """The row of a share, as ``share_add`` takes it."""
    return {
        "profile": key,
        "id": record.id,
        "store": store.id,
        "list": record.list_id,
        "reservations": int(record.reservations),
        "notes": int(record.notes),
        "created_at": record.created_at,
        "expires_at": record.expires_at,
        "token": record.token,
    }


async def add(tx: Writer, rows: Sequence[dict[str, Any]]) -> None:
    """Adds these shares, but those whose token leads to another one already: a sign-in since the
    export moved it."""
    if rows:
        found = {opaque.hashed(row["token"]): row for row in rows}
        # In one order everywhere: no deadlocks.
        tokens = [
            {"hash": hash, "store": row["store"], "profile": row["profile"], "share": row["id"]}
            for hash, row in sorted(found.items())
        ]
        taken = await tx.all_many("import_share_token", tokens)
        await tx.run_many("share_add", [found[hash] for (hash,) in taken])


async def reserve(db: Database, store: Store, bundle: Bundle) -> None:
    """Adds what others have reserved of a profile's items, if it is not there.

    The item may have another id here. Where it is not on a shared list, or where owner or holder
    are not there or have ended, nothing is added.
    """
    for at in range(0, len(bundle.reservations), _AT_ONCE):
        await db.long_write(_reserve, store, bundle, bundle.reservations[at : at + _AT_ONCE])


async def _reserve(
    tx: Writer, store: Store, bundle: Bundle, records: Sequence[ReservationRecord]
) -> None:
    await stores.check_kept(tx, store)
    gids = {bundle.profile.gid, *(one.holder for one in records)}
    keys = {gid: ids.profile_key(store.id, gid) for gid in gids}
    there = set()
    # In the order of a link, sessions first: no deadlocks.
    for _, key, gid in sorted((ids.customer_of(gid) is not None, keys[gid], gid) for gid in gids):
        found = await tx.one("profile_lock", profile=key)
        if found is not None and found[0] is None:
            there.add(gid)
    if bundle.profile.gid not in there:
        return
    items = {item.id: item for item in bundle.items}
    owner, wanted = keys[bundle.profile.gid], []
    for one in records:
        if one.holder in there:
            product, variant = items[one.item_id].kind
            wanted.append(
                {
                    "profile": owner,
                    "holder": keys[one.holder],
                    "product": product,
                    "variant": variant,
                    "quantity": one.quantity,
                    "created_at": one.created_at,
                    "item": one.item_id,
                    "merged": one.merged_id,
                }
            )
    added = await tx.all_many("import_reservation", wanted)
    if added:
        of = ("profile", "owner", "item", "store", "merged")
        await tx.run_many("held_add", [dict(zip(of, row, strict=True)) for row in added])
        await tx.run("reservation_changed", profile=owner)
