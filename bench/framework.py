"""What a web framework's routing, request and response cost, beside the same done by ours.

``python -m bench.framework`` runs both in this process, with no server and no handler to speak of,
in turns, and prints microseconds a request and the ratio of each round. It is the evidence for
docs/decisions/0002.
"""

import asyncio
import statistics
import time
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response as StarletteResponse
from starlette.routing import Route

from wishwell.http import pipeline, responses, routes
from wishwell.http.context import Request
from wishwell.http.responses import Response

ROUNDS, REQUESTS = 9, 20_000
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
    assert pipeline._handler(route, request.method)
    answer = Response(200, BODY, [responses.JSON, *EXTRA])
    answer.headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": 200, "headers": answer.headers})
    await send({"type": "http.response.body", "body": answer.body})


async def microseconds(app: Any) -> float:
    started = time.perf_counter()
    for _ in range(REQUESTS):
        await app(scope(), receive, send)
    return (time.perf_counter() - started) / REQUESTS * 1e6


async def main() -> None:
    rounds = []
    for _ in range(ROUNDS):
        one, two = await microseconds(ours), await microseconds(theirs)
        rounds.append((one, two, two / one))
        print(f"ours {one:6.2f} µs   Starlette {two:6.2f} µs   ratio {two / one:5.2f}")
    ratios = [ratio for *_, ratio in rounds]
    print(
        f"median: ours {statistics.median(r[0] for r in rounds):.1f} µs,"
        f" Starlette {statistics.median(r[1] for r in rounds):.1f} µs,"
        f" ratio {statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
    )


if __name__ == "__main__":
    asyncio.run(main())
