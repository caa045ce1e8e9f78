"""Whether a history can be put in one order that explains every answer (Wing and Gong, 1993).

Depth first: of the operations that nobody's answer precedes, one is taken next, if the model allows
its answer; with a memo of (what was taken, state), after Lowe and porcupine. An operation without an
answer is allowed at any time after it was sent, or never.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from tests.linearizability.history import Operation


class State(Protocol):
    def key(self) -> Hashable:
        """Equal for states that no operation can tell apart."""


class Mismatch(Exception):
    """The model does not allow this answer in this state; the message says why."""


S = TypeVar("S", bound=State)
Step = Callable[[S, Operation], list[S]]
"""The states in which an operation may leave one (several: the model leaves it open), or Mismatch."""


class TooLong(Exception):
    """The search took more steps than it may."""


@dataclass
class Verdict(Generic[S]):
    """``order`` explains everything when ``ok``, else it is the longest that explains a part."""

    ok: bool
    order: list[Operation]
    steps: int
    refused: dict[int, Mismatch] = field(default_factory=dict)


@dataclass
class _Place(Generic[S]):
    """Where the search is: what was taken, last ``by``, and which ways lead on from there."""

    taken: int
    state: S
    by: Operation | None
    refused: dict[int, Mismatch] = field(default_factory=dict)
    ways: Iterator[tuple[int, Operation, S]] = field(default_factory=lambda: iter(()))


def check(
    operations: list[Operation], initial: S, step: Step[S], most: int = 2_000_000
) -> Verdict[S]:
    """Searches for an order. Raises ``TooLong`` after ``most`` steps of the model."""
    ordered = sorted(operations, key=lambda o: (o.invoked, o.number))
    must = sum(1 << at for at, o in enumerate(ordered) if o.known)
    seen: set[tuple[int, Hashable]] = {(0, initial.key())}
    steps = 0

    def ways(place: _Place[S]) -> Iterator[tuple[int, Operation, S]]:
        nonlocal steps
        waiting = [(1 << at, o) for at, o in enumerate(ordered) if not place.taken >> at & 1]
        until = min((o.returned for _, o in waiting), default=math.inf)
        can = [way for way in waiting if way[1].invoked <= until]
        # What was answered first goes first; what may never have happened, last.
        for bit, operation in sorted(can, key=lambda way: way[1].returned):
            steps += 1
            if steps > most:
                raise TooLong(f"{most} steps for {len(operations)} operations")
            try:
                afterwards = step(place.state, operation)
            except Mismatch as error:
                place.refused[operation.number] = error
                continue
            for state in afterwards:
                entry = (place.taken | bit, state.key())
                if entry not in seen:
                    seen.add(entry)
                    yield place.taken | bit, operation, state

    best: Verdict[S] = Verdict(False, [], 0)
    path = [_Place(0, initial, None)]
    path[0].ways = ways(path[0])
    while True:
        place = path[-1]
        if place.taken & must == must:
            return Verdict(True, [p.by for p in path if p.by], steps)
        if (found := next(place.ways, None)) is not None:
            taken, operation, state = found
            path.append(_Place(taken, state, operation))
            path[-1].ways = ways(path[-1])
            continue
        order = [p.by for p in path if p.by]
        if (len(order), bool(place.refused)) > (len(best.order), bool(best.refused)):
            best = Verdict(False, order, steps, place.refused)
        path.pop()
        if not path:
            return replace(best, steps=steps)


def picture(operations: list[Operation], initial: S, step: Step[S]) -> str:
    """A failing history for people: what was asked and answered, how far an order goes, why no further."""
    verdict = check(operations, initial, step)
    asked = [
        f"{o.number:3} client {o.client}, {o.invoked} to {o.returned} ns: {o.call} -> {o.answer}"
        for o in sorted(operations, key=lambda o: o.invoked)
    ]
    why = [f"    {number}: {why}" for number, why in sorted(verdict.refused.items())]
    order = " ".join(str(o.number) for o in verdict.order)
    lines = [
        *asked,
        f"The longest order that explains a part: {order}; no other can be next:",
        *why,
    ]
    return "\n".join(lines)
