"""Runs the targets one after another, updates their corpora, and prints the results."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz import seeds, targets

HERE = Path(__file__).parent
CORPUS, FINDINGS = HERE / "corpus", HERE / "findings"
LONGEST_INPUT, LARGEST_CORPUS = 4_096, 150


def main() -> int:
    """Runs the command. Returns 0 if nothing was found; findings are in ``tests/fuzz/findings``."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=7, help="for all targets together")
    parser.add_argument("--only", choices=targets.TARGETS, action="append")
    asked = parser.parse_args()
    names = asked.only or list(targets.TARGETS)
    seconds = max(1, round(asked.minutes * 60 / len(names)))
    found = 0
    for name in names:
        run = fuzz(name, seconds)
        found += run["findings"]
        print("{target:<11} {executions:>12,} executions  {seconds:>5} s  {edges:>5} edges  "
              "corpus {corpus:>3}  findings {findings}".format(**run), flush=True)  # fmt: skip
    return 1 if found else 0


def fuzz(name: str, seconds: int) -> dict:
    """Fuzzes a target, and keeps the smallest inputs with the same coverage. Returns the figures."""
    kept = CORPUS / name
    findings = FINDINGS / name
    for folder in (kept, findings):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        grown, words = Path(place) / "corpus", Path(place) / "words"
        shutil.copytree(kept, grown)
        for at, seed in enumerate(seeds.SEEDS[name]):
            (grown / f"seed-{at}").write_bytes(seed)
        words.write_text("".join(f"{json.dumps(word)}\n" for word in seeds.WORDS[name]))
        before = set(findings.iterdir())
        began = time.monotonic()
        said = atheris(
            name, grown, f"-max_total_time={seconds}", f"-dict={words}", "-timeout=10",
            "-rss_limit_mb=1500", f"-max_len={LONGEST_INPUT}", f"-artifact_prefix={findings}/",
            "-print_final_stats=1", "-verbosity=1",
        )  # fmt: skip
        took = round(time.monotonic() - began)
        smallest = Path(place) / "smallest"
        smallest.mkdir()
        atheris(name, smallest, grown, "-merge=1", "-timeout=10")
        keep(smallest, kept)
    executions = re.findall(r"stat::number_of_executed_units: (\d+)|^#(\d+)", said, re.MULTILINE)
    edges = re.findall(r"cov: (\d+)", said)
    new = set(findings.iterdir()) - before
    if new or not executions:
        print(said[-4000:], file=sys.stderr)
    return {
        "target": name,
        "executions": int("".join(executions[-1])) if executions else 0,
        "seconds": took,
        "edges": int(edges[-1]) if edges else 0,
        "corpus": len(list(kept.iterdir())),
        "findings": len(new),
    }


def atheris(name: str, *words: object) -> str:
    with tempfile.TemporaryDirectory() as place:
        program = Path(place) / "program"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tests.fuzz.one {name} "$@"\n')
        program.chmod(0o700)
        done = subprocess.run(
            [program, *map(str, words)],
            cwd=HERE.parents[1],
            env=os.environ | {"FUZZ_PROGRAM": str(program)},
            capture_output=True,
            text=True,
            errors="replace",
        )
    return done.stdout + done.stderr


def keep(smallest: Path, kept: Path) -> None:
    """Replaces the corpus by the merge's result, limited to ``LARGEST_CORPUS`` files."""
    chosen = sorted(smallest.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    if not chosen:
        return
    for old in kept.iterdir():
        old.unlink()
    for path in chosen[:LARGEST_CORPUS]:
        shutil.copy(path, kept / path.name)


if __name__ == "__main__":
    sys.exit(main())
