"""Semaphores whose places are shared fairly, for connections and calls to other servers."""

import asyncio
import contextlib
import functools
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

from wishwell.fairness.fair_queue import Entry, FairQueue, Flow, PartyNode, StoreNode, Ticket


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
        # Read with `get`, which adds no key.
        self._held_by_store: defaultdict[str, int] = defaultdict(int)
        self._held_by_party: defaultdict[tuple[str, ...], int] = defaultdict(int)
        self._held_by_lock: defaultdict[str, int] = defaultdict(int)

    def take_now(self, flow: Flow, lock: str | None = None) -> bool:
        """Takes a place if one is free and no limit is reached. Returns whether it did."""
        if self.held >= self.size or not self._is_below_lock_limit(lock):
            return False
        if not self._is_below_store_limit(flow.store) or not self._is_below_party_limit(flow[:2]):
            return False
        self._take(flow, lock)
        return True

    async def wait(
        self, ticket: Ticket, lock: str | None = None, seconds: float | None = None
    ) -> Entry[Any]:
        """Waits for a place and takes it. Raises ``TimeoutError`` after ``seconds``."""
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
                self.release(entry.flow, entry.lock, entry)
            raise
        finally:
            if timer is not None:
                timer.cancel()
            ticket.resume()
        return entry

    def release(
        self,
        flow: Flow,
        lock: str | None = None,
        entry: Entry[Any] | None = None,
        seconds: float = 0,
    ) -> None:
        """Gives a place back. ``seconds``: how long a task that had waited held it."""
        self.held -= 1
        self._held_by_store[flow.store] -= 1
        _decrement(self._held_by_party, flow[:2])
        if lock is not None:
            _decrement(self._held_by_lock, lock)
        if entry is not None:
            self.charge(entry, seconds)
        while self._length and self.held < self.size and (started := self.pop()):
            self._take(started.flow, started.lock)
            if not started.item.done():  # else it is being cancelled
                started.item.set_result(None)

    @contextlib.asynccontextmanager
    async def place(self, ticket: Ticket) -> AsyncIterator[None]:
        """Holds a place during a block."""
        flow, entry = ticket.flow, None
        if not self.take_now(flow):
            entry = await self.wait(ticket)
            flow = entry.flow
        now = asyncio.get_running_loop().time
        began = now()
        try:
            yield
        finally:
            self.release(flow, None, entry, now() - began)

    def _fail(self, entry: Entry[Any], error: Exception) -> bool:
        if removed := self.remove(entry):
            entry.item.set_exception(error)
        return removed

    def _take(self, flow: Flow, lock: str | None) -> None:
        self.held += 1
        self._held_by_store[flow.store] += 1
        self._held_by_party[flow[:2]] += 1
        if lock is not None:
            self._held_by_lock[lock] += 1

    def _first(self) -> tuple[StoreNode | None, PartyNode | None]:
        waiting = self._stores.heap
        if len(waiting) == 1:  # the usual case, in which the order of stores doesn't matter
            only = waiting[0][2]
            if not self._is_below_store_limit(only.key):
                return None, None
            return only, only.parties.first(functools.partial(self._can_start, only))
        return self._first_of(self._can_start, self._is_below_store_limit)

    def _take_from(self, party: PartyNode) -> Entry[Any]:
        blocked: list[Entry[Any]] = []
        entry: Entry[Any] = party.work.popleft()
        while not self._may_start(entry):
            blocked.append(entry)
            entry = party.work.popleft()
        if blocked:
            party.work.extendleft(reversed([one for one in blocked if one.waits]))
        return entry

    def _can_start(self, store: StoreNode, party: PartyNode) -> bool:
        # The first one almost always decides; `any` alone would cost more.
        return self._is_below_party_limit((store.key, party.key)) and (
            self._may_start(party.work[0]) or any(map(self._may_start, party.work))
        )

    def _may_start(self, entry: Entry[Any]) -> bool:
        return entry.waits and (entry.lock is None or self._is_below_lock_limit(entry.lock))

    def _is_below_store_limit(self, store: str) -> bool:
        held, free = self._held_by_store.get(store, 0), self.size - self.held
        return (
            self._store_factor is None
            or not store
            or not held
            or held + 1 <= self._store_factor * (free - 1)
        )

    def _is_below_party_limit(self, party: tuple[str, ...]) -> bool:
        held = self._held_by_party.get(party, 0)
        return self._max_per_party is None or not party[0] or held < self._max_per_party

    def _is_below_lock_limit(self, lock: str | None) -> bool:
        return (
            lock is None
            or self._max_per_lock is None
            or self._held_by_lock.get(lock, 0) < self._max_per_lock
        )


def _decrement(counts: dict[Any, int], key: object) -> None:
    """Counts one less, and forgets a key that has none left."""
    if counts[key] > 1:
        counts[key] -= 1
    else:
        del counts[key]
