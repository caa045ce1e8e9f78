"""Notices of the running program, killed while it tells them."""

import asyncio
import time

import pytest

from bench import seed
from tests.conftest import Shop
from tests.servers import wait_until
from wishwell import config
from wishwell.run import app

DROPPED = "item.price_dropped"
COUNT = 5_000
"""Profiles that wish for the product."""


def address(service):
    """The URL of its database, whatever folder this process is in."""
    url = service.settings["WISHWELL_DATABASE_URL"]
    return url.replace("sqlite:///", f"sqlite:///{service.folder}/")


def select(service, sql, *arguments):
    """The rows of a statement with parameters $1, $2, …"""
    settings = config.load({"WISHWELL_DATABASE_URL": address(service)})

    async def ask():
        db = app.open_database(settings)

        async def use(tx):
            if settings.engine == "sqlite":
                return tx.execute(sql.replace("$", "?"), arguments)
            return await tx.fetch(sql, *arguments)

        rows = await db.read(use)
        await db.close()
        return [tuple(row) for row in rows]

    return asyncio.run(ask())


def fill(service, store, count, products=("7",)):
    """So many profiles, each of which wishes for one of the products."""
    parts = (
        seed.profile(store, f"gid://shopify/Customer/{number}", [products[number % len(products)]])
        for number in range(count)
    )
    seed.insert(address(service), seed.joined(parts))


@pytest.mark.slow
def test_killed_while_it_tells_it_tells_each_once(new_service):
    """contract: notice-each-once, write-kept. Twice, by two processes at the same time; the sequence
    of each profile has no gap."""
    service = new_service(WISHWELL_WORKERS="2").start()
    shop = Shop(service, "--events", "on")
    service.kill()
    fill(service, shop.id, COUNT)

    def number() -> int:
        [(found,)] = select(service, "SELECT count(*) FROM events WHERE store_id = $1", shop.id)
        return found

    service.restart()
    for amount in ("100", "80"):
        price = {"amount": amount, "currency": "EUR"}
        assert shop.admin.put("/products/7", json={"price": price}).status_code == 200
    for share in (0.2, 0.6):
        assert wait_until(lambda least=share * COUNT: number() > least, seconds=60, every=0.05)
        service.kill()
        assert number() < COUNT
        service.restart()
    assert wait_until(lambda: number() >= COUNT, seconds=90, every=0.2)
    wait_until(lambda: number() > COUNT, seconds=1.5, every=0.5)
    rows = select(
        service,
        "SELECT e.profile_id, e.sequence, e.type, p.events FROM events e "
        "JOIN profiles p ON p.profile_id = e.profile_id WHERE e.store_id = $1",
        shop.id,
    )
    assert len(rows) == len({row[0] for row in rows}) == COUNT
    assert {row[1:] for row in rows} == {(1, DROPPED, 1)}
    service.kill()


@pytest.mark.slow
def test_sale_of_one_store_delays_no_other(new_service):
    """contract: notice-steps. Two processes; 4,000 products of one store become cheaper, then the only one
    of another: that is told at once, and most of the others are told after it."""
    service = new_service(WISHWELL_WORKERS="2").start()
    large, small = (Shop(service, "--events", "on") for _ in range(2))
    service.kill()
    many = [str(number) for number in range(1, 4_001)]
    fill(service, large.id, len(many), many)
    fill(service, small.id, 1)
    service.restart()

    def put(shop, products, amount):
        price = {"amount": amount, "currency": "EUR"}
        for at in range(0, len(products), 250):
            said = [{"productId": int(id), "price": price} for id in products[at : at + 250]]
            assert shop.admin.put("/products", json={"products": said}).status_code == 204

    def told(shop) -> int:
        sql = "SELECT count(*) FROM events WHERE store_id = $1"
        [(found,)] = select(service, sql, shop.id)
        return found

    for amount in ("100", "80"):
        put(large, many, amount)
    put(small, ["7"], "100")
    put(small, ["7"], "80")
    began = time.monotonic()
    assert wait_until(lambda: told(small), seconds=90, every=0.02)
    took, before = time.monotonic() - began, told(large)
    print(f"the small store's notice came after {took:.2f} s, after {before} of the large one's")
    assert before < len(many) / 2
    service.kill()
