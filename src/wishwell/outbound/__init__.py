"""Calls to other servers: where they may go, how long they may take, and how much may come back.

The only place that connects to an address which somebody has typed in: a shop's key set, a webhook.
"""

import asyncio
import functools
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from wishwell import __version__
from wishwell.errors import Invalid
from wishwell.outbound.answer import Answer, Unanswered
from wishwell.outbound.client import Client, Place
from wishwell.outbound.connection import Address
from wishwell.outbound.room import Room

Resolve = Callable[[str, int], Awaitable[Iterable[str]]]

SECONDS = 10.0
"""A whole call, from finding the address to the last byte of the answer."""

_LONGEST_URL = 2_048
_PORTS = {443, 8443}
_MOST_LOOK_UPS = 32
_LOOK_UPS = ThreadPoolExecutor(_MOST_LOOK_UPS, "look-up")
"""A pool of its own: look-ups that hang must not take the few threads of the event loop."""

_MOST_ADDRESSES = 4
"""Addresses of a name that are tried: each silent one holds a socket until the call ends."""

_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_][a-z0-9_-]{0,62}(\.[a-z0-9_][a-z0-9_-]{0,62})*")
_THIS = re.compile(r"(.*\.)?localhost")
_NUMBER = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")


def _networks(*texts: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


_OWN = _networks("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7")
# Where clouds keep the secrets of a machine, beside the link-local 169.254.169.254. Azure's is an
# otherwise public address, Oracle's and Amazon's and Google's for IPv6 are not.
_METADATA = _networks("168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")
# Not special in all versions of Python; 2002::/16 has an IPv4 address in it.
_SPECIAL = _networks("192.0.0.0/24", "192.88.99.0/24", "2002::/16", "3fff::/20")
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system finds them. Raises ``OSError``."""
    loop = asyncio.get_running_loop()
    ask = functools.partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    infos = await loop.run_in_executor(_LOOK_UPS, ask)
    return [str(info[4][0]) for info in infos]


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
        self._resolve = resolve
        self._look_ups: dict[tuple[str, str], asyncio.Task[list[str]]] = {}
        self._room = Room(_MOST_LOOK_UPS)
        self._looked_up = asyncio.Event()
        self._client = Client(self.addresses, tls)

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
                return await self._client.exchange(at, method, request, keep=keep)
        except TimeoutError:
            raise Unanswered(f"there was no whole answer within {seconds:g} s") from None

    async def close(self) -> None:
        """Closes every connection that is kept."""
        self._client.close()
        for task in self._look_ups.values():
            task.cancel()

    # contract: outbound-address
    async def addresses(self, host: str, port: int, owner: str = "") -> list[Address]:
        """Addresses of a name. Raises ``Unanswered`` for none, or one that is not allowed."""
        try:
            addresses = [ipaddress.ip_address(host)]
        except ValueError:
            texts = await self._look_up(host, port, owner)
            addresses = [ipaddress.ip_address(text) for text in texts]
        if not addresses:
            raise Unanswered(f"no address of {host} was found")
        for address in addresses:
            if not is_allowed(address, private=self._private):
                raise Unanswered(f"{host} has the address {address}, which is not public")
        return addresses[:_MOST_ADDRESSES]

    # contract: outbound-bounds
    async def _look_up(self, host: str, port: int, owner: str) -> list[str]:
        """The addresses of a name as text; none if the look-up fails.

        An owner's look-up of a name runs once at a time, and to its end: one that hangs takes one
        thread, and an owner never takes more threads than it leaves free.
        """
        key = owner, host
        while (task := self._look_ups.get(key)) is None and not self._room.take(owner, 1):
            self._looked_up.clear()
            await self._looked_up.wait()
        if task is None:
            task = asyncio.create_task(self._ask(host, port, owner))
            self._look_ups[key] = task
            task.add_done_callback(lambda _: self._look_ups.pop(key))
        return await asyncio.shield(task)

    async def _ask(self, host: str, port: int, owner: str) -> list[str]:
        try:
            return list(await self._resolve(host, port))
        except (OSError, UnicodeError):
            return []
        finally:
            self._room.give_back(owner)
            self._looked_up.set()

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
