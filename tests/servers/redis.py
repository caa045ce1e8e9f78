"""Redis or Valkey, of the system."""

from __future__ import annotations

import shutil
import signal
import socket

from tests.servers.base import HERE, Program, ServerFailed, free_port, wait_until


def redis_binary() -> str | None:
    """The Redis or Valkey server of this system, if there is one."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


class RedisServer(Program):
    """A Redis or Valkey of its own on the loopback that keeps nothing on disk."""

    def __init__(self, *, start: bool = True) -> None:
        super().__init__("redis")
        self.port: int | None = None
        if start:
            self.start()

    def start(self) -> None:
        """Start, on a free port the first time and on the same one ever after."""
        binary = redis_binary()
        if binary is None:
            raise ServerFailed("there is neither redis-server nor valkey-server on PATH")
        for _ in range(5):
            port = self.port or free_port()
            words = ["--port", port, "--bind", HERE, "--save", "", "--appendonly", "no"]
            with (self.folder / "log").open("ab") as log:
                self._spawn(
                    [binary, *words, "--dir", self.folder], stdout=log, stderr=log, cwd=self.folder
                )
            wait_until(lambda port=port: self._answers(port) or not self.running, seconds=10)
            if self.running:
                self.port = port
                return
        raise ServerFailed(f"Redis did not start: {(self.folder / 'log').read_text()}")

    def _answers(self, port: int) -> bool:
        try:
            with socket.create_connection((HERE, port), 0.5) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def stop(self) -> None:
        self._end(signal.SIGTERM, 10)

    @property
    def url(self) -> str:
        return f"redis://{HERE}:{self.port}/0"
