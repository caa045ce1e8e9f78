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
        removed, count = -1, 1
        with bad_rows.skip_bad_row("feeds", store_id):
            while count:
                removed, count = await db.write(
                    _remove_event_batch, store_id, removed + 1, days, now
                )
                if count:
                    yield count


async def _remove_event_batch(
    tx: Writer, store_id: str, first: int, days: float, now: int
) -> tuple[int, int]:
    """Removes the events that the last batch marked as removed, and marks the next ones.

    Marking comes first because a cluster commits on one server after the other, and a reader reads
    the mark after the events: a missing event is then always marked. ``first`` is the first
    position that may still have an event. Returns the last removed position, and the number of
    events that are marked.
    """
    await webhooks.lock_feed(tx, store_id)
    old = ids.timestamp(max(0, now - int(days * ids.DAY_MS)))
    _, removed = await webhooks.feed_ends(tx, store_id)
    await tx.run("events_remove", store=store_id, first=first, last=removed)
    named = {"store": store_id, "after": removed, "now": ids.timestamp(now), "limit": _BATCH_SIZE}
    following = await tx.all("events_old", **named)
    marked = [*itertools.takewhile(lambda row: row[1] < old, following)]
    if marked:
        await tx.run("feed_remove", store=store_id, removed=marked[-1][0])
    return removed, len(marked)


# rule: feed-retention
async def remove_deliveries(db: Database, days: float, now: int) -> AsyncIterator[int]:
    """Removes deliveries older than ``days``, and deleted webhooks with all their deliveries."""
    for store_id, id, _, enabled in await db.read(run_statement, "webhooks"):
        removed = _BATCH_SIZE
        while removed == _BATCH_SIZE:
            kept = None if enabled < 0 else days
            removed = await db.write(_remove_delivery_batch, store_id, id, kept, now)
            if removed:
                yield removed
        if enabled < 0:
            await db.write(run_statement, "webhook_remove", store=store_id, id=id)


async def _remove_delivery_batch(
    tx: Writer, store_id: str, webhook: str, days: float | None, now: int
) -> int:
    """Removes some deliveries older than ``days``, or of any age. Returns how many."""
    before = _MAX_ID
    if days is not None:
        before = ids.uuid7_of(max(0, now - int(days * ids.DAY_MS)), 0)
    named = {"store": store_id, "webhook": webhook, "before": before}
    return len(await tx.all("deliveries_remove", **named, limit=_BATCH_SIZE))


def _remove_events(run: Run, now: int) -> AsyncIterator[int]:
    return remove_events(run.db, run.settings.events_days, now)


def _remove_deliveries(run: Run, now: int) -> AsyncIterator[int]:
    return remove_deliveries(run.db, run.settings.events_days, now)


# rule: feed-retention
JOBS = (
    Job("retain", 60.0, removal(_remove_events), lease_seconds=60.0),
    Job("deliveries", 60.0, removal(_remove_deliveries), lease_seconds=60.0),
)
