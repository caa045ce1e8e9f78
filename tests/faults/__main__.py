"""``python -m tests.faults [scenario ...]``: runs the faults, prints the table, writes the report."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time

from tests import faults
from tests.faults import harness, report
from tests.faults.harness import ENGINES, SCENARIOS, say


def main() -> int:
    for module in pkgutil.iter_modules(faults.__path__):
        if module.name.startswith("faults_"):
            importlib.import_module(f"tests.faults.{module.name}")
    words = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    words.add_argument("scenario", nargs="*", help="all of them when none is named")
    words.add_argument("--list", action="store_true", help="show the scenarios and end")
    words.add_argument("--engine", choices=ENGINES, help="only this engine")
    words.add_argument(
        "--seconds", type=float, default=800, help="about how long all of it may take (800)"
    )
    words.add_argument("--no-report", action="store_true", help="write no files")
    words.add_argument("--again", action="store_true", help="only show the table of the last run")
    chosen = words.parse_args()
    if chosen.list:
        for name, scenario in SCENARIOS.items():
            say(f"{name:31} {'+'.join(scenario.engines):18} {scenario.about}")
        return 0
    if chosen.again:
        sys.stdout.write(report.table(report.last()))
        return 0
    unknown = set(chosen.scenario) - SCENARIOS.keys()
    if unknown:
        words.error(f"no such scenario: {', '.join(sorted(unknown))}; --list shows them")
    results = []
    began = time.monotonic()
    wanted = [
        (name, engine)
        for name, scenario in SCENARIOS.items()
        if not chosen.scenario or name in chosen.scenario
        for engine in scenario.engines
        if chosen.engine in (None, engine)
    ]
    for number, (name, engine) in enumerate(wanted):
        passed = time.monotonic() - began
        # An estimate that takes all scenarios as equally long.
        whole = passed / number * len(wanted) if number else chosen.seconds
        say(f"[{number + 1}/{len(wanted)}, {passed:.0f} s of about {whole:.0f}]")
        results.append(harness.run(name, engine, chosen.seconds / 800))
    sys.stdout.write(report.table(results))
    say(f"{time.monotonic() - began:.0f} s")
    if not chosen.no_report and not chosen.scenario and chosen.engine is None:
        report.write(results, time.monotonic() - began)
    return 1 if any(result.wrong for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
