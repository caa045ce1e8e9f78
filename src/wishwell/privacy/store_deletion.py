"""Deletes a store with everything of it, in small steps beside live traffic."""

from collections.abc import AsyncIterator

from wishwell import ids, stores
from wishwell.db import Database, Writer, ask
from wishwell.db.journal import Act
from wishwell.stores import Store
from wishwell.wishlists import purge

_RECORDS = 2_000
"""The most records that one step removes: other writes wait for it."""

_PROFILES = 100
_OF_STORE = (
    "erase_deliveries",
    "erase_products",
    "erase_wish_counts",
    "erase_events_told",
    "erase_events_new",
)
_OF_ERASED = ("erase_erased", "erase_erasures")


# contract: store-delete
async def begin(tx: Writer, handle: str, now: str) -> Store:
    """From now on the store is gone for everybody; its hosts are free, its webhooks gone.

    Raises ``NotFound``.
    """
    await stores.lock(tx)
    store = await stores.by_handle_or_deleted(tx, handle)
    await tx.record(Act(action="store.deleted", store=store.handle, store_id=store.id))
    await tx.run("store_deletion_begin", store=store.id, now=now)
    await tx.run("erase_store_hosts", store=store.id)
    await tx.run("erase_webhooks", store=store.id)
    return store


# contract: store-delete-steps
async def run(db: Database, store: Store) -> AsyncIterator[int]:
    """Removes all that the store holds, then the store. Yields how many profiles are gone so far.

    Begins ``stores.SEEN_MS`` after ``begin``, when no process writes to the store any more. Killed
    in between, it goes on where it was. Raises ``Unavailable``.
    """
    gone = 0
    while not await db.write(_finish, store.id):
        for statement in _OF_STORE:
            while await db.write(_erase, statement, store.id):
                yield gone
        after = ids.NO_UUID
        named = {"store": store.id, "limit": _PROFILES}
        while found := await db.read(ask, "store_profiles", **named, after=after):
            keys = [row[0] for row in found]
            after = keys[-1]
            await db.write(ask, "erase_revocations", profiles=keys)
            while (removed := await db.write(purge.remove_some, keys)) is None:
                yield gone
            gone += removed
            yield gone


async def _erase(tx: Writer, statement: str, id: str) -> int:
    return len(await tx.all(statement, store=id, limit=_RECORDS))


async def _finish(tx: Writer, id: str) -> bool:
    """Removes the store, unless there was still something of it."""
    await stores.lock(tx)
    await tx.all("store_lock", store=id)
    for statement in ("erase_webhooks", *_OF_ERASED):
        await tx.run(statement, store=id)
    for statement in _OF_STORE:
        if await _erase(tx, statement, id):
            return False
    if await tx.all("store_profiles", store=id, after=ids.NO_UUID, limit=1):
        return False
    await stores.erase(tx, id)
    return True
