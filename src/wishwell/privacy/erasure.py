"""Erasure of profiles: hidden in one transaction, then removed in batches.

``erase`` closes the profile, which ends all writes to it, and adds a row to ``erasures``. That row
hides the profile's records and events, and is the job that ``work`` processes; after a kill, the
next ``work`` resumes it. Afterwards the row keeps the key with the last ``sequence``, without the
GID, for ``KEPT_DAYS`` at least.
"""

import calendar
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime

import structlog

from wishwell import events, ids, profiles, stores
from wishwell.access import auth
from wishwell.db import Database, Reader, Writer, journal, run_statement
from wishwell.db.journal import Act
from wishwell.errors import Unavailable
from wishwell.jobs import Job, Run
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.wishlists import purge

KEPT_DAYS = 30

_BATCH_SIZE = 100

_PAUSE_SECONDS = 0.02

log = structlog.get_logger()


# rules: erase-immediate, erase-event, privacy-requests
async def erase(tx: Writer, profile: Profile, now: int, idle_before: str = "") -> Sequence[str]:
    """Erases a profile: from the commit on its data is hidden, and its tokens are refused.

    ``now`` in milliseconds. With ``idle_before`` erases only a customer without a request since
    then; tokens issued before have expired. Returns the keys of the profiles to remove: this one
    and the sessions that were linked to it; empty if it has no data or is already being erased.
    Raises ``profiles.missing`` for an unknown or closed session.
    """
    at, key, store = ids.timestamp(now), profile.id, profile.store
    row = await tx.one("profile_lock", profile=key)
    await tx.all("in_turn")
    if profile.is_session and (row is None or row[0] is not None):
        raise profiles.missing(profile)
    if not idle_before:
        await auth.revoke(tx, profile, now)
    elif await tx.one("customer_idle", profile=key, before=idle_before) is None:
        return ()
    await tx.run("requests_erase", store=store.id, profile=key, now=at)
    if row is None or row[0] is not None:
        return ()
    sessions = {row[0]: row[1] for row in await tx.all("erasure_linked", profile=key)}
    if events.events_enabled(profile) or await tx.one("store_has_events", store=store.id):
        await events.record_event_always(tx, key, at, events.ERASED, b"{}")
    [last] = await tx.all("profile_end", profile=key, now=at, removed=profiles.REMOVED)
    act = Act(action="profile.erased", store=store.handle, store_id=store.id, profile=key)
    act.created, act.sessions = last[1], sessions
    await tx.record(act)
    sequences = {**dict.fromkeys(sessions, 0), key: last[0]}
    for id, sequence in sequences.items():
        await tx.run("erasure_begin", profile=id, store=store.id, sequence=sequence, now=at)
    return [*sequences]


async def linked(tx: Reader, profile: Profile) -> list[str]:
    """Returns the keys of the sessions that were linked to a customer and aren't purged yet."""
    return [row[0] for row in await tx.all("erasure_linked", profile=profile.id)]


async def is_under_way(tx: Reader, key: str) -> bool:
    """Returns whether a profile's data is still being removed."""
    return await tx.one("erasure_waits", profile=key) is not None


# rule: erase-completes
async def work(
    db: Database, clock: Callable[[], int], failed: set[str] | None = None
) -> AsyncIterator[int]:
    """Removes the data of erased profiles in batches. Yields how many profiles are removed so far.

    A profile that can't be removed is skipped, logged and added to ``failed``; the next run retries
    it. Raises ``Unavailable``.
    """
    failed = set() if failed is None else failed
    gone = 0
    while True:
        waiting = await db.read(run_statement, "erasures_waiting", limit=_BATCH_SIZE + len(failed))
        left = [(key, store) for key, store in waiting if key not in failed]
        if not left:
            return
        for key, store_id in left:
            try:
                while not await db.write(remove_batch, key, store_id, clock()):
                    yield gone
            except Exception as error:
                await db.ping()  # raises if the database is the cause
                if isinstance(error, Unavailable):
                    raise
                failed.add(key)
                log.warning("profile_not_erased", key=key, reason=str(error))
                continue
            gone += 1
            yield gone


async def remove_batch(tx: Writer, key: str, store_id: str, now: int) -> bool:
    """Removes a batch of an erased profile's data. Returns whether that was the last."""
    await tx.one("profile_lock", profile=key)
    await tx.all("in_turn")
    if not await is_under_way(tx, key):
        return True
    most = purge.MAX_RECORDS
    left = most - len(await tx.all("erasure_events", profile=key, limit=most))
    for (webhook,) in await tx.all("erasure_webhooks", store=store_id) if left else ():
        # Under the webhook's lock: a batch that has read the events has added its deliveries.
        await tx.one("webhook_lock", store=store_id, id=webhook)
        named = {"store": store_id, "webhook": webhook, "profile": key}
        left -= len(await tx.all("erasure_deliveries", **named, limit=max(left, 0)))
    if left <= 0 or await purge.remove_batch(tx, [key]) is None:
        return False
    await tx.run("erasure_done", profile=key, now=ids.timestamp(now))
    await tx.run("erasure_forget", profile=key)
    return True


# rule: forget-customers
async def idle(
    db: Database, now: int, *, dry: bool = False
) -> AsyncIterator[tuple[Profile, Sequence[str]]]:
    """Erases inactive customers, those past their store's retention period.

    Yields each customer with the result of ``erase``; with ``dry`` only finds them. Raises
    ``Unavailable``.
    """
    for store in await db.read(stores.listed):
        if store.forget_since is None:
            continue
        before = _idle_before(store, now)
        if store.forget_since > before:
            continue
        named = {"store": store.id, "before": before, "limit": _BATCH_SIZE}
        after = {"after_time": "", "after": ids.NO_UUID}
        while rows := await db.read(run_statement, "customers_idle", **named, **after):
            after = {"after_time": rows[-1][1], "after": rows[-1][0]}
            for _, _, gid in rows:
                customer = profiles.of_customer(store, gid)
                erased = () if dry else await db.long_write(_erase_idle, customer, now)
                if dry or erased:
                    yield customer, erased


async def _erase_idle(tx: Writer, customer: Profile, now: int) -> Sequence[str]:
    return await erase(tx, customer, now, _idle_before(customer.store, now))


def _idle_before(store: Store, now: int) -> str:
    """Returns the limit: a customer whose last request was before it is inactive."""
    return ids.timestamp(max(0, months_before(now, store.forget_customers_after or 0)))


def months_before(now: int, months: int) -> int:
    """Returns the same time ``months`` months earlier, on the month's last day if it is shorter."""
    at = datetime.fromtimestamp(now / 1000, UTC)
    year, month = divmod(at.year * 12 + at.month - 1 - months, 12)
    day = min(at.day, calendar.monthrange(year, month + 1)[1])
    return round(at.replace(year=year, month=month + 1, day=day).timestamp() * 1000)


# rule: erase-event
async def forget(tx: Writer, events_days: float, now: int) -> None:
    """Deletes the stored last sequence numbers of profiles erased long ago. Each outlives its event
    ``profile.erased``, which is kept for ``events_days``."""
    days = max(KEPT_DAYS, events_days + 1)
    await tx.run("erasures_forget", before=ids.timestamp(max(0, round(now - days * ids.DAY_MS))))


async def waiting(tx: Reader) -> tuple[int, str | None]:
    """Returns the backlog: how many profiles are being removed, and since when the oldest is."""
    [row] = await tx.all("erasures_waiting_count")
    return row[0], row[1]


# rule: forget-customers
async def remove_idle(run: Run, now: int) -> AsyncIterator[None]:
    """Erases inactive customers and forgets old erasures: a step of the job ``purge``."""
    from wishwell.telemetry import metrics  # slow to import, and commands don't need it

    journal.actor.set("purge")
    async for _ in idle(run.db, now):
        metrics.ERASED.inc()
        yield
    await run.db.write(forget, run.settings.events_days, now)


async def _has_erased(run: Run) -> bool:
    return bool(run.access_cache.erased)


# rule: erase-completes
async def _work(run: Run) -> None:
    failed = set[str]()
    async for _ in work(run.db, run.clock, failed):
        await run.pause(_PAUSE_SECONDS)
    purge.check_removed(failed)


JOB = Job("erasing", 1.0, _work, lease_seconds=5.0, is_due=_has_erased)
