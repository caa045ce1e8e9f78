"""The record of a run, torture/results/latest.json, and its table for the terminal."""

from __future__ import annotations

import json
import platform
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import psutil

from tests.servers import postgres_binaries, redis_binary
from torture.harness import Result

RECORD = Path(__file__).parent / "results" / "latest.json"
COUNTS = ("lost", "doubled", "leaked", "done_though_refused", "torn")
"""Of a result: what must be 0."""

HEAD = (
    *("Scenario", "Engine", "Load /s", "Faults", "Answers", "Checked", "Lost", "Doubled"),
    *("Leaked", "Done though refused", "Torn", "Cut but done", "Slowest ms", "Well after s"),
    "Verdict",
)


def _row(result: Result) -> tuple[str, ...]:
    answers = " ".join(f"{status}×{count}" for status, count in result.answers.items())
    counts = [result.checked, *(getattr(result, name) for name in COUNTS), result.cut_but_done]
    well = "" if result.well_after_s is None else f"{result.well_after_s:.2f}"
    begin = (result.scenario, result.engine, f"{result.load:.0f}", result.faults, answers)
    return (*begin, *map(str, counts), f"{result.slowest_ms:.0f}", well, _verdict(result))


def table(results: list[Result]) -> str:
    """As Markdown, which a terminal shows well too."""
    lines = ["| " + " | ".join(row) + " |" for row in (HEAD, ("---",) * len(HEAD))]
    lines += ["| " + " | ".join(_row(result)) + " |" for result in results]
    return "\n".join(lines) + "\n"


def _version(program: str | Path | None) -> str:
    if program is None:
        return "none"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[0] if done.stdout else "unknown"


def _machine() -> dict[str, str]:
    parts = ("wishwell", "uvicorn", "uvloop", "asyncpg", "redis")
    memory = psutil.virtual_memory().total / 2**30
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {psutil.cpu_count()} cores, {memory:.0f} GiB",
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "postgresql": _version(postgres_binaries() / "postgres"),
        "redis": _version(redis_binary()),
    } | {name: metadata.version(name) for name in parts}


def write(results: list[Result], seconds: float) -> None:
    """All that was answered and found in each scenario, and where."""
    record = {"machine": _machine(), "seconds": round(seconds)}
    record["results"] = [result.record() for result in results]
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


def last() -> list[Result]:
    """The results of the last run that was written."""
    return [Result(**fields) for fields in json.loads(RECORD.read_text())["results"]]


def _verdict(result: Result) -> str:
    return "skipped" if result.skipped else f"{len(result.wrong)} wrong" if result.wrong else "ok"
