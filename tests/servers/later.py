"""The service as a later version of the API would answer: with fields, codes and types of events
that today's clients don't know."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2

FIELD, CODE, EVENT_TYPE = "unknownField", "code_of_2030", "item.shipped_in_2030"


def _later(value: Any) -> Any:
    """Returns an answer with a new field in each object, and new codes and types of events."""
    if isinstance(value, list):
        return [_later(each) for each in value]
    if not isinstance(value, dict):
        return value
    answer = {name: _later(each) for name, each in value.items()} | {FIELD: 1}
    if "message" in answer and "code" in answer:  # an error or one of its details
        answer["code"] = CODE
    if "sequence" in answer and "type" in answer:
        answer["type"] = EVENT_TYPE
    return answer


class _Handler(BaseHTTPRequestHandler):
    service: str

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kept = ("authorization", "content-type", "profile")
        headers = {name: value for name, value in self.headers.items() if name.lower() in kept}
        answer = httpx2.request(
            self.command, f"{self.service}{self.path}", headers=headers, content=body
        )
        shown = json.dumps(_later(answer.json())).encode() if answer.content else b""
        self.send_response(answer.status_code)
        self.send_header("Content-Type", "application/json")
        if answer.status_code != 204:
            self.send_header("Content-Length", str(len(shown)))
        self.end_headers()
        self.wfile.write(shown)

    def log_message(self, *args: object) -> None:
        pass


for _method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
    setattr(_Handler, f"do_{_method}", _Handler.forward)


@contextmanager
def later_version(service: str) -> Iterator[str]:
    """Runs a server before the service at this address that makes its answers those of a later
    version. Yields the server's own address."""
    handler = type("Handler", (_Handler,), {"service": service})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
