"""Helpers for tables of measurements."""

import json
import os
import platform
import re
import sqlite3
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from tests.servers import postgres_binaries


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a Markdown table."""
    first, *lines = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join([first, "|---" * len(head) + "|", *lines])


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Returns the median, minimum and maximum as text."""
    middle, least, most = (
        f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values))
    )
    return f"{middle} ({least} to {most})"


def quartiles(values: Sequence[float], digits: int = 2) -> str:
    """Returns the median and both quartiles as text."""
    cuts = statistics.quantiles(values, method="inclusive")
    first, middle, third = (f"{value:.{digits}f}" for value in cuts)
    return f"{middle} ({first} to {third})"


def machine() -> dict[str, Any]:
    """Returns the versions and hardware of a run."""
    command = [str(postgres_binaries() / "postgres"), "--version"]
    postgres = subprocess.run(command, capture_output=True, text=True, check=True)
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "postgresql": postgres.stdout.split()[-1],
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "cores": os.cpu_count(),
        "processor": model[1] if model else platform.machine(),
    } | {name: metadata.version(name) for name in ("wishwell", "uvicorn", "uvloop", "asyncpg")}


def of_machine(made_with: dict[str, Any]) -> str:
    """Returns the result of ``machine`` as text for the tables."""
    return (
        "{date}: Python {python}, PostgreSQL {postgresql}, SQLite {sqlite}, {system}, "
        "{cores} cores ({processor})".format(**made_with)
    )


def keep(path: Path, record: dict[str, Any]) -> None:
    """Stores a run's figures as JSON, from which the tables are made."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n")
