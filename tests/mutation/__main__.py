"""Tries mutants of modules one by one, and reports those that neither type checks nor tests
kill."""

from __future__ import annotations

import argparse
import queue
import random
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tests import tests_of
from tests.mutation import mutants
from tests.mutation.worker import ROOT, SOURCE, Result, Worker

PLAN = Path(__file__).with_name("mutants.toml")
REPORT = ROOT / "build" / "mutants.md"
ENOUGH = 0.92
WAYS = ("types", "tests", "time")


class Outcome(NamedTuple):
    """The result of a mutant. ``by``: one of ``WAYS``, or ``None`` for a survivor."""

    module: str
    mutant: mutants.Mutant
    by: str | None
    seconds: float


def main() -> int:
    """Runs the command. Returns 0 if enough mutants are killed and each survivor is explained."""
    plan = tomllib.loads(PLAN.read_text())
    tests = tests_of_modules(plan["selections"])
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="name", help="modules or packages; all, if none"
    )
    parser.add_argument("--list", action="store_true", help="show the modules and end")
    parser.add_argument("--minutes", type=float, default=60, help="at most, for all together")
    parser.add_argument("--sample", type=int, help="mutants to try of each module, drawn at random")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    if asked.list:
        print("\n".join(tests))
        return 0
    for name in asked.names:
        if not any(name in module.split("/") for module in tests):
            parser.error(f"{name}: no module or package in {PLAN.relative_to(ROOT)}")
    if asked.names:
        tests = {name: tests[name] for name in tests if set(name.split("/")) & set(asked.names)}
    until = time.monotonic() + asked.minutes * 60
    with tempfile.TemporaryDirectory(prefix="wishwell-mutate-") as folder, ExitStack() as stack:
        places = [Path(folder) / str(number) for number in range(asked.workers)]
        workers = [stack.enter_context(Worker(place)) for place in places]
        outcomes = run(tests, workers, until, asked.sample)
    return report(plan["survivors"], outcomes)


def tests_of_modules(selections: dict[str, str]) -> dict[str, list[str]]:
    """Returns pytest's arguments for each module that is tried: its tests, and the selection from
    the module's line in the plan or the package's."""
    modules: dict[str, list[str]] = {}
    for name in sorted(selections, key=lambda name: name.endswith("/")):
        for path in sorted(SOURCE.glob(f"{name}*.py" if name.endswith("/") else f"{name}.py")):
            words = [*tests_of.tests_of(path), "-k", selections[name]]
            modules.setdefault(str(path.relative_to(SOURCE).with_suffix("")), words)
    return modules


def run(
    tests: dict[str, list[str]], workers: list[Worker], until: float, sample: int | None = None
) -> list[Outcome]:
    """Tries mutants in parallel, one per worker. Those left when the time is up count as
    survivors."""
    outcomes, waiting = [], queue.SimpleQueue()
    for name, words in tests.items():
        path = SOURCE / f"{name}.py"
        made = mutants.of(path)
        if not made:
            continue
        if sample is not None:
            made = random.sample(made, min(sample, len(made)))
        unhurt = workers[0].tried(name, path.read_text(), words, 300)
        if unhurt.by:
            raise SystemExit(f"{name}: there is something to notice without a fault\n{unhurt.said}")
        print(f"{name}: {len(made)} mutants, tests of {unhurt.seconds:.1f} s", flush=True)
        for mutant in made:
            waiting.put((name, mutant, words, 10 + 3 * unhurt.seconds))
    args = (waiting, outcomes, until)
    threads = [threading.Thread(target=work, args=(one, *args), daemon=True) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def work(worker: Worker, waiting: queue.SimpleQueue, outcomes: list[Outcome], until: float) -> None:
    while not waiting.empty():
        try:
            name, mutant, words, seconds = waiting.get_nowait()
        except queue.Empty:
            return
        done = Result(None, 0, "")
        if time.monotonic() < until:
            done = worker.tried(name, mutant.code, words, seconds)
        outcomes.append(Outcome(name, mutant, done.by, done.seconds))
        if done.seconds and not done.by:
            print(f"{len(outcomes)} tried; {name} survives with {mutant.name}", flush=True)


def report(explained: dict[str, dict[str, tuple[int, str]]], outcomes: list[Outcome]) -> int:
    """Writes and prints the survivors and the share of killed mutants. Returns the exit code."""
    text, unexplained = [], 0
    for name in dict.fromkeys(outcome.module for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.module == name]
        late = sum(not outcome.by and not outcome.seconds for outcome in mine)
        survivors = [outcome.mutant for outcome in mine if not outcome.by and outcome.seconds]
        ways = ", ".join(f"{sum(o.by == way for o in mine)} by {way}" for way in WAYS)
        took = sum(outcome.seconds for outcome in mine)
        text += [f"## {name}: {len(mine)} mutants, {len(survivors)} survive", ""]
        text += [f"Noticed {ways}; {took:.0f} s of tests. Not tried, for lack of time: {late}.", ""]
        reasons = explained.get(name, {})
        counts = Counter(mutant.name for mutant in survivors)
        for key in sorted(counts.keys() | reasons.keys()):
            most, reason = reasons.get(key, (0, "Not explained"))
            unexplained += max(0, counts[key] - most)
            text += [f"### {key}: {counts[key]} survive, {most} explained: {reason}", ""]
            for mutant in survivors:
                text += ["```diff", mutant.diff, "```", ""] if mutant.name == key else []
    noticed = sum(outcome.by is not None for outcome in outcomes)
    share = noticed / len(outcomes)
    text.append(f"{noticed} of {len(outcomes)} noticed: {share:.3f}. Not explained: {unexplained}.")
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("# Mutants\n\n" + "\n".join(text) + "\n")
    print("\n".join(text))
    return 0 if share >= ENOUGH and not unexplained else 1


if __name__ == "__main__":
    sys.exit(main())
