"""The floor: the same statement through the same driver, the same bytes back, and nothing else.

A bare ASGI function with no routing, authentication, limits, log or metrics. Who asks and for what
comes in headers. It is served as the service is, by one process of uvicorn.

``FLOOR_DATABASE`` names the database; ``uvicorn bench.floor:app``.
"""

import os
from typing import Any

import asyncpg
import msgspec

from wishwell import config, ids, items, lists
from wishwell.db import sqlite, statements
from wishwell.db.postgres import prepare
from wishwell.db.statements import Fragments

URL = os.environ["FLOOR_DATABASE"]
ENGINE = "sqlite" if URL.startswith("sqlite:") else "postgresql"
SQL = statements.load(ENGINE)
PAGE = statements.filled(ENGINE, "items_page", Fragments("", " AND $2::uuid IS NULL", "DESC", ""))
SAVED = statements.filled(
    ENGINE,
    "items_page",
    Fragments(" AND i.product_id in_numbers($4)", " AND $2::uuid IS NULL", "DESC", ""),
)
encode = msgspec.json.Encoder().encode
new_id = ids.UUID7()
connections: dict[str, Any] = {}


async def _nothing(_connection: Any) -> None:
    """The pool's reset query is a round trip a request; the floor has none either."""


async def fetch(sql: str, *arguments: Any) -> Any:
    if ENGINE == "sqlite":
        connection = connections.get("sqlite")
        if connection is None:
            connection = connections["sqlite"] = sqlite.connect(config.sqlite_path(URL))
        bound = [encode(a).decode() if isinstance(a, list) else a for a in arguments]
        return connection.execute(sql, bound).fetchall()
    async with connections["pool"].acquire() as connection:
        return await connection.fetch(sql, *arguments)


def now() -> str:
    return ids.timestamp(ids.wall_clock())


async def page(h: dict[bytes, bytes]) -> Any:
    rows = await fetch(PAGE, h[b"x-p"].decode(), None, 51)
    return [items.from_row(row) for row in rows]


async def saved(h: dict[bytes, bytes]) -> Any:
    wanted = [int(text) for text in h[b"x-q"].split(b",")]
    rows = await fetch(SAVED, h[b"x-p"].decode(), None, 51, wanted)
    return [items.from_row(row) for row in rows]


async def item(h: dict[bytes, bytes]) -> Any:
    [row] = await fetch(SQL["item_find"], h[b"x-p"].decode(), h[b"x-i"].decode())
    return items.from_row(row)


async def list_(h: dict[bytes, bytes]) -> Any:
    rows = await fetch(SQL["list_with_items"], h[b"x-p"].decode(), h[b"x-l"].decode())
    rows = sorted(rows, key=lambda row: (row[11], row[5]), reverse=True)
    first = rows[0]
    shown = [items.from_row(row[5:]) for row in rows]
    return lists.List(first[0], first[1], len(shown), first[2], first[3], shown)


async def post(h: dict[bytes, bytes]) -> Any:
    product = int(h[b"x-q"])
    arguments = (h[b"x-p"].decode(), new_id(), product, 0, 2, None, now(), 4500)
    [row] = await fetch(SQL["item_save"], *arguments)
    return items.from_row(row)


async def patch(h: dict[bytes, bytes]) -> Any:
    quantity = int(h[b"x-q"])
    arguments = (h[b"x-p"].decode(), h[b"x-i"].decode(), None, None, quantity, None, now())
    [row] = await fetch(SQL["item_change"], *arguments)
    return items.from_row(row)


async def lists_(h: dict[bytes, bytes]) -> Any:
    chosen = [h[b"x-l"].decode()] if h[b"x-q"] == b"1" else []
    arguments = (h[b"x-p"].decode(), h[b"x-i"].decode(), chosen, now())
    [row] = await fetch(SQL["item_set_lists"], *arguments)
    return items.from_row(row)


async def delete(h: dict[bytes, bytes]) -> Any:
    await fetch(SQL["items_delete"], h[b"x-p"].decode(), [h[b"x-i"].decode()])


WORK = {
    b"page": page,
    b"saved": saved,
    b"item": item,
    b"list": list_,
    b"post": post,
    b"patch": patch,
    b"lists": lists_,
    b"delete": delete,
}


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """One request: what to do is in x-w."""
    if scope["type"] != "http":
        await receive()
        if ENGINE == "postgresql":
            connections["pool"] = await asyncpg.create_pool(
                URL, min_size=20, max_size=20, init=prepare, reset=_nothing
            )
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    headers = dict(scope["headers"])
    if scope["method"] in ("POST", "PATCH", "PUT"):
        await receive()
    answer = await WORK[headers[b"x-w"]](headers)
    if answer is None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        return
    body = encode({"data": answer})
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
