"""Notices of the running program, killed while it tells them."""

import asyncio

import pytest

from bench import seed
from tests.conftest import Shop
from tests.servers import wait_until
from wishwell import app, config, ids

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


def fill(service, store, count):
    """So many profiles, each of which wishes for product 7."""
    rows = {name: [] for name in seed.COLUMNS}
    new_id, now = ids.UUID7(), ids.timestamp(ids.wall_clock())
    for number in range(count):
        gid = f"gid://shopify/Customer/{number}"
        profile = ids.profile_key(store, gid)
        rows["profiles"].append((profile, store, gid, 0, 1, 0, now, now))
        rows["items"].append((profile, new_id(), store, "7", "", 1, "", "", "", now, now))
    if service.settings["WISHWELL_DATABASE_URL"].startswith("sqlite"):
        seed.sqlite(address(service), rows)
    else:
        asyncio.run(seed.postgres(address(service), rows))


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
