"""Sends deliveries: a process's own share of them, a task for each webhook that has work.

Each webhook has a bounded number of sends in flight, so one that is slow delays no other
(contract: delivery-slow). What a send costs a process is measured in docs/decisions/0017.
"""

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog

from wishwell import ids
from wishwell.db import Database, bad_rows
from wishwell.errors import Misconfigured, Unavailable
from wishwell.events import Event, deliveries, webhooks
from wishwell.events.deliveries import TEST, Attempt, Taken, Turn
from wishwell.events.webhooks import Secrets
from wishwell.outbound import Outbound
from wishwell.outbound.answer import Unanswered
from wishwell.outbound.room import Room
from wishwell.stores.sealing import Sealing

SECONDS = 15.0
"""A whole send, from finding the address to the last byte of the answer."""

_BEGIN_SECONDS = deliveries.LEASE_MS / 1000 - SECONDS - 2
"""How long after it was taken a send may begin, so that it ends before its lease."""

_IN_FLIGHT = 64
"""Sends of a webhook at once, of this process."""

MOST = 512
"""Sends of all webhooks at once, of this process. Each holds a socket, and some memory."""

_TURNS = 8
"""Turns at once, so that requests find a connection to the database."""

_GATHER_SECONDS = 0.02
"""How long answers are gathered before they are written together."""

_PAUSE_SECONDS = 1.0
_BROKEN_PAUSES = 30
"""For how many of these a webhook is left alone whose work failed. What it has in flight ends."""

_STOP_SECONDS = 1.0

log = structlog.get_logger("wishwell.events.sender")


@dataclass(eq=False)
class _Outbox:
    """What this process has to do with one webhook: sends in flight, and answers to write down.

    ``wake`` is set when a send has ended, or more is due.
    """

    store_id: str
    webhook_id: str
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    sending: set[asyncio.Task[Attempt | None]] = field(default_factory=set)
    done: list[Attempt] = field(default_factory=list)

    @property
    def row(self) -> str:
        """Its name in the log."""
        return f"{self.webhook_id} of store {self.store_id}"


class Sender:
    """One a process. ``attempts`` counts how they went.

    ``oldest``: since when the delivery that is due for longest waits, in milliseconds since 1970;
    0 if none was at the last look. ``monotonic`` counts seconds, however the clock is set.
    ``seconds`` bounds a whole send, ``most`` how many there are at once.
    """

    def __init__(
        self,
        db: Database,
        outbound: Outbound,
        sealing: Sealing,
        clock: ids.Clock = ids.wall_clock,
        monotonic: Callable[[], float] = time.monotonic,
        seconds: float = SECONDS,
        most: int = MOST,
    ) -> None:
        self.attempts: Counter[str] = Counter()
        self.oldest = 0
        self._db = db
        self._outbound = outbound
        self._sealing = sealing
        self._clock = clock
        self._monotonic = monotonic
        self._seconds = seconds
        self._new_id = ids.UUID7(clock)
        self._turns = asyncio.Semaphore(_TURNS)
        self._room = Room(most)
        self._outboxes: dict[tuple[str, str], _Outbox] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def look(self) -> bool:
        """Starts work on webhooks that are due. Returns whether any is. Raises ``Unavailable``."""
        due = await self._db.read(deliveries.due, ids.timestamp(self._clock()))
        self.oldest = min(
            bad_rows.each("webhooks", due, lambda row: ids.from_timestamp(row[2])), default=0
        )
        for store_id, id, _ in due:
            if not self._room.has(store_id):
                continue
            if (outbox := self._outboxes.get((store_id, id))) is not None:
                outbox.wake.set()
                continue
            self._outboxes[store_id, id] = outbox = _Outbox(store_id, id)
            task = asyncio.create_task(self._work(outbox))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return bool(due)

    async def stop(self) -> None:
        """Breaks off all work, and waits until it has ended."""
        await _end(self._tasks)

    async def settle(self) -> None:
        """Waits until all work has ended by itself."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    # contract: delivery-noted
    async def _work(self, outbox: _Outbox) -> None:
        """Works on a webhook. However that ends, the attempts made by then are written down."""
        failed = True
        try:
            try:
                with bad_rows.passed_over("webhooks", outbox.row):
                    await self._send_all(outbox)
                    failed = False
            except Misconfigured as error:
                # Such as a secret that another process has sealed with a newer key.
                log.error("webhook_failed", webhook=outbox.webhook_id, reason=error.message)
            for _ in range(_BROKEN_PAUSES if failed else 0):
                await self._note(outbox)
                await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            await _end(outbox.sending)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOP_SECONDS):
                    await self._note(outbox)
            del self._outboxes[outbox.store_id, outbox.webhook_id]

    async def _send_all(self, outbox: _Outbox) -> None:
        """Sends what is due, until nothing is. Its answers are written turn by turn."""
        while True:
            begun = self._monotonic()
            try:
                turn = await self._turn(outbox)
                if turn is not None and turn.taken:
                    await self._begin(outbox, turn, begun)
                elif turn is not None and turn.more:
                    continue
            except Unavailable as error:
                log.warning("webhook_put_off", webhook=outbox.webhook_id, reason=error.message)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            if not outbox.sending and not outbox.done:
                return
            await outbox.wake.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            outbox.wake.clear()

    async def _note(self, outbox: _Outbox) -> None:
        """Writes down how attempts went, and does nothing else."""
        if not outbox.done:
            return
        try:
            with bad_rows.passed_over("webhooks", outbox.row):
                attempts, webhook = [*outbox.done], (outbox.store_id, outbox.webhook_id)
                await self._db.write(deliveries.note, *webhook, attempts)
                self._noted(outbox, attempts)
        except Unavailable as error:
            log.warning("webhook_put_off", webhook=outbox.webhook_id, reason=error.message)

    # contract: delivery-slow
    async def _turn(self, outbox: _Outbox) -> Turn | None:
        """A turn, which takes what there is room for beside what is in flight.

        The room of what it took is held until that has been sent.
        """
        async with self._turns:
            store_id, own, attempts = outbox.store_id, len(outbox.sending), [*outbox.done]
            free = most = self._room.take(store_id, _IN_FLIGHT - own, own)
            try:
                turn = await self._db.write(
                    deliveries.turn,
                    store_id,
                    outbox.webhook_id,
                    attempts,
                    most,
                    secrets.token_hex(8),
                    self._new_id,
                    self._clock(),
                )
                if turn is not None:
                    free -= len(turn.taken)
            finally:
                self._room.give_back(store_id, free)
            self._noted(outbox, attempts)
            return turn

    def _noted(self, outbox: _Outbox, attempts: Sequence[Attempt]) -> None:
        """Counts attempts, and forgets them: more may have come behind them meanwhile."""
        for attempt in attempts:
            outcome = attempt.outcome
            self.attempts["retried" if outcome == "pending" else outcome] += 1
        del outbox.done[: len(attempts)]

    async def _begin(self, outbox: _Outbox, turn: Turn, begun: float) -> None:
        store_id, kept = outbox.store_id, turn.webhook
        try:
            keys = webhooks.opened(self._sealing, store_id, kept.shown.id, kept.sealed)
            numbers = [taken.number for taken in turn.taken if taken.number is not None]
            events = await self._db.read(deliveries.events_of, store_id, numbers)
        except BaseException:
            self._room.give_back(store_id, len(turn.taken))
            raise

        def ended(task: asyncio.Task[Attempt | None]) -> None:
            self._room.give_back(store_id)
            outbox.sending.discard(task)
            if not task.cancelled() and (attempt := task.result()) is not None:
                outbox.done.append(attempt)
            outbox.wake.set()

        for taken in turn.taken:
            event = events.get(taken.number or 0)
            send = self._send(store_id, kept.shown.url, keys, taken, event, begun)
            task = asyncio.create_task(send)
            task.add_done_callback(ended)
            outbox.sending.add(task)

    # contract: delivery-lease
    async def _send(
        self,
        store_id: str,
        url: str,
        keys: Secrets,
        taken: Taken,
        event: Event | None,
        begun: float,
    ) -> Attempt | None:
        """One attempt; None if it is too late to begin."""
        now = self._clock()
        if event is None and taken.type != TEST:
            return Attempt(taken, now, None, lost=True)
        if self._monotonic() - begun > _BEGIN_SECONDS:
            return None
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
        except Exception:  # a defect: it may have been sent all the same
            log.exception("webhook_failed", delivery=taken.id)
            return Attempt(taken, self._clock(), None)
        ended = self._clock()
        return Attempt(taken, ended, answer.status, deliveries.later(answer.retry_after, ended))


async def _end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks, and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
