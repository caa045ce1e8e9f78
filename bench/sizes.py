"""Compares the same work on a small and a large database: bytes per row, and durations."""

import asyncio
import random
import statistics
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import asyncpg

from bench import seed
from bench.client import Raw
from bench.targets import Shop, say
from wishwell import config, ids
from wishwell.db import Database
from wishwell.server import opening
from wishwell.wishlists import purge

ROUNDS = 7
OWNERS = 20_000
"""Number of profiles, evenly spread, that the work uses."""

LINKS, LINKED = 20, 30
"""Sign-ins per round, and items per session. The customer has half of them."""

DEAD, DEAD_ITEMS = 300, 20
"""Sessions purged per round, and items of each."""

_DAY_MS = 86_400_000
_LONG_AGO_MS = 1_600_000_000_000

_ITEMS = """
INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, list_ids, tags, note,
                   created_at, updated_at)
SELECT p.profile_id,
       (lpad(to_hex(($1::bigint + $2::bigint * 10000000 + p.n)), 12, '0') || '7'
        || lpad(to_hex(s), 3, '0') || '8' || substr(md5(p.gid || s), 1, 15))::uuid,
       p.store_id, ($2::bigint * 6 + s)::text, '', 1, md5(p.gid)::uuid::text, '', '', $3, $3
FROM (SELECT *, row_number() OVER (ORDER BY gid) AS n FROM profiles) p, generate_series(1, 6) s
"""
_LISTS = """
INSERT INTO lists (profile_id, id, store_id, item_count, created_at, updated_at, name)
SELECT profile_id, md5(gid)::uuid, store_id, items, created_at, created_at, 'Wishes' FROM profiles
"""
_ENTRIES = """
INSERT INTO entries (profile_id, list_id, item_id, position)
SELECT profile_id, list_ids::uuid, id, 0 FROM items
"""


async def fill(shop: Shop, items: int) -> list[seed.Owner]:
    """Inserts profiles with 30 items on one list, interleaved in five passes, so that rows are laid
    out as in a real shop."""
    profiles = items // seed.ITEMS
    connection = await asyncpg.connect(shop.database)
    now = seed.now()
    gids = [f"gid://shopify/Customer/c{number}" for number in range(profiles)]
    rows = [
        (ids.profile_key(shop.store, gid), shop.store, gid, 0, seed.ITEMS, 1, now, now)
        for gid in gids
    ]
    names = seed.COLUMNS["profiles"].split()
    await connection.copy_records_to_table("profiles", records=rows, columns=names)
    # Indexes are built at the end, like those of a restored backup.
    indexes = [
        row[0] for row in await connection.fetch(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'items' AND indexname LIKE '%idx'")
    ]  # fmt: skip
    for name in [definition.split()[2] for definition in indexes]:
        await connection.execute(f"DROP INDEX {name}")
    await connection.execute("ALTER TABLE items DROP CONSTRAINT items_variant_key")
    await connection.execute("ALTER TABLE items DROP CONSTRAINT items_pkey CASCADE")
    await connection.execute("ALTER TABLE entries DROP CONSTRAINT entries_pkey")
    began = ids.wall_clock() - _DAY_MS
    for visit in range(5):
        await connection.execute(_ITEMS, began, visit, now)
        say(f"{(visit + 1) * items // 5:,} items")
    await connection.execute(_LISTS)
    await connection.execute(_ENTRIES)
    say("the places on lists")
    for constraint in (
        "items ADD CONSTRAINT items_pkey PRIMARY KEY (profile_id, id)",
        "items ADD CONSTRAINT items_variant_key UNIQUE (profile_id, product_id, variant_id)",
        "entries ADD CONSTRAINT entries_pkey PRIMARY KEY (profile_id, list_id, item_id)",
    ):
        await connection.execute(f"ALTER TABLE {constraint}")
    for definition in indexes:
        await connection.execute(definition)
    say("the indexes")
    await connection.execute("VACUUM ANALYZE")
    # Otherwise the checkpoint would occupy the disk for minutes
    await connection.execute("CHECKPOINT")
    await connection.close()
    return [
        seed.Owner(seed.token(shop.store, gids[at]), rows[at][0], "", "")
        for at in range(0, profiles, max(1, profiles // OWNERS))
    ]


class Side(NamedTuple):
    """A filled database (the small or the large one) with its running service."""

    shop: Shop
    owners: list[seed.Owner]


def _prepare(shop: Shop) -> None:
    """Inserts the sessions for all rounds: those that sign in, and those that are purged, a day per
    round."""
    parts = []
    for number in range(ROUNDS):
        parts += [
            seed.profile(shop.store, _session(number, one), range(16, 46)) for one in range(LINKS)
        ]
        then = ids.timestamp(_LONG_AGO_MS + number * _DAY_MS)
        for _ in range(DEAD):
            gid = f"gid://wishwell/Session/{uuid.uuid4()}"
            parts.append(seed.profile(shop.store, gid, range(DEAD_ITEMS), at=then))
    shop.insert(seed.joined(parts))


def _session(number: int, one: int) -> str:
    return f"gid://wishwell/Session/{uuid.uuid5(uuid.NAMESPACE_URL, f'{number} {one}')}"


def _asked(side: Side, requests: Iterable[tuple[str, str, str, Any]]) -> float:
    """Returns the median seconds of requests, each with its token."""
    client, times = Raw(side.shop.url, ""), []
    for client.token, method, path, body in requests:
        times.append(client.ask(method, path, body)[1])
    client.close()
    return statistics.median(times)


def _page(side: Side, _: int) -> float:
    owners = random.choices(side.owners, k=300)
    return _asked(side, ((owner.token, "GET", "/items?limit=30", None) for owner in owners))


def save(side: Side, _: int, count: int = 300) -> float:
    def requests() -> Iterator[tuple[str, str, str, Any]]:
        for owner in random.choices(side.owners, k=count):
            body = {"productId": random.randint(1, 30), "quantity": random.randint(2, 999_999)}
            yield owner.token, "POST", "/items", body

    return _asked(side, requests())


def _link(side: Side, number: int) -> float:
    def requests() -> Iterator[tuple[str, str, str, Any]]:
        for at in range(LINKS):
            customer = f"gid://shopify/Customer/c{number * LINKS + at}"
            body = {"customer": customer, "session": _session(number, at)}
            yield side.shop.admin, "POST", "/profiles/token", body

    return _asked(side, requests())


def _purge(side: Side, number: int) -> float:
    settings = config.load({"WISHWELL_DATABASE_URL": side.shop.database})
    now = _LONG_AGO_MS + number * _DAY_MS + int((settings.session_days + 1) * _DAY_MS) + 1

    async def work(db: Database) -> int:
        removed = [count async for count in purge.sessions(db, settings, now)]
        await db.close()
        return removed[-1]

    began = time.perf_counter()
    removed = asyncio.run(work(opening.open_database(settings)))
    if removed != DEAD:
        raise RuntimeError(f"{removed} sessions were purged, not {DEAD}")
    return (time.perf_counter() - began) / removed


def _store_page(side: Side, _: int) -> float:
    """Reads pages of 50, one after the other."""
    client, times, path = Raw(side.shop.url, side.shop.admin), [], "/items?limit=50"
    for _ in range(200):
        page, took = client.ask("GET", path)
        times.append(took)
        path = f"/items?limit=50&page={page['pageInfo']['next']}"
    client.close()
    return statistics.median(times)


WORK: dict[str, Callable[[Side, int], float]] = {
    "a page of 30 items": _page,
    "a save": save,
    f"a sign-in with {LINKED} items, half of them there": _link,
    f"a purged session of {DEAD_ITEMS} items": _purge,
    "a page of 50 of the store, the first 200 in turn": _store_page,
}


def compare(small: Side, large: Side) -> dict[str, list[float]]:
    """Returns each duration on the large database relative to the small one, per round."""
    for side in (small, large):
        _prepare(side.shop)
        _page(side, 0)  # warms up the caches
    ratios: dict[str, list[float]] = {name: [] for name in WORK}
    for number in range(ROUNDS):
        for name, work in WORK.items():
            order = (0, 1) if number % 2 else (1, 0)
            took = {at: work((small, large)[at], number) for at in order}
            ratios[name].append(took[1] / took[0])
        say(f"round {number + 1} of {ROUNDS}")
    return ratios
