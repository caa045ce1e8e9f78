"""Tests for timing side channels: `python -m bench.timing`, about a minute per engine.

Sends two requests that must be indistinguishable over one kept-alive connection each, in random
order per pair. Prints the ratio of medians with its 95 % interval (bootstrap over pairs), and the
same for a request against itself, which is this machine's noise.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from bench import seed
from bench.client import Raw
from bench.targets import ENGINES, Shop
from tests.servers import PostgresServer
from wishwell import ids, opaque
from wishwell.access import auth

PAIRS = 1_500
Ask = Callable[[], float]


def main() -> None:
    """Measures both engines, or the named ones."""
    with PostgresServer() as server:
        for engine in sys.argv[1:] or ENGINES:
            measure(Shop(ENGINES[engine], server).serve())


def measure(service: Shop) -> None:
    token = service.admin
    known_email, other_email = "ann.known@shop.example", "ann.other@shop.example"
    alice, bob = (f"gid://shopify/Customer/{name}" for name in ("alice", "bob"))
    tokens = [seed.token(service.store, gid) for gid in (alice, bob)]
    service.client(tokens[0]).post("/profiles/identify", json={"email": known_email})
    theirs = service.client(tokens[0]).post("/items", json={"productId": 1}).json()["data"]["id"]

    def stranger() -> str:
        return tokens[1]

    def email(address: str) -> Ask:
        return asking(service, "POST", "/profiles/identify", stranger, {"email": address})

    def bearer(make: Callable[[], str]) -> Ask:
        return asking(service, "GET", "/items", make)

    body = token.removeprefix(auth.ADMIN_PREFIX)[:-6]
    head, payload, signature = tokens[0].split(".")

    def near() -> str:
        """Returns the real token with its last 4 random letters changed and a valid checksum."""
        changed = body[:-4] + letters(4)
        return auth.ADMIN_PREFIX + changed + opaque._checksum(auth.ADMIN_PREFIX + changed)

    def far() -> str:
        changed = letters(len(body))
        return auth.ADMIN_PREFIX + changed + opaque._checksum(auth.ADMIN_PREFIX + changed)

    def signed(wrong_at: int) -> Callable[[], str]:
        def make() -> str:
            letter = "A" if signature[wrong_at] != "A" else "B"
            return f"{head}.{payload}.{signature[:wrong_at]}{letter}{signature[wrong_at + 1 :]}"

        return make

    pairs = {
        "one request against itself": (email(other_email), email(other_email)),
        "e-mail: known / unknown": (email(known_email), email(other_email)),
        "admin token: right but for 4 letters / all wrong": (bearer(near), bearer(far)),
        "signature: wrong at its end / at its start": (bearer(signed(40)), bearer(signed(0))),
        "record: another's / nobody's": (
            asking(service, "GET", f"/items/{theirs}", stranger),
            asking(service, "GET", f"/items/{ids.UUID7()()}", stranger),
        ),
    }
    for name, (first, second) in pairs.items():
        print(f"{service.engine:<11} {name:<50} {compared(first, second)}", flush=True)


def letters(count: int) -> str:
    return "".join(random.choices(opaque._ALPHABET, k=count))


def asking(
    service: Shop, method: str, path: str, token: Callable[[], str], body: Any = None
) -> Ask:
    """Returns a function that sends the request over a separate connection and returns
    microseconds."""
    # Opened late, because an idle connection would be closed before its turn
    client: Raw | None = None

    def ask() -> float:
        nonlocal client
        client = client or Raw(service.url, "")
        client.token = token()
        began = time.perf_counter_ns()
        client.send(method, path, body)
        client.read()
        return (time.perf_counter_ns() - began) / 1_000

    return ask


def compared(first: Ask, second: Ask) -> str:
    for ask in (first, second) * 50:
        ask()
    times: list[tuple[float, float]] = []
    for _ in range(PAIRS):
        if random.random() < 0.5:
            a, b = first(), second()
        else:
            b, a = second(), first()
        times.append((a, b))

    def ratio(pairs: list[tuple[float, float]]) -> float:
        return statistics.median(a for a, _ in pairs) / statistics.median(b for _, b in pairs)

    drawn = sorted(ratio(random.choices(times, k=len(times))) for _ in range(300))
    own = statistics.median(a for a, _ in times)
    return f"{ratio(times):.3f}  [{drawn[7]:.3f}, {drawn[-8]:.3f}]  {own:6.0f} µs"


if __name__ == "__main__":
    main()
