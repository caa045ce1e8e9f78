"""The table of a run: as the terminal shows it, and as docs/tables/reliability.md has it."""

from __future__ import annotations

import json
from pathlib import Path

from tools.tables import keep, machine, markdown, of_machine
from torture.journal import COUNTS, Result

DOCUMENT = Path(__file__).parents[1] / "docs" / "tables" / "reliability.md"
FIGURES = DOCUMENT.with_suffix(".json")
COLUMNS = (
    *("scenario", "engine", "load", "faults", "answers", "checked", *COUNTS, "cut_but_done"),
    *("slowest_ms", "well_after_s"),
)


def table(results: list[Result]) -> str:
    """Every figure of every result."""
    rows = [
        [*(str(getattr(result, name)) for name in COLUMNS), _verdict(result)] for result in results
    ]
    return markdown([*COLUMNS, "verdict"], rows) + "\n"


def write(results: list[Result], seconds: float) -> None:
    """``docs/tables/reliability.json``, which has everything, and the document made from it."""
    record = {"machine": machine(), "seconds": round(seconds)}
    keep(FIGURES, record | {"results": [result.record() for result in results]})
    write_again()


def write_again() -> None:
    """The document, from the last run's figures."""
    record = json.loads(FIGURES.read_text())
    results = [Result(**fields) for fields in record["results"]]
    counts = ", ".join(
        f"{sum(getattr(result, name) for result in results)} {name.replace('_', ' ')}"
        for name in COUNTS
    )
    wrong = [f"- {r.scenario} on {r.engine}: {text}" for r in results for text in r.wrong]
    skipped = [f"- {r.scenario} on {r.engine}: {r.skipped}" for r in results if r.skipped]
    DOCUMENT.write_text(
        "# What happens when things break: the table\n\n"
        "Written by `make torture`; [reliability.md](../reliability.md) says what it means. What was "
        "answered and found in each scenario is in `reliability.json`.\n\n"
        f"{of_machine(record['machine'])}; {record['seconds']} s.\n\n"
        f"{sum(r.checked for r in results):,} items and requests were compared with what had been "
        f"answered: {counts}; "
        f"{sum(r.cut_but_done for r in results)} cut but done. A time is how long after the end of "
        f"the fault the first request succeeded.\n\n{_by_scenario(results)}\n\n"
        "## What was wrong\n\n" + ("\n".join(wrong) or "Nothing.") + "\n\n"
        "## Skipped\n\n" + ("\n".join(skipped) or "Nothing.") + "\n"
    )


def _by_scenario(results: list[Result]) -> str:
    """A row for each scenario, a column for each engine that ran one."""
    engines = list(dict.fromkeys(result.engine for result in results))
    rows: dict[str, list[str]] = {}
    for result in results:
        row = rows.setdefault(
            result.scenario, [result.scenario, result.faults, *[""] * len(engines)]
        )
        row[2 + engines.index(result.engine)] = _cell(result)
    return markdown(["Scenario", "Fault", *engines], rows.values())


def _cell(result: Result) -> str:
    if result.skipped or result.wrong or result.well_after_s is None:
        return _verdict(result)
    return f"{result.well_after_s:.2f} s"


def _verdict(result: Result) -> str:
    return "skipped" if result.skipped else f"{len(result.wrong)} wrong" if result.wrong else "ok"
