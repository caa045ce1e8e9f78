"""The API in the same process: asked as the ASGI application that it is, without a connection."""

from collections.abc import Awaitable, Callable
from typing import Any

from wishwell.proxy.answers import Answer, Headers
from wishwell.proxy.upstream import Unreached

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

_HOST = (b"host", b"wishwell")


class Inside:
    """In the place of ``Upstream`` when ``wishwell serve`` serves the proxy's paths itself."""

    def __init__(self, api: Application) -> None:
        self._api = api
        self._closed = False

    async def send(
        self,
        method: str,
        path: str,
        headers: bytes,
        body: bytes = b"",
        *,
        again: bool = False,  # noqa: ARG002 - nothing is ever sent twice here
    ) -> Answer:
        """As ``Upstream.send``. Raises ``Unreached``."""
        if self._closed:
            raise Unreached("the service is shutting down")
        pairs: Headers = [_HOST]
        for line in headers.split(b"\r\n"):
            name, colon, value = line.partition(b":")
            if colon:
                pairs.append((name.lower(), value.strip()))
        if body or method in ("POST", "PUT", "PATCH"):
            pairs.append((b"content-length", b"%d" % len(body)))
        plain, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "method": method,
            "path": plain,
            "raw_path": plain.encode("ascii"),
            "query_string": query.encode("ascii"),
            "root_path": "",
            "headers": pairs,
            "client": None,
            "server": None,
        }
        answer = Answer(0, [])

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], message["headers"]
            else:
                answer.body += message["body"]

        # Without a timeout here: the API has its own for everything that it waits for.
        await self._api(scope, receive, send)
        return answer

    async def close(self) -> None:
        """Takes no more."""
        self._closed = True
