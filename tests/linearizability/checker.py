"""Whether a history can be put in one order that explains every answer (Wing and Gong, 1993).

Depth first: of the operations that nobody's answer precedes, one is taken next, if the model allows
its answer; with a memo of (what was taken, state), after Lowe and porcupine.
"""

from __future__ import annotations

from collections.abc import Hashable

from tests.linearizability.history import Operation
from tests.linearizability.specification import Mismatch, Specification, step


def unexplained(operations: list[Operation], initial: Specification) -> str:
    """Nothing when there is an order, else a picture for people: what was asked and answered, how far an
    order goes, why no further."""
    seen: set[tuple[frozenset[int], Hashable]] = set()
    longest: list[int] = []
    reasons: dict[int, Mismatch] = {}

    def explained(order: list[int], state: Specification) -> bool:
        nonlocal longest, reasons
        waiting = [o for o in operations if o.number not in order]
        until = min((o.returned for o in waiting), default=0)
        refused: dict[int, Mismatch] = {}
        # What was answered first goes first.
        for operation in sorted(waiting, key=lambda o: o.returned):
            if operation.invoked > until:
                continue
            number = operation.number
            try:
                afterwards = step(state, operation)
            except Mismatch as error:
                refused[number] = error
                continue
            for after in afterwards:
                entry = (frozenset((*order, number)), after.key())
                if entry not in seen:
                    seen.add(entry)
                    if explained([*order, number], after):
                        return True
        if (len(order), bool(refused)) > (len(longest), bool(reasons)):
            longest, reasons = order, refused
        return not waiting

    if explained([], initial):
        return ""
    asked = [
        f"{o.number:3} client {o.client}, {o.invoked} to {o.returned} ns: {o.call} -> {o.answer}"
        for o in sorted(operations, key=lambda o: o.invoked)
    ]
    why = [f"    {number}: {why}" for number, why in sorted(reasons.items())]
    order = " ".join(map(str, longest))
    told = f"The longest order that explains a part: {order}; no other can be next:"
    return "\n".join([*asked, told, *why])
