"""Sends the due webhook deliveries of a process, with one task for each webhook that has a backlog.

Sends in flight are limited for each webhook and each store (fair queueing), so a slow receiver
doesn't delay others (contract: delivery-slow). docs/decisions/0017 has the measured cost of a send.
"""

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import Collection
from typing import Any

import msgspec
import structlog

from wishwell import ids
from wishwell.db import Database, bad_rows
from wishwell.db.clock import ReferenceClock
from wishwell.errors import Misconfigured, Unavailable
from wishwell.events import deliveries, webhooks
from wishwell.events.deliveries import TEST, Attempt, Taken
from wishwell.events.webhooks import Secrets
from wishwell.outbound import Outbound
from wishwell.outbound.answer import Unanswered
from wishwell.stores.sealing import Sealing

SECONDS = 15.0
"""Timeout of a send in seconds, from the DNS lookup to the last byte of the response."""

_IN_FLIGHT = 64
"""Maximum concurrent sends of this process to one webhook."""

MOST = 512
"""Maximum concurrent sends of this process. Each holds a socket and some memory."""

_TURNS = 8
"""Maximum concurrent batches, so that database connections remain for requests."""

_GATHER_SECONDS = 0.02
"""Seconds that results are collected, to be recorded together."""

_PAUSE_SECONDS = 1.0
"""Seconds between polls and retries of a batch; also the timeout to record the last results."""

_BROKEN_SECONDS = 30
"""Backoff in seconds of a webhook whose work failed. Its sends in flight finish first."""

log = structlog.get_logger("wishwell.events.sender")

Sends = set[asyncio.Task[Attempt]]
"""A webhook's sends: in flight, or finished and not recorded yet."""


class Sender:
    """The sender of a process. ``attempts`` counts finished attempts by result.

    ``oldest``: the earliest due time found by the last poll, in milliseconds since 1970, or 0 if
    nothing was due. ``seconds``: timeout of a send. ``most``: maximum concurrent sends.
    """

    def __init__(
        self,
        db: Database,
        outbound: Outbound,
        sealing: Sealing,
        clock: ReferenceClock,
        seconds: float = SECONDS,
        most: int = MOST,
    ) -> None:
        self.attempts: Counter[str] = Counter()
        self.oldest = 0
        self._db = db
        self._outbound = outbound
        self._sealing = sealing
        self._clock = clock
        self._seconds = seconds
        self._most = most
        self._new_id = ids.UUID7(clock)
        self._turns = asyncio.Semaphore(_TURNS)
        self._held: Counter[str] = Counter()
        self._work: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def look(self) -> bool:
        """Polls for due webhooks and starts their tasks. Returns whether any webhook was due.

        Raises ``Unavailable``.
        """
        due = await self._db.read(deliveries.due, self._clock())
        self.oldest = min(
            bad_rows.each("webhooks", due, lambda row: ids.from_timestamp(row[2])), default=0
        )
        for store_id, id, _ in due:
            if (store_id, id) not in self._work:
                self._work[store_id, id] = asyncio.create_task(self._work_on(store_id, id))
        return bool(due)

    async def stop(self) -> None:
        """Cancels all work and waits until it has stopped."""
        await _end(self._work.values())

    async def settle(self) -> None:
        """Waits until all work is finished."""
        while self._work:
            await asyncio.gather(*self._work.values())

    # contract: delivery-noted
    async def _work_on(self, store_id: str, id: str) -> None:
        """Works on a webhook. However that ends, records the results of finished attempts."""
        sends: Sends = set()
        try:
            try:
                with bad_rows.passed_over("webhooks", f"{id} of store {store_id}"):
                    return await self._send_all(store_id, id, sends)
            except Misconfigured as error:
                # For example, another process encrypted the secret with a key that this one lacks.
                log.error("webhook_failed", webhook=id, reason=error.message)
            if sends:
                await asyncio.wait(sends)
            await self._note(store_id, id, sends)
            await asyncio.sleep(_BROKEN_SECONDS)
        finally:
            await _end(sends)
            await self._note(store_id, id, sends)
            del self._work[store_id, id]

    async def _send_all(self, store_id: str, id: str, sends: Sends) -> None:
        """Sends due deliveries until the backlog is empty, recording results with each batch."""
        more = True
        while more or sends:
            try:
                more = await self._turn(store_id, id, sends)
            except Unavailable as error:
                log.warning("webhook_put_off", webhook=id, reason=error.message)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            if sends and not more:
                # With a timeout, because more deliveries may become due.
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait(sends, timeout=_PAUSE_SECONDS, return_when=first)
                await asyncio.sleep(_GATHER_SECONDS)

    # contract: delivery-slow
    async def _turn(self, store_id: str, id: str, sends: Sends) -> bool:
        """Processes a batch: records results, claims what its share of slots allows, starts sends.

        Returns whether the next batch should follow immediately.
        """
        async with self._turns:
            ended = _ended(sends)
            most = self._room(store_id, len(sends) - len(ended))
            # Reserve the slots during the batch; each send then holds its own until it finishes.
            self._held[store_id] += most
            try:
                turn = await self._db.write(
                    deliveries.turn,
                    store_id,
                    id,
                    [*ended.values()],
                    most,
                    secrets.token_hex(8),
                    self._new_id,
                    self._clock,
                )
                self._noted(sends, ended)
                if turn is None:
                    return False
                kept = turn.webhook
                keys = webhooks.opened(self._sealing, store_id, id, kept.sealed)
                for taken in turn.taken:
                    send = asyncio.create_task(self._send(store_id, kept.shown.url, keys, taken))
                    self._held[store_id] += 1
                    send.add_done_callback(lambda _: self._held.subtract([store_id]))
                    sends.add(send)
                return turn.more and not turn.taken
            finally:
                self._held[store_id] -= most

    def _room(self, store_id: str, own: int) -> int:
        """Returns how many more sends a webhook with ``own`` in flight may start (fair queueing).

        A store may hold at most half of the slots that other stores don't use, and a webhook at
        most as many as it leaves for the store's other webhooks. So a store whose receivers are all
        slow leaves half of the slots free, and ten such stores leave some for an eleventh.
        """
        left = self._most - self._held.total() - self._held[store_id] - own
        # Each started send counts three times: in the total, for the store and as own.
        return max(0, min(_IN_FLIGHT - own, -(-left // 3)))

    async def _note(self, store_id: str, id: str, sends: Sends) -> None:
        """Records the results of finished attempts, without claiming deliveries."""
        if ended := _ended(sends):
            with (
                contextlib.suppress(TimeoutError, Unavailable),
                bad_rows.passed_over("webhooks", f"{id} of store {store_id}"),
            ):
                async with asyncio.timeout(_PAUSE_SECONDS):
                    await self._db.write(
                        deliveries.note, store_id, id, [*ended.values()], self._clock
                    )
                self._noted(sends, ended)

    def _noted(self, sends: Sends, ended: Collection[asyncio.Task[Attempt]]) -> None:
        """Counts recorded attempts and removes them; others may have finished since."""
        for send in ended:
            outcome = send.result().outcome
            self.attempts["retried" if outcome == "pending" else outcome] += 1
        sends.difference_update(ended)

    async def _send(self, store_id: str, url: str, keys: Secrets, taken: Taken) -> Attempt:
        """Makes one attempt."""
        now, event = self._clock(), taken.event
        if event is None and taken.type != TEST:
            return Attempt(taken, now, None)
        id = taken.id if event is None else event.id
        test = {"id": id, "type": TEST, "timestamp": ids.timestamp(now), "data": {}}
        body = msgspec.json.encode(event or test)
        try:
            answer = await self._outbound.call(
                "POST",
                url,
                headers=webhooks.signed(keys, id, body, now),
                body=body,
                seconds=self._seconds,
                owner=store_id,
            )
        except Unanswered:
            return Attempt(taken, self._clock(), None)
        except Exception:  # a bug; the message may have been sent nevertheless
            log.exception("webhook_failed", delivery=taken.id)
            return Attempt(taken, self._clock(), None)
        return Attempt(taken, self._clock(), answer.status)


def _ended(sends: Sends) -> dict[asyncio.Task[Attempt], Attempt]:
    """Returns the finished sends with their results."""
    return {send: send.result() for send in sends if send.done() and not send.cancelled()}


async def _end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits until they have stopped."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
