"""A store with two months of wishes, for screenshots of the merchant's page."""

import datetime
import math
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo import catalogue
from wishwell.reports.tally import FOREVER

ORIGIN = "https://shop.example"
_DAYS = 60


@contextmanager
def store(port: int) -> Iterator[tuple[str, str]]:
    """Serves the store; yields the URL of its admin page, and an admin token."""
    wishwell = [sys.executable, "-m", "wishwell"]
    with tempfile.TemporaryDirectory(prefix="wishwell-merchant-") as folder:
        database = Path(folder) / "wishwell.db"
        url = f"sqlite:///{database}"
        environment = os.environ | {"WISHWELL_DATABASE_URL": url, "WISHWELL_PORT": str(port)}

        def run(*words: str, stdin: str = "") -> str:
            done = subprocess.run(
                [*wishwell, *words],
                env=environment, input=stdin, capture_output=True, text=True, check=True,
            )  # fmt: skip
            return done.stdout.strip()

        run("init")
        columns = ",".join(f"{name}={name}" for name in catalogue.COLUMNS)
        run(
            *("products", "-", "--format", "jsonl", "--store", "default", "--map", columns),
            stdin=catalogue.lines(ORIGIN),
        )
        token = run("token", "create", "--store", "default", "--label", "marketing")
        _count(database)
        with subprocess.Popen(
            [*wishwell, "serve"], env=environment, stdout=subprocess.DEVNULL
        ) as it:
            address = f"http://127.0.0.1:{port}/admin/"
            try:
                _wait(address)
                yield address, token
            finally:
                it.terminate()


def _count(database: Path) -> None:
    """Writes the results of one count per day over the last ``_DAYS`` days."""
    now = datetime.datetime.now(datetime.UTC)
    at = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    days = [(now.date() - datetime.timedelta(_DAYS - at)).isoformat() for at in range(_DAYS + 1)]
    wishes = {str(product.id): _growth(n) for n, product in enumerate(catalogue.PRODUCTS)}
    with sqlite3.connect(database) as db:
        [store] = db.execute("SELECT id FROM stores").fetchone()
        db.executemany(
            "INSERT INTO wish_counts VALUES (?, ?, ?, '', ?, ?, ?, ?)",
            [
                (store, FOREVER if n == _DAYS else n + 2, product, n + 1, *numbers)
                for product, numbers_by_day in wishes.items()
                for n, numbers in enumerate(numbers_by_day)
            ],
        )
        for n, day in enumerate(days):
            totals = [
                sum(numbers)
                for numbers in zip(
                    *(numbers_of_days[n] for numbers_of_days in wishes.values()), strict=True
                )
            ]
            db.execute(
                "INSERT INTO counts VALUES (?, ?, ?, ?, ?, ?, ?, ?, 900, ?, ?, '')",
                (store, day, n + 1, at, at, *totals, 1900 + 14 * n, 1200 + 9 * n),
            )
    db.close()


def _growth(position: int) -> list[list[int]]:
    """Returns for each day: customers' wishes, visitors' wishes, and the running total of additions."""
    numbers_by_day, has, added = [], 500.0 + 90 * ((position * 7) % 12), 0
    for day in range(_DAYS + 1):
        week = 1 + 0.5 * math.sin((day + position) * math.tau / 7)
        new_wishes = int(
            (2 + (position * 5) % 7) * week * (2 if day > 40 and position % 4 == 1 else 1)
        )
        has += new_wishes - 0.4 * new_wishes
        added += new_wishes
        numbers_by_day.append([int(has * 0.6), int(has * 0.4), added])
    return numbers_by_day


def _wait(address: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(address).close()
            return
        except OSError:
            time.sleep(0.1)
