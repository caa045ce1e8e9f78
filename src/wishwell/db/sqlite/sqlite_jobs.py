"""SQLite's queued writes, and the thread that writes their acts to the journal.

The journal may be slow, or locked by another process, so the writer thread never waits for it. A
write with acts is rolled back, and runs again once the journal has them.
"""

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from wishwell.db import Writer
from wishwell.db.journal import Act, Journal
from wishwell.errors import Unavailable
from wishwell.fairness.fair_queue import Flow

_MAX_RUNS = 5
"""Maximum runs of a write whose acts change from one run to the next."""


@dataclass(slots=True, eq=False)
class Job:
    """A queued write."""

    use_case: Callable[[Writer], Awaitable[Any]]
    future: "asyncio.Future[Any]"
    context: contextvars.Context
    """The context of the caller, from which the use-case reads context variables."""
    flow: Flow
    result: Any = None
    error: Exception | None = None
    runs: int = 0
    acts: Sequence[Act] | None = None
    """The acts of the last run, if they differ from ``lines``: the journal is written first."""
    lines: Sequence[Act] = ()
    """The acts that the journal has."""
    claimed: threading.Lock = field(default_factory=threading.Lock)

    def claim(self) -> bool:
        """Returns whether the caller may run or refuse this job: True for the first caller only."""
        return self.claimed.acquire(False)

    def refuse(self, error: Exception) -> bool:
        """Fails the job, in the event loop, unless it has begun. Returns whether it failed it."""
        if claimed := self.claim():
            self.error = error
            _resolve([self])
        return claimed

    def has_recorded(self, acts: Sequence[Act]) -> bool:
        """Returns whether the journal has exactly these acts of the job."""
        return [*acts] == [structs.replace(line, time="") for line in self.lines]

    @property
    def needs_journal(self) -> bool:
        return self.acts is not None or (self.error is not None and bool(self.lines))


class Recorder:
    """Writes the acts of jobs to the journal, those that wait together, and passes jobs that are to
    run again to ``run_again``."""

    def __init__(self, journal: Journal, run_again: Callable[[Job], None]) -> None:
        self._journal = journal
        self._run_again = run_again
        self._waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._thread = ThreadPoolExecutor(1, "sqlite-journal")

    def finish(self, jobs: list[Job]) -> None:
        """Resumes the requests that wait for the jobs, after the journal was written if needed."""
        waiting = [job for job in jobs if job.needs_journal]
        resume([job for job in jobs if not job.needs_journal])
        for job in waiting:
            self._waiting.put(job)
        if waiting:
            self._thread.submit(self._record)

    def wait(self) -> None:
        """Waits until no job waits for the journal."""
        self._thread.submit(int).result()

    def close(self) -> None:
        self._thread.shutdown()

    # rules: journal-first, journal-refused
    def _record(self) -> None:
        jobs = [self._waiting.get() for _ in range(self._waiting.qsize())]
        self._journal.refuse([line for job in jobs for line in job.lines])
        for job in jobs:
            job.lines = ()
            if job.acts is not None and job.runs >= _MAX_RUNS:
                job.acts, job.error = None, Unavailable("Other requests change the same profile.")
        try:
            self._journal.append([act for job in jobs for act in job.acts or ()])
        except Exception as error:
            for job in jobs:
                job.acts, job.error = None, job.error or error
        resume([job for job in jobs if job.acts is None])
        for job in jobs:
            if job.acts is not None:
                job.lines, job.acts = job.acts, None
                self._run_again(job)


def resume(jobs: list[Job]) -> None:
    """Resumes the requests that wait for the jobs. Called outside of the event loop's thread."""
    if jobs:
        with contextlib.suppress(RuntimeError):  # the loop was closed, so nobody waits
            jobs[0].future.get_loop().call_soon_threadsafe(_resolve, jobs)


def _resolve(jobs: list[Job]) -> None:
    """Resumes the requests of a group, the last first: a quiet party's write is the last of one."""
    for job in reversed(jobs):
        if job.future.done():
            continue
        if job.error is not None:
            job.future.set_exception(job.error)
        else:
            job.future.set_result(job.result)
