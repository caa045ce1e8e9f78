"""Compares the journal with what is there: through the API, and by SQL past it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import dataclass, field
from typing import Any

from tests.replay import Replay
from torture.journal import Expected, Journal
from torture.load import OWNER_SPACE, PREFIX, Client

FEED_SECONDS = 2.0
"""An event is in the feed by then."""

INVARIANTS = {
    "items twice": "SELECT count(*) FROM (SELECT 1 FROM items GROUP BY profile_id, product_id, "
    "variant_id HAVING count(*) > 1) AS twice",
    "items of closed sessions": "SELECT count(*) FROM items i JOIN profiles p "
    "ON p.profile_id = i.profile_id WHERE p.closed_at IS NOT NULL",
    "lists of closed sessions": "SELECT count(*) FROM lists l JOIN profiles p "
    "ON p.profile_id = l.profile_id WHERE p.closed_at IS NOT NULL",
    "items without a profile": "SELECT count(*) FROM items i WHERE NOT EXISTS "
    "(SELECT 1 FROM profiles p WHERE p.profile_id = i.profile_id AND p.store_id = i.store_id)",
    "entries of other profiles": "SELECT count(*) FROM entries e WHERE NOT EXISTS "
    "(SELECT 1 FROM items i WHERE i.profile_id = e.profile_id AND i.id = e.item_id) OR NOT EXISTS "
    "(SELECT 1 FROM lists l WHERE l.profile_id = e.profile_id AND l.id = e.list_id)",
    "item ids twice": "SELECT count(*) FROM (SELECT 1 FROM items GROUP BY id HAVING count(*) > 1) "
    "AS twice",
    "items counted wrongly": "SELECT count(*) FROM profiles p WHERE p.items <> "
    "(SELECT count(*) FROM items i WHERE i.profile_id = p.profile_id)",
    "lists counted wrongly": "SELECT count(*) FROM profiles p WHERE p.lists <> "
    "(SELECT count(*) FROM lists l WHERE l.profile_id = p.profile_id)",
    "lists of a wrong size": "SELECT count(*) FROM lists l WHERE l.item_count <> "
    "(SELECT count(*) FROM entries e WHERE e.profile_id = l.profile_id AND e.list_id = l.id)",
    "entries that their item does not name": "SELECT count(*) FROM entries e JOIN items i "
    "ON i.profile_id = e.profile_id AND i.id = e.item_id "
    "WHERE i.list_ids NOT LIKE '%' || e.list_id || '%'",
    "items that name too many lists": "SELECT count(*) FROM items i "
    "WHERE (length(i.list_ids) + 1) / 37 <> (SELECT count(*) FROM entries e "
    "JOIN lists l ON l.profile_id = e.profile_id AND l.id = e.list_id "
    "WHERE e.profile_id = i.profile_id AND e.item_id = i.id)",
    "reservations that nobody holds": "SELECT count(*) FROM reservations r WHERE NOT EXISTS "
    "(SELECT 1 FROM held h JOIN profiles p ON p.profile_id = h.profile_id WHERE "
    "h.profile_id = r.holder_id AND h.owner_id = r.profile_id AND h.item_id = r.item_id)",
    "reservations that their holder has alone": "SELECT count(*) FROM held h WHERE NOT EXISTS "
    "(SELECT 1 FROM reservations r WHERE r.profile_id = h.owner_id AND r.item_id = h.item_id "
    "AND r.holder_id = h.profile_id)",
    "reservations of one's own": "SELECT count(*) FROM reservations WHERE profile_id = holder_id",
    "reservations of what is on no shared list": "SELECT count(*) FROM reservations r "
    "WHERE NOT EXISTS (SELECT 1 FROM entries e JOIN lists l ON l.profile_id = e.profile_id "
    "AND l.id = e.list_id AND l.shared = 1 "
    "WHERE e.profile_id = r.profile_id AND e.item_id = r.item_id)",
    "times the wrong way round": "SELECT count(*) FROM items WHERE updated_at < created_at",
}
"""Each must be 0."""


@dataclass
class Findings:
    """What the comparison found."""

    checked: int = 0
    lost: int = 0  # answered 2xx and not there
    doubled: int = 0
    leaked: int = 0  # in a profile that is not theirs
    done_though_refused: int = 0
    events: int = 0
    torn: int = 0  # an unknown outcome that is neither fully there nor fully not
    cut_but_done: int = 0  # an unknown outcome that is there
    broken: list[str] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        wrong = (self.lost, self.doubled, self.leaked, self.done_though_refused, self.torn)
        return any(wrong) or bool(self.broken)

    def note(self, text: str) -> None:
        if len(self.broken) < 20:
            self.broken.append(text)


async def compare(
    journal: Journal, client: Client, admin: str, sql: Any = None, *, events: bool = False
) -> Findings:
    """``sql`` runs one statement and gives its single number; None skips the invariants. With
    ``events``, what the feed told is what is there."""
    found = Findings()
    there = {gid: await _items(client, admin, gid) for gid in journal.expected}
    for gid, expected in journal.expected.items():
        if not any(gid in pair for pair in journal.undecided):
            _profile(found, journal, gid, expected, there[gid])
    for customer in {customer for _, customer in journal.undecided}:
        sessions = [s for s, c in journal.undecided if c == customer]
        _undecided(found, journal, customer, sessions, there)
    for name, statement in (INVARIANTS if sql else {}).items():
        count = int(await asyncio.to_thread(sql, statement))
        if count:
            found.note(f"{count} {name}")
    if events:
        await asyncio.sleep(FEED_SECONDS)
        await _replay(found, client, admin, there)
    client.close()
    return found


async def _replay(
    found: Findings, client: Client, admin: str, there: dict[str, list[dict[str, Any]] | None]
) -> None:
    """Each profile's events, from the first, without a gap: they lead to what is there."""
    told: dict[str, Replay] = {}
    resume = "0"
    while True:
        path = f"{PREFIX}/events?from={resume}&limit=250"
        answer = await client.ask("GET", path, None, Authorization=f"Bearer {admin}")
        if answer.status != 200:
            raise RuntimeError(f"the feed: {answer.status} {answer.body[:300]!r}")
        page = json.loads(answer.body)
        for event in page["data"]:
            try:
                told.setdefault(event["profile"], Replay()).hear(event)
            except AssertionError as wrong:
                found.note(f"{event['profile']} {event['type']} {event['sequence']}: {wrong}")
                return
        if not page["data"]:
            break
        found.events += len(page["data"])
        resume = page["resume"]
    for gid, records in there.items():
        heard = told.get(gid, Replay()).items
        if records is not None and heard != {record["id"]: record for record in records}:
            found.note(f"{gid}: {len(heard)} items were told, {len(records)} are there")


async def _items(client: Client, admin: str, gid: str) -> list[dict[str, Any]] | None:
    """Every item of a profile; None for a session that has ended."""
    headers: dict[str, Any] = {"Authorization": f"Bearer {admin}", "Profile": gid}
    records: list[dict[str, Any]] = []
    cursor = ""
    while True:
        path = f"{PREFIX}/items?limit=250" + (f"&page={cursor}" if cursor else "")
        for _ in range(50):
            answer = await client.ask("GET", path, None, **headers)
            if answer.status not in (429, 503):
                break
            await asyncio.sleep(0.1)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise RuntimeError(f"comparing: {answer.status} {answer.body[:300]!r}")
        records += answer.data()
        cursor = _next(answer.body)
        if not cursor:
            return records


def _next(body: bytes) -> str:
    return json.loads(body).get("pageInfo", {}).get("next", "")


def _profile(
    found: Findings,
    journal: Journal,
    gid: str,
    expected: dict[int, Expected],
    records: list[dict[str, Any]] | None,
) -> None:
    if records is None:
        if gid not in journal.ended and expected:
            found.lost += len(expected)
            found.note(f"{gid} is gone with {len(expected)} items")
        return
    if gid in journal.ended and records:
        found.doubled += len(records)
    held: dict[int, dict[str, Any]] = {}
    for record in records:
        product = record["productId"]
        if product // OWNER_SPACE != journal.owners[gid]:
            found.leaked += 1
        if product in held:
            found.doubled += 1
        held[product] = record
    for product, wanted in expected.items():
        _product(found, product, wanted, held.pop(product, None))
    for product in held:
        found.note(f"{gid} has product {product}, which nobody saved there")


def _product(
    found: Findings, product: int, wanted: Expected, record: dict[str, Any] | None
) -> None:
    found.checked += 1
    state = None if record is None else (record["quantity"], frozenset(record["listIds"]))
    if state in wanted.states:
        if wanted.last == "unknown" and len(wanted.states) == 2:
            found.cut_but_done += state != wanted.before
        return
    if wanted.last in ("refused", "unsent"):
        found.done_though_refused += 1
    elif wanted.last == "unknown":
        found.torn += 1
    else:
        found.lost += 1
    found.note(f"product {product}: {state} is there, {wanted.last}, not one of {wanted.states}")


def _undecided(
    found: Findings,
    journal: Journal,
    customer: str,
    sessions: list[str],
    there: dict[str, list[dict[str, Any]] | None],
) -> None:
    """Links whose outcome nobody knows: all that the session held is here, or all of it there."""
    expected = dict(journal.expected[customer])
    for session in sessions:
        theirs = journal.expected[session]
        if there[session] is None:
            expected |= theirs
            found.cut_but_done += 1
        else:
            _profile(found, journal, session, theirs, there[session])
    _profile(found, journal, customer, expected, there[customer])


def sqlite_is_whole(path: str) -> str:
    """``ok``, or what ``PRAGMA integrity_check`` and the foreign keys say."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        said = "; ".join(row[0] for row in connection.execute("PRAGMA integrity_check"))
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        return said if not orphans else f"{said}; {len(orphans)} broken references"
    finally:
        connection.close()
