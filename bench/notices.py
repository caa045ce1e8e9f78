"""A price drop that very many wish for: `python -m bench.notices`, half an hour for each engine.

Fills a database with so many wishes for one product, and reads pages of others at a constant rate:
first alone, then while the drop is told. Printed are the p99 of both; then, how long the telling
took. The service is killed twice on the way, and at the end each profile must have been told
exactly once.
"""

import time

from bench import seed
from bench.client import Raw, bearer, request
from bench.meanwhile import Asked, compared, main
from bench.targets import Shop, run, say
from tests.servers import PREFIX

BATCH = 10_000
PRODUCT = 7777


def fill(shop: Shop, count: int) -> None:
    """So many profiles that wish for the product."""
    for begin in range(0, count, BATCH):
        numbers = range(begin, min(begin + BATCH, count))
        gids = [f"gid://shopify/Customer/w{number}" for number in numbers]
        shop.insert(seed.joined(seed.profile(shop.store, gid, [PRODUCT]) for gid in gids))


def put(shop: Shop, amount: str) -> None:
    price = {"amount": amount, "currency": "EUR"}
    Raw(shop.url, shop.admin).ask("PUT", f"/products/{PRODUCT}", {"price": price})


def measure(asked: Asked, count: int) -> None:
    shop = asked.shop
    fill(shop, count)
    reads = [request("GET", f"{PREFIX}/items", bearer(owner.token)) for owner in asked.owners]
    shop.serve()
    put(shop, "100")
    next(asked.p99s(reads))  # the first one warms
    alone = list(asked.p99s(reads))
    put(shop, "80")
    began = time.monotonic()
    time.sleep(1)
    beside = list(asked.p99s(reads))
    told = shop.number("SELECT count(*) FROM events")
    if told >= count:
        say("  all was told before the reads ended: take more wishes")
    speed = told / (time.monotonic() - began)
    say(f"{shop.engine:10} {count:,} wishes, {compared(alone, beside)}; {speed:,.0f} told a second")
    for share in (0.3, 0.6):
        while shop.number("SELECT count(*) FROM events") < share * count:
            time.sleep(1)
        shop.kill()
        shop.serve()
    while shop.number("SELECT count(*) FROM products WHERE noticed_at IS NOT NULL"):
        time.sleep(1)
    took = time.monotonic() - began
    shop.stop()
    made = shop.number("SELECT count(*) FROM events")
    of = shop.number("SELECT count(DISTINCT profile_id) FROM events")
    right = "right" if made == of == count else "WRONG"
    say(
        f"{shop.engine:10} {took:,.0f} s in all over two kills; {made:,.0f} events of {of:,.0f} profiles: "
        f"{right}"
    )


if __name__ == "__main__":
    run(lambda: main("notices", __doc__, "wishes", measure))
