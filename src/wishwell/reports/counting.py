"""Counts how many wish for each product (contract: count-exact).

A count walks all profiles of a store in small steps and compares what it found with the last one.
What it stores are running totals, from a day on until the next change, so that a period is the
difference of two rows. It reads nothing that a save writes for it: nothing can drift, and what
moves or removes wishes needs no rule here.
"""

import asyncio
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import chain
from typing import Any, NamedTuple

import structlog

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, Writer
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.stores import Store, reporting

ALL = ("", "")
"""In place of a product and its variant: all of them."""

FOREVER = "9999-12-31"
MOST_MONTHS = 25
SMALL = 10_000
"""A store with fewer wishes is counted again sooner."""

SMALL_SECONDS = 60
SHARE = 0.02
"""Of a core's time, at most."""

_PROFILES = 500
_ITEMS = 1_000
"""Rows that one step reads."""

_REST = 4
"""Times as long as a step took, before the next one: others come in between."""

_ROWS = 5_000
_KEYS = 500
"""Products in their variants whose rows one transaction changes."""

log = structlog.get_logger("wishwell.reports.counting")

Key = tuple[str, str]
Totals = tuple[int, int, int]
"""The wishes of customers and of visitors, and how many were added since the first count."""

_NOTHING: Totals = (0, 0, 0)


class Last(NamedTuple):
    """The last count: its day, when it began and ended, and the milliseconds that it took."""

    day: str
    began_at: str
    ended_at: str
    took: int


class Held(NamedTuple):
    """What holds from a day on, until another."""

    day: str
    until: str
    totals: Totals


class Found:
    """What a count has found. ``days``: those whose wishes are still counted as added, in order."""

    def __init__(self, days: Sequence[str], zone: tzinfo) -> None:
        self.days = days
        self._starts = [starts(day, zone) for day in (*days, following(days[-1]))]
        self.wishes: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0])
        self.added: defaultdict[Key, dict[int, int]] = defaultdict(dict)
        self.holders = [0, 0]
        self.lists = 0

    def add(self, key: Key, visitor: int, created_at: str) -> None:
        """Counts a wish; ``visitor`` is 1 for that of a visitor."""
        at = bisect_right(self._starts, created_at) - 1
        for each in (key, ALL):
            self.wishes[each][visitor] += 1
            if 0 <= at < len(self.days):
                added = self.added[each]
                added[at] = added.get(at, 0) + 1

    def rows(self, key: Key, held: Sequence[Held]) -> list[Held]:
        """What holds from now on, given the rows of which the first began before ``days``."""
        before = [row for row in held if row.day < self.days[0]]
        on = {row.day: row.totals for row in held}
        totals = before[0].totals if before else _NOTHING
        changes = [(before[0].day, totals)] if before else []
        for at, day in enumerate(self.days):
            customers, visitors, added = totals
            if at == len(self.days) - 1:
                customers, visitors = self.wishes.get(key, (0, 0))
            elif at == 0 and day in on:  # later rows are of a count that did not end
                customers, visitors, _ = on[day]
            now = (customers, visitors, added + self.added.get(key, {}).get(at, 0))
            if now != totals:
                changes.append((day, now))
                totals = now
        ends = [*(day for day, _ in changes), FOREVER][1:]
        return [Held(day, until, has) for (day, has), until in zip(changes, ends, strict=True)]


def zone(store: Store) -> tzinfo:
    """The time zone of the store's days."""
    return reporting.zone_of(store.reporting)


def is_day(text: str) -> bool:
    """Whether a text is a day as reports have it."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def starts(day: str, zone: tzinfo) -> str:
    """The moment at which a day begins, as records have it."""
    begins = datetime.combine(date.fromisoformat(day), datetime.min.time(), zone)
    return ids.timestamp(int(begins.astimezone(UTC).timestamp() * 1000))


def day_of(now: int, zone: tzinfo) -> str:
    """The day of a time in milliseconds."""
    return datetime.fromtimestamp(now / 1000, zone).date().isoformat()


def following(day: str, days: int = 1) -> str:
    """The day so many days later; earlier, if negative."""
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def _days(first: str, last: str) -> Iterator[str]:
    while first <= last:
        yield first
        first = following(first)


async def last(tx: Reader, store: Store) -> Last | None:
    """The last count of a store."""
    row = await tx.one("count_last", store=store.id)
    return None if row is None else Last(*row)


async def summary(tx: Reader, store: Store, day: str) -> Totals:
    """The totals of all products at the end of a day."""
    row = await tx.one("report_summary", store=store.id, day=day)
    assert row is not None
    return int(row[0]), int(row[1]), int(row[2])


# contract: count-again
def pause(before: Last, count: int, seconds: float) -> float:
    """Milliseconds from one count's end until the next one; ``count`` are the wishes that there
    were, and ``seconds`` is the setting."""
    usual = min(seconds, SMALL_SECONDS) if count < SMALL else seconds
    return max(usual * 1000, before.took / SHARE)


async def due(
    tx: Reader, found: Sequence[Store], now: int, seconds: float
) -> tuple[list[Store], str | None]:
    """The stores that are to be counted again, and when the oldest of all last counts began.

    ``now`` in milliseconds, ``seconds``: the setting.
    """
    again, began = [], []
    for store in found:
        before = await last(tx, store)
        if before is None:
            again.append(store)
            continue
        began.append(before.began_at)
        ended = ids.from_timestamp(before.ended_at)
        count = sum((await summary(tx, store, before.day))[:2])
        # A clock that was set back puts nothing off for long (contract: clock-steps).
        if not 0 <= now - ended < pause(before, count, seconds):
            again.append(store)
    return again, min(began, default=None)


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
    before = await db.long_read(last, store)
    today = day_of(began, zone(store))
    # A clock that was set back, or a zone further west, must not open a day that has ended.
    first = min(before.day, today) if before else today
    if before and before.day > today:
        first = today = before.day
    found, took = Found(list(_days(first, today)), zone(store)), 0.0
    async for seconds in _walk(db, store, found):
        took += seconds
        yield seconds
    async for seconds in _write(db, store, found, before):
        took += seconds
        yield seconds
    await db.write(
        _end, store, found, before, ids.timestamp(began), ids.timestamp(clock()), int(took * 1000)
    )
    while await db.write(_forget, store, _months_before(today, MOST_MONTHS)):
        yield 0.0


async def _walk(db: Database, store: Store, found: Found) -> AsyncIterator[float]:
    """Reads all wishes of the store."""
    after = ids.NO_UUID
    while True:
        started = time.perf_counter()
        named = {"store": store.id, "after": after, "limit": _PROFILES}
        profiles = await db.long_read(_rows, "count_profiles", **named)
        yield time.perf_counter() - started
        if not profiles:
            return
        after = str(profiles[-1][0])
        visitor = {str(id): is_session for id, is_session, _, _ in profiles}
        for _, is_session, items, lists in profiles:
            found.holders[is_session] += items > 0
            found.lists += lists
        for group in _groups(profiles):
            item, full = ids.NO_UUID, True
            while full:
                started = time.perf_counter()
                of = {"profiles": group, "after": item, "limit": _ITEMS}
                rows = await db.long_read(_rows, "count_items", **of)
                for id, profile, product, variant, created_at in rows:
                    found.add((product, variant), visitor[str(profile)], created_at)
                    item = str(id)
                full = len(rows) == _ITEMS
                yield time.perf_counter() - started


async def _rows(tx: Reader, statement: str, /, **named: Any) -> Sequence[Row]:
    return await tx.all(statement, **named)


def _groups(profiles: Iterable[Row]) -> Iterator[list[str]]:
    """Profiles that have about as many items together as one step reads."""
    group: list[str] = []
    size = 0
    for id, _, items, _ in profiles:
        if not items:
            continue
        if group and size + items > _ITEMS:
            yield group
            group, size = [], 0
        group.append(str(id))
        size += items
    if group:
        yield group


async def _write(
    db: Database, store: Store, found: Found, before: Last | None
) -> AsyncIterator[float]:
    """Stores what has changed."""
    started = time.perf_counter()
    held = defaultdict[Key, list[Held]](list)
    async for rows in _held(db, store, found.days[0]):
        for until, product, variant, day, *totals in rows:
            held[product, variant].append(Held(day, until, tuple(totals)))
        yield time.perf_counter() - started
        started = time.perf_counter()
    changes: dict[Key, tuple[list[Held], list[Held]]] = {}
    keys = chain(found.wishes, (key for key in held if key not in found.wishes))
    for number, key in enumerate(keys, 1):
        rows_before = sorted(held.get(key, ()))
        rows_now = found.rows(key, rows_before)
        if rows_now != rows_before:
            changes[key] = (
                [row for row in rows_before if row not in rows_now],
                [row for row in rows_now if row not in rows_before],
            )
        if len(changes) == _KEYS:
            await db.write(_change, store, before, changes)
            changes = {}
        elif number % _ITEMS:
            continue
        yield time.perf_counter() - started
        started = time.perf_counter()
    if changes:
        await db.write(_change, store, before, changes)
    yield time.perf_counter() - started


async def _held(db: Database, store: Store, day: str) -> AsyncIterator[Sequence[Row]]:
    """The rows that hold on a day or later."""
    place = {"until": "", "product": "", "variant": "", "after": ""}
    full = True
    while full:
        named = {"store": store.id, "day": day, "limit": _ROWS}
        rows = await db.long_read(_rows, "count_rows", **named, **place)
        full = len(rows) == _ROWS
        if full:
            place = dict(zip(place, rows[-1], strict=False))
        yield rows


async def _check_latest(tx: Writer, store: Store, before: Last | None) -> None:
    """One process after the other. Raises ``Superseded`` if another has counted meanwhile."""
    await tx.one("count_store_lock", store=store.id)
    await stores.check_kept(tx, store)
    if await last(tx, store) != before:
        raise Superseded


class Superseded(Exception):
    """Another process has ended a count of the store since this one began."""


async def _change(
    tx: Writer, store: Store, before: Last | None, changes: Mapping[Key, tuple[list[Held], ...]]
) -> None:
    await _check_latest(tx, store, before)
    gone, come = [], []
    for (product, variant), (removed, added) in changes.items():
        of = {"store": store.id, "product": product, "variant": variant}
        gone += [{**of, "day": row.day, "until": row.until} for row in removed]
        names = ("customers", "visitors", "added")
        come += [
            {**of, "day": row.day, "until": row.until, **dict(zip(names, row.totals, strict=True))}
            for row in added
        ]
    await tx.run_many("count_row_remove", gone)
    await tx.run_many("count_row_add", come)


async def _end(
    tx: Writer, store: Store, found: Found, before: Last | None, began: str, ended: str, took: int
) -> None:
    await _check_latest(tx, store, before)
    named = dict(zip(("customers", "visitors"), found.holders, strict=True), lists=found.lists)
    times = {"began_at": began, "ended_at": ended, "took": took}
    await tx.run("count_end", store=store.id, day=found.days[-1], **times, **named)


# contract: count-kept
async def _forget(tx: Writer, store: Store, before: str) -> int:
    """Removes what ended before a day. Returns how many rows; a few at a time."""
    await tx.one("count_store_lock", store=store.id)
    await tx.run("counts_forget_days", store=store.id, day=before)
    of = {"store": store.id, "day": before, "limit": _KEYS}
    gone = [await tx.all(name, **of) for name in ("counts_forget", "counts_forget_gone")]
    return sum(map(len, gone))


def _months_before(day: str, months: int) -> str:
    """The first day of the month so many months earlier."""
    year, month = int(day[:4]), int(day[5:7])
    total = year * 12 + month - 1 - months
    return f"{total // 12:04}-{total % 12 + 1:02}-01"
