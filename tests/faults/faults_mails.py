"""``kill -9`` of the whole program while it sends mails: none may be lost, or come a third time."""

from __future__ import annotations

import asyncio
import time
from asyncio import to_thread
from collections import Counter

from tests.faults.harness import PREFIX, TWO, Harness, scenario
from tests.servers.mail_server import MailServer

_MAILS = ("--mail", "on", "--mail-from", "shop@sender.example", "--mail-delay", "0")
_STORE = ("--host", "https://shop.example", "--mail-limit", "1000000", "--notices", "opt-out")
_CLIENTS = 8
_BATCH = 250
_KILLS = 15
_LEASE_SECONDS = 130
"""Seconds after which mails of a killed process are taken by another."""


@scenario("sqlite", "postgresql", settings=TWO)
async def kill_while_mailing(r: Harness) -> None:
    """Two processes are killed again and again while they send a mail to each of many shoppers."""
    count = round(10_000 * min(1, r.scale))
    server = MailServer()
    await to_thread(r.service.kill)
    r.service.settings["WISHWELL_SMTP_URL"] = server.url
    r.service.cli("store", "update", "default", *_STORE, *_MAILS, "--yes")
    await to_thread(r.service.start)
    await _fill(r, count)
    r.result.faults = f"kill -9 {_KILLS} times during {count:,} mails"
    for _ in range(_KILLS):
        await asyncio.sleep(1)
        await to_thread(r.service.kill)
        await to_thread(r.service.start)
    killed_after = len(server.received)
    end, before = time.monotonic() + 2 * _LEASE_SECONDS, -1
    while time.monotonic() < end:
        arrived = Counter(one.recipient for one in list(server.received))
        if len(arrived) == count and len(server.received) == before:
            break
        before = len(server.received)
        await asyncio.sleep(2 if len(arrived) < count else _LEASE_SECONDS)
    arrived = Counter(one.recipient for one in server.received)
    twice = sum(number == 2 for number in arrived.values())
    r.note(f"{killed_after:,} mails had come when the kills ended; {twice:,} came twice")
    r.must(len(arrived) == count, f"{count - len(arrived):,} of {count:,} mails are lost")
    r.must(max(arrived.values()) <= 2, "a mail came more than twice")
    server.close()


async def _fill(r: Harness, count: int) -> None:
    """Saves a product for each shopper, stores their addresses, and lowers the price."""
    clients = [r.client() for _ in range(_CLIENTS)]
    put = PREFIX + "/products/1"

    async def save(client, numbers):
        for number in numbers:
            gid = f"gid://shopify/Customer/{number}"
            answer = await client.ask("POST", PREFIX + "/items", {"productId": 1}, Profile=gid)
            assert answer.status in (200, 201), answer

    product = {"title": "A lamp", "price": {"amount": "10", "currency": "EUR"}}
    await clients[0].ask("PUT", put, product)
    parts = [range(first, count, _CLIENTS) for first in range(_CLIENTS)]
    await asyncio.gather(*map(save, clients, parts))
    for first in range(0, count, _BATCH):
        rows = [
            {"profile": f"gid://shopify/Customer/{number}", "email": f"c{number}@shop.example"}
            for number in range(first, min(count, first + _BATCH))
        ]
        answer = await clients[0].ask("PUT", PREFIX + "/profiles/email", {"profiles": rows})
        assert answer.status == 200, answer
    await clients[0].ask("PUT", put, product | {"price": {"amount": "5", "currency": "EUR"}})
    for client in clients:
        client.close()
