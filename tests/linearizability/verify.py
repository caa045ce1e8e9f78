"""Runs histories and judges them: counts, and a picture of each that has no order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.linearizability import checker, drive, specification
from tests.linearizability.harness import Harness
from tests.linearizability.history import Operation, partitions
from tests.linearizability.specification import Specification


@dataclass
class Findings:
    """What came out of some histories."""

    histories: int = 0
    operations: int = 0
    unknown: int = 0
    beside: int = 0  # operations that others overlapped
    statuses: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        statuses = " ".join(f"{status}×{n}" for status, n in sorted(self.statuses.items()))
        return (
            f"{self.histories} histories, {self.operations} operations ({self.beside} beside others, "
            f"{self.unknown} without an answer), {len(self.wrong)} not linearizable; {statuses}"
        )

    def add(self, operations: list[Operation], initial: Specification, title: str) -> None:
        """Judges one history, by its parts."""
        self.histories += 1
        self.operations += len(operations)
        self.kinds.update(o.call.kind for o in operations)
        self.statuses.update(o.answer.status for o in operations if o.answer)
        self.unknown += sum(not o.known for o in operations)
        self.beside += sum(
            any(
                o is not p and p.invoked < o.returned and o.invoked < p.returned for p in operations
            )
            for o in operations
        )
        born = specification.unattributed(operations)

        def step(state: Specification, operation: Operation) -> list[Specification]:
            return specification.step(state, operation, born)

        for part in partitions(operations):
            if not checker.check(part, initial, step).ok:
                self.wrong.append(f"{title}: {checker.picture(part, initial, step)}")


async def verify(harness: Harness, histories: int, seed: int) -> Findings:
    """Runs histories one after the other against the program, with seeds from ``seed`` on."""
    judgement = Findings()
    clients = [harness.client() for _ in range(7)]
    try:
        async with harness.database() as db:
            for number in range(seed, seed + histories):
                run = await drive.history(harness, db, clients, number)
                judgement.add(run.history.operations, run.who.world(), f"history {number}")
    finally:
        for client in clients:
            client.close()
    return judgement
