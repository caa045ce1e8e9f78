"""Compares the journal with the data, through the API and by SQL."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Callable
from typing import Any

from tests.faults.journal import Expected, Journal, Result
from tests.faults.load import OWNER_SPACE, PREFIX, Client
from tests.replay import Replay

FEED_SECONDS = 2.0
"""Seconds until an event must be in the feed."""

# A purge in progress has closed sessions of long ago whose records it removes next.
_CLOSED = "WHERE p.closed_at IS NOT NULL AND p.touched_at > '2026-01-01'"

INVARIANTS = {
    "items twice": "SELECT count(*) FROM (SELECT 1 FROM items GROUP BY profile_id, product_id, "
    "variant_id HAVING count(*) > 1) AS twice",
    "items of closed sessions": "SELECT count(*) FROM items i JOIN profiles p "
    f"ON p.profile_id = i.profile_id {_CLOSED}",
    "lists of closed sessions": "SELECT count(*) FROM lists l JOIN profiles p "
    f"ON p.profile_id = l.profile_id {_CLOSED}",
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
"""Counts that must be 0."""


async def compare(
    result: Result,
    journal: Journal,
    client: Client,
    admin: str,
    sql: Callable[[str], str],
    *,
    events: bool,
) -> int:
    """Counts differences from the journal in the result. ``sql`` returns a statement's single
    number.

    With ``events``, the feed must lead to the same data; returns the number of events.
    """
    there = {gid: await _items(client, admin, gid) for gid in journal.expected}
    for gid, expected in journal.expected.items():
        if not any(gid in pair for pair in journal.undecided):
            _profile(result, journal, gid, expected, there[gid])
    for customer in {customer for _, customer in journal.undecided}:
        sessions = [s for s, c in journal.undecided if c == customer]
        _undecided(result, journal, customer, sessions, there)
    for name, statement in INVARIANTS.items():
        count = int(await asyncio.to_thread(sql, statement))
        result.must(count == 0, f"{count} {name}")
    told = 0
    if events:
        await asyncio.sleep(FEED_SECONDS)
        told = await _replay(result, client, admin, there)
    client.close()
    return told


async def _replay(
    result: Result, client: Client, admin: str, there: dict[str, list[dict[str, Any]] | None]
) -> int:
    """Replays each profile's events without a gap; they must lead to the data. Returns how many
    there were."""
    replays: dict[str, Replay] = {}
    resume, told = "0", 0
    while True:
        path = f"{PREFIX}/events?from={resume}&limit=250"
        answer = await client.ask("GET", path, None, Authorization=f"Bearer {admin}")
        if answer.status != 200:
            raise RuntimeError(f"the feed: {answer.status} {answer.body[:300]!r}")
        page = json.loads(answer.body)
        for event in page["data"]:
            try:
                replays.setdefault(event["profile"], Replay()).hear(event)
            except AssertionError as wrong:
                result.must(
                    False, f"{event['profile']} {event['type']} {event['sequence']}: {wrong}"
                )
                return told
        if not page["data"]:
            break
        told += len(page["data"])
        resume = page["resume"]
    for gid, records in there.items():
        heard = replays.get(gid, Replay()).items
        if records is not None and heard != {record["id"]: record for record in records}:
            result.must(False, f"{gid}: {len(heard)} items were told, {len(records)} are there")
    return told


async def _items(client: Client, admin: str, gid: str) -> list[dict[str, Any]] | None:
    """Returns every item of a profile; `None` for a session that has ended."""
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
        cursor = json.loads(answer.body).get("pageInfo", {}).get("next", "")
        if not cursor:
            return records


def _profile(
    result: Result,
    journal: Journal,
    gid: str,
    expected: dict[int, Expected],
    records: list[dict[str, Any]] | None,
) -> None:
    if records is None:
        if gid not in journal.ended and expected:
            result.lost += len(expected)
            result.must(False, f"{gid} is gone with {len(expected)} items")
        return
    if gid in journal.ended and records:
        result.doubled += len(records)
    held: dict[int, dict[str, Any]] = {}
    for record in records:
        product = record["productId"]
        if product // OWNER_SPACE != journal.owners[gid]:
            result.leaked += 1
        if product in held:
            result.doubled += 1
        held[product] = record
    for product, wanted in expected.items():
        _product(result, product, wanted, held.pop(product, None))
    for product in held:
        result.must(False, f"{gid} has product {product}, which nobody saved there")


def _product(result: Result, product: int, wanted: Expected, record: dict[str, Any] | None) -> None:
    result.checked += 1
    state = None if record is None else (record["quantity"], frozenset(record["listIds"]))
    if state in wanted.states:
        if wanted.last == "unknown" and len(wanted.states) == 2:
            result.cut_but_done += state != wanted.before
        return
    if wanted.last in ("refused", "unsent"):
        result.done_though_refused += 1
    elif wanted.last == "unknown":
        result.torn += 1
    else:
        result.lost += 1
    result.must(
        False, f"product {product}: {state} is there, {wanted.last}, not one of {wanted.states}"
    )


def _undecided(
    result: Result,
    journal: Journal,
    customer: str,
    sessions: list[str],
    there: dict[str, list[dict[str, Any]] | None],
) -> None:
    """Checks links with an unknown outcome: all of a session's items moved, or none."""
    expected = dict(journal.expected[customer])
    for session in sessions:
        theirs = journal.expected[session]
        if there[session] is None:
            expected |= theirs
            result.cut_but_done += 1
        else:
            _profile(result, journal, session, theirs, there[session])
    _profile(result, journal, customer, expected, there[customer])


def sqlite_is_whole(path: str) -> str:
    """Returns ``ok``, or the findings of ``PRAGMA integrity_check`` and the foreign keys."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        said = "; ".join(row[0] for row in connection.execute("PRAGMA integrity_check"))
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    return said if not orphans else f"{said}; {len(orphans)} broken references"
