"""HTTP calls to other servers: protected against SSRF, and limited in time and size.

Only this package connects to addresses that users enter, such as those of key sets and webhooks. It
parses HTTP/1.1 with the parser of the service's own server, and its limits hold for any response
(docs/decisions/0017).
"""

import asyncio
import contextlib
import ipaddress
import re
import ssl
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from wishwell import __version__
from wishwell.errors import Invalid
from wishwell.fairness.fair_queue import NO_STORE, Flow, Ticket
from wishwell.fairness.fair_semaphore import FairSemaphore
from wishwell.outbound.answer import Answer, AnswerReader, Unanswered
from wishwell.outbound.connection import Address, Connection
from wishwell.outbound.names import NameResolver, Resolve, is_allowed, resolve

CALL_TIMEOUT_SECONDS = 10.0
"""Timeout of a whole call, from the DNS look-up to the last byte of the response."""

_IDLE_SECONDS = 4.0
"""Seconds for which idle connections are kept. Many servers close theirs after 5 s, and a call on a
connection that is being closed fails."""

_MAX_CALLS = 1_024
"""Maximum concurrent calls of a process. An owner has at most as many as are left free; webhooks
have a lower limit (``events/sender.py``)."""

_MAX_URL_LENGTH = 2_048
_ALLOWED_PORTS = {443, 8443}
_HOST_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_][a-z0-9_-]{0,62}(\.[a-z0-9_][a-z0-9_-]{0,62})*")
_LOCALHOST = re.compile(r"(.*\.)?localhost")
_NUMERIC_HOST = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")


class Endpoint(NamedTuple):
    """The endpoint of a connection, and its owner: stores share no connections."""

    secure: bool
    host: str
    port: int
    owner: str = ""


class Outbound:
    """Calls other servers, on connections that are kept for a few seconds. One per process.

    ``http`` allows plain http and every port, ``private`` private and loopback addresses. ``tls``
    has the authorities to trust, by default the system's. Belongs to the event loop that first
    uses it.
    """

    def __init__(
        self,
        *,
        http: bool,
        private: bool,
        resolve: Resolve = resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._http = http
        self._private = private
        self._resolver = NameResolver(resolve, private=private)
        self._tls = tls
        self._idle_connections: dict[Connection, Endpoint] = {}
        self._slots = FairSemaphore(_MAX_CALLS, store_factor=1)

    def check(self, name: str, url: str) -> None:
        """Raises ``Invalid``, whose message begins with ``name``, for a URL that isn't allowed.

        Doesn't look up a host name, because its addresses may change before a call.
        """
        try:
            self._parse_url(url)
        except ValueError as error:
            raise Invalid(f"{name}: {error}.") from None

    async def find_addresses(self, host: str, port: int, owner: str) -> list[Address]:
        """Returns the addresses of a host that connections may go to. Raises ``Unanswered``."""
        return await self._resolver.addresses(host, port, owner)

    # rule: outbound-limits
    async def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        seconds: float = CALL_TIMEOUT_SECONDS,
        owner: str = "",
    ) -> Answer:
        """Sends a request and returns the answer. Raises ``Unanswered``.

        Owners (stores) share no connections, and no ``owner`` can use all look-ups.
        """
        try:
            endpoint, authority, target = self._parse_url(url)
        except ValueError as error:
            raise Unanswered(f"the URL {error}") from None
        fields = {
            "Host": authority,
            "User-Agent": f"wishwell/{__version__}",
            "Accept-Encoding": "identity",  # a compressed body may expand without limit
            **(headers or {}),
        }
        if body is not None:
            fields["Content-Length"] = str(len(body))
        head = "".join([f"{name}: {value}\r\n" for name, value in fields.items()])
        request = f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("ascii") + (body or b"")
        slot = self._slots.place(Ticket(Flow(owner or NO_STORE, "")))
        try:
            async with asyncio.timeout(seconds), slot:
                return await self._exchange(endpoint._replace(owner=owner), request)
        except TimeoutError:
            raise Unanswered(f"there was no whole answer within {seconds:g} s") from None
        except OSError:
            raise Unanswered("the connection broke off") from None

    async def close(self) -> None:
        """Closes all idle connections."""
        for connection in list(self._idle_connections):
            self._close_idle(connection)

    async def _exchange(self, endpoint: Endpoint, request: bytes) -> Answer:
        reader = AnswerReader()
        connection = self._take_idle(endpoint)
        if connection is None:
            addresses = await self._resolver.addresses(endpoint.host, endpoint.port, endpoint.owner)
            connection = await Connection.open(addresses, endpoint.port)
        try:
            if endpoint.secure and not connection.is_secure:
                self._tls = self._tls or ssl.create_default_context()
                await connection.secure(self._tls, endpoint.host)
            # Some servers answer and close the connection before they have read the request.
            with contextlib.suppress(ConnectionError):
                await connection.send(request)
            while not reader.is_done:
                reader.feed(await connection.receive())
        finally:
            if reader.is_done and reader.is_reusable:
                self._idle_connections[connection] = endpoint
                asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._close_idle, connection)
            else:
                connection.close()
        return reader.answer()

    def _take_idle(self, endpoint: Endpoint) -> Connection | None:
        """Returns the last used connection that is still good, so that older ones expire."""
        connections = self._idle_connections.items()
        idle = [connection for connection, other in connections if other == endpoint]
        for connection in reversed(idle):
            if connection.is_quiet():
                del self._idle_connections[connection]
                return connection
            self._close_idle(connection)
        return None

    def _close_idle(self, connection: Connection) -> None:
        if self._idle_connections.pop(connection, None) is not None:
            connection.close()

    # rule: outbound-address
    def _parse_url(self, url: str) -> tuple[Endpoint, str, str]:
        """Returns a URL's endpoint, its host with the port, and the request target.

        Raises ``ValueError``.
        """
        if not re.fullmatch(rf"[!-~]{{1,{_MAX_URL_LENGTH}}}", url):
            raise ValueError(
                f"must be a URL of at most {_MAX_URL_LENGTH} ASCII characters, without spaces"
            )
        if not re.match("https?://" if self._http else "https://", url, re.IGNORECASE):
            raise ValueError(
                "must begin with http:// or https://"
                if self._http
                else "must begin with https://; WISHWELL_WEBHOOK_HTTP=true allows http://"
            )
        if re.search(r"^\w+://[^/?]*@|[#\\]", url):
            raise ValueError("must not have a user name, a password, a # or a \\")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
            address = _literal_address(host)
        except ValueError:
            raise ValueError("has an invalid host or port") from None
        authority = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
        # The name that is looked up, the header Host and the certificate's name must be the same.
        if parts.netloc.lower() != authority:
            raise ValueError("has an invalid host or port")
        if not self._http and (port or 443) not in _ALLOWED_PORTS:
            raise ValueError(
                "must have the port 443 or 8443; WISHWELL_WEBHOOK_HTTP=true allows others"
            )
        # rule: outbound-address
        if address is not None and not is_allowed(address, private=self._private):
            hint = "" if self._private else "; WISHWELL_WEBHOOK_PRIVATE=true allows private ones"
            raise ValueError(f"must not lead to {host}, which is not a public address{hint}")
        secure = parts.scheme == "https"
        endpoint = Endpoint(secure, host, port or (443 if secure else 80))
        target = url.partition("://")[2][len(parts.netloc) :]
        return endpoint, authority, target if target.startswith("/") else f"/{target}"


def _literal_address(host: str) -> Address | None:
    """Returns the address that a host is, or None for a name. Raises ``ValueError`` otherwise."""
    if ":" in host or _NUMERIC_HOST.fullmatch(host):
        if "%" in host:
            raise ValueError("an interface of this machine")
        return ipaddress.ip_address(host)  # 127.1 and 0x7f000001 are refused
    if not _HOST_NAME.fullmatch(host):
        raise ValueError("not a name")
    # localhost always is this machine (RFC 6761), so the URL is refused before any call.
    return ipaddress.IPv6Address("::1") if _LOCALHOST.fullmatch(host) else None
