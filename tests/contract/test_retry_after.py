"""`Retry-After`: how long a webhook waits, on both engines."""

import pytest

from tests.contract.desk import on_desk, send
from tests.servers.receiver import answer as empty
from wishwell.events import deliveries
from wishwell.events.attempts import Attempt, ClaimedDelivery, compute_next_retry, parse_retry_after


@pytest.mark.parametrize(
    ("status", "text", "seconds"),
    [
        (503, "120", 120),
        (503, "0", 0),
        (503, "-5", 0),
        (503, "soon", 0),
        (503, "", 0),
        (503, "99999999999", 86_400),
        (503, "12345678901234567890", 86_400),
        (503, "9" * 5_000, 86_400),
        (503, "100000", 86_400),
        (503, "86401", 86_400),
        (503, "86399", 86_399),
        (503, "0000000000120", 120),
        (429, "12345678901234567890", 86_400),
        (503, "9999999", 86_400),
        (503, "Fri, 15 Jan 2027 08:02:00 GMT", 120),
        (503, "Friday, 15-Jan-27 08:02:00 GMT", 120),
        (503, "Fri Jan 15 08:02:00 2027", 120),
        (503, "Fri, 15 Jan 2027 07:00:00 GMT", 0),
        (503, "Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
        (429, "", 60),
        (429, "0", 1),
        (429, "Fri, 15 Jan 2027 07:00:00 GMT", 1),
    ],
)
def test_retry_after_is_seconds_or_a_time(status, text, seconds):
    """`Retry-After` has seconds or a date in any form of RFC 9110, and counts for a day at most;
    anything else is ignored. A 429 always waits.
    Rule: delivery-schedule."""
    now = 1_800_000_000_000  # 2027-01-15T08:00:00Z
    assert parse_retry_after(status, {"retry-after": text}, now) == seconds
    if not text:
        assert parse_retry_after(429, {"x-sib-ratelimit-reset": "9"}, now) == 9


def test_wait_is_at_most_a_day_and_its_jitter():
    """A wait by `Retry-After` never ends later than a day and 10 percent after the answer.
    Rule: delivery-schedule."""
    delivery = ClaimedDelivery("a", "b", "item.created", 0, None)
    attempt = Attempt(delivery, 0, 503, parse_retry_after(503, {"retry-after": "9" * 20}, 0))
    found = {compute_next_retry(attempt) for _ in range(200)}
    assert min(found) >= 86_400_000 and max(found) <= 95_040_000 and len(found) > 1


@on_desk
async def test_retry_after_holds_back_the_whole_webhook(desk):
    """After `Retry-After` a webhook without a format sends nothing until then, new events
    included; a manual retry doesn't wait, and neither does a webhook that is turned on.
    Rules: delivery-schedule, delivery-resend."""
    async with desk.receiving(empty(503, "Retry-After: 600")) as (receiver, sender, hook):
        first = await desk.save()
        await send(sender)
        later = await desk.save()
        desk.clock.milliseconds += 599_000
        await send(sender)
        assert receiver.ids() == first
        assert not await sender.poll(), "it is due only when the wait ends"
        receiver.says = empty()
        oldest = (await desk.page(hook))[-1]
        retry = desk.store, hook.id, oldest.id, desk.clock.tick()
        await desk.db.write(deliveries.retry, *retry)
        await send(sender)
        assert sorted(receiver.ids()) == sorted(first * 2 + later)
        assert {one.status for one in await desk.page(hook)} == {"delivered"}
        receiver.says = empty(503, "Retry-After: 600")
        await desk.save()
        await send(sender)
        receiver.says = empty()
        for enabled in (False, True):
            await desk.change(hook, enabled=enabled)
        fresh = await desk.save()
        await send(sender)
        assert receiver.ids()[-1:] == fresh
