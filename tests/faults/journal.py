"""The requests made, their outcomes, and the data that must therefore exist."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

COUNTS = ("lost", "doubled", "leaked", "done_though_refused", "torn")
"""Counts in a result that must be 0."""


@dataclass
class Result:
    """A row of the table."""

    scenario: str
    engine: str
    seconds: float = 0.0
    load: float = 0.0
    faults: str = ""
    answers: dict[str, int] = field(default_factory=dict)
    checked: int = 0
    lost: int = 0  # got a 2xx but missing
    doubled: int = 0
    leaked: int = 0  # in another's profile
    done_though_refused: int = 0
    torn: int = 0  # unknown outcome, carried out in part
    cut_but_done: int = 0  # unknown outcome, carried out
    slowest_ms: float = 0.0
    well_after_s: float | None = None
    notes: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    skipped: str = ""

    def must(self, condition: bool, otherwise: str) -> None:
        if not condition:
            self.wrong.append(otherwise)

    def answered(self, answers: dict[str, int]) -> None:
        self.answers = dict(sorted((Counter(self.answers) + Counter(answers)).items()))


@dataclass(slots=True)
class Entry:
    """A request: its time, kind, outcome and duration."""

    at: float
    what: str
    status: int  # 0: no response
    outcome: str  # done, refused, unknown, unsent
    ms: float
    why: str = ""


@dataclass(slots=True)
class Expected:
    """The possible states of one product's item; a state is None or (quantity, lists)."""

    states: set[Any]
    last: str = "done"  # the outcome of the last request about it
    item: str | None = None
    before: Any = None  # the state before a request with an unknown outcome


@dataclass
class Journal:
    """All requests, and the data that must exist after them, by profile GID and product."""

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
