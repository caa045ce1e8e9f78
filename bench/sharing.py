"""``python -m bench.sharing``: reading a shared list, against its owner reading it with a token.

A list of 100 items, on both engines, in the rounds of ``bench.storefront``. The aim is a rate of at
least 0.9 of the owner's.
"""

import argparse

from bench.storefront import Way, measure
from bench.targets import GENEROUS, run
from tests.servers import PREFIX, PostgresServer, Service

ITEMS = 100


def ways(service: Service) -> list[Way]:
    """The list of a customer: by their token, and by its link."""
    admin = service.client(service.admin_token())
    made = admin.post("/profiles/token", json={"customer": "gid://shopify/Customer/1"})
    token = made.json()["data"]["token"]
    owner = service.client(token)
    list_id = owner.post("/lists", json={"name": "Birthday"}).json()["data"]["id"]
    for product in range(1, ITEMS + 1):
        body = {"productId": product, "note": "In blue, please", "listIds": [list_id]}
        owner.post("/items", json=body).raise_for_status()
    shared = owner.post(f"/lists/{list_id}/shares", json={"notes": True}).json()["data"]["token"]
    url = f"{service.url}{PREFIX}"
    header = f"Authorization: Bearer {token}"
    found = [
        Way("list", f"{url}/lists/{list_id}?sort=customer", header, "list"),
        Way("shared", f"{url}/shared/{shared}", "Accept: */*", "list"),
    ]
    shown = [owner.get(way.url).json()["data"]["items"] for way in found]
    if [[item["productId"] for item in one] for one in shown] != [[*range(ITEMS, 0, -1)]] * 2:
        raise RuntimeError("the two show different lists")
    return found


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.sharing", description=__doc__)
    words.add_argument("--rounds", type=int, default=20)
    words.add_argument("--seconds", type=int, default=1)
    given = words.parse_args()
    with PostgresServer(fsync=True) as server:
        for engine in ("postgresql", "sqlite"):
            settings = dict(GENEROUS, WISHWELL_SIGNING_KEYS="k" * 40)
            if engine == "postgresql":
                settings["WISHWELL_DATABASE_URL"] = server.create_database()
            service = Service(settings)
            if engine == "postgresql":
                service.cli("migrate")
            with service.start():
                print(engine)
                measure(ways(service), given.rounds, given.seconds, service)


if __name__ == "__main__":
    run(main)
