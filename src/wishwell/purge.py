"""Removes sessions past their time, with all that they hold (contract: session-purged)."""

from collections.abc import AsyncIterator, Sequence

import structlog

from wishwell import ids
from wishwell.config import Settings
from wishwell.db import Database, Reader, Row, Writer

_BATCH = 100
_RECORDS = 2_000
"""How many records a step removes at most: what others wait for, and what a transaction's time must
suffice for. A large session takes several steps."""

_DAY_MS = 86_400_000
_FIRST = ("", "00000000-0000-0000-0000-000000000000")
_STEPS = ("purge_entries", "purge_tags", "purge_items", "purge_lists")

log = structlog.get_logger()


async def sessions(db: Database, settings: Settings, now: int) -> AsyncIterator[int]:
    """Purges in small steps; yields after each how many sessions are gone so far.

    A session's time runs from its last token: until that ends, up to a day later, it is in use, so
    the longer period begins there. One that holds nothing goes by the shorter period. One that
    can't be removed is passed over, and named in the log. Raises ``Unavailable``.
    """
    idle = ids.timestamp(max(0, now - int((settings.session_days + 1) * _DAY_MS)))
    empty = ids.timestamp(max(0, now - int(settings.empty_session_days * _DAY_MS)))
    empty = max(idle, empty)
    after, removed = _FIRST, 0
    while True:
        rows = await db.read(_idle, idle, empty, after)
        if not rows:
            return
        gids = {row[0]: row[2] for row in rows}
        terms = (idle, empty, list(gids), ids.timestamp(now))
        try:
            ended, at_once = await db.write(_end_and_step, *terms)
        except Exception:
            await db.ping()
            ended, at_once = await db.write(_end, *terms), None
        removed += at_once or 0
        yield removed
        if at_once is None:
            async for gone in _remove(db, {id: gids[id] for id in ended}):
                removed += gone
                yield removed
        after = (rows[-1][1], rows[-1][0])


async def take_lease(tx: Writer, now: str, before: str) -> bool:
    """Whether this process is to purge now: nobody has since ``before``."""
    return await tx.one("lease_take", "purge", now, before) is not None


async def _idle(tx: Reader, idle: str, empty: str, after: tuple[str, str]) -> Sequence[Row]:
    """Key, time and GID of the next sessions that are past their time."""
    return await tx.all("sessions_idle", idle, empty, *after, _BATCH)


async def _end(tx: Writer, idle: str, empty: str, found: list[str], now: str) -> list[str]:
    """Closes those that are still past their time and that nobody writes to now."""
    held = [row[0] for row in await tx.all("sessions_lock", found)]
    return [row[0] for row in await tx.all("sessions_end", idle, empty, held, now)]


async def _end_and_step(
    tx: Writer, idle: str, empty: str, found: list[str], now: str
) -> tuple[list[str], int | None]:
    """Both in one moment, so that nobody finds items of a session that has ended: unless it is so
    large that it takes several steps."""
    ended = await _end(tx, idle, empty, found, now)
    return ended, await _step(tx, ended) if ended else 0


async def _remove(db: Database, gids: dict[str, str]) -> AsyncIterator[int]:
    """Removes the sessions with these keys; yields after each step how many are gone by it."""
    gone = None if gids else 0
    try:
        while gone is None:
            gone = await db.write(_locked_step, list(gids))
            yield gone or 0
    except Exception as error:
        await db.ping()  # without a database there is nothing to pass over
        if len(gids) == 1:
            log.warning("session_not_purged", profile=next(iter(gids.values())), reason=str(error))
            return
        for id, gid in gids.items():
            async for number in _remove(db, {id: gid}):
                yield number


async def _locked_step(tx: Writer, sessions: list[str]) -> int | None:
    await tx.run("sessions_lock", sessions)
    return await _step(tx, sessions)


async def _step(tx: Writer, sessions: list[str]) -> int | None:
    """Removes some of what the sessions hold, or the rest and themselves: then, how many went."""
    left = _RECORDS
    for statement in _STEPS:
        left -= len(await tx.all(statement, sessions, left))
        if left <= 0:
            return None
    return len(await tx.all("purge_profiles", sessions))
