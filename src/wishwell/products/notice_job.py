"""The background job that emits pending notices."""

from wishwell.jobs import Job, Run
from wishwell.products import notices
from wishwell.telemetry import metrics

_MIN_PAUSE_SECONDS = 0.02
_PAUSE_SECONDS_PER_NOTICE = 0.0075
"""Seconds to pause for each notice of a batch. On SQLite a read may have to wait for a batch; with
longer pauses, fewer reads do."""


# rule: notice-fair
async def _work(run: Run) -> float | None:
    """Emits pending notices in batches. Every process does this, without a lease."""
    seconds: float | None = None
    async for count in notices.process_batches(run.db, run.clock):
        metrics.NOTICES.inc(count)
        seconds = 0
        await run.pause(max(_MIN_PAUSE_SECONDS, count * _PAUSE_SECONDS_PER_NOTICE))
    return seconds


JOB = Job("notices", 1.0, _work)
