"""Rounds into ratios, and ratios into a table, a file and a chart."""

import json
import statistics
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NAMES = {
    "page": "`GET /items`, a page of 30",
    "saved": "`GET /items?query=product:…`, four products",
    "item": "`GET /items/{id}`",
    "list": "`GET /lists/{id}` with 30 items",
    "post": "`POST /items`",
    "patch": "`PATCH /items/{id}`",
    "token": "`POST /profiles/token`",
    "mix": "a shop's mix, 90 % reads",
}
PAIRS = (
    ("wishwell PostgreSQL", "floor PostgreSQL"),
    ("wishwell SQLite", "floor SQLite"),
    ("wishwell PostgreSQL", "usual PostgreSQL"),
    ("wishwell SQLite", "wishwell PostgreSQL"),
)
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


def table(found: dict[str, list[float]], results: list[dict[str, Any]]) -> str:
    """Markdown: medians with their spread, and the rates of this machine for orientation."""
    lines = ["| Request | " + " | ".join(f"{a} / {b}" for a, b in PAIRS) + " |", "|---" * 5 + "|"]
    for work, name in NAMES.items():
        cells = []
        for one, other in PAIRS:
            values = found.get(f"{work}: {one} / {other}")
            cells.append(
                f"**{median(values):.2f}** ({min(values):.2f} to {max(values):.2f})"
                if values
                else ""
            )
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
            cells.append(f"{rate} ({median(r['p99_ms'] for r in runs):.1f})" if runs else "")
        if any(cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write(record: dict[str, Any], found: dict[str, list[float]]) -> None:
    """bench/results/latest.json and docs/performance.svg."""
    folder = ROOT / "bench" / "results"
    folder.mkdir(exist_ok=True)
    (folder / "latest.json").write_text(json.dumps(record, indent=1) + "\n")
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
