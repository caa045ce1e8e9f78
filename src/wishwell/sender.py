"""Sends deliveries: a process's own share of them, a task for each webhook that has work.

Each webhook has a bounded number of sends in flight, so one that is slow delays no other
(contract: delivery-slow). What a send costs a process is measured in docs/decisions/0017.
"""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

import msgspec
import structlog

from wishwell import deliveries, ids, webhooks
from wishwell.db import Database
from wishwell.deliveries import TEST, Attempt, Taken, Turn
from wishwell.errors import Unavailable
from wishwell.events import Event
from wishwell.outbound import Outbound, Unanswered
from wishwell.sealing import Sealing
from wishwell.webhooks import Secrets

SECONDS = 15.0
"""A whole send, from finding the address to the last byte of the answer."""

_BEGIN_SECONDS = deliveries.LEASE_MS / 1000 - SECONDS - 2
"""How long after it was taken a send may begin, so that it ends before its lease."""

_IN_FLIGHT = 64
"""Sends of a webhook at once, of this process."""

_TURNS = 8
"""Turns at once, so that requests find a connection to the database."""

_LOOK_SECONDS = 0.25
_NO_EVENT_SECONDS = 2.0
_GATHER_SECONDS = 0.02
"""How long answers are gathered before they are written together."""

_PAUSE_SECONDS = 1.0
_BROKEN_SECONDS = 30.0
_COUNT_EVERY = 60

Key = tuple[str, str]
log = structlog.get_logger("wishwell.sender")


class _Test(msgspec.Struct):
    """The body of a test, in the form of an event."""

    id: str
    type: str
    timestamp: str
    data: dict[str, str]


class Sender:
    """One a process. ``attempts`` counts how they went; the others are of the last look.

    ``oldest``: since when the delivery that is due for longest waits, in milliseconds since 1970;
    0 if none is. ``length``: how many are pending. ``monotonic`` counts seconds, however the
    clock is set. ``seconds`` bounds a whole send.
    """

    def __init__(
        self,
        db: Database,
        outbound: Outbound,
        sealing: Sealing,
        clock: ids.Clock = ids.wall_clock,
        monotonic: Callable[[], float] = time.monotonic,
        seconds: float = SECONDS,
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
        self._wakes: dict[Key, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._looks = 0

    async def run(self, tells_events: Callable[[], bool]) -> None:
        """Looks for work and does it, until it is cancelled.

        Less often while ``tells_events`` says that no store tells any, and nothing is left.
        """
        try:
            while True:
                there = False
                try:
                    there = await self.look() or tells_events()
                except Unavailable as error:
                    log.warning("webhooks_put_off", reason=error.message)
                except Exception:
                    log.exception("webhooks_failed")
                await asyncio.sleep(_LOOK_SECONDS if there else _NO_EVENT_SECONDS)
        finally:
            await self.stop()

    async def look(self) -> bool:
        """Begins the work that is there. Returns whether there is any."""
        found = await self._db.read(deliveries.due, ids.timestamp(self._clock()))
        self.oldest = min((ids.from_timestamp(since) for *_, since in found), default=0)
        if self._looks % _COUNT_EVERY == 0:
            self.length = await self._db.read(deliveries.waiting)
        self._looks += 1
        for store_id, id, _ in found:
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

    async def _work(self, store_id: str, id: str) -> None:
        sending: set[asyncio.Task[Attempt | None]] = set()
        try:
            await self._send_all(store_id, id, sending)
        except asyncio.CancelledError:
            raise
        except Exception:
            # Such as a secret that another process has sealed with a newer key.
            log.exception("webhook_failed", webhook=id)
            await asyncio.sleep(_BROKEN_SECONDS)
        finally:
            del self._wakes[store_id, id]
            await _end(sending)

    async def _send_all(
        self, store_id: str, id: str, sending: set[asyncio.Task[Attempt | None]]
    ) -> None:
        """Sends what is due, until nothing is. Its answers are written turn by turn."""
        wake, done = self._wakes[store_id, id], list[Attempt]()
        while True:
            begun = self._monotonic()
            try:
                turn = await self._turn(store_id, id, done, _IN_FLIGHT - len(sending))
            except Unavailable as error:
                log.warning("webhook_put_off", webhook=id, reason=error.message)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            self._count(done)
            done = []
            if turn is not None and turn.taken:
                for task in await self._begin(store_id, turn, begun):
                    task.add_done_callback(lambda _: wake.set())
                    sending.add(task)
            elif turn is not None and turn.more:
                continue
            if not sending:
                return
            await wake.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            wake.clear()
            for task in [task for task in sending if task.done()]:
                sending.discard(task)
                if (attempt := task.result()) is not None:
                    done.append(attempt)

    async def _turn(self, store_id: str, id: str, done: list[Attempt], most: int) -> Turn | None:
        async with self._turns:
            lease, now = secrets.token_hex(8), self._clock()
            return await self._db.write(
                deliveries.turn, store_id, id, done, most, lease, self._new_id, now
            )

    async def _begin(
        self, store_id: str, turn: Turn, begun: float
    ) -> list[asyncio.Task[Attempt | None]]:
        kept = turn.webhook
        keys = webhooks.opened(self._sealing, store_id, kept.shown.id, kept.sealed)
        numbers = [one.number for one in turn.taken if one.number is not None]
        told = await self._db.read(deliveries.told, store_id, numbers)
        return [
            asyncio.create_task(
                self._send(kept.shown.url, keys, one, told.get(one.number or 0), begun)
            )
            for one in turn.taken
        ]

    # contract: delivery-lease
    async def _send(
        self, url: str, keys: Secrets, taken: Taken, event: Event | None, begun: float
    ) -> Attempt | None:
        """One attempt; None if it is too late to begin."""
        now = self._clock()
        if event is None and taken.type != TEST:
            return Attempt(taken, now, None, lost=True)
        if self._monotonic() - begun > _BEGIN_SECONDS:
            return None
        told = event or _Test(taken.id, TEST, ids.timestamp(now), {})
        body = msgspec.json.encode(told)
        try:
            answer = await self._outbound.call(
                "POST",
                url,
                headers=webhooks.signed(keys, told.id, body, now),
                body=body,
                seconds=self._seconds,
            )
        except Unanswered:
            return Attempt(taken, self._clock(), None)
        ended = self._clock()
        return Attempt(taken, ended, answer.status, deliveries.later(answer.retry_after, ended))

    def _count(self, done: list[Attempt]) -> None:
        for attempt in done:
            outcome = attempt.outcome
            self.attempts["retried" if outcome == "pending" else outcome] += 1


async def _end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks, and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
