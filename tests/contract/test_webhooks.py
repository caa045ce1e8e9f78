"""Webhooks on both engines: secrets, turning off and on, replays and retries."""

import pytest

from tests.contract.desk import DAY, SEALING, on_desk, send
from tests.servers.receiver import answer
from wishwell import ids
from wishwell.db import run_statement
from wishwell.errors import Conflict, Invalid, NotFound
from wishwell.events import deliveries, retention, webhooks
from wishwell.profiles.pages import PageRequest
from wishwell.stores.sealing import Sealing


@on_desk
async def test_old_and_new_secret_both_sign_for_a_day(desk):
    """After a renewal, the previous secret signs as well for a day. Rule: webhook-signed."""
    async with desk.receiving() as (receiver, sender, hook):
        renew = webhooks.renew_secret, desk.store, hook.id, SEALING, desk.clock()
        fresh = await desk.db.write(*renew)
        assert fresh.secret != hook.secret
        for after, good in ((0, {True}), (DAY, {True, False})):
            desk.clock.milliseconds += after
            await desk.save()
            await send(sender)
            message = receiver.got[-1]
            signs = []
            for secret in (fresh.secret, hook.secret):
                known = webhooks.build_signature_headers(
                    webhooks.Secrets(secret), message.id, message.body, desk.clock()
                )
                signs.append(known["webhook-signature"] in message.headers["webhook-signature"])
            assert signs[0] and set(signs) == good


@on_desk
async def test_webhook_that_answers_410_is_turned_off_and_can_resume(desk):
    """A 410 turns a webhook off; once turned on again, it sends what was recorded meanwhile.
    Rules: delivery-schedule, delivery-resend."""
    async with desk.receiving(answer(410)) as (receiver, sender, hook):
        first = await desk.save()
        await send(sender)
        assert (await desk.find(hook)).enabled is False
        receiver.says = answer()
        later = await desk.save(2)
        desk.clock.milliseconds += 6_000
        await send(sender)
        assert receiver.ids() == first
        for use_case, arguments in (
            (deliveries.queue_test, (ids.random_uuid(), desk.clock.tick())),
            (deliveries.retry, ((await desk.page(hook))[0].id, desk.clock.tick())),
        ):
            with pytest.raises(Conflict, match="turned off"):
                await desk.db.write(use_case, desk.store, hook.id, *arguments)
        on = await desk.change(hook, enabled=True)
        assert (on.enabled, on.failing_since) == (True, None)
        await send(sender)
        assert sorted(receiver.ids()) == sorted(first * 2 + later)


@on_desk
async def test_webhook_that_fails_for_a_week_is_turned_off(desk):
    """A webhook that fails for a week is turned off. Rule: delivery-schedule."""
    async with desk.receiving(answer(500)) as (_, sender, hook):
        await desk.save()
        await send(sender)
        since = ids.from_timestamp((await desk.find(hook)).failing_since)
        for at, enabled in ((since + 7 * DAY - 1_000, True), (since + 7 * DAY, False)):
            desk.clock.milliseconds = at - 1
            await desk.save()
            await send(sender)
            assert (await desk.find(hook)).enabled is enabled


@on_desk
async def test_events_that_were_removed_are_not_sent(desk):
    """After being turned on, a webhook resumes at the oldest event still kept.
    Rules: delivery-schedule, feed-retention."""
    async with desk.receiving(answer(500), "item.created") as (receiver, sender, hook):
        await desk.save(2)
        await send(sender)  # these two stay pending
        await desk.change(hook, enabled=False)
        await desk.save(3)
        desk.clock.milliseconds += 8 * DAY
        async for _ in retention.remove_events(desk.db, 7, desk.clock()):
            pass
        await desk.retain()
        assert await desk.page(hook) == []
        kept = await desk.save(2)
        receiver.got.clear()
        receiver.says = answer()
        await desk.change(hook, enabled=True)
        await send(sender)
        assert sorted(receiver.ids()) == sorted(kept)


@on_desk
async def test_replay_sends_the_kept_events_again(desk):
    """A replay sends the kept events from a time on again, each with its id, and unsent ones of any
    age.
    Rules: delivery-resend, delivery-at-least-once."""
    async with desk.receiving() as (receiver, sender, hook):
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
        receiver.got.clear()
        unsent = await desk.save(3)
        desk.clock.milliseconds += 600_000
        replay = webhooks.replay, desk.store, hook.id, desk.clock(), desk.clock.tick()
        await desk.db.write(*replay)
        await send(sender)
        assert sorted(receiver.ids()) == sorted(unsent)


@on_desk
async def test_test_delivery_is_retried_only_manually(desk):
    """A test delivery isn't retried automatically and doesn't count as failing; a manual retry
    sends it again.
    Rules: delivery-resend, feed-retention."""
    async with desk.receiving(answer(500)) as (receiver, sender, hook):
        at = desk.clock.tick()
        id = ids.uuid7_at(desk.clock())
        sent = await desk.db.write(deliveries.queue_test, desk.store, hook.id, id, at)
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
        for days, left in ((6.9, 1), (0.2, 0)):
            desk.clock.milliseconds += int(days * DAY)
            await desk.retain()
            assert len(await desk.page(hook)) == left


@on_desk
async def test_webhook_beyond_a_limit_is_refused(desk):
    """A store has at most 20 webhooks; deleting one makes room. Rule: webhook-signed."""
    made = [await desk.hook("https://shop.example/") for _ in range(20)]
    with pytest.raises(Invalid, match="at most 20"):
        await desk.hook("https://shop.example/")
    await desk.db.write(webhooks.delete, desk.store, made[0].id, desk.clock.tick())
    await desk.hook("https://shop.example/")
    with pytest.raises(NotFound):
        await desk.find(made[0])
    found = await desk.db.read(webhooks.page, desk.store, PageRequest(None, 50))
    assert made[0].id not in {one.id for one in found.records} and len(found.records) == 20


@on_desk
async def test_secrets_are_encrypted_again_with_a_new_key(desk):
    """Secrets are re-encrypted with the newest key; nothing else of the webhook changes.
    Rule: sealing-keys."""
    hook = await desk.hook("https://shop.example/")
    newer = Sealing(
        [b"a-newer-sealing-key-of-the-tests-40-char", b"a-sealing-key-of-the-tests-with-40-chars"]
    )
    await webhooks.reencrypt(desk.db, newer)

    [sealed] = [
        row[2] for row in await desk.db.read(run_statement, "webhooks") if row[1] == hook.id
    ]
    assert newer.is_newest(sealed)
    assert webhooks.decrypt(newer, desk.store.id, hook.id, sealed).secret == hook.secret
    await desk.db.write(webhooks.delete, desk.store, hook.id, desk.clock.tick())
    await desk.retain()
