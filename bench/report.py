"""Rounds into ratios, and ratios into bench/results/latest.json and tables."""

import datetime
import json
import os
import platform
import re
import statistics
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.servers import postgres_binaries

if TYPE_CHECKING:
    from bench.single import Measurement

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "bench" / "results" / "latest.json"
ENGINES = ("PostgreSQL", "SQLite")
NAMES = {
    "page": "`GET /items`, a page of 30",
    "saved": "`GET /items?query=product:…`, four products",
    "item": "`GET /items/{id}`",
    "list": "`GET /lists/{id}` with 30 items",
    "post": "`POST /items`",
    "patch": "`PATCH /items/{id}`",
    "lists": "`PUT /items/{id}/lists`",
    "delete": "`DELETE /items/{id}`",
    "token": "`POST /profiles/token`",
    "mix": "a shop's mix, 90 % reads",
}
PAIRS = (
    ("wishwell PostgreSQL", "floor PostgreSQL"),
    ("wishwell SQLite", "floor SQLite"),
    ("wishwell PostgreSQL", "usual PostgreSQL"),
    ("wishwell SQLite", "wishwell PostgreSQL"),
    ("wishwell PostgreSQL", "pgbench"),
)
READS = ("page", "saved", "item", "list")
# What the table's figures are held against: of a pair and of reads or writes, the least.
AIMS = {
    ("wishwell PostgreSQL", "floor PostgreSQL"): (0.70, 0.70),
    ("wishwell PostgreSQL", "usual PostgreSQL"): (7, 8),
    ("wishwell SQLite", "wishwell PostgreSQL"): (1.5, None),
}
median = statistics.median


def ratios(results: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Throughput of one against another, by workload, one figure a round."""
    rates = {(r["round"], r["work"], r["target"]): r["rate"] for r in results}
    found: dict[str, list[float]] = {}
    for (round_, work, target), rate in rates.items():
        for one, other in PAIRS:
            if target == one and (round_, work, other) in rates:
                name = f"{work}: {one} / {other}"
                found.setdefault(name, []).append(rate / rates[round_, work, other])
    return found


def _cell(values: list[float] | None, aim: float | None) -> str:
    if not values:
        return ""
    return _shown(values, missed=aim is not None and median(values) < aim)


def _shown(values: list[float], missed: bool) -> str:
    spread = f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else ""
    return f"**{median(values):.2f}**{spread}{' ✗' if missed else ''}"


def table(found: dict[str, list[float]], results: list[dict[str, Any]]) -> str:
    """Markdown: the rates of this machine for orientation, and the ratios with their spread."""
    heads = [f"{engine}, a second" for engine in ENGINES] + [f"{a} / {b}" for a, b in PAIRS]
    lines = ["| Request | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for work, name in NAMES.items():
        kind = None if work in ("token", "mix") else 0 if work in READS else 1
        cells = [_rate(results, work, f"wishwell {engine}") for engine in ENGINES]
        for pair in PAIRS:
            aim = None if kind is None else AIMS.get(pair, (None, None))[kind]
            cells.append(_cell(found.get(f"{work}: {pair[0]} / {pair[1]}"), aim))
        if any(cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _rate(results: list[dict[str, Any]], work: str, target: str) -> str:
    rates = [r["rate"] for r in results if (r["work"], r["target"]) == (work, target)]
    return f"{median(rates):,.0f}" if rates else ""


def figures_table(figures: list[dict[str, Any]]) -> str:
    """Markdown: the figures that have an aim and are no throughput, one column for each engine."""
    rows: dict[str, dict[str, str]] = {}
    aims: dict[str, str] = {}
    for figure in figures:
        if figure["target"] == "reported":
            continue
        name, engine = _engine(figure["name"])
        cell = _shown(figure["values"], missed=figure["holds"] is False)
        rows.setdefault(name, {})[engine] = cell
        aims[name] = f"{figure['target']} {figure['unit']}"
    lines = [f"| Measurement | Aim | {' | '.join(ENGINES)} |", "|---|---|---|---|"]
    for name, cells in rows.items():
        columns = " | ".join(cells.get(engine, "") for engine in ENGINES)
        lines.append(f"| {name} | {aims[name]} | {columns} |")
    return "\n".join(lines)


def _engine(name: str) -> tuple[str, str]:
    """A measurement without its engine, and the engine. One that names none is of SQLite."""
    for engine in ENGINES:
        if name.endswith(f", {engine}"):
            return name.removesuffix(f", {engine}"), engine
    return name, "SQLite"


def _machine() -> dict[str, Any]:
    postgres = subprocess.run(
        [postgres_binaries() / "postgres", "--version"], capture_output=True, text=True, check=True
    )
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "postgresql": postgres.stdout.split()[-1],
        "system": platform.system(),
        "cores": os.cpu_count(),
        "processor": model[1] if model else platform.machine(),
    }


def write(
    arguments: dict[str, Any], results: list[dict[str, Any]], figures: "list[Measurement]"
) -> None:
    """bench/results/latest.json, and from it the documents."""
    shown = [
        figure._asdict() | {"holds": figure.holds and figure.holds(median(figure.values))}
        for figure in figures
    ]
    record = {
        "machine": _machine(),
        "arguments": arguments,
        "results": results,
        "figures": shown,
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


def tables() -> str:
    """The last results, in which a cross marks a missed aim."""
    record = json.loads(RECORD.read_text())
    return f"{table(ratios(record['results']), record['results'])}\n\n{figures_table(record['figures'])}\n"
