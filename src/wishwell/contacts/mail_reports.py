"""What a shop learns of its mails: why they wait, and how many of each day are in which state."""

from datetime import date, timedelta

import msgspec
from msgspec import UNSET

from wishwell import field_types as types
from wishwell import ids, stores
from wishwell.contacts import confirmations, queue, retention, store_mails
from wishwell.db import Reader
from wishwell.stores import Store, StoreView, reporting
from wishwell.stores.mailing import MailStatus


# rules: store-settings, mail-paused
async def show_store(tx: Reader, store: Store, now: str) -> StoreView:
    """Returns a store with the status of its mails."""
    state = await store_mails.find(tx, store.id)
    mail = MailStatus(
        **msgspec.structs.asdict(store.mail),
        paused_at=state.paused_at or UNSET,
        problem=(state.problem if state.paused_at else await _find_problem(tx, store, now))
        or UNSET,
    )
    return StoreView(**msgspec.structs.asdict(store) | {"mail": mail})


async def list_stores(tx: Reader, now: str) -> list[StoreView]:
    """Returns all stores with the status of their mails."""
    return [await show_store(tx, store, now) for store in await stores.listed(tx)]


# rules: mail-limits, mail-confirm
async def _find_problem(tx: Reader, store: Store, now: str) -> str:
    """Returns why mails wait that aren't paused, or ''."""
    if not store.mail.mail_on:
        return ""
    if not store.active:
        return "The store is off, so its mails wait; turn it on with `wishwell store update --on`."
    is_due = await queue.due_since(tx, store, now) is not None
    if is_due and await queue.count_remaining(tx, store, now) <= 0:
        return f"The day's {store.mail.mail_limit:,} mails (--mail-limit) are sent; others wait."
    if await confirmations.are_paused(tx, store, now):
        return "So few addresses were confirmed lately that no confirmations are sent for a week."
    return ""


class MailDay(msgspec.Struct):
    """The mails that were created on a day, by what has become of them."""

    day: types.DayDate
    sent: types.Count = 0
    waiting: types.Count = 0
    """Waiting, or being sent."""
    failed: types.Count = 0
    cancelled: types.Count = 0
    unsubscribed: types.Count = 0
    """The number of addresses that were unsubscribed on this day, and still are."""


# rule: mail-retention
async def list_days(tx: Reader, store: Store, now: int) -> list[MailDay]:
    """Returns the last 30 days of a store's mails, today last. ``now``: milliseconds."""
    zone = store.reporting.zone
    today = date.fromisoformat(reporting.day_of(now, zone))
    days = [(today - timedelta(days=n)).isoformat() for n in range(retention.MAIL_DAYS)]
    rows_by_day = {day: MailDay(day) for day in reversed(days)}
    since = ids.timestamp(max(0, now - (retention.MAIL_DAYS + 1) * ids.DAY_MS))
    for minute, state, count in await tx.all("mails_by_minute", store=store.id, since=since):
        at = ids.from_timestamp(f"{minute}:00.000Z")
        row = rows_by_day.get(reporting.day_of(at, zone))
        if row is not None:
            name = "waiting" if state == "sending" else state
            setattr(row, name, getattr(row, name) + count)
    return [*rows_by_day.values()]


async def count_states(tx: Reader, store: Store) -> dict[str, int]:
    """Returns the number of the store's mails by state."""
    return dict(await tx.all("mails_count", store=store.id))  # type: ignore[arg-type]
