"""A small HTTP/1.1 client for figures where wrk can't help: one request at a time."""

import json
import socket
import time
from typing import Any

from tests.servers import PREFIX


class Raw:
    """One kept connection; it adds some 20 us to a request."""

    def __init__(self, url: str, token: str) -> None:
        self._socket = connected(url)
        self.token = token
        self._buffer = b""

    def request(self, method: str, path: str, body: Any = None) -> bytes:
        lines = [f"{method} {PREFIX}{path} HTTP/1.1", "Host: bench"]
        lines.append(f"Authorization: Bearer {self.token}")
        raw = b""
        if body is not None:
            raw = json.dumps(body).encode()
            lines += ["Content-Type: application/json", f"Content-Length: {len(raw)}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + raw

    def send(self, request: bytes) -> None:
        self._buffer = b""
        self._socket.sendall(request)

    def read(self) -> tuple[int, bytes] | None:
        """The answer, once the last piece of it was read; None before."""
        piece = self._socket.recv(262_144)
        if not piece:
            raise ConnectionError("closed before the answer")
        self._buffer += piece
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return None
        lengths = [x for x in head.lower().split(b"\r\n") if x.startswith(b"content-length:")]
        if lengths and len(body) < int(lengths[0][15:]):
            return None
        return int(head[9:12]), body

    def ask(self, method: str, path: str, body: Any = None) -> tuple[Any, float]:
        """The parsed body of a 2xx, and the seconds that it took."""
        request = self.request(method, path, body)
        began = time.perf_counter()
        self.send(request)
        while (answer := self.read()) is None:
            pass
        took = time.perf_counter() - began
        status, raw = answer
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path}: {status} {raw[:200]!r}")
        return json.loads(raw) if raw else None, took

    def close(self) -> None:
        self._socket.close()


def connected(url: str) -> socket.socket:
    """A connection to a server, which sends at once."""
    host, port = url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
