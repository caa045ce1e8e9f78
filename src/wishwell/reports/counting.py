"""Counts the wishes for each product of a store (rule: count-exact).

A count reads all profiles of a store in batches and compares its result with the last count's. It
doesn't rely on counters that saves maintain, so nothing can drift, and code that moves or removes
wishes has nothing to update.
"""

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import structlog

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, Writer, run_statement
from wishwell.db.clock import MAX_JUMP_MS, ClockSuspect, ReferenceClock
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.reports.tally import (
    FOREVER,
    Count,
    StoredTotals,
    Tally,
    Wishes,
    day_of,
    kept_from,
    zone,
)
from wishwell.stores import Store

SMALL_STORE_WISHES = 10_000
"""Number of wishes below which a store is counted more often."""

SMALL_SECONDS = 60
MAX_LOAD_SHARE = 0.02
"""Maximum share of a CPU core that counting all stores may use. A pause after each batch enforces
it."""

_MAX_PAUSE_SECONDS = 10.0
"""Maximum pause in seconds: a batch that takes very long mostly waits for the database."""

_BATCH_SIZE = 250
"""Rows that one batch reads, so that no request waits for long. The items of a profile are never
divided."""

_MAX_COMPARED = 50
"""Products and variants that one batch compares and writes."""

ALL_DAYS = 10_000
"""More days than are retained."""

log = structlog.get_logger("wishwell.reports.counting")


async def last(tx: Reader, store: Store, day: str = "9999-12-31", days: int = 1) -> list[Count]:
    """Returns the counts of the last ``days`` days until ``day``, the newest first."""
    return [Count(*row) for row in await tx.all("counts_until", store=store.id, day=day, days=days)]


class Due(NamedTuple):
    """Stores that are due for a count, and the start of the oldest of all stores' last counts."""

    stores: list[Store]
    oldest: str | None


# rule: count-pace
async def due(tx: Reader, kept: Sequence[Store], now: int, seconds: float) -> Due:
    """Returns the stores to count. ``now`` in milliseconds; ``seconds``: the setting."""
    counts = await tx.all("counts_last")
    ends = {str(id): (ended, wishes) for id, _, ended, wishes in counts}
    again = []
    for store in kept:
        ended, wishes = ends.get(store.id, ("1970-01-01T00:00:00.000Z", 0))
        pause = min(seconds, SMALL_SECONDS) if wishes < SMALL_STORE_WISHES else seconds
        # A clock that was set back delays no count for long (rule: clock-guard).
        if not 0 <= now - ids.from_timestamp(ended) < pause * 1000:
            again.append(store)
    return Due(again, min((began for _, began, *_ in counts), default=None))


# rule: count-pace
async def work(
    db: Database,
    look: Callable[[], Awaitable[Sequence[Store]]],
    seconds: float,
    clock: ReferenceClock,
) -> None:
    """Counts the stores that are due, one batch of each in turn, until all are counted.

    Polls for other due stores every ``seconds``, so that a small store doesn't wait for a large
    one. A store that can't be counted is logged and skipped. Raises ``Unavailable``.
    """
    counts = OrderedDict[str, AsyncIterator[float]]()
    looks_at = 0.0
    while True:
        if time.monotonic() >= looks_at:
            looks_at = time.monotonic() + seconds
            for store in await look():
                counts.setdefault(store.handle, run(db, store, clock))
        if not counts:
            return
        handle, steps = counts.popitem(last=False)
        try:
            took = await anext(steps)
        except (StopAsyncIteration, Superseded, StoreDeleted):
            continue
        except Exception as error:
            await db.ping()  # raises if the database is the cause
            if isinstance(error, Unavailable):
                raise
            log.warning("store_not_counted", store=handle, reason=str(error))
        else:
            counts[handle] = steps
            await asyncio.sleep(min(took * (1 / MAX_LOAD_SHARE - 1), _MAX_PAUSE_SECONDS))


# rules: count-exact, count-days
async def run(db: Database, store: Store, clock: ReferenceClock) -> AsyncIterator[float]:
    """Counts a store. Yields after each batch the seconds that it took.

    An interrupted count may have stored a partial result; the next count starts from the beginning.
    While the clock is suspect no day ends, and no count is removed. Raises ``Unavailable``,
    ``StoreDeleted``, ``Superseded``.
    """
    began, uptime = await db.read(clock.likely_now), time.monotonic()
    with contextlib.suppress(ClockSuspect):
        while await db.write(_discard_future, store, clock):
            yield 0.0
    before = await db.long_read(last, store, days=3)
    today = day_of(began, zone(store))
    try:
        await db.read(clock.checked_now)
    except ClockSuspect:
        today = before[0].day if before else today
    oldest = await db.long_read(_first_day, store, before, today)
    tally = Tally(before, today, zone(store), ids.timestamp(began), oldest)
    for steps in (_walk(db, store, tally), _write(db, store, tally, before)):
        started = time.perf_counter()
        async for _ in steps:
            yield time.perf_counter() - started
            started = time.perf_counter()
    ended = began + round((time.monotonic() - uptime) * 1000)
    counts = tally.counts(before, ids.timestamp(began), ids.timestamp(ended))
    await db.write(finish, store, before, counts)
    with contextlib.suppress(ClockSuspect):
        while await db.write(_forget, store, clock):
            yield 0.0


# rule: count-days
async def _first_day(tx: Reader, store: Store, before: Sequence[Count], today: str) -> str:
    """Returns the day of the oldest wish if it is before today and no other day has a count with
    wishes, for example after an import into a new store; else ''."""

    def none(counts: Iterable[Count]) -> bool:
        return not any(count.wishes for count in counts if count.day != today)

    if not none(before) or not none(await last(tx, store, days=ALL_DAYS)):
        return ""
    oldest = await tx.one("count_oldest", store=store.id)
    day = today if oldest is None else day_of(ids.from_timestamp(oldest[0]), zone(store))
    return day if day < today else ""


async def _walk(db: Database, store: Store, tally: Tally) -> AsyncIterator[None]:
    """Reads all wishes of the store into ``tally``, in batches."""
    after, of = ids.NO_UUID, {"store": store.id}
    while profiles := await db.long_read(
        run_statement, "count_profiles", after=after, limit=_BATCH_SIZE, **of
    ):
        yield
        for _, is_session, items, lists in profiles:
            tally.holders[is_session] += items > 0
            tally.lists += lists
        for to in _groups(profiles):
            for row in await db.long_read(run_statement, "count_items", after=after, to=to, **of):
                tally.add(*row)
            if tally.dated:
                for row in await db.long_read(
                    run_statement, "count_dates", after=after, to=to, **of
                ):
                    tally.add_date(*row)
            after = to
            yield


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


async def _write(
    db: Database, store: Store, tally: Tally, before: Sequence[Count]
) -> AsyncIterator[None]:
    """Stores the changed rows. No report shows them before ``finish``."""
    first = before[-1].number + 1 if len(before) == 3 else 1
    place = {"until": first, "product": "", "variant": ""}
    while rows := await db.long_read(
        run_statement, "count_rows", store=store.id, limit=_BATCH_SIZE, **place
    ):
        for until, product, variant, since, *totals in rows:
            tally.of(product, variant).held += (StoredTotals(since, until, tuple(totals)),)
        place = {"until": until, "product": product, "variant": variant}
        yield
    while tally.wishes:
        found = [tally.wishes.popitem()[1] for _ in range(min(_MAX_COMPARED, len(tally.wishes)))]
        changes = [(of, now) for of in found if (now := tally.rows(of)) != of.held]
        if changes:
            await db.write(_change, store, before, changes)
        yield


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
    today = {"store": store.id, "today": day_of(now, zone(store))}
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
    before = kept_from(day_of(await clock.checked_now(tx), zone(store)))
    await tx.run("counts_forget_days", store=store.id, day=before)
    of = {"store": store.id, "limit": _BATCH_SIZE}
    ended = await tx.all("counts_ended", **of)
    gone = await tx.all("counts_gone", **of, forever=FOREVER)
    names = ("until", "product", "variant")
    rows = [{"store": store.id, **dict(zip(names, row, strict=True))} for row in (*ended, *gone)]
    await tx.run_many("count_row_remove", rows)
    return len(rows)
