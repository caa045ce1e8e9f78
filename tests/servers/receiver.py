"""A receiver of webhooks, in the event loop of the test: it keeps what it gets, and answers as told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from tests.servers.base import HERE


class Message(NamedTuple):
    """A request, and when it came (monotonic)."""

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
    """An answer without a body."""
    head = "".join(f"{line}\r\n" for line in lines)
    return f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n{head}\r\n".encode()


Speak = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Receiver:
    """``says``: bytes to answer with, or what speaks itself and then hangs up."""

    def __init__(self, says: bytes | Speak | None = None) -> None:
        self.says = says or answer()
        self.got: list[Message] = []
        self.url = ""
        self._writers: list[asyncio.StreamWriter] = []

    def ids(self) -> list[str]:
        return [message.id for message in self.got]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = [line.partition(": ") for line in head.split("\r\n")[1:-2]]
                headers = {name.lower(): value for name, _, value in lines}
                body = await reader.readexactly(int(headers["content-length"]))
                self.got.append(Message(headers, body, time.monotonic()))
                if callable(self.says):
                    await self.says(writer)
                    return writer.close()
                writer.write(self.says)

    @contextlib.asynccontextmanager
    async def serve(self, port: int = 0):
        async with await asyncio.start_server(self._connected, HERE, port) as real:
            self.url = f"http://{HERE}:{real.sockets[0].getsockname()[1]}/hook"
            yield self
            for writer in self._writers:
                writer.close()
