"""Histories of several clients at once, each checked for linearizability (tests/linearizability)."""

from __future__ import annotations

from tests.linearizability.harness import SETTINGS
from tests.linearizability.harness import Harness as Clients
from tests.linearizability.verify import verify
from torture.harness import ENGINES, Harness, scenario

HISTORIES = 1_000
"""On each engine, in a run of the usual length."""


@scenario(*ENGINES, settings=SETTINGS)
async def linearizability(r: Harness) -> None:
    """3 to 6 clients on one session and one customer, no faults: is there an order for each?"""
    if r.engine != "sqlite":
        r.service.restart(settings={"WISHWELL_WORKERS": "2"})
    found = await verify(Clients(r.service), max(int(HISTORIES * r.scale), 20), seed=1)
    r.result.checked = found.operations
    r.result.answered({str(status): n for status, n in found.statuses.items()})
    r.result.faults = "locks held"
    r.note(str(found))
    r.result.wrong += found.wrong[:5]
    r.must(not any(s >= 500 for s in found.statuses), "answers of 5xx without a fault")
