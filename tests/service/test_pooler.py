"""A pooler between the service and PostgreSQL, in both modes that are documented."""

from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.conftest import SEALING_KEY, SIGNING_KEY
from tests.servers import PREFIX, PostgresServer, Service
from tests.servers.pgbouncer import PgBouncer, pgbouncer_binary

pytestmark = pytest.mark.skipif(pgbouncer_binary() is None, reason="there is no pgbouncer here")
SIZES = {"session": 20, "transaction": 3}


@pytest.mark.parametrize("mode", SIZES)
def test_service_works_through_pgbouncer(postgres_server: PostgresServer, mode: str):
    """contract: database-pooler. Twelve at once; in transaction mode on three connections."""
    size = SIZES[mode]
    pooler = PgBouncer(postgres_server, mode, size)
    database = postgres_server.create_database()
    url = database.replace(f":{postgres_server.port}/", f":{pooler.port}/")
    settings = {"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": SIGNING_KEY}
    service = Service(settings | {"WISHWELL_SEALING_KEYS": SEALING_KEY})
    service.cli("migrate")
    service.cli("store", "update", "default", "--events", "on")
    with service.start():
        admin = service.admin_token()

        def shop(number: int) -> list[int]:
            gid = f"gid://shopify/Customer/{number}"
            headers = {"Authorization": f"Bearer {admin}"}
            with httpx2.Client(base_url=service.url + PREFIX, headers=headers, timeout=30) as http:
                session = http.post("/profiles/token").json()["data"]
                seen = []
                visitor = {"Profile": session["profile"]}
                for product in range(1, 6):
                    body = {"productId": product}
                    seen.append(http.post("/items", json=body, headers=visitor).status_code)
                body = {"session": session["profile"], "customer": gid}
                seen.append(http.post("/profiles/token", json=body).status_code)
                mine = {"Profile": gid}
                page = http.get("/items", headers=mine, params={"limit": 3})
                found = http.get("/items", headers=mine, params={"query": "product:2"})
                gone = http.delete(f"/items/{page.json()['data'][0]['id']}", headers=mine)
                assert len(page.json()["data"]) == 3
                assert len(found.json()["data"]) == 1
                return [*seen, page.status_code, found.status_code, gone.status_code]

        with ThreadPoolExecutor(12) as at_once:
            for seen in at_once.map(shop, range(24)):
                assert seen == [201] * 6 + [200, 200, 204]
        name = database.rpartition("/")[2]
        held = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
        assert int(postgres_server.sql(held)) <= size
        assert "Traceback" not in service.output()
    pooler.close()
