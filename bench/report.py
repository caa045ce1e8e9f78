"""Turns rounds into ratios, bench/results/latest.json and tables."""

import json
import operator
import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

from bench.targets import ENGINES, ROOT
from tools.tables import keep, machine, markdown, of_machine, spread

FIGURES = ROOT / "bench" / "results" / "latest.json"
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
READS = ("page", "saved", "item", "list")
WRITES = ("post", "patch", "lists", "delete")
OURS_ALONE = ("token", "mix")
# Compared targets, with the least ratios of reads and of writes to reach.
PAIRS: dict[tuple[str, str], tuple[float, float]] = {
    ("wishwell PostgreSQL", "floor PostgreSQL"): (0.70, 0.70),
    ("wishwell SQLite", "floor SQLite"): (0, 0),
    ("wishwell PostgreSQL", "usual PostgreSQL"): (7, 8),
    ("wishwell SQLite", "wishwell PostgreSQL"): (1.5, 0),
}
_HOLDS: dict[str, Callable[[float, float], bool]] = {"≤": operator.le, "≥": operator.ge}


class Measurement(NamedTuple):
    """A measurement: ``values`` per round, or a single one. ``target`` is such as "≤ 5"; without
    one it is in no table."""

    name: str
    engine: str
    unit: str
    target: str
    values: list[float]
    note: str = ""


def table(results: list[dict[str, Any]]) -> str:
    """Returns a Markdown table: request rates of this machine, and ratios with their spread."""
    rates = {(r["round"], r["work"], r["target"]): r["rate"] for r in results}
    rounds = {r["round"] for r in results}
    rows = []
    for work, name in NAMES.items():
        cells = []
        for engine in ENGINES.values():
            ours = [rates.get((n, work, f"wishwell {engine}")) for n in rounds]
            cells.append(f"{statistics.median(ours):,.0f}" if all(ours) else "")
        for (one, other), aims in PAIRS.items():
            ratios = [
                rates[n, work, one] / rates[n, work, other]
                for n in sorted(rounds)
                if (n, work, one) in rates and (n, work, other) in rates
            ]
            aim = 0 if work in OURS_ALONE else aims[work in WRITES]
            cells.append(_cell(ratios, f"≥ {aim}") if ratios else "")
        rows.append([name, *cells])
    heads = [f"{engine}, a second" for engine in ENGINES.values()]
    return markdown(["Request", *heads, *(f"{one} / {other}" for one, other in PAIRS)], rows)


def _cell(values: list[float], target: str) -> str:
    """Formats the median in bold, the spread if there are rounds, and a cross if it misses the
    target."""
    median = statistics.median(values)
    sign, aim = target.split()
    cell = f"**{median:.2f}**"
    if len(values) > 1:
        cell += " " + spread(values).partition(" ")[2]
    return cell if _HOLDS[sign](median, float(aim)) else f"{cell} ✗"


def figures_table(figures: list[dict[str, Any]]) -> str:
    """Returns a Markdown table of the other measurements that have a target, with a column per
    engine."""
    rows: dict[str, list[str]] = {}
    engines = list(ENGINES.values())
    for figure in (Measurement(**fields) for fields in figures):
        if figure.target:
            aim = f"{figure.target} {figure.unit}"
            row = rows.setdefault(figure.name, [figure.name, aim, *[""] * len(engines)])
            row[2 + engines.index(figure.engine)] = _cell(figure.values, figure.target)
    return markdown(["Measurement", "Aim", *engines], rows.values())


def write(
    arguments: dict[str, Any], results: list[dict[str, Any]], figures: list[Measurement]
) -> None:
    """Writes bench/results/latest.json."""
    record = {"machine": machine(), "arguments": arguments, "results": results}
    keep(FIGURES, record | {"figures": [figure._asdict() for figure in figures]})


def tables() -> str:
    """Formats the last results: medians, least and most; a cross marks a missed target."""
    record = json.loads(FIGURES.read_text())
    return (
        f"{of_machine(record['machine'])}\n\n"
        f"{table(record['results'])}\n\n{figures_table(record['figures'])}\n"
    )
