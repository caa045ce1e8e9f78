"""The table of a run: as the terminal shows it, and as docs/tables/reliability.md has it."""

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

DOCUMENT = Path(__file__).parents[1] / "docs" / "tables" / "reliability.md"
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
    """``docs/tables/reliability.json``, which has everything, and the document made from it."""
    record = {"machine": _machine(), "seconds": round(seconds)}
    record["results"] = [result.record() for result in results]
    DOCUMENT.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
    write_again()


def write_again() -> None:
    """The document, from the last run's figures."""
    record = json.loads(DOCUMENT.with_suffix(".json").read_text())
    results = [Result(**fields) for fields in record["results"]]
    machine = record["machine"]
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
        f"{machine['date']}, {record['seconds']} s: {machine['machine']}, {machine['system']}, Python "
        f"{machine['python']}, SQLite {machine['sqlite']}, {machine['postgresql']}.\n\n"
        f"{sum(r.checked for r in results):,} items and requests were compared with what had been "
        f"answered: {counts}; "
        f"{sum(r.cut_but_done for r in results)} cut but done. A time is how long after the end of "
        f"the fault the first request succeeded.\n\n{_by_scenario(results)}\n"
        "## What was wrong\n\n" + ("\n".join(wrong) or "Nothing.") + "\n\n"
        "## Skipped\n\n" + ("\n".join(skipped) or "Nothing.") + "\n"
    )


def _by_scenario(results: list[Result]) -> str:
    """A row for each scenario, a column for each engine that ran one."""
    engines = list(dict.fromkeys(result.engine for result in results))
    lines = [f"| Scenario | Fault | {' | '.join(engines)} |", "|---" * (len(engines) + 2) + "|"]
    for name in dict.fromkeys(result.scenario for result in results):
        runs = {result.engine: result for result in results if result.scenario == name}
        cells = [_cell(runs[engine]) if engine in runs else "" for engine in engines]
        fault = next(iter(runs.values())).faults
        lines.append(f"| {name} | {fault} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(result: Result) -> str:
    if result.skipped or result.wrong or result.well_after_s is None:
        return _verdict(result)
    return f"{result.well_after_s:.2f} s"


def _verdict(result: Result) -> str:
    return "skipped" if result.skipped else f"{len(result.wrong)} wrong" if result.wrong else "ok"
