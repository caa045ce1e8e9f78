"""Fills databases with the same profiles, lists and items, and makes a token for each profile."""

import asyncio
import contextlib
import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import asyncpg
import jwt

from wishwell import config, ids
from wishwell.access import auth

ITEMS = 30
KEY = "a-signing-key-for-the-benchmark-40-chars"
COLUMNS = {
    "profiles": "profile_id store_id gid is_session items lists created_at touched_at",
    "lists": "profile_id id store_id name item_count created_at updated_at",
    "items": "profile_id id store_id product_id variant_id quantity tags note list_ids created_at "
    "updated_at",
    "entries": "profile_id list_id item_id position",
    "item_tags": "profile_id item_id tag store_id",
    "feeds": "store_id given last removed",
    "events": "profile_id sequence store_id number type created_at gid data",
}
Rows = dict[str, list[tuple[Any, ...]]]

_new_id = ids.UUID7()


class Owner(NamedTuple):
    """A profile that the load acts for."""

    token: str
    profile: str
    item: str
    list: str
    share: str = ""


def profile(
    store: str,
    gid: str,
    products: Iterable[int],
    *,
    lists: int = 0,
    on: int = 0,
    shift: int = 0,
    tags: int = 0,
    at: str = "",
    row: bool = True,
) -> Rows:
    """Returns all rows of a profile with these products, each on ``on`` of its lists.

    ``shift`` puts them on other lists of the same names; without ``row``, the profile's own row is
    left out.
    """
    id, session, at = ids.profile_key(store, gid), int("/Session/" in gid), at or now()
    rows: Rows = {table: [] for table in COLUMNS}
    list_ids = [_new_id() for _ in range(lists)]
    tag_names = [f"{session}-{number:02}-{'x' * 40}" for number in range(tags)]
    for product in products:
        item = _new_id()
        item_lists = sorted(list_ids[(product + number + shift) % lists] for number in range(on))
        texts = (" ".join(tag_names), "", " ".join(item_lists))
        rows["items"].append((id, item, store, str(product), "", 1, *texts, at, at))
        rows["item_tags"] += [(id, item, tag, store) for tag in tag_names]
        rows["entries"] += [(id, list_id, item, 0) for list_id in item_lists]
    sizes = Counter(list_id for _, list_id, _, _ in rows["entries"])
    for number, list_id in enumerate(list_ids):
        rows["lists"].append((id, list_id, store, f"List {number}", sizes[list_id], at, at))
    if row:
        rows["profiles"].append((id, store, gid, session, len(rows["items"]), lists, at, at))
    return rows


def joined(parts: Iterable[Rows]) -> Rows:
    """Returns the rows of several profiles together."""
    rows: Rows = {table: [] for table in COLUMNS}
    for part in parts:
        for table, more in part.items():
            rows[table] += more
    return rows


def plan(store: str, count: int, first: int = 0) -> tuple[Rows, list[Owner]]:
    """Returns all rows by table, and the owners; each has one list with all its 30 items."""
    gids = [f"gid://shopify/Customer/c{number}" for number in range(first, first + count)]
    parts = [profile(store, gid, range(1, ITEMS + 1), lists=1, on=1) for gid in gids]
    owners = [
        Owner(token(store, gid), part["items"][0][0], part["items"][-1][1], part["lists"][0][1])
        for gid, part in zip(gids, parts, strict=True)
    ]
    return joined(parts), owners


def each_item(rows: Rows, owners: list[Owner]) -> Iterator[Owner]:
    """Yields an owner for every item: the first of each profile, then the second of each, and so
    on, so that consecutive requests are for different profiles."""
    for at in range(ITEMS):
        for number, owner in enumerate(owners):
            yield owner._replace(item=rows["items"][number * ITEMS + at][1], list="-")


def now() -> str:
    return ids.timestamp(ids.wall_clock())


def token(store: str, gid: str) -> str:
    """Returns a profile token as the service would issue it."""
    seconds = ids.wall_clock() // 1000
    claims = {"sub": gid, "aud": store, "jti": _new_id(), "iat": seconds}
    headers = {"typ": "wishwell+jwt", "kid": auth.key_id(KEY.encode())}
    return jwt.encode(claims | {"exp": seconds + auth.LIFETIME_SECONDS}, KEY, "HS256", headers)


def insert(
    url: str, rows: Rows, *, analyze: bool = True, columns: Mapping[str, str] = COLUMNS
) -> None:
    """Inserts rows directly into a migrated database."""
    if not url.startswith("sqlite:"):
        asyncio.run(_copy(url, {t: (columns[t], records) for t, records in rows.items()}, analyze))
        return
    path = config.sqlite_path(url)
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection, connection:
        for table, records in rows.items():
            names = columns[table].split()
            marks = ", ".join("?" * len(names))
            sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"
            connection.executemany(sql, records)
        if analyze:
            connection.execute("ANALYZE")


async def _copy(url: str, tables: dict[str, tuple[str, list[Any]]], analyze: bool = True) -> None:
    connection = await asyncpg.connect(url)
    for table, (columns, records) in tables.items():
        remaining_records = iter(records)
        while batch := list(itertools.islice(remaining_records, 50_000)):
            await connection.copy_records_to_table(table, records=batch, columns=columns.split())
    if analyze:
        await connection.execute("VACUUM ANALYZE")
    await connection.close()


def usual(url: str, rows: Rows, key: str) -> dict[str, str]:
    """Fills the tables of the typical stack; returns its token of each profile."""
    from bench import usual as module

    async def create() -> None:
        async with module.engine.begin() as connection:
            await connection.run_sync(module.Base.metadata.create_all)
        await module.engine.dispose()

    asyncio.run(create())
    at = datetime.now(UTC).replace(tzinfo=None)
    tables: dict[str, tuple[str, list[Any]]] = {
        "usual_lists": ("id profile_id name", [(r[1], r[0], r[3]) for r in rows["lists"]]),
        "usual_items": (
            "id profile_id product_id variant_id quantity created_at updated_at",
            [(r[1], r[0], int(r[3]), 0, r[5], at, at) for r in rows["items"]],
        ),
        "usual_entries": ("list_id item_id", [(r[1], r[2]) for r in rows["entries"]]),
    }
    asyncio.run(_copy(url, tables))
    return {row[0]: jwt.encode({"sub": row[0]}, key, "HS256") for row in rows["profiles"]}
