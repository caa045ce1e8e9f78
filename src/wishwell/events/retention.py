"""Removes events and deliveries that are too old, in small steps beside live traffic.

Both take the days that events are kept, and the time in milliseconds since 1970. They yield how
many rows each step removed.
"""

import contextlib
from collections.abc import AsyncIterator

from wishwell import ids
from wishwell.db import Database, Writer, ask, bad_rows
from wishwell.errors import NotFound
from wishwell.events import webhooks
from wishwell.events.deliveries import MOST_LATER_MS

_STEP = 200
"""Rows in one transaction. On SQLite a read may have to wait for what of it is Python: 2 ms."""


# contract: event-retention
async def of_events(db: Database, days: float, now: int) -> AsyncIterator[int]:
    """Removes events that are older. An event goes after all that come before it in the feed."""
    old = ids.timestamp(max(0, now - int(days * ids.DAY_MS)))
    for store_id, *_ in await db.read(ask, "feeds"):
        removed, count = -1, 1
        with bad_rows.passed_over("feeds", store_id):
            while count:
                removed, count = await db.write(_remove_events, store_id, removed + 1, old)
                if count:
                    yield count


async def _remove_events(tx: Writer, store_id: str, first: int, old: str) -> tuple[int, int]:
    """Removes the events that the last step marked as removed, and marks the next ones.

    Returns the last one that was removed, and how many are next. ``first`` is the first one that
    may be there. A reader looks at the mark after it has looked for events, and a cluster commits
    on one server after the other.
    """
    await webhooks.lock_feed(tx, store_id)
    _, removed = await webhooks.feed_ends(tx, store_id)
    await tx.run("events_remove", store=store_id, first=first, last=removed)
    marked = []
    for place, created_at, type_ in await tx.all(
        "events_old", store=store_id, after=removed, limit=_STEP
    ):
        if created_at >= old:
            break
        marked.append((place, type_))
    if marked:
        await webhooks.miss(tx, store_id, marked)
        await tx.run("feed_remove", store=store_id, removed=marked[-1][0])
    return removed, len(marked)


# contract: delivery-retention
async def of_deliveries(db: Database, days: float, now: int) -> AsyncIterator[int]:
    """Removes deliveries whose events are gone, tests that are older, and deleted webhooks."""
    since = now - int(days * ids.DAY_MS)
    for store_id, id, _ in await db.read(ask, "webhooks"):
        count = 1
        name = f"{id} of store {store_id}"
        with bad_rows.passed_over("webhooks", name), contextlib.suppress(NotFound):
            while count:
                count = await db.write(_remove_deliveries, store_id, id, since, now)
                if count:
                    yield count


async def _remove_deliveries(
    tx: Writer, store_id: str, webhook_id: str, since: int, now: int
) -> int:
    named = {"store": store_id, "webhook": webhook_id}
    async with webhooks.changing(tx, store_id, webhook_id, deleted=True) as kept:
        # What a clock that was wrong put off further than anything is, is due now.
        # contract: clock-steps, delivery-each
        at, ahead = ids.timestamp(now), ids.timestamp(now + 2 * MOST_LATER_MS)
        if await tx.all("deliveries_ahead", **named, now=at, latest=ahead):
            kept.due = at
        _, removed = await webhooks.feed_ends(tx, store_id)
        rows = await tx.all("deliveries_oldest", **named, limit=_STEP)
        old = [
            row
            for row in rows
            # A test is of no profile, and of no event.
            if kept.deleted or (row[1] <= removed if row[3] else ids.time_of(row[0]) < since)
        ]
        if old:
            await tx.run("deliveries_remove", **named, ids=[row[0] for row in old])
        if not kept.deleted:
            kept.missed += sum(
                status == "pending" and profile_id is not None for _, _, status, profile_id in old
            )
    if kept.deleted and len(rows) < _STEP:
        await tx.run("webhook_remove", store=store_id, id=webhook_id)
    return len(old)
