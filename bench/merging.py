"""Compares sign-ins that merge 1,000 items on three lists, on this program and an earlier version.

``python -m bench.merging ../before`` lets both link in turns: to a customer without lists and
items, and to customers with none, half and all of the items and lists of the same names. For each
engine it prints the other's CPU time (database included) and duration as multiples of this one's,
and this one's in milliseconds: medians over all pairs of turns. With WISHWELL_TEST_CITUS,
PostgreSQL is that cluster.
"""

import os
import statistics
import uuid
from functools import partial

from bench import seed
from bench.client import Raw
from bench.targets import Shop, both, comparison, in_turns, processor, run, say
from tools.tables import spread

ITEMS = 1_000


def sign_in(shop: Shop, has: int, on: int, lists: int) -> tuple[float, float]:
    """Links a session to a customer who has ``has`` of its items, each on ``on`` of ``lists`` lists
    of the same names; returns milliseconds of processor time and of duration."""
    session = f"gid://wishwell/Session/{uuid.uuid4()}"
    customer = f"gid://shopify/Customer/{uuid.uuid4().int}"
    shop.insert(seed.profile(shop.store, session, range(ITEMS), lists=3, on=3))
    shop.insert(seed.profile(shop.store, customer, range(has), lists=lists, on=on))
    admin = Raw(shop.url, shop.admin)
    used = processor(shop)
    _, took = admin.ask("POST", "/profiles/token", {"customer": customer, "session": session})
    used = processor(shop) - used
    admin.close()
    return used * 1e3, took * 1e3


def main() -> None:
    chosen = comparison("merging", __doc__, rounds=11).parse_args()
    cluster = os.environ.get("WISHWELL_TEST_CITUS")
    for engine in chosen.engine:
        with both(engine, chosen.before, ["--events", "on"], cluster) as unserved_shops:
            shops = [shop.serve() for shop in unserved_shops]
            for has, on, lists in ((0, 0, 0), (0, 0, 3), (ITEMS // 2, 3, 3), (ITEMS, 1, 3)):
                link = partial(sign_in, has=has, on=on, lists=lists)
                ours, theirs = in_turns(shops, chosen.rounds, link)
                say(f"{engine:10} the customer has {has}, each on {on} of {lists} lists")
                for name, at in (("processor", 0), ("duration", 1)):
                    mine = [pair[at] for pair in ours[1:]]
                    ratios = [b[at] / a[at] for a, b in zip(ours[1:], theirs[1:], strict=True)]
                    say(f"    {name} {statistics.median(mine):.0f} ms, other {spread(ratios)}")


if __name__ == "__main__":
    run(main)
