"""A call as a request, and an answer from what came back."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from tests.linearizability.history import Answer, Call
from tests.servers import PREFIX
from torture import load

Edge = tuple[str, bool]
"""What a cursor stands for: a record's id, and whether what is newer is asked for."""


_WAYS = {
    "save": "POST /items",
    "change": "PATCH /items/{}",
    "delete": "DELETE /items/{}",
    "delete_many": "DELETE /items",
    "set_lists": "PUT /items/{}/lists",
    "get_item": "GET /items/{}",
    "items_page": "GET /items",
    "new_list": "POST /lists",
    "rename": "PATCH /lists/{}",
    "drop_list": "DELETE /lists/{}",
    "order": "PUT /lists/{}/items/order",
    "get_list": "GET /lists/{}",
    "lists_page": "GET /lists",
    "link": "POST /profiles/token",
    "renew": "POST /profiles/token",
}
_FIELDS = {"product": "productId", "variant": "variantId", "on": "listIds", "ids": "itemIds"}


def request(call: Call, cursor: str | None = None) -> tuple[str, str, Any]:
    """Method, path and body of a call; ``cursor`` as it was sealed."""
    method, _, path = _WAYS[call.kind].partition(" ")
    path = PREFIX + path.format(call.target)
    given = {k: v for k, v in call.arguments.items() if v is not None}
    if method == "GET":
        words: dict[str, Any] = {name: given[name] for name in ("limit", "sort") if name in given}
        if "query" in given:
            field, wanted = given["query"]
            many = ",".join(map(str, wanted)) if isinstance(wanted, tuple) else wanted
            words["query"] = f"{field}:{many}"
        if cursor:
            words["page"] = cursor
        return method, f"{path}?{urlencode(words)}" if words else path, None
    body = {_FIELDS.get(k, k): None if v == "clear" else v for k, v in given.items()}
    return method, path, body or None


def answer(call: Call, got: load.Answer) -> tuple[Answer, dict[Edge, str]]:
    """What was answered, without what no model can tell; and the cursors of a page."""
    if got.status >= 300 or got.status == 204 or call.kind in ("link", "renew"):
        return Answer(got.status), {}
    body = json.loads(got.body)
    data, links = body["data"], body.get("pageInfo", {})
    cursors = {}
    if isinstance(data, list) and data:
        edges = {"next": (data[-1]["id"], False), "previous": (data[0]["id"], True)}
        cursors = {edges[name]: sealed for name, sealed in links.items()}
    return Answer(got.status, data, "next" in links, "previous" in links), cursors
