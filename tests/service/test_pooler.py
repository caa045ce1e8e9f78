"""PgBouncer between the service and PostgreSQL, in both documented modes."""

import asyncio

import pytest

from tests.conftest import ROOMY, SEALING_KEY, SIGNING_KEY, Shop
from tests.servers import PostgresServer, Service
from tests.servers.pgbouncer import PgBouncer, pgbouncer_binary

from .conftest import client_of, racer

pytestmark = pytest.mark.skipif(pgbouncer_binary() is None, reason="there is no pgbouncer here")
SIZES = {"session": 20, "transaction": 3}


async def visit(http, shop):
    """Saves, links, reads pages, searches and deletes."""
    visitor = await racer(http, shop)
    for product in range(1, 6):
        await visitor.save(product)
    customer = await racer(http, shop, customer=shop.gid(), session=visitor.gid)
    page = await customer.do("GET", "/items?limit=3")
    assert [item["productId"] for item in page] == [5, 4, 3]
    assert len(await customer.do("GET", "/items?query=product:2")) == 1
    await customer.do("DELETE", f"/items/{page[0]['id']}")
    assert await customer.products() == [1, 2, 3, 4]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_service_works_through_pgbouncer(postgres_server: PostgresServer, mode: str):
    """Twelve concurrent clients work through PgBouncer; in transaction mode on three connections.
    Rule: database-failover."""
    pooler = PgBouncer(postgres_server, mode, SIZES[mode])
    database = postgres_server.create_database()
    url = database.replace(f":{postgres_server.port}/", f":{pooler.port}/")
    keys = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_SEALING_KEYS": SEALING_KEY}
    service = Service(keys | {"WISHWELL_DATABASE_URL": url})
    service.cli("init")
    with service:
        shop = Shop(service, "--events", "on", *ROOMY)

        async def shopping():
            async with client_of(service) as http:
                for _ in range(2):
                    await asyncio.gather(*(visit(http, shop) for _ in range(12)))

        asyncio.run(shopping())
        name = database.rpartition("/")[2]
        held = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
        assert int(postgres_server.sql(held)) <= SIZES[mode]
        assert "Traceback" not in service.output()
    pooler.close()
