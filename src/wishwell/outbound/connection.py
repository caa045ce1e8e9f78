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

_PIECE_BYTES = 16 * 1024
_MAX_BYTES = 256 * 1024
_MAX_PIECES = 1_000
"""Maximum pieces of a handshake, and of an answer. The call's timeout limits slower ones."""

_NEXT_ADDRESS_SECONDS = 0.25
"""Seconds after which the next address is tried, too, if one is silent (Happy Eyeballs)."""

T = TypeVar("T")


class Connection:
    """A connection, with or without TLS. Belongs to the event loop that opens it."""

    def __init__(self, connected_socket: socket.socket) -> None:
        self._socket = connected_socket
        self._loop = asyncio.get_running_loop()
        self._tls: ssl.SSLObject | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._reset_limits()

    @classmethod
    async def open(cls, addresses: Sequence[Address], port: int) -> "Connection":
        """Connects to one of the addresses. Raises ``Unanswered``."""
        families = {4: socket.AF_INET, 6: socket.AF_INET6}
        socket_type = socket.SOCK_STREAM, socket.IPPROTO_TCP, ""
        candidates = [
            (families[address.version], *socket_type, (str(address), port)) for address in addresses
        ]
        try:
            return cls(
                await aiohappyeyeballs.start_connection(
                    candidates, happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS
                )
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
        if self._incoming.pending or (self._tls is not None and self._tls.pending()):
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
        self._tls = tls.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        try:
            await self._run_tls(self._tls.do_handshake)
        except ssl.SSLCertVerificationError as error:
            reason = f"the certificate is not accepted: {error.verify_message}"
            raise Unanswered(reason) from None
        except OSError as error:
            raise Unanswered(f"TLS failed: {getattr(error, 'reason', error)}") from None

    async def send(self, data: bytes) -> None:
        """Sends a request, and resets the limits of the answer. Raises ``OSError``."""
        self._reset_limits()
        if (tls := self._tls) is None:
            await self._loop.sock_sendall(self._socket, data)
        else:
            await self._run_tls(lambda: tls.write(data))

    async def receive(self) -> bytes:
        """Returns the next piece; empty at the end. Raises ``OSError``, and ``Unanswered`` if the
        answer exceeds the limits."""
        if (tls := self._tls) is None:
            return await self._receive_piece()
        try:
            return await self._run_tls(lambda: tls.read(_PIECE_BYTES))
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""

    async def _run_tls(self, operation: Callable[[], T]) -> T:
        """Runs a step of TLS, with the network I/O that it needs."""
        while True:
            try:
                return operation()
            except ssl.SSLWantReadError:
                pass
            finally:
                if self._outgoing.pending:
                    await self._loop.sock_sendall(self._socket, self._outgoing.read())
            if data := await self._receive_piece():
                self._incoming.write(data)
            else:
                self._incoming.write_eof()

    def _reset_limits(self) -> None:
        self._bytes_left, self._pieces_left = _MAX_BYTES, _MAX_PIECES

    # rule: outbound-limits
    async def _receive_piece(self) -> bytes:
        if not self._bytes_left or not self._pieces_left:
            raise Unanswered("the answer is too much, or in too many pieces")
        data = await self._loop.sock_recv(self._socket, min(_PIECE_BYTES, self._bytes_left))
        self._bytes_left -= len(data)
        self._pieces_left -= 1
        return data
