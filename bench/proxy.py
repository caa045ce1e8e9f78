"""``python -m bench.proxy``: what the proxy adds to a read, against the API alone.

`GET /items`, a page of 30, straight from the API with a token; the same with the proxy's cookie through
`wishwell serve` that answers the proxy's paths itself (`inside`), and through `wishwell proxy` as a
process of its own (`proxy`); wrk with 1, 8 and 32 connections, in interleaved rounds. Beside them a
process that only passes bytes on (`relay`): the least that anything between the two would cost.
Only the ratio within a round means anything: the machine may be busy, and a busy moment hits both.
"""

import argparse
import base64
import contextlib
import importlib.util
import itertools
import json
import os
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2
import psutil
import uvloop

from bench.targets import GENEROUS, run
from tests.servers import AnsweringProgram, Service, free_port
from wishwell.proxy.upstream import Upstream

ITEMS = 30
BASE = "/apps/wishlist"
CONNECTIONS = (1, 8, 32)
SHOP = {"Sec-Fetch-Site": "same-origin"}
LUA = """
local slow = 0
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %f %f %f %d\\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50), latency:percentile(99), e.status + e.connect + e.read + e.write + e.timeout))
end
"""


class Way(NamedTuple):
    """One of the two ways to the same page."""

    name: str
    url: str
    header: str


def wrk(way: Way, connections: int, seconds: int, script: Path) -> tuple[float, float, float]:
    """Requests a second, and the 50th and 99th percentile in milliseconds, without an error."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script)]
    done = subprocess.run(
        [*command, "-H", way.header, way.url], capture_output=True, text=True, check=True
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, errors = map(float, line.split()[1:])
    if errors:
        raise RuntimeError(f"{way.name}: {errors:.0f} errors")
    return rate, p50 / 1000, p99 / 1000


def start_proxy(service: Service, admin: str, secret: str) -> tuple[AnsweringProgram, str]:
    """`wishwell proxy` in front of a service, and its address."""
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "WISHWELL_PROXY_API": str(service.url),
        "WISHWELL_PROXY_TOKEN": admin,
        "WISHWELL_PROXY_SECRET": secret,
        "WISHWELL_PROXY_PORT": str(port),
    }
    proxy = AnsweringProgram("proxy")
    url = f"http://127.0.0.1:{port}"
    proxy.begin([service.command, "proxy"], f"{url}{BASE}/livez", env=environment)
    return proxy, url


@contextlib.contextmanager
def relay(service: Service) -> Iterator[int]:
    """A process that only passes bytes on to a service; its port."""
    port = free_port()
    words = [sys.executable, "-m", "bench.relay", port, str(service.url).rpartition(":")[2]]
    with contextlib.closing(AnsweringProgram("relay")) as program:
        program.begin(words, f"http://127.0.0.1:{port}/livez", cwd=Path(__file__).parents[1])
        yield port


def ways(service: Service, proxy: str, admin: str) -> list[Way]:
    """The page of one visitor, straight and through the proxy: the same bytes."""
    with httpx2.Client(base_url=f"{proxy}{BASE}/api", headers=SHOP) as browser:
        for product in range(1, ITEMS + 1):
            browser.post("/items", json={"productId": product, "tags": ["gift"]}).raise_for_status()
        cookie = browser.cookies["wishwell"]
        shown = browser.get("/items").json()
    # The session's GID is in the cookie, for those who hold the secret and for this bench.
    content = cookie.partition(".")[0]
    session = json.loads(base64.urlsafe_b64decode(content + "=="))["s"]
    asking = service.client(admin)
    token = asking.post("/profiles/token", json={"session": session}).json()["data"]["token"]
    if service.client(token).get("/items").json() != shown or len(shown["data"]) != ITEMS:
        raise RuntimeError("the two ways show different pages")
    return [
        Way("API", f"{service.url}/api/2025-04/items", f"Authorization: Bearer {token}"),
        Way("inside", f"{service.url}{BASE}/api/items", f"Cookie: wishwell={cookie}"),
        Way("proxy", f"{proxy}{BASE}/api/items", f"Cookie: wishwell={cookie}"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.proxy", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument(
        "--clients", action="store_true", help="only the clients, one beside another"
    )
    given = parser.parse_args()
    settings = GENEROUS | {"WISHWELL_DATABASE_URL": "sqlite:///bench.db"}
    secret = secrets.token_hex(32)
    service = Service(settings)
    service.cli("migrate")
    service.cli("store", "create", "bench")
    admin = service.cli("token", "create", "--store", "bench", "--label", "bench").stdout.strip()
    service.settings |= {
        "WISHWELL_PROXY_API": "self",
        "WISHWELL_PROXY_TOKEN": admin,
        "WISHWELL_PROXY_SECRET": secret,
    }
    with service:
        script = service.folder / "report.lua"
        script.write_text(LUA)
        program, url = start_proxy(service, admin, secret)
        with contextlib.closing(program):
            both = ways(service, url, admin)
            if given.clients:
                uvloop.run(clients(both[0], given.rounds))
                return
            with relay(service) as port:
                straight = both[0]
                host = straight.url.replace(str(service.url), f"http://127.0.0.1:{port}")
                both.append(Way("relay", host, straight.header))
                measure(both, given.rounds, given.seconds, script)
            both.pop()
            livez = Way("livez of the proxy", f"{url}{BASE}/livez", "Accept: */*")
            cost([*both, livez], [service.process.pid, program.process.pid], script)


def measure(all_ways: list[Way], rounds: int, seconds: int, script: Path) -> None:
    """Rounds, then the figures for each number of connections; the first round is thrown away."""
    found: dict[int, list[dict[str, tuple[float, float, float]]]] = {
        connections: [] for connections in CONNECTIONS
    }
    for number in range(rounds + 1):
        for connections in CONNECTIONS:
            # In turns, and the turn changes: no way is always the one after a pause.
            order = all_ways if number % 2 else all_ways[::-1]
            got = {way.name: wrk(way, connections, seconds, script) for way in order}
            if number:
                found[connections].append(got)
                p50s = ", ".join(f"{way.name} {got[way.name][1]:.3f} ms" for way in all_ways)
                print(f"round {number}, {connections} connections: {p50s}", flush=True)
    for connections, results in found.items():
        for way in all_ways:
            rate, p50, p99 = (
                statistics.median(got[way.name][n] for got in results) for n in range(3)
            )
            ratios = [got[way.name][1] / got["API"][1] for got in results]
            print(
                f"{connections} connections, {way.name}: p50 {p50:.3f} ms, p99 {p99:.2f} ms, "
                f"{rate:,.0f} requests a second; p50 against the API's "
                f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            )


def cost(both: list[Way], pids: list[int], script: Path) -> None:
    """Processor time a request, which a busy machine changes less than it does the clock's."""
    watched = [psutil.Process(pid) for pid in pids]
    for connections, way in itertools.product(CONNECTIONS, both):
        before = [sum(process.cpu_times()[:2]) for process in watched]
        rate, _, _ = wrk(way, connections, 5, script)
        used = [
            sum(process.cpu_times()[:2]) - was for process, was in zip(watched, before, strict=True)
        ]
        api, proxy = (seconds / (rate * 5) * 1e6 for seconds in used)
        print(
            f"{connections} connections, {way.name}: processor time a request: "
            f"API {api:.0f} us, proxy {proxy:.0f} us"
        )


async def clients(way: Way, rounds: int, requests: int = 500) -> None:
    """What a request costs in each client that is installed: the same page, straight from the API."""
    name, _, value = way.header.partition(": ")
    parts = urlsplit(way.url)
    own = Upstream(f"{parts.scheme}://{parts.netloc}", 10)
    usual = httpx2.AsyncClient(headers={name: value})
    line = f"{name}: {value}\r\n".encode()

    async def ours() -> bytes:
        return (await own.send("GET", parts.path, line)).body

    async def httpx() -> bytes:
        return (await usual.get(way.url)).content

    kinds: dict[str, Callable[[], Awaitable[bytes]]] = {"own": ours, "httpx2": httpx}
    closing: list[Callable[[], Awaitable[None]]] = [own.close, usual.aclose]
    if importlib.util.find_spec("aiohttp"):
        import aiohttp

        session = aiohttp.ClientSession(headers={name: value})

        async def aio() -> bytes:
            async with session.get(way.url) as answer:
                return await answer.read()

        kinds["aiohttp"] = aio
        closing.append(session.close)
    took: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    for number in range(rounds + 1):
        for kind, ask in kinds.items():
            spent, times = time.process_time(), []
            for _ in range(requests):
                began = time.perf_counter()
                await ask()
                times.append(time.perf_counter() - began)
            cpu = (time.process_time() - spent) / requests
            if number:
                took[kind].append((cpu * 1e6, statistics.median(times) * 1e6))
    for kind, pairs in took.items():
        cpu, p50 = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
        print(f"{kind}: processor time {cpu:.0f} us a request, p50 {p50:.0f} us with the API's own")
    for close in closing:
        await close()


if __name__ == "__main__":
    run(main)
