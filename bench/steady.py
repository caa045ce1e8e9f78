"""Latency at a constant rate, well below the highest throughput.

wrk sends as fast as it gets responses (closed loop) and so shows the highest throughput; shoppers
arrive independently.
"""

import json
import random
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil
import uvloop

from bench.client import bearer, request
from bench.flood import Flood, share
from bench.report import Measurement
from bench.seed import Owner
from bench.single import ROUNDS
from bench.targets import Bare, Load, Shop, Target, write_owners
from tests.servers import PREFIX

SECONDS = 6
"""Seconds of each run at a constant rate."""

ORDINARY = 1_000
"""Requests a second at which the service's own time is measured."""


def half_load(shop: Shop, owners: list[Owner], load: Load) -> list[Measurement]:
    """Measures p99 relative to p50 of pages of 30 at half of the highest throughput, and the
    floor's.

    The floor runs in turns with it at the same rate: its p99 when equally busy is due to the
    machine and the load. Nothing else runs.
    """
    write_owners(shop.serve().owners, owners)
    floor = Bare("floor", shop)
    some = random.sample(owners, 500)
    pages = [request("GET", f"{PREFIX}/items", bearer(owner.token)) for owner in some]
    bare = [request("GET", "/items", {"x-w": "page", "x-p": owner.profile}) for owner in some]
    load(shop)  # warms up
    half = statistics.mean(load(shop)["rate"] for _ in range(2)) / 2
    ours: list[_Run] = []
    theirs: list[_Run] = []
    inside: list[float] = []
    for _ in range(ROUNDS):
        ours.append(_run(shop, pages, half))
        theirs.append(_run(floor, bare, half))
        logged = shop.log.stat().st_size
        steady(shop.url, pages, ORDINARY)
        inside.append(_logged_ratio(shop.log, logged))
    shop.stop()
    floor.stop()
    what = "p99 against p50 at half of the highest throughput"
    log = "p99 against p50 at 1,000 a second, of what the service itself took"
    beside = "the same of the floor at that rate"
    ratios, note = _ratios(ours)
    return [
        Measurement(what, shop.engine, "times", "≤ 3", ratios, f"{half:,.0f} a second; {note}"),
        Measurement(beside, shop.engine, "times", "", *_ratios(theirs)),
        Measurement(log, shop.engine, "times", "≤ 2", inside),
    ]


class _Run(NamedTuple):
    """p50 and p99 in milliseconds, and how busy the server was."""

    p50: float
    p99: float
    busy: float


def _run(target: Target, requests: Sequence[bytes], rate: float) -> _Run:
    process = psutil.Process(target.process.pid)
    before = sum(process.cpu_times()[:2])
    times = steady(target.url, requests, rate)
    busy = (sum(process.cpu_times()[:2]) - before) / SECONDS
    return _Run(statistics.median(times), share(times, 0.99), busy)


def _ratios(runs: list[_Run]) -> tuple[list[float], str]:
    p50, p99, busy = map(statistics.median, zip(*runs, strict=True))
    note = f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, {busy:.0%} of a core busy"
    return [run.p99 / run.p50 for run in runs], note


def _logged_ratio(log: Path, begin: int) -> float:
    """Returns p99 relative to p50 of the log's ``ms`` (from a request's head to its response), from
    a file offset on."""
    with log.open("rb") as lines:
        lines.seek(begin)
        entries = [json.loads(line) for line in lines if line.startswith(b"{")]
    times = [entry["ms"] for entry in entries if "ms" in entry]
    return share(times, 0.99) / statistics.median(times)


def steady(url: str, requests: Sequence[bytes], rate: float) -> list[float]:
    """Returns latencies in milliseconds of random requests at a constant rate for 6 s."""
    flood = Flood(int(url.rpartition(":")[2]), lambda _: random.choice(requests))
    uvloop.run(flood.at_rate(rate, SECONDS))
    if +flood.statuses != {"200": len(flood.served_ms)}:
        raise RuntimeError(f"at a constant rate: {dict(flood.statuses)}")
    return flood.served_ms
