"""Counting many stores: no store waits for another one's size, statements or errors."""

import asyncio
import contextlib
from collections import Counter

import msgspec
import pytest

from wishwell.db.postgres.database import Postgres
from wishwell.errors import Unavailable
from wishwell.reports import counting, scheduling
from wishwell.stores.reporting import Reporting

LARGE, SMALL = 600, 3
"""Wishes of a large store and of a small one."""

LARGE_STORES = 6
SIZES = [LARGE] * LARGE_STORES + [SMALL] * 2


@pytest.fixture(scope="module")
def shops(bench):
    """The large stores, then the small ones."""
    stores = [bench.new_store() for _ in SIZES]
    for store, wishes in zip(stores, SIZES, strict=True):
        bench.fill(bench.new_session(store), products=wishes)
    return stores


@pytest.fixture
def batches(bench, shops, monkeypatch):
    """The handles and rows of the batches that ended, in order; -1 after a store's last one."""
    for table in ("counts", "wish_counts"):
        bench.execute(f"DELETE FROM {table}")
    monkeypatch.setattr(scheduling, "MAX_LOAD_SHARE", 1)
    monkeypatch.setattr(counting, "_MAX_VARIANTS_PER_WRITE", 10)
    order, run = [], counting.run

    async def recorded(db, store, clock):
        try:
            async for rows in run(db, store, clock):
                order.append((store.handle, rows))
                yield rows
        finally:
            order.append((store.handle, -1))

    monkeypatch.setattr(counting, "run", recorded)
    return order


def listing(*looks):
    """Returns a function that lists the stores to count; the last list is empty."""
    left = list(looks)

    async def look():
        return left.pop(0) if left else []

    return look


async def numbers(bench, stores):
    return [
        last[0].wishes if (last := await bench.db.read(counting.last, store)) else None
        for store in stores
    ]


@pytest.mark.slow
def test_large_stores_do_not_delay_small_ones(bench, shops, batches, monkeypatch):
    """Large stores whose counts began before, however many, together read one batch for each of the small ones until
    those are counted. Rule: count-pace."""
    monkeypatch.setattr(scheduling, "_MAX_CONCURRENT", 1)
    large, small = shops[:LARGE_STORES], shops[LARGE_STORES:]
    due, handles = [], {store.handle for store in small}

    async def look():
        if not batches:
            return large
        read = Counter[str]()
        for handle, rows in batches:
            read[handle] += rows
        if not due and len(read) == LARGE_STORES and min(read.values()) >= 1_500:
            due.append(len(batches))
            return small
        return []

    async def until_small_are_counted():
        work = asyncio.create_task(scheduling.work(bench.db, look, 0, bench.clock))
        while None in await numbers(bench, small):
            assert not work.done()
            await asyncio.sleep(0)
        work.cancel()
        await asyncio.wait([work])

    bench.run(until_small_are_counted())
    last = max(at for at, (handle, rows) in enumerate(batches) if handle in handles and rows < 0)
    turns = Counter(handle in handles for handle, _ in batches[due[0] : last])
    assert turns[False] <= turns[True] + 1


def test_store_that_hangs_delays_no_other(bench, shops, batches):
    """While a statement for one store waits for a lock, the other stores are counted. Rule: count-pace."""
    if not isinstance(bench.db, Postgres):
        pytest.skip("SQLite has one lock for all stores")

    async def hang():
        large, *small = shops[LARGE_STORES - 1 :]
        listed = listing([large], small)

        async def locked(connection):
            await connection.execute("BEGIN")
            await connection.execute("SELECT FROM stores WHERE id = $1 FOR UPDATE", large.id)
            work = asyncio.create_task(scheduling.work(bench.db, listed, 0.05, bench.clock))
            while None in await numbers(bench, small):
                assert not work.done()
                await asyncio.sleep(0.01)
            assert (large.handle, -1) not in batches  # it still waits
            await connection.execute("ROLLBACK")
            await work

        await bench.on_connection(locked)
        assert await numbers(bench, [large]) == [LARGE]

    bench.run(hang())


@pytest.mark.slow
def test_store_that_fails_delays_no_other_and_is_tried_again(bench, shops, batches, monkeypatch):
    """A store that can't be counted is tried again later, and the others are counted.
    Rule: count-pace."""
    monkeypatch.setattr(scheduling, "_RETRY_SECONDS", 0)
    large, first, *others = shops
    broken = msgspec.structs.replace(first, reporting=Reporting(time_zone="No/Where"))
    looks = [[broken, large], others, [], [first]]

    async def look():
        # The correct store is listed once all others have been counted.
        if looks and (len(looks) > 1 or (large.handle, -1) in batches):
            return looks.pop(0)
        return [large] if looks else []

    bench.run(scheduling.work(bench.db, look, 0, bench.clock))
    assert bench.run(numbers(bench, shops)) == SIZES


def test_failing_store_is_retried_after_a_minute_at_the_earliest(bench, shops, batches):
    """A store that can't be counted waits for a minute, however often it is due. Rule: count-pace."""
    broken = msgspec.structs.replace(shops[-1], reporting=Reporting(time_zone="No/Where"))
    looks = 20

    async def look():
        nonlocal looks
        looks -= (broken.handle, -1) in batches
        if not looks:
            raise Unavailable("enough")
        return [broken]

    with pytest.raises(Unavailable):
        bench.run(scheduling.work(bench.db, look, 0.01, bench.clock))
    assert batches == [(broken.handle, -1)]


def test_batches_pause_so_that_counting_uses_a_small_share(bench, shops, batches, monkeypatch):
    """After each batch, the next one waits until the share of the processor is kept.
    Rule: count-pace."""
    monkeypatch.setattr(scheduling, "MAX_LOAD_SHARE", 1e-9)
    with contextlib.suppress(TimeoutError):
        work = scheduling.work(bench.db, listing(shops), 0, bench.clock)
        bench.run(asyncio.wait_for(work, 0.3))
    assert len(batches) <= 4  # one of each worker


@pytest.mark.slow
def test_concurrent_processes_store_exact_counts(bench, shops, batches):
    """Two processes that count the same stores at the same time store exact counts. Rule: count-exact."""

    async def both():
        work = [
            scheduling.work(bench.db, listing(stores), 0, bench.clock)
            for stores in (shops, shops[::-1])
        ]
        await asyncio.gather(*work)
        assert await numbers(bench, shops) == SIZES

    bench.run(both())


def test_lost_database_fails_the_whole_job(bench, shops, batches):
    """If the database can't be reached, the job fails as a whole, so that it is logged once and retried.
    Rule: count-pace."""
    looks = [shops]

    async def look():
        if not looks:
            raise Unavailable("away")
        return looks.pop()

    with pytest.raises(Unavailable):
        bench.run(scheduling.work(bench.db, look, 0, bench.clock))
    ended = len(batches)
    with contextlib.suppress(TimeoutError):
        bench.run(asyncio.wait_for(asyncio.Event().wait(), 0.1))
    assert len(batches) == ended


def test_pause_on_a_busy_machine_is_limited_by_the_cost_of_the_rows():
    """A batch that waits for a busy machine is charged what its rows cost at most. Rule: count-pace."""
    assert scheduling.charged_seconds(0.001, 250) == 0.001
    assert scheduling.charged_seconds(0.1, 250) == scheduling.charged_seconds(60, 250) < 0.01
