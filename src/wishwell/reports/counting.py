"""Counts the wishes for each product of a store (rule: count-exact).

A count reads all profiles of a store, then all wishes in the order of their products, in batches,
and compares each product with the last count. So it needs memory for some products only. It doesn't
rely on counters that saves maintain, so nothing can drift, and code that moves or removes
wishes has nothing to update.
"""

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import structlog

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, Writer, run_statement
from wishwell.db.clock import MAX_JUMP_MS, ClockSuspect, ReferenceClock
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.fairness.fair_queue import FairQueue, Flow
from wishwell.reports.tally import FOREVER, Count, StoredTotals, Tally, Wishes, kept_from
from wishwell.stores import Store
from wishwell.stores.reporting import day_of

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

_IDLE_SECONDS = 0.1
_RETRY_SECONDS = 60.0
"""Seconds until a store that couldn't be counted is tried again."""

_MAX_ROW_SECONDS = 15e-6
"""The processor time that a row is charged at most (`python -m bench.counting`). A batch that takes
longer waited for a busy machine."""

_BATCH_ROWS, _START_ROWS, _ROWS_PER_WRITE = 20, 400, 3
"""The rows whose reading costs as much as a batch's statements, a count's start, and a write."""

_BATCH_SIZE = 250
"""Rows that one batch reads, so that no request waits for long."""

_END = chr(0x10FFFF)
"""A text after the ids of all products."""

_MAX_COMPARED = 50
"""Products and variants that one transaction writes."""

ALL_DAYS = 10_000
"""More days than are retained."""

log = structlog.get_logger("wishwell.reports.counting")


async def last(tx: Reader, store: Store, day: str = "9999-12-31", days: int = 1) -> list[Count]:
    """Returns the counts of the last ``days`` days until ``day``, the newest first."""
    return [Count(*row) for row in await tx.all("counts_until", store=store.id, day=day, days=days)]


class DueStores(NamedTuple):
    """Stores that are due for a count, and the start of the oldest of all stores' last counts."""

    stores: list[Store]
    oldest: str | None


# rule: count-pace
async def due(tx: Reader, active: Sequence[Store], now: int, seconds: float) -> DueStores:
    """Returns the stores to count. ``now`` in milliseconds; ``seconds``: the setting."""
    counts = await tx.all("counts_last")
    ends = {str(id): (ended, wishes) for id, _, ended, wishes in counts}
    again = []
    for store in active:
        ended, wishes = ends.get(store.id, ("1970-01-01T00:00:00.000Z", 0))
        pause = min(seconds, SMALL_SECONDS) if wishes < SMALL_STORE_WISHES else seconds
        # A clock that was set back delays no count for long (rule: clock-guard).
        if not 0 <= now - ids.from_timestamp(ended) < pause * 1000:
            again.append(store)
    return DueStores(again, min((began for _, began, *_ in counts), default=None))


# rule: count-pace
async def work(
    db: Database,
    look: Callable[[], Awaitable[Sequence[Store]]],
    seconds: float,
    clock: ReferenceClock,
) -> None:
    """Counts the stores that are due, some batches at a time, until all are counted.

    Polls for other due stores every ``seconds``. Stores are grouped by the rows they have read so
    far; the groups share fairly, and so do the stores in each. Logs a store that can't be counted,
    and retries it later. Raises ``Unavailable``.
    """
    queue = FairQueue[tuple[str, AsyncIterator[int], int]]()
    pending, free_at = set[str](), 0.0

    def enqueue(handle: str, steps: AsyncIterator[int], rows: int) -> None:
        queue.push(Flow(str(len(str(rows))), handle), (handle, steps, rows))

    async def run_batches() -> None:
        nonlocal free_at
        while True:
            if (entry := queue.pop()) is None:
                await asyncio.sleep(_IDLE_SECONDS)
                continue
            handle, steps, rows = entry.item
            began = time.monotonic()
            batch, retry_in = await _run_batch(db, handle, steps)
            now = time.monotonic()
            if batch is None:
                asyncio.get_running_loop().call_later(retry_in, pending.discard, handle)
            else:
                enqueue(handle, steps, rows + batch)
            # Not by the time, so that the order doesn't depend on how busy the machine is.
            queue.charge(entry, charged(math.inf, batch or 0))
            free_at = max(free_at, now) + charged(now - began, batch or 0) / MAX_LOAD_SHARE
            await asyncio.sleep(free_at - now)

    workers = [asyncio.create_task(run_batches()) for _ in range(_MAX_CONCURRENT)]
    try:
        while True:
            for store in await look():
                if store.handle not in pending and len(pending) < _MAX_STORES:
                    pending.add(store.handle)
                    enqueue(store.handle, run(db, store, clock), 0)
            if not pending:
                return
            await asyncio.sleep(seconds)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.wait(workers)


def charged(seconds: float, rows: int) -> float:
    """Returns the processor time to assume for a batch that took ``seconds``."""
    return min(seconds, (rows + _BATCH_ROWS) * _MAX_ROW_SECONDS)


async def _run_batch(
    db: Database, handle: str, steps: AsyncIterator[int]
) -> tuple[int | None, float]:
    """Returns the rows of a count's next batch, or ``None`` if there is none, and the seconds until
    the store may be counted again."""
    try:
        return await anext(steps, None), 0.0
    except (Superseded, StoreDeleted):
        return None, 0.0
    except Exception as error:
        with contextlib.suppress(Unavailable):
            await db.ping()  # raises if the database is the cause
            log.warning("store_not_counted", store=handle, reason=str(error))
        return None, _RETRY_SECONDS


# rules: count-exact, count-days
async def run(db: Database, store: Store, clock: ReferenceClock) -> AsyncIterator[int]:
    """Counts a store. Yields after each batch the rows that it read, plus a few for each written.

    An interrupted count may have stored a partial result; the next count starts from the beginning.
    While the clock is suspect no day ends, and no count is removed. Raises ``Unavailable``,
    ``StoreDeleted``, ``Superseded``.
    """
    began, uptime = await db.read(clock.likely_now), time.monotonic()
    with contextlib.suppress(ClockSuspect):
        while await db.write(_discard_future, store, clock):
            yield _BATCH_SIZE * _ROWS_PER_WRITE
    before = await db.batch_read(last, store, days=3)
    today = day_of(began, store.reporting.zone)
    try:
        await db.read(clock.checked_now)
    except ClockSuspect:
        today = before[0].day if before else today
    oldest = await db.batch_read(_first_day, store, before, today)
    tally = Tally(before, today, store.reporting.zone, ids.timestamp(began), oldest)
    yield _START_ROWS
    for steps in (_walk(db, store, tally), _write(db, store, tally, before)):
        async for rows in steps:
            yield rows
    ended = began + round((time.monotonic() - uptime) * 1000)
    counts = tally.counts(before, ids.timestamp(began), ids.timestamp(ended))
    await db.write(finish, store, before, counts)
    with contextlib.suppress(ClockSuspect):
        while removed := await db.write(_forget, store, clock):
            yield removed * _ROWS_PER_WRITE


# rule: count-days
async def _first_day(tx: Reader, store: Store, before: Sequence[Count], today: str) -> str:
    """Returns the day of the oldest wish if it is before today and no other day has a count with
    wishes, for example after an import into a new store; else ''."""

    def are_empty(counts: Iterable[Count]) -> bool:
        return not any(count.wishes for count in counts if count.day != today)

    if not are_empty(before) or not are_empty(await last(tx, store, days=ALL_DAYS)):
        return ""
    oldest = await tx.one("count_oldest", store=store.id)
    day = today if oldest is None else day_of(ids.from_timestamp(oldest[0]), store.reporting.zone)
    return day if day < today else ""


async def _walk(db: Database, store: Store, tally: Tally) -> AsyncIterator[int]:
    """Counts the store's profiles with wishes, and their lists, in batches."""
    after = ids.NO_UUID
    size = 1
    while size:
        size, groups = await _count_profiles(db, store, tally, after)
        if size:
            yield size
        for to in groups:
            if tally.dated:
                named = {"store": store.id, "after": after, "to": to}
                dates = await db.batch_read(run_statement, "count_dates", **named)
                for row in dates:
                    tally.add_date(*row)
                yield len(dates)
            after = to


async def _count_profiles(
    db: Database, store: Store, tally: Tally, after: str
) -> tuple[int, list[str]]:
    """Counts the next profiles. Returns their number, and their groups."""
    named = {"store": store.id, "after": after, "limit": _BATCH_SIZE}
    profiles = await db.batch_read(run_statement, "count_profiles", **named)
    for _, is_session, items, lists in profiles:
        tally.holders[is_session] += items > 0
        tally.lists += lists
    return len(profiles), list(_groups(profiles)) if profiles else []


def _groups(profiles: Iterable[Row]) -> Iterator[str]:
    """Groups profiles by about as many items as one batch reads. Yields each group's last key."""
    last, size = "", 0
    for id, _, items, _ in profiles:
        if last and size + items > _BATCH_SIZE:
            yield last
            size = 0
        last = str(id)
        size += items
    yield last


class _Place(NamedTuple):
    """How far a count has read: the last item, the last product compared, and the rows read."""

    product: str = ""
    id: str = ids.NO_UUID
    done: str = ""
    rows: int = 0


async def _write(
    db: Database, store: Store, tally: Tally, before: Sequence[Count]
) -> AsyncIterator[int]:
    """Counts the store's wishes by product, and stores the changed rows. No report shows them
    before ``finish``.

    Between batches, the tally has at most one product and no rows are kept, because all stores that
    are due wait for their next batch at the same time.
    """
    place = _Place()
    while place.done < _END:
        place = await _next_products(db, store, tally, before, place)
        yield place.rows


async def _next_products(
    db: Database, store: Store, tally: Tally, before: Sequence[Count], place: _Place
) -> _Place:
    """Reads the next items, and the products with stored rows among theirs. Compares the products
    that are complete."""
    _, id, done, _ = place
    of = {"store": store.id, "limit": _BATCH_SIZE}
    from_place = {"product": place.product, "id": id}
    items = await db.batch_read(run_statement, "count_items", **of, **from_place)
    end = items[-1][0] if len(items) == _BATCH_SIZE else _END
    named = of | {"after": done, "end": end, "forever": FOREVER}
    stored = [row[0] for row in await db.batch_read(run_statement, "count_products", **named)]
    is_complete = len(stored) < _BATCH_SIZE
    last = place.product
    for product, variant, item, visitor, created_at in items:
        if is_complete or product <= stored[-1]:
            tally.add(product, variant, visitor, created_at)
            last, id = product, item
    products = {
        product
        for product in (*stored, *tally.wishes)
        if (product < end if is_complete else product <= stored[-1])
    }
    done = _END if is_complete and end == _END else max(products, default=done)
    changed = await _compare(db, store, tally, before, sorted(products))
    return _Place(last, id, done, len(items) + len(stored) + changed * _ROWS_PER_WRITE)


async def _compare(
    db: Database, store: Store, tally: Tally, before: Sequence[Count], products: list[str]
) -> int:
    """Stores the changed rows of these products, and takes them from the tally. Returns how many
    variants have changed."""
    first = before[-1].number + 1 if len(before) == 3 else 1
    named = {"store": store.id, "products": products, "first": first}
    for until, product, variant, since, *totals in await db.batch_read(
        run_statement, "count_rows_of", **named
    ):
        tally.of(product, variant).held += (StoredTotals(since, until, tuple(totals)),)
    variants = [of for product in products for of in tally.wishes.pop(product, {}).values()]
    changes = [(of, now) for of in variants if (now := tally.rows(of)) != of.held]
    for start in range(0, len(changes), _MAX_COMPARED):
        await db.write(_change, store, before, changes[start : start + _MAX_COMPARED])
    return len(changes)


async def _check_latest(tx: Writer, store: Store, before: Sequence[Count]) -> None:
    """Locks the store. Raises ``Superseded`` if another process has counted it in the meantime."""
    await tx.one("store_write_lock", store=store.id)
    await stores.check_not_deleting(tx, store)
    if await last(tx, store) != [*before[:1]]:
        raise Superseded


class Superseded(Exception):
    """Another process has finished a count of the store since this one began."""


async def _change(
    tx: Writer,
    store: Store,
    before: Sequence[Count],
    changes: Sequence[tuple[Wishes, Sequence[StoredTotals]]],
) -> None:
    await _check_latest(tx, store, before)
    gone, come = [], []
    for wishes, now in changes:
        of = {"store": store.id, "product": wishes.product, "variant": wishes.variant}
        ends = {row.until for row in now}
        gone += [{**of, "until": row.until} for row in wishes.held if row.until not in ends]
        names = ("customers", "visitors", "added")
        come += [
            {**of, "since": row.since, "until": row.until}
            | dict(zip(names, row.totals, strict=True))
            for row in now
            if row not in wishes.held
        ]
    await tx.run_many("count_row_remove", gone)
    await tx.run_many("count_row_put", come)


# rule: count-exact
async def finish(
    tx: Writer, store: Store, before: Sequence[Count], counts: Iterable[Count]
) -> None:
    """Stores the counts, which reports use from now on."""
    await _check_latest(tx, store, before)
    await tx.run_many("count_end", [{"store": store.id, **count._asdict()} for count in counts])


# rule: count-days
async def _discard_future(tx: Writer, store: Store, clock: ReferenceClock) -> bool:
    """Deletes a batch of data of counts dated after today, if a wrong clock dated the last count in
    the future.

    Totals that those counts had replaced become valid again. Returns whether a batch remains.
    Raises ``ClockSuspect``.
    """
    await tx.one("store_write_lock", store=store.id)
    newest = await last(tx, store)
    now = await clock.checked_now(tx)
    if not newest or newest[0].began_at <= ids.timestamp(now + MAX_JUMP_MS):
        return False
    today = {"store": store.id, "today": day_of(now, store.reporting.zone)}
    first = await tx.one("counts_future", **today)
    if first is None or first[0] is None:
        return False
    rows = {"store": store.id, "first": first[0], "forever": FOREVER, "limit": _BATCH_SIZE}
    for statement in ("count_rows_discard", "count_rows_reopen"):
        if await tx.all(statement, **rows):
            return True
    await tx.run("counts_discard", **today)
    return False


# rules: count-days, clock-guard
async def _forget(tx: Writer, store: Store, clock: ReferenceClock) -> int:
    """Removes a batch of rows that ended more than 25 months ago. Returns how many. Raises
    ``ClockSuspect``."""
    await tx.one("store_write_lock", store=store.id)
    before = kept_from(day_of(await clock.checked_now(tx), store.reporting.zone))
    await tx.run("counts_forget_days", store=store.id, day=before)
    of = {"store": store.id, "limit": _BATCH_SIZE}
    ended = await tx.all("counts_ended", **of)
    gone = await tx.all("counts_gone", **of, forever=FOREVER)
    names = ("until", "product", "variant")
    rows = [{"store": store.id, **dict(zip(names, row, strict=True))} for row in (*ended, *gone)]
    await tx.run_many("count_row_remove", rows)
    return len(rows)
