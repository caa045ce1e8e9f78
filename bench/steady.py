"""How long requests take at a constant rate, well below what the server can do.

wrk sends as fast as it is answered, which shows the highest throughput; shoppers come when they come.
"""

import json
import random
import select
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from bench.client import PREFIX, connected
from bench.seed import Owner
from bench.single import ROUNDS, Deployment, Measurement
from bench.targets import Target, start, stop, write_owners

SECONDS = 6
"""Of each run at a constant rate."""

ORDINARY = 1_000
"""Requests a second at which the service's own time is looked at."""

_PATIENCE = 30
"""Seconds after its end until a run is given up."""


class _Runs(NamedTuple):
    """One server at one rate: the rounds' p50 and p99 in seconds, and how busy it was."""

    p50: list[float]
    p99: list[float]
    busy: list[float]

    @property
    def ratios(self) -> list[float]:
        return [p99 / p50 for p50, p99 in zip(self.p50, self.p99, strict=True)]

    @property
    def note(self) -> str:
        p50, p99, busy = map(statistics.median, self)
        return f"p50 {p50 * 1000:.2f} ms, p99 {p99 * 1000:.2f} ms, {busy:.0%} of a core busy"


def half_load(
    place: Deployment, owners: list[Owner], highest: Callable[[Target], float]
) -> list[Measurement]:
    """p99 against p50 of pages of 30 at half of the highest throughput, and the floor's beside it.

    The floor in turns with it, at the same rate and at half of its own highest: what its p99 is
    where it is as busy as we are, machine and load are to blame for. Nothing else runs.
    """
    engine = place.engine
    listed = write_owners(place.folder / "owners", owners)
    ours = place.serve()._replace(owners=listed)
    floor = start(f"floor {engine}", "floor", listed, place.folder, {"FLOOR_DATABASE": place.url})
    some = random.sample(owners, 500)
    pages = [_request(f"{PREFIX}/items", f"Authorization: Bearer {owner.token}") for owner in some]
    bare = [_request("/items", "x-w: page", f"x-p: {owner.profile}") for owner in some]
    rates = [(highest(ours) / 2, highest(floor) / 2) for _ in range(3)][1:]  # the first one warms
    half, floors = (statistics.mean(each) for each in zip(*rates, strict=True))
    runs = (
        (ours, pages, half), (floor, bare, half), (floor, bare, floors), (ours, pages, ORDINARY)
    )  # fmt: skip
    found = [_Runs([], [], []) for _ in runs]
    inside: dict[float, list[float]] = {half: [], ORDINARY: []}
    for _ in range(ROUNDS):
        for kept, (target, requests, rate) in zip(found, runs, strict=True):
            process = psutil.Process(target.process.pid)
            before, logged = sum(process.cpu_times()[:2]), ours.log.stat().st_size
            times = steady(target.url, requests, rate, SECONDS)
            kept.busy.append((sum(process.cpu_times()[:2]) - before) / SECONDS)
            kept.p50.append(times[len(times) // 2])
            kept.p99.append(times[int(len(times) * 0.99)])
            if target is ours:
                inside[rate].append(_logged_ratio(ours.log, logged))
    stop(ours, floor)
    mine, same, own, ordinary = found
    what = f"p99 against p50 at half of the highest throughput, {engine}"
    against = [a / b for a, b in zip(mine.p99, same.p99, strict=True)]
    return [
        Measurement(what, "times", "≤ 3", mine.ratios, lambda value: value <= 3,
               f"{half:,.0f} a second; {mine.note}"),
        Measurement(f"the same of the floor at that rate, {engine}", "times", "reported", same.ratios,
               None, same.note),
        Measurement(f"the same of the floor at half of its own highest, {engine}", "times", "reported",
               own.ratios, None, f"{floors:,.0f} a second; {own.note}"),
        Measurement(f"p99 at that rate against the floor's, {engine}", "times", "reported", against),
        Measurement(f"p99 against p50 of what the service itself took, by its log, {engine}", "times",
               "reported", inside[half]),
        Measurement(f"p99 against p50 at 1,000 a second, {engine}", "times", "reported",
               ordinary.ratios, None, ordinary.note),
        Measurement(f"p99 against p50 at 1,000 a second, of what the service itself took, {engine}", "times",
               "≤ 2", inside[ORDINARY], lambda value: value <= 2),
    ]  # fmt: skip


def _logged_ratio(log: Path, begin: int) -> float:
    """p99 against p50 of the log's ``ms``, from the request's head to its answer, since a size."""
    with log.open("rb") as lines:
        lines.seek(begin)
        entries = [json.loads(line) for line in lines if line.startswith(b"{")]
    times = sorted(entry["ms"] for entry in entries if "ms" in entry)
    return times[int(len(times) * 0.99)] / times[len(times) // 2]


def _request(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: bench", *headers, "", ""]).encode()


def steady(url: str, requests: Sequence[bytes], rate: float, seconds: float) -> list[float]:
    """Latencies of random ones of the requests at a constant rate over 32 connections, sorted.

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
    return sorted(latencies)


def _is_whole(answer: bytes) -> bool:
    """Whether all of an answer with a Content-Length is there, which our servers write in small."""
    end = answer.find(b"\r\n\r\n") + 4
    if end < 4:
        return False
    at = answer.index(b"content-length: ", 0, end) + 16
    return len(answer) >= end + int(answer[at : answer.index(b"\r", at)])
