"""Counts how many wish for each product (contract: count-exact).

A count walks all profiles of a store in small steps and compares what it found with the last one.
It reads nothing that a save writes for it: nothing can drift, and what moves or removes wishes
needs no rule here.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import structlog

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, Writer, ask
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.reports.tally import FOREVER, Count, Held, Tally, Wishes, day_of, kept_from, zone
from wishwell.stores import Store

SMALL = 10_000
"""A store with fewer wishes is counted again sooner."""

SMALL_SECONDS = 60
SHARE = 0.02
"""Of a core's time, at most, for all stores together."""

_ROWS = 250
"""That one step reads, so that no request waits for long; the items of one profile at once."""

_COMPARED = 50
_CHANGED = 200
"""Products in their variants that one step compares, and about as many one transaction changes."""

_REST = 4
"""Times as long as a step took, before the next one: others come in between."""

log = structlog.get_logger("wishwell.reports.counting")


async def last(tx: Reader, store: Store, day: str = "9999-12-31", days: int = 1) -> list[Count]:
    """The counts of so many days, the last ones until ``day``, the newest first."""
    return [Count(*row) for row in await tx.all("counts_until", store=store.id, day=day, days=days)]


class Due(NamedTuple):
    """The stores that are to be counted again; when the oldest of all last counts began; and the
    longest pause of a store, in seconds."""

    stores: list[Store]
    oldest: str | None
    pause: float


# contract: count-again
async def due(tx: Reader, found: Sequence[Store], now: int, seconds: float) -> Due:
    """What is to be counted; ``now`` in milliseconds, ``seconds``: the setting."""
    rows = {str(row[0]): row[1:] for row in await tx.all("counts_last")}
    sooner = min(seconds, SMALL_SECONDS)
    pauses = {
        id: 1000 * (sooner if wishes < SMALL else seconds) for id, (*_, wishes) in rows.items()
    }
    share = sum(took / pauses[id] for id, (_, _, took, _) in rows.items())
    longer = max(1, share / SHARE)
    again = []
    for store in found:
        _, ended, *_ = rows.get(store.id, ("", "1970-01-01T00:00:00.000Z"))
        # A clock that was set back puts nothing off for long (contract: clock-steps).
        if not 0 <= now - ids.from_timestamp(ended) < longer * pauses.get(store.id, 0):
            again.append(store)
    oldest = min((began for began, *_ in rows.values()), default=None)
    return Due(again, oldest, longer * max(pauses.values(), default=0) / 1000)


# contract: count-again
async def work(
    db: Database, found: Sequence[Store], clock: Callable[[], int]
) -> AsyncIterator[None]:
    """Counts these stores. Yields after each step and the pause that it needs.

    A store that can't be counted is logged and passed over. Raises ``Unavailable``.
    """
    for store in found:
        try:
            async for took in run(db, store, clock):
                await asyncio.sleep(took * _REST)
                yield
        except (Superseded, StoreDeleted):
            continue
        except Exception as error:
            await db.ping()  # raises if the database is the cause
            if isinstance(error, Unavailable):
                raise
            log.warning("store_not_counted", store=store.handle, reason=str(error))


# contract: count-exact, count-days
async def run(db: Database, store: Store, clock: Callable[[], int]) -> AsyncIterator[float]:
    """Counts a store. Yields after each step the seconds that it took.

    One that is given up may have stored some of what it found; the next one begins anew. Raises
    ``Unavailable``, ``StoreDeleted``, ``Superseded``.
    """
    began = clock()
    before = await db.long_read(last, store, days=3)
    tally, took = Tally(before, day_of(began, zone(store)), zone(store)), 0.0
    for steps in (_walk(db, store, tally), _write(db, store, tally, before)):
        started = time.perf_counter()
        async for _ in steps:
            seconds = time.perf_counter() - started
            took += seconds
            yield seconds
            started = time.perf_counter()
    counts = tally.counts(before, ids.timestamp(began), ids.timestamp(clock()), int(took * 1000))
    await db.write(_end, store, before, counts)
    while await db.write(_forget, store, kept_from(tally.days[-1])):
        yield 0.0


async def _walk(db: Database, store: Store, tally: Tally) -> AsyncIterator[None]:
    """Reads all wishes of the store."""
    after, of = ids.NO_UUID, {"store": store.id}
    while profiles := await db.long_read(ask, "count_profiles", after=after, limit=_ROWS, **of):
        yield
        for _, is_session, items, lists in profiles:
            tally.holders[is_session] += items > 0
            tally.lists += lists
        for to in _groups(profiles):
            for row in await db.long_read(ask, "count_items", after=after, to=to, **of):
                tally.add(*row)
            after = to
            yield


def _groups(profiles: Iterable[Row]) -> Iterator[str]:
    """The last of each group of profiles that have about as many items as one step reads."""
    last, size = "", 0
    for id, _, items, _ in profiles:
        if last and size + items > _ROWS:
            yield last
            size = 0
        last = str(id)
        size += items
    yield last


async def _write(
    db: Database, store: Store, tally: Tally, before: Sequence[Count]
) -> AsyncIterator[None]:
    """Stores what has changed. No report shows it before ``_end``."""
    first = before[-1].number + 1 if len(before) == 3 else 1
    place = {"until": first, "product": "", "variant": ""}
    while rows := await db.long_read(ask, "count_rows", store=store.id, limit=_ROWS, **place):
        for until, product, variant, since, *totals in rows:
            tally.of(product, variant).held += (Held(since, until, tuple(totals)),)
        place = {"until": until, "product": product, "variant": variant}
        yield
    changes: list[tuple[Wishes, Sequence[Held]]] = []
    while tally.wishes:
        found = [tally.wishes.popitem()[1] for _ in range(min(_COMPARED, len(tally.wishes)))]
        changes += [(of, now) for of in found if (now := tally.rows(of)) != of.held]
        if len(changes) >= _CHANGED or not tally.wishes:
            await db.write(_change, store, before, changes)
            changes = []
        yield


async def _check_latest(tx: Writer, store: Store, before: Sequence[Count]) -> None:
    """One process after the other. Raises ``Superseded`` if another has counted meanwhile."""
    await tx.one("count_store_lock", store=store.id)
    await stores.check_kept(tx, store)
    if await last(tx, store) != [*before[:1]]:
        raise Superseded


class Superseded(Exception):
    """Another process has ended a count of the store since this one began."""


async def _change(
    tx: Writer, store: Store, before: Sequence[Count], changes: list[tuple[Wishes, Sequence[Held]]]
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


# contract: count-whole
async def _end(tx: Writer, store: Store, before: Sequence[Count], counts: Iterable[Count]) -> None:
    """From now on reports are of this count."""
    await _check_latest(tx, store, before)
    await tx.run_many("count_end", [{"store": store.id, **count._asdict()} for count in counts])


# contract: count-kept
async def _forget(tx: Writer, store: Store, before: str) -> int:
    """Removes what ended before a day. Returns how many rows; a few at a time."""
    await tx.one("count_store_lock", store=store.id)
    await tx.run("counts_forget_days", store=store.id, day=before)
    of = {"store": store.id, "limit": _ROWS}
    ended = await tx.all("counts_forget", **of)
    return len(ended) + len(await tx.all("counts_forget_gone", **of, forever=FOREVER))
