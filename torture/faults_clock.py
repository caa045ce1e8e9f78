"""Clocks that step, and clocks that differ."""

from __future__ import annotations

import asyncio
import json
import time
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


async def _token(client: load.Client) -> str:
    body = {"customer": "gid://shopify/Customer/one"}
    return (await client.ask("POST", PREFIX + "/profiles/token", body)).data()["token"]


async def _revoke(r: Harness) -> None:
    words = ("token", "revoke", "--store", "default", "gid://shopify/Customer/one")
    await to_thread(r.service.cli, *words)
    await asyncio.sleep(5)


async def _read(client: load.Client, token: str) -> load.Answer:
    return await client.ask("GET", PREFIX + "/items", Authorization=f"Bearer {token}")


@scenario(clock=True, settings={"WISHWELL_LIMIT_PROFILE_READ": "5"})
async def clock_back_and_limits(r: Harness) -> None:
    """A clock that was a day ahead is put right: a used-up limit opens with the next minute."""
    r.result.faults = "a step of a day back"
    step(r.clock, DAY)
    client = r.client()
    token = await _token(client)
    for _ in range(3):
        await _read(client, token)
    step(r.clock, 0)
    token = await _token(client)
    for _ in range(12):
        last = await _read(client, token)
        r.result.answered({str(last.status): 1})
    client.close()
    wait = int(last.headers.get("retry-after", "0"))
    ahead = int(last.headers["x-ratelimit-reset"]) - time.time()
    r.must(wait <= 61, f"Retry-After: {wait}")
    r.must(ahead <= 61, f"the limit opens in {ahead:.0f} s")


@scenario(clock=True)
async def clock_back_and_revocation(r: Harness) -> None:
    """Tokens given before and after a step back can be revoked."""
    r.result.faults = "a step of a day back, then a revocation"
    step(r.clock, DAY)
    client = r.client()
    tokens = {"before the step": await _token(client)}
    await _read(client, tokens["before the step"])
    step(r.clock, 0)
    tokens["after the step"] = await _token(client)
    await _revoke(r)
    for when, token in tokens.items():
        status = (await _read(client, token)).status
        r.result.answered({str(status): 1})
        r.must(status == 401, f"a token given {when} still counts after its revocation")
    client.close()


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
        token = await _token(far)
        status = (await _read(near, token)).status
        r.must(status == 200, f"a token of the process that is ahead: {status}")
        await _revoke(r)
        for name, client in (("behind", near), ("ahead", far)):
            status = (await _read(client, token)).status
            r.must(status == 401, f"revoked, and {status} at the process {name}")
            client.close()
