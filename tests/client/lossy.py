"""A TCP proxy that loses requests and responses, like a network between client and service."""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections import deque
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from tests.servers import HERE

Fault = Literal["pass", "before", "reset", "after", "within", "silent", "gateway"]


_GATEWAY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 6\r\n\r\n<html>"


class Seen(NamedTuple):
    """A request that passed."""

    line: str
    headers: dict[str, str]


class Lossy(socketserver.ThreadingTCPServer):
    """Forwards requests to a service, applying the planned ``faults`` in turn.

    - ``before``: reads the request, doesn't forward it, closes the connection; ``reset`` resets it.
    - ``after``: the service responds, and the response is dropped; ``within``: half of it is sent.
    - ``silent``: the service responds, nothing is sent, and the connection stays open.
    - ``gateway``: the service responds, and a 503 is sent instead, like a proxy that lost the
      response.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, url: str) -> None:
        super().__init__((HERE, 0), _Connection)
        parts = urlsplit(url)
        self.target = (parts.hostname, parts.port)
        self.url = f"http://{HERE}:{self.server_address[1]}"
        self.faults: deque[Fault] = deque()
        self.seen: list[Seen] = []
        self.over = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Lossy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def expect(self, *faults: Fault) -> None:
        """Forgets the requests seen so far, and plans the faults of the next ones."""
        self.faults = deque(faults)
        self.seen = []


class _Connection(socketserver.BaseRequestHandler):
    server: Lossy

    def handle(self) -> None:
        with socket.create_connection(self.server.target) as upstream:
            while self._exchange(upstream):
                pass

    def _exchange(self, upstream: socket.socket) -> bool:
        request = _message(self.request)
        if not request:
            return False
        line, headers = _head(request)
        self.server.seen.append(Seen(line, headers))
        fault = self.server.faults.popleft() if self.server.faults else "pass"
        if fault == "reset":
            # A linger time of 0 makes close send a reset.
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if fault in ("before", "reset"):
            self.request.close()
            return False
        upstream.sendall(request)
        answer = _message(upstream)
        if fault == "silent":
            self.server.over.wait()
        if fault in ("after", "silent"):
            return False
        if fault == "gateway":
            answer = _GATEWAY
        self.request.sendall(answer[: len(answer) // 2] if fault == "within" else answer)
        return fault in ("pass", "gateway") and bool(answer)


def _head(message: bytes) -> tuple[str, dict[str, str]]:
    first, *lines = message.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, {name.lower(): value.strip() for name, _, value in pairs}


def _message(connection: socket.socket) -> bytes:
    """Reads one message by its Content-Length; returns nothing at the end of the connection."""
    received = b""
    try:
        while b"\r\n\r\n" not in received:
            if not (chunk := connection.recv(65536)):
                return b""
            received += chunk
        length = int(_head(received)[1].get("content-length", 0))
        whole = received.index(b"\r\n\r\n") + 4 + length
        while len(received) < whole:
            if not (chunk := connection.recv(65536)):
                return b""
            received += chunk
    except OSError:
        return b""
    return received
