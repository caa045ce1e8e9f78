"""Sends the due webhook deliveries of a process, with one task for each webhook that has a backlog.

Sends in flight are limited for each webhook and each store (fair queueing), so a slow receiver
doesn't delay others (rule: delivery-fair; docs/decisions/0017).
"""

import asyncio
import contextlib
import re
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

import msgspec
import structlog
from msgspec import UNSET

from wishwell import ids
from wishwell.db import Database, bad_rows
from wishwell.db.clock import ReferenceClock
from wishwell.errors import Misconfigured, Unavailable
from wishwell.events import Event, attempts, deliveries, formats, webhooks
from wishwell.events.attempts import Attempt, ClaimedDelivery
from wishwell.events.deliveries import TEST, AddProducts, Batch
from wishwell.events.formats import Recipient, Request, Unsent
from wishwell.events.webhooks import Secrets, Webhook
from wishwell.jobs import IDLE_SECONDS, Job, Run
from wishwell.outbound import Outbound
from wishwell.outbound.answer import Answer, Unanswered
from wishwell.stores.sealing import Sealing

TIMEOUT_SECONDS = 15.0
"""Timeout of a send in seconds, from the DNS lookup to the last byte of the response."""

MAX_CONCURRENT_PER_WEBHOOK = 64
"""Maximum concurrent sends of this process to one webhook."""

MAX_CONCURRENT = 512
"""Maximum concurrent sends of this process. Each holds a socket and some memory."""

_MAX_CONCURRENT_BATCHES = 8
"""Maximum concurrent batches, so that database connections remain for requests."""

_GATHER_SECONDS = 0.02
"""Seconds that results are collected, to be recorded together."""

POLL_SECONDS = 1.0
"""Seconds between polls and retries of a batch; also the timeout to record the last results."""

_NOT_FOUND_STATUS = 404
_MAX_LOCATION_CHARACTERS = 300
"""Characters of a redirect's target that a delivery shows."""
_FAILURE_BACKOFF_SECONDS = 30
"""Backoff in seconds of a webhook whose work failed. Its sends in flight finish first."""

FindRecipient = Callable[[str, str], Awaitable[Recipient | Unsent]]
"""Returns whom a mail to the profile of a store with this GID may be sent to."""

log = structlog.get_logger("wishwell.events.sender")

Sends = set[asyncio.Task[Attempt]]
"""A webhook's sends: in flight, or finished and not recorded yet."""


class Sender:
    """The sender of a process. ``attempts`` counts finished attempts by result.

    ``oldest_due``: the earliest due time found by the last poll, in milliseconds since 1970, or 0
    if nothing was due. ``add_products``: adds product data to events. ``find_recipient``: for
    formats that send mails. ``timeout_seconds``: timeout of a send. ``max_concurrent``: maximum
    concurrent sends.
    """

    def __init__(
        self,
        db: Database,
        outbound: Outbound,
        sealing: Sealing,
        clock: ReferenceClock,
        add_products: AddProducts,
        find_recipient: FindRecipient,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_concurrent: int = MAX_CONCURRENT,
    ) -> None:
        self.attempts: Counter[str] = Counter()
        self.oldest_due = 0
        self._db = db
        self._outbound = outbound
        self._sealing = sealing
        self._clock = clock
        self._add_products = add_products
        self._find_recipient = find_recipient
        self._timeout_seconds = timeout_seconds
        self._max_concurrent = max_concurrent
        self._new_id = ids.UUID7(clock)
        self._batches = asyncio.Semaphore(_MAX_CONCURRENT_BATCHES)
        self._slots_in_use: Counter[str] = Counter()
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def poll(self) -> bool:
        """Polls for due webhooks and starts their tasks. Returns whether any webhook was due.

        Raises ``Unavailable``.
        """
        rows = await self._db.read(deliveries.find_due_webhooks, self._clock())
        self.oldest_due = min(
            bad_rows.parse_rows("webhooks", rows, lambda row: ids.from_timestamp(row[2])), default=0
        )
        for store_id, id, _ in rows:
            if (store_id, id) not in self._tasks:
                self._tasks[store_id, id] = asyncio.create_task(self._serve_webhook(store_id, id))
        return bool(rows)

    # rule: webhook-signed
    def job(self) -> Job:
        """Returns the job that starts the deliveries that are due."""

        async def work(run: Run) -> float | None:
            is_busy = await self.poll() or run.access_cache.any_events_enabled()
            return None if is_busy else IDLE_SECONDS

        return Job("webhooks", 0.25, work)

    async def stop(self) -> None:
        """Cancels all work and waits until it has stopped."""
        await _cancel_all(self._tasks.values())

    async def wait_until_idle(self) -> None:
        """Waits until all work is finished."""
        while self._tasks:
            await asyncio.gather(*self._tasks.values())

    # rule: delivery-at-least-once
    async def _serve_webhook(self, store_id: str, id: str) -> None:
        """Works on a webhook. However that ends, records the results of finished attempts."""
        sends: Sends = set()
        try:
            try:
                with bad_rows.skip_bad_row("webhooks", f"{id} of store {store_id}"):
                    return await self._send_all(store_id, id, sends)
            except Misconfigured as error:
                # For example, another process encrypted the secret with a key that this one lacks.
                log.error("webhook_failed", webhook=id, reason=error.message)
            if sends:
                await asyncio.wait(sends)
            await self._record_finished(store_id, id, sends)
            await asyncio.sleep(_FAILURE_BACKOFF_SECONDS)
        finally:
            await _cancel_all(sends)
            await self._record_finished(store_id, id, sends)
            del self._tasks[store_id, id]

    async def _send_all(self, store_id: str, id: str, sends: Sends) -> None:
        """Sends due deliveries until the backlog is empty, recording results with each batch."""
        has_more = True
        while has_more or sends:
            try:
                has_more = await self._process_batch(store_id, id, sends)
            except Unavailable as error:
                log.warning("webhook_put_off", webhook=id, reason=error.message)
                await asyncio.sleep(POLL_SECONDS)
                continue
            if sends and not has_more:
                # With a timeout, because more deliveries may become due.
                await asyncio.wait(sends, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.sleep(_GATHER_SECONDS)

    # rule: delivery-fair
    async def _process_batch(self, store_id: str, id: str, sends: Sends) -> bool:
        """Processes a batch: records results, claims what its share of slots allows, starts sends.

        Returns whether the next batch should follow immediately.
        """
        async with self._batches:
            finished = _find_finished(sends)
            in_flight = len(sends) - len(finished)
            slots = self._count_free_slots(store_id, in_flight)
            # Reserve the slots during the batch; each send then holds its own until it finishes.
            self._slots_in_use[store_id] += slots
            try:
                batch = await self._db.write(
                    deliveries.process_batch,
                    store_id,
                    id,
                    [*finished.values()],
                    slots,
                    secrets.token_hex(8),
                    self._new_id,
                    self._clock,
                    self._add_products,
                    in_flight,
                )
                self._count_recorded(sends, finished)
                if batch is None:
                    return False
                if batch.skipped:
                    self.attempts["skipped"] += batch.skipped
                self._start_sends(store_id, batch, sends)
                return batch.has_more and not batch.claimed
            finally:
                self._slots_in_use[store_id] -= slots

    def _start_sends(self, store_id: str, batch: Batch, sends: Sends) -> None:
        """Starts to send the claimed deliveries. Each send holds a slot until it finishes."""
        webhook = batch.state.webhook
        keys = webhooks.decrypt(self._sealing, store_id, webhook.id, batch.state.sealed)
        for delivery in batch.claimed:
            send = asyncio.create_task(self._send(store_id, webhook, keys, delivery))
            self._slots_in_use[store_id] += 1
            send.add_done_callback(lambda _: self._slots_in_use.subtract([store_id]))
            sends.add(send)

    def _count_free_slots(self, store_id: str, in_flight: int) -> int:
        """Returns how many sends a webhook may add to those ``in_flight`` (fair queueing).

        A store may hold at most half of the slots that other stores don't use, and a webhook at
        most as many as it leaves for the store's other webhooks. So a store whose receivers are all
        slow leaves half of the slots free, and ten such stores leave some for an eleventh.
        """
        free = (
            self._max_concurrent
            - self._slots_in_use.total()
            - self._slots_in_use[store_id]
            - in_flight
        )
        # Each started send counts three times: in the total, for the store and as in flight.
        return max(0, min(MAX_CONCURRENT_PER_WEBHOOK - in_flight, -(-free // 3)))

    async def _record_finished(self, store_id: str, id: str, sends: Sends) -> None:
        """Records the results of finished attempts, without claiming deliveries."""
        if finished := _find_finished(sends):
            with (
                contextlib.suppress(TimeoutError, Unavailable),
                bad_rows.skip_bad_row("webhooks", f"{id} of store {store_id}"),
            ):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._db.write(
                        deliveries.record_attempts, store_id, id, [*finished.values()], self._clock
                    )
                self._count_recorded(sends, finished)

    def _count_recorded(self, sends: Sends, finished: Collection[asyncio.Task[Attempt]]) -> None:
        """Counts recorded attempts and removes them; others may have finished since."""
        for send in finished:
            outcome = send.result().outcome
            self.attempts["retried" if outcome == "pending" else outcome] += 1
        sends.difference_update(finished)

    async def _send(
        self, store_id: str, webhook: Webhook, keys: Secrets, delivery: ClaimedDelivery
    ) -> Attempt:
        now, event = self._clock(), delivery.event
        if event is None and delivery.type != TEST:
            return Attempt(delivery, now)
        id = delivery.id if event is None else event.id
        request: Request | Unsent
        try:
            if webhook.format is not None:
                tool = formats.TOOLS[webhook.format]
                request = tool.build_test(id) if event is None else tool.build_request(event)
                if event is not None and tool.is_mail and isinstance(request, Request):
                    request = await self._add_recipient(store_id, event, request, keys)
                headers = formats.build_headers(webhook.format, keys.key)
            else:
                test_event = {"id": id, "type": TEST, "timestamp": ids.timestamp(now), "data": {}}
                body = msgspec.json.encode(event or test_event)
                request = Request("POST", "", body)
                headers = webhooks.build_signature_headers(keys, id, body, now)
            if event is not None and event.traceparent is not UNSET:  # rule: trace-context
                headers["traceparent"] = event.traceparent
            return await self._exchange(store_id, webhook, keys.key, request, headers, delivery)
        except (Unanswered, Unavailable):
            return Attempt(delivery, self._clock())
        except Exception:  # a bug; the message may have been sent nevertheless
            log.exception("webhook_failed", delivery=delivery.id)
            return Attempt(delivery, self._clock())

    # rule: format-mail
    async def _add_recipient(
        self, store_id: str, event: Event, request: Request, keys: Secrets
    ) -> Request | Unsent:
        """Returns a request with its template and recipient, or why nothing is sent."""
        template = keys.templates.get(event.type)
        if template is None:
            return Unsent(f"The webhook has no template for {event.type}.")
        recipient = await self._find_recipient(store_id, event.profile)
        if isinstance(recipient, Unsent):
            return recipient
        return formats.add_recipient(request, template, recipient)

    async def _exchange(
        self,
        store_id: str,
        webhook: Webhook,
        key: str,
        request: Request | Unsent | None,
        headers: Mapping[str, str],
        delivery: ClaimedDelivery,
    ) -> Attempt:
        """Sends a request, and those that follow from its answer. Raises ``Unanswered``."""
        base_url = webhook.url if webhook.format is None else webhook.url.rstrip("/")
        deadline = asyncio.get_running_loop().time() + self._timeout_seconds
        while isinstance(request, Request):
            answer = await self._outbound.call(
                request.method,
                base_url + request.path,
                headers=headers,
                body=request.body,
                seconds=deadline - asyncio.get_running_loop().time(),
                owner=store_id,
            )
            now, status, private = self._clock(), answer.status, request.recipient
            is_done, absent = 200 <= status < 300, request.absent
            request = request.follow(answer.body) if is_done and request.follow else None
            if absent is not None and status == _NOT_FOUND_STATUS:
                is_done = absent.confirms(answer.body)
                request = None if is_done else Unsent(absent.by_hand, by_hand=True)
        if request is not None:
            if request.by_hand:
                log.warning("erase_by_hand", webhook=webhook.id, delivery=delivery.id)
            outcome: attempts.Status = "by_hand" if request.by_hand else "skipped"
            return Attempt(delivery, self._clock(), decided_outcome=outcome, answer=request.reason)
        return Attempt(
            delivery,
            now,
            status,
            wait_seconds=0 if is_done else attempts.parse_retry_after(status, answer.headers, now),
            has_format=webhook.format is not None,
            decided_outcome="delivered" if is_done else None,
            answer="" if is_done else _describe_answer(webhook, answer, key, private),
        )


def _describe_answer(webhook: Webhook, answer: Answer, key: str, private: str) -> str:
    """Returns what a delivery shows of an answer that isn't a success. ``private``: the recipient's
    address, or ''."""
    if webhook.format is not None:
        text = formats.redact_answer(answer.body, key)
        return re.sub(re.escape(private), "…", text, flags=re.IGNORECASE) if private else text
    if not 300 <= answer.status < 400:
        return ""
    location = "".join(filter(str.isprintable, answer.headers.get("location", "")))
    location = location[:_MAX_LOCATION_CHARACTERS]
    return f"A redirect to {location or 'nowhere'}, which isn't followed: update the webhook's URL."


def _find_finished(sends: Sends) -> dict[asyncio.Task[Attempt], Attempt]:
    return {send: send.result() for send in sends if send.done() and not send.cancelled()}


async def _cancel_all(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits until they have stopped."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
