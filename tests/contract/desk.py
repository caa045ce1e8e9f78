"""A store with events on, and processes that deliver its webhooks, on a clock that the test
controls."""

import asyncio
import contextlib
import ssl

from tests.contract.conftest import PLENTY, new_item
from tests.servers.receiver import Receiver
from wishwell import events, ids, stores
from wishwell.db import run_statement
from wishwell.events import deliveries, recipients, retention, webhooks
from wishwell.events.sender import Sender
from wishwell.events.webhooks import NewWebhook, WebhookPatch
from wishwell.outbound import Outbound
from wishwell.products import shown
from wishwell.profiles.pages import PageRequest
from wishwell.stores.sealing import Sealing
from wishwell.wishlists import saving

SEALING = Sealing([b"a-sealing-key-of-the-tests-with-40-chars"])
DAY = 86_400_000
_TLS = ssl.create_default_context()  # creating a context takes 40 ms


class DeliveryWorld:
    """A store with events on, and processes that deliver its webhooks."""

    def __init__(self, bench):
        self.bench, self.db, self.clock = bench, bench.db, bench.clock
        self.handle = f"s-{ids.random_uuid()}"
        self.products, self.saved = 0, []

    async def open(self):
        now = self.clock.tick()
        patch = stores.StorePatch(events=True, notices="opt-out")
        make = stores.create, self.bench.new_id(), self.handle, patch, now
        self.store = await self.db.write(*make)
        self.profile = self.bench.new_customer(self.store)
        return self

    async def save(self, count=1):
        """Saves items and assigns feed positions; returns the ids of their events."""
        await asyncio.gather(*(self._save() for _ in range(count)))
        await events.assign_positions(self.db, self.clock)
        first = self.products - count + 1
        return [events.event_id(self.profile.id, n) for n in range(first, self.products + 1)]

    async def _save(self):
        self.products += 1
        save = new_item(self.products), self.bench.new_id(), PLENTY, self.clock.tick()
        self.saved.append((await self.db.write(saving.save, self.profile, *save))[0].id)

    async def hook(self, url, *types):
        return await self.formatted(url, None, None, types=types)

    async def formatted(self, url, format, key, **more):
        new = NewWebhook(url, format=format, key=key, **more)
        make = SEALING, self.store, new, self.bench.new_id(), self.clock.tick()
        return await self.db.write(webhooks.create, *make)

    async def change(self, hook, **changes):
        patch = WebhookPatch(**changes)
        make = self.store, hook.id, SEALING, patch, self.clock.tick()
        return await self.db.write(webhooks.change, *make)

    async def find(self, hook):
        return await self.db.read(webhooks.find, self.store, hook.id)

    async def retain(self):
        async for _ in retention.remove_deliveries(self.db, 7, self.clock()):
            pass

    async def page(self, hook, limit=250):
        asked = PageRequest(None, limit)
        return (await self.db.read(deliveries.page, self.store, hook.id, asked)).records

    @contextlib.asynccontextmanager
    async def receiving(self, says=None, *types, **given):
        """Yields a receiver, a sending process, and a webhook of these types with the receiver's
        URL."""
        async with Receiver(says).serve() as receiver, self.process(**given) as sender:
            yield receiver, sender, await self.hook(receiver.url, *types)

    async def find_recipient(self, _store_id, gid):
        arguments = self.store, gid, "/apps/wishlist", self.clock.tick()
        return await self.db.write(recipients.find, *arguments)

    @contextlib.asynccontextmanager
    async def process(self, **given):
        outbound = Outbound(http=True, private=True, tls=_TLS)
        given = {"clock": self.clock, "timeout_seconds": 30} | given
        given = {"find_recipient": self.find_recipient} | given
        sender = Sender(self.db, outbound, SEALING, add_products=shown.add_to_events, **given)
        try:
            yield sender
        finally:
            await sender.stop()
            await outbound.close()


async def send(sender):
    await sender.poll()
    await sender.wait_until_idle()


def on_desk(test):
    """Runs a test on a new store, in the bench's event loop."""

    def run(bench):
        async def story():
            try:
                await test(await DeliveryWorld(bench).open())
            finally:  # leaves no webhooks to the next test's processes
                await _all_off(bench.db)

        bench.run(story())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def _all_off(db):
    for store_id, id, _, enabled in await db.read(run_statement, "webhooks"):
        if enabled >= 0:
            await db.write(run_statement, "webhook_delete", store=store_id, id=id, now="")
