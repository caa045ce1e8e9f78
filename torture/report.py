"""The table of a run, and the document made from it."""

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

DOCUMENT = Path(__file__).parents[1] / "docs" / "reliability.md"
FROM, UNTIL = "<!-- from here: make torture -->", "<!-- until here: make torture -->"
"""What is between these is written by a run; what is around them, by hand."""

HEAD = (
    *("Scenario", "Engine", "Load /s", "Faults", "Answers", "Checked", "Lost", "Doubled"),
    *("Leaked", "Done though refused", "Torn", "Cut but done", "Slowest ms", "Well after s"),
    "Verdict",
)


def _row(result: Result) -> tuple[str, ...]:
    verdict = (
        "skipped" if result.skipped else f"{len(result.wrong)} wrong" if result.wrong else "ok"
    )
    answers = " ".join(f"{status}×{count}" for status, count in result.answers.items())
    counts = [result.checked, result.lost, result.doubled, result.leaked]
    counts += [result.done_though_refused, result.torn, result.cut_but_done]
    well = "" if result.well_after_s is None else f"{result.well_after_s:.2f}"
    begin = (result.scenario, result.engine, f"{result.load:.0f}", result.faults, answers)
    return (*begin, *map(str, counts), f"{result.slowest_ms:.0f}", well, verdict)


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
    """``docs/reliability.md``, and the same as JSON beside it."""
    machine = _machine()
    record = {"machine": machine, "seconds": round(seconds)}
    record["results"] = [result.record() for result in results]
    DOCUMENT.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
    wrong = [f"- {r.scenario} on {r.engine}: {text}" for r in results for text in r.wrong]
    skipped = [f"- {r.scenario} on {r.engine}: {r.skipped}" for r in results if r.skipped]
    notes = [f"- {r.scenario} on {r.engine}: {'; '.join(r.notes)}" for r in results if r.notes]
    facts = "\n".join(f"| {name} | {value} |" for name, value in machine.items())
    begin, end = _by_hand()
    DOCUMENT.write_text(
        f"{begin}{FROM}\n\n"
        f"Made by `make torture` in {seconds:.0f} s; the same figures are in `reliability.json`.\n\n"
        f"{table(results)}\n### What was wrong\n\n" + ("\n".join(wrong) or "Nothing.") + "\n\n"
        "### Skipped\n\n" + ("\n".join(skipped) or "Nothing.") + "\n\n"
        "### Notes\n\n" + ("\n".join(notes) or "None.") + "\n\n"
        f"### Where\n\n| What | |\n|---|---|\n{facts}\n\n{UNTIL}{end}"
    )


def _by_hand() -> tuple[str, str]:
    """What is written by hand, before and after what a run writes."""
    text = DOCUMENT.read_text()
    return text.partition(FROM)[0], text.partition(UNTIL)[2]
