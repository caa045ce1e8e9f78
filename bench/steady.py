"""How long requests take at a constant rate, well below what the server can do.

wrk sends as fast as it is answered, which shows the highest throughput; shoppers come when they come.
"""

import json
import random
import select
import statistics
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from bench.client import connected
from bench.report import Measurement
from bench.seed import Owner
from bench.single import ROUNDS
from bench.targets import Bare, Load, Shop, Target, write_owners
from tests.servers import PREFIX

SECONDS = 6
"""Of each run at a constant rate."""

ORDINARY = 1_000
"""Requests a second at which the service's own time is looked at."""

_PATIENCE = 30
"""Seconds after its end until a run is given up."""


def half_load(shop: Shop, owners: list[Owner], load: Load) -> list[Measurement]:
    """p99 against p50 of pages of 30 at half of the highest throughput, and the floor's beside it.

    The floor in turns with it, at the same rate: what its p99 is where it is as busy as we are,
    machine and load are to blame for. Nothing else runs.
    """
    write_owners(shop.serve().owners, owners)
    floor = Bare("floor", shop)
    some = random.sample(owners, 500)
    pages = [request(f"{PREFIX}/items", f"Authorization: Bearer {owner.token}") for owner in some]
    bare = [request("/items", "x-w: page", f"x-p: {owner.profile}") for owner in some]
    load(shop)  # warms
    half = statistics.mean(load(shop)["rate"] for _ in range(2)) / 2
    ours: list[_Run] = []
    theirs: list[_Run] = []
    inside: list[float] = []
    for _ in range(ROUNDS):
        ours.append(_run(shop, pages, half))
        theirs.append(_run(floor, bare, half))
        logged = shop.log.stat().st_size
        steady(shop.url, pages, ORDINARY, SECONDS)
        inside.append(_logged_ratio(shop.log, logged))
    shop.stop()
    floor.stop()
    what = "p99 against p50 at half of the highest throughput"
    log = "p99 against p50 at 1,000 a second, of what the service itself took"
    ratios, note = _ratios(ours)
    return [
        Measurement(what, shop.engine, "times", "≤ 3", ratios, f"{half:,.0f} a second; {note}"),
        Measurement(
            "the same of the floor at that rate", shop.engine, "times", "", *_ratios(theirs)
        ),
        Measurement(log, shop.engine, "times", "≤ 2", inside),
    ]


class _Run(NamedTuple):
    """p50 and p99 in seconds, and how busy the server was."""

    p50: float
    p99: float
    busy: float


def _run(target: Target, requests: Sequence[bytes], rate: float) -> _Run:
    process = psutil.Process(target.process.pid)
    before = sum(process.cpu_times()[:2])
    times = steady(target.url, requests, rate, SECONDS)
    busy = (sum(process.cpu_times()[:2]) - before) / SECONDS
    return _Run(statistics.median(times), p99(times), busy)


def _ratios(runs: list[_Run]) -> tuple[list[float], str]:
    p50, slow, busy = map(statistics.median, zip(*runs, strict=True))
    note = f"p50 {p50 * 1000:.2f} ms, p99 {slow * 1000:.2f} ms, {busy:.0%} of a core busy"
    return [run.p99 / run.p50 for run in runs], note


def p99(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)]


def _logged_ratio(log: Path, begin: int) -> float:
    """p99 against p50 of the log's ``ms``, from the request's head to its answer, since a size."""
    with log.open("rb") as lines:
        lines.seek(begin)
        entries = [json.loads(line) for line in lines if line.startswith(b"{")]
    times = [entry["ms"] for entry in entries if "ms" in entry]
    return p99(times) / statistics.median(times)


def request(path: str, *headers: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: bench", *headers, "", ""]).encode()


def steady(url: str, requests: Sequence[bytes], rate: float, seconds: float) -> list[float]:
    """Latencies of random ones of the requests at a constant rate over 32 connections.

    In seconds. Each counts from the moment in which it was due, so that a pause of the server is not
    left out. Plain sockets and ``select``: what the load takes of the two cores, the server lacks,
    and the waits of ``epoll`` are whole milliseconds.
    """
    connections = {one.fileno(): one for one in (connected(url) for _ in range(32))}
    total, step = int(rate * seconds), 1 / rate
    order = random.choices(requests, k=total)
    # In turn: one that is never used is closed.
    free, busy = deque(connections), dict[int, float]()
    begun = dict[int, bytes]()
    latencies: list[float] = []
    began = time.perf_counter()
    sent, due = 0, began
    while len(latencies) < total:
        if time.perf_counter() > began + seconds + _PATIENCE:
            raise RuntimeError(
                f"at a constant rate: {total - len(latencies)} of {total} not answered"
            )
        while free and sent < total and due <= time.perf_counter():
            number = free.popleft()
            busy[number] = due
            connections[number].send(order[sent])
            sent += 1
            due = began + sent * step
        wait = max(0.0, due - time.perf_counter()) if free and sent < total else 1.0
        for number in select.select(list(busy), [], [], wait)[0]:
            came = connections[number].recv(262_144)
            if not came:
                raise RuntimeError("at a constant rate: the server closed a connection")
            data = begun.pop(number, b"") + came
            if not _is_whole(data):
                begun[number] = data
                continue
            if data[9:12] != b"200":
                raise RuntimeError(f"at a constant rate: {data[9:12]!r}")
            latencies.append(time.perf_counter() - busy.pop(number))
            free.append(number)
    for connection in connections.values():
        connection.close()
    return latencies


def _is_whole(answer: bytes) -> bool:
    """Whether all of an answer with a Content-Length is there, which our servers write in small."""
    end = answer.find(b"\r\n\r\n") + 4
    if end < 4:
        return False
    at = answer.index(b"content-length: ", 0, end) + 16
    return len(answer) >= end + int(answer[at : answer.index(b"\r", at)])
