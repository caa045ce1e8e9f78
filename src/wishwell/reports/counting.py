"""Counts the wishes for each product of a store (rule: count-exact).

A count reads all profiles of a store, then all wishes in the order of their products, in batches,
and compares each product with the last count. So it needs memory for some products only. It doesn't
rely on counters that saves maintain, so nothing can drift, and code that moves or removes
wishes has nothing to update.
"""

import contextlib
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, Writer, run_statement
from wishwell.db.clock import MAX_JUMP_MS, ClockSuspect, ReferenceClock
from wishwell.reports.tally import (
    FOREVER,
    Count,
    CountDetails,
    StoredTotals,
    Tally,
    Wishes,
    kept_from,
)
from wishwell.stores import Store
from wishwell.stores.reporting import day_of

_START_ROWS, _ROWS_PER_WRITE = 400, 3
"""The rows whose reading costs as much as a count's start, and as a write."""

_BATCH_SIZE = 250
"""Rows that one batch reads, so that no request waits for long."""

_AFTER_ALL_IDS = chr(0x10FFFF)
"""A text after the ids of all products."""

_MAX_VARIANTS_PER_WRITE = 50
"""Products and variants that one transaction writes."""

ALL_DAYS = 10_000
"""More days than are retained."""


async def last(tx: Reader, store: Store, day: str = "9999-12-31", days: int = 1) -> list[Count]:
    """Returns the counts of the last ``days`` days until ``day``, the newest first."""
    return [Count(*row) for row in await tx.all("counts_until", store=store.id, day=day, days=days)]


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
    last_counts = await db.batch_read(last, store, days=3)
    today = day_of(began, store.reporting.zone)
    try:
        await db.read(clock.checked_now)
    except ClockSuspect:
        today = last_counts[0].day if last_counts else today
    oldest = await db.batch_read(_oldest_day, store, last_counts, today)
    tally = Tally(last_counts, today, store.reporting.zone, ids.timestamp(began), oldest)
    yield _START_ROWS
    for batches in (
        _count_holders(db, store, tally),
        _count_products(db, store, tally, last_counts),
    ):
        async for rows in batches:
            yield rows
    ended = began + round((time.monotonic() - uptime) * 1000)
    counts = tally.counts(last_counts, ids.timestamp(began), ids.timestamp(ended))
    await db.write(finish, store, last_counts, counts, tally.details())
    with contextlib.suppress(ClockSuspect):
        while removed := await db.write(_remove_ended_rows, store, clock):
            yield removed * _ROWS_PER_WRITE


# rule: count-days
async def _oldest_day(tx: Reader, store: Store, last_counts: Sequence[Count], today: str) -> str:
    """Returns the day of the oldest wish if it is before today and no other day has a count with
    wishes, for example after an import into a new store; else ''."""

    def are_empty(counts: Iterable[Count]) -> bool:
        return not any(count.wishes for count in counts if count.day != today)

    if not are_empty(last_counts) or not are_empty(await last(tx, store, days=ALL_DAYS)):
        return ""
    oldest = await tx.one("count_oldest", store=store.id)
    day = today if oldest is None else day_of(ids.from_timestamp(oldest[0]), store.reporting.zone)
    return day if day < today else ""


async def _count_holders(db: Database, store: Store, tally: Tally) -> AsyncIterator[int]:
    """Counts the store's profiles with wishes, and their lists, in batches."""
    last_id = ids.NO_UUID
    number = 1
    while number:
        number, groups = await _count_profiles(db, store, tally, last_id)
        if number:
            yield number
        for group_end in groups:
            if tally.is_dated:
                params = {"store": store.id, "after": last_id, "to": group_end}
                dates = await db.batch_read(run_statement, "count_dates", **params)
                for row in dates:
                    tally.add_date(*row)
                yield len(dates)
            last_id = group_end


async def _count_profiles(
    db: Database, store: Store, tally: Tally, last_id: str
) -> tuple[int, list[str]]:
    """Counts the next profiles. Returns their number, and their groups."""
    params = {"store": store.id, "after": last_id, "limit": _BATCH_SIZE}
    profiles = await db.batch_read(run_statement, "count_profiles", **params)
    for key, is_session, items, lists in profiles:
        tally.add_holder(str(key), is_session, items)
        tally.lists += lists
    return len(profiles), list(_group_ends(profiles)) if profiles else []


def _group_ends(profiles: Iterable[Row]) -> Iterator[str]:
    """Groups profiles by about as many items as one batch reads. Yields each group's last key."""
    last_id, items_in_group = "", 0
    for id, _, items, _ in profiles:
        if last_id and items_in_group + items > _BATCH_SIZE:
            yield last_id
            items_in_group = 0
        last_id = str(id)
        items_in_group += items
    yield last_id


class _Position(NamedTuple):
    """How far a count has read: the last item, the last product compared, and the rows read."""

    product: str = ""
    id: str = ids.NO_UUID
    compared: str = ""
    rows: int = 0


async def _count_products(
    db: Database, store: Store, tally: Tally, last_counts: Sequence[Count]
) -> AsyncIterator[int]:
    """Counts the store's wishes by product, and stores the changed rows. No report shows them
    before ``finish``.

    Between batches, the tally has at most one product and no rows are kept, because all stores that
    are due wait for their next batch at the same time.
    """
    position = _Position()
    while position.compared < _AFTER_ALL_IDS:
        position = await _count_next_products(db, store, tally, last_counts, position)
        yield position.rows


async def _count_next_products(
    db: Database, store: Store, tally: Tally, last_counts: Sequence[Count], position: _Position
) -> _Position:
    """Reads the next items, and the products with stored rows among theirs. Compares the products
    that are complete."""
    items, end_product, stored_products = await _read_products(db, store, position)
    is_complete = len(stored_products) < _BATCH_SIZE
    last_product, last_id, compared, _ = position
    for product, variant, item, visitor, created_at, units, saved_price in items:
        if is_complete or product <= stored_products[-1]:
            tally.add(product, variant, visitor, created_at, units, saved_price)
            last_product, last_id = product, item
    products = {
        product
        for product in (*stored_products, *tally.wishes)
        if (product < end_product if is_complete else product <= stored_products[-1])
    }
    compared = (
        _AFTER_ALL_IDS
        if is_complete and end_product == _AFTER_ALL_IDS
        else max(products, default=compared)
    )
    rows = await _complete_products(db, store, tally, last_counts, sorted(products))
    return _Position(
        last_product,
        last_id,
        compared,
        len(items) + len(stored_products) + rows,
    )


async def _read_products(
    db: Database, store: Store, position: _Position
) -> tuple[Sequence[Row], str, list[str]]:
    """Returns the next items, the product up to which they were read, and the products before it
    that have stored rows."""
    params = {"store": store.id, "limit": _BATCH_SIZE}
    from_position = {"product": position.product, "id": position.id}
    items = await db.batch_read(run_statement, "count_items", **params, **from_position)
    end_product = items[-1][0] if len(items) == _BATCH_SIZE else _AFTER_ALL_IDS
    params |= {"after": position.compared, "end": end_product, "forever": FOREVER}
    rows = await db.batch_read(run_statement, "count_products", **params)
    return items, end_product, [row[0] for row in rows]


async def _complete_products(
    db: Database, store: Store, tally: Tally, last_counts: Sequence[Count], products: list[str]
) -> int:
    """Stores the changed rows of these products, adds their value, and takes them from the tally.
    Returns the rows read for the value, plus a few for each changed variant."""
    first = last_counts[-1].number + 1 if len(last_counts) == 3 else 1
    params = {"store": store.id, "products": products, "first": first}
    for until, product, variant, since, *totals in await db.batch_read(
        run_statement, "count_rows_of", **params
    ):
        tally.wishes_for(product, variant).stored_rows += (
            StoredTotals(since, until, tuple(totals)),
        )
    variants = [wishes for product in products for wishes in tally.wishes.pop(product, {}).values()]
    changes = [
        (wishes, new_rows)
        for wishes in variants
        if (new_rows := tally.rows(wishes)) != wishes.stored_rows
    ]
    rows = await _add_value(db, store, tally, variants)
    for start in range(0, len(changes), _MAX_VARIANTS_PER_WRITE):
        await db.write(
            _write_changes, store, last_counts, changes[start : start + _MAX_VARIANTS_PER_WRITE]
        )
    return rows + len(changes) * _ROWS_PER_WRITE


# rule: report-value
async def _add_value(db: Database, store: Store, tally: Tally, variants: Iterable[Wishes]) -> int:
    """Adds the value of these wishes at the current prices. Returns the rows read."""
    units_by_key = {
        (wishes.product, wishes.variant): wishes.units for wishes in variants if wishes.units
    }
    keys, number = [*units_by_key], 0
    for start in range(0, len(keys), _BATCH_SIZE):
        products, wished_variants = map(list, zip(*keys[start : start + _BATCH_SIZE], strict=True))
        params = {"store": store.id, "products": products, "variants": wished_variants}
        rows = await db.batch_read(run_statement, "products_varied", **params)
        tally.value.add(units_by_key, rows)
        number += len(rows)
    return number


async def _check_latest(tx: Writer, store: Store, last_counts: Sequence[Count]) -> None:
    """Locks the store. Raises ``Superseded`` if another process has counted it in the meantime."""
    await tx.one("store_write_lock", store=store.id)
    await stores.check_not_deleting(tx, store)
    if await last(tx, store) != [*last_counts[:1]]:
        raise Superseded


class Superseded(Exception):
    """Another process has finished a count of the store since this one began."""


async def _write_changes(
    tx: Writer,
    store: Store,
    last_counts: Sequence[Count],
    changes: Sequence[tuple[Wishes, Sequence[StoredTotals]]],
) -> None:
    await _check_latest(tx, store, last_counts)
    removed_rows, written_rows = [], []
    for wishes, new_rows in changes:
        key = {"store": store.id, "product": wishes.product, "variant": wishes.variant}
        ends = {row.until for row in new_rows}
        removed_rows += [
            {**key, "until": row.until} for row in wishes.stored_rows if row.until not in ends
        ]
        names = ("customers", "visitors", "added")
        written_rows += [
            {**key, "since": row.since, "until": row.until}
            | dict(zip(names, row.totals, strict=True))
            for row in new_rows
            if row not in wishes.stored_rows
        ]
    await tx.run_many("count_row_remove", removed_rows)
    await tx.run_many("count_row_put", written_rows)


# rule: count-exact
async def finish(
    tx: Writer,
    store: Store,
    last_counts: Sequence[Count],
    counts: Sequence[Count],
    details: CountDetails,
) -> None:
    """Stores the counts, which reports use from now on, and the details of the last one."""
    await _check_latest(tx, store, last_counts)
    await tx.run_many("count_end", [{"store": store.id, **count._asdict()} for count in counts])
    encoded = msgspec.json.encode(details).decode()
    await tx.run("count_set_details", store=store.id, day=counts[-1].day, details=encoded)


_decode_details = msgspec.json.Decoder(CountDetails).decode


async def last_details(tx: Reader, store: Store) -> CountDetails:
    """Returns the details of the last count."""
    row = await tx.one("count_details", store=store.id)
    return _decode_details(row[0]) if row and row[0] else CountDetails()


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
async def _remove_ended_rows(tx: Writer, store: Store, clock: ReferenceClock) -> int:
    """Removes a batch of rows that ended more than 25 months ago. Returns how many. Raises
    ``ClockSuspect``."""
    await tx.one("store_write_lock", store=store.id)
    before = kept_from(day_of(await clock.checked_now(tx), store.reporting.zone))
    await tx.run("counts_forget_days", store=store.id, day=before)
    params = {"store": store.id, "limit": _BATCH_SIZE}
    ended = await tx.all("counts_ended", **params)
    without_wishes = await tx.all("counts_gone", **params, forever=FOREVER)
    columns = ("until", "product", "variant")
    rows = [
        {"store": store.id, **dict(zip(columns, row, strict=True))}
        for row in (*ended, *without_wishes)
    ]
    await tx.run_many("count_row_remove", rows)
    return len(rows)
