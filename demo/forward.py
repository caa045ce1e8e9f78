"""Hands requests on to a proxy that runs by itself, byte for byte: what nginx would do."""

import asyncio
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from demo.shop import Application, Receive, Scope, Send

_HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"date"}


def to(url: str) -> Application:
    """An application that answers with what the server at ``url`` answers; 502 if it does not."""
    place = urlsplit(url)

    def ask(scope: Scope, body: bytes) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        connection = HTTPConnection(place.hostname or "", place.port, timeout=20)
        try:
            target = scope["raw_path"] + (
                b"?" + scope["query_string"] if scope["query_string"] else b""
            )
            connection.putrequest(
                scope["method"], target.decode("latin-1"), skip_host=True, skip_accept_encoding=True
            )
            for name, value in scope["headers"]:
                if name not in _HOP:
                    connection.putheader(name.decode("latin-1"), value)
            connection.endheaders(body)
            answer = connection.getresponse()
            headers = [(n.lower().encode(), v.encode("latin-1")) for n, v in answer.getheaders()]
            return answer.status, [h for h in headers if h[0] not in _HOP], answer.read()
        except (OSError, HTTPException):
            return 502, [], b""
        finally:
            connection.close()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            while True:
                kind = (await receive())["type"]
                await send({"type": f"{kind}.complete"})
                if kind == "lifespan.shutdown":
                    return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        status, headers, content = await asyncio.to_thread(ask, scope, body)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    return application
