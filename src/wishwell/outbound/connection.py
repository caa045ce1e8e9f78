"""A connection to another server that counts everything it receives, TLS included.

Each piece is read on request, and other tasks may run in between. So however much and however fast
a server sends, it takes little of the process's time, and the call ends.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import TypeVar

import aiohappyeyeballs

from wishwell.outbound.answer import Unanswered

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_PIECE = 16 * 1024
_MAX_BYTES = 256 * 1024
_MAX_PIECES = 1_000
"""Maximum pieces of a handshake, and of an answer. The call's timeout limits slower ones."""

_NEXT_SECONDS = 0.25
"""Seconds after which the next address is tried, too, if one is silent (Happy Eyeballs)."""

_Got = TypeVar("_Got")


class Connection:
    """A connection, with or without TLS. Belongs to the event loop that opens it."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._loop = asyncio.get_running_loop()
        self._tls: ssl.SSLObject | None = None
        self._came, self._goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._count_anew()

    @classmethod
    async def open(cls, addresses: Sequence[Address], port: int) -> "Connection":
        """Connects to one of the addresses. Raises ``Unanswered``."""
        families = {4: socket.AF_INET, 6: socket.AF_INET6}
        kind = socket.SOCK_STREAM, socket.IPPROTO_TCP, ""
        found = [(families[one.version], *kind, (str(one), port)) for one in addresses]
        try:
            return cls(
                await aiohappyeyeballs.start_connection(found, happy_eyeballs_delay=_NEXT_SECONDS)
            )
        except (OSError, RuntimeError):
            raise Unanswered("no connection was made") from None

    def close(self) -> None:
        """Closes the connection immediately, without TLS's closing message."""
        self._socket.close()

    @property
    def is_secure(self) -> bool:
        """Whether TLS has begun."""
        return self._tls is not None

    def is_quiet(self) -> bool:
        """Returns whether nothing has arrived since the last answer: neither data nor the end."""
        if self._came.pending or (self._tls is not None and self._tls.pending()):
            return False
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    async def secure(self, tls: ssl.SSLContext, host: str) -> None:
        """Begins TLS and checks the server's certificate for the host. Raises ``Unanswered``."""
        self._tls = tls.wrap_bio(self._came, self._goes, server_hostname=host)
        try:
            await self._step(self._tls.do_handshake)
        except ssl.SSLCertVerificationError as error:
            reason = f"the certificate is not accepted: {error.verify_message}"
            raise Unanswered(reason) from None
        except OSError as error:
            raise Unanswered(f"TLS failed: {getattr(error, 'reason', error)}") from None

    async def send(self, data: bytes) -> None:
        """Sends a request, and resets the limits of the answer. Raises ``OSError``."""
        self._count_anew()
        if (tls := self._tls) is None:
            await self._loop.sock_sendall(self._socket, data)
        else:
            await self._step(lambda: tls.write(data))

    async def receive(self) -> bytes:
        """Returns the next piece; empty at the end. Raises ``OSError``, and ``Unanswered`` if the
        answer exceeds the limits."""
        if (tls := self._tls) is None:
            return await self._piece()
        try:
            return await self._step(lambda: tls.read(_PIECE))
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""

    async def _step(self, act: Callable[[], _Got]) -> _Got:
        """Runs a step of TLS, with the network I/O that it needs."""
        while True:
            try:
                return act()
            except ssl.SSLWantReadError:
                pass
            finally:
                if self._goes.pending:
                    await self._loop.sock_sendall(self._socket, self._goes.read())
            if data := await self._piece():
                self._came.write(data)
            else:
                self._came.write_eof()

    def _count_anew(self) -> None:
        self._bytes_left, self._pieces_left = _MAX_BYTES, _MAX_PIECES

    # rule: outbound-limits
    async def _piece(self) -> bytes:
        if not self._bytes_left or not self._pieces_left:
            raise Unanswered("the answer is too much, or in too many pieces")
        data = await self._loop.sock_recv(self._socket, min(_PIECE, self._bytes_left))
        self._bytes_left -= len(data)
        self._pieces_left -= 1
        return data
