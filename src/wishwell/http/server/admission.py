"""Admission and load shedding: which requests run now, wait, or are refused (docs/decisions/0015).

All requests of a process share one event loop. In each turn of the loop, requests may start until a
slice of time is used up; the others wait in a fair queue. A request that waits for the database,
its body or another server uses no time, so it delays no other.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, TypeVar

from wishwell.errors import Overloaded
from wishwell.fairness.fair_queue import (
    BACKGROUND,
    MAX_WAIT_SECONDS,
    Contention,
    Entry,
    FairQueue,
    Flow,
    PartyNode,
    StoreNode,
    Ticket,
)

T = TypeVar("T")

_SLICE_SECONDS = 0.02
"""Seconds in one turn of the event loop after which no other request starts."""

_CONTENDED_SLICE_SECONDS = 0.0005
"""The same while the queues are contended."""

_MAX_RUNNING_CONTENDED = 8
"""Maximum requests of a party in progress for another to start while the queues are contended. Each
of them may take a turn of the event loop before a quiet party's request."""

_MIN_SECONDS = 0.0001
"""Minimum seconds that a request is expected to take."""

_UNMEASURED_SHARE = 8
"""Up to the limit divided by this, requests neither wait nor are measured, because they are few."""

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
    running: bool = False
    since: float = 0.0
    """When it began to run or to wait."""
    used: float = 0.0
    admitted: bool = False
    """Whether it takes part in admission."""

    def pause(self, end: Callable[[Exception], bool] | None = None) -> None:
        now = perf_counter()
        if self.running:
            self.running = False
            if self.entry is not None or self.admission.is_busy:
                self.used += now - self.since
                self.admission.spend(now - self.since, self.entry, self.used)
        self.since, self.end = now, end

    def resume(self) -> None:
        self.since, self.end, self.running = perf_counter(), None, True

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
    """The requests that wait to start."""

    _held_back: PartyNode | None = None
    """A party that the last search found to run as many requests as it may."""

    def pop(
        self, seconds: float | None = None, after: Entry[RequestTicket] | None = None
    ) -> Entry[RequestTicket] | None:
        self._held_back = None
        entry = super().pop(seconds, after)
        other = entry or after
        if entry is not None:
            entry.party.running += 1
        if self._held_back and other and other.party is not self._held_back:
            self.contention.note()
        return entry

    def finish(self, entry: Entry[RequestTicket]) -> None:
        """Counts a request as finished, if it has started."""
        if entry.started:
            entry.started = False
            entry.party.running -= 1

    def _first(self) -> tuple[StoreNode | None, PartyNode | None]:
        if not self.contention.is_on:
            return super()._first()
        return self._first_of(self._can_start, lambda _: True)

    def _can_start(self, _: StoreNode, party: PartyNode) -> bool:
        if party.running < _MAX_RUNNING_CONTENDED:
            return True
        self._held_back = party
        return False


# rules: load-shedding, fair-queueing
class Admission:
    """The API's requests in progress, at most ``most``, including those that wait to start.

    Above the limit, the newest waiting request is refused: from the store with the most requests,
    inside it from the party with the most, and inside that from the session with the most.
    """

    def __init__(self, most: int, contention: Contention | None = None) -> None:
        self._most, self._unmeasured = most, most // _UNMEASURED_SHARE
        self._tickets: dict[RequestTicket, None] = {}  # the newest last
        self._queue = _Requests(contention)
        self._contention = self._queue.contention
        self._left = _SLICE_SECONDS
        """Seconds left for starting requests in this turn of the event loop."""
        self._typical = _MIN_SECONDS
        """Moving average of the seconds that requests use."""
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

    @property
    def is_busy(self) -> bool:
        """Whether requests have to share the event loop's time."""
        return len(self._tickets) > self._unmeasured

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
        contended = self._contention.is_on
        if len(self._tickets) < self._unmeasured and not self._queue and not contended:
            self._tickets[ticket] = None
            ticket.begin()
            return
        if len(self._tickets) >= self._most:
            ticket.flow = flow(ticket)
            if not self._shed_newest(ticket):
                ticket.refusal = Overloaded()
                ticket.begin()
                return
        self._tickets[ticket] = None
        if self._queue or contended or self._left < self._typical:
            if ticket.flow is BACKGROUND:
                ticket.flow = flow(ticket)
            ticket.since, ticket.end = perf_counter(), ticket.withdraw
            ticket.entry = self._queue.push(ticket.flow, ticket)
        else:
            ticket.begin()
        self._left -= self._typical
        self._schedule()

    async def wait_for_turn(self, ticket: RequestTicket) -> None:
        """Queues a request that resumes after a wait, like a new one, because it may have a large
        body to decode. Raises ``Overloaded``."""
        idle = not self._queue and not self._contention.is_on
        if idle and (not self.is_busy or self._left >= self._typical):
            self._left -= self._typical
            return
        ticket.pause()
        turn = asyncio.get_running_loop().create_future()
        ticket.begin = lambda: None if turn.done() else turn.set_result(None)
        ticket.end, ticket.used = ticket.withdraw, 0.0
        ticket.entry = entry = self._queue.push(ticket.flow, ticket)
        self._schedule()
        try:
            await turn
        finally:
            self._queue.remove(entry)
            ticket.resume()
        if ticket.refusal is not None:
            raise ticket.refusal

    def remove(self, ticket: RequestTicket) -> bool:
        """Removes a request that waits to start. Returns whether it did."""
        return ticket.entry is not None and self._queue.remove(ticket.entry)

    def leave(self, ticket: RequestTicket) -> None:
        """Frees the place of a request that is done, or waits for a body or another server."""
        if ticket.entry is not None or len(self._tickets) > self._unmeasured:
            ticket.pause()
        if ticket.entry is not None:
            self._queue.finish(ticket.entry)
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

    def spend(self, seconds: float, entry: Entry[RequestTicket] | None, in_all: float) -> None:
        """Counts the time that a request has used, since its last wait and in total."""
        self._left -= seconds - self._typical
        self._typical += (seconds - self._typical) / 16
        if entry is not None:
            self._queue.charge(entry, in_all)
        self._schedule()
        if not self._polling:
            self._polling = True
            asyncio.get_running_loop().call_later(_POLL_SECONDS, self._poll)

    def _poll(self) -> None:
        """Ends waits that have taken too long."""
        latest_start = perf_counter() - MAX_WAIT_SECONDS
        for ticket in [
            one for one in self._tickets if not one.running and one.since < latest_start
        ]:
            self._end(ticket, LATE)
        self._polling = bool(self._tickets)
        if self._polling:
            asyncio.get_running_loop().call_later(_POLL_SECONDS, self._poll)

    def _next_turn(self) -> None:
        """Begins a turn of the event loop: starts the first of the waiting requests."""
        self._scheduled = False
        self._left = _CONTENDED_SLICE_SECONDS if self._contention.is_on else _SLICE_SECONDS
        entry = self._queue.pop()  # at least one, however expensive
        held_back = entry is None
        while entry is not None:
            self._left -= max(_MIN_SECONDS, entry.expected)
            entry.item.begin()
            entry = self._queue.pop(self._left, after=entry)
        self._refusals = 0
        while self._deferred and self._refusals < _MAX_REFUSALS:
            self._deferred.popleft()()
        if (self._queue and not held_back) or self._deferred:
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
