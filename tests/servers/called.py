"""An HTTP server for the service's outbound calls, in the test's event loop, with certificates."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import functools
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.servers.base import HERE
from wishwell.outbound import Outbound

PEM = serialization.Encoding.PEM
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

Speak = Callable[[asyncio.StreamWriter], Awaitable[None]]


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs a test in a uvloop event loop, like the service."""

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        uvloop.run(test(*arguments, **named))

    return run


@contextlib.asynccontextmanager
async def calls(**settings):
    """Yields an ``Outbound`` that may call this machine unless the settings say otherwise."""
    there = Outbound(**{"http": True, "private": True} | settings)
    try:
        yield there
    finally:
        await there.close()


class Called:
    """Answers each request with fixed bytes, or through a function, and records the requests."""

    def __init__(self, answer: bytes | Speak = OK) -> None:
        self.answer = answer
        self.heads: list[bytes] = []
        self.connections = 0
        self.port = 0
        self._writers: list[asyncio.StreamWriter] = []

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                await self._take(await reader.readuntil(b"\r\n\r\n"), reader)
                if callable(self.answer):
                    await self.answer(writer)
                    return writer.close()
                writer.write(self.answer)

    async def _take(self, head: bytes, reader: asyncio.StreamReader) -> None:
        self.heads.append(head)

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.close()

    @contextlib.asynccontextmanager
    async def serve(self, tls: ssl.SSLContext | None = None):
        async with await asyncio.start_server(self._connected, HERE, 0, ssl=tls) as real:
            self.port = real.sockets[0].getsockname()[1]
            yield self
            self.hang_up()


def connected(port: int) -> bool:
    """Returns whether this process has an open connection to that port."""
    mine = psutil.Process().net_connections("tcp")
    return any(one.raddr and one.raddr.port == port for one in mine if one.status != "TIME_WAIT")


Extensions = list[tuple[x509.ExtensionType, bool]]
"""A certificate's extensions, and whether each is critical."""


class Authority:
    """A certificate authority for a test."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test authority")])
        own = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        is_authority = x509.BasicConstraints(ca=True, path_length=None)
        extensions = [(is_authority, True), (own, False), (usage, True)]
        self.certificate = self._signed(self._name, self._key, extensions)

    def _signed(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, extensions: Extensions
    ) -> x509.Certificate:
        hour, now = datetime.timedelta(hours=1), datetime.datetime.now(datetime.UTC)
        made = x509.CertificateBuilder(self._name, name, key.public_key())
        made = made.serial_number(x509.random_serial_number())
        made = made.not_valid_before(now - hour).not_valid_after(now + hour)
        for extension, critical in extensions:
            made = made.add_extension(extension, critical)
        return made.sign(self._key, hashes.SHA256())

    def trusted(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self.certificate.public_bytes(PEM).decode())

    def server(self, folder: Path, *names: x509.GeneralName) -> ssl.SSLContext:
        """Returns a TLS context of a server with a certificate for these names."""
        key = ec.generate_private_key(ec.SECP256R1())
        by = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        extensions = [(x509.SubjectAlternativeName(names), True), (by, False)]
        certificate = self._signed(x509.Name([]), key, extensions)
        plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        both = certificate.public_bytes(PEM) + key.private_bytes(PEM, *plain)
        (folder / "both.pem").write_bytes(both)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "both.pem")
        return context
