"""The service on a Patroni cluster: switchover, and failing or hanging nodes."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Iterator

import asyncpg
import httpx2
import pytest

from tests.conftest import SIGNING_KEY
from tests.servers import HERE, Service, wait_until
from tests.servers.patroni import Cluster, HAProxy, Node, haproxy, missing

from .conftest import Saver, saving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"not here: {missing()}"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.close()


def another_takes_writes(cluster: Cluster, before: Node, seconds: float) -> float:
    """Returns when another node first had a commit confirmed by a standby."""

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
def test_failing_node_loses_no_acknowledged_write(cluster: Cluster, fault: str):
    """The service recovers within 2 s after the cluster does, loses no acknowledged write, and
    responds within 5 s.
    Rules: database-failover, write-durable."""
    url = cluster.url("postgres")
    settings = {"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": SIGNING_KEY}
    limits = {"WISHWELL_LIMIT_ADMIN_WRITE": "1000000"}
    service = Service(settings | limits)
    service.cli("init")
    with service.start():
        admin, run = service.admin_token(), secrets.token_hex(4)
        gids = [f"gid://shopify/Customer/{run}-{number}" for number in range(4)]
        with saving(*(service.client(admin, gid) for gid in gids)) as savers:
            assert wait_until(lambda: all(len(one.done) > 5 for one in savers), seconds=20)
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
                assert wait_until(lambda: last_saved(savers) > ready, seconds=2)
                time.sleep(3)
            finally:
                if fault == "is killed":
                    before.start()
                before.resume()
            replica = wait_until(lambda: before.status("/replica") == 200, seconds=60, every=0.2)
            time.sleep(1)
            assert replica, before.output()[-3000:]
        everything = [save for saver in savers for save in saver.done]
        assert {save.status for save in everything} <= {201, 503}
        assert max(save.seconds for save in everything) < 5
        assert [saver.lost() for saver in savers] == [set()] * 4
        assert "Traceback" not in service.output()


def last_saved(savers: list[Saver]) -> float:
    """Returns when the last save was acknowledged."""
    return max(save.at for saver in savers for save in saver.done if save.status == 201)


def ports_behind(proxy: HAProxy, seconds: float) -> set[str]:
    """Returns the ports of all servers that new connections reached within ``seconds``."""

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
def test_proxy_connects_to_no_old_primary(cluster: Cluster):
    """With `deploy/haproxy.cfg` no connection reaches an old primary whose Patroni hangs while it
    still takes writes, not even after the proxy or Patroni restarts."""
    before = cluster.primary()
    assert before is not None
    with HAProxy(cluster) as proxy:
        assert ports_behind(proxy, 3) == {str(before.port)}
        before.freeze()
        try:
            another_takes_writes(cluster, before, 60)
            primary = cluster.primary()
            assert primary is not None
            time.sleep(1.5)  # until the next health check
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
