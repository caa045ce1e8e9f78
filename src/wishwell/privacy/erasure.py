"""Erasure of profiles: hidden in one transaction, then removed in batches.

``erase`` closes the profile, which ends all writes to it, and adds a row to ``erasures``. That row
hides the profile's records and events, and is the job that ``remove_erased`` processes; after a
kill, the next ``remove_erased`` resumes it. Afterwards the row keeps the key with the last
``sequence``, without the GID, for ``RETENTION_DAYS`` at least.
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

RETENTION_DAYS = 30

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
    erased_at, key, store = ids.timestamp(now), profile.id, profile.store
    row = await tx.one("profile_lock", profile=key)
    is_open = row is not None and row[0] is None
    await tx.all("in_turn")
    if profile.is_session and not is_open:
        raise profiles.missing(profile)
    if not idle_before:
        await auth.revoke(tx, profile, now)
    elif await tx.one("customer_idle", profile=key, before=idle_before) is None:
        return ()
    await tx.run("requests_erase", store=store.id, profile=key, now=erased_at)
    if not is_open:
        return ()
    creation_by_session = {row[0]: row[1] for row in await tx.all("erasure_linked", profile=key)}
    if events.events_enabled(profile) or await tx.one("store_has_events", store=store.id):
        await events.record_event_always(tx, key, erased_at, events.ERASED, b"{}")
    [(last_sequence, created_at)] = await tx.all(
        "profile_end", profile=key, now=erased_at, removed=profiles.REMOVED
    )
    act = Act(action="profile.erased", store=store.handle, store_id=store.id, profile=key)
    act.created, act.sessions = created_at, creation_by_session
    await tx.record(act)
    last_sequences = {**dict.fromkeys(creation_by_session, 0), key: last_sequence}
    for profile_id, sequence in last_sequences.items():
        await tx.run(
            "erasure_begin", profile=profile_id, store=store.id, sequence=sequence, now=erased_at
        )
    return [*last_sequences]


async def find_linked_sessions(tx: Reader, profile: Profile) -> list[str]:
    """Returns the keys of the sessions that were linked to a customer and aren't purged yet."""
    return [row[0] for row in await tx.all("erasure_linked", profile=profile.id)]


async def is_under_way(tx: Reader, key: str) -> bool:
    """Returns whether a profile's data is still being removed."""
    return await tx.one("erasure_waits", profile=key) is not None


# rule: erase-completes
async def remove_erased(
    db: Database, clock: Callable[[], int], failed_keys: set[str] | None = None
) -> AsyncIterator[int]:
    """Removes the data of erased profiles in batches. Yields how many profiles are removed so far.

    A profile that can't be removed is skipped, logged and added to ``failed_keys``; the next run
    retries it. Raises ``Unavailable``.
    """
    failed_keys = set() if failed_keys is None else failed_keys
    removed_count = 0
    while True:
        rows = await db.read(
            run_statement, "erasures_waiting", limit=_BATCH_SIZE + len(failed_keys)
        )
        pending_profiles = [(key, store_id) for key, store_id in rows if key not in failed_keys]
        if not pending_profiles:
            return
        for key, store_id in pending_profiles:
            try:
                while not await db.write(remove_batch, key, store_id, clock()):
                    yield removed_count
            except Exception as error:
                await db.ping()  # raises if the database is the cause
                if isinstance(error, Unavailable):
                    raise
                failed_keys.add(key)
                log.warning("profile_not_erased", key=key, reason=str(error))
                continue
            removed_count += 1
            yield removed_count


async def remove_batch(tx: Writer, key: str, store_id: str, now: int) -> bool:
    """Removes a batch of an erased profile's data. Returns whether that was the last."""
    await tx.one("profile_lock", profile=key)
    await tx.all("in_turn")
    if not await is_under_way(tx, key):
        return True
    removed_events = await tx.all("erasure_events", profile=key, limit=purge.MAX_RECORDS)
    capacity = purge.MAX_RECORDS - len(removed_events)
    for (webhook_id,) in await tx.all("erasure_webhooks", store=store_id) if capacity else ():
        # Under the webhook's lock: a batch that has read the events has added its deliveries.
        await tx.one("webhook_lock", store=store_id, id=webhook_id)
        params = {"store": store_id, "webhook": webhook_id, "profile": key}
        capacity -= len(await tx.all("erasure_deliveries", **params, limit=max(capacity, 0)))
    if capacity <= 0 or await purge.remove_batch(tx, [key]) is None:
        return False
    await tx.run("erasure_done", profile=key, now=ids.timestamp(now))
    await tx.run("erasure_forget", profile=key)
    return True


# rule: forget-customers
async def erase_idle(
    db: Database, now: int, *, dry: bool = False
) -> AsyncIterator[tuple[Profile, Sequence[str]]]:
    """Erases inactive customers, those past their store's retention period.

    Yields each customer with the result of ``erase``; with ``dry`` only finds them. Raises
    ``Unavailable``.
    """
    for store in await db.read(stores.listed):
        if store.forget_since is None:
            continue
        idle_before = _compute_idle_before(store, now)
        if store.forget_since > idle_before:
            continue
        params = {"store": store.id, "before": idle_before, "limit": _BATCH_SIZE}
        cursor = {"after_time": "", "after": ids.NO_UUID}
        while rows := await db.read(run_statement, "customers_idle", **params, **cursor):
            cursor = {"after_time": rows[-1][1], "after": rows[-1][0]}
            for _, _, gid in rows:
                customer = profiles.of_customer(store, gid)
                erased_keys = () if dry else await db.long_write(_erase_if_idle, customer, now)
                if dry or erased_keys:
                    yield customer, erased_keys


async def _erase_if_idle(tx: Writer, customer: Profile, now: int) -> Sequence[str]:
    return await erase(tx, customer, now, _compute_idle_before(customer.store, now))


def _compute_idle_before(store: Store, now: int) -> str:
    """Returns the limit: a customer whose last request was before it is inactive."""
    return ids.timestamp(max(0, subtract_months(now, store.forget_customers_after or 0)))


def subtract_months(now: int, months: int) -> int:
    """Returns the same time ``months`` months earlier, on the month's last day if it is shorter."""
    date = datetime.fromtimestamp(now / 1000, UTC)
    year, month = divmod(date.year * 12 + date.month - 1 - months, 12)
    day = min(date.day, calendar.monthrange(year, month + 1)[1])
    return round(date.replace(year=year, month=month + 1, day=day).timestamp() * 1000)


# rule: erase-event
async def forget_old(tx: Writer, events_days: float, now: int) -> None:
    """Deletes the stored last sequence numbers of profiles erased long ago. Each outlives its event
    ``profile.erased``, which is kept for ``events_days``."""
    retention_days = max(RETENTION_DAYS, events_days + 1)
    await tx.run(
        "erasures_forget", before=ids.timestamp(max(0, round(now - retention_days * ids.DAY_MS)))
    )


async def read_backlog(tx: Reader) -> tuple[int, str | None]:
    """Returns the backlog: how many profiles are being removed, and since when the oldest is."""
    [row] = await tx.all("erasures_waiting_count")
    return row[0], row[1]


# rule: forget-customers
async def purge_idle_customers(run: Run, now: int) -> AsyncIterator[None]:
    """Erases inactive customers and forgets old erasures: a step of the job ``purge``."""
    from wishwell.telemetry import metrics  # slow to import, and commands don't need it

    journal.actor.set("purge")
    async for _ in erase_idle(run.db, now):
        metrics.ERASED.inc()
        yield
    await run.db.write(forget_old, run.settings.events_days, now)


async def _has_erased_profiles(run: Run) -> bool:
    return bool(run.access_cache.erased)


# rule: erase-completes
async def _run_job(run: Run) -> None:
    failed_keys = set[str]()
    async for _ in remove_erased(run.db, run.clock, failed_keys):
        await run.pause(_PAUSE_SECONDS)
    purge.check_removed(failed_keys)


JOB = Job("erasing", 1.0, _run_job, lease_seconds=5.0, is_due=_has_erased_profiles)
