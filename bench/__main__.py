"""``python -m bench``: the service beside the floor, the usual way and PostgreSQL's own limit.

First the workloads in interleaved rounds, then the figures of ``bench.single``. Prints progress,
writes bench/results/latest.json, and prints its tables. Only ratios within a round mean anything:
machines differ, and this one may be busy. ``--again`` prints the tables of the last results.
"""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench import pgbench, report, seed, single, steady
from bench.single import Measurement, say
from bench.targets import GENEROUS, Target, run, start, stop, write_owners
from tests.servers import PostgresServer
from wishwell.db import migrate

READS = ("page", "saved", "item", "list")
WRITES = ("post", "patch", "lists", "delete")
OURS_ALONE = ("token", "mix")
VICTIMS = 4_800
"""Profiles whose items are there to be deleted: 30 each, each once."""


_taken: dict[tuple[str, str], int] = {}
"""How many requests of a target were of what is there only once."""


def wrk(target: Target, work: str, seconds: int, admin: str = "") -> dict[str, Any]:
    """One run of 32 connections; throughput, latencies, and errors, of which there may be none."""
    owners = target.owners
    if work == "delete":
        owners, seconds = Path(f"{target.owners}-victims"), 1
    environment = os.environ | {
        "BENCH_OWNERS": str(owners),
        "BENCH_WORK": work,
        "BENCH_TARGET": target.kind,
        "BENCH_ADMIN": admin,
        "BENCH_START": str(_taken.get((target.name, work), 0)),
    }
    script = Path(__file__).parent / "requests.lua"
    # With a slow disk and a commit each, one of them may take longer than wrk's own two seconds.
    patience = ("--timeout", "10s")
    command = ["wrk", "-t1", "-c32", *patience, f"-d{seconds}s", "-s", str(script), target.url]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, worst, refused, broken, count = map(float, line.split()[1:])
    # Those on their way at the end are gone too.
    _taken[target.name, work] = _taken.get((target.name, work), 0) + int(count) + 64
    # Without locks, two changes of one item's lists may meet in the floor and the usual way.
    allowed = count / 1000 if work == "lists" and target.kind != "wishwell" else 0
    if refused > allowed or broken:
        raise RuntimeError(f"{target.name} {work}: {refused:.0f} refused, {broken:.0f} broken")
    return {
        "rate": rate,
        "p50_ms": p50 / 1000,
        "p99_ms": p99 / 1000,
        "max_ms": worst / 1000,
        "count": count,
    }


@contextlib.contextmanager
def everything(profiles: int) -> Iterator[tuple[list[Target], PostgresServer, str]]:
    """All targets on filled databases; ended, by their ids, whatever happens."""
    running: list[Target] = []
    with tempfile.TemporaryDirectory() as name, PostgresServer(fsync=True) as server:
        folder = Path(name)
        try:
            yield from _filled(folder, server, profiles, running)
        finally:
            stop(*running)


def _filled(
    folder: Path, server: PostgresServer, profiles: int, running: list[Target]
) -> Iterator[tuple[list[Target], PostgresServer, str]]:
    file = f"sqlite:///{folder}/bench.db"
    url = server.create_database()
    say(f"filling {profiles} profiles with {seed.ITEMS} items each")
    migrate.migrate_sqlite(str(folder / "bench.db"))
    asyncio.run(migrate.migrate_postgres(url))
    common = GENEROUS | {"WISHWELL_SIGNING_KEYS": seed.KEY}
    command = [str(Path(sys.executable).parent / "wishwell")]
    settings = {"PATH": os.environ["PATH"], **common}
    store = ""
    for address in (url, file):
        env = settings | {"WISHWELL_DATABASE_URL": address}
        made = [*command, "store", "create", "bench", "--json"]
        out = subprocess.run(made, env=env, check=True, capture_output=True, text=True).stdout
        store = json.loads(out)[0]["id"]
        made = [*command, "token", "create", "--store", "bench", "--label", "bench"]
        admin = subprocess.run(
            made, env=env, check=True, capture_output=True, text=True
        ).stdout.strip()
        rows, owners = seed.plan(store, profiles)
        doomed, more_owners = seed.plan(store, VICTIMS, first=profiles)
        victims = [
            seed.Owner(token, profile, row[1], "-")
            for token, profile, row in seed.each_item(doomed, more_owners)
        ]
        for table, more_rows in doomed.items():
            rows[table] += more_rows
        if address == file:
            seed.sqlite(file, rows)
            kinds = [("wishwell", "SQLite", {"WISHWELL_DATABASE_URL": file})]
            kinds.append(("floor", "SQLite", {"FLOOR_DATABASE": file}))
        else:
            asyncio.run(seed.postgres(url, rows))
            kinds = [("wishwell", "PostgreSQL", {"WISHWELL_DATABASE_URL": url})]
            kinds.append(("floor", "PostgreSQL", {"FLOOR_DATABASE": url}))
        for kind, engine, more in kinds:
            # Each deletes on its own, but those of one database share what is there.
            listed = write_owners(folder / f"owners-{kind}-{engine}", owners)
            half = len(victims) // 2
            mine = victims[:half] if kind == "wishwell" else victims[half:]
            write_owners(Path(f"{listed}-victims"), mine)
            running.append(start(f"{kind} {engine}", kind, listed, folder, common | more))
        ADMINS[kinds[0][1]] = admin
        if address == url:
            os.environ["USUAL_DATABASE"] = url
            tokens = asyncio.run(seed.usual(url, rows, "k" * 40))
            by_profile = dict(zip((row[0] for row in rows["profiles"]), tokens, strict=True))
            theirs = [owner._replace(token=by_profile[owner.profile]) for owner in owners]
            listed = write_owners(folder / "owners-usual", theirs)
            theirs = [owner._replace(token=by_profile[owner.profile]) for owner in victims]
            write_owners(Path(f"{listed}-victims"), theirs)
            running.append(
                start("usual PostgreSQL", "usual", listed, folder, {"USUAL_DATABASE": url})
            )
    yield running, server, url


ADMINS: dict[str, str] = {}


def measure(
    targets: list[Target], rounds: int, seconds: int, works: list[str], limit: pgbench.Limit
) -> list[dict[str, Any]]:
    """Every workload on every target, in turns, so that a busy moment hits all alike."""
    results = []
    for number in range(1, rounds + 1):
        for work in works:
            for target in targets[:: 1 if number % 2 else -1]:
                if work in OURS_ALONE and target.kind != "wishwell":
                    continue
                if target.name == "floor SQLite" and work in WRITES:
                    continue  # two processes on one file would wait for each other's locks
                got = wrk(target, work, seconds, ADMINS[target.name.split()[1]])
                results.append({"round": number, "work": work, "target": target.name} | got)
            if work in pgbench.SCRIPTS:
                got = limit.run(work, seconds)
                results.append({"round": number, "work": work, "target": "pgbench"} | got)
            say(f"round {number} of {rounds}: {work}")
    return results


def _mixed(target: Target) -> int:
    return wrk(target, "mix", 10)["count"]


def beside(targets: list[Target]) -> list[Measurement]:
    """The figures that need what the rounds have left behind."""
    figures = []
    for target in targets:
        if target.kind == "wishwell":
            say(f"a million requests, {target.name.split()[1]}")
            figures += single.memory(target, partial(_mixed, target))
    return figures


def alone(folder: Path, server: PostgresServer, profiles: int) -> list[Measurement]:
    """The figures that have databases of their own."""
    figures = single.first_answer()
    for engine in ("PostgreSQL", "SQLite"):
        say(f"a constant rate, {engine}")
        place = single.deploy(engine, folder / f"steady-{engine}", server)
        rows, owners = seed.plan(place.store, 20_000)
        single.insert(place, rows)
        figures += steady.half_load(place, owners, lambda t: wrk(t, "page", 3)["rate"])
        say(f"depth and links, {engine}")
        figures += single.deep(single.deploy(engine, folder / f"deep-{engine}", server))
        figures += single.link(single.deploy(engine, folder / f"link-{engine}", server))
    say("two workers; a commit each")
    for engine in ("PostgreSQL", "SQLite"):
        place = single.deploy(engine, folder / f"more-{engine}", server)
        rows, owners = seed.plan(place.store, profiles)
        single.insert(place, rows)
        if engine == "PostgreSQL":
            listed = write_owners(place.folder / "owners", owners)
            figures += single.workers(place, server, listed, lambda t: wrk(t, "page", 3))
        else:
            figures += single.group_commit(place, lambda t: wrk(t, "post", 3), owners)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--again", action="store_true", help="only print the last tables")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--profiles", type=int, default=20_000)
    given = parser.parse_args()
    if given.again:
        print(report.tables())
        return
    if shutil.which("wrk") is None:
        sys.exit("This takes wrk, which Debian has: apt install wrk")
    works = [*READS, *WRITES, *OURS_ALONE]
    figures: list[Measurement] = []
    with everything(given.profiles) as (targets, server, url):
        limit = pgbench.Limit(server, url, targets[0].owners)
        # A first round is thrown away: caches fill, statements are prepared.
        measure(targets, 1, 1, works, limit)
        say("now it counts")
        results = measure(targets, given.rounds, given.seconds, works, limit)
        figures += beside(targets)
        ours = [target for target in targets if target.kind == "wishwell"]
        figures += single.pages_by_processor(ours, server, lambda target: wrk(target, "page", 3))
    report.write(vars(given), results, figures)  # what is there, should the rest break
    with tempfile.TemporaryDirectory() as name, PostgresServer(fsync=True) as server:
        figures += alone(Path(name), server, 5_000)
    report.write(vars(given), results, figures)
    print(report.tables())


if __name__ == "__main__":
    run(main)
