"""Deletes a store with all its data, in small batches next to live traffic."""

from collections.abc import AsyncIterator

from wishwell import ids, stores
from wishwell.db import Database, Writer, run_statement
from wishwell.db.journal import Act
from wishwell.stores import Store
from wishwell.wishlists import item_life, purge

_MAX_PROFILES = 100
_OF_STORE = (
    "erase_deliveries",
    "erase_products",
    "erase_deleted_products",
    "erase_platform_deliveries",
    *item_life.STORE_STATEMENTS,
    "erase_wish_counts",
    "erase_events_positioned",
    "erase_events_unpositioned",
)


# rule: store-delete
async def begin(tx: Writer, handle: str, now: str) -> Store:
    """Marks the store as deleted, which ends all access to it. Frees its hosts and removes its
    webhooks.

    Raises ``NotFound``.
    """
    await stores.lock(tx)
    store = await stores.by_handle_or_deleted(tx, handle)
    await tx.record(Act(action="store.deleted", store=store.handle, store_id=store.id))
    await tx.run("store_deletion_begin", store=store.id, now=now)
    await tx.run("erase_store_hosts", store=store.id)
    await tx.run("erase_webhooks", store=store.id)
    return store


# rule: store-delete
async def run(db: Database, store: Store) -> AsyncIterator[int]:
    """Removes the store's data, then the store. Yields how many profiles are removed so far.

    Must start at least ``stores.PROPAGATION_MS`` after ``begin``, when every process has stopped
    writing to the store. After a kill, the next run resumes. Raises ``Unavailable``.
    """
    gone = 0
    while not await db.write(_finish, store.id):
        for statement in _OF_STORE:
            while await db.write(_erase, statement, store.id):
                yield gone
        after = ids.NO_UUID
        named = {"store": store.id, "limit": _MAX_PROFILES}
        while found := await db.read(run_statement, "store_profiles", **named, after=after):
            keys = [row[0] for row in found]
            after = keys[-1]
            await db.write(run_statement, "erase_revocations", profiles=keys)
            while (removed := await db.write(purge.remove_batch, keys)) is None:
                yield gone
            gone += removed
            yield gone


async def _erase(tx: Writer, statement: str, id: str) -> int:
    return len(await tx.all(statement, store=id, limit=purge.MAX_RECORDS))


async def _finish(tx: Writer, id: str) -> bool:
    """Removes the store if it has no data left. Returns whether it did."""
    await stores.lock(tx)
    await tx.all("store_lock", store=id)
    for statement in ("erase_webhooks", "erase_erased", "erase_erasures"):
        await tx.run(statement, store=id)
    for statement in _OF_STORE:
        if await _erase(tx, statement, id):
            return False
    if await tx.all("store_profiles", store=id, after=ids.NO_UUID, limit=1):
        return False
    await stores.erase(tx, id)
    return True
