"""Overload: twice the highest throughput, open loop."""

from __future__ import annotations

import time
from typing import Any

import psutil

from bench.flood import Apart, raise_open_files, share
from tests.faults.harness import PREFIX, Harness, scenario


@scenario()
async def overload(r: Harness) -> None:
    """Twice the highest throughput for two minutes: requests are shed, and the service recovers
    immediately."""
    raise_open_files()
    seconds = max(8.0, 60 * min(1, 2 * r.scale))
    process = psutil.Process(r.service.process.pid)
    flood = Apart(r.port, r.service.admin_token())
    await flood.ask(connections=16, seconds=1)
    spent = _spent(process)
    calm = await flood.ask(connections=64, seconds=3)
    highest, calm_each = calm["highest"], calm["served"] / (_spent(process) - spent)
    spent = _spent(process)
    begin = await flood.ask(rate=2 * highest, seconds=seconds / 4)
    first = process.memory_info().rss / 2**20
    rest = await flood.ask(rate=2 * highest, seconds=seconds * 3 / 4)
    last = process.memory_info().rss / 2**20
    spent = _spent(process) - spent
    await _recovers(r)
    again = (await flood.ask(connections=64, seconds=3))["highest"]
    await flood.close()
    served = begin["served"] + rest["served"]
    # On few cores the flood takes CPU from the service, so the share is also computed from the
    # service's own CPU time.
    shared, each = served / seconds / highest, served / spent / calm_each
    r.result.load = round(2 * highest, 1)
    r.result.faults = f"{2 * highest:.0f} a second for {seconds:.0f} s"
    r.result.slowest_ms = max(begin["served_p100"], rest["served_p100"])
    r.note(
        f"highest {highest:.0f} a second before and {again:.0f} afterwards, served "
        f"{served / seconds:.0f} a second meanwhile ({shared:.0%}; of what a second of the "
        f"service's processor time gives, {each:.0%})"
    )
    r.note(f"memory {first:.0f} then {last:.0f} MiB")
    for name, told in (("begin", begin), ("rest", rest)):
        r.result.answered(told["statuses"])
        r.note(_figures(name, told))
        # The flood reads responses late when it waits for a CPU.
        p99 = told["served_p99"] - told["late_p99"]
        r.within(p99, 1000, "p99 of what was served, in ms")
    # "not sent" are requests for which the flood had no connection left; no response may be late.
    allowed = {"200", "201", "429", "503", "not sent"}
    r.must(r.result.answers.keys() <= allowed, f"answers: {r.result.answers}")
    r.must(last <= first * 1.1 + 10, f"memory grew from {first:.0f} to {last:.0f} MiB")
    # At least as many requests are refused, at 35 to 45 us of the process each, which is half of
    # its time.
    enough = max(shared, each)
    # Where others use the machine, refusals take most of what is left to the service.
    r.must(
        enough >= 0.25 or (r.is_busy() and served > 0),
        f"served only {served / seconds:.0f} of {highest:.0f} a second",
    )


def _spent(process: psutil.Process) -> float:
    return sum(process.cpu_times()[:2])


def _figures(name: str, told: dict[str, Any]) -> str:
    parts = [
        f"{kind} p50 {told[f'{kind}_p50']:.0f} p99 {told[f'{kind}_p99']:.0f} ms"
        for kind in ("served", "refused")
    ]
    late = f"p99 {told['late_p99']:.0f} most {told['late_p100']:.0f} ms late itself"
    return f"{name}: {', '.join(parts)}; {told['most']} connections, {late}"


async def _recovers(r: Harness) -> None:
    over = time.monotonic()
    client = r.client()
    times = []
    for _ in range(50):
        began = time.perf_counter()
        answer = await client.ask("GET", PREFIX + "/items?limit=1")
        times.append((time.perf_counter() - began) * 1000)
        r.must(answer.status == 200, f"{answer.status} after the flood")
    client.close()
    r.result.well_after_s = round(times[0] / 1000, 3)
    p99 = share(times, 0.99)
    r.note(f"p99 right afterwards {p99:.0f} ms")
    r.within(p99, 100, "p99 afterwards, in ms")
    r.within(time.monotonic() - over, 5, "seconds until it recovered")
