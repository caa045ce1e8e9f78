"""Fair queueing: stores share everything limited equally, and so do the parties inside a store.

The scheme is start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queueing", 1996) on two
levels. Each flow has a virtual time, which each task advances by its measured cost in seconds; the
waiting flow with the earliest one is next. Four places use it: ``http/server/admission.py``,
SQLite's writer, PostgreSQL's connections, and calls to other servers (docs/decisions/0015).
"""

import heapq
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

MAX_WAIT_SECONDS = 4.0
"""Maximum seconds that a request waits in a queue; a request may take 5 s."""

_MIN_CROWD = 8
"""A party or store crowds a queue with more waiting tasks than this, and than half of all."""

CONTENDED_SECONDS = 1.0
"""Seconds for which queues count as contended."""

_MIN_COST = 1e-6
"""Seconds that starting a task costs in any case, so that flows of unknown cost alternate."""

_AVERAGED_TASKS = 16
"""Number of tasks whose cost a moving average covers."""

_MIN_SWEEP, _MAX_IDLE = 64, 10_000
"""Number of flows that starts a search for idle ones, and maximum idle ones that are kept."""


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


class Contention:
    """Whether a party or store recently had most waiting tasks while others waited, too.

    Batches should be short then: that costs throughput, but the others wait less. The queues of a
    process share one, because a crowd that waits in one of them uses the process's time for all.
    Threads may share it.
    """

    __slots__ = ("_until",)

    def __init__(self) -> None:
        self._until = 0.0

    @property
    def is_on(self) -> bool:
        return perf_counter() < self._until

    def note(self) -> None:
        self._until = perf_counter() + CONTENDED_SECONDS


class _Node:
    """A store, or a party inside a store."""

    __slots__ = ("cost", "key", "queued", "tag", "waiting")

    def __init__(self, key: str, tag: float) -> None:
        self.key = key
        self.tag = tag
        """The virtual time at which its next task starts."""
        self.cost = 0.0
        """The expected cost of its next task, in seconds."""
        self.waiting = 0
        self.queued = False
        """Whether the heap contains it."""


N = TypeVar("N", bound=_Node)


class _Level(Generic[N]):
    """Nodes with one virtual clock, and a heap of the nodes with waiting tasks.

    A tag in the heap may be outdated, and its node may no longer wait: ``first`` corrects that,
    which is cheaper than a push for each change.
    """

    __slots__ = ("heap", "make", "nodes", "sequence", "sweep_at", "time")

    def __init__(self, make: type[N]) -> None:
        self.make = make
        self.time = 0.0
        self.nodes: dict[str, N] = {}
        self.heap: list[tuple[float, int, N]] = []
        self.sequence = 0
        self.sweep_at = _MIN_SWEEP

    def add(self, key: str, cost: float) -> N:
        """Counts another waiting task of a node. Creates the node if needed, with the expected
        ``cost``."""
        node = self.nodes.get(key)
        if node is None:
            if len(self.nodes) >= self.sweep_at:
                self._forget_idle()
            node = self.nodes[key] = self.make(key, self.time)
            node.cost = cost
        node.waiting += 1
        if not node.queued:
            node.queued = True
            if node.tag < self.time:
                node.tag = self.time
            self.sequence += 1
            heapq.heappush(self.heap, (node.tag, self.sequence, node))
        return node

    def first(self, may: Callable[[N], bool] | None = None) -> N | None:
        """Returns the next waiting node that may start a task."""
        heap, skipped, found = self.heap, [], None
        if len(heap) == 1 and may is None and (only := heap[0][2]).waiting:
            return only  # the usual case, in which tags don't matter
        while heap:
            tag, _, node = entry = heap[0]
            if not node.waiting:
                heapq.heappop(heap)
                node.queued = False
            elif node.tag > tag:
                self.sequence += 1
                heapq.heapreplace(heap, (node.tag, self.sequence, node))
            elif may is None or may(node):
                found = node
                break
            else:
                skipped.append(heapq.heappop(heap))
        for entry in skipped:
            heapq.heappush(heap, entry)
        return found

    def start(self, node: N, cost: float) -> None:
        """Starts a task of the node that ``first`` returned."""
        node.waiting -= 1
        if node.tag > self.time:
            self.time = node.tag
        node.tag += cost + _MIN_COST

    def _forget_idle(self) -> None:
        """Forgets idle nodes that the clock has reached; all idle nodes if no node waits or
        too many are idle."""
        idle = [node for node in self.nodes.values() if not node.waiting]
        every = len(idle) == len(self.nodes) or len(idle) > _MAX_IDLE
        for node in idle:
            if every or node.tag <= self.time:
                del self.nodes[node.key]
        self.sweep_at = max(_MIN_SWEEP, 2 * len(self.nodes))


class PartyNode(_Node):
    __slots__ = ("round", "running", "work")

    def __init__(self, key: str, tag: float) -> None:
        super().__init__(key, tag)
        self.running = 0
        """The number of started tasks that haven't finished, in a queue that counts them."""
        self.work: deque[Any] = deque()
        self.round = 0
        """The round of the task that started last."""

    def append(self, entry: "Entry[Any]") -> None:
        """Queues a task. In each round, the party starts one task of each session (round-robin)."""
        at, session = len(self.work), entry.flow.session
        own = (one.round for one in reversed(self.work) if one.flow.session == session)
        entry.round = max(self.round, next(own, -1) + 1)
        while at and self.work[at - 1].round > entry.round:
            at -= 1
        self.work.insert(at, entry)


class StoreNode(_Node):
    __slots__ = ("parties",)

    def __init__(self, key: str, tag: float) -> None:
        super().__init__(key, tag)
        self.parties = _Level(PartyNode)


class Entry(msgspec.Struct, Generic[T], eq=False):
    """A task that waits, or that has started and was charged its party's recent cost."""

    flow: Flow
    item: T
    store: StoreNode
    party: PartyNode
    lock: str | None
    expected: float = 0.0
    """The seconds charged for it so far."""
    waits: bool = True
    started: bool = False
    round: int = 0


class FairQueue(Generic[T]):
    """A queue of tasks. Belongs to one thread."""

    def __init__(self, contention: Contention | None = None) -> None:
        self.contention = contention or Contention()
        self._stores = _Level(StoreNode)
        self._cost = 0.0
        """Moving average of the seconds that tasks cost."""
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def push(self, flow: Flow, item: T, lock: str | None = None) -> Entry[T]:
        """Appends a task to its flow. ``lock``: the key that it locks (``FairSemaphore``)."""
        # A new party is expected to cost what its store's others did: with 0, a batch would start
        # hundreds of expensive requests, each from another address.
        store = self._stores.add(flow.store, self._cost)
        party = store.parties.add(flow.party, store.cost)
        entry = Entry(flow, item, store, party, lock)
        party.append(entry)
        self._length += 1
        return entry

    def pop(self, seconds: float | None = None, after: Entry[T] | None = None) -> Entry[T] | None:
        """Starts and returns the next task, or ``None`` if its expected cost exceeds ``seconds`` or
        no task may start.

        ``after``: the last task of a batch that the next one would prolong. A party or store that
        crowds the queue then doesn't follow another one, whose result it would delay.
        """
        if not self._length:
            return None
        store, party = self._first()
        if store is None or party is None or (seconds is not None and party.cost > seconds):
            return None
        if after is not None and self._crowds(store, party, after):
            if after.flow.store:  # nobody waits for the service's own work
                self.contention.note()
            return None
        entry = self._take_from(party)
        party.round = entry.round
        entry.waits, entry.started, entry.expected = False, True, party.cost
        store.parties.start(party, party.cost)
        self._stores.start(store, party.cost)
        self._length -= 1
        return entry

    def _crowds(self, store: StoreNode, party: PartyNode, after: Entry[T]) -> bool:
        """Whether ``store`` or ``party``, unlike that of ``after``, has most waiting tasks."""
        crowd = max(_MIN_CROWD, self._length / 2)
        if store is not after.store:
            return store.waiting > crowd
        return party is not after.party and party.waiting > crowd

    def _first(self) -> tuple[StoreNode | None, PartyNode | None]:
        """Returns the party that is next, and its store."""
        store = self._stores.first()
        return store, store.parties.first() if store else None

    def _first_of(
        self, may_start: Callable[[StoreNode, PartyNode], bool], may_store: Callable[[str], bool]
    ) -> tuple[StoreNode | None, PartyNode | None]:
        """Returns the next party that may start a task, and its store."""
        found: PartyNode | None = None

        def has_party(store: StoreNode) -> bool:
            nonlocal found
            if may_store(store.key):
                found = store.parties.first(lambda party: may_start(store, party))
            return found is not None

        return self._stores.first(has_party), found

    def _take_from(self, party: PartyNode) -> Entry[T]:
        """Removes a waiting task of the party from its queue and returns it."""
        entry: Entry[T] = party.work.popleft()
        while not entry.waits:  # removed
            entry = party.work.popleft()
        return entry

    def charge(self, entry: Entry[T], seconds: float) -> None:
        """Charges a started task's cost until now to its flow."""
        party = entry.party
        party.cost = (party.cost + seconds) / 2
        entry.store.cost += (seconds - entry.store.cost) / _AVERAGED_TASKS
        self._cost += (seconds - self._cost) / _AVERAGED_TASKS
        extra, entry.expected = seconds - entry.expected, seconds
        party.tag += extra
        entry.store.tag += extra

    def remove(self, entry: Entry[T]) -> bool:
        """Removes a task that still waits. Returns whether it did."""
        if not entry.waits:
            return False
        entry.waits = False
        entry.party.waiting -= 1
        entry.store.waiting -= 1
        self._length -= 1
        while entry.party.work and not entry.party.work[-1].waits:
            entry.party.work.pop()
        return True
