"""A server in place of the service: records every request and answers as a test says."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from tests.servers import HERE

FINE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Seen(NamedTuple):
    """A received request; header names are in lower case."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    def values(self, name: str) -> list[str]:
        return [value for other, value in self.headers if other == name.lower()]


class Echo:
    """A server that sends ``answer``, then closes the connection or waits, as ``then`` says."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.then = ""
        self.answer = FINE
        self.over = threading.Event()
        echo = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65536)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                headers = [(name.lower(), value) for name, value in self.headers.items()]
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                echo.seen.append(Seen(self.command, self.path, headers, body))
                self.wfile.write(echo.answer)
                self.wfile.flush()
                self.close_connection = bool(echo.then)
                if echo.then == "wait":
                    echo.over.wait(10)

        self._server = ThreadingHTTPServer((HERE, 0), Handler)
        self._server.daemon_threads = True
        self.address = f"{HERE}:{self._server.server_port}"
        self.url = f"http://{self.address}"
        threading.Thread(target=self._server.serve_forever, args=[0.01], daemon=True).start()

    @property
    def last(self) -> Seen:
        return self.seen[-1]

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
