"""Histories of several clients at once, each checked for linearizability (tests/linearizability)."""

from __future__ import annotations

from tests.linearizability.harness import SETTINGS, Harness
from tests.linearizability.verify import verify
from torture.harness import ENGINES, Result, harness, scenario

HISTORIES = 1_000
"""On each engine, in a run of the usual length."""


@scenario(*ENGINES)
async def linearizability(engine: str, result: Result, scale: float) -> None:
    """3 to 6 clients on one session and one customer, no faults: is there an order for each?"""
    workers = "1" if engine == "sqlite" else "2"
    with harness(engine, result, scale, SETTINGS | {"WISHWELL_WORKERS": workers}) as made:
        found = await verify(Harness(made.service), max(int(HISTORIES * scale), 20), seed=1)
        result.checked = found.operations
        result.answers = {str(status): n for status, n in sorted(found.statuses.items())}
        result.faults = "locks held"
        result.notes.append(str(found))
        result.wrong += found.wrong[:5]
        result.must(not any(s >= 500 for s in found.statuses), "answers of 5xx without a fault")
        result.must("Traceback" not in made.service.output(), "a traceback in the log")
