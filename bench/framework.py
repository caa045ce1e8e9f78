"""What a web framework's routing, request and response cost, beside the same done by ours.

``python -m bench.framework`` runs both in this process, with no server and no handler to speak of,
in turns, and prints microseconds a request and the ratio of each round. In turns with them the
service answers whole reads, on SQLite over one connection: the difference is shown as a share of its
processor time for one. It is the evidence for docs/decisions/0002.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response as StarletteResponse
from starlette.routing import Match, Route

from bench import seed
from bench.client import Raw
from bench.targets import Shop, processor
from tools.tables import spread
from wishwell.http import responses, routes
from wishwell.http.context import Request
from wishwell.http.responses import Response

ROUNDS, REQUESTS, READS = 9, 20_000, 4_000
BODY = b'{"data":{}}'
HEADERS = [
    (b"host", b"127.0.0.1:8000"),
    (b"authorization", b"Bearer " + b"x" * 380),
    (b"accept", b"*/*"),
    (b"user-agent", b"bench"),
]
PATH = "/api/2025-04/items/01a1fb2f-fa71-7000-84bc-1cd7939ebb19"
EXTRA = [(b"x-ratelimit-limit", b"600"), (b"x-request-id", b"x" * 36)]


def scope() -> dict[str, Any]:
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": PATH,
        "raw_path": PATH.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": list(HEADERS),
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
        "scheme": "http",
    }


async def receive() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def send(message: dict[str, Any]) -> None:
    """Nobody listens."""


async def _endpoint(request: StarletteRequest) -> StarletteResponse:
    assert request.headers.get("authorization")
    assert request.path_params["itemId"]
    response = StarletteResponse(BODY, media_type="application/json")
    response.raw_headers.extend(EXTRA)
    return response


theirs = Starlette(
    routes=[
        Route(
            routes.PREFIX + route.path.replace("{file}", "{itemId}"),
            _endpoint,
            methods=["GET", "POST"],
        )
        for route in routes.API
    ]
)


async def ours(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The pipeline's own steps of routing, request and answer, and no others."""
    pairs = scope["headers"]
    headers = dict(pairs)
    request = Request(
        None,  # nothing here asks for a part of the service
        "x" * 36,
        scope["method"],
        scope["path"],
        scope["query_string"],
        headers,
        pairs,
        scope["client"][0],
        receive,
        scope,
    )
    route, request.parameters = routes.find(request.path)
    assert route
    assert request.header(b"authorization")
    assert request.parameters["itemId"]
    assert routes.handler(route, request.method)
    answer = Response(200, BODY, [responses.JSON, *EXTRA])
    answer.headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": 200, "headers": answer.headers})
    await send({"type": "http.response.body", "body": answer.body})


async def our_router(scope: dict[str, Any], receive: Any, send: Any) -> None:
    assert routes.find(scope["path"])[0]


async def their_router(scope: dict[str, Any], receive: Any, send: Any) -> None:
    assert any(route.matches(scope)[0] is Match.FULL for route in theirs.routes)


async def microseconds(app: Any) -> float:
    started = time.process_time()
    for _ in range(REQUESTS):
        await app(scope(), receive, send)
    return (time.process_time() - started) / REQUESTS * 1e6


def whole_reads() -> Callable[[], float]:
    """Microseconds of the service for a read of one item: the shortest request, so that the part of
    it that is ours to choose has its largest share."""
    shop = Shop("SQLite").serve()
    client = Raw(shop.url, seed.token(shop.store, "gid://shopify/Customer/1"))
    item, _ = client.ask("POST", "/items", {"productId": 1})

    def measured() -> float:
        began = processor(shop)
        for _ in range(READS):
            client.ask("GET", f"/items/{item['data']['id']}")
        return (processor(shop) - began) / READS * 1e6

    return measured


async def main(reads: Callable[[], float]) -> None:
    pairs = {
        "router alone": (our_router, their_router),
        "with request and response": (ours, theirs),
    }
    ratios: dict[str, list[float]] = {name: [] for name in pairs}
    shares: dict[str, list[float]] = {name: [] for name in pairs}
    for _ in range(ROUNDS):
        whole = reads()
        print(f"a whole read {whole:.0f} µs", end="")
        for name, (one, other) in pairs.items():
            mine, their = await microseconds(one), await microseconds(other)
            ratios[name].append(their / mine)
            shares[name].append((their - mine) / whole * 100)
            print(f"; {name}: ours {mine:.1f} µs, Starlette {their:.1f} µs", end="")
        print()
    for name in pairs:
        more = spread(shares[name], 1)
        print(f"{name}: {spread(ratios[name], 1)} times; more, of a whole read: {more} %")


if __name__ == "__main__":
    asyncio.run(main(whole_reads()))
