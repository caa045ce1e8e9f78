"""Background jobs: how their runs are repeated, limited and reported."""

import asyncio
import contextlib
import time

import pytest
import structlog
from prometheus_client import REGISTRY

from tests.contract.conftest import Clock
from wishwell import config, jobs
from wishwell.server.background import Runner

LIMIT = 0.1


class NoStores:
    erased = frozenset[str]()

    def any_events_enabled(self):
        return False


@contextlib.asynccontextmanager
async def repeated(work, failing):
    """Runs a job in the background while the block runs. Yields the log."""
    run = jobs.Run(config.load({}), None, Clock(), NoStores())
    job = jobs.Job("hanging", 0.02, work, limit_seconds=LIMIT)
    with structlog.testing.capture_logs() as logs:
        task = asyncio.create_task(Runner(job, run, failing).run_forever())
        try:
            yield logs
        finally:
            task.cancel()
            await asyncio.wait([task])


def metric():
    return REGISTRY.get_sample_value("wishwell_background_failing", {"task": "hanging"})


async def until(is_true):
    end = time.monotonic() + 10
    while not is_true():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


@pytest.mark.either_engine
def test_run_over_its_limit_is_reported_until_it_ends():
    """A job that hangs is reported once as overdue and failing. It isn't cancelled, so it succeeds when what
    it waits for comes. Rule: health-checks."""

    async def hang():
        failing, may_end = set(), asyncio.Event()
        runs = []

        async def work(_):
            runs.append(1)
            await may_end.wait()

        async with repeated(work, failing) as logs:
            await until(lambda: failing)
            await asyncio.sleep(3 * LIMIT)
            assert (failing, len(runs), metric()) == ({"hanging"}, 1, 1)
            may_end.set()
            await until(lambda: not failing)
            assert metric() == 0
        return [(line["event"], line.get("seconds")) for line in logs]

    assert asyncio.run(hang()) == [("hanging_overdue", LIMIT), ("hanging_again", None)]


@pytest.mark.either_engine
def test_run_that_makes_progress_is_not_overdue():
    """A run of many batches may take longer than its limit, which is for each batch. Rule: health-checks."""

    async def progress():
        failing, is_done = set(), asyncio.Event()

        async def work(run):
            for _ in range(20):
                await run.pause(LIMIT / 5)
            is_done.set()

        async with repeated(work, failing) as logs:
            await is_done.wait()
        return failing, logs

    assert asyncio.run(progress()) == (set(), [])
