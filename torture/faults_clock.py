"""Clocks that step, and clocks that differ."""

from __future__ import annotations

import asyncio
import functools
import json
from asyncio import to_thread

from tests.servers import Service
from torture import load
from torture.harness import COMMON, PREFIX, Harness, only_served, scenario, step, with_clock

DAY = 86_400


async def _walks_once(r: Harness) -> None:
    """A walk by small pages shows each record once, though their times go back and forth."""
    only_served(r)
    gid, expected = next(iter(r.journal.expected.items()))
    client = r.client(Profile=gid)
    seen: list[str] = []
    page = ""
    while True:
        answer = await client.ask("GET", f"{PREFIX}/items?limit=7{page}")
        seen += [record["id"] for record in answer.data()]
        cursor = json.loads(answer.body).get("pageInfo", {}).get("next")
        if not cursor:
            break
        page = f"&page={cursor}"
    client.close()
    there = sum(None not in wanted.states for wanted in expected.values())
    r.must(len(seen) == len(set(seen)) == there, f"a walk saw {len(seen)} of {there}")


@scenario(clock=True, load=12, bounded=True, then=_walks_once)
async def clock_steps(r: Harness) -> None:
    """A day forward, a day back, and a day back from there, under load."""
    r.result.faults = "steps of a day, twice each way"
    for offset in (DAY, 0, -DAY, 0):
        step(r.clock, offset)
        await r.well_again()
        await asyncio.sleep(max(1.0, 2 * r.scale))


@scenario("postgresql")
async def clocks_apart(r: Harness) -> None:
    """Two processes on one database, their clocks a minute apart; revocation reaches both ways."""
    r.result.faults = "clocks 59 s apart"
    ahead = Service(COMMON | {"WISHWELL_DATABASE_URL": r.service.settings["WISHWELL_DATABASE_URL"]})
    with_clock(ahead, 59)
    with ahead.start():
        near, far = r.client(), r.client()
        far.port = int(ahead.url.rpartition(":")[2])

        async def fault() -> None:
            workers = r.workers(6)
            for worker in workers:
                worker.client.port = far.port
            await load.run(workers, max(3.0, 6 * r.scale), pause=0.02)

        await r.under_load(fault, 6)
        await r.compare()
        only_served(r)
        customer = "gid://shopify/Customer/one"
        answer = await far.ask("POST", f"{PREFIX}/profiles/token", {"customer": customer})
        read = functools.partial(
            load.Client.ask,
            method="GET",
            path=f"{PREFIX}/items",
            Authorization=f"Bearer {answer.data()['token']}",
        )
        status = (await read(near)).status
        r.must(status == 200, f"a token of the process that is ahead: {status}")
        words = ("token", "revoke", "--store", "default", customer)
        await to_thread(r.service.cli, *words)
        await asyncio.sleep(5)
        for name, client in (("behind", near), ("ahead", far)):
            status = (await read(client)).status
            r.must(status == 401, f"revoked, and {status} at the process {name}")
            client.close()
