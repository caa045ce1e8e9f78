"""More than it can do: twice the highest throughput, whatever comes back."""

from __future__ import annotations

import asyncio
import resource
import time

import psutil

from torture.flood import Flood, share
from torture.rig import PREFIX, Result, Rig, rig, scenario


def raise_open_files() -> int:
    """As many open files as this process may have; its children too."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def requests(r: Rig):
    """Seven reads of a page to three saves, of 50 customers."""
    admin = r.service.admin_token()

    def make(number: int) -> bytes:
        head = (
            f"Host: a\r\nAuthorization: Bearer {admin}\r\n"
            f"Profile: gid://shopify/Customer/flood-{number % 50}\r\n"
        )
        if number % 10 < 7:
            return f"GET {PREFIX}/items?limit=20 HTTP/1.1\r\n{head}\r\n".encode()
        body = f'{{"productId":{number % 1000 + 1}}}'
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        return f"POST {PREFIX}/items HTTP/1.1\r\n{head}{kind}".encode()

    return make


@scenario()
async def overload(engine: str, result: Result, scale: float) -> None:
    """Twice the highest throughput for two minutes in all; sheds, and recovers at once."""
    raise_open_files()
    seconds = max(8.0, 60 * scale)
    with rig(engine, result, scale) as r:
        process = psutil.Process(r.service.process.pid)
        calm = Flood(r.port, requests(r))
        await calm.closed(16, 1)
        highest = await calm.closed(64, 3)
        calm.close()
        await asyncio.sleep(0.5)
        flood = Flood(r.port, requests(r))
        await flood.at_rate(2 * highest, seconds / 4)
        first = process.memory_info().rss / 2**20
        await flood.at_rate(2 * highest, seconds * 3 / 4)
        last = process.memory_info().rss / 2**20
        over = time.monotonic()
        client = r.client(Authorization=f"Bearer {r.service.admin_token()}")
        times = []
        for _ in range(50):
            began = time.perf_counter()
            answer = await client.ask("GET", PREFIX + "/items?limit=1")
            times.append((time.perf_counter() - began) * 1000)
            result.must(answer.status == 200, f"{answer.status} after the flood")
        result.well_after_s = round(times[0] / 1000, 3)
        client.close()
        flood.close()
        served, refused = flood.served_ms, flood.refused_ms
        p99 = share(served, 0.99)
        goodput = len(served) / seconds
        result.answers = dict(flood.statuses)
        result.load = round(2 * highest, 1)
        result.faults = f"{2 * highest:.0f} a second for {seconds:.0f} s"
        result.slowest_ms = max(served, default=0.0)
        result.notes += [
            f"highest {highest:.0f} a second, served {goodput:.0f} a second meanwhile",
            f"p50 {share(served, 0.5):.0f} ms, p99 {p99:.0f} ms of what was served",
            f"p99 {share(refused, 0.99):.0f} ms of what was refused",
            f"{flood.most} connections, memory {first:.0f} then {last:.0f} MiB",
            f"p99 right afterwards {share(times, 0.99):.0f} ms",
        ]
        allowed = {"200", "201", "429", "503"}
        result.must(set(flood.statuses) <= allowed, f"answers: {dict(flood.statuses)}")
        result.must(p99 <= 1000, f"p99 of what was served: {p99:.0f} ms")
        result.must(last <= first * 1.1 + 10, f"memory grew from {first:.0f} to {last:.0f} MiB")
        result.must(
            goodput >= 0.5 * highest, f"served only {goodput:.0f} of {highest:.0f} a second"
        )
        result.must(share(times, 0.99) < 100, f"p99 afterwards {share(times, 0.99):.0f} ms")
        result.must(time.monotonic() - over < 5, "did not recover within 5 s")
