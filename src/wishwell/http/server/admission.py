"""Admission and load shedding: which requests run now, wait, or are refused (docs/decisions/0015).

All requests of a process share one event loop. While few are in progress, they start at once; else
they wait in a fair queue, which starts one in each turn of the loop. A party or store has few
requests in progress while others come, because each may take a turn of the loop, and a place in the
group of SQLite's writer, before a request of the others.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, TypeVar

from wishwell.errors import Overloaded
from wishwell.fairness.fair_queue import (
    MAX_WAIT_SECONDS,
    Entry,
    FairQueue,
    Flow,
    Ticket,
)

T = TypeVar("T")

_MAX_OF_PARTY, _MAX_OF_STORE = 8, 16
"""Maximum queued requests of a party or store in progress while another one sends requests, too."""

_SHARED_SECONDS = 1.0
"""Seconds for which the latest request of another party or store counts."""

_UNQUEUED_SHARE = 8
"""Up to the limit divided by this, requests start at once, because they are few."""

_MAX_REFUSALS = 16
"""Refusals in one turn of the event loop after which the other connections are deferred."""

_POLL_SECONDS = 0.25
"""Seconds between two checks for requests that have waited for too long."""

REASONS = FULL, LATE = "full", "late"


class RequestTicket(Ticket, eq=False, kw_only=True):
    """The part of a request that admission uses."""

    admission: "Admission"
    begin: Callable[[], None]
    """Called when the request may start, or is refused."""
    refusal: Exception | None = None
    """The error if it was refused."""
    entry: "Entry[RequestTicket] | None" = None
    """Its place in the queue for the event loop, if it had to wait there."""
    end: Callable[[Exception], bool] | None = None
    """Ends its wait, where that is possible."""
    since: float = 0.0
    """When it began to wait."""
    admitted: bool = False
    """Whether it takes part in admission."""

    def pause(self, end: Callable[[Exception], bool] | None = None) -> None:
        self.since, self.end = perf_counter(), end
        self.admission.watch_waits()

    def resume(self) -> None:
        self.end = None

    def withdraw(self, error: Exception) -> bool:
        """Refuses the request if it still waits to start. Returns whether it did."""
        if removed := self.admission.remove(self):
            self.refusal = error
            self.begin()
        return removed

    # rules: slow-clients, fair-queueing
    async def away(self, waits: Awaitable[T]) -> T:
        self.admission.leave(self)
        try:
            result = await waits
        finally:
            self.resume()
        self.admission.readmit(self)
        await self.admission.wait_for_turn(self)
        return result


class _Requests(FairQueue[RequestTicket]):
    """The requests that wait to start, and how many of them are in progress."""

    def __init__(self) -> None:
        super().__init__()
        self._latest: Flow | None = None
        self._parties_share_until = self._stores_share_until = 0.0

    def push(
        self, flow: Flow, item: RequestTicket, lock: str | None = None
    ) -> Entry[RequestTicket]:
        latest, self._latest = self._latest or flow, flow
        if flow[:2] != latest[:2]:
            self._parties_share_until = perf_counter() + _SHARED_SECONDS
            if flow.store != latest.store:
                self._stores_share_until = self._parties_share_until
        return super().push(flow, item, lock)

    def _store_may_start(self, store: str) -> bool:
        running = self._started_by_store.get(store, 0)
        return running < _MAX_OF_STORE or perf_counter() > self._stores_share_until

    def _party_may_start(self, store: str, party: str) -> bool:
        running = self._started_by_party.get((store, party), 0)
        return running < _MAX_OF_PARTY or perf_counter() > self._parties_share_until


# rules: load-shedding, fair-queueing
class Admission:
    """The API's requests in progress, at most ``most``, including those that wait to start.

    Above the limit, the newest waiting request is refused: from the store with the most requests,
    inside it from the party with the most, and inside that from the session with the most.
    """

    def __init__(self, most: int) -> None:
        self._most, self._unqueued = most, most // _UNQUEUED_SHARE
        self._tickets: dict[RequestTicket, None] = {}  # the newest last
        self._queue = _Requests()
        self._scheduled = self._polling = False
        self._deferred: deque[Callable[[], None]] = deque()
        self._refusals = 0
        """Requests that were refused in this turn of the event loop."""
        self.refused: Counter[str] = Counter()
        """Refused requests since the start, by reason."""

    @property
    def working(self) -> int:
        """Number of requests in progress, including those that wait."""
        return len(self._tickets)

    @property
    def waiting(self) -> int:
        """Number of requests that wait to start."""
        return len(self._queue)

    # rule: load-shedding
    def defers(self, parse: Callable[[], None]) -> bool:
        """Whether a connection that has received data has to wait until ``parse`` is called.

        So that requests in progress, which need several turns of the event loop, don't wait for
        hundreds of refusals in each.
        """
        if self._refusals < _MAX_REFUSALS and not self._deferred:
            return False
        self._deferred.append(parse)
        self._schedule()
        return True

    def submit(self, ticket: RequestTicket, flow: Callable[[Any], Flow]) -> None:
        """Admits, queues or refuses a request. Calls its ``begin`` now, or later if it is queued.
        ``flow`` returns the request's flow, without I/O."""
        if self._may_start_now():
            self._tickets[ticket] = None
            ticket.begin()
            return
        ticket.flow = flow(ticket)
        if len(self._tickets) >= self._most and not self._shed_newest(ticket):
            ticket.refusal = Overloaded()
            ticket.begin()
            return
        self._tickets[ticket] = None
        self._enqueue(ticket)

    async def wait_for_turn(self, ticket: RequestTicket) -> None:
        """Queues a request that resumes after a wait, like a new one, because it may have a large
        body to decode. Raises ``Overloaded``."""
        if self._may_start_now():
            return
        turn = asyncio.get_running_loop().create_future()
        ticket.begin = lambda: None if turn.done() else turn.set_result(None)
        self._enqueue(ticket)
        try:
            await turn
        finally:
            self.remove(ticket)
            ticket.resume()
        if ticket.refusal is not None:
            raise ticket.refusal

    def _may_start_now(self) -> bool:
        return not self._queue and len(self._tickets) <= self._unqueued

    def _enqueue(self, ticket: RequestTicket) -> None:
        ticket.pause(ticket.withdraw)
        ticket.entry = self._queue.push(ticket.flow, ticket)
        self._schedule()

    def remove(self, ticket: RequestTicket) -> bool:
        """Removes a request that waits to start. Returns whether it did."""
        return ticket.entry is not None and self._queue.remove(ticket.entry)

    def leave(self, ticket: RequestTicket) -> None:
        """Frees the place of a request that is done, or waits for a body or another server."""
        if ticket.entry is not None:
            if ticket.entry.started:
                self._queue.finish(ticket.entry.flow)
            # The entry refers to the ticket, and only the garbage collector would free the two.
            ticket.entry = None
        self._tickets.pop(ticket, None)
        if self._queue:  # a party may run another request now
            self._schedule()

    def readmit(self, ticket: RequestTicket) -> None:
        """Takes a place again after a wait. Raises ``Overloaded`` if the limit is reached."""
        if len(self._tickets) >= self._most and not self._shed_newest(ticket):
            raise Overloaded
        self._tickets[ticket] = None

    def watch_waits(self) -> None:
        """Checks from time to time, while requests are in progress, whether one waits too long."""
        if not self._polling:
            self._polling = True
            asyncio.get_running_loop().call_later(_POLL_SECONDS, self._poll)

    def _poll(self) -> None:
        """Ends waits that have taken too long."""
        latest_start = perf_counter() - MAX_WAIT_SECONDS
        for ticket in [one for one in self._tickets if one.since < latest_start]:
            self._end(ticket, LATE)
        self._polling = False
        if self._tickets:
            self.watch_waits()

    def _next_turn(self) -> None:
        """Begins a turn of the event loop: starts the first of the waiting requests, if one may."""
        self._scheduled = False
        if (entry := self._queue.pop()) is not None:
            entry.item.begin()
        self._refusals = 0
        while self._deferred and self._refusals < _MAX_REFUSALS:
            self._deferred.popleft()()
        if (self._queue and entry) or self._deferred:
            self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._next_turn)

    def _shed_newest(self, newcomer: RequestTicket) -> bool:
        """Refuses the newest waiting request of whoever has the most: of the busiest store, in it
        the busiest party, and in that the busiest session. Returns False if the newcomer has to be
        refused, because it belongs to them. Of equals it does, unless its party has no request in
        progress."""
        self._refusals += 1
        self._schedule()
        mine, flows = newcomer.flow, [ticket.flow for ticket in self._tickets]
        stores = Counter([mine.store, *(flow.store for flow in flows)])
        store = max(stores, key=lambda one: (stores[one], one == mine.store))
        sessions = Counter([flow for flow in (mine, *flows) if flow.store == store])
        parties: Counter[str] = Counter()
        for flow, count in sessions.items():
            parties[flow.party] += count

        def load(flow: Flow) -> tuple[int, int]:
            return parties[flow.party], sessions[flow]

        is_new = parties[mine.party] == 1
        busiest = max((flow for flow in sessions if flow != mine), key=load, default=mine)
        if load(busiest) > load(mine) or (is_new and busiest != mine):
            for ticket in reversed(self._tickets):
                # In a crowd all parties have one request, and that of the first may be running.
                flow = ticket.flow
                if flow in sessions and load(flow) == load(busiest) and self._end(ticket, FULL):
                    self._tickets.pop(ticket, None)
                    return True
            # All these requests are running. Whoever has far fewer may exceed the limit.
            own, theirs = sessions[mine], sessions[busiest]
            if store != mine.store:
                own, theirs = stores[mine.store], stores[store]
            elif busiest.party != mine.party:
                own, theirs = parties[mine.party], parties[busiest.party]
            if 2 * (own - 1) < theirs and len(flows) < 2 * self._most:
                return True
        self.refused[FULL] += 1
        return False

    def _end(self, ticket: RequestTicket, reason: str) -> bool:
        ended = ticket.end is not None and ticket.end(Overloaded())
        self.refused[reason] += ended
        return ended
