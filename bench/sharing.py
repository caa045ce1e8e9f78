"""``python -m bench.sharing``: reading a shared list, against its owner reading it with a token.

A list of 100 items, on both engines, asked by wrk with 1, 8 and 32 connections in interleaved rounds.
Printed is the shared list's rate as a share of the owner's: the aim is 0.9.
"""

import argparse
import functools

from bench import seed
from bench.targets import ENGINES, Shop, in_turns, run, run_wrk, say
from tests.servers import PREFIX, PostgresServer
from tools.tables import spread

ITEMS = 100
CONNECTIONS = (1, 8, 32)
Read = tuple[str, str]
"""An address and the header that it is asked with."""


def reads(shop: Shop) -> tuple[Read, Read]:
    """The list of a customer: by its link, and by their token."""
    token = seed.token(shop.store, "gid://shopify/Customer/1")
    owner = shop.client(token)
    list_id = owner.post("/lists", json={"name": "Birthday"}).json()["data"]["id"]
    for product in range(1, ITEMS + 1):
        body = {"productId": product, "note": "In blue, please", "listIds": [list_id]}
        owner.post("/items", json=body).raise_for_status()
    shared = owner.post(f"/lists/{list_id}/shares", json={"notes": True}).json()["data"]["token"]
    paths = f"/shared/{shared}", f"/lists/{list_id}?sort=customer"
    for path in paths:
        items = owner.get(path).json()["data"]["items"]
        if [item["productId"] for item in items] != [*range(ITEMS, 0, -1)]:
            raise RuntimeError(f"{path} shows another list")
    by_link, by_token = (f"{shop.url}{PREFIX}{path}" for path in paths)
    return (by_link, "Accept: */*"), (by_token, f"Authorization: Bearer {token}")


def rate(connections: int, seconds: int, read: Read) -> float:
    """Requests a second, none of them with an error."""
    refused, broken, figures = run_wrk(read[0], connections, seconds, read[1])
    if refused or broken:
        raise RuntimeError(f"{read[0]}: {refused + broken:.0f} errors")
    return figures["rate"]


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.sharing", description=__doc__)
    words.add_argument("--rounds", type=int, default=20)
    words.add_argument("--seconds", type=int, default=1)
    given = words.parse_args()
    with PostgresServer(fsync=True) as server:
        for engine in ENGINES.values():
            with Shop(engine, server).serve() as shop:
                both = reads(shop)
                for connections in CONNECTIONS:
                    measure = functools.partial(rate, connections, given.seconds)
                    measured = in_turns(both, given.rounds + 1, measure)
                    # The first round is thrown away: it warms.
                    ratios = [ours / owners for ours, owners in zip(*measured, strict=True)][1:]
                    say(f"{engine:10} {connections:2} connections: {spread(ratios)}")


if __name__ == "__main__":
    run(main)
