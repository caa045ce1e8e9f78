"""``python -m bench.storefront``: what the storefront adds to a read, against the API with a token.

`GET /items`, a page of 30 of one visitor, on SQLite: from the API with the session's token, and from
the storefront with its cookie; then both once more through nginx, which only passes them on, and the
storefront through the two forwarders, which hold a token. wrk with 1, 8 and 32 connections, in interleaved rounds. Only the ratio within a round means anything: the
machine may be busy, and a busy moment hits both. The aim is a p50 of at most 1.15 times the API's.
Beside it is the processor time a request of the service's process, which a busy machine changes less.
"""

import argparse
import base64
import json
import statistics
import subprocess
from typing import NamedTuple

import httpx2
import psutil

from bench.beside import spread
from bench.targets import GENEROUS, run
from tests.forward.ways import Forwarder
from tests.security.nginx import Nginx
from tests.servers import PREFIX, Service

ITEMS = 30
BASE = "/apps/wishlist"
CONNECTIONS = (1, 8, 32)
LUA = """
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %f %d %d\\n", latency:percentile(50), summary.requests,
    e.status + e.connect + e.read + e.write + e.timeout))
end
"""


class Way(NamedTuple):
    """One of the ways to the same page, and the name of the one that it is held against."""

    name: str
    url: str
    header: str
    beside: str


class Took(NamedTuple):
    """The 50th percentile in milliseconds, the service's microseconds of processor time, and how
    many a second."""

    p50: float
    processor: float
    rate: float


def wrk(way: Way, connections: int, seconds: int, service: Service) -> Took:
    """What a request took, of many without an error."""
    script = service.folder / "report.lua"
    script.write_text(LUA)
    process = psutil.Process(service.process.pid)
    used = sum(process.cpu_times()[:2])
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script)]
    done = subprocess.run(
        [*command, "-H", way.header, way.url], capture_output=True, text=True, check=True
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    p50, count, errors = map(float, line.split()[1:])
    if errors:
        raise RuntimeError(f"{way.name}: {errors:.0f} errors")
    processor = (sum(process.cpu_times()[:2]) - used) / count * 1e6
    return Took(p50 / 1000, processor, count / seconds)


def ways(service: Service, nginx: Nginx, forwarders: dict[str, Forwarder]) -> list[Way]:
    """The page of one visitor: the same bytes each way."""
    same = {"Sec-Fetch-Site": "same-origin"}
    with httpx2.Client(base_url=f"{service.url}{BASE}/api", headers=same) as browser:
        for product in range(1, ITEMS + 1):
            browser.post("/items", json={"productId": product, "tags": ["gift"]}).raise_for_status()
        cookie = browser.cookies["wishwell"]
    content = cookie.partition(".")[0]
    session = json.loads(base64.urlsafe_b64decode(content + "=="))["s"]
    asking = service.client(service.admin_token())
    token = asking.post("/profiles/token", json={"session": session}).json()["data"]["token"]
    bearer, jar = f"Authorization: Bearer {token}", f"Cookie: wishwell={cookie}"
    found = [
        Way(f"{kind}{where}", f"{url}{path}/items", header, f"API{where}")
        for where, url in (("", service.url), (" through nginx", nginx.url))
        for kind, path, header in (("API", PREFIX, bearer), ("storefront", f"{BASE}/api", jar))
    ]
    for kind, one in forwarders.items():
        url = f"{one.url}{BASE}/api/items"
        found.append(Way(f"storefront through {kind}", url, jar, "API through nginx"))
    pages = {
        httpx2.get(way.url, headers=dict([way.header.split(": ", 1)])).content for way in found
    }
    if len(pages) != 1 or len(json.loads(pages.pop())["data"]) != ITEMS:
        raise RuntimeError("the ways show different pages")
    return found


def measure(all_ways: list[Way], rounds: int, seconds: int, service: Service) -> None:
    """Rounds, then the figures for each number of connections; the first round is thrown away."""
    found: dict[int, list[dict[str, Took]]] = {connections: [] for connections in CONNECTIONS}
    for number in range(rounds + 1):
        for connections in CONNECTIONS:
            # In turns, and the turn changes: no way is always the one after a pause.
            order = all_ways if number % 2 else all_ways[::-1]
            got = {way.name: wrk(way, connections, seconds, service) for way in order}
            if number:
                found[connections].append(got)
    for connections, results in found.items():
        for way in all_ways:
            p50, processor, rate = (
                statistics.median(values)
                for values in zip(*(got[way.name] for got in results), strict=True)
            )
            line = (
                f"{connections:2} connections  {way.name:24} p50 {p50:6.3f} ms, {processor:4.0f} us,"
                f" {rate:5.0f} a second"
            )
            if way.name != way.beside:
                pairs = [(got[way.name], got[way.beside]) for got in results]
                p50s = spread([one.p50 / other.p50 for one, other in pairs])
                costs = spread([one.processor / other.processor for one, other in pairs])
                rates = spread([one.rate / other.rate for one, other in pairs])
                line += f"  against {way.beside}: p50 {p50s}, processor {costs}, rate {rates}"
            print(line)


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.storefront", description=__doc__)
    words.add_argument("--rounds", type=int, default=20)
    words.add_argument("--seconds", type=int, default=1)
    given = words.parse_args()
    with Service(GENEROUS) as service, Nginx(service.url, buffering=True) as nginx:
        tokens = service.folder / "tokens"
        made = service.cli(
            "token", "create", "--store", "default", "--label", "bench", "--for", "storefront"
        )
        tokens.write_text(json.dumps({"shop": made.stdout.strip()}))
        with (
            Forwarder("node", service.url, tokens, ()) as node,
            Forwarder("asgi", service.url, tokens, ()) as asgi,
        ):
            both = {"node": node, "asgi": asgi}
            measure(ways(service, nginx, both), given.rounds, given.seconds, service)


if __name__ == "__main__":
    run(main)
