"""Sends messages by SMTP, on connections that are used again.

An attempt's outcome says what the queue may do next: only ``unknown`` means that the mail may have
been sent, because the connection ended after the message was begun.
"""

import asyncio
import contextlib
import email.policy
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from email.message import EmailMessage
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import aiosmtplib
from aiosmtplib import SMTP, SMTPResponseException

from wishwell.contacts.queue import Outcome
from wishwell.outbound.answer import Unanswered

COMMAND_SECONDS = 15.0
"""Timeout of a command in seconds."""

MAIL_SECONDS = 60.0
"""Timeout of a whole mail in seconds, with the connection to the server."""

_IDLE_SECONDS = 30.0
_MAX_MAILS = 100
"""Mails on a connection. Some servers refuse more."""

_MAX_PROBLEM_CHARACTERS = 200
_ENHANCED_ADDRESS_ERROR = re.compile(r"\s*5\.1\.[0-9]+\b")
"""An error of the recipient's address (RFC 3463), also from a server that answers so elsewhere."""

_RECIPIENT = re.compile(r"[^\s\x00-\x1f\x7f<>]+@[^\s\x00-\x1f\x7f<>]+")
"""Addresses that can't contain another command."""

FindAddresses = Callable[
    [str, int, str], Awaitable[list[ipaddress.IPv4Address | ipaddress.IPv6Address]]
]


Compose = Callable[[], Awaitable[EmailMessage]]
"""Returns the message to send to a recipient whom the server has accepted."""


class Server(NamedTuple):
    """An SMTP server. ``owner``: the store that has named it, or '' for the installation's, which
    may have a private address."""

    host: str
    port: int
    user: str
    password: str
    tls: str
    owner: str = ""

    def __repr__(self) -> str:
        return f"Server({self.host}:{self.port})"


class Delivery(NamedTuple):
    """The outcome of an attempt. ``problem``: the server's answer without addresses, or ''."""

    outcome: Outcome
    problem: str = ""


# rule: mail-server
def parse(url: str, owner: str = "") -> Server:
    """Returns the server of a URL: ``smtps`` is TLS from the beginning, ``smtp`` requires STARTTLS,
    unless the host is this machine or the URL says ``?tls=off``. The URL was checked by
    ``config``."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "smtps":
        tls = "tls"
    else:
        tls = "none" if parts.query == "tls=off" or _is_this_machine(host) else "starttls"
    port = parts.port or (465 if tls == "tls" else 587)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Server(host, port, user, password, tls, owner)


def _is_this_machine(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


class Connections:
    """The connections of a process to SMTP servers.

    ``find_addresses``: returns the addresses of a store's own server that connections may go to
    (rule: outbound-address). ``tls``: the authorities to trust, by default the system's.
    """

    def __init__(
        self,
        find_addresses: FindAddresses,
        tls: ssl.SSLContext | None = None,
        command_seconds: float = COMMAND_SECONDS,
        mail_seconds: float = MAIL_SECONDS,
    ) -> None:
        self._find_addresses = find_addresses
        self._tls = tls
        self._command_seconds = command_seconds
        self._mail_seconds = mail_seconds
        self._idle: dict[Server, list[tuple[SMTP, int]]] = {}

    async def send(self, server: Server, sender: str, recipient: str, compose: Compose) -> Delivery:
        """Sends a message, and returns what became of it. Nothing is sent if ``compose`` raises an
        exception."""
        if not _RECIPIENT.fullmatch(recipient):
            return Delivery("recipient_refused", "The address is invalid.")
        progress = _Progress()
        try:
            async with asyncio.timeout(self._mail_seconds):
                return await self._send(server, sender, recipient, compose, progress)
        except (TimeoutError, OSError, ssl.SSLError, aiosmtplib.SMTPException, ValueError) as error:
            outcome: Outcome = "unknown" if progress.in_message else "temporary"
            return Delivery(outcome, describe(error))
        finally:
            if progress.client is not None and progress.client.is_connected:
                progress.client.close()

    async def close(self) -> None:
        """Closes all idle connections."""
        for idle in self._idle.values():
            for client, _ in idle:
                client.close()
        self._idle.clear()

    async def _send(
        self,
        server: Server,
        sender: str,
        recipient: str,
        compose: Compose,
        progress: "_Progress",
    ) -> Delivery:
        client, count = self._take_idle(server)
        if client is None:
            try:
                client, count = await self._connect(server, sender), 0
            except aiosmtplib.SMTPAuthenticationError as error:
                is_final = 500 <= error.code < 600
                return Delivery("credentials" if is_final else "temporary", describe(error))
            except SMTPResponseException as error:
                is_final = 500 <= error.code < 600
                return Delivery("refused" if is_final else "temporary", describe(error))
            except Unanswered as error:
                return Delivery("temporary", describe(error))
        progress.client = client
        needs_utf8 = not recipient.isascii()
        if needs_utf8 and not client.supports_extension("smtputf8"):
            self._keep(server, progress, count)
            return Delivery("recipient_refused", "The server takes no addresses in this script.")
        options = ["SMTPUTF8", "BODY=8BITMIME"] if needs_utf8 else []
        encoding = "utf-8" if needs_utf8 else "ascii"
        stage: Outcome = "refused"
        try:
            await client.mail(sender, options=options, encoding=encoding)
            stage = "recipient_refused"
            await client.rcpt(recipient, encoding=encoding)
            stage = "refused"
            message = await compose()
            policy = email.policy.SMTPUTF8 if needs_utf8 else email.policy.SMTP
            content = message.as_bytes(policy=policy)
            with progress.watch(client):
                await client.data(content)
        except SMTPResponseException as error:
            progress.in_message = False
            with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                await client.rset()
                self._keep(server, progress, count)
            return _judge(error, stage)
        progress.in_message = False
        self._keep(server, progress, count + 1)
        return Delivery("sent")

    async def _connect(self, server: Server, sender: str) -> SMTP:
        """Returns a new connection. Raises the errors of ``aiosmtplib``, ``OSError`` and
        ``Unanswered``."""
        connected = None
        if server.owner:
            connected = await self._open_socket(server)
        self._tls = self._tls or ssl.create_default_context()
        client = SMTP(
            hostname=server.host,
            port=None if connected else server.port,
            username=server.user or None,
            password=server.password or None,
            local_hostname=sender.rpartition("@")[2],
            timeout=self._command_seconds,
            use_tls=server.tls == "tls",
            start_tls=server.tls == "starttls",
            tls_context=self._tls if server.tls != "none" else None,
            sock=connected,
        )
        await client.connect()
        if client.is_ehlo_or_helo_needed:
            await client.ehlo()
        return client

    # rule: outbound-address
    async def _open_socket(self, server: Server) -> socket.socket:
        addresses = await self._find_addresses(server.host, server.port, server.owner)
        error: OSError = OSError("no address")
        for address in addresses:
            family = socket.AF_INET if address.version == 4 else socket.AF_INET6
            connecting = socket.socket(family, socket.SOCK_STREAM)
            connecting.setblocking(False)
            try:
                await asyncio.get_running_loop().sock_connect(
                    connecting, (str(address), server.port)
                )
                return connecting
            except OSError as failure:
                connecting.close()
                error = failure
            except asyncio.CancelledError:
                connecting.close()
                raise
        raise error

    def _take_idle(self, server: Server) -> tuple[SMTP | None, int]:
        idle = self._idle.get(server, [])
        while idle:
            client, count = idle.pop()
            if client.is_connected:
                return client, count
        return None, 0

    def _keep(self, server: Server, progress: "_Progress", count: int) -> None:
        """Keeps a connection for the next mail, for a while."""
        client, progress.client = progress.client, None
        if client is None:
            return
        if count >= _MAX_MAILS:
            client.close()
            return
        entry = client, count
        self._idle.setdefault(server, []).append(entry)
        asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._close_idle, server, entry)

    def _close_idle(self, server: Server, entry: tuple[SMTP, int]) -> None:
        if entry in self._idle.get(server, []):
            self._idle[server].remove(entry)
            entry[0].close()


class _Progress:
    """How far an attempt is. ``in_message``: from the message's first byte on, until the server has
    answered."""

    def __init__(self) -> None:
        self.client: SMTP | None = None
        self.in_message = False

    @contextlib.contextmanager
    def watch(self, client: SMTP) -> Iterator[None]:
        """Sets ``in_message`` once something is written after the command DATA, because the library
        doesn't say whether the server has allowed the message."""
        protocol: Any = client.protocol
        write = protocol.write

        def note(content: bytes) -> None:
            self.in_message = content != b"DATA\r\n"
            write(content)

        protocol.write = note
        try:
            yield
        finally:
            del protocol.write


# rule: mail-bounces
def _judge(error: SMTPResponseException, stage: Outcome) -> Delivery:
    """Returns the outcome of a command that the server has refused. ``stage``: the outcome of a
    permanent error."""
    problem = describe(error)
    if not 500 <= error.code < 600:
        return Delivery("temporary", problem)
    if _ENHANCED_ADDRESS_ERROR.match(error.message):
        return Delivery("recipient_refused", problem)
    return Delivery(stage, problem)


def describe(error: BaseException) -> str:
    """Returns an error in one line, without addresses or credentials."""
    if isinstance(error, SMTPResponseException):
        text = f"{error.code} {error.message}"
    elif isinstance(error, TimeoutError):
        text = "The server didn't answer in time."
    else:
        text = str(error) or type(error).__name__
    text = re.sub(r"<?[^\s<>]+@[^\s<>]+>?", "…", " ".join(text.split()))
    return "".join(filter(str.isprintable, text))[:_MAX_PROBLEM_CHARACTERS]
