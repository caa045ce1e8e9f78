"""What was asked and answered, and what must therefore be there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Entry:
    """One request: when, what, how it ended, how long it took."""

    at: float
    what: str
    status: int  # 0: no answer
    outcome: str  # done, refused, unknown, unsent
    ms: float
    why: str = ""


@dataclass(slots=True)
class Expected:
    """What may be there of one product: each state is None or (quantity, lists)."""

    states: set[Any]
    last: str = "done"  # the outcome of the last request about it
    item: str | None = None
    before: Any = None  # the state before a request whose outcome is unknown


@dataclass
class Journal:
    """All requests, and what must be there after them, by profile GID and product."""

    entries: list[Entry] = field(default_factory=list)
    expected: dict[str, dict[int, Expected]] = field(default_factory=dict)
    owners: dict[str, int] = field(default_factory=dict)
    lists: dict[str, set[str]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)  # sessions that were linked
    undecided: list[tuple[str, str]] = field(default_factory=list)  # links: session, customer
    complaints: list[str] = field(default_factory=list)

    def statuses(self) -> Counter[str]:
        names = {"unknown": "cut", "unsent": "unsent"}
        return Counter(str(e.status) if e.status else names[e.outcome] for e in self.entries)

    def slowest(self) -> float:
        return max((e.ms for e in self.entries), default=0.0)

    def rate(self) -> float:
        if not self.entries:
            return 0.0
        return len(self.entries) / max(self.entries[-1].at - self.entries[0].at, 0.001)

    def first_done_after(self, moment: float) -> float | None:
        return next((e.at for e in self.entries if e.at > moment and e.outcome == "done"), None)
