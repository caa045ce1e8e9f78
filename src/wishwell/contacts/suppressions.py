"""Addresses that a store doesn't write to. Only their hashes are stored.

A suppression outlives its profile, so that nobody is written to again after a sign-in, a purge or
an erasure (rule: mail-suppressed).
"""

import hashlib
from typing import Literal

from wishwell import ids
from wishwell.db import Reader, Writer
from wishwell.db.journal import Act
from wishwell.stores import Store

Reason = Literal["unsubscribed", "not_me", "bounced", "complained", "shop"]

NOT_ME_DAYS = 90
"""Days during which an address gets no mail, confirmations included, after "This wasn't me"."""


def address_hash(store_id: str, address: str) -> str:
    """Returns the hash by which an address of a store is stored, ignoring case."""
    return hashlib.sha256(f"{store_id}\n{address.lower()}".encode()).hexdigest()


async def find(tx: Reader, store_id: str, address: str, now: str) -> str:
    """Returns why the address with this hash is suppressed, or ''."""
    row = await tx.one("suppression", store=store_id, address=address, now=now)
    return "" if row is None else row[0]


async def is_newer(tx: Reader, store: Store, address: str, than: str, now: str) -> bool:
    """Returns whether the address with this hash was suppressed after ``than``, and still is."""
    params = {"store": store.id, "address": address}
    is_older = await tx.one("suppression_until", **params, now=than) is not None
    return not is_older and bool(await find(tx, store.id, address, now))


def until(reason: Reason, now: str) -> str:
    """Returns when a suppression that begins now ends, or '' for never."""
    if reason != "not_me":
        return ""
    return ids.timestamp(ids.from_timestamp(now) + NOT_ME_DAYS * ids.DAY_MS)


# rule: mail-suppressed
async def add(tx: Writer, store: Store, address: str, reason: Reason, now: str) -> None:
    """Suppresses the address with this hash, for ever or for ``NOT_ME_DAYS``.

    "This wasn't me" doesn't shorten an earlier suppression for ever.
    """
    act = Act(action="address.suppressed", store=store.handle, store_id=store.id, hash=address)
    act.reason, act.created = reason, now
    await tx.record(act)
    params = {"store": store.id, "address": address, "reason": reason}
    await tx.run("suppression_add", **params, until=until(reason, now), now=now)


# rules: mail-suppressed, journal-replay
async def remove(tx: Writer, store: Store, address: str, now: str) -> bool:
    """Removes the suppression of the address with this hash. Returns whether there was one."""
    params = {"store": store.id, "address": address}
    if await tx.one("suppression_remove", **params, now=now) is None:
        return False
    act = Act(action="address.released", store=store.handle, store_id=store.id, hash=address)
    act.created = now
    await tx.record(act)
    return True


# rule: mail-bounces
async def note_refusal(tx: Writer, store: Store, address: str, now: str) -> None:
    """Records that a server refused the recipient. The second refusal on another day suppresses the
    address."""
    day = now[:10]
    row = await tx.one("suppression_refuse", store=store.id, address=address, day=day, now=now)
    if row is not None and row[0] not in ("", day):
        await add(tx, store, address, "bounced", now)
