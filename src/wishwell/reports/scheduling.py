"""Decides when each store's wishes are counted, and shares the processor among the counts (rule:
count-pace)."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import NamedTuple

import structlog

from wishwell import ids, stores
from wishwell.config import Settings
from wishwell.db import Database, Reader, lease
from wishwell.db.clock import ReferenceClock
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.fairness.fair_queue import FairQueue, Flow
from wishwell.jobs import Job, Run
from wishwell.reports import counting
from wishwell.stores import Store
from wishwell.telemetry import metrics

SMALL_STORE_WISHES = 10_000
"""Number of wishes below which a store is counted more often."""

SMALL_SECONDS = 60
MAX_LOAD_SHARE = 0.02
"""Share of a CPU core that counting all stores may use, by estimated cost. A pause after each batch
enforces it."""

_MAX_CONCURRENT = 4
"""Batches that run at the same time, so that a statement that hangs delays no other store."""

_MAX_STORES = 4_000
"""Stores whose counts are in progress at the same time; each needs about 5 kB."""

_JOB, _JOB_SECONDS = "count", 30.0
_IDLE_SECONDS = 0.1
_RETRY_SECONDS = 60.0
"""Seconds until a store that couldn't be counted is tried again."""

_MAX_ROW_SECONDS = 15e-6
"""The processor time that a row is charged at most (`python -m bench.counting`). A batch that takes
longer waited for a busy machine."""

_BATCH_ROWS = 20
"""The rows whose reading costs as much as a batch's statements."""

log = structlog.get_logger("wishwell.reports.scheduling")


class DueStores(NamedTuple):
    """Stores that are due for a count, and the start of the oldest of all stores' last counts."""

    stores: list[Store]
    oldest: str | None


# rule: count-pace
async def find_due_stores(
    tx: Reader, active: Sequence[Store], now: int, seconds: float
) -> DueStores:
    """Returns the stores to count. ``now`` in milliseconds; ``seconds``: the setting."""
    counts = await tx.all("counts_last")
    last_ends = {str(id): (ended, wishes) for id, _, ended, wishes in counts}
    due_stores = []
    for store in active:
        ended, wishes = last_ends.get(store.id, ("1970-01-01T00:00:00.000Z", 0))
        pause = min(seconds, SMALL_SECONDS) if wishes < SMALL_STORE_WISHES else seconds
        # A clock that was set back delays no count for long (rule: clock-guard).
        if not 0 <= now - ids.from_timestamp(ended) < pause * 1000:
            due_stores.append(store)
    return DueStores(due_stores, min((began for _, began, *_ in counts), default=None))


# rule: count-pace
async def work(
    db: Database,
    fetch_due_stores: Callable[[], Awaitable[Sequence[Store]]],
    seconds: float,
    clock: ReferenceClock,
) -> None:
    """Counts the stores that are due, some batches at a time, until all are counted.

    Polls for other due stores every ``seconds``. Stores are grouped by the rows they have read so
    far; the groups take turns, and so do the stores in each. Logs a store that can't be counted,
    and retries it later. Raises ``Unavailable``.
    """
    queue = FairQueue[tuple[str, AsyncIterator[int], int]]()
    pending, free_at = set[str](), 0.0

    def enqueue(handle: str, batches: AsyncIterator[int], rows: int) -> None:
        queue.push(Flow(str(len(str(rows))), handle), (handle, batches, rows))

    async def run_batches() -> None:
        nonlocal free_at
        while True:
            if (entry := queue.pop()) is None:
                await asyncio.sleep(_IDLE_SECONDS)
                continue
            handle, batches, rows = entry.item
            began = time.monotonic()
            batch, retry_in = await _run_batch(db, handle, batches)
            now = time.monotonic()
            if batch is None:
                asyncio.get_running_loop().call_later(retry_in, pending.discard, handle)
            else:
                enqueue(handle, batches, rows + batch)
            queue.finish(entry.flow)
            free_at = max(free_at, now) + charged_seconds(now - began, batch or 0) / MAX_LOAD_SHARE
            await asyncio.sleep(free_at - now)

    workers = [asyncio.create_task(run_batches()) for _ in range(_MAX_CONCURRENT)]
    try:
        while True:
            for store in await fetch_due_stores():
                if store.handle not in pending and len(pending) < _MAX_STORES:
                    pending.add(store.handle)
                    enqueue(store.handle, counting.run(db, store, clock), 0)
            if not pending:
                return
            await asyncio.sleep(seconds)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.wait(workers)


def charged_seconds(seconds: float, rows: int) -> float:
    """Returns the processor time to assume for a batch that took ``seconds``."""
    return min(seconds, (rows + _BATCH_ROWS) * _MAX_ROW_SECONDS)


async def _run_batch(
    db: Database, handle: str, batches: AsyncIterator[int]
) -> tuple[int | None, float]:
    """Returns the rows of a count's next batch, or ``None`` if there is none, and the seconds until
    the store may be counted again."""
    try:
        return await anext(batches, None), 0.0
    except (counting.Superseded, StoreDeleted):
        return None, 0.0
    except Exception as error:
        with contextlib.suppress(Unavailable):
            await db.ping()  # raises if the database is the cause
            log.warning("store_not_counted", store=handle, reason=str(error))
        return None, _RETRY_SECONDS


# rule: count-pace
def job(settings: Settings) -> Job:
    """Returns the job that counts the stores that are due, of a process with these settings."""
    seconds = min(_JOB_SECONDS, settings.count_seconds)

    async def run_job(run: Run) -> None:
        async def fetch_due_stores() -> list[Store]:
            run.report_progress()
            metrics.BACKGROUND_DONE.labels(_JOB).set_to_current_time()
            await run.db.write(lease.renew, _JOB, run.clock())
            active = await run.db.read(stores.listed)
            now = await run.db.read(run.clock.likely_now)
            due = await run.db.batch_read(find_due_stores, active, now, settings.count_seconds)
            metrics.COUNTED.set(ids.from_timestamp(due.oldest) / 1000 if due.oldest else 0)
            return due.stores

        await work(run.db, fetch_due_stores, seconds / 3, run.clock)

    return Job(_JOB, seconds, run_job, lease_seconds=seconds)
