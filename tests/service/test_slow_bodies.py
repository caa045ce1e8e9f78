"""What was allowed when the headers came, under load and by two processes."""

import asyncio
import time

import httpx2
import pytest

from tests.api.conftest import PREFIX
from tests.conftest import Shop

SENDERS = 40
SEEN = 5.0
"""Seconds until every process knows of a revocation or a deletion (contract: token-revoked)."""

pytestmark = pytest.mark.slow


@pytest.fixture
def workers(new_service):
    settings = {"WORKERS": "2", "LIMIT_ADDRESS": "100000", "BODY_TIMEOUT": "20"}
    service = new_service(**{f"WISHWELL_{name}": value for name, value in settings.items()}).start()
    yield service
    service.kill()


async def trickled(body: bytes, seconds: float):
    for byte in body:
        yield bytes([byte])
        await asyncio.sleep(seconds / len(body))


async def writes(url: str, token: str, number: int, seconds: float) -> tuple[float, int]:
    """Puts a product, slowly; when its body had ended, and the status."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    async with httpx2.AsyncClient(timeout=30, trust_env=False) as http:
        path = f"{url}{PREFIX}/products/{number}"
        answer = await http.put(
            path, content=trickled(b'{"title": "Late"}', seconds), headers=headers
        )
        return time.monotonic(), answer.status_code


async def reads(url: str, token: str, until: float) -> list[int]:
    statuses = []
    async with httpx2.AsyncClient(timeout=30, trust_env=False) as http:
        while time.monotonic() < until:
            headers = {"Authorization": f"Bearer {token}"}
            answer = await http.get(f"{url}{PREFIX}/products", headers=headers)
            statuses.append(answer.status_code)
    return statuses


def test_slow_bodies_beside_a_revocation_and_a_deletion(workers):
    """contract: token-while-sending, store-rows. Of a token that is revoked, and of a store that is
    deleted: what ends later than processes may take to know is refused; others are served."""
    doomed, shop = Shop(workers), Shop(workers, "--limit", "admin_read=1000000")
    leaked = shop.another_admin_token("leaked")

    async def all_at_once():
        began = time.monotonic()
        lengths = [0.5 + 16 * n / SENDERS for n in range(SENDERS)]
        sent = [
            asyncio.create_task(writes(workers.url, token, n, seconds))
            for n, seconds in enumerate(lengths, 1)
            for token in (leaked, doomed.admin_token)
        ]
        load = [
            asyncio.create_task(reads(workers.url, shop.admin_token, began + 18)) for _ in range(4)
        ]
        await asyncio.sleep(2)
        await asyncio.to_thread(workers.cli, "token", "revoke", "-", input=leaked)
        ended = time.monotonic()
        await asyncio.to_thread(workers.cli, "store", "delete", doomed.handle, "--yes")
        return ended, await asyncio.gather(*sent), await asyncio.gather(*load)

    ended, sent, load = asyncio.run(all_at_once())
    assert {status for statuses in load for status in statuses} == {200}
    assert {status for _, status in sent} == {200, 401}
    # A deletion is known as soon after it began as a revocation; its command had to start.
    late = [status for at, status in sent if at > ended + SEEN + 4]
    assert len(late) > SENDERS / 4
    assert set(late) == {401}
    assert doomed.handle not in workers.quick("store", "list")
    assert workers.stop() == 0
