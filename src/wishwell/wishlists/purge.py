"""Removes expired sessions with all their records (rule: session-purged)."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import structlog

from wishwell import ids, profiles
from wishwell.config import Settings
from wishwell.db import Database, Row, Writer, run_statement
from wishwell.errors import Unavailable
from wishwell.jobs import Run
from wishwell.wishlists import item_life, reservation_rows

_BATCH_SIZE = 100
_MAILED_DAYS = 365
"""Days after its last use that a session lives that gets mails."""

MAX_RECORDS = 2_000
"""Limit of records that one batch removes, because other writes wait for it and a transaction has a
time limit. A large session takes several batches."""

DELETE_STATEMENTS = (
    *("purge_entries", "purge_item_tags", "purge_items", "purge_lists"),
    *("purge_share_tokens", "purge_shares", *item_life.PURGE_STATEMENTS),
)

log = structlog.get_logger()


# rule: session-purged
async def sessions(
    db: Database,
    settings: Settings,
    now: int,
    *,
    dry: bool = False,
    failed: set[str] | None = None,
) -> AsyncIterator[int]:
    """Purges in batches. Yields after each batch how many sessions were removed so far.

    The longer period starts when the session's last token expires, up to a day after it was
    issued. The shorter period, from the last token on, is for sessions without records. A session
    that can't be removed is skipped, logged and added to ``failed``. With ``dry`` it only counts
    them. Raises ``Unavailable``.
    """
    terms = _expiry_times(settings, now) | {"limit": _BATCH_SIZE}
    after, removed = {"after_time": "", "after": ids.NO_UUID}, 0
    failed = set() if failed is None else failed
    while rows := await db.read(run_statement, "sessions_idle", **terms, **after):
        after = {"after_time": rows[-1][1], "after": rows[-1][0]}
        if dry:
            removed += len(rows)
            yield removed
            continue
        gids = {row[0]: row[2] for row in rows}
        expired = await db.write(close_expired, settings, list(gids), now)
        async for count in _remove(db, {id: gids[id] for id in expired}, failed):
            removed += count
            yield removed


# rule: session-purged
async def remove_expired(run: Run, now: int) -> AsyncIterator[None]:
    """Purges in batches: a step of the job ``purge``."""
    from wishwell.telemetry import metrics  # slow to import, and commands don't need it

    removed, failed = 0, set[str]()
    async for total in sessions(run.db, run.settings, now, failed=failed):
        metrics.PURGED.inc(total - removed)
        removed = total
        yield
    if removed:
        log.info("purged", sessions=removed)
    check_removed(failed)
    metrics.PURGE_FINISHED.set_to_current_time()


def _expiry_times(settings: Settings, now: int) -> dict[str, Any]:
    """Returns the times before which a session was last used that has expired: ``gone_before``;
    ``empty_before`` without records; ``mailed_before`` with notices by mail."""
    idle = ids.timestamp(max(0, now - int((settings.session_days + 1) * ids.DAY_MS)))
    empty = ids.timestamp(max(0, now - int(settings.empty_session_days * ids.DAY_MS)))
    mailed = ids.timestamp(max(0, now - _MAILED_DAYS * ids.DAY_MS))
    return {
        "gone_before": idle,
        "empty_before": max(idle, empty),
        "mailed_before": min(idle, mailed),
    }


async def close_expired(tx: Writer, settings: Settings, expired: list[str], now: int) -> list[str]:
    """Closes the sessions that are still expired and that no other transaction has locked, which
    hides their records. Returns their keys."""
    locked = [row[0] for row in await _lock(tx, expired)]
    terms = _expiry_times(settings, now)
    terms |= {"now": ids.timestamp(now), "removed": profiles.REMOVED}
    return [row[0] for row in await tx.all("sessions_end", profiles=locked, **terms)]


async def _lock(tx: Writer, sessions: list[str]) -> Sequence[Row]:
    """Locks the sessions that no other transaction has locked. Returns their keys."""
    return await tx.all_many("session_lock", [{"profile": id} for id in sessions])


# rule: session-purged
async def _remove(db: Database, gids: dict[str, str], failed: set[str]) -> AsyncIterator[int]:
    """Removes these sessions, given as key and GID. Yields after each batch how many it removed.
    Adds those that can't be removed to ``failed``."""
    removed = None if gids else 0
    try:
        while removed is None:
            removed = await db.write(remove_batch, list(gids))
            yield removed or 0
    except Exception as error:
        await db.ping()  # raises if the database is the cause
        if len(gids) == 1:
            failed.update(gids)
            log.warning("session_not_purged", profile=next(iter(gids.values())), reason=str(error))
            return
        for id, gid in gids.items():
            async for number in _remove(db, {id: gid}, failed):
                yield number


# rule: erase-completes
def check_removed(failed: set[str]) -> None:
    """Raises ``Unavailable`` if there are keys of profiles, or ids of requests, that failed."""
    if failed:
        raise Unavailable(f"{len(failed):,} can't be removed yet; the log says why.")


async def remove_batch(tx: Writer, sessions: list[str]) -> int | None:
    """Removes a batch of these profiles' records, and with the last batch the profiles.

    Returns how many profiles it removed, or ``None`` while records remain.
    """
    await _lock(tx, sessions)
    remaining = MAX_RECORDS - await reservation_rows.purge(tx, sessions, MAX_RECORDS)
    for statement in DELETE_STATEMENTS:
        if remaining > 0:
            remaining -= len(await tx.all(statement, profiles=sessions, limit=remaining))
    if remaining <= 0:
        return None
    return len(await tx.all("purge_profiles", profiles=sessions))
