"""Fair queueing: stores take turns at everything limited, and so do the parties inside a store.

In its turn, a store starts one task: of the party whose turn it is, and of that party's session
whose turn it is (round-robin on three levels). Four places use it: ``http/server/admission.py``,
SQLite's writer, PostgreSQL's connections, and calls to other servers (docs/decisions/0015).
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

MAX_WAIT_SECONDS = 4.0
"""Maximum seconds that a request waits in a queue; a request may take 5 s."""


class Flow(NamedTuple):
    """The owner of a task: a store, and inside it a customer, a token or a client address. Inside
    an address, tasks take turns by session."""

    store: str
    party: str
    session: str = ""


BACKGROUND = Flow("", "")
"""Commands, and the service's own work."""

NO_STORE = "-"
"""The store of requests that belong to none, such as those without a token."""


class Ticket(msgspec.Struct, eq=False):
    """The flow of the work in progress, and its hooks around a wait. Requests use a subclass."""

    flow: Flow = BACKGROUND
    lock_key: str | None = None
    """The key that its writes lock, if a use-case's first argument has no ``lock_key``."""

    def pause(self, end: Callable[[Exception], bool] | None = None) -> None:
        """Begins a wait. ``end`` ends it early with an error, and returns whether it could."""

    def resume(self) -> None:
        """Ends a wait."""

    async def away(self, waits: Awaitable[T]) -> T:
        """Waits for something outside of the service, such as a body or another server."""
        return await waits


_BACKGROUND = Ticket()
CURRENT: ContextVar[Ticket] = ContextVar("ticket", default=_BACKGROUND)


class Entry(msgspec.Struct, Generic[T], eq=False):
    """A task that waits, or that has started."""

    flow: Flow
    item: T
    lock: str | None
    waits: bool = True
    started: bool = False


class FairQueue(Generic[T]):
    """A queue of tasks. Belongs to one thread. Subclasses limit what may start."""

    def __init__(self) -> None:
        # Store, party, session, task: each level in the order of turns. Without idle flows.
        self._waiting: dict[str, dict[str, dict[str, dict[Entry[T], None]]]] = {}
        self._length = 0
        self._started_by_store: defaultdict[str, int] = defaultdict(int)
        self._started_by_party: defaultdict[tuple[str, str], int] = defaultdict(int)

    def __len__(self) -> int:
        return self._length

    def push(self, flow: Flow, item: T, lock: str | None = None) -> Entry[T]:
        """Appends a task to its flow. ``lock``: the key that it locks (``FairSemaphore``)."""
        entry = Entry(flow, item, lock)
        parties = self._waiting.setdefault(flow.store, {})
        parties.setdefault(flow.party, {}).setdefault(flow.session, {})[entry] = None
        self._length += 1
        return entry

    def pop(self, after: Entry[T] | None = None) -> Entry[T] | None:
        """Starts and returns the next task; ``None`` if no task may start.

        ``after``: the latest task of a group whose results the next task would delay. A crowd, a
        party with most of the waiting tasks, doesn't join the group of another party.
        """
        entry = next(filter(self._may_start, self._in_turn()), None)
        if entry is None or (after is not None and self._crowds(entry, after)):
            return None
        store, party, session = entry.flow
        parties = self._waiting[store]
        sessions = parties[party]
        self.remove(entry)
        _end_turn(self._waiting, store)
        _end_turn(parties, party)
        _end_turn(sessions, session)
        entry.started = True
        self._start(entry.flow, entry.lock)
        return entry

    def finish(self, flow: Flow) -> None:
        """Counts a started task as finished."""
        decrement(self._started_by_store, flow.store)
        decrement(self._started_by_party, flow[:2])

    def remove(self, entry: Entry[T]) -> bool:
        """Removes a task that still waits. Returns whether it did."""
        if not entry.waits:
            return False
        entry.waits = False
        self._length -= 1
        store, party, session = entry.flow
        parties = self._waiting[store]
        sessions = parties[party]
        del sessions[session][entry]
        if not sessions[session]:
            del sessions[session]
        if not sessions:
            del parties[party]
        if not parties:
            del self._waiting[store]
        return True

    def _in_turn(self) -> Iterator[Entry[T]]:
        """Yields the waiting tasks of stores and parties that may start one, in turn."""
        for store, parties in self._waiting.items():
            if self._store_may_start(store):
                for party, sessions in parties.items():
                    if self._party_may_start(store, party):
                        yield from chain.from_iterable(sessions.values())

    def _crowds(self, entry: Entry[T], after: Entry[T]) -> bool:
        """Whether the task's party, unlike that of ``after``, has most of the waiting tasks."""
        if entry.flow[:2] == after.flow[:2]:
            return False
        waiting = sum(map(len, self._waiting[entry.flow.store][entry.flow.party].values()))
        return waiting > 1 and 2 * waiting > self._length

    def _start(self, flow: Flow, _lock: str | None) -> None:
        self._started_by_store[flow.store] += 1
        self._started_by_party[flow[:2]] += 1

    def _store_may_start(self, _store: str) -> bool:
        return True

    def _party_may_start(self, _store: str, _party: str) -> bool:
        return True

    def _may_start(self, _entry: Entry[T]) -> bool:
        return True


def _end_turn(level: dict[str, T], key: str) -> None:
    """Moves a flow behind all others, if it has more tasks."""
    if key in level:
        level[key] = level.pop(key)


def decrement(counts: dict[Any, int], key: object) -> None:
    """Counts one less, and forgets a key that has none left."""
    if counts[key] > 1:
        counts[key] -= 1
    else:
        del counts[key]
