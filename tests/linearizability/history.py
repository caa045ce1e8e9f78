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

    def __str__(self) -> str:
        where = "store" if self.scope is None else self.scope.rsplit("/", 2)[-2].lower()
        given = " ".join(f"{k}={short(v)}" for k, v in self.arguments.items() if v is not None)
        return " ".join(part for part in (where, self.kind, short(self.target), given) if part)


@dataclass(frozen=True)
class Answer:
    """A status, and what was in ``data``; of pages the edge on each side that has more."""

    status: int
    data: Any = None
    older: bool = False
    newer: bool = False

    def __str__(self) -> str:
        more = " older" * self.older + " newer" * self.newer
        return f"{self.status} {'' if self.data is None else short(self.data)}{more}".rstrip()


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


def short(value: Any) -> str:
    """For people: ids by their last digits, records without the names of what is plain."""
    if isinstance(value, str):
        return value.rsplit("/", 1)[-1][-4:] if len(value) > 24 and "-" in value[-13:] else value
    if isinstance(value, list | tuple):
        return "[" + " ".join(short(one) for one in value) + "]"
    if not isinstance(value, dict):
        return str(value)
    if "productId" in value:
        variant = f"/{value['variantId']}" if "variantId" in value else ""
        text = f"{short(value['id'])}=p{value['productId']}{variant}×{value['quantity']}"
        text += f" tags{short(value['tags'])}" if value["tags"] else ""
        return f"{{{text} on{short(value['listIds'])} @{_seconds(value['updatedAt'])}}}"
    if "itemCount" in value:
        text = f"{short(value['id'])}={value['name']!r} count {value['itemCount']}"
        text += f" {short(value['items'])}" if "items" in value else ""
        return f"{{{text} @{_seconds(value['updatedAt'])}}}"
    return "{" + " ".join(f"{k}={short(v)}" for k, v in value.items()) + "}"


def _seconds(time: Any) -> str:
    """The end of a time: histories take less than a minute."""
    return time[17:-1] if isinstance(time, str) else "?"


def timeline(operations: list[Operation], width: int = 28) -> str:
    """Each operation as a line: its number, its client, when, what, and the answer."""
    if not operations:
        return "(nothing)\n"
    first = min(operation.invoked for operation in operations)
    ends = [o.returned for o in operations if o.known] or [first + 1]
    span = max(max(ends) - first, 1)
    lines = []
    for o in sorted(operations, key=lambda o: o.invoked):
        begin = min(int((o.invoked - first) / span * (width - 1)), width - 1)
        end = width - 1 if not o.known else int((o.returned - first) / span * (width - 1))
        bar = " " * begin + "#" * (end - begin + 1)
        if not o.known:
            bar = bar[:-1] + ">"
        answer = str(o.answer) if o.known else "(no answer)"
        lines.append(f"{o.number:3} c{o.client} |{bar:{width}}| {o.call}  ->  {answer}")
    return f"{span / 1e6:.1f} ms from the left to the right\n" + "\n".join(lines) + "\n"
