"""A Redis or Valkey server, from the system's installation."""

from __future__ import annotations

import shutil
import signal
import socket

from tests.servers.base import HERE, Program, ServerFailed, free_port


def redis_binary() -> str | None:
    """Returns the path of the system's Redis or Valkey server, or `None`."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


class RedisServer(Program):
    """A Redis or Valkey on the loopback without persistence."""

    def __init__(self) -> None:
        super().__init__("redis")
        self.port = free_port()
        self.url = f"redis://{HERE}:{self.port}/0"
        self.start()

    def start(self) -> None:
        binary = redis_binary()
        if binary is None:
            raise ServerFailed("there is neither redis-server nor valkey-server on PATH")
        words = ["--port", self.port, "--bind", HERE, "--save", "", "--appendonly", "no"]
        words += ["--maxmemory", "256mb", "--maxmemory-policy", "volatile-ttl"]
        self.begin([binary, *words, "--dir", self.folder], self._answers)

    def _answers(self) -> bool:
        try:
            with socket.create_connection((HERE, self.port), 0.5) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def run(self, *words: str) -> None:
        """Runs a command of Redis."""
        with socket.create_connection((HERE, self.port), 1) as connection:
            connection.sendall(f"{' '.join(words)}\r\n".encode())
            assert connection.recv(1024).startswith(b"+OK")

    def stop(self) -> None:
        self.end(signal.SIGTERM, 10)
