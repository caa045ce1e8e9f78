"""Clocks that jump."""

from __future__ import annotations

import asyncio
import json

from torture.harness import PREFIX, Harness, only_served, scenario, step

DAY = 86_400


async def _walks_once(r: Harness) -> None:
    """Asserts that walking small pages shows each record once, although creation times jumped."""
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
    """The clock jumps a day forward, back, another day back, and forward again, under load."""
    r.result.faults = "steps of a day, twice each way"
    for offset in (DAY, 0, -DAY, 0):
        step(r.clock, offset)
        await r.well_again()
        await asyncio.sleep(max(1.0, 2 * r.scale))
