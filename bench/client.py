"""HTTP/1.1 requests and responses as bytes, and a client for measurements where wrk can't help."""

import json
import socket
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.servers import PREFIX


class Answer(NamedTuple):
    """A response; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def data(self) -> Any:
        return json.loads(self.body)["data"]


def request(method: str, path: str, headers: Mapping[str, str], body: Any = None) -> bytes:
    """Returns a request's bytes. ``path`` is the full path; ``body`` is sent as JSON."""
    lines = {"Host": "wishwell", **headers}
    content = b"" if body is None else json.dumps(body).encode()
    if content:
        lines |= {"Content-Type": "application/json", "Content-Length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + content


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def parsed(received: bytes) -> Answer | None:
    """Returns the response once it is complete, else `None`."""
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return None
    lines = [line.partition(": ") for line in head.decode("latin-1").split("\r\n")[1:]]
    headers = {name.lower(): value for name, _, value in lines}
    if len(body) < int(headers.get("content-length", "0")):
        return None
    return Answer(int(head[9:12]), headers, body)


class Raw:
    """A kept-alive connection for one request at a time; adds some 20 us to a request."""

    def __init__(self, url: str, token: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._socket = socket.create_connection((host, int(port)), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.token = token

    def send(self, method: str, path: str, body: Any = None) -> None:
        self._socket.sendall(request(method, PREFIX + path, bearer(self.token), body))

    def read(self) -> Answer:
        """Returns the response to the request sent."""
        received = b""
        while (whole := parsed(received)) is None:
            piece = self._socket.recv(262_144)
            if not piece:
                raise ConnectionError("closed before the answer")
            received += piece
        return whole

    def ask(self, method: str, path: str, body: Any = None) -> tuple[Any, float]:
        """Returns the parsed body of a 2xx response and the seconds it took; raises for others."""
        began = time.perf_counter()
        self.send(method, path, body)
        answered = self.read()
        took = time.perf_counter() - began
        if not 200 <= answered.status < 300:
            raise RuntimeError(f"{method} {path}: {answered.status} {answered.body[:200]!r}")
        return json.loads(answered.body) if answered.body else None, took

    def close(self) -> None:
        self._socket.close()
