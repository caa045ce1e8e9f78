"""Puts faults into modules one by one, and says which of them neither types nor tests notice."""

from __future__ import annotations

import argparse
import queue
import sys
import tempfile
import threading
import time
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from mutate import mutants
from mutate.worker import ROOT, Result, Worker

PLAN = ROOT / "mutate" / "mutants.toml"
REPORT = ROOT / "build" / "mutants.md"
ENOUGH = 0.92
WAYS = ("types", "tests", "time")


class Outcome(NamedTuple):
    """What came of a mutant: ``by`` is one of ``WAYS``, or None of a survivor."""

    module: str
    mutant: mutants.Mutant
    by: str | None
    seconds: float


def main() -> int:
    """0 when enough of the mutants are noticed and each survivor is explained."""
    plan = tomllib.loads(PLAN.read_text())
    parser = argparse.ArgumentParser(prog="python -m mutate", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="module", help=", ".join(plan))
    parser.add_argument("--minutes", type=float, default=60, help="at most, for all together")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    if unknown := set(asked.modules) - set(plan):
        parser.error(f"{', '.join(sorted(unknown))}: not in {PLAN.relative_to(ROOT)}")
    plan = {name: plan[name] for name in asked.modules or plan}
    until = time.monotonic() + asked.minutes * 60
    with tempfile.TemporaryDirectory(prefix="wishwell-mutate-") as folder, ExitStack() as stack:
        places = [Path(folder) / str(number) for number in range(asked.workers)]
        outcomes = run(plan, [stack.enter_context(Worker(place)) for place in places], until)
    return report(plan, outcomes)


def run(plan: dict, workers: list[Worker], until: float) -> list[Outcome]:
    """Tries the mutants, one a worker, until there is no more time; the rest counts as survivors."""
    outcomes, waiting = [], queue.SimpleQueue()
    for name, module in plan.items():
        path = ROOT / "src" / "wishwell" / f"{name}.py"
        done = workers[0].tried(name, path.read_text(), module["tests"], 300)
        if done.by:
            raise SystemExit(f"{name}: there is something to notice without a fault\n{done.said}")
        made = mutants.of(path)
        print(f"{name}: {len(made)} mutants, tests of {done.seconds:.1f} s", flush=True)
        for mutant in made:
            waiting.put((name, mutant, module["tests"], 10 + 3 * done.seconds))
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
            name, mutant, tests, seconds = waiting.get_nowait()
        except queue.Empty:
            return
        done = Result(None, 0, "")
        if time.monotonic() < until:
            done = worker.tried(name, mutant.code, tests, seconds)
        outcomes.append(Outcome(name, mutant, done.by, done.seconds))
        if done.seconds and not done.by:
            print(f"{len(outcomes)} tried; {name} survives with {mutant.name}", flush=True)


def report(plan: dict, outcomes: list[Outcome]) -> int:
    """Writes and prints what survives, and the share that is noticed; the exit code."""
    text, unexplained = [], 0
    for name, module in plan.items():
        mine = [outcome for outcome in outcomes if outcome.module == name]
        reasons = module.get("survivors", {})
        survivors = [outcome.mutant for outcome in mine if outcome.by is None]
        ways = ", ".join(f"{sum(o.by == way for o in mine)} by {way}" for way in WAYS)
        took = sum(outcome.seconds for outcome in mine)
        text += [f"## {name}: {len(mine)} mutants, {len(survivors)} survive", ""]
        late = sum(not outcome.by and not outcome.seconds for outcome in mine)
        text += [f"Noticed {ways}; {took:.0f} s of tests. Not tried, for lack of time: {late}.", ""]
        for mutant in survivors:
            reason = reasons.get(mutant.name)
            unexplained += reason is None
            text += [f"{reason or 'Not explained'}: `{mutant.name}`"]
            text += ["", "```diff", mutant.diff, "```", ""]
        gone = reasons.keys() - {mutant.name for mutant in survivors}
        text += [f"No survivor any more: `{key}`\n" for key in sorted(gone)]
    noticed = sum(outcome.by is not None for outcome in outcomes)
    share = noticed / len(outcomes)
    text.append(f"{noticed} of {len(outcomes)} noticed: {share:.3f}. Not explained: {unexplained}.")
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("# Mutants\n\n" + "\n".join(text) + "\n")
    print("\n".join(text))
    return 0 if share >= ENOUGH and not unexplained else 1


if __name__ == "__main__":
    sys.exit(main())
