"""Clocks that step, and clocks that differ."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from tests.servers import Service
from torture import load
from torture.harness import COMMON, PREFIX, Harness, Result, harness, scenario

DAY = 86_400
ROOT = Path(__file__).parents[1]


def step(file: Path, offset: float) -> None:
    """Steps the clock, in one move: nobody reads half a number."""
    new = file.with_suffix(".new")
    new.write_text(str(offset))
    new.replace(file)


def with_clock(service: Service, offset: float) -> Path:
    """Gives a service a clock of its own; ``step`` on the file moves it."""
    file = service.folder / "clock"
    step(file, offset)
    script = service.folder / "wishwell"
    script.write_text(
        f"#!/bin/sh\nTORTURE_CLOCK={file} PYTHONPATH={ROOT} exec {sys.executable} -m "
        'torture.skewed "$@"\n'
    )
    script.chmod(0o755)
    service.command = script
    return file


@contextmanager
def stepping(engine: str, result: Result, scale: float, settings: dict[str, str] | None = None):
    """A running service whose clock can be stepped, and the file that does it."""
    with harness(engine, result, scale, settings) as r:
        r.service.stop()
        file = with_clock(r.service, 0)
        r.service.start()
        yield r, file


@scenario()
async def clock_steps(engine: str, result: Result, scale: float) -> None:
    """A day forward, a day back, and a day back from there, under load."""
    with stepping(engine, result, scale) as (r, file):

        async def fault() -> None:
            for offset in (DAY, 0, -DAY, 0):
                step(file, offset)
                await r.well_again(time.monotonic())
                await asyncio.sleep(max(1.0, 2 * scale))

        await r.under_load(fault, count=12)
        result.faults = "steps of a day, twice each way"
        r.bounded()
        await r.compare()
        statuses = r.journal.statuses()
        result.must(set(statuses) <= {"200", "201", "204"}, f"answers: {dict(statuses)}")
        await _walks_once(r)


async def _walks_once(r: Harness) -> None:
    """A walk by small pages shows each record once, though their times go back and forth."""
    gid, expected = next(iter(r.journal.expected.items()))
    headers = {"Authorization": f"Bearer {r.service.admin_token()}", "Profile": gid}
    client = r.client(**headers)
    seen: list[str] = []
    cursor = ""
    while True:
        path = f"{PREFIX}/items?limit=7" + (f"&page={cursor}" if cursor else "")
        answer = await client.ask("GET", path)
        seen += [record["id"] for record in answer.data()]
        cursor = _next(answer)
        if not cursor:
            break
    client.close()
    there = sum(None not in wanted.states for wanted in expected.values())
    r.result.must(len(seen) == len(set(seen)) == there, f"a walk saw {len(seen)} of {there}")


def _next(answer: load.Answer) -> str:
    return json.loads(answer.body).get("pageInfo", {}).get("next", "")


@scenario()
async def clock_back_and_limits(engine: str, result: Result, scale: float) -> None:
    """A clock that was a day ahead is put right: a used-up limit opens with the next minute."""
    with stepping(engine, result, scale, {"WISHWELL_LIMIT_PROFILE_READ": "5"}) as (r, file):
        step(file, DAY)
        client = r.client(Authorization=f"Bearer {await _token(r, 'one')}")
        for _ in range(3):
            await client.ask("GET", PREFIX + "/items")
        step(file, 0)
        client.headers["Authorization"] = f"Bearer {await _token(r, 'one')}"
        answers = [await client.ask("GET", PREFIX + "/items") for _ in range(12)]
        last = answers[-1]
        wait = int(last.headers.get("retry-after", "0"))
        ahead = int(last.headers["x-ratelimit-reset"]) - time.time()
        client.close()
        result.answers = {
            str(a.status): sum(b.status == a.status for b in answers) for a in answers
        }
        result.faults = "a step of a day back"
        result.must(wait <= 61, f"Retry-After: {wait}")
        result.must(ahead <= 61, f"the limit opens in {ahead:.0f} s")


async def _token(r: Harness, customer: str) -> str:
    admin = r.client(Authorization=f"Bearer {r.service.admin_token()}")
    body = {"customer": f"gid://shopify/Customer/{customer}"}
    answer = await admin.ask("POST", PREFIX + "/profiles/token", body)
    admin.close()
    return answer.data()["token"]


@scenario()
async def clock_back_and_revocation(engine: str, result: Result, scale: float) -> None:
    """Authenticator given before and after a step back can be revoked."""
    with stepping(engine, result, scale) as (r, file):
        step(file, DAY)
        tokens = {"before the step": await _token(r, "one")}
        client = r.client(Authorization=f"Bearer {tokens['before the step']}")
        await client.ask("GET", PREFIX + "/items")
        step(file, 0)
        tokens["after the step"] = await _token(r, "one")
        await asyncio.to_thread(
            r.service.cli, "token", "revoke", "--store", "default", "gid://shopify/Customer/one"
        )
        await asyncio.sleep(5)
        for when, token in tokens.items():
            client.headers["Authorization"] = f"Bearer {token}"
            status = (await client.ask("GET", PREFIX + "/items")).status
            result.answers[str(status)] = result.answers.get(str(status), 0) + 1
            result.must(status == 401, f"a token given {when} still counts after its revocation")
        client.close()
        result.faults = "a step of a day back, then a revocation"


@scenario("postgresql")
async def clocks_apart(engine: str, result: Result, scale: float) -> None:
    """Two processes on one database, their clocks a minute apart; revocation reaches both ways."""
    with harness(engine, result, scale) as r:
        settings = COMMON | {"WISHWELL_DATABASE_URL": r.service.settings["WISHWELL_DATABASE_URL"]}
        ahead = Service(settings)
        with_clock(ahead, 59)
        with ahead.start():
            far = r.client()
            far.port = int(ahead.url.rpartition(":")[2])

            async def fault() -> None:
                workers = r.workers(6)
                for worker in workers:
                    worker.client.port = far.port
                await load.run(workers, max(3.0, 6 * scale), pause=0.02)

            await r.under_load(fault, count=6)
            result.faults = "clocks 59 s apart"
            await r.compare()
            statuses = r.journal.statuses()
            result.must(set(statuses) <= {"200", "201", "204"}, f"answers: {dict(statuses)}")
            body = {"customer": "gid://shopify/Customer/apart"}
            admin = f"Bearer {r.service.admin_token()}"
            path = PREFIX + "/profiles/token"
            answer = await far.ask("POST", path, body, Authorization=admin)
            token = answer.data()["token"]
            near = r.client(Authorization=f"Bearer {token}")
            status = (await near.ask("GET", PREFIX + "/items")).status
            result.must(status == 200, f"a token of the process that is ahead: {status}")
            await asyncio.to_thread(
                r.service.cli, "token", "revoke", "--store", "default", body["customer"]
            )
            await asyncio.sleep(5)
            for name, client in (("behind", near), ("ahead", far)):
                bearer = f"Bearer {token}"
                status = (await client.ask("GET", PREFIX + "/items", Authorization=bearer)).status
                result.must(status == 401, f"revoked, and {status} at the process {name}")
                client.close()
