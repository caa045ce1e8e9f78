"""The least that a process between two sockets costs here: bytes passed on, nothing looked at.

``python -m bench.relay PORT TO_PORT``. What `wishwell proxy` adds is to be seen beside this.
"""

import asyncio
import sys
from typing import Any

import uvloop


class Side(asyncio.Protocol):
    """One half of a connection: what arrives goes out of the other half."""

    def __init__(self, other: "Side | None" = None) -> None:
        self.other = other
        self.transport: Any = None
        self.early = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        if self.other is None:
            loop = asyncio.get_running_loop()
            self.opening = loop.create_task(
                loop.create_connection(lambda: Side(self), "127.0.0.1", int(sys.argv[2]))
            )
        else:
            self.other.other = self
            transport.write(self.other.early)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self.early += data
        else:
            self.other.transport.write(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        if self.other is not None:
            self.other.transport.close()


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Side, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
