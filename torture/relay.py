"""An address that can be moved or cut off: passes bytes on to whichever port it leads to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.servers import HERE


class Relay:
    """``port`` is where it listens; ``delay`` what each piece waits, in seconds, each way.

    While ``swallows`` is set, what comes goes nowhere, both ways, as when a cable is cut.
    """

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
        """New connections lead there, and those that there are break."""
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
            while self.swallows:  # the end does not come through either
                await asyncio.sleep(0.1)
        writer.transport.abort()


@asynccontextmanager
async def relay(target: int, delay: float = 0.0) -> AsyncIterator[Relay]:
    """A relay for the time of the block."""
    made = Relay(target, delay)
    server = await asyncio.start_server(made.connect, HERE, 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        made.lead_to(target)
        await made.end()
