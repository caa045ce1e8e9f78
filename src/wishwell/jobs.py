"""Background jobs. Each is declared beside its work; ``server/background.py`` runs all of them."""

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from wishwell.config import Settings
from wishwell.db import Database
from wishwell.db.clock import ReferenceClock

IDLE_SECONDS = 1.0
"""Seconds between polls for events and deliveries while no store has events enabled. Short, because
a store may emit events before this process receives the change."""

_PAUSE_SECONDS = 0.05
"""Seconds between two batches of housekeeping, during which requests have the database."""


class StoreCache(Protocol):
    """The part of ``AccessCache`` that jobs use."""

    @property
    def erased(self) -> Collection[str]: ...

    def any_events_enabled(self) -> bool: ...


@dataclass(slots=True)
class Run:
    """The service's components for the runs of a job, and when the job last made progress."""

    settings: Settings
    db: Database
    clock: ReferenceClock
    access_cache: StoreCache
    progressed_at: float = field(default_factory=time.monotonic)

    def report_progress(self) -> None:
        """Restarts the time limit, because a batch is done."""
        self.progressed_at = time.monotonic()

    def idle_seconds(self) -> float:
        """Returns the seconds since the last progress."""
        return time.monotonic() - self.progressed_at

    async def pause(self, seconds: float = _PAUSE_SECONDS) -> None:
        """Waits between two batches."""
        self.report_progress()
        await asyncio.sleep(seconds)


Work = Callable[[Run], Awaitable[float | None]]


class Job(NamedTuple):
    """A recurring job. ``work`` runs it once and returns the seconds until the next run; ``None``
    stands for ``seconds``.

    ``lease_seconds``: only one process runs the job at a time, and about once in this time.
    ``is_due``: with a lease, whether there is anything to do, which saves the write of the lease.
    ``limit_seconds``: a run that makes no progress for longer is reported.
    """

    name: str
    seconds: float
    work: Work
    limit_seconds: float = 300.0
    lease_seconds: float | None = None
    is_due: Callable[[Run], Awaitable[bool]] | None = None


# rule: clock-guard
def removal(*steps: Callable[[Run, int], AsyncIterator[object]]) -> Work:
    """Returns the work of a job that removes old records in batches, by the time that each step
    gets. The work ends when the clock becomes suspect."""

    async def work(run: Run) -> None:
        for step in steps:
            async for _ in run.clock.guarded(run.db, functools.partial(step, run)):
                await run.pause()

    return work
