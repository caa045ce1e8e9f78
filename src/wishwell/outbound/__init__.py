"""Calls to other servers: where they may go, how long they may take, and how much may come back.

The only place that connects to an address which somebody has typed in: a shop's key set, a webhook.
It speaks HTTP/1.1 with the parser of the service's own server. The rest is little, and its bounds
hold whatever a server sends (docs/decisions/0017).
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
from wishwell.outbound.answer import Answer, AnswerReader, Unanswered
from wishwell.outbound.connection import Address, Connection
from wishwell.outbound.names import Names, Resolve, is_allowed, resolve

SECONDS = 10.0
"""A whole call, from finding the address to the last byte of the answer."""

_KEPT_SECONDS = 4.0
"""How long idle connections are kept. Many servers close theirs after 5 s; closing ours earlier
loses no call."""

_MOST_KEPT = 128
"""Idle connections at once."""

_LONGEST_URL = 2_048
_PORTS = {443, 8443}
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_][a-z0-9_-]{0,62}(\.[a-z0-9_][a-z0-9_-]{0,62})*")
_THIS = re.compile(r"(.*\.)?localhost")
_NUMBER = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")


class Place(NamedTuple):
    """Where a connection leads to, and its owner: stores share no connections."""

    secure: bool
    host: str
    port: int
    owner: str = ""


class _Closed(Unanswered):
    """The connection ended before any of the answer came."""


class Outbound:
    """Calls to other servers, on connections that are kept for a few seconds. One a process.

    ``http`` allows plain http and every port, ``private`` private and loopback addresses. ``tls``
    has the authorities to trust, by default those of the system. Belongs to the event loop that it
    is first used in.
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
        self._names = Names(resolve, private=private)
        self._tls = tls
        self._reading_tls = asyncio.Lock()
        self._kept: dict[Connection, tuple[Place, asyncio.TimerHandle]] = {}

    def check(self, name: str, url: str) -> None:
        """Raises ``Invalid``, which begins with ``name``, for a URL that can't be allowed.

        A host name is not looked up: its addresses may be others at the time of a call.
        """
        try:
            self._read(url)
        except ValueError as error:
            raise Invalid(f"{name}: {error}.") from None

    # contract: outbound-plain
    async def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        seconds: float = SECONDS,
        keep: bool = True,
        owner: str = "",
    ) -> Answer:
        """One request and its answer, without its body unless ``keep``. Raises ``Unanswered``.

        Owners (stores) share no connections, and no ``owner`` takes all look-ups. A GET is sent
        again if its connection had been kept and closes before an answer.
        """
        try:
            place, authority, target = self._read(url)
        except ValueError as error:
            raise Unanswered(f"the URL {error}") from None
        lines = {
            "Host": authority,
            "User-Agent": f"wishwell/{__version__}",
            "Accept-Encoding": "identity",  # a packed body has no bound
            **(headers or {}),
        }
        if body is not None:
            lines["Content-Length"] = str(len(body))
        head = "".join([f"{name}: {value}\r\n" for name, value in lines.items()])
        request = f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("ascii") + (body or b"")
        try:
            async with asyncio.timeout(seconds):
                at = place._replace(owner=owner)
                return await self._exchange(at, request, again=method == "GET", keep=keep)
        except TimeoutError:
            raise Unanswered(f"there was no whole answer within {seconds:g} s") from None

    async def close(self) -> None:
        """Closes every connection that is kept."""
        self._names.close()
        for connection in list(self._kept):
            self._end(connection)

    async def _exchange(self, place: Place, request: bytes, *, again: bool, keep: bool) -> Answer:
        """Sends a request and reads its answer, however long it takes. Raises ``Unanswered``.

        ``again``: it may be sent twice.
        """
        kept = self._take(place)
        if kept is not None:
            try:
                return await self._converse(place, kept, request, keep=keep)
            except _Closed:
                if not again:
                    raise
        addresses = await self._names.addresses(place.host, place.port, place.owner)
        tls = await self._authorities() if place.secure else None
        fresh = await Connection.open(addresses, place.port, place.host, tls)
        return await self._converse(place, fresh, request, keep=keep)

    async def _converse(
        self, place: Place, connection: Connection, request: bytes, *, keep: bool
    ) -> Answer:
        reader, begun = AnswerReader(keep=keep), False
        try:
            # Some servers answer and hang up before they have read the request.
            with contextlib.suppress(ConnectionError):
                await connection.send(request)
            while not reader.done:
                if data := await connection.receive():
                    begun = True
                    reader.feed(data)
                elif begun:
                    reader.end()
                else:
                    raise _Closed("the connection broke off")
        except OSError:
            raise (Unanswered if begun else _Closed)("the connection broke off") from None
        finally:
            if reader.done and reader.reusable:
                self._keep(place, connection)
            else:
                connection.close()
        return reader.answer()

    def _take(self, place: Place) -> Connection | None:
        """A kept connection that is still good: the last one, so that the older ones may end."""
        connections = [connection for connection, (at, _) in self._kept.items() if at == place]
        for connection in reversed(connections):
            if connection.is_quiet():
                self._kept.pop(connection)[1].cancel()
                return connection
            self._end(connection)
        return None

    def _keep(self, place: Place, connection: Connection) -> None:
        if len(self._kept) >= _MOST_KEPT:
            connection.close()
            return
        loop = asyncio.get_running_loop()
        self._kept[connection] = place, loop.call_later(_KEPT_SECONDS, self._end, connection)

    def _end(self, connection: Connection) -> None:
        self._kept.pop(connection)[1].cancel()
        connection.close()

    async def _authorities(self) -> ssl.SSLContext:
        """The authorities to trust. Those of the system are read when they are first needed."""
        async with self._reading_tls:
            if self._tls is None:
                self._tls = await asyncio.to_thread(ssl.create_default_context)  # 0.05 s
        return self._tls

    # contract: outbound-where
    def _read(self, url: str) -> tuple[Place, str, str]:
        """Where a URL leads, its host with the port, and the target of the request.

        Raises ``ValueError``.
        """
        if not re.fullmatch(rf"[!-~]{{1,{_LONGEST_URL}}}", url):
            raise ValueError(
                f"must be a URL of at most {_LONGEST_URL} ASCII characters, without spaces"
            )
        if not re.match("https?://" if self._http else "https://", url, re.IGNORECASE):
            raise ValueError(f"must begin with {'http:// or ' * self._http}https://")
        if re.search(r"^\w+://[^/?]*@|[#\\]", url):
            raise ValueError("must not have a user name, a password, a # or a \\")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
            address = _literal(host)
        except ValueError:
            raise ValueError("has an invalid host or port") from None
        authority = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
        # The name that is looked up, the header Host and the certificate's name must be one.
        if parts.netloc.lower() != authority:
            raise ValueError("has an invalid host or port")
        if not self._http and (port or 443) not in _PORTS:
            raise ValueError("must have the port 443 or 8443")
        # contract: outbound-address
        if address is not None and not is_allowed(address, private=self._private):
            raise ValueError(f"must not lead to {host}, which is not a public address")
        secure = parts.scheme == "https"
        place = Place(secure, host, port or (443 if secure else 80))
        rest = url.partition("://")[2][len(parts.netloc) :]
        return place, authority, rest if rest.startswith("/") else f"/{rest}"


def _literal(host: str) -> Address | None:
    """The address that a host is, or None for a name. Raises ``ValueError`` for neither."""
    if ":" in host or _NUMBER.fullmatch(host):
        if "%" in host:
            raise ValueError("an interface of this machine")
        return ipaddress.ip_address(host)  # 127.1 and 0x7f000001 are refused
    if not _NAME.fullmatch(host):
        raise ValueError("not a name")
    # It always is this machine (RFC 6761), so the URL is refused before any call.
    return ipaddress.IPv6Address("::1") if _THIS.fullmatch(host) else None
