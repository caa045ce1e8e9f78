"""``python -m bench.storefront``: what the storefront adds to a read, against the API with a token.

`GET /items`, a page of 30 of one visitor, on SQLite: from the API with the session's token, and from
the storefront with its cookie; then both once more through nginx, which only passes them on, and the
storefront through the two forwarders, which hold a token. wrk with 1, 8 and 32 connections, in
interleaved rounds. Only the ratio within a round means anything: the machine may be busy, and a busy
moment hits both. The aim is a p50 of at most 1.15 times the API's.
Beside it is the processor time a request of the service's process, which a busy machine changes less.
"""

import argparse
import base64
import functools
import json
import statistics
from typing import NamedTuple

import httpx2

from bench.targets import GENEROUS, in_turns, processor, run, run_wrk, say
from tests.forward.ways import Forwarder
from tests.security.nginx import Nginx
from tests.servers import PREFIX, Service
from tools.tables import spread

ITEMS = 30
BASE = "/apps/wishlist"
CONNECTIONS = (1, 8, 32)


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


def took(connections: int, seconds: int, service: Service, way: Way) -> Took:
    """What a request took, of many without an error."""
    before = processor(service, database=False)
    refused, broken, figures = run_wrk(way.url, connections, seconds, way.header)
    if refused or broken:
        raise RuntimeError(f"{way.name}: {refused + broken:.0f} errors")
    used = (processor(service, database=False) - before) / figures["count"] * 1e6
    return Took(figures["p50_ms"], used, figures["rate"])


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
    for connections in CONNECTIONS:
        measured = functools.partial(took, connections, seconds, service)
        results = in_turns(all_ways, rounds + 1, measured)
        by_name = {way.name: runs[1:] for way, runs in zip(all_ways, results, strict=True)}
        for way in all_ways:
            runs = by_name[way.name]
            p50, used, rate = map(statistics.median, zip(*runs, strict=True))
            line = (
                f"{connections:2} connections  {way.name:24} p50 {p50:6.3f} ms, {used:4.0f} us,"
                f" {rate:5.0f} a second"
            )
            if way.name != way.beside:
                pairs = list(zip(runs, by_name[way.beside], strict=True))
                ratios = (
                    f"{name} {spread([getattr(a, name) / getattr(b, name) for a, b in pairs])}"
                    for name in Took._fields
                )
                line += f"  against {way.beside}: {', '.join(ratios)}"
            say(line)


def options(name: str, about: str | None) -> argparse.Namespace:
    words = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=about)
    words.add_argument("--rounds", type=int, default=20)
    words.add_argument("--seconds", type=int, default=1)
    return words.parse_args()


def main() -> None:
    given = options("storefront", __doc__)
    with Service(GENEROUS) as service, Nginx(service.url, buffering=True) as nginx:
        tokens = service.folder / "tokens"
        words = ("--store", "default", "--label", "bench", "--for", "storefront")
        tokens.write_text(json.dumps({"shop": service.quick("token", "create", *words).strip()}))
        with (
            Forwarder("node", service.url, tokens, ()) as node,
            Forwarder("asgi", service.url, tokens, ()) as asgi,
        ):
            both = {"node": node, "asgi": asgi}
            measure(ways(service, nginx, both), given.rounds, given.seconds, service)


if __name__ == "__main__":
    run(main)
