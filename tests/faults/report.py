"""The record of a run, tests/faults/results/latest.json, and its table for the terminal."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from tests.faults.journal import COUNTS, Result
from tools.tables import keep, machine, markdown

FIGURES = Path(__file__).parent / "results" / "latest.json"
COLUMNS = (
    *("scenario", "engine", "load", "faults", "answers", "checked", *COUNTS, "cut_but_done"),
    *("slowest_ms", "well_after_s"),
)


def table(results: list[Result]) -> str:
    """Returns a table of every figure of every result."""
    rows = []
    for result in results:
        verdict = f"{len(result.wrong)} wrong" if result.wrong else "ok"
        cells = [str(getattr(result, name)) for name in COLUMNS]
        rows.append([*cells, "skipped" if result.skipped else verdict])
    return markdown([*COLUMNS, "verdict"], rows) + "\n"


def write(results: list[Result], seconds: float) -> None:
    """Writes each scenario's responses and findings, and the machine."""
    record = {"machine": machine(), "seconds": round(seconds)}
    keep(FIGURES, record | {"results": [asdict(result) for result in results]})


def last() -> list[Result]:
    """Returns the results of the last recorded run."""
    return [Result(**fields) for fields in json.loads(FIGURES.read_text())["results"]]
