"""``python -m bench.sharing``: reading a shared list, against its owner reading it with a token.

A list of 100 items, on both engines, in the rounds of ``bench.storefront``. The aim is a rate of at
least 0.9 of the owner's.
"""

from bench import seed
from bench.storefront import Way, measure, options
from bench.targets import ENGINES, Shop, run, say
from tests.servers import PREFIX, PostgresServer

ITEMS = 100


def ways(shop: Shop) -> list[Way]:
    """The list of a customer: by their token, and by its link."""
    token = seed.token(shop.store, "gid://shopify/Customer/1")
    owner = shop.client(token)
    list_id = owner.post("/lists", json={"name": "Birthday"}).json()["data"]["id"]
    for product in range(1, ITEMS + 1):
        body = {"productId": product, "note": "In blue, please", "listIds": [list_id]}
        owner.post("/items", json=body).raise_for_status()
    shared = owner.post(f"/lists/{list_id}/shares", json={"notes": True}).json()["data"]["token"]
    url = f"{shop.url}{PREFIX}"
    both = [
        Way(
            "list", f"{url}/lists/{list_id}?sort=customer", f"Authorization: Bearer {token}", "list"
        ),
        Way("shared", f"{url}/shared/{shared}", "Accept: */*", "list"),
    ]
    for way in both:
        items = owner.get(way.url).json()["data"]["items"]
        if [item["productId"] for item in items] != [*range(ITEMS, 0, -1)]:
            raise RuntimeError(f"{way.name} shows another list")
    return both


def main() -> None:
    given = options("sharing", __doc__)
    with PostgresServer(fsync=True) as server:
        for engine in ENGINES.values():
            shop = Shop(engine, server).serve()
            say(engine)
            measure(ways(shop), given.rounds, given.seconds, shop)


if __name__ == "__main__":
    run(main)
