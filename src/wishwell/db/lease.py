"""Leases: of all processes on a database, one at a time runs a background job.

A lease isn't released. It expires when the job is due again, so a process that was killed holds up
a job for one interval.
"""

from wishwell import ids
from wishwell.db import Writer
from wishwell.db.clock import MAX_JUMP_MS


# rules: session-purged, clock-guard
async def take(tx: Writer, name: str, now: int, interval: int) -> bool:
    """Takes the lease of a job that runs about every ``interval``. Returns whether it was free.

    Both times are in milliseconds. A lease dated further ahead than clocks may differ is free.
    """
    before, wrong = now - interval * 9 // 10, now + MAX_JUMP_MS
    at = {"now": now, "before": before, "ahead": wrong}
    times = {key: ids.timestamp(time) for key, time in at.items()}
    return await tx.one("lease_take", name=name, **times) is not None


async def renew(tx: Writer, name: str, now: int) -> None:
    """Extends a lease during a long run (heartbeat); ``now`` in milliseconds."""
    await tx.run("lease_renew", name=name, now=ids.timestamp(now))
