"""A reverse proxy to the service, equivalent to a location block of nginx."""

import asyncio
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"date"}
_NOT_PASSED_ON = _HOP | {
    b"content-length",
    # The service trusts these headers from the shop, so never forward the browser's.
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"wishwell-customer",
}


def to(url: str) -> Application:
    """Returns an application that forwards to the server at ``url``; 502 if it is unreachable."""
    service = urlsplit(url)

    def ask(scope: Scope, body: bytes) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        connection = HTTPConnection(service.hostname or "", service.port, timeout=20)
        try:
            query = b"?" + scope["query_string"] if scope["query_string"] else b""
            target = (scope["raw_path"] + query).decode("latin-1")
            connection.putrequest(
                scope["method"], target, skip_host=True, skip_accept_encoding=True
            )
            for name, value in _headers(scope, body):
                connection.putheader(name.decode("latin-1"), value)
            connection.endheaders(body)
            answer = connection.getresponse()
            content = answer.read()
            headers = [(n.lower().encode(), v.encode("latin-1")) for n, v in answer.getheaders()]
            return answer.status, [h for h in headers if h[0] not in _HOP], content
        except (OSError, HTTPException):
            return 502, [(b"content-length", b"0")], b""
        finally:
            connection.close()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        status, headers, content = await asyncio.to_thread(ask, scope, body)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    return application


async def read(wishlist: Application, scope: Scope, path: str) -> tuple[int, bytes]:
    """Returns status and body of a GET without cookies, sent with the address of the shop's visitor."""
    request = scope | {
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [header for header in scope["headers"] if header[0] == b"host"],
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await wishlist(request, receive, send)
    return sent[0]["status"], sent[1]["body"]


def _headers(scope: Scope, body: bytes) -> list[tuple[bytes, bytes]]:
    """Returns the browser's headers, with its address and the requested host and scheme added."""
    headers = scope["headers"]
    host = dict(headers).get(b"host", b"")
    return [
        *(header for header in headers if header[0] not in _NOT_PASSED_ON),
        (b"x-forwarded-for", scope["client"][0].encode()),
        (b"x-forwarded-host", host),
        (b"x-forwarded-proto", scope["scheme"].encode()),
        *([(b"content-length", b"%d" % len(body))] if body else []),
    ]
