"""Semaphores whose places are shared fairly, for connections and calls to other servers."""

import asyncio
import contextlib
import functools
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

from wishwell.fairness.fair_queue import Entry, FairQueue, Flow, Ticket, decrement


class FairSemaphore(FairQueue["asyncio.Future[None]"]):
    """Lets at most ``size`` tasks run concurrently, with turns between their flows.

    Tasks may hang, and then turns aren't enough. So a store that holds places takes another only
    if it then has at most ``store_factor`` times as many as are left free; a party of a store
    holds at most ``max_per_party``, and tasks with the same lock key at most ``max_per_lock``.
    ``None`` disables a limit. A task that could start when it arrives doesn't wait: those that
    wait can't start. Belongs to one event loop.
    """

    def __init__(
        self,
        size: int,
        *,
        store_factor: float | None = None,
        max_per_party: int | None = None,
        max_per_lock: int | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.held = 0
        self._store_factor = store_factor
        self._max_per_party = max_per_party
        self._max_per_lock = max_per_lock
        self._held_locks: dict[str, int] = defaultdict(int)

    def take_now(self, flow: Flow, lock: str | None = None) -> bool:
        """Takes a place if one is free and no limit is reached. Returns whether it did."""
        if self.held >= self.size or not self._is_below_lock_limit(lock):
            return False
        if not self._store_may_start(flow.store):
            return False
        if not self._party_may_start(flow.store, flow.party):
            return False
        self._start(flow, lock)
        return True

    async def wait(
        self, ticket: Ticket, lock: str | None = None, seconds: float | None = None
    ) -> Flow:
        """Waits for a place and takes it. Returns the flow that holds it, for ``release``. Raises
        ``TimeoutError`` after ``seconds``."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        entry = self.push(ticket.flow, future, lock)
        fail = functools.partial(self._fail, entry)
        # asyncio.timeout costs three times as much.
        timer = loop.call_later(seconds, fail, TimeoutError()) if seconds is not None else None
        ticket.pause(fail)
        try:
            await future
        except BaseException:
            if not self.remove(entry) and entry.started:
                self.release(entry.flow, entry.lock)
            raise
        finally:
            if timer is not None:
                timer.cancel()
            ticket.resume()
        return entry.flow

    def release(self, flow: Flow, lock: str | None = None) -> None:
        """Gives a place back."""
        self.held -= 1
        self.finish(flow)
        if lock is not None:
            decrement(self._held_locks, lock)
        while self._length and self.held < self.size and (entry := self.pop()):
            if not entry.item.done():  # else it is being cancelled
                entry.item.set_result(None)

    @contextlib.asynccontextmanager
    async def place(self, ticket: Ticket) -> AsyncIterator[None]:
        """Holds a place during a block."""
        flow = ticket.flow
        if not self.take_now(flow):
            flow = await self.wait(ticket)
        try:
            yield
        finally:
            self.release(flow)

    def _fail(self, entry: Entry[Any], error: Exception) -> bool:
        if removed := self.remove(entry):
            entry.item.set_exception(error)
        return removed

    def _start(self, flow: Flow, lock: str | None) -> None:
        super()._start(flow, lock)
        self.held += 1
        if lock is not None:
            self._held_locks[lock] += 1

    def _may_start(self, entry: Entry[Any]) -> bool:
        return self._is_below_lock_limit(entry.lock)

    def _store_may_start(self, store: str) -> bool:
        held, free = self._started_by_store.get(store, 0), self.size - self.held
        return (
            self._store_factor is None
            or not store
            or not held
            or held + 1 <= self._store_factor * (free - 1)
        )

    def _party_may_start(self, store: str, party: str) -> bool:
        held = self._started_by_party.get((store, party), 0)
        return self._max_per_party is None or not store or held < self._max_per_party

    def _is_below_lock_limit(self, lock: str | None) -> bool:
        return (
            lock is None
            or self._max_per_lock is None
            or self._held_locks.get(lock, 0) < self._max_per_lock
        )
