"""``make bench-quick``: this program beside that of an earlier commit, in under 3 minutes.

Both answer the same requests on databases of their own, in turns of a few hundred. What counts is
the processor time of a request, the database's included: as the turns are short, another program
that takes the machine, or slows it, takes it from both. It fails where the earlier program needed
less than 0.93 of it, by the median of all pairs of turns, for any workload on any engine.
"""

import argparse
import random
import statistics
import sys
import time
from pathlib import Path

from bench import seed
from bench.beside import programs
from bench.client import Raw
from bench.targets import ENGINES, ROOT, Shop, Source, processor, run, say

LEAST = 0.93
WORKS = ("page", "list", "post")
_LINES, _VOLLEYS = 8, 25
"""Connections, and how often all of them ask in a turn."""
_FEWEST = 21
"""Pairs of turns, however slow the machine is."""


class Load:
    """One workload on one program: a request on each of 8 connections, then their answers."""

    def __init__(self, shop: Shop, work: str) -> None:
        self._shop, self._work = shop, work
        self._lines = [Raw(shop.url, "") for _ in range(_LINES)]
        self._owners = [seed.Owner(*line.split()) for line in shop.owners.read_text().splitlines()]

    def turn(self) -> float:
        """Processor time of a request, in seconds, over a turn; that of its database is in it."""
        before = processor(self._shop)
        for _ in range(_VOLLEYS):
            for line in self._lines:
                line.send(self._request(line))
            for line in self._lines:
                while (answer := line.read()) is None:
                    pass
                if answer[0] != 200:
                    raise RuntimeError(f"{self._work}: {answer}")
        return (processor(self._shop) - before) / (_VOLLEYS * _LINES)

    def _request(self, line: Raw) -> bytes:
        owner = random.choice(self._owners)
        line.token = owner.token
        if self._work == "page":
            return line.request("GET", "/items")
        if self._work == "list":
            return line.request("GET", f"/lists/{owner.list}")
        # Another quantity each time: what changes nothing costs less.
        body = {"productId": random.randint(1, seed.ITEMS), "quantity": random.randint(1, 10**6)}
        return line.request("POST", "/items", body)

    def close(self) -> None:
        for line in self._lines:
            line.close()


def shares(ours: Shop, theirs: Shop, work: str, seconds: float) -> list[float]:
    """The other's processor time as shares of ours, one for each pair of turns."""
    one, other = Load(ours, work), Load(theirs, work)
    ratios: list[float] = []
    one.turn(), other.turn()  # statements are prepared
    until = time.monotonic() + seconds
    while time.monotonic() < until or len(ratios) < _FEWEST:
        if len(ratios) % 2:
            mine, before = one.turn(), other.turn()
        else:
            before, mine = other.turn(), one.turn()
        ratios.append(before / mine)
    one.close()
    other.close()
    return ratios


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.quick", description=__doc__)
    words.add_argument("before", type=Path, help="a checkout with the earlier program in its .venv")
    words.add_argument("--seconds", type=float, default=18, help="for each workload and engine")
    words.add_argument("--profiles", type=int, default=100)
    chosen = words.parse_args()
    folder = chosen.before.absolute()
    before = Source(folder, str(folder / ".venv" / "bin" / "python"))
    low, engines = [], list(ENGINES.values())
    with programs([Source(ROOT), before], chosen.profiles, engines, events=False) as running:
        for engine, (ours, theirs) in running.items():
            for work in WORKS:
                of_turns = shares(ours, theirs, work, chosen.seconds)
                middle = statistics.median(of_turns)
                say(f"{engine:10} {work:4} {middle:.3f} of {len(of_turns)}")
                low += [f"{work} on {engine}"] if middle < LEAST else []
    sys.exit(f"below {LEAST} of the processor time of before: {', '.join(low)}" if low else 0)


if __name__ == "__main__":
    run(main)
