"""Webhooks on both engines, with real receivers and a clock in the test's hand."""

import asyncio
import contextlib

import msgspec
import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from tests.contract.conftest import bounds, new_item
from tests.servers.receiver import Receiver, answer
from wishwell import deliveries, events, ids, items, lists, stores, webhooks
from wishwell.deliveries import AFTER
from wishwell.errors import Conflict, Invalid, NotFound
from wishwell.outbound import Outbound
from wishwell.sealing import Sealing
from wishwell.sender import Sender
from wishwell.webhooks import WebhookPatch

SEALING = Sealing([b"a-sealing-key-of-the-tests-with-40-chars"])
DAY = 86_400_000


class Desk:
    """A store that tells events, and processes that deliver them."""

    def __init__(self, bench):
        self.bench, self.db, self.clock = bench, bench.db, bench.clock
        self.handle = f"s-{ids.random_uuid()}"
        self.products = 0

    async def open(self):
        now = self.clock.tick()
        patch = stores.StorePatch(events=True)
        make = stores.create, self.bench.new_id(), self.handle, patch, now
        self.store = await self.db.write(*make)
        self.profile = self.bench.new_customer(self.store)
        return self

    async def save(self, count=1):
        """Saves items; the ids of what is told of them."""
        for _ in range(count):
            self.products += 1
            save = new_item(self.products), self.bench.new_id(), bounds(9_999), self.clock.tick()
            await self.db.write(items.save, self.profile, *save)
        await events.number(self.db, self.clock)
        first = self.products - count + 1
        return [events.event_id(self.profile.id, n) for n in range(first, self.products + 1)]

    async def hook(self, url, *types):
        make = SEALING, self.store, url, types, self.bench.new_id(), self.clock.tick()
        return await self.db.write(webhooks.create, *make)

    async def change(self, hook, **changes):
        patch = WebhookPatch(**changes)
        return await self.db.write(webhooks.change, self.store, hook.id, patch, self.clock.tick())

    async def find(self, hook):
        return await self.db.read(webhooks.find, self.store, hook.id)

    async def retain(self):
        async for _ in deliveries.retain(self.db):
            pass

    async def page(self, hook, limit=250):
        return (await self.db.read(deliveries.page, self.store, hook.id, None, limit)).records

    @contextlib.asynccontextmanager
    async def process(self, **given):
        outbound = Outbound(http=True, private=True)
        sender = Sender(self.db, outbound, SEALING, **{"clock": self.clock, "seconds": 5} | given)
        try:
            yield sender
        finally:
            for task in sender._tasks:
                task.cancel()
            await outbound.close()


async def send(sender):
    await sender.look()
    await sender.settle()


def on_desk(test):
    """A test on a new store, in the loop of the bench."""

    def run(bench):
        async def story():
            try:
                await test(await Desk(bench).open())
            finally:  # nothing is left for the processes of the next test
                await _all_off(bench.db)

        bench.run(story())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def _all_off(db):
    async def off(tx, store_id, id):
        kept = webhooks.kept_from(await tx.one("webhook_lock", store_id, id))
        await webhooks.put(tx, store_id, kept._replace(deleted=True))

    async def there(tx):
        return await tx.all("webhooks")

    for store_id, id, _ in await db.read(there):
        await db.write(off, store_id, id)


@on_desk
async def test_events_are_delivered_and_signed(desk):
    """contract: delivery-each, webhook-signed, delivery-fields, webhook-fields. The verifier is the
    library that receivers use."""
    async with Receiver().serve() as receiver, desk.process(clock=ids.wall_clock) as sender:
        desk.clock.milliseconds = ids.wall_clock() - 1_000
        hook = await desk.hook(receiver.url)
        told = await desk.save(3)
        await send(sender)
        assert sorted(receiver.ids()) == sorted(told)
        for message in receiver.got:
            Verifier(hook.secret).verify(message.body, message.headers)
            assert message.event["id"] == message.id
            assert message.event["type"] == "item.created"
            assert message.event["profile"] == desk.profile.gid
            with pytest.raises(WebhookVerificationError):
                Verifier(hook.secret).verify(message.body + b" ", message.headers)
        for shown in await desk.page(hook):
            assert (shown.status, shown.attempts, shown.last_status) == ("delivered", 1, 204)
            assert shown.event_id in told
            assert shown.next_attempt_at is None
        await send(sender)
        assert len(receiver.got) == 3
        assert (await desk.find(hook)).secret is None
        assert dict(sender.attempts) == {"delivered": 3}
    desk.clock.milliseconds = 1_800_000_000_000


@on_desk
async def test_new_secret_signs_beside_the_old_one(desk):
    """contract: webhook-secret. For a day."""
    async with Receiver().serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        renew = webhooks.renew_secret, SEALING, desk.store, hook.id, desk.clock()
        fresh = await desk.db.write(*renew)
        assert fresh.secret != hook.secret
        for after, good in ((0, {True}), (DAY, {True, False})):
            desk.clock.milliseconds += after
            await desk.save()
            await send(sender)
            message = receiver.got[-1]
            signs = []
            for secret in (fresh.secret, hook.secret):
                known = webhooks.signed(
                    webhooks.Secrets(secret), message.id, message.body, desk.clock()
                )
                signs.append(known["webhook-signature"] in message.headers["webhook-signature"])
            assert signs[0] and set(signs) == good


@on_desk
async def test_delivery_that_fails_is_tried_by_the_schedule(desk):
    """contract: delivery-schedule. Ten times; not before its time, and at most a tenth after it."""
    async with Receiver(answer(500)).serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        [told] = await desk.save()
        await send(sender)
        for tried, seconds in enumerate(AFTER, 1):
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


async def _endless_headers(writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X: y\r\n" * 100)
        await writer.drain()
        await asyncio.sleep(0.01)


async def _endless_body(writer):
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"a")
        await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    ("says", "status"),
    [(_hang, None), (_nothing, None), (_endless_headers, None), (_endless_body, None), (answer(302, "Location: /"), 302), (answer(404), 404), (answer(99), None)],
    ids=["hangs", "closes", "endless headers", "endless body", "redirects", "unknown", "no status"],
)  # fmt: skip
def test_receiver_that_does_not_take_it(bench, says, status):
    """contract: delivery-schedule. Each of these is an attempt that failed; the next one is not."""

    @on_desk
    async def story(desk):
        async with Receiver(says).serve() as receiver, desk.process(seconds=1) as sender:
            hook = await desk.hook(receiver.url)
            [told] = await desk.save()
            await send(sender)
            [shown] = await desk.page(hook)
            assert (shown.status, shown.attempts, shown.last_status) == ("pending", 1, status)
            assert (await desk.find(hook)).failing_since is not None
            receiver.says = answer()
            desk.clock.milliseconds += 6_000
            await send(sender)
            assert receiver.ids() == [told] * 2
            assert (await desk.page(hook))[0].status == "delivered"
            assert (await desk.find(hook)).failing_since is None

    story(bench)


@on_desk
async def test_retry_after_is_heeded(desk):
    """contract: delivery-retry-after. Up to a day, and never before the schedule."""
    async with Receiver().serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        date = "Fri, 15 Jan 2027 09:00:00 GMT"  # an hour after the clock's time
        for text, seconds in (
            ("600", 600),
            ("999999", 86_400),
            ("1", 5),
            ("soon", 5),
            (date, 3600),
        ):
            receiver.says = answer(503, f"Retry-After: {text}")
            desk.clock.milliseconds = 1_800_000_000_000
            begun = desk.clock()
            await desk.save()
            await send(sender)
            shown = (await desk.page(hook))[0]
            wait = (ids.from_timestamp(shown.next_attempt_at) - begun) / 1000
            assert seconds - 1 <= wait <= max(seconds + 1, 6), text


@on_desk
async def test_webhook_that_is_gone_is_turned_off_and_goes_on(desk):
    """contract: webhook-turned-off, webhook-on-again, delivery-retry. What was told meanwhile comes."""
    async with Receiver(answer(410)).serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        first = await desk.save()
        await send(sender)
        assert (await desk.find(hook)).enabled is False
        receiver.says = answer()
        later = await desk.save(2)
        desk.clock.milliseconds += 6_000
        await send(sender)
        assert receiver.ids() == first
        for use_case, arguments in (
            (deliveries.test, (ids.random_uuid(), desk.clock.tick())),
            (deliveries.retry, ((await desk.page(hook))[0].id, desk.clock.tick())),
        ):
            with pytest.raises(Conflict, match="turned off"):
                await desk.db.write(use_case, desk.store, hook.id, *arguments)
        on = await desk.change(hook, enabled=True)
        assert (on.enabled, on.failing_since, on.missed) == (True, None, 0)
        await send(sender)
        assert sorted(receiver.ids()) == sorted(first * 2 + later)


@on_desk
async def test_week_of_failing_turns_a_webhook_off(desk):
    """contract: webhook-turned-off."""
    async with Receiver(answer(500)).serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        await desk.save()
        await send(sender)
        since = ids.from_timestamp((await desk.find(hook)).failing_since)
        for at, enabled in ((since + 7 * DAY - 1_000, True), (since + 7 * DAY, False)):
            desk.clock.milliseconds = at - 1
            await desk.save()
            await send(sender)
            assert (await desk.find(hook)).enabled is enabled


@on_desk
async def test_events_that_were_removed_are_counted(desk):
    """contract: webhook-on-again, delivery-retention. It goes on with the oldest that is kept."""
    async with Receiver(answer(500)).serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url, "item.created")
        await desk.save(2)
        await send(sender)  # these two are pending
        await desk.change(hook, enabled=False)
        await desk.save(3)
        other, make = desk.bench.new_customer(desk.store), desk.bench.new_id()
        await desk.db.write(lists.create, other, "a", make, bounds(9), desk.clock.tick())
        await events.number(desk.db, desk.clock)  # of a type that it has not asked for
        desk.clock.milliseconds += 8 * DAY
        async for _ in events.retain(desk.db, 7, desk.clock()):
            pass
        await desk.retain()
        assert await desk.page(hook) == []
        kept = await desk.save(2)
        receiver.got.clear()
        receiver.says = answer()
        assert (await desk.change(hook, enabled=True)).missed == 5
        await desk.change(hook, enabled=False)
        assert (await desk.change(hook, enabled=True)).missed == 0
        await send(sender)
        assert sorted(receiver.ids()) == sorted(kept)


@on_desk
async def test_process_that_hangs_is_taken_over(desk):
    """contract: delivery-lease, delivery-once-at-a-time. Not before its lease ends; with the same id;
    and what the first one says later counts for nothing."""
    asked, held = asyncio.Event(), asyncio.Event()

    async def hold(writer):
        asked.set()
        await held.wait()
        writer.write(answer(500))

    async with (
        Receiver(hold).serve() as receiver,
        desk.process(seconds=30) as first,
        desk.process() as other,
    ):
        hook = await desk.hook(receiver.url)
        [told] = await desk.save()
        await first.look()
        await asyncio.wait_for(asked.wait(), 5)
        receiver.says = answer()
        for wait, sent in ((0, 1), (deliveries.LEASE_MS - 1_000, 1), (1_001, 2)):
            desk.clock.milliseconds += wait
            await send(other)
            assert receiver.ids() == [told] * sent
        held.set()
        await first.settle()
        [shown] = await desk.page(hook)
        assert (shown.status, shown.attempts, shown.last_status) == ("delivered", 1, 204)


@on_desk
async def test_send_does_not_begin_late(desk):
    """contract: delivery-lease. A process that stood still leaves what it took to others."""
    elapsed = iter([0.0, 8.5, *[9.0] * 100])
    async with (
        Receiver().serve() as receiver,
        desk.process(monotonic=lambda: next(elapsed)) as paused,
        desk.process() as other,
    ):
        await desk.hook(receiver.url)
        [told] = await desk.save()
        await send(paused)
        assert receiver.got == []
        desk.clock.milliseconds += deliveries.LEASE_MS + 1
        await send(other)
        assert receiver.ids() == [told]


@on_desk
async def test_many_processes_send_each_once(desk):
    """contract: delivery-once-at-a-time. Four of them, and more events than one takes at once."""
    async with contextlib.AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(Receiver().serve())
        await desk.hook(receiver.url)
        told = await desk.save(300)
        four = [await stack.enter_async_context(desk.process(seconds=10)) for _ in range(4)]
        for _ in range(20):
            await asyncio.gather(*(send(one) for one in four))
            if len(receiver.got) >= 300:
                break
        assert sorted(receiver.ids()) == sorted(told)


@on_desk
async def test_slow_receiver_delays_no_other(desk):
    """contract: delivery-slow. With more for the slow one than it has in flight at once."""
    async with (
        Receiver(_hang).serve() as slow,
        Receiver().serve() as quick,
        desk.process(seconds=10) as sender,
    ):
        await desk.hook(slow.url)
        await desk.hook(quick.url)
        told = await desk.save(150)
        begun = asyncio.get_running_loop().time()
        while len(quick.got) < 150:
            await sender.look()
            await asyncio.sleep(0.05)
            assert asyncio.get_running_loop().time() - begun < 5
        assert sorted(quick.ids()) == sorted(told)
        assert len(slow.got) <= 2 * 64


@on_desk
async def test_only_the_types_that_were_asked_for(desk):
    """contract: delivery-each. And none that was told before the webhook was made."""
    await desk.save()
    async with Receiver().serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url, "item.deleted")
        await desk.save(2)
        [item] = (await _items(desk))[:1]
        await desk.db.write(items.delete, desk.profile, item, desk.clock.tick())
        await events.number(desk.db, desk.clock)
        await send(sender)
        assert [message.event["type"] for message in receiver.got] == ["item.deleted"]
        await desk.change(hook, types=())
        await desk.save()
        await send(sender)
        assert len(receiver.got) == 2


async def _items(desk):
    found = await desk.db.read(events.feed, desk.store, None, 250, ["item.created"])
    return [msgspec.json.decode(event.data)["item"]["id"] for event in found.events]


@on_desk
async def test_replay_sends_again_what_is_kept(desk):
    """contract: webhook-replay. From a time on, each with its id."""
    async with Receiver().serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        old = await desk.save(3)
        desk.clock.milliseconds += 600_000
        since = desk.clock()
        new = await desk.save(4)
        await send(sender)
        assert sorted(receiver.ids()) == sorted(old + new)
        for at, again in ((since, new), (0, old + new), (since + 900_000, [])):
            receiver.got.clear()
            await desk.db.write(webhooks.replay, desk.store, hook.id, at, desk.clock.tick())
            await send(sender)
            assert sorted(receiver.ids()) == sorted(again)


@on_desk
async def test_test_and_retry(desk):
    """contract: webhook-test, delivery-retry."""
    async with Receiver(answer(500)).serve() as receiver, desk.process() as sender:
        hook = await desk.hook(receiver.url)
        at = desk.clock.tick()
        sent = await desk.db.write(deliveries.test, desk.store, hook.id, ids.random_uuid(), at)
        await send(sender)
        [message] = receiver.got
        assert (message.id, message.event["type"]) == (sent.event_id, "webhook.test")
        [shown] = await desk.page(hook)
        assert (shown.status, shown.last_status) == ("failed", 500)
        assert (await desk.find(hook)).failing_since is None
        receiver.says = answer()
        again = await desk.db.write(
            deliveries.retry, desk.store, hook.id, sent.id, desk.clock.tick()
        )
        assert again.status == "pending"
        await send(sender)
        assert (await desk.page(hook))[0].status == "delivered"
        with pytest.raises(NotFound):
            await desk.db.write(deliveries.retry, desk.store, hook.id, ids.random_uuid(), at)


@on_desk
async def test_bounds_of_webhooks(desk):
    """contract: webhook-most, webhook-needs-events."""
    made = [await desk.hook("https://shop.example/") for _ in range(20)]
    with pytest.raises(Invalid, match="at most 20"):
        await desk.hook("https://shop.example/")
    await desk.db.write(webhooks.delete, desk.store, made[0].id, desk.clock.tick())
    await desk.hook("https://shop.example/")
    with pytest.raises(NotFound):
        await desk.find(made[0])
    found = await desk.db.read(webhooks.page, desk.store, None, 50)
    assert made[0].id not in {one.id for one in found.records} and len(found.records) == 20
    off = stores.StorePatch(events=False)
    desk.store = await desk.db.write(stores.update, desk.handle, off, desk.clock.tick())
    with pytest.raises(Conflict, match="--events on"):
        await desk.hook("https://shop.example/")


@on_desk
async def test_secrets_are_sealed_anew(desk):
    """contract: sealing-anew. With the newest key; nothing else of the webhook changes."""
    hook = await desk.hook("https://shop.example/")
    newer = Sealing(
        [b"a-newer-sealing-key-of-the-tests-40-char", b"a-sealing-key-of-the-tests-with-40-chars"]
    )
    await webhooks.prepare(desk.db, newer)

    async def read(tx):
        return webhooks.kept_from(await tx.one("webhook", desk.store.id, hook.id))

    kept = await desk.db.read(read)
    assert newer.is_newest(kept.sealed)
    assert webhooks.opened(newer, desk.store.id, hook.id, kept.sealed).secret == hook.secret
    await desk.db.write(webhooks.delete, desk.store, hook.id, desk.clock.tick())
    await desk.retain()
