"""A TCP relay whose target can be changed or cut off."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.servers import HERE


class Relay:
    """A relay that listens on ``port``; ``delay`` is the seconds added to each piece in each
    direction. While ``swallows`` is set, data is dropped in both directions, as if a cable were
    cut."""

    def __init__(self, target: int, delay: float = 0.0) -> None:
        self._target = target
        self._delay = delay
        self._open: set[asyncio.StreamWriter] = set()
        self._passing: set[asyncio.Task[None]] = set()
        self.swallows = False
        self.port = 0

    @property
    def connections(self) -> int:
        return len(self._open) // 2

    def lead_to(self, target: int) -> None:
        """Changes the target for new connections, and breaks existing ones."""
        self._target = target
        for writer in list(self._open):
            writer.transport.abort()

    def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._pass_on(reader, writer))
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    async def end(self) -> None:
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            far_reader, far_writer = await asyncio.open_connection(HERE, self._target)
            self._open |= {writer, far_writer}
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
            self._open -= {writer, far_writer}
        writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if self.swallows:
                    continue
                if self._delay:
                    await asyncio.sleep(self._delay)
                writer.write(data)
                await writer.drain()
            while self.swallows:  # the end of the stream is held back too
                await asyncio.sleep(0.1)
        writer.transport.abort()


@asynccontextmanager
async def relay(target: int, delay: float = 0.0) -> AsyncIterator[Relay]:
    """Runs a relay during the block."""
    made = Relay(target, delay)
    server = await asyncio.start_server(made.connect, HERE, 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        made.lead_to(target)
        await made.end()
