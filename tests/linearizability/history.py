"""What several clients asked at once, when, and what came back."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One request. ``scope`` is the GID of the profile that it acts on, None for a whole store.

    ``by_token``: with the profile's own token, not with an admin token and a header.
    """

    kind: str
    scope: str | None
    by_token: bool = False
    target: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)

    def profiles(self) -> set[str | None]:
        """The GIDs that it may read or write; None stands for all of them."""
        if "session" in self.arguments:
            return {
                self.arguments[name] for name in ("session", "customer") if name in self.arguments
            }
        return {self.scope}


@dataclass(frozen=True)
class Answer:
    """A status, and what was in ``data``; of pages the edge on each side that has more."""

    status: int
    data: Any = None
    older: bool = False
    newer: bool = False


@dataclass
class Operation:
    """A call with its times in nanoseconds; one without an answer may have happened or not."""

    number: int
    client: int
    call: Call
    invoked: int
    returned: float = math.inf
    answer: Answer | None = None

    @property
    def known(self) -> bool:
        return self.answer is not None


class History:
    """Collects operations; any thread may write to it."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._lock = threading.Lock()

    def invoke(self, client: int, call: Call) -> Operation:
        """To be called before the first byte is sent."""
        with self._lock:
            made = Operation(len(self.operations), client, call, time.monotonic_ns())
            self.operations.append(made)
        return made

    def respond(self, operation: Operation, answer: Answer) -> None:
        """To be called after the last byte has come; never for an unknown outcome."""
        operation.returned = time.monotonic_ns()
        operation.answer = answer


def partitions(operations: list[Operation]) -> list[list[Operation]]:
    """Operations that can be judged on their own: by profile, linked ones together."""
    parts: list[tuple[set[str | None], list[Operation]]] = []
    for operation in operations:
        touched, mine = operation.call.profiles(), [operation]
        apart = []
        for profiles, others in parts:
            if profiles & touched or None in profiles or None in touched:
                touched, mine = touched | profiles, [*others, *mine]
            else:
                apart.append((profiles, others))
        parts = [*apart, (touched, mine)]
    return [sorted(mine, key=lambda operation: operation.number) for _, mine in parts]


def records(data: Any) -> list[dict[str, Any]]:
    """Every item and list in an answer, the items of lists among them."""
    found = []
    for record in data if isinstance(data, list) else [data] if isinstance(data, dict) else []:
        if "id" in record:
            found += [record, *record.get("items", [])]
    return found
