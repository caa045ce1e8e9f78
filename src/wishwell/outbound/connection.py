"""A connection to another server that counts everything it receives, TLS included.

A piece is read when it is asked for, and the event loop turns before it comes. So whatever a server
sends, and however fast, it takes little of the process at a time, and it comes to an end.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

import aiohappyeyeballs

from wishwell.outbound.answer import Unanswered

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_PIECE = 16 * 1024
_MOST_BYTES = 256 * 1024
_MOST_PIECES = 1_000
"""Of a handshake, and of an answer. The time of the call bounds slower ones."""

_NEXT_SECONDS = 0.25
"""Seconds after which the next address is tried beside a silent one."""

_Given = ParamSpec("_Given")
_Got = TypeVar("_Got")


class Connection:
    """Belongs to the event loop that opens it."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._loop = asyncio.get_running_loop()
        self._tls: ssl.SSLObject | None = None
        self._came, self._goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._count_anew()

    @classmethod
    async def open(
        cls, addresses: Sequence[Address], port: int, host: str, tls: ssl.SSLContext | None
    ) -> "Connection":
        """Connects to one of the addresses; with ``tls`` it must prove to be the host.

        Raises ``Unanswered``.
        """
        try:
            connected = await aiohappyeyeballs.start_connection(
                [_info(address, port) for address in addresses],
                happy_eyeballs_delay=_NEXT_SECONDS,
            )
        except (OSError, RuntimeError):
            raise Unanswered("no connection was made") from None
        connection = cls(connected)
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            if tls is not None:
                await connection._secure(tls, host)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Closes it at once, without TLS's closing message."""
        self._socket.close()

    def is_quiet(self) -> bool:
        """Whether nothing has come since the last answer: neither its end nor data."""
        if self._came.pending or (self._tls is not None and self._tls.pending()):
            return False
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    async def send(self, data: bytes) -> None:
        """Sends a request, and counts from nothing again. Raises ``OSError``."""
        self._count_anew()
        if self._tls is None:
            await self._loop.sock_sendall(self._socket, data)
        else:
            await self._step(self._tls.write, data)

    async def receive(self) -> bytes:
        """The next piece; empty at the end. Raises ``OSError``, and ``Unanswered`` for too much."""
        if self._tls is None:
            return await self._piece()
        try:
            return await self._step(self._tls.read, _PIECE)
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""

    async def _secure(self, tls: ssl.SSLContext, host: str) -> None:
        self._tls = tls.wrap_bio(self._came, self._goes, server_hostname=host)
        try:
            await self._step(self._tls.do_handshake)
        except ssl.SSLCertVerificationError as error:
            reason = f"the certificate is not accepted: {error.verify_message}"
            raise Unanswered(reason) from None
        except ssl.SSLError as error:
            raise Unanswered(f"TLS failed: {error.reason}") from None
        except OSError:
            raise Unanswered("no connection was made") from None

    async def _step(
        self, act: Callable[_Given, _Got], *given: _Given.args, **named: _Given.kwargs
    ) -> _Got:
        """Runs a step of TLS, and sends and receives what it needs."""
        while True:
            try:
                return act(*given, **named)
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
        self._bytes_left, self._pieces_left = _MOST_BYTES, _MOST_PIECES

    # contract: outbound-bounds
    async def _piece(self) -> bytes:
        if not self._bytes_left or not self._pieces_left:
            raise Unanswered("the answer is too much, or in too many pieces")
        data = await self._loop.sock_recv(self._socket, min(_PIECE, self._bytes_left))
        self._bytes_left -= len(data)
        self._pieces_left -= 1
        return data


def _info(
    address: Address, port: int
) -> tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int]]:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    return family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (str(address), port)
