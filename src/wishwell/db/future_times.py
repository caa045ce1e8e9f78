"""The repair of stored times that are in the future, because a wrong clock wrote them.

Such a time could postpone what depends on it for years, so it is replaced while the clock is
plausible (rule: clock-guard). Other code needs no check, except where times aren't repaired: leases
and the states of clocks, because the repair must not wait for them; events, which are history;
counts, which are made again; and items' last notices, because no index leads to them.
"""

import functools
import math
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from wishwell import ids
from wishwell.db import Database, Reader, Row, Writer
from wishwell.db.clock import MAX_JUMP_MS, ReferenceClock

_BATCH_SIZE = 100
_INTERVAL_SECONDS = 3600


class StoredTime(NamedTuple):
    """A column that ``statement`` repairs. ``latest_ms``: how far its times may be in the future.
    ``repaired_ms``: how far a repaired one is."""

    statement: str
    column: str
    latest_ms: int = MAX_JUMP_MS
    repaired_ms: int = 0


def _period(statement: str, column: str, days: int) -> StoredTime:
    """Returns the end of a period, which begins again if it ends too late."""
    return StoredTime(statement, column, days * ids.DAY_MS + MAX_JUMP_MS, days * ids.DAY_MS)


STORED_TIMES = (
    StoredTime("repair_sessions", "profiles.touched_at"),
    StoredTime("repair_customers", "profiles.touched_at"),
    StoredTime("repair_stores", "stores.forget_since"),
    StoredTime("repair_requests", "requests.received_at"),
    _period("repair_exports", "requests.due_at", 30),
    _period("repair_deletions", "requests.due_at", 7),
    StoredTime("repair_webhooks", "webhooks.due_at", 2 * ids.DAY_MS),
    StoredTime("repair_waits", "webhooks.wait_until", 2 * ids.DAY_MS),
    StoredTime("repair_failures", "webhooks.failing_since"),
    StoredTime("repair_deliveries", "deliveries.next_at", 2 * ids.DAY_MS),
)
PRODUCTS = StoredTime("products_future", "products.updated_at")
"""Read apart from its repair, so that SQLite searches all products in a thread."""


# rule: clock-guard
async def repair(db: Database, now: int) -> AsyncIterator[int]:
    """Repairs all stored times. ``now`` must be plausible. Yields batch sizes."""
    for stored in STORED_TIMES:
        params, count = _params(stored, now), _BATCH_SIZE
        while count >= _BATCH_SIZE:
            count = len(await db.write(_run, stored.statement, params))
            yield count
    async for count in repair_products(db, now):
        yield count


# rules: clock-guard, catalogue-delete-missing
async def repair_products(db: Database, now: int) -> AsyncIterator[int]:
    """Repairs the times of products, which keep them from being deleted as missing from a file."""
    params = _params(PRODUCTS, now)
    while rows := await db.batch_read(_run, PRODUCTS.statement, params):
        await db.write(_repair_products, rows, params)
        yield len(rows)


async def _run(tx: Reader, statement: str, params: Mapping[str, Any]) -> Sequence[Row]:
    return await tx.all(statement, **params)


async def _repair_products(tx: Writer, rows: Sequence[Row], params: Mapping[str, Any]) -> None:
    await tx.begin()
    products = [{**params, "store": store, "product": product} for store, product in rows]
    await tx.run_many("repair_product", products)


def _params(stored: StoredTime, now: int) -> dict[str, Any]:
    latest, repaired = (ids.timestamp(now + ms) for ms in (stored.latest_ms, stored.repaired_ms))
    return {"latest": latest, "repaired": repaired, "limit": _BATCH_SIZE}


class Schedule:
    """When to repair: at the start of a process, when its clock becomes plausible again, and every
    hour, because another machine or a restored backup may have brought such a time."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._due_at = -math.inf

    # rule: clock-guard
    async def due(self, db: Database, clock: ReferenceClock) -> AsyncIterator[int]:
        """Repairs the times if that is due. Yields batch sizes. Raises ``Unavailable``."""
        if clock.suspicion:
            self._due_at = -math.inf
        elif self._timer() >= self._due_at:
            async for count in clock.guarded(db, functools.partial(repair, db)):
                yield count
            self._due_at = self._timer() + _INTERVAL_SECONDS
