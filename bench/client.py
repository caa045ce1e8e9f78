"""A small HTTP/1.1 client for figures where wrk can't help: one request at a time, or at a rate."""

import json
import random
import select
import socket
import time
from collections.abc import Sequence
from typing import Any

PREFIX = "/api/2025-04"


class Raw:
    """One kept connection; it adds some 20 us to a request."""

    def __init__(self, url: str, token: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._socket = socket.create_connection((host, int(port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._token = token
        self._buffer = b""
        self.sent_at = 0.0

    def fileno(self) -> int:
        return self._socket.fileno()

    def request(self, method: str, path: str, body: Any = None) -> bytes:
        lines = [f"{method} {PREFIX}{path} HTTP/1.1", "Host: bench"]
        lines.append(f"Authorization: Bearer {self._token}")
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
        self._buffer += self._socket.recv(262_144)
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


def steady(url: str, requests: Sequence[bytes], rate: float, seconds: float) -> list[float]:
    """Latencies of random ones of the requests at a constant rate over 32 connections, sorted.

    In seconds. Each counts from the moment in which it was due, so that a pause of the server is not
    left out.
    """
    connections = [Raw(url, "") for _ in range(32)]
    free = list(connections)
    busy: dict[Raw, float] = {}
    latencies: list[float] = []
    step, began = 1 / rate, time.perf_counter()
    due, end = began, began + seconds
    late: list[float] = []
    while due < end or busy or late:
        now = time.perf_counter()
        while due <= now and due < end:
            late.append(due)
            due += step
        while late and free:
            connection = free.pop(0)
            busy[connection] = late.pop(0)
            connection.send(random.choice(requests))
        wait = max(0.0, due - time.perf_counter()) if due < end else 1.0
        for connection in select.select(list(busy), [], [], wait)[0]:
            answer = connection.read()
            if answer is not None:
                if answer[0] != 200:
                    raise RuntimeError(f"at a constant rate: {answer[0]}")
                latencies.append(time.perf_counter() - busy.pop(connection))
                free.append(connection)
    for connection in connections:
        connection.close()
    return sorted(latencies)
