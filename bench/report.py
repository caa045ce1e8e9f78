"""Rounds into ratios, and ratios into tables, a file, a chart and docs/performance.md."""

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
    missed = " ✗" if aim is not None and median(values) < aim else ""
    return f"**{median(values):.2f}** ({min(values):.2f} to {max(values):.2f}){missed}"


def table(found: dict[str, list[float]], results: list[dict[str, Any]]) -> str:
    """Markdown: medians with their spread, and the rates of this machine for orientation."""
    lines = ["| Request | " + " | ".join(f"{a} / {b}" for a, b in PAIRS) + " |"]
    lines.append("|---" * (len(PAIRS) + 1) + "|")
    for work, name in NAMES.items():
        kind = None if work in ("token", "mix") else 0 if work in READS else 1
        cells = []
        for pair in PAIRS:
            aim = None if kind is None else AIMS.get(pair, (None, None))[kind]
            cells.append(_cell(found.get(f"{work}: {pair[0]} / {pair[1]}"), aim))
        if any(cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    targets = list(dict.fromkeys(result["target"] for result in results))
    lines += ["", "| Requests a second (p99, ms) | " + " | ".join(targets) + " |"]
    lines.append("|---" * (len(targets) + 1) + "|")
    for work, name in NAMES.items():
        cells = []
        for target in targets:
            runs = [r for r in results if (r["work"], r["target"]) == (work, target)]
            rate = f"{median(r['rate'] for r in runs):,.0f}" if runs else ""
            tails = [r["p99_ms"] for r in runs if r["p99_ms"] is not None]
            cells.append(f"{rate} ({median(tails):.1f})" if tails else rate)
        if any(cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def figures_table(figures: list[dict[str, Any]]) -> str:
    """Markdown: the figures that are no throughput beside another server's."""
    lines = ["| Measurement | Aim | Median (smallest to largest) | |", "|---|---|---|---|"]
    for figure in figures:
        values, unit = figure["values"], figure["unit"]
        shown = f"**{median(values):.2f}** {unit}"
        if len(values) > 1:
            shown = f"**{median(values):.2f}** ({min(values):.2f} to {max(values):.2f}) {unit}"
        missed = "" if figure["holds"] in (None, True) else " ✗"
        lines.append(
            f"| {figure['name']} | {figure['target']} | {shown}{missed} | {figure['note']} |"
        )
    return "\n".join(lines)


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
    folder = ROOT / "bench" / "results"
    folder.mkdir(exist_ok=True)
    (folder / "latest.json").write_text(json.dumps(record, indent=1) + "\n")
    write_again()


def write_again() -> None:
    """docs/performance.svg, and what lies between the marks of docs/performance.md."""
    record = json.loads((ROOT / "bench" / "results" / "latest.json").read_text())
    found = ratios(record["results"])
    machine = record["machine"]
    text = (
        f"{machine['date']}: Python {machine['python']}, PostgreSQL {machine['postgresql']}, "
        f"{machine['system']}, {machine['cores']} cores ({machine['processor']}). "
        f"A cross marks a missed aim.\n\n{table(found, record['results'])}\n\n"
        f"{figures_table(record['figures'])}"
    )
    document = ROOT / "docs" / "performance.md"
    begin, end = "<!-- measured -->", "<!-- /measured -->"
    before, _, rest = document.read_text().partition(begin)
    document.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}")
    _chart(found)


def _chart(found: dict[str, list[float]]) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "svg.hashsalt": "wishwell",
    }
    from matplotlib import pyplot

    works = [work for work in NAMES if f"{work}: {PAIRS[0][0]} / {PAIRS[0][1]}" in found]
    figure, axis = pyplot.subplots(figsize=(8, 3.2))
    for offset, (one, other) in ((-0.2, PAIRS[0]), (0.2, PAIRS[1])):
        values = [found.get(f"{work}: {one} / {other}", [0.0]) for work in works]
        heights = [median(v) for v in values]
        spread = [[h - min(v) for h, v in zip(heights, values, strict=True)],
                  [max(v) - h for h, v in zip(heights, values, strict=True)]]  # fmt: skip
        at = [x + offset for x in range(len(works))]
        axis.bar(at, heights, 0.38, yerr=spread, capsize=3, label=one.split()[1])
    axis.axhline(0.7, color="grey", linewidth=0.8)
    axis.set_xticks(range(len(works)), works)
    axis.set_ylabel("of the floor's throughput")
    axis.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "performance.svg", metadata={"Date": None})
