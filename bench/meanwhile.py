"""Requests at a constant rate, alone and beside something that goes on meanwhile."""

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg

from bench.single import Deployment, deploy
from bench.steady import steady
from bench.targets import Target
from tests.servers import PostgresServer
from wishwell import config, ids, stores
from wishwell.run import app

READERS = 500
SECONDS = 6
"""Of each run of requests."""


async def events_on(place: Deployment) -> None:
    db = app.open_database(config.load({"WISHWELL_DATABASE_URL": place.url}))
    patch = stores.StorePatch(events=True)
    await db.write(stores.update, "bench", patch, ids.timestamp(ids.wall_clock()))
    await db.close()


def ask(place: Deployment, sql: str) -> Any:
    """The one value of a statement."""
    if place.engine == "SQLite":
        with sqlite3.connect(config.sqlite_path(place.url)) as connection:
            return connection.execute(sql).fetchone()[0]

    async def value() -> Any:
        connection = await asyncpg.connect(place.url)
        found = await connection.fetchval(sql)
        await connection.close()
        return found

    return asyncio.run(value())


def p99(target: Target, reads: list[bytes], rate: float) -> float:
    times = steady(target.url, reads, rate, SECONDS)
    return times[int(len(times) * 0.99)] * 1000


def compared(alone: list[float], beside: list[float]) -> str:
    """The p99 of each, in milliseconds, and their ratio."""
    idle, busy = statistics.median(alone), statistics.median(beside)
    return (
        f"p99 {idle:.2f} ms alone, {busy:.2f} ms beside it ({busy / idle:.2f} times; alone "
        f"{min(alone):.2f} to {max(alone):.2f}, beside {min(beside):.2f} to {max(beside):.2f})"
    )


def main(
    name: str,
    about: str | None,
    records: str,
    measure: Callable[[Deployment, int, float, int], None],
) -> None:
    """Measures with so many records, on one engine after the other."""
    words = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=about)
    words.add_argument(f"--{records}", dest="count", type=int, default=1_000_000)
    words.add_argument("--rate", type=float, default=300, help="requests a second")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--engine", choices=("SQLite", "PostgreSQL"), action="append")
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, PostgresServer(fsync=True) as server:
        for engine in chosen.engine or ["PostgreSQL", "SQLite"]:
            place = deploy(engine, Path(folder) / engine, server)
            measure(place, chosen.count, chosen.rate, chosen.rounds)
