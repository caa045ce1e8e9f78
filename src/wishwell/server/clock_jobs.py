"""The background jobs of the clock: they observe it, and repair times that a wrong one stored."""

from wishwell.db import future_times
from wishwell.jobs import Job, Run
from wishwell.telemetry import metrics


# rule: clock-jump
async def _observe(run: Run) -> None:
    await run.clock.observe(run.db)
    metrics.CLOCK_SUSPECT.set(bool(run.clock.suspicion))
    metrics.CLOCK_OFFSET.set(abs(run.clock.skew_ms) / 1000)


def jobs() -> tuple[Job, Job]:
    """Returns the jobs of a process."""
    repairs = future_times.Schedule()

    # rule: clock-guard
    async def repair(run: Run) -> None:
        async for _ in repairs.due(run.db, run.clock):
            await run.pause()

    return Job("clock", 1.0, _observe), Job("future_times", 1.0, repair)
