"""A linearizability checker (Wing and Gong, 1993).

Depth first: among the pending operations that started before any of them returned, one is taken
next if the model allows its response. States already visited are memoised, as by Lowe and by
porcupine.
"""

from __future__ import annotations

from collections.abc import Hashable

from tests.linearizability.history import Operation
from tests.linearizability.specification import Mismatch, Specification, step


def unexplained(operations: list[Operation], initial: Specification) -> str:
    """Returns an empty string if an order explains every response; else a readable history with the
    longest order found and why it can't continue."""
    seen: set[tuple[frozenset[int], Hashable]] = set()
    longest: list[int] = []
    reasons: dict[int, Mismatch] = {}

    def explained(order: list[int], state: Specification) -> bool:
        nonlocal longest, reasons
        waiting = [o for o in operations if o.number not in order]
        until = min((o.returned for o in waiting), default=0)
        refused: dict[int, Mismatch] = {}
        # Try operations in the order of their responses.
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
