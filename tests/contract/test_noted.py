"""What was sent to a receiver is noted, whatever fails beside it, on both engines."""

import asyncio

from structlog.testing import capture_logs

from tests.contract.desk import on_desk, send
from tests.servers.receiver import Receiver, answer
from wishwell.events import deliveries


async def execute(tx, sql):
    done = tx._connection.execute(sql)
    if asyncio.iscoroutine(done):
        await done


async def until(condition):
    """Waits until what it asks for is there."""
    for _ in range(200):
        if await condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it is not there after 10 s")


@on_desk
async def test_event_that_comes_during_a_turn_is_sent(desk):
    """contract: delivery-each. The turn has read the feed before the event is in it, and says after
    it that nothing is due."""
    if "://" not in desk.bench.where:
        return  # one writer at a time
    read, goes_on = asyncio.Event(), asyncio.Event()

    async def held(tx):
        now = desk.clock()
        await deliveries.turn(tx, desk.store.id, hook.id, [], 1, "a", desk.bench.new_id, now)
        read.set()
        await goes_on.wait()

    async with Receiver().serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        turn = asyncio.create_task(desk.db.write(held))
        await read.wait()
        saved = asyncio.create_task(desk.save())
        await asyncio.sleep(0.3)  # the event has its place, or waits for the turn
        goes_on.set()
        await turn
        told = await saved
        await send(sender)
        assert receiver.ids() == told


@on_desk
async def test_read_that_fails_has_nothing_sent_again(desk):
    """contract: delivery-noted, delivery-each. Ten are in flight when the next one can't be read: the
    ten are noted, and nobody sends them again; the other one is sent once."""
    held = asyncio.Event()

    async def hold(writer):
        await held.wait()
        writer.write(answer())

    async with Receiver(answer(500)).serve() as receiver, desk.process(seconds=10) as sender:
        hook = await desk.hook(receiver.url)
        [late] = await desk.save()
        await send(sender)  # it fails, and is due again in 5 s
        receiver.says = hold
        told = await desk.save(10)
        await sender.look()
        await until(lambda: arrived(receiver, 11))
        desk.clock.milliseconds += 6_000
        await desk.db.write(execute, "ALTER TABLE events RENAME TO away")
        try:
            await sender.look()
            await asyncio.sleep(0.5)  # the read has failed by then
            held.set()
            await until(lambda: delivered(desk, hook, 10))
        finally:
            held.set()
            await desk.db.write(execute, "ALTER TABLE away RENAME TO events")
        await sender.stop()
        desk.clock.milliseconds += deliveries.LEASE_MS + 1
        receiver.says = answer()
        async with desk.process() as other:
            await send(other)
        assert sorted(receiver.ids()) == sorted([late, late, *told])
        assert await delivered(desk, hook, 11)


async def arrived(receiver, count):
    return len(receiver.got) >= count


async def delivered(desk, hook, count):
    return [one.status for one in await desk.page(hook)].count("delivered") == count


@on_desk
async def test_event_that_cannot_be_read_stops_no_other(desk):
    """contract: bad-row. Its delivery is `failed`; those before and after it are sent."""
    async with Receiver().serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        told = await desk.save(3)
        bad = (
            f"UPDATE events SET data = '[' WHERE profile_id = '{desk.profile.id}' AND sequence = 2"
        )
        await desk.db.write(execute, bad)
        await send(sender)
        assert sorted(receiver.ids()) == sorted([told[0], told[2]])
        statuses = [one.status for one in await desk.page(hook)]
        assert sorted(statuses) == ["delivered", "delivered", "failed"]


@on_desk
async def test_webhook_that_cannot_be_read_waits(desk):
    """contract: bad-row. Nothing is sent that could not be noted, and the log names it once, however
    often it is looked at."""
    async with Receiver(answer(500)).serve() as receiver:
        for column in ("failing_since", "sealed"):
            hook = await desk.hook(receiver.url)
            await desk.save()
            bad = f"UPDATE webhooks SET {column} = 'x' WHERE id = '{hook.id}'"
            await desk.db.write(execute, bad)
            with capture_logs() as lines:
                for _ in range(2):
                    async with desk.process() as sender:
                        await sender.look()
                        await asyncio.sleep(1.5)
            assert receiver.got == []
            assert [(line["event"], line["table"]) for line in lines] == [("bad_row", "webhooks")]
