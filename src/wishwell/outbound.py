"""Calls to other servers: where they may go, and how long and how much they may be.

The one place that connects to an address which somebody has typed in: a shop's key set, a webhook.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpcore2

from wishwell import __version__
from wishwell.errors import Invalid

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Lines = list[tuple[str | bytes, str | bytes]]
Resolve = Callable[[str, int], Awaitable[Iterable[str]]]

SECONDS = 10.0
"""A whole call, from finding the address to the last byte of the answer."""

LARGEST = 64 * 1024
"""Bytes of an answer's body that are read."""

_LONGEST_URL = 2_048
_PORTS = {443, 8443}
_NEXT_ADDRESS = 3.0
"""Seconds for a connection to an address, while there is another one to try."""

_KEPT, _KEPT_SECONDS = 20, 4.0
"""Idle connections. Many servers close theirs after 5 s; we are the first, so no call is lost."""

_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_][a-z0-9_-]{0,62}(\.[a-z0-9_][a-z0-9_-]{0,62})*")
_THIS = re.compile(r"(.*\.)?localhost")
_NUMBER = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")


def _networks(*texts: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


_OWN = _networks("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7")
# Where clouds keep the secrets of a machine, beside the link-local 169.254.169.254. Azure's is an
# otherwise public address, Oracle's and Amazon's and Google's for IPv6 are not.
_METADATA = _networks("168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")
# What Python does not know as special in all of its versions; 2002::/16 has an IPv4 address in it.
_SPECIAL = _networks("192.0.0.0/24", "192.88.99.0/24", "2002::/16", "3fff::/20")
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class Unanswered(Exception):
    """There is no answer; the message is a plain reason, which names the host at most."""


class Answer(NamedTuple):
    """What a server said, whatever its status. ``whole``: the body was no longer than was read."""

    status: int
    body: bytes
    whole: bool


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system finds them. Raises ``OSError``."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


# contract: outbound-address
def is_allowed(address: Address, *, private: bool) -> bool:
    """Whether a connection may go there; ``private`` allows private and loopback addresses."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_allowed(address.ipv4_mapped, private=private)
        if address in _NAT64:
            inside = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
            return is_allowed(inside, private=private)
    if any(address in network for network in _METADATA):
        return False
    if any(address in network for network in _OWN):
        return private
    if address.version == 6 and address not in _GLOBAL_V6:
        return False
    special = address.is_multicast or any(address in network for network in _SPECIAL)
    return address.is_global and not special


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
        self._network = _Network(resolve, private)
        self._tls = tls
        self._pool: httpcore2.AsyncConnectionPool | None = None

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
    ) -> Answer:
        """One request, sent once, and its answer. Raises ``Unanswered``."""
        try:
            place, authority = self._read(url)
        except ValueError as error:
            raise Unanswered(f"the URL {error}") from None
        lines = {
            "Host": authority,
            "User-Agent": f"wishwell/{__version__}",
            "Accept-Encoding": "identity",  # what is packed has no bound
        }
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(
                    method, place, [*lines.items(), *(headers or {}).items()], body
                )
        except TimeoutError:
            raise Unanswered(f"there was no whole answer within {seconds:g} s") from None
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
            raise Unanswered(_no_connection(error)) from None
        except httpcore2.NetworkError:
            raise Unanswered("the connection broke off") from None
        except httpcore2.RemoteProtocolError:
            raise Unanswered("the answer is not HTTP, or broke off") from None

    async def close(self) -> None:
        """Closes every connection."""
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None

    async def _exchange(
        self, method: str, place: httpcore2.URL, lines: Lines, body: bytes | None
    ) -> Answer:
        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(
                ssl_context=self._tls or httpcore2.default_ssl_context(),
                max_connections=None,  # so that no server that hangs makes another one wait
                max_keepalive_connections=_KEPT,
                keepalive_expiry=_KEPT_SECONDS,
                network_backend=self._network,
            )
        found = bytearray()
        async with self._pool.stream(method, place, headers=lines, content=body) as response:
            async for part in response.aiter_stream():
                found += part
                if len(found) > LARGEST:
                    break
        return Answer(response.status, bytes(found[:LARGEST]), len(found) <= LARGEST)

    # contract: outbound-where
    def _read(self, url: str) -> tuple[httpcore2.URL, str]:
        """A URL in its parts, and its host and port as they are sent. Raises ``ValueError``."""
        if not re.fullmatch(rf"[!-~]{{1,{_LONGEST_URL}}}", url):
            raise ValueError(
                f"must be a URL of at most {_LONGEST_URL} ASCII characters, without spaces"
            )
        if not re.match("https?://" if self._http else "https://", url, re.IGNORECASE):
            raise ValueError(f"must begin with {'http:// or ' * self._http}https://")
        if re.search(r"://[^/?]*@|[#\\]", url):
            raise ValueError("must not have a user name, a password, a # or a \\")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
            address = _literal(host)
        except ValueError:
            raise ValueError("has an invalid host or port") from None
        authority = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
        # What is looked up, what is sent and what the certificate is held to are one host.
        if parts.netloc.lower() != authority:
            raise ValueError("has an invalid host or port")
        if not self._http and (port or 443) not in _PORTS:
            raise ValueError("must have the port 443 or 8443")
        if address is not None and not is_allowed(address, private=self._private):
            raise ValueError(f"must not lead to {host}, which is not a public address")
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return httpcore2.URL(scheme=parts.scheme, host=host, port=port, target=target), authority


def _literal(host: str) -> Address | None:
    """The address that a host is, or None for a name. Raises ``ValueError`` for neither."""
    if ":" in host or _NUMBER.fullmatch(host):
        if "%" in host:
            raise ValueError("an interface of this machine")
        return ipaddress.ip_address(host)  # 127.1 and 0x7f000001 are none, as for browsers
    if not _NAME.fullmatch(host):
        raise ValueError("not a name")
    # It always is this machine (RFC 6761), so there is no need to wait for a call to say so.
    return ipaddress.IPv6Address("::1") if _THIS.fullmatch(host) else None


def _no_connection(error: BaseException | None) -> str:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate is not accepted: {error.verify_message}"
        if isinstance(error, ssl.SSLError):
            return f"TLS failed: {error.reason}"
        error = error.__context__  # the pool clears __cause__
    return "no connection was made"


class _Network(httpcore2.AsyncNetworkBackend):
    """Connects to the addresses that were checked, not to a name that may have others by then."""

    def __init__(self, resolve: Resolve, private: bool) -> None:
        self._resolve = resolve
        self._private = private
        self._real = httpcore2.AnyIOBackend()

    # contract: outbound-address
    async def connect_tcp(
        self, host: str, port: int, *_: Any, **__: Any
    ) -> httpcore2.AsyncNetworkStream:
        try:
            found = [ipaddress.ip_address(text) for text in await self._resolve(host, port)]
        except OSError:
            found = []
        if not found:
            raise Unanswered(f"no address of {host} was found")
        for address in found:
            if not is_allowed(address, private=self._private):
                raise Unanswered(f"{host} has the address {address}, which is not public")
        for address in found[:-1]:
            try:
                return await self._real.connect_tcp(str(address), port, _NEXT_ADDRESS)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._real.connect_tcp(str(found[-1]), port)
