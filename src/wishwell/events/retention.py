"""Removes events and deliveries that are too old, in small batches next to live traffic.

Both functions take the retention of events in days, and yield the number of rows that each batch
removed.
"""

import itertools
from collections.abc import AsyncIterator

from wishwell import ids
from wishwell.db import Database, Writer, bad_rows, run_statement
from wishwell.events import webhooks
from wishwell.jobs import Job, Run, removal

_BATCH_SIZE = 200
"""Rows in one transaction. On SQLite a read may wait for a batch's Python code, about 2 ms."""

_MAX_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"


# rule: feed-retention
async def remove_events(db: Database, days: float, now: int) -> AsyncIterator[int]:
    """Removes events older than ``days``, in the order of the feed. Yields batch sizes."""
    for store_id, *_ in await db.read(run_statement, "feeds"):
        removed_position, batch_count = -1, 1
        with bad_rows.skip_bad_row("feeds", store_id):
            while batch_count:
                removed_position, batch_count = await db.write(
                    _remove_event_batch, store_id, removed_position + 1, days, now
                )
                if batch_count:
                    yield batch_count


async def _remove_event_batch(
    tx: Writer, store_id: str, first_position: int, days: float, now: int
) -> tuple[int, int]:
    """Removes the events that the last batch marked as removed, and marks the next ones.

    Marking comes first because a cluster commits on one server after the other, and a reader reads
    the mark after the events: a missing event is then always marked. ``first_position`` is the
    first position that may still have an event. Returns the last removed position, and the number
    of events that are marked.
    """
    await webhooks.lock_feed(tx, store_id)
    cutoff = ids.timestamp(max(0, now - int(days * ids.DAY_MS)))
    _, last_removed = await webhooks.read_feed_ends(tx, store_id)
    await tx.run("events_remove", store=store_id, first=first_position, last=last_removed)
    params = {
        "store": store_id,
        "after": last_removed,
        "now": ids.timestamp(now),
        "limit": _BATCH_SIZE,
    }
    next_rows = await tx.all("events_old", **params)
    old_rows = [*itertools.takewhile(lambda row: row[1] < cutoff, next_rows)]
    if old_rows:
        await tx.run("feed_remove", store=store_id, removed=old_rows[-1][0])
    return last_removed, len(old_rows)


# rule: feed-retention
async def remove_deliveries(db: Database, days: float, now: int) -> AsyncIterator[int]:
    """Removes deliveries older than ``days``, and deleted webhooks with all their deliveries."""
    for store_id, id, _, enabled in await db.read(run_statement, "webhooks"):
        removed, is_deleted = _BATCH_SIZE, enabled < 0
        while removed == _BATCH_SIZE:
            max_days = None if is_deleted else days
            removed = await db.write(_remove_delivery_batch, store_id, id, max_days, now)
            if removed:
                yield removed
        if is_deleted:
            await db.write(run_statement, "webhook_remove", store=store_id, id=id)


async def _remove_delivery_batch(
    tx: Writer, store_id: str, webhook_id: str, days: float | None, now: int
) -> int:
    """Removes some deliveries older than ``days``, or of any age. Returns how many."""
    before_id = _MAX_ID
    if days is not None:
        before_id = ids.uuid7_of(max(0, now - int(days * ids.DAY_MS)), 0)
    params = {"store": store_id, "webhook": webhook_id, "before": before_id}
    return len(await tx.all("deliveries_remove", **params, limit=_BATCH_SIZE))


def _run_event_removal(run: Run, now: int) -> AsyncIterator[int]:
    return remove_events(run.db, run.settings.events_days, now)


def _run_delivery_removal(run: Run, now: int) -> AsyncIterator[int]:
    return remove_deliveries(run.db, run.settings.events_days, now)


# rule: feed-retention
JOBS = (
    Job("retain", 60.0, removal(_run_event_removal), lease_seconds=60.0),
    Job("deliveries", 60.0, removal(_run_delivery_removal), lease_seconds=60.0),
)
