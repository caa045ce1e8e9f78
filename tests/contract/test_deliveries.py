"""Webhook deliveries on both engines, with real receivers and a controlled clock."""

import asyncio
import contextlib
import os

import pytest
from structlog.testing import capture_logs

from tests.contract.conftest import LockHeldByOther
from tests.contract.desk import DeliveryWorld, on_desk, send
from tests.servers.receiver import Receiver, answer
from wishwell import events, ids
from wishwell.db import future_times
from wishwell.errors import Unavailable
from wishwell.events import deliveries
from wishwell.events.attempts import BACKOFF_SECONDS
from wishwell.events.sender import MAX_CONCURRENT
from wishwell.wishlists import item_changes

TEN_YEARS = 3650 * 86_400_000


@on_desk
async def test_failing_delivery_is_retried_by_the_backoff_schedule(desk):
    """A failing delivery is retried by the backoff schedule, ten attempts in all: never early, and
    at most a tenth late.
    Rule: delivery-schedule."""
    async with desk.receiving(answer(500)) as (receiver, sender, hook):
        [told] = await desk.save()
        await send(sender)
        for tried, seconds in enumerate(BACKOFF_SECONDS, 1):
            [shown] = await desk.page(hook)
            assert (shown.status, shown.attempts, shown.last_status) == ("pending", tried, 500)
            at = ids.from_timestamp(shown.next_attempt_at)
            wait = at - ids.from_timestamp(shown.last_attempt_at)
            assert seconds * 1000 <= wait <= seconds * 1100
            desk.clock.milliseconds = at - 1
            await send(sender)
            assert len(receiver.got) == tried
            desk.clock.milliseconds = at
            await send(sender)
            assert receiver.ids() == [told] * (tried + 1)
        [shown] = await desk.page(hook)
        assert (shown.status, shown.attempts, shown.next_attempt_at) == ("failed", 10, None)
        stamps = {message.headers["webhook-timestamp"] for message in receiver.got}
        assert len(stamps) == 10
        assert sender.attempts == {"retried": 9, "failed": 1}


async def _hang(writer):
    await asyncio.sleep(4)


async def _nothing(writer):
    pass


class HeldAnswer:
    """A receiver that responds only when released."""

    def __init__(self, says):
        self.says, self.asked, self.goes_on = says, asyncio.Event(), asyncio.Event()

    async def __call__(self, writer):
        self.asked.set()
        await self.goes_on.wait()
        writer.write(self.says)


@pytest.mark.parametrize(
    ("says", "status"),
    [(_hang, None), (_nothing, None), (answer(302, "Location: /new"), 302), (answer(404), 404)],
    ids=["hangs", "closes", "redirects", "unknown"],
)
def test_failed_attempt_is_retried(bench, says, status):
    """A timeout, a closed connection, a redirect and a 404 are failed attempts; the next attempt
    may succeed.
    Rule: delivery-schedule."""

    @on_desk
    async def story(desk):
        seconds = 2 if says is _hang else 30
        async with desk.receiving(says, timeout_seconds=seconds) as (receiver, sender, hook):
            [told] = await desk.save()
            await send(sender)
            [shown] = await desk.page(hook)
            assert (shown.status, shown.attempts, shown.last_status) == ("pending", 1, status)
            moved = "A redirect to /new, which isn't followed: update the webhook's URL."
            assert shown.answer == (moved if status == 302 else None)
            assert (await desk.find(hook)).failing_since is not None
            receiver.says = answer()
            desk.clock.milliseconds += 6_000
            await send(sender)
            assert receiver.ids() == [told] * 2
            assert (await desk.page(hook))[0].status == "delivered"
            assert (await desk.find(hook)).failing_since is None

    story(bench)


@on_desk
async def test_delivery_of_a_hanging_process_is_taken_over(desk):
    """After its lease expires, another process takes a delivery over; the first one's late result
    is ignored.
    Rule: delivery-at-least-once."""
    hold = HeldAnswer(answer(500))
    async with (
        Receiver(hold).serve() as receiver,
        desk.process(timeout_seconds=30) as first,
        desk.process() as other,
    ):
        hook = await desk.hook(receiver.url)
        [told] = await desk.save()
        await first.poll()
        await asyncio.wait_for(hold.asked.wait(), 60)
        receiver.says = answer()
        for wait, sent in ((0, 1), (deliveries.LEASE_MS - 1_000, 1), (1_001, 2)):
            desk.clock.milliseconds += wait
            await send(other)
            assert receiver.ids() == [told] * sent
        hold.goes_on.set()
        await first.wait_until_idle()
        [shown] = await desk.page(hook)
        assert (shown.status, shown.attempts, shown.last_status) == ("delivered", 1, 204)


@pytest.mark.slow
@pytest.mark.skipif("WISHWELL_TEST_CITUS" in os.environ, reason="half a second is short there")
def test_response_410_is_kept_until_the_database_can_store_it(bench):
    """A 410 that can't be stored is kept until the database is back, then turns the webhook off.
    Rules: delivery-at-least-once, delivery-schedule."""
    gone = HeldAnswer(answer(410))

    @on_desk
    async def story(desk):
        async with desk.receiving(gone) as (receiver, sender, hook):
            told = await desk.save()
            await sender.poll()
            await asyncio.wait_for(gone.asked.wait(), 60)
            async with LockHeldByOther(bench.where):
                gone.goes_on.set()
                await asyncio.sleep(0.3)  # the sender writes first
                with pytest.raises(Unavailable):
                    await desk.change(hook, types=("item.created",))
            await sender.wait_until_idle()
            [shown] = await desk.page(hook)
            assert (shown.attempts, shown.last_status) == (1, 410)
            assert (await desk.find(hook)).enabled is False
            assert receiver.ids() == told

    with bench.with_timeout(2):
        story(bench)


@on_desk
async def test_concurrent_processes_send_each_event_once(desk):
    """Four processes send each event exactly once, with more events than one batch.
    Rule: delivery-at-least-once."""
    async with contextlib.AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(Receiver().serve())
        await desk.hook(receiver.url)
        told = await desk.save(100)
        four = [await stack.enter_async_context(desk.process(timeout_seconds=10)) for _ in range(4)]
        for _ in range(20):
            await asyncio.gather(*(send(one) for one in four))
            if len(receiver.got) >= 100:
                break
        assert sorted(receiver.ids()) == sorted(told)


@on_desk
async def test_slow_receiver_delays_no_other(desk):
    """A slow receiver with a full queue doesn't delay another webhook. Rule: delivery-fair."""
    async with (
        Receiver(_hang).serve() as slow,
        Receiver().serve() as quick,
        desk.process(timeout_seconds=10) as sender,
    ):
        for receiver in (quick, slow):
            await desk.hook(receiver.url)
        told = await desk.save(150)
        while len(quick.got) < 150:
            await sender.poll()
            await asyncio.sleep(0.05)
        assert sorted(quick.ids()) == sorted(told)
        assert 0 < len(slow.got) <= 2 * 64


@pytest.mark.slow
@on_desk
async def test_store_with_many_slow_receivers_uses_at_most_half_of_the_slots(desk):
    """A store with many slow receivers takes at most half of a process's slots.
    Rule: delivery-fair."""
    other, hold = await DeliveryWorld(desk.bench).open(), HeldAnswer(b"")
    async with (
        Receiver(hold).serve() as slow,
        Receiver().serve() as quick,
        desk.process(timeout_seconds=60) as sender,
    ):
        for _ in range(9):
            await desk.hook(slow.url)
        await other.hook(quick.url)
        await desk.save(70)

        async def begun(count):
            while len(slow.got) < count:
                await sender.poll()
                await asyncio.sleep(0.02)

        await asyncio.wait_for(begun(200), 60)
        told = await other.save(3)
        async with asyncio.timeout(60):
            while len(quick.got) < 3:
                await sender.poll()
                await asyncio.sleep(0.02)
        for _ in range(10):
            await sender.poll()
            await asyncio.sleep(0.02)
        hold.goes_on.set()
        assert len(slow.got) <= MAX_CONCURRENT // 2
        assert sorted(quick.ids()) == sorted(told)


@on_desk
async def test_only_events_of_the_requested_types_are_sent(desk):
    """Only events of the requested types are sent, and none from before the webhook was made.
    Rule: delivery-at-least-once."""
    await desk.save()
    async with desk.receiving(None, "item.deleted") as (receiver, sender, hook):
        await desk.save(2)
        await desk.db.write(item_changes.delete, desk.profile, desk.saved[0], desk.clock.tick())
        await events.assign_positions(desk.db, desk.clock)
        await send(sender)
        assert [message.event["type"] for message in receiver.got] == ["item.deleted"]
        await desk.change(hook, types=())
        await desk.save()
        await send(sender)
        assert len(receiver.got) == 2


@on_desk
async def test_delivery_postponed_by_a_wrong_clock_is_sent(desk):
    """A delivery whose retry was scheduled by a clock ten years ahead is still sent.
    Rules: clock-guard, delivery-at-least-once."""
    async with desk.receiving(answer(500)) as (receiver, sender, hook):
        desk.clock.milliseconds += TEN_YEARS
        [id] = await desk.save()
        await send(sender)
        desk.clock.milliseconds -= TEN_YEARS
        receiver.says = answer()
        async for _ in future_times.repair(desk.db, desk.clock()):
            pass
        await send(sender)
        assert receiver.ids() == [id, id]
        assert [one.status for one in await desk.page(hook)] == ["delivered"]


@on_desk
async def test_event_committed_during_a_batch_is_sent(desk):
    """An event committed during a batch is sent, although the batch then marks the webhook as done.
    Rule: delivery-at-least-once."""
    if "://" not in desk.bench.where:
        return  # SQLite has one writer at a time
    read, goes_on = asyncio.Event(), asyncio.Event()

    async def held(tx):
        await deliveries.process_batch(
            tx, desk.store.id, hook.id, [], 1, "a", desk.bench.new_id, desk.clock
        )
        read.set()
        await goes_on.wait()

    async with desk.receiving() as (receiver, sender, hook):
        turn = asyncio.create_task(desk.db.write(held))
        await read.wait()
        saved = asyncio.create_task(desk.save())
        await asyncio.sleep(0.3)  # the event has its feed position, or waits for the batch
        goes_on.set()
        await turn
        told = await saved
        await send(sender)
        assert receiver.ids() == told


async def wait_until(enough):
    for _ in range(200):
        if await enough():
            return
        await asyncio.sleep(0.05)


@pytest.mark.slow
@on_desk
async def test_failed_read_repeats_no_delivery(desk):
    """Results of ten deliveries in flight are stored although the next batch's read fails.
    Rule: delivery-at-least-once."""
    hold = HeldAnswer(answer())

    async def arrived():
        return len(receiver.got) == 11

    async def delivered(count=10):
        return [one.status for one in await desk.page(hook)].count("delivered") == count

    async with desk.receiving(answer(500), timeout_seconds=10) as (receiver, sender, hook):
        [late] = await desk.save()
        await send(sender)  # fails, and is due again in 5 s
        receiver.says = hold
        told = await desk.save(10)
        await sender.poll()
        await wait_until(arrived)
        desk.clock.milliseconds += 6_000
        await desk.bench.run_sql("ALTER TABLE events RENAME TO away")
        try:
            await sender.poll()
            await asyncio.sleep(0.5)  # the read has failed by then
            hold.goes_on.set()
            await wait_until(delivered)
        finally:
            hold.goes_on.set()
            await desk.bench.run_sql("ALTER TABLE away RENAME TO events")
        await sender.stop()
        desk.clock.milliseconds += deliveries.LEASE_MS + 1
        receiver.says = answer()
        async with desk.process() as other:
            await send(other)
        assert sorted(receiver.ids()) == sorted([late, late, *told])
        assert await delivered(11)


@on_desk
async def test_unreadable_event_stops_no_other(desk):
    """An unreadable event fails its own delivery; those before and after it are sent.
    Rule: bad-row."""
    async with desk.receiving() as (receiver, sender, hook):
        told = await desk.save(3)
        bad = (
            f"UPDATE events SET data = '[' WHERE profile_id = '{desk.profile.id}' AND sequence = 2"
        )
        await desk.bench.run_sql(bad)
        await send(sender)
        assert sorted(receiver.ids()) == sorted([told[0], told[2]])
        statuses = [one.status for one in await desk.page(hook)]
        assert sorted(statuses) == ["delivered", "delivered", "failed"]


@pytest.mark.slow
@pytest.mark.either_engine
@on_desk
async def test_unreadable_webhook_sends_nothing(desk):
    """Nothing is sent for an unreadable webhook, because its results couldn't be stored; the log
    names it once.
    Rule: bad-row."""
    async with Receiver(answer(500)).serve() as receiver:
        for column in ("failing_since", "sealed"):
            hook = await desk.hook(receiver.url)
            await desk.save()
            bad = f"UPDATE webhooks SET {column} = 'x' WHERE id = '{hook.id}'"
            await desk.bench.run_sql(bad)
            with capture_logs() as lines:
                for _ in range(2):
                    async with desk.process() as sender:
                        await sender.poll()
                        await asyncio.sleep(1.5)
            assert receiver.got == []
            assert [(line["event"], line["table"]) for line in lines] == [("bad_row", "webhooks")]
