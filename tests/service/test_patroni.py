"""The service on a cluster that Patroni keeps: a node hangs, and one hands over."""

import asyncio
import contextlib
import secrets
import threading
import time
from collections.abc import Iterator

import asyncpg
import httpx2
import pytest

from tests.conftest import SIGNING_KEY
from tests.servers import HERE, PREFIX, Service, wait_until
from tests.servers.patroni import Cluster, HAProxy, Node, haproxy, missing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"not here: {missing()}"),
]


class Writers:
    """Four who save one item after the other, and note what was acknowledged and when."""

    def __init__(self, service: Service) -> None:
        self.service, self.admin = service, service.admin_token()
        self.name = secrets.token_hex(4)
        self.saved: dict[int, list[tuple[int, float]]] = {number: [] for number in range(4)}
        self.statuses: set[int] = set()
        self.slowest = 0.0
        self._stop = False
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in self.saved]
        for thread in self._threads:
            thread.start()

    def client(self, number: int) -> httpx2.Client:
        gid = f"gid://shopify/Customer/{self.name}-{number}"
        headers = {"Authorization": f"Bearer {self.admin}", "Profile": gid}
        return httpx2.Client(base_url=self.service.url + PREFIX, headers=headers, timeout=30)

    def _write(self, number: int) -> None:
        with self.client(number) as http:
            product = 0
            while not self._stop:
                product += 1
                answer = http.post("/items", json={"productId": product})
                self.statuses.add(answer.status_code)
                self.slowest = max(self.slowest, answer.elapsed.total_seconds())
                if answer.status_code == 201:
                    self.saved[number].append((product, time.monotonic()))
                time.sleep(0.05)

    def last(self) -> float:
        """When the last save was acknowledged."""
        return max(when for saved in self.saved.values() for _, when in saved)

    def __enter__(self) -> "Writers":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        for thread in self._threads:
            thread.join()

    def lost(self) -> int:
        count = 0
        for number, saved in self.saved.items():
            there: set[int] = set()
            following = {}
            with self.client(number) as http:
                while following is not None:
                    answer = http.get("/items", params={"limit": 250} | following)
                    assert answer.status_code == 200, answer.text + self.service.output()[-3000:]
                    page = answer.json()
                    there |= {item["productId"] for item in page["data"]}
                    cursor = page.get("pageInfo", {}).get("next")
                    following = {"page": cursor} if cursor else None
            count += len({product for product, _ in saved} - there)
        return count


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.close()


def another_takes_writes(cluster: Cluster, before: Node, seconds: float) -> float:
    """When another node had a commit confirmed by a standby."""

    def taken() -> Node | None:
        return next(
            (n for n in cluster.nodes if n is not before and n.status("/primary") == 200), None
        )

    assert wait_until(taken, seconds=seconds, every=0.05)
    primary = taken()
    assert primary is not None

    async def commit() -> None:
        url = f"postgresql://wishwell:wishwell@{HERE}:{primary.port}/postgres"
        while True:
            with contextlib.suppress(asyncpg.PostgresError, OSError):
                connection = await asyncpg.connect(url, timeout=5)
                try:
                    await connection.execute("CREATE TABLE IF NOT EXISTS probe (n integer)")
                    await connection.execute("INSERT INTO probe VALUES (1)")
                    return
                finally:
                    connection.terminate()
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(commit(), seconds))
    return time.monotonic()


@pytest.mark.parametrize("fault", ["hands over", "is killed", "hangs"])
def test_node_that_fails_loses_nothing(cluster: Cluster, fault: str):
    """contract: database-hosts, database-old-primary, write-kept. Well again within 2 s after the
    cluster is; what was acknowledged is there, and no answer took longer than 5 s."""
    url = cluster.url("postgres")
    settings = {"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": SIGNING_KEY}
    limits = {"WISHWELL_LIMIT_ADMIN_WRITE": "1000000"}
    service = Service(settings | limits)
    service.cli("migrate")
    with service.start():
        with Writers(service) as writers:
            assert wait_until(lambda: all(len(s) > 5 for s in writers.saved.values()), seconds=20)
            before = cluster.primary()
            assert before is not None
            if fault == "hands over":
                rest = f"http://{HERE}:{before.rest}/switchover"
                name = f"node{cluster.nodes.index(before) + 1}"
                httpx2.post(rest, json={"leader": name}, trust_env=False, timeout=60)
            elif fault == "is killed":
                before.kill()
            else:
                before.pause()
            try:
                ready = another_takes_writes(cluster, before, 60)
                assert wait_until(lambda: writers.last() > ready, seconds=2)
                time.sleep(3)
            finally:
                if fault == "is killed":
                    before.start()
                before.resume()
            replica = wait_until(lambda: before.status("/replica") == 200, seconds=60, every=0.2)
            time.sleep(1)
            assert replica, before.output()[-3000:]
        assert writers.statuses <= {200, 201, 503}
        assert writers.slowest < 5
        assert writers.lost() == 0
        assert "Traceback" not in service.output()


def ports_behind(proxy: HAProxy, seconds: float) -> set[str]:
    """The ports of all servers that new connections got to in this time."""

    async def ask() -> set[str]:
        found, url = set(), f"postgresql://wishwell:wishwell@{HERE}:{proxy.port}/postgres"
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(asyncpg.PostgresError, OSError):
                connection = await asyncpg.connect(url, timeout=2)
                found.add(await connection.fetchval("SHOW port", timeout=2))
                connection.terminate()
            await asyncio.sleep(0.02)
        return found

    return asyncio.run(ask())


@pytest.mark.skipif(not haproxy(), reason="not here: haproxy")
def test_proxy_leads_to_no_old_primary(cluster: Cluster):
    """`ops/haproxy.cfg`: while an old primary takes writes beside the new one, as its Patroni hangs,
    no connection gets there, nor after a start of the proxy or when Patroni goes on."""
    before = cluster.primary()
    assert before is not None
    with HAProxy(cluster) as proxy:
        assert ports_behind(proxy, 3) == {str(before.port)}
        before.freeze()
        try:
            another_takes_writes(cluster, before, 60)
            primary = cluster.primary()
            assert primary is not None
            time.sleep(1.5)  # until it is asked again
            for _ in range(3):
                proxy.kill()
                proxy.start()
                assert ports_behind(proxy, 2) == {str(primary.port)}
            url = f"postgresql://wishwell:wishwell@{HERE}:{before.port}/postgres"
            assert asyncio.run(is_primary(url))
        finally:
            before.resume()
        assert ports_behind(proxy, 5) == {str(primary.port)}
        assert wait_until(lambda: before.status("/replica") == 200, seconds=60, every=0.2)


async def is_primary(url: str) -> bool:
    connection = await asyncpg.connect(url, timeout=5)
    try:
        return not await connection.fetchval("SELECT pg_is_in_recovery()")
    finally:
        await connection.close()
