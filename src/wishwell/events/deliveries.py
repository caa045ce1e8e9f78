"""Deliveries: the outbox of webhooks. A delivery is one event for one webhook, with its attempts.

A process works in batches (``process_batch``), each under the lock of a webhook: it records the
results of finished attempts, queues deliveries of new events in the feed, and claims due deliveries
under a lease (rule: delivery-at-least-once). ``sender.py`` sends the claimed deliveries.
"""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, NamedTuple

import msgspec

from wishwell import events, ids
from wishwell import field_types as types
from wishwell.db import Reader, Row, Writer, bad_rows, statements
from wishwell.db.clock import ClockSuspect, ReferenceClock
from wishwell.errors import Conflict, NotFound, no_record
from wishwell.events import Event, attempts, formats, webhooks
from wishwell.events.attempts import Attempt, ClaimedDelivery, Status
from wishwell.events.webhooks import WebhookState
from wishwell.profiles import WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store

TEST = "webhook.test"
"""Type of a test delivery, which has no event and is never retried."""

LEASE_MS = 25_000
"""Milliseconds that a process may hold a claimed delivery: longer than a send, with a margin."""

_GIVE_UP_MS = 7 * ids.DAY_MS
"""Milliseconds without a success after which a failing webhook is turned off."""

_GONE_STATUS = 410
_BATCH_SIZE = 500
"""Batch size: events of the feed that one turn processes."""


class Delivery(msgspec.Struct, rename="camel", omit_defaults=True):
    """The delivery of one event to one webhook."""

    id: types.Id
    event_id: types.Id
    """The id of the event, which is sent as `webhook-id`."""
    type: Annotated[str, types.published(pattern="^[a-z]+[.][a-z_]+$")]
    """The type of the event, or `webhook.test`."""
    status: Status
    """With a format, `skipped` and `by_hand` mean that nothing was sent, and `answer` says why:
    `by_hand` that a person has to do it."""
    attempts: types.Count
    """The number of attempts, without those answered with 429 or, with a format, 401 or 403."""
    last_status: Annotated[int, types.published(minimum=100, maximum=999)] | None = None
    """The status of the last response; omitted if there was none."""
    last_attempt_at: types.Time | None = None
    next_attempt_at: types.Time | None = None
    """Only for a pending delivery."""
    answer: str | None = None
    """With a format, the beginning of the last answer, unless it was a success. Without one, where
    a redirect leads: it isn't followed."""


class Batch(NamedTuple):
    """The result of a batch. ``more``: whether the feed has further events to queue.

    ``skipped``: how many events the webhook's format has no request for.
    """

    webhook: WebhookState
    claimed: list[ClaimedDelivery]
    more: bool
    skipped: int


AddProducts = Callable[[Reader, str, Sequence[Event]], Awaitable[list[Event]]]
"""Returns events of a store, the items in their data with their products."""


def from_row(row: Row) -> Delivery:
    """Returns the delivery in a row of the columns ``delivery_fields``."""
    columns = statements.name_columns("delivery_fields", row)
    event = columns.pop("profile_id"), columns.pop("sequence")
    event_id = columns["id"] if event[0] is None else events.event_id(*event)
    columns["answer"] = columns["answer"] or None
    return Delivery(event_id=event_id, next_attempt_at=columns.pop("next_at"), **columns)


async def page(tx: Reader, store: Store, webhook_id: str, asked: PageRequest) -> Page[Delivery]:
    """Returns a page of a webhook's deliveries, newest first. Raises ``NotFound``."""
    await webhooks.find(tx, store, webhook_id)
    asked = asked.among(webhook=webhook_id)
    return await pages.read(tx, "deliveries", WholeStore(store), asked, from_row)


# rule: delivery-resend
async def retry(tx: Writer, store: Store, webhook_id: str, id: str, now: str) -> Delivery:
    """Makes a delivery due now, unless a send is in progress.

    Raises ``NotFound``, and ``Conflict`` if the webhook is turned off.
    """
    async with webhooks.changing(tx, store.id, webhook_id) as state:
        _check_enabled(state)
        named = {"store": store.id, "webhook": webhook_id, "id": id}
        await tx.run("delivery_retry", **named, now=now)
        row = await tx.one("delivery", **named)
        if row is None:
            raise no_record("delivery")
        state.due, state.wait_until = now, ""
    return from_row(row)


# rule: delivery-resend
async def test(tx: Writer, store: Store, webhook_id: str, id: str, now: str) -> Delivery:
    """Queues a delivery of the type ``webhook.test``.

    Raises ``NotFound``, and ``Conflict`` if the webhook is turned off.
    """
    async with webhooks.changing(tx, store.id, webhook_id) as state:
        _check_enabled(state)
        state.due, state.wait_until = now, ""
    named = {"store": store.id, "webhook": webhook_id, "id": id, "type": TEST, "next_at": now}
    await tx.run("delivery_add", **named, number=0, profile=None, sequence=0)
    return Delivery(id, id, TEST, "pending", 0, next_attempt_at=now)


def _check_enabled(state: WebhookState) -> None:
    if not state.shown.enabled:
        raise Conflict(
            "The webhook is turned off. Turn it on first, with enabled: true or with "
            "`wishwell webhook update --on`.",
            "webhook_off",
        )


# ---------------------------------------------------------------------------------- sending


async def due(tx: Reader, now: int) -> Sequence[Row]:
    """Returns the due webhooks as rows of store id, webhook id and due time."""
    return await tx.all("webhooks_due", now=ids.timestamp(now))


# rule: delivery-at-least-once
async def process_batch(
    tx: Writer,
    store_id: str,
    webhook_id: str,
    finished: Sequence[Attempt],
    most: int,
    lease: str,
    new_id: Callable[[], str],
    clock: ReferenceClock,
    add_products: AddProducts | None = None,
    running: int = 0,
) -> Batch | None:
    """Processes a batch of a webhook, claiming at most ``most`` deliveries.

    ``running``: how many sends to the webhook are in progress. Returns None if the webhook was
    deleted or turned off.
    """
    now = clock()
    at = ids.timestamp(now)
    try:
        async with webhooks.changing(tx, store_id, webhook_id) as state:
            # Fail before claiming: with a malformed time, results couldn't be recorded later.
            if state.shown.failing_since:  # rule: bad-row
                ids.from_timestamp(state.shown.failing_since)
            await _record(tx, store_id, state, finished, clock)
            if not state.shown.enabled:
                return None
            skipped = state.shown.skipped
            more = await _queue(tx, store_id, state, new_id, at)
            waits = at < state.wait_until  # rule: delivery-schedule
            if state.shown.format is not None:  # rule: delivery-fair
                most = max(0, min(most, formats.TOOLS[state.shown.format].max_concurrent - running))
            claimed = [] if waits else await _claim(tx, store_id, state, most, lease, now)
            if add_products and (state.shown.format is not None or state.shown.include):
                claimed = await _with_products(tx, store_id, claimed, add_products)
            row = await tx.one("delivery_next", store=store_id, webhook=webhook_id)
            state.due = at if more or row is None else row[0]
            if waits and not more and state.due is not None:
                state.due = max(state.due, state.wait_until)
    except NotFound:
        return None
    return Batch(state, claimed, more, state.shown.skipped - skipped)


# rule: delivery-at-least-once
async def _claim(
    tx: Writer, store_id: str, state: WebhookState, most: int, lease: str, now: int
) -> list[ClaimedDelivery]:
    """Claims at most ``most`` due deliveries, and reads their events."""
    rows = await tx.all(
        "deliveries_claim",
        store=store_id,
        webhook=state.shown.id,
        now=ids.timestamp(now),
        lease=lease,
        until=ids.timestamp(now + LEASE_MS),
        limit=most,
    )
    found = await events_at(tx, store_id, [number for _, number, *_ in rows])
    return [
        ClaimedDelivery(id, lease, type_, tried, found.get(number))
        for id, number, type_, tried in rows
    ]


# rule: event-product
async def _with_products(
    tx: Reader, store_id: str, claimed: Sequence[ClaimedDelivery], add_products: AddProducts
) -> list[ClaimedDelivery]:
    sent = [one.event for one in claimed if one.event is not None]
    added = iter(await add_products(tx, store_id, sent))
    return [one if one.event is None else one._replace(event=next(added)) for one in claimed]


# rule: delivery-at-least-once
async def record_attempts(
    tx: Writer, store_id: str, webhook_id: str, finished: Sequence[Attempt], clock: ReferenceClock
) -> None:
    """Records the results of attempts, without the rest of a batch."""
    with contextlib.suppress(NotFound):
        async with webhooks.changing(tx, store_id, webhook_id) as state:
            await _record(tx, store_id, state, finished, clock)


async def _record(
    tx: Writer,
    store_id: str,
    state: WebhookState,
    finished: Sequence[Attempt],
    clock: ReferenceClock,
) -> None:
    rows, shown = [], state.shown
    for attempt in finished:
        delivery, at, outcome = attempt.delivery, ids.timestamp(attempt.at), attempt.outcome
        next_at = ids.timestamp(attempts.next_retry(attempt)) if outcome == "pending" else None
        if attempt.wait:  # rule: delivery-schedule
            until = ids.timestamp(attempt.at + attempt.wait * 1000)
            state.wait_until = max(state.wait_until, until)
        rows.append(
            {
                "store": store_id,
                "webhook": shown.id,
                "id": delivery.id,
                "lease": delivery.lease,
                "status": outcome,
                "attempts": delivery.attempts + attempt.counts,
                "last_status": attempt.status,
                "last_attempt_at": at,
                "next_at": next_at,
                "answer": attempt.answer,
            }
        )
        if outcome in ("skipped", "by_hand"):
            shown.skipped += 1
        if outcome in ("skipped", "by_hand") or delivery.event is None:
            continue
        # rule: delivery-schedule
        if outcome == "delivered":
            shown.failing_since = None
            continue
        shown.failing_since = shown.failing_since or at
        if attempt.key_refused:  # rule: format-answers
            answer = f": {attempt.answer}" if attempt.answer else "."
            shown.problem = f"The key was refused with {attempt.status}{answer}"
        elif attempt.status == _GONE_STATUS:
            shown.problem = "The receiver answered 410 (Gone)."
        elif await _fails_for_long(tx, shown.failing_since, clock):
            shown.problem = "Every attempt failed for a week."
        if shown.problem:
            shown.enabled = False
    await tx.run_many("delivery_record_attempt", rows)


# rules: delivery-schedule, clock-guard
async def _fails_for_long(tx: Reader, since: str, clock: ReferenceClock) -> bool:
    try:
        return await clock.checked_now(tx) - ids.from_timestamp(since) >= _GIVE_UP_MS
    except ClockSuspect:
        return False


# rule: delivery-at-least-once
async def _queue(
    tx: Writer, store_id: str, state: WebhookState, new_id: Callable[[], str], now: str
) -> bool:
    """Queues deliveries of a batch of new events. Returns whether the feed has more."""
    last, _ = await webhooks.feed_ends(tx, store_id)
    if last <= state.position:
        return False
    new_events = await tx.all(
        "event_positions", store=store_id, after=state.position, until=last, limit=_BATCH_SIZE
    )
    wanted = [row for row in new_events if state.wants(row[3])]
    # rule: format-events
    taken = [row for row in wanted if formats.takes(state.shown.format, row[3], row[5])]
    state.shown.skipped += len(wanted) - len(taken)
    rows = [
        {
            "store": store_id,
            "webhook": state.shown.id,
            "id": new_id(),
            "number": number,
            "profile": profile_id,
            "sequence": sequence,
            "type": type_,
            "next_at": now,
        }
        for number, profile_id, sequence, type_, *_ in taken
    ]
    await tx.run_many("delivery_add", rows)
    more = len(new_events) == _BATCH_SIZE
    state.position = new_events[-1][0] if more else last
    return more


async def events_at(tx: Reader, store_id: str, numbers: Sequence[int]) -> dict[int, Event]:
    """Returns events by feed position, without those that were removed or are unreadable."""
    if not numbers:
        return {}
    rows = await tx.all("events_at_positions", store=store_id, numbers=[*map(str, numbers)])
    name = f"events of store {store_id}"
    return dict(bad_rows.parse_rows(name, rows, lambda row: (row[0], events.from_row(row[1:]))))
