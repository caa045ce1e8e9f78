"""A server that answers without end, in the way that the path asks for: `python -m tests.servers.hostile`.

It prints its port, and ends with its standard input.
"""

import asyncio
import sys

import uvloop

from tests.servers.base import HERE

WAYS = {
    "interim": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.0),
    "hints": (b"HTTP/1.1 103 Early Hints\r\n", b"Link: </a>\r\n", 0.0),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n", 0.0),
    "body": (b"HTTP/1.1 200 OK\r\n\r\n", b"a" * 100, 0.0),
    "drip": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.02),
    "silent": (b"", b"", 1.0),
}
"""By the name: how an answer begins, what comes again and again, and seconds between two pieces.

Without a pause, it comes as fast as it is taken.
"""


class Hostile(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.open, self.way = transport, True, None

    def data_received(self, data):
        if self.way is None:
            self.way = data.split(b" ", 2)[1].decode().strip("/").partition("?")[0]
            begins, again, self.pause = WAYS[self.way]
            self.piece = again * (4_000 // max(1, len(again))) if not self.pause else again
            self.transport.write(begins)
            self.go_on()

    def go_on(self):
        if not self.open:
            return
        self.transport.write(self.piece)
        if self.pause:
            asyncio.get_running_loop().call_later(self.pause, self.go_on)
        elif not self.full:
            asyncio.get_running_loop().call_soon(self.go_on)

    full = False

    def pause_writing(self):
        self.full = True

    def resume_writing(self):
        self.full = False
        self.go_on()

    def connection_lost(self, error):
        self.open = False


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Hostile, HERE, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    uvloop.run(main())
