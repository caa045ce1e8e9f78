"""A server that the service calls, in the event loop of the test, certificates for it, and calls."""

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

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

Speak = Callable[[asyncio.StreamWriter], Awaitable[None]]


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that runs in an event loop of its own, as the service's is."""

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        uvloop.run(test(*arguments, **named))

    return run


@contextlib.asynccontextmanager
async def calls(**settings):
    """What may call this machine, unless the settings say otherwise."""
    there = Outbound(**{"http": True, "private": True} | settings)
    try:
        yield there
    finally:
        await there.close()


class Called:
    """Answers each request with the same bytes, or as ``speak`` does, and remembers what it got."""

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
    """Whether this process has a connection to that port, which it has not closed."""
    mine = psutil.Process().net_connections("tcp")
    return any(one.raddr and one.raddr.port == port for one in mine if one.status != "TIME_WAIT")


class Authority:
    """A certificate authority of the test's own."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test authority")])
        own = self._builder(self._name, self._key.public_key())
        self._usage = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        self.certificate = (
            own.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False
            )
            .add_extension(
                x509.KeyUsage(False, False, False, False, False, True, True, False, False),
                critical=True,
            )
            .sign(self._key, hashes.SHA256())
        )

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(hours=1))
        )

    def trusted(self) -> ssl.SSLContext:
        return ssl.create_default_context(
            cadata=self.certificate.public_bytes(serialization.Encoding.PEM).decode()
        )

    def server(self, folder: Path, *names: x509.GeneralName) -> ssl.SSLContext:
        """What a server with a certificate of these names needs."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            self._builder(x509.Name([]), key.public_key())
            .add_extension(x509.SubjectAlternativeName(names), critical=True)
            .add_extension(self._usage, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        (folder / "both.pem").write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "both.pem")
        return context
