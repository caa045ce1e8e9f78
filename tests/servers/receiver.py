"""A webhook receiver in the test's event loop: records messages, and answers as a test says."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any, NamedTuple

from tests.servers.base import HERE
from tests.servers.called import Called, Speak


class Message(NamedTuple):
    """A received request and its time (monotonic)."""

    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> dict[str, Any]:
        return json.loads(self.body)


def answer(status: int = 204, *lines: str) -> bytes:
    """Returns a response without a body."""
    head = "".join(f"{line}\r\n" for line in lines)
    return f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n{head}\r\n".encode()


class Receiver(Called):
    """A receiver; ``says`` is the response, or a function that writes it, after which it hangs up."""

    def __init__(self, says: bytes | Speak | None = None) -> None:
        super().__init__(says or answer())
        self.got: list[Message] = []

    @property
    def says(self) -> bytes | Speak:
        return self.answer

    @says.setter
    def says(self, says: bytes | Speak) -> None:
        self.answer = says

    @property
    def url(self) -> str:
        return f"http://{HERE}:{self.port}/hook"

    def ids(self) -> list[str]:
        return [message.id for message in self.got]

    async def _take(self, head: bytes, reader: asyncio.StreamReader) -> None:
        lines = [line.partition(": ") for line in head.decode().split("\r\n")[1:-2]]
        headers = {name.lower(): value for name, _, value in lines}
        body = await reader.readexactly(int(headers["content-length"]))
        self.got.append(Message(headers, body, time.monotonic()))
