"""Removes sessions past their time, with all that they hold (decisions, section 1)."""

from collections.abc import AsyncIterator

from wishwell import ids
from wishwell.config import Settings
from wishwell.db import Database, Writer

_BATCH = 100
_DAY_MS = 86_400_000
_FIRST = ("", "00000000-0000-0000-0000-000000000000")


async def sessions(db: Database, settings: Settings, now: int) -> AsyncIterator[int]:
    """Purges in small batches; yields how many sessions are gone so far.

    A session's time runs from its last token: until that ends, up to a day later, it is in use, so
    the longer period begins there. One that holds nothing goes by the shorter period.
    """
    idle = ids.timestamp(max(0, now - int((settings.session_days + 1) * _DAY_MS)))
    empty = ids.timestamp(max(0, now - int(settings.empty_session_days * _DAY_MS)))
    empty = max(idle, empty)
    after, removed = _FIRST, 0
    while True:
        rows = await db.read.all("sessions_idle", idle, empty, *after, _BATCH)
        if not rows:
            return
        found = [row[0] for row in rows]
        removed += await db.transaction(_purge, idle, empty, found)
        yield removed
        after = (rows[-1][1], rows[-1][0])


async def _purge(tx: Writer, idle: str, empty: str, found: list[str]) -> int:
    held = [row[0] for row in await tx.all("sessions_lock", found)]
    return len(await tx.all("sessions_purge", idle, empty, held))
