"""Deletes a store with all its data, in small batches next to live traffic."""

from collections.abc import AsyncIterator

from wishwell import ids, stores
from wishwell.db import Database, Writer, run_statement
from wishwell.db.journal import Act
from wishwell.stores import Store
from wishwell.wishlists import item_life, purge

_MAX_PROFILES = 100
_BATCH_STATEMENTS = (
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
async def remove_store(db: Database, store: Store) -> AsyncIterator[int]:
    """Removes the store's data, then the store. Yields how many profiles are removed so far.

    Must start at least ``stores.PROPAGATION_MS`` after ``begin``, when every process has stopped
    writing to the store. After a kill, the next run resumes. Raises ``Unavailable``.
    """
    removed_count = 0
    while not await db.write(_remove_if_empty, store.id):
        for statement in _BATCH_STATEMENTS:
            while await db.write(_erase_batch, statement, store.id):
                yield removed_count
        last_key = ids.NO_UUID
        params = {"store": store.id, "limit": _MAX_PROFILES}
        while rows := await db.read(run_statement, "store_profiles", **params, after=last_key):
            keys = [row[0] for row in rows]
            last_key = keys[-1]
            await db.write(run_statement, "erase_revocations", profiles=keys)
            while (batch_count := await db.write(purge.remove_batch, keys)) is None:
                yield removed_count
            removed_count += batch_count
            yield removed_count


async def _erase_batch(tx: Writer, statement: str, store_id: str) -> int:
    return len(await tx.all(statement, store=store_id, limit=purge.MAX_RECORDS))


async def _remove_if_empty(tx: Writer, store_id: str) -> bool:
    """Removes the store if it has no data left. Returns whether it did."""
    await stores.lock(tx)
    await tx.all("store_lock", store=store_id)
    for statement in ("erase_webhooks", "erase_erased", "erase_erasures"):
        await tx.run(statement, store=store_id)
    for statement in _BATCH_STATEMENTS:
        if await _erase_batch(tx, statement, store_id):
            return False
    if await tx.all("store_profiles", store=store_id, after=ids.NO_UUID, limit=1):
        return False
    await stores.erase(tx, store_id)
    return True
