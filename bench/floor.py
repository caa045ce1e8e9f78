"""The floor: the same statement through the same driver and the same response bytes, without
anything else.

A bare ASGI function without routing, authentication, rate limits, log or metrics. Headers say which
statement to run for whom. Served by one uvicorn process like the service.

``FLOOR_DATABASE`` names the database; ``uvicorn bench.floor:app``.
"""

import os
from typing import Any

import asyncpg
import msgspec

from wishwell import config, ids
from wishwell.db import pages, statements
from wishwell.db.pages import PageQuery
from wishwell.db.postgres.connecting import prepare
from wishwell.db.postgres.hosts import Hosts
from wishwell.db.postgres.pool import Pool
from wishwell.db.postgres.url import Address, parse
from wishwell.db.sqlite import sqlite_file
from wishwell.wishlists import items, lists

URL = os.environ["FLOOR_DATABASE"]
ENGINE: statements.Engine = "sqlite" if URL.startswith("sqlite:") else "postgresql"
SQL = statements.load(ENGINE)
PAGE = pages.sql(ENGINE, PageQuery("items", whole_store=False))
SAVED = pages.sql(ENGINE, PageQuery("items", whole_store=False, terms=("product",)))
encode = msgspec.json.Encoder().encode
new_id = ids.UUID7()
connections: dict[str, Any] = {}
HEAD = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-ratelimit-limit", b"10000000"),
    (b"x-ratelimit-remaining", b"9999990"),
    (b"x-ratelimit-reset", b"1790000000"),
    (b"x-request-id", b"01234567-89ab-4cde-8f01-23456789abcd"),
]
"""Fixed headers with as many bytes as the service's."""


async def _connect(_address: Address) -> Any:
    connection = await asyncpg.connect(URL)
    await prepare(connection)
    return connection


async def run(name: str, **params: Any) -> Any:
    rows: Any = []
    for step in SQL[name].steps:
        rows = await fetch(step.sql, *step.values(params)) or rows
    return rows


async def fetch(sql: str, *arguments: Any) -> Any:
    if ENGINE == "sqlite":
        connection = connections.get("sqlite")
        if connection is None:
            connection = connections["sqlite"] = sqlite_file.connect(config.sqlite_path(URL))
        bound = [encode(a).decode() if isinstance(a, list) else a for a in arguments]
        return connection.execute(sql, bound).fetchall()
    pool: Pool = connections["pool"]
    connection = await pool.take(5)
    rows = await connection.fetch(sql, *arguments)
    pool.give_back(connection)
    return rows


def now() -> str:
    return ids.timestamp(ids.wall_clock())


async def page(h: dict[bytes, bytes]) -> Any:
    rows = await fetch(PAGE, h[b"x-p"].decode(), None, 51)
    return [items.from_row(row) for row in rows]


async def saved(h: dict[bytes, bytes]) -> Any:
    rows = await fetch(SAVED, h[b"x-p"].decode(), None, 51, h[b"x-q"].decode().split(","))
    return [items.from_row(row) for row in rows]


def _profile_params(h: dict[bytes, bytes]) -> dict[str, str]:
    return {"profile": h[b"x-p"].decode()}


async def item(h: dict[bytes, bytes]) -> Any:
    [row] = await run("item_find", **_profile_params(h), id=h[b"x-i"].decode())
    return items.from_row(row)


async def list_(h: dict[bytes, bytes]) -> Any:
    rows = await run("list_with_items", **_profile_params(h), id=h[b"x-l"].decode())
    wish_list = lists.List(*rows[0][:5])
    list_items = [items.from_row(row[6:]) for row in rows]
    wish_list.items = sorted(list_items, key=lambda item: (item.created_at, item.id), reverse=True)
    return wish_list


async def post(h: dict[bytes, bytes]) -> Any:
    new_item = {"product_id": h[b"x-q"].decode(), "variant_id": "", "quantity": int(h[b"x-n"])}
    item_params = {"note": None, "now": now(), "most": 5_000}
    [row] = await run("item_save", **_profile_params(h), id=new_id(), **new_item, **item_params)
    return items.from_row(row[:-2])


async def patch(h: dict[bytes, bytes]) -> Any:
    unchanged = dict.fromkeys(("product_id", "variant_id", "note"))
    changes = {**unchanged, "quantity": int(h[b"x-q"]), "now": now()}
    [row] = await run("item_change", **_profile_params(h), id=h[b"x-i"].decode(), **changes)
    return items.from_row(row[:-1])


async def lists_(h: dict[bytes, bytes]) -> Any:
    list_ids = [h[b"x-l"].decode()] if h[b"x-q"] == b"1" else []
    item_params = {"id": h[b"x-i"].decode(), "list_ids": " ".join(list_ids)}
    [row] = await run("item_set_lists", **_profile_params(h), **item_params, now=now())
    return items.from_row(row)


async def delete(h: dict[bytes, bytes]) -> Any:
    await run("items_delete", **_profile_params(h), ids=[h[b"x-i"].decode()])


WORK = {
    work.__name__.rstrip("_").encode(): work
    for work in (page, saved, item, list_, post, patch, lists_, delete)
}


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Runs the statement named in the x-w header, if any, and responds."""
    if scope["type"] != "http":
        await receive()
        if ENGINE == "postgresql":
            # The service's own pool; asyncpg's is slower and would make us look better.
            connections["pool"] = Pool(Hosts(parse(URL), _connect, 2), 20)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    headers = dict(scope["headers"])
    if scope["method"] in ("POST", "PATCH", "PUT"):
        await receive()
    answer = await WORK[headers[b"x-w"]](headers) if b"x-w" in headers else {}
    if answer is None:
        await send({"type": "http.response.start", "status": 204, "headers": HEAD[1:]})
        await send({"type": "http.response.body", "body": b""})
        return
    body = encode({"data": answer})
    head = [*HEAD, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
