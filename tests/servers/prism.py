"""Prism, a validating proxy, which validates every exchange of the API's tests if
``WISHWELL_TEST_PRISM`` names its program.

Prism parses a request's JSON and writes it again, so the tests send their requests to the service.
Afterwards each request passes Prism, in front of a server that repeats the service's response.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

import httpx2

from tests.servers.base import HERE, PREFIX, Program, connects, free_port
from tools import openapi

_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
_EXCHANGE = "X-Exchange"  # the request header with the number of the response to repeat
_HOP_BY_HOP = {b"connection", b"content-length", b"host", b"keep-alive", b"transfer-encoding"}


def _validated(response: httpx2.Response) -> bool:
    """Returns whether Prism can read an exchange of the API.

    Prism ends if the escapes of a path aren't UTF-8. Tests read a CSV in pieces.
    """
    request = response.request
    path = request.url.raw_path.decode()
    if not path.startswith(f"{PREFIX}/") or request.method not in _METHODS:
        return False
    if re.search("%(?![0-9A-Fa-f]{2})", path) or "\ufffd" in unquote(path):
        return False
    return not response.headers.get("Content-Type", "").startswith("text/csv")


def _excepted(response: httpx2.Response, violation: dict[str, Any]) -> bool:
    """Returns whether an exchange may violate the description."""
    where, *place = violation["location"]
    if where == "response":  # on a store's host no operation has its path
        return b'"path_not_found"' in response.content
    if response.is_error or b'"refused"' in response.content:  # a test sent it on purpose
        return True
    # Unchanged fields may be repeated; the description has those that can change (input-strict).
    if response.request.method == "PATCH" and violation.get("code") == "additionalProperties":
        return True
    # Where a setting allows http, the service returns a description with another pattern.
    return place == ["body", "url"] and violation.get("code") == "pattern"


def _forwarded(headers: httpx2.Headers) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers.raw if name.lower() not in _HOP_BY_HOP]


class Prism(Program):
    """Prism, and the server behind it that repeats responses."""

    def __init__(self, program: str) -> None:
        super().__init__("prism")
        self._numbers = itertools.count()
        self._responses: dict[int, httpx2.Response] = {}
        target = ThreadingHTTPServer((HERE, 0), self._repeater())
        threading.Thread(target=target.serve_forever, daemon=True).start()
        port, url = free_port(), f"http://{HERE}:{target.server_port}"
        self._client = httpx2.Client(base_url=f"http://{HERE}:{port}", timeout=30, trust_env=False)
        command = [program, "proxy", openapi.BUILT, url, "--port", port]
        self.begin(command, functools.partial(connects, port), seconds=60)

    def _repeater(self) -> type[BaseHTTPRequestHandler]:
        responses = self._responses

        class Repeater(BaseHTTPRequestHandler):
            def repeat(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                response = responses.pop(int(self.headers[_EXCHANGE]))
                self.send_response_only(response.status_code)
                for name, value in _forwarded(response.headers):
                    self.send_header(name.decode(), value.decode("latin-1"))
                self.end_headers()
                self.wfile.write(response.content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = repeat  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        return Repeater

    def violations(self, response: httpx2.Response) -> list[dict[str, Any]]:
        """Returns what Prism finds wrong with a response and its request."""
        request, number = response.request, next(self._numbers)
        path = request.url.raw_path.decode().removeprefix(PREFIX)
        try:
            # Prism answers malformed JSON itself.
            body = b"" if response.is_error else request.content
        except httpx2.RequestNotRead:  # a body that was sent in pieces
            return []
        response.read()
        self._responses[number] = response
        headers = [*_forwarded(request.headers), (_EXCHANGE.encode(), str(number).encode())]
        seen = self._client.request(request.method, path, headers=headers, content=body)
        assert number not in self._responses, f"{request.method} {path}: {seen.text}"
        return json.loads(seen.headers.get("sl-violations", "[]"))


@functools.cache
def shared() -> Prism:
    return Prism(os.environ["WISHWELL_TEST_PRISM"])


def check(response: httpx2.Response) -> None:
    """Raises ``AssertionError`` if Prism finds a response invalid, or the request of a success."""
    if "WISHWELL_TEST_PRISM" in os.environ and _validated(response):
        found = shared().violations(response)
        wrong = [violation for violation in found if not _excepted(response, violation)]
        assert not wrong, f"{response.request.method} {response.request.url}: {wrong}"
