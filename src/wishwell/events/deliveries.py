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
from wishwell.events.webhooks import Webhook, WebhookState
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
    """The result of a batch. ``has_more``: whether the feed has further events to queue.

    ``skipped``: how many events the webhook's format has no request for.
    """

    state: WebhookState
    claimed: list[ClaimedDelivery]
    has_more: bool
    skipped: int


AddProducts = Callable[[Reader, str, Sequence[Event]], Awaitable[list[Event]]]
"""Returns events of a store, the items in their data with their products."""


def from_row(row: Row) -> Delivery:
    """Returns the delivery in a row of the columns ``delivery_fields``."""
    columns = statements.name_columns("delivery_fields", row)
    event_key = columns.pop("profile_id"), columns.pop("sequence")
    event_id = columns["id"] if event_key[0] is None else events.event_id(*event_key)
    columns["answer"] = columns["answer"] or None
    return Delivery(event_id=event_id, next_attempt_at=columns.pop("next_at"), **columns)


async def page(
    tx: Reader,
    store: Store,
    webhook_id: str,
    page_request: PageRequest,
    status: Status | None = None,
) -> Page[Delivery]:
    """Returns a page of a webhook's deliveries with this status, or of all with None, newest first.

    Raises ``NotFound``.
    """
    await webhooks.find(tx, store, webhook_id)
    field = f"webhook_{status}" if status else "webhook"
    page_request = page_request.among(**{field: webhook_id})
    return await pages.read(tx, "deliveries", WholeStore(store), page_request, from_row)


# rule: delivery-resend
async def retry(tx: Writer, store: Store, webhook_id: str, id: str, now: str) -> Delivery:
    """Makes a delivery due now, unless a send is in progress.

    Raises ``NotFound``, and ``Conflict`` if the webhook is turned off.
    """
    async with webhooks.edit(tx, store.id, webhook_id) as state:
        _check_enabled(state)
        params = {"store": store.id, "webhook": webhook_id, "id": id}
        await tx.run("delivery_retry", **params, now=now)
        row = await tx.one("delivery", **params)
        if row is None:
            raise no_record("delivery")
        state.due, state.wait_until = now, ""
    return from_row(row)


# rule: delivery-resend
async def queue_test(tx: Writer, store: Store, webhook_id: str, id: str, now: str) -> Delivery:
    """Queues a delivery of the type ``webhook.test``.

    Raises ``NotFound``, and ``Conflict`` if the webhook is turned off.
    """
    async with webhooks.edit(tx, store.id, webhook_id) as state:
        _check_enabled(state)
        state.due, state.wait_until = now, ""
    params = {"store": store.id, "webhook": webhook_id, "id": id, "type": TEST, "next_at": now}
    await tx.run("delivery_add", **params, number=0, profile=None, sequence=0)
    return Delivery(id, id, TEST, "pending", 0, next_attempt_at=now)


def _check_enabled(state: WebhookState) -> None:
    if not state.webhook.enabled:
        raise Conflict(
            "The webhook is turned off. Turn it on first, with enabled: true or with "
            "`wishwell webhook update --on`.",
            "webhook_off",
        )


# ---------------------------------------------------------------------------------- sending


async def find_due_webhooks(tx: Reader, now: int) -> Sequence[Row]:
    """Returns the due webhooks as rows of store id, webhook id and due time."""
    return await tx.all("webhooks_due", now=ids.timestamp(now))


# rule: delivery-at-least-once
async def process_batch(
    tx: Writer,
    store_id: str,
    webhook_id: str,
    finished_attempts: Sequence[Attempt],
    limit: int,
    lease: str,
    new_id: Callable[[], str],
    clock: ReferenceClock,
    add_products: AddProducts | None = None,
    in_flight: int = 0,
) -> Batch | None:
    """Processes a batch of a webhook, claiming at most ``limit`` deliveries.

    ``in_flight``: how many sends to the webhook are in progress. Returns None if the webhook was
    deleted or turned off.
    """
    now = clock()
    timestamp = ids.timestamp(now)
    try:
        async with webhooks.edit(tx, store_id, webhook_id) as state:
            # Fail before claiming: with a malformed time, results couldn't be recorded later.
            if state.webhook.failing_since:  # rule: bad-row
                ids.from_timestamp(state.webhook.failing_since)
            await _record_results(tx, store_id, state, finished_attempts, clock)
            if not state.webhook.enabled:
                return None
            skipped_before = state.webhook.skipped
            has_more = await _queue_new_events(tx, store_id, state, new_id, timestamp)
            must_wait = timestamp < state.wait_until  # rule: delivery-schedule
            if state.webhook.format is not None:  # rule: delivery-fair
                limit = max(
                    0, min(limit, formats.TOOLS[state.webhook.format].max_concurrent - in_flight)
                )
            claimed = [] if must_wait else await _claim_due(tx, store_id, state, limit, lease, now)
            if add_products and (state.webhook.format is not None or state.webhook.include):
                claimed = await _include_products(tx, store_id, claimed, add_products)
            row = await tx.one("delivery_next", store=store_id, webhook=webhook_id)
            state.due = timestamp if has_more or row is None else row[0]
            if must_wait and not has_more and state.due is not None:
                state.due = max(state.due, state.wait_until)
    except NotFound:
        return None
    return Batch(state, claimed, has_more, state.webhook.skipped - skipped_before)


# rule: delivery-at-least-once
async def _claim_due(
    tx: Writer, store_id: str, state: WebhookState, limit: int, lease: str, now: int
) -> list[ClaimedDelivery]:
    """Claims at most ``limit`` due deliveries, and reads their events."""
    rows = await tx.all(
        "deliveries_claim",
        store=store_id,
        webhook=state.webhook.id,
        now=ids.timestamp(now),
        lease=lease,
        until=ids.timestamp(now + LEASE_MS),
        limit=limit,
    )
    events_by_position = await read_events_at(tx, store_id, [position for _, position, *_ in rows])
    return [
        ClaimedDelivery(id, lease, type_, attempt_count, events_by_position.get(position))
        for id, position, type_, attempt_count in rows
    ]


# rule: event-product
async def _include_products(
    tx: Reader, store_id: str, claimed: Sequence[ClaimedDelivery], add_products: AddProducts
) -> list[ClaimedDelivery]:
    sent_events = [delivery.event for delivery in claimed if delivery.event is not None]
    completed_events = iter(await add_products(tx, store_id, sent_events))
    return [
        delivery if delivery.event is None else delivery._replace(event=next(completed_events))
        for delivery in claimed
    ]


# rule: delivery-at-least-once
async def record_attempts(
    tx: Writer,
    store_id: str,
    webhook_id: str,
    finished_attempts: Sequence[Attempt],
    clock: ReferenceClock,
) -> None:
    """Records the results of attempts, without the rest of a batch."""
    with contextlib.suppress(NotFound):
        async with webhooks.edit(tx, store_id, webhook_id) as state:
            await _record_results(tx, store_id, state, finished_attempts, clock)


async def _record_results(
    tx: Writer,
    store_id: str,
    state: WebhookState,
    finished_attempts: Sequence[Attempt],
    clock: ReferenceClock,
) -> None:
    rows, webhook = [], state.webhook
    for attempt in finished_attempts:
        delivery, outcome, next_at = attempt.delivery, attempt.outcome, None
        if outcome == "pending":
            next_at = ids.timestamp(attempts.compute_next_retry(attempt))
        if attempt.wait_seconds:  # rule: delivery-schedule
            wait_until = ids.timestamp(attempt.finished_at + attempt.wait_seconds * 1000)
            state.wait_until = max(state.wait_until, wait_until)
        rows.append(
            {
                "store": store_id,
                "webhook": webhook.id,
                "id": delivery.id,
                "lease": delivery.lease,
                "status": outcome,
                "attempts": delivery.attempts + attempt.counts_as_try,
                "last_status": attempt.status,
                "last_attempt_at": ids.timestamp(attempt.finished_at),
                "next_at": next_at,
                "answer": attempt.answer,
            }
        )
        if outcome in ("skipped", "by_hand"):
            webhook.skipped += 1
        elif delivery.event is not None:
            await _update_health(tx, webhook, attempt, clock)
    await tx.run_many("delivery_record_attempt", rows)


# rule: delivery-schedule
async def _update_health(
    tx: Reader, webhook: Webhook, attempt: Attempt, clock: ReferenceClock
) -> None:
    """Records a success or a failure, and turns off a webhook that failed for good."""
    if attempt.outcome == "delivered":
        webhook.failing_since = None
        return
    webhook.failing_since = webhook.failing_since or ids.timestamp(attempt.finished_at)
    if attempt.is_key_refused:  # rule: format-answers
        answer = f": {attempt.answer}" if attempt.answer else "."
        webhook.problem = f"The key was refused with {attempt.status}{answer}"
    elif attempt.status == _GONE_STATUS:
        webhook.problem = "The receiver answered 410 (Gone)."
    elif await _has_failed_for_long(tx, webhook.failing_since, clock):
        webhook.problem = "Every attempt failed for a week."
    if webhook.problem:
        webhook.enabled = False


# rules: delivery-schedule, clock-guard
async def _has_failed_for_long(tx: Reader, since: str, clock: ReferenceClock) -> bool:
    try:
        return await clock.checked_now(tx) - ids.from_timestamp(since) >= _GIVE_UP_MS
    except ClockSuspect:
        return False


# rule: delivery-at-least-once
async def _queue_new_events(
    tx: Writer, store_id: str, state: WebhookState, new_id: Callable[[], str], now: str
) -> bool:
    """Queues deliveries of a batch of new events. Returns whether the feed has more."""
    last_position, _ = await webhooks.read_feed_ends(tx, store_id)
    if last_position <= state.position:
        return False
    new_events = await tx.all(
        "event_positions",
        store=store_id,
        after=state.position,
        until=last_position,
        limit=_BATCH_SIZE,
    )
    wanted_rows = [row for row in new_events if state.receives(row[3])]
    # rule: format-events
    accepted_rows = [
        row for row in wanted_rows if formats.accepts(state.webhook.format, row[3], row[5])
    ]
    state.webhook.skipped += len(wanted_rows) - len(accepted_rows)
    rows = [
        {
            "store": store_id,
            "webhook": state.webhook.id,
            "id": new_id(),
            "number": position,
            "profile": profile_id,
            "sequence": sequence,
            "type": type_,
            "next_at": now,
        }
        for position, profile_id, sequence, type_, *_ in accepted_rows
    ]
    await tx.run_many("delivery_add", rows)
    has_more = len(new_events) == _BATCH_SIZE
    state.position = new_events[-1][0] if has_more else last_position
    return has_more


async def read_events_at(tx: Reader, store_id: str, positions: Sequence[int]) -> dict[int, Event]:
    """Returns events by feed position, without those that were removed or are unreadable."""
    if not positions:
        return {}
    rows = await tx.all("events_at_positions", store=store_id, numbers=[*map(str, positions)])
    name = f"events of store {store_id}"
    return dict(bad_rows.parse_rows(name, rows, lambda row: (row[0], events.from_row(row[1:]))))
