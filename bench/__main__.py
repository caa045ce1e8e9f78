"""``python -m bench``: the service beside the floor and the usual way, in interleaved rounds.

Prints progress, and writes bench/results/latest.json, docs/performance.svg and the table that
docs/performance.md is made from. Only ratios within a round mean anything: machines differ, and
this one may be busy. ``--quick`` compares with the floor alone and fails below 0.55.
"""

import argparse
import asyncio
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import report, seed
from bench.targets import GENEROUS, Target, start, write_owners
from tests.servers import PostgresServer
from wishwell.db import migrate

READS = ("page", "saved", "item", "list")
WRITES = ("post", "patch")
OURS_ALONE = ("token", "mix")
QUICK_FLOOR = 0.55


def wrk(target: Target, work: str, seconds: int, admin: str) -> dict[str, Any]:
    """One run of 32 connections; throughput, latencies, and errors, of which there may be none."""
    environment = os.environ | {
        "BENCH_OWNERS": str(target.owners),
        "BENCH_WORK": work,
        "BENCH_TARGET": target.kind,
        "BENCH_ADMIN": admin,
    }
    script = Path(__file__).parent / "requests.lua"
    command = ["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", str(script), target.url]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, worst, refused, broken = map(float, line.split()[1:])
    if refused or broken:
        raise RuntimeError(f"{target.name} {work}: {refused:.0f} refused, {broken:.0f} broken")
    return {"rate": rate, "p50_ms": p50 / 1000, "p99_ms": p99 / 1000, "max_ms": worst / 1000}


@contextlib.contextmanager
def everything(profiles: int, *, quick: bool) -> Iterator[tuple[list[Target], str]]:
    """All targets on filled databases; ended, by their ids, whatever happens."""
    running: list[Target] = []
    with tempfile.TemporaryDirectory() as name, PostgresServer(fsync=True) as server:
        folder = Path(name)
        try:
            yield from _filled(folder, server, profiles, running, quick=quick)
        finally:
            for target in running:
                target.process.terminate()
            for target in running:
                target.process.wait(20)


def _filled(
    folder: Path, server: PostgresServer, profiles: int, running: list[Target], *, quick: bool
) -> Iterator[tuple[list[Target], str]]:
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
        if address == file:
            seed.sqlite(file, rows)
            kinds = [("wishwell", "SQLite", {"WISHWELL_DATABASE_URL": file})]
            kinds.append(("floor", "SQLite", {"FLOOR_DATABASE": file}))
        else:
            asyncio.run(seed.postgres(url, rows))
            kinds = [("wishwell", "PostgreSQL", {"WISHWELL_DATABASE_URL": url})]
            kinds.append(("floor", "PostgreSQL", {"FLOOR_DATABASE": url}))
        listed = write_owners(folder / f"owners-{kinds[0][1]}", owners)
        for kind, engine, more in kinds:
            running.append(start(f"{kind} {engine}", kind, listed, folder, common | more))
        ADMINS[kinds[0][1]] = admin
        if address == url and not quick:
            os.environ["USUAL_DATABASE"] = url
            tokens = asyncio.run(seed.usual(url, rows, "k" * 40))
            theirs = [
                owner._replace(token=token) for owner, token in zip(owners, tokens, strict=True)
            ]
            listed = write_owners(folder / "owners-usual", theirs)
            running.append(
                start("usual PostgreSQL", "usual", listed, folder, {"USUAL_DATABASE": url})
            )
    yield running, store


ADMINS: dict[str, str] = {}


def measure(
    targets: list[Target], rounds: int, seconds: int, works: list[str]
) -> list[dict[str, Any]]:
    """Every workload on every target, in turns, so that a busy moment hits all alike."""
    results = []
    for number in range(1, rounds + 1):
        for work in works:
            for target in targets:
                if work in OURS_ALONE and target.kind != "wishwell":
                    continue
                engine = target.name.split()[1]
                if target.name == "floor SQLite" and work in WRITES:
                    continue  # two processes on one file would wait for each other's locks
                got = wrk(target, work, seconds, ADMINS[engine])
                results.append({"round": number, "work": work, "target": target.name} | got)
            say(f"round {number} of {rounds}: {work}")
    return results


def say(line: str) -> None:
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the floor alone, under 3 minutes")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--profiles", type=int, default=20_000)
    given = parser.parse_args()
    if given.quick:
        given.rounds, given.profiles = 3, 5_000
    works = ["page", "post"] if given.quick else [*READS, *WRITES, *OURS_ALONE]
    with everything(given.profiles, quick=given.quick) as (targets, _):
        # A first round is thrown away: caches fill, statements are prepared.
        measure(targets, 1, 1, works)
        say("now it counts")
        results = measure(targets, given.rounds, given.seconds, works)
    ratios = report.ratios(results)
    print(report.table(ratios, results))
    if given.quick:
        low = [
            name
            for name, values in ratios.items()
            if "floor" in name and report.median(values) < QUICK_FLOOR
        ]
        sys.exit(f"below {QUICK_FLOOR} of the floor: {', '.join(low)}" if low else 0)
    machine = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }
    report.write({"machine": machine, "arguments": vars(given), "results": results}, ratios)


if __name__ == "__main__":
    main()
