"""Clocks that step, and clocks that are wrong for a moment."""

from __future__ import annotations

import asyncio
import json
import time
from asyncio import to_thread
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from tests.faults.harness import PREFIX, Harness, only_served, scenario, step, with_clock
from tests.servers import Service, wait_until
from wishwell import ids

DAY = 86_400
YEAR = 365 * DAY
QUICK = {"WISHWELL_PURGE_INTERVAL": "1", "WISHWELL_COUNT_SECONDS": "1"}
HISTORY_DAYS = 40
MAX_GROWTH_MB = 50


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


class Attacked:
    """Two processes on one database. The first one's clock is moved, and that of the second too on
    SQLite, where both are on one machine."""

    def __init__(self, first: Service, clock: Path) -> None:
        self.first, self.clock = first, clock
        self.second = first.beside()
        self.shares_clock = first.settings["WISHWELL_DATABASE_URL"].startswith("sqlite")
        if self.shares_clock:
            self.second.command = first.command
        else:
            with_clock(self.second, 0)
        self.second.start()
        self.visitors: list[str] = []

    def close(self) -> None:
        self.second.close()

    def api(self, service: Service, profile: str | None = None) -> Any:
        return service.client(self.first.admin_token(), profile)

    def wait_for(self, done: Callable[[], object], what: str, seconds: float = 60) -> None:
        if not wait_until(done, seconds=seconds, every=0.1):
            raise RuntimeError(f"{what}: not within {seconds:g} s\n{self.first.output()[-3000:]}")

    def wrong_for(self, offset: float, seconds: float) -> None:
        """Sets the clock off for a while, then right again."""
        step(self.clock, offset)
        time.sleep(seconds)
        step(self.clock, 0)

    def fill(self) -> None:
        """Creates visitors with a wish through each process, and old counts."""
        for service in (self.first, self.second):
            for number in range(3):
                made = self.api(service).post("/profiles/token", json={})
                assert made.status_code == 201, made.text
                gid = made.json()["data"]["profile"]
                saved = self.api(service, gid).post("/items", json={"productId": number + 1})
                assert saved.status_code == 201, saved.text
                self.visitors.append(gid)
        store, now = self.store(), ids.wall_clock()
        self.wait_for(self._counted, "the first count")
        for number, days in ((-1, HISTORY_DAYS), (0, HISTORY_DAYS - 10)):
            long_ago = ids.timestamp(now - days * ids.DAY_MS)
            self.first.rows(
                f"INSERT INTO counts (store_id, day, number, began_at, ended_at, customers, visitors, added, "
                f"lists, customers_wishing, visitors_wishing, day_began_at) VALUES ('{store}', '{long_ago[:10]}', {number}, '{long_ago}', "
                f"'{long_ago}', 5, 0, 0, 0, 5, 0, '{long_ago[:10]}T00:00:00.000Z')"
            )

    def store(self) -> str:
        rows = self.first.rows("SELECT id FROM stores WHERE handle = 'default'")
        return str(rows[0][0]) if rows else ids.NO_UUID

    def ask_for_deletion(self) -> None:
        """Stores a shop/redact request, which is due in 7 days."""
        now = ids.wall_clock()
        at, due = ids.timestamp(now), ids.timestamp(now + 7 * ids.DAY_MS)
        self.first.rows(
            "INSERT INTO requests (store_id, id, topic, state, received_at, due_at, body_hash, "
            f"delivery_id) VALUES ('{self.store()}', '{ids.UUID7()()}', 'shop/redact', 'waiting', "
            f"'{at}', '{due}', 'x', 'x')"
        )

    def _counted(self) -> bool:
        """Returns whether the last count found the wishes of all visitors."""
        rows = self.first.rows("SELECT visitors FROM counts ORDER BY day DESC LIMIT 1")
        return bool(rows) and rows[0][0] == len(self.visitors)

    def lost(self) -> list[str]:
        """Returns descriptions of data that the attacks removed or changed."""
        found = []
        if self.store() == ids.NO_UUID or self.first.rows("SELECT 1 FROM deleted_stores"):
            return ["the store is deleted"]
        kept = {row[0] for row in self.first.rows("SELECT gid FROM profiles WHERE items > 0")}
        if missing := set(self.visitors) - kept:
            found.append(f"{len(missing)} of {len(self.visitors)} visitors were purged")
        days = [row[0] for row in self.first.rows("SELECT day FROM counts ORDER BY day")]
        today = ids.timestamp(ids.wall_clock())[:10]
        if len([day for day in days if day < today]) < 2:
            found.append("the history of reports is gone")
        if any(day > today for day in days):
            found.append(f"counts are dated until {days[-1]}")
        report = self.api(self.second).get("/reports/days").json()["data"]
        if not report or report[-1]["day"] != today or report[-1]["wishes"] != len(self.visitors):
            found.append(f"the report of today is {report[-1:]}")
        if rows := self.first.rows("SELECT state FROM requests WHERE state <> 'waiting'"):
            found.append(f"shop/redact is {rows[0][0]}")
        return found

    def settle(self) -> None:
        """Waits for counts by the right clock, and for the clock to be plausible again."""
        time.sleep(2)
        counted = "SELECT max(began_at) FROM counts WHERE began_at < '9'"
        before = ids.timestamp(ids.wall_clock())

        def counted_again() -> bool:
            latest = self.first.rows(counted)[0][0]
            return latest is not None and before < latest < "2030"

        wait_until(counted_again, seconds=15, every=0.2)

    def suspicion(self, service: Service) -> str:
        url = f"{service.url}/readyz"
        return str(service.client().get(url).json().get("clock", ""))

    def memory_mb(self) -> float:
        return psutil.Process(self.first.process.pid).memory_info().rss / 2**20


def _attacks(attacked: Attacked, must: Callable[[bool, str], None], scale: float) -> list[str]:
    attacked.fill()
    notes = []
    for name, offset, seconds in (
        ("3 years for 2.5 s", 3 * YEAR, 2.5),
        ("100 days for 15 s", 100 * DAY, 15 * scale),
        ("8 days for 12 s", 8 * DAY, max(6, 12 * scale)),
        ("73 years for 12 s", 73 * YEAR, 12 * scale),
    ):
        if offset == 8 * DAY:
            attacked.ask_for_deletion()
        before = attacked.memory_mb()
        attacked.wrong_for(offset, max(2.5, seconds))
        grown = attacked.memory_mb() - before
        attacked.settle()
        lost = attacked.lost()
        must(not lost, f"{name}: {'; '.join(lost)}")
        must(grown < MAX_GROWTH_MB, f"{name}: took {grown:.0f} MB")
        must(not attacked.suspicion(attacked.first), f"{name}: the clock is suspect afterwards")
        notes.append(f"{name}: {'; '.join(lost) or 'nothing lost'}, {grown:.0f} MB more")
    return notes


@scenario(clock=True, settings=QUICK)
async def clock_attacks(r: Harness) -> None:
    """One process's clock is years ahead for seconds; neither process may remove anything because of it."""
    r.result.faults = "3 years for 2.5 s, 8 days for 12 s, 100 days for 15 s, 73 years for 12 s"
    assert r.clock is not None
    attacked = Attacked(r.service, r.clock)
    try:
        for note in await to_thread(_attacks, attacked, r.must, max(r.scale, 0.2)):
            r.note(note)
    finally:
        attacked.close()
