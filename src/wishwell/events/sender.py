"""Sends deliveries: a process's own share of them, a task for each webhook that has work.

Each webhook has a bounded number of sends in flight, so one that is slow delays no other
(contract: delivery-slow). What a send costs a process is measured in docs/decisions/0017.
"""

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection
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
_COUNT_EVERY = 60

Key = tuple[str, str]
Sending = asyncio.Task[Attempt | None]
log = structlog.get_logger("wishwell.events.sender")


class Sender:
    """One a process. ``attempts`` counts how they went; the others are of the last look.

    ``oldest``: since when the delivery that is due for longest waits, in milliseconds since 1970;
    0 if none is. ``length``: how many are pending. ``monotonic`` counts seconds, however the
    clock is set. ``seconds`` bounds a whole send, ``most`` how many there are at once.
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
        self.length = 0
        self._db = db
        self._outbound = outbound
        self._sealing = sealing
        self._clock = clock
        self._monotonic = monotonic
        self._seconds = seconds
        self._new_id = ids.UUID7(clock)
        self._turns = asyncio.Semaphore(_TURNS)
        self._room = Room(most)
        self._wakes: dict[Key, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._looks = 0

    async def look(self) -> bool:
        """Begins the work that is there. Returns whether there is any. Raises ``Unavailable``."""
        found = await self._db.read(deliveries.due, ids.timestamp(self._clock()))
        self.oldest = min(
            bad_rows.each("webhooks", found, lambda row: ids.from_timestamp(row[2])), default=0
        )
        if self._looks % _COUNT_EVERY == 0:
            self.length = await self._db.read(deliveries.waiting)
        self._looks += 1
        for store_id, id, _ in found:
            if not self._room.has(store_id):
                continue
            if (wake := self._wakes.get((store_id, id))) is not None:
                wake.set()
                continue
            self._wakes[store_id, id] = asyncio.Event()
            task = asyncio.create_task(self._work(store_id, id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return bool(found)

    async def stop(self) -> None:
        """Breaks off what was begun, and waits until it has ended."""
        await _end(self._tasks)

    async def settle(self) -> None:
        """Waits until what was begun has been sent."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    # contract: delivery-noted
    async def _work(self, store_id: str, id: str) -> None:
        """Works on a webhook. However that ends, what was sent by then is noted."""
        sending, done, whole = set[Sending](), list[Attempt](), False
        try:
            try:
                with bad_rows.passed_over("webhooks", f"{id} of store {store_id}"):
                    await self._send_all(store_id, id, sending, done)
                    whole = True
            except Misconfigured as error:
                # Such as a secret that another process has sealed with a newer key.
                log.error("webhook_failed", webhook=id, reason=error.message)
            for _ in range(0 if whole else _BROKEN_PAUSES):
                _collect(sending, done)
                await self._note(store_id, id, done)
                await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            await _end(sending)
            _collect(sending, done)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOP_SECONDS):
                    await self._note(store_id, id, done)
            del self._wakes[store_id, id]

    async def _send_all(
        self, store_id: str, id: str, sending: set[Sending], done: list[Attempt]
    ) -> None:
        """Sends what is due, until nothing is. Its answers are written turn by turn."""
        wake = self._wakes[store_id, id]
        while True:
            begun = self._monotonic()
            try:
                turn = await self._turn(store_id, id, done, len(sending))
                self._count(done)
                done.clear()
                if turn is not None and turn.taken:
                    for task in await self._begin(store_id, turn, begun):
                        task.add_done_callback(lambda _: self._ended(store_id, wake))
                        sending.add(task)
                elif turn is not None and turn.more:
                    continue
            except Unavailable as error:
                log.warning("webhook_put_off", webhook=id, reason=error.message)
                await asyncio.sleep(_PAUSE_SECONDS)
                _collect(sending, done)
                continue
            if not sending:
                return
            await wake.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            wake.clear()
            _collect(sending, done)

    async def _note(self, store_id: str, id: str, done: list[Attempt]) -> None:
        """Writes how attempts went, and nothing else."""
        if not done:
            return
        try:
            with bad_rows.passed_over("webhooks", f"{id} of store {store_id}"):
                await self._db.write(deliveries.note, store_id, id, done)
                self._count(done)
                done.clear()
        except Unavailable as error:
            log.warning("webhook_put_off", webhook=id, reason=error.message)

    # contract: delivery-slow
    async def _turn(self, store_id: str, id: str, done: list[Attempt], own: int) -> Turn | None:
        """A turn, which takes what there is room for beside its ``own`` in flight.

        The room of what it took is held until that has been sent.
        """
        async with self._turns:
            lease, now = secrets.token_hex(8), self._clock()
            free = most = self._room.take(store_id, _IN_FLIGHT - own, own)
            try:
                turn = await self._db.write(
                    deliveries.turn, store_id, id, done, most, lease, self._new_id, now
                )
                if turn is not None:
                    free -= len(turn.taken)
                return turn
            finally:
                self._room.give_back(store_id, free)

    def _ended(self, store_id: str, wake: asyncio.Event) -> None:
        self._room.give_back(store_id)
        wake.set()

    async def _begin(self, store_id: str, turn: Turn, begun: float) -> list[Sending]:
        kept = turn.webhook
        try:
            keys = webhooks.opened(self._sealing, store_id, kept.shown.id, kept.sealed)
            numbers = [taken.number for taken in turn.taken if taken.number is not None]
            events = await self._db.read(deliveries.events_of, store_id, numbers)
        except BaseException:
            self._room.give_back(store_id, len(turn.taken))
            raise
        to = store_id, kept.shown.url, keys
        return [
            asyncio.create_task(self._send(*to, taken, events.get(taken.number or 0), begun))
            for taken in turn.taken
        ]

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
                keep=False,
                owner=store_id,
            )
        except Unanswered:
            return Attempt(taken, self._clock(), None)
        except Exception:  # a defect: it may have been sent all the same
            log.exception("webhook_failed", delivery=taken.id)
            return Attempt(taken, self._clock(), None)
        ended = self._clock()
        return Attempt(taken, ended, answer.status, deliveries.later(answer.retry_after, ended))

    def _count(self, done: list[Attempt]) -> None:
        for attempt in done:
            outcome = attempt.outcome
            self.attempts["retried" if outcome == "pending" else outcome] += 1


def _collect(sending: set[Sending], done: list[Attempt]) -> None:
    """Moves the answers of sends that have ended to ``done``."""
    for task in [task for task in sending if task.done()]:
        sending.discard(task)
        if not task.cancelled() and (attempt := task.result()) is not None:
            done.append(attempt)


async def _end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks, and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
