"""Fills databases with the same profiles, lists and items, and makes a token for each profile."""

import sqlite3
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

import asyncpg
import jwt

from wishwell import config, ids
from wishwell.access import auth
from wishwell.db import migrate

ITEMS = 30
KEY = "a-signing-key-for-the-benchmark-40-chars"
COLUMNS = {
    "profiles": "profile_id store_id gid is_session items lists created_at touched_at",
    "lists": "profile_id id store_id name item_count created_at updated_at",
    "items": "profile_id id store_id product_id variant_id quantity tags note list_ids created_at "
    "updated_at",
    "entries": "profile_id list_id item_id position",
}


class Owner(NamedTuple):
    """A profile that the load acts for."""

    token: str
    profile: str
    item: str
    list: str


Rows = dict[str, list[tuple[Any, ...]]]


def plan(store: str, count: int, first: int = 0) -> tuple[Rows, list[Owner]]:
    """All rows by table, and the owners: each has one list that holds all its 30 items."""
    new_id, now = ids.UUID7(), ids.timestamp(ids.wall_clock())
    rows: Rows = {table: [] for table in COLUMNS}
    owners = []
    for number in range(first, first + count):
        gid = f"gid://shopify/Customer/{number}"
        profile, made = ids.profile_key(store, gid), new_id()
        rows["profiles"].append((profile, store, gid, 0, ITEMS, 1, now, now))
        rows["lists"].append((profile, made, store, "Wishes", ITEMS, now, now))
        item = ""
        for product in range(1, ITEMS + 1):
            item = new_id()
            rows["items"].append(
                (profile, item, store, str(product), "", 1, "", "", made, now, now)
            )
            rows["entries"].append((profile, made, item, 0))
        owners.append(Owner(_token(store, gid, new_id()), profile, item, made))
    return rows, owners


def each_item(rows: Rows, owners: list[Owner]) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Token, profile and row of every item, profile after profile in turn: the first of each,
    then the second of each, so that neighbours in time are of different profiles."""
    for at in range(ITEMS):
        for number, owner in enumerate(owners):
            yield owner.token, owner.profile, rows["items"][number * ITEMS + at]


def token(store: str, gid: str) -> str:
    """A profile token as the service would issue it."""
    return _token(store, gid, ids.UUID7()())


def _token(store: str, gid: str, jti: str) -> str:
    now = ids.wall_clock() // 1000
    claims = {"sub": gid, "aud": store, "jti": jti, "iat": now, "exp": now + auth.LIFETIME}
    headers = {"typ": "wishwell+jwt", "kid": auth._key_id(KEY.encode())}
    return jwt.encode(claims, KEY, "HS256", headers)


def _batches(rows: list[Any], size: int = 50_000) -> Iterator[list[Any]]:
    for at in range(0, len(rows), size):
        yield rows[at : at + size]


def sqlite(url: str, rows: Rows) -> None:
    """Fills a migrated SQLite file."""
    with sqlite3.connect(config.sqlite_path(url)) as connection:
        for table, columns in COLUMNS.items():
            names = columns.split()
            marks = ", ".join("?" * len(names))
            sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"
            connection.executemany(sql, rows[table])
        connection.execute("ANALYZE")


async def postgres(url: str, rows: Rows) -> None:
    """Fills a migrated PostgreSQL database."""
    connection = await asyncpg.connect(url)
    for table, columns in COLUMNS.items():
        for batch in _batches(rows[table]):
            await connection.copy_records_to_table(table, records=batch, columns=columns.split())
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def usual(url: str, rows: Rows, key: str) -> list[str]:
    """Fills the tables of the usual way; its tokens, in the order of the owners."""
    from bench import usual as module

    async with module.engine.begin() as connection:
        await connection.run_sync(module.Base.metadata.create_all)
    await module.engine.dispose()
    connection = await asyncpg.connect(url)
    at = migrate_time()
    tables: dict[str, tuple[str, list[Any]]] = {
        "usual_lists": ("id profile_id name", [(r[1], r[0], r[3]) for r in rows["lists"]]),
        "usual_items": (
            "id profile_id product_id variant_id quantity created_at updated_at",
            [(r[1], r[0], int(r[3]), 0, r[5], at, at) for r in rows["items"]],
        ),
        "usual_entries": ("list_id item_id", [(r[1], r[2]) for r in rows["entries"]]),
    }
    for table, (columns, records) in tables.items():
        for batch in _batches(records):
            await connection.copy_records_to_table(table, records=batch, columns=columns.split())
    await connection.execute("VACUUM ANALYZE")
    await connection.close()
    return [jwt.encode({"sub": row[0]}, key, "HS256") for row in rows["profiles"]]


def migrate_time() -> Any:
    """A time as the ORM stores it."""
    from datetime import UTC, datetime

    return datetime.now(UTC).replace(tzinfo=None)


def unique() -> str:
    """The id of the store that everything belongs to."""
    return str(uuid.uuid4())


__all__ = ["KEY", "Owner", "migrate", "plan", "postgres", "sqlite", "unique", "usual"]
