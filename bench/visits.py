"""Compares a shop's visits on this program and on an earlier version.

``python -m bench.visits ../before`` fills a database of each, and lets both serve visits in turns.
A visit is one list with its products, eight pages that each query which of 24 other products are
saved, and in one of ten a save. Visitors are drawn from many profiles by Zipf's law, requests go to
either of two workers, and 100 products a minute are put. For each engine it prints the other's CPU
time and latency per request as shares of this one's: the medians over all pairs of turns.
"""

import itertools
import random
import time
from collections.abc import Iterator
from typing import Any

from bench import seed
from bench.client import Raw
from bench.targets import Shop, both, comparison, processor, run, say
from tools.tables import spread

_ITEMS, _PRODUCTS, _ON_A_PAGE, _PAGES = 20, 2_400, 24, 8
_LINES, _VISITS, _WARM = 16, 100, 6
"""Connections with one visit at a time each; visits per turn; turns that don't count."""
_PUT_SECONDS, _AT_ONCE = 0.6, 200

Asked = tuple[str, tuple[str, str, Any]]


class Side:
    """A program with two workers, filled and running."""

    def __init__(self, shop: Shop, profiles: int) -> None:
        self._gids = [f"gid://shopify/Customer/c{number}" for number in range(profiles)]
        self._lists: list[str] = []
        dice = random.Random(1)
        for first in range(0, profiles, 10_000):
            rows = seed.joined(
                seed.profile(shop.store, gid, _some_products(dice), lists=1, on=1)
                for gid in self._gids[first : first + 10_000]
            )
            shop.insert(rows)
            self._lists += [row[1] for row in rows["lists"]]
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, profiles + 1)))
        self._shop = shop.serve(WISHWELL_WORKERS="2")
        for first in range(1, _PRODUCTS, _AT_ONCE):
            self._put(range(first, first + _AT_ONCE))

    def turn(self, number: int) -> tuple[float, float]:
        """Runs a turn; returns CPU seconds (database included) and seconds per request."""
        dice = random.Random(number)
        lines = [Raw(self._shop.url, "") for _ in range(_LINES)]
        to_come = (self._visit(dice) for _ in range(_VISITS))
        visits = list(itertools.islice(to_come, _LINES))
        used, began = processor(self._shop), time.perf_counter()
        count, put = 0, began
        while requests := list(_next_of_each(visits, to_come)):
            dice.shuffle(lines)  # so that either worker may get a request
            for line, (token, what) in zip(lines, requests, strict=False):
                line.token = token
                line.send(*what)
            for line in lines[: len(requests)]:
                answered = line.read()
                if answered.status not in (200, 201):
                    raise RuntimeError(str(answered))
            count += len(requests)
            if time.perf_counter() - put > _PUT_SECONDS:
                put += _PUT_SECONDS
                self._put([dice.randint(1, _PRODUCTS)])
        took = (processor(self._shop) - used) / count, (time.perf_counter() - began) / count
        for line in lines:
            line.close()
        return took

    def _visit(self, dice: random.Random) -> Iterator[Asked]:
        [who] = dice.choices(range(len(self._gids)), cum_weights=self._weights)
        token = seed.token(self._shop.store, self._gids[who])
        yield token, ("GET", f"/lists/{self._lists[who]}?include=product", None)
        for page in dice.sample(range(_PRODUCTS // _ON_A_PAGE), _PAGES):
            first = page * _ON_A_PAGE + 1
            product_ids = ",".join(map(str, range(first, first + _ON_A_PAGE)))
            yield token, ("GET", f"/items?query=product:{product_ids}", None)
        if dice.random() < 0.1:
            # Limited to ten products, so that lists don't grow without limit.
            saved = {"productId": (who + dice.randint(1, 10)) % _PRODUCTS + 1}
            yield token, ("POST", "/items", saved | {"quantity": dice.randint(1, 10**6)})

    def _put(self, products: range | list[int]) -> None:
        """Puts products with new prices."""
        price = {"amount": f"{random.randint(1, 100)}.00", "currency": "EUR"}
        facts = {"title": "A shirt of linen", "url": "https://shop.example/products/a-shirt"}
        facts |= {"image": "https://images.shop.example/files/a-shirt-of-linen.jpg"}
        admin = Raw(self._shop.url, self._shop.admin)
        bodies = [{"productId": number, "price": price} | facts for number in products]
        admin.ask("PUT", "/products", {"products": bodies})
        admin.close()


def _some_products(dice: random.Random) -> list[int]:
    return dice.sample(range(1, _PRODUCTS + 1), _ITEMS)


def _next_of_each(
    visits: list[Iterator[Asked]], to_come: Iterator[Iterator[Asked]]
) -> Iterator[Asked]:
    """Yields the next request of each visit; a finished visit is replaced by a new one."""
    for at, visit in enumerate(visits):
        step = next(visit, None)
        if step is None:
            visits[at] = next(to_come, iter(()))
            step = next(visits[at], None)
        if step is not None:
            yield step


def main() -> None:
    words = comparison("visits", __doc__, rounds=21)
    words.add_argument("--profiles", type=int, default=100_000)
    chosen = words.parse_args()
    for engine in chosen.engine:
        with both(engine, chosen.before) as shops:
            sides = [Side(shop, chosen.profiles) for shop in shops]
            pairs = []
            for number in range(_WARM + chosen.rounds):
                order = (0, 1) if number % 2 else (1, 0)
                took = {at: sides[at].turn(number) for at in order}
                pairs.append((took[1][0] / took[0][0], took[1][1] / took[0][1]))
            processors, times = zip(*pairs[_WARM:], strict=True)
            say(f"{engine:10} visits: processor {spread(processors)}, time {spread(times)}")


if __name__ == "__main__":
    run(main)
