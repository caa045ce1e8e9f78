"""A receiver that takes everything, as quickly as Python can: `python -m tests.servers.sink`.

It prints its port, and at the end of its standard input how many requests it has taken.
"""

import asyncio
import sys

import httptools
import uvloop

from tests.servers.base import HERE

TAKEN = b"HTTP/1.1 204 No Content\r\n\r\n"


class Sink(asyncio.Protocol):
    count = 0

    def connection_made(self, transport):
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)

    def data_received(self, data):
        self.parser.feed_data(data)

    def on_message_complete(self):
        Sink.count += 1
        self.transport.write(TAKEN)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Sink, HERE, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    print(Sink.count, flush=True)


if __name__ == "__main__":
    uvloop.run(main())
