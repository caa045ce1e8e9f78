"""A shop with several hosts that uses wishwell_client.forward, run as a program: see ``ways.Forwarder``."""

import json
import os
from pathlib import Path

import uvicorn

from tests.servers import HERE
from wishwell_client.forward import Forward

API, BASE = os.environ["WISHLIST_API"], os.environ["WISHLIST_BASE"]
HEADERS, TOKENS = os.environ["HEADERS"].split(), Path(os.environ["TOKENS"])
forwards: dict[str, Forward] = {}


def token_of(host: str) -> str:
    tokens = json.loads(TOKENS.read_text())
    return tokens.get(host) or next(iter(tokens.values()))


async def app(scope, receive, send) -> None:
    if scope["path"] == "/up":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
        return
    token = token_of(dict(scope["headers"]).get(b"host", b"").decode("latin-1"))
    if token not in forwards:
        forwards[token] = Forward(API, token, base=BASE, headers=HEADERS)
    await forwards[token](scope, receive, send)


if __name__ == "__main__":
    # Without proxy_headers=False, uvicorn would trust forwarding headers of these local browsers.
    port = int(os.environ["PORT"])
    uvicorn.run(app, host=HERE, port=port, proxy_headers=False, lifespan="off", log_level="warning")
