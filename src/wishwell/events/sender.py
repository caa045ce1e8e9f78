"""Sends deliveries: a process's own share of them, a task for each webhook that has work.

Each webhook has a bounded number of sends in flight, so one that is slow delays no other
(contract: delivery-slow). What a send costs a process is measured in docs/decisions/0017.
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
from wishwell.errors import Misconfigured, Unavailable
from wishwell.events import deliveries, webhooks
from wishwell.events.deliveries import TEST, Attempt, Taken
from wishwell.events.webhooks import Secrets
from wishwell.outbound import Outbound
from wishwell.outbound.answer import Unanswered
from wishwell.stores.sealing import Sealing

SECONDS = 15.0
"""A whole send, from finding the address to the last byte of the answer."""

_IN_FLIGHT = 64
"""Sends of a webhook at once, of this process."""

MOST = 512
"""Sends of all webhooks at once, of this process. Each holds a socket, and some memory."""

_TURNS = 8
"""Turns at once, so that requests find a connection to the database."""

_GATHER_SECONDS = 0.02
"""How long answers are gathered before they are written together."""

_PAUSE_SECONDS = 1.0
_BROKEN_SECONDS = 30
"""For how long a webhook is left alone whose work failed. What it has in flight ends."""

log = structlog.get_logger("wishwell.events.sender")

Sends = set[asyncio.Task[Attempt]]
"""Of one webhook: in flight, or ended and not written down yet."""


class Sender:
    """One a process. ``attempts`` counts how they went.

    ``oldest``: since when the delivery that is due for longest waits, in milliseconds since 1970;
    0 if none was at the last look. ``seconds`` bounds a whole send, ``most`` how many there are at
    once.
    """

    def __init__(
        self,
        db: Database,
        outbound: Outbound,
        sealing: Sealing,
        clock: ids.Clock = ids.wall_clock,
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
        """Starts work on webhooks that are due. Returns whether any is. Raises ``Unavailable``."""
        due = await self._db.read(deliveries.due, self._clock())
        self.oldest = min(
            bad_rows.each("webhooks", due, lambda row: ids.from_timestamp(row[2])), default=0
        )
        for store_id, id, _ in due:
            if (store_id, id) not in self._work:
                self._work[store_id, id] = asyncio.create_task(self._work_on(store_id, id))
        return bool(due)

    async def stop(self) -> None:
        """Breaks off all work, and waits until it has ended."""
        await _end(self._work.values())

    async def settle(self) -> None:
        """Waits until all work has ended by itself."""
        while self._work:
            await asyncio.gather(*self._work.values())

    # contract: delivery-noted
    async def _work_on(self, store_id: str, id: str) -> None:
        """Works on a webhook. However that ends, the attempts made by then are written down."""
        sends: Sends = set()
        try:
            try:
                with bad_rows.passed_over("webhooks", f"{id} of store {store_id}"):
                    return await self._send_all(store_id, id, sends)
            except Misconfigured as error:
                # Such as a secret that another process has sealed with a newer key.
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
        """Sends what is due, until nothing is. Its answers are written turn by turn."""
        more = True
        while more or sends:
            try:
                more = await self._turn(store_id, id, sends)
            except Unavailable as error:
                log.warning("webhook_put_off", webhook=id, reason=error.message)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            if sends and not more:
                # Not for longer: more may be due.
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait(sends, timeout=_PAUSE_SECONDS, return_when=first)
                await asyncio.sleep(_GATHER_SECONDS)

    # contract: delivery-slow
    async def _turn(self, store_id: str, id: str, sends: Sends) -> bool:
        """A turn, which takes what there is room for beside what is in flight.

        Returns whether the next one is to follow at once.
        """
        async with self._turns:
            ended = _ended(sends)
            most = self._room(store_id, len(sends) - len(ended))
            # Held for this turn, and then for each send until it ends.
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
                    self._clock(),
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
        """How many sends may begin for a webhook which has so many in flight.

        A store never has more than it leaves free for the others, and a webhook no more than it
        leaves its store's others. So a store whose receivers are all slow leaves half of the room,
        ten such stores leave some to an eleventh, and a newcomer always finds a place.
        """
        left = self._most - self._held.total() - self._held[store_id] - own
        # Each one that is taken makes it three fewer.
        return max(0, min(_IN_FLIGHT - own, -(-left // 3)))

    async def _note(self, store_id: str, id: str, sends: Sends) -> None:
        """Writes down how attempts went, and does nothing else."""
        if ended := _ended(sends):
            with (
                contextlib.suppress(TimeoutError, Unavailable),
                bad_rows.passed_over("webhooks", f"{id} of store {store_id}"),
            ):
                async with asyncio.timeout(_PAUSE_SECONDS):
                    await self._db.write(deliveries.note, store_id, id, [*ended.values()])
                self._noted(sends, ended)

    def _noted(self, sends: Sends, ended: Collection[asyncio.Task[Attempt]]) -> None:
        """Counts attempts, and forgets them: more may have ended meanwhile."""
        for send in ended:
            outcome = send.result().outcome
            self.attempts["retried" if outcome == "pending" else outcome] += 1
        sends.difference_update(ended)

    async def _send(self, store_id: str, url: str, keys: Secrets, taken: Taken) -> Attempt:
        """One attempt."""
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
        except Exception:  # a defect: it may have been sent all the same
            log.exception("webhook_failed", delivery=taken.id)
            return Attempt(taken, self._clock(), None)
        return Attempt(taken, self._clock(), answer.status)


def _ended(sends: Sends) -> dict[asyncio.Task[Attempt], Attempt]:
    """Those that have an answer, or will get none."""
    return {send: send.result() for send in sends if send.done() and not send.cancelled()}


async def _end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks, and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
