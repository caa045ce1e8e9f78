"""DNS look-ups, and the addresses that connections may go to (protection against SSRF)."""

import asyncio
import functools
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from wishwell.fairness.fair_queue import NO_STORE, Flow, Ticket
from wishwell.fairness.fair_semaphore import FairSemaphore
from wishwell.outbound.answer import Unanswered
from wishwell.outbound.connection import Address

Resolve = Callable[[str, int], Awaitable[Iterable[str]]]

_MAX_LOOK_UPS, _OWNER_FACTOR = 64, 1 / 7
"""Maximum concurrent look-ups, and an owner's as a multiple of the free ones: 8 if alone."""

_LOOK_UPS = ThreadPoolExecutor(_MAX_LOOK_UPS, "look-up")
"""A separate pool, because look-ups that hang must not take the event loop's few threads."""

_MAX_ADDRESSES = 4
"""Maximum addresses tried for a name: each silent one holds a socket until the call ends."""


def _networks(*texts: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


_PRIVATE_NETWORKS = _networks(
    "10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7"
)
# Metadata services of clouds, which have a machine's secrets, in addition to the link-local
# 169.254.169.254. Azure's address is otherwise public; Oracle's, Amazon's and Google's aren't.
_METADATA_NETWORKS = _networks("168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")
# Not special in all versions of Python; an address in 2002::/16 contains an IPv4 address.
_SPECIAL_NETWORKS = _networks("192.0.0.0/24", "192.88.99.0/24", "2002::/16", "3fff::/20")
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


async def resolve(host: str, port: int) -> list[str]:
    """Returns the addresses of a host, as the system finds them. Raises ``OSError``."""
    loop = asyncio.get_running_loop()
    look_up = functools.partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    infos = await loop.run_in_executor(_LOOK_UPS, look_up)
    return [str(info[4][0]) for info in infos]


# rule: outbound-address
def is_allowed(address: Address, *, private: bool) -> bool:
    """Returns whether an address is allowed; ``private`` allows private and loopback ones."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_allowed(address.ipv4_mapped, private=private)
        if address in _NAT64:
            embedded_address = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
            return is_allowed(embedded_address, private=private)
    if any(address in network for network in _METADATA_NETWORKS):
        return False
    if any(address in network for network in _PRIVATE_NETWORKS):
        return private
    if address.version == 6 and address not in _GLOBAL_V6:
        return False
    is_special = address.is_multicast or any(address in network for network in _SPECIAL_NETWORKS)
    return address.is_global and not is_special


class NameResolver:
    """Resolves host names. ``private`` allows private and loopback addresses."""

    def __init__(self, resolve: Resolve, *, private: bool) -> None:
        self._resolve = resolve
        self._private = private
        self._look_ups: dict[tuple[str, str], asyncio.Task[list[str]]] = {}
        self._slots = FairSemaphore(_MAX_LOOK_UPS, store_factor=_OWNER_FACTOR)

    # rule: outbound-address
    async def addresses(self, host: str, port: int, owner: str) -> list[Address]:
        """Returns a name's addresses. Raises ``Unanswered`` if none exist or any isn't allowed."""
        try:
            addresses = [ipaddress.ip_address(host)]
        except ValueError:
            address_texts = await self._look_up(host, port, owner)
            addresses = [ipaddress.ip_address(text) for text in address_texts]
        if not addresses:
            raise Unanswered(f"no address of {host} was found")
        for address in addresses:
            if not is_allowed(address, private=self._private):
                raise Unanswered(f"{host} has the address {address}, which is not public")
        return addresses[:_MAX_ADDRESSES]

    # rule: outbound-limits
    async def _look_up(self, host: str, port: int, owner: str) -> list[str]:
        """Returns the addresses of a name as text; none if the look-up fails.

        Concurrent callers of one owner share a look-up (single-flight), which continues when they
        are cancelled.
        """
        key = owner, host
        if key not in self._look_ups:
            task = self._look_ups[key] = asyncio.create_task(
                self._resolve_in_turn(host, port, owner)
            )
            task.add_done_callback(lambda _: self._look_ups.pop(key))
        return await asyncio.shield(self._look_ups[key])

    async def _resolve_in_turn(self, host: str, port: int, owner: str) -> list[str]:
        try:
            async with self._slots.place(Ticket(Flow(owner or NO_STORE, ""))):
                return list(await self._resolve(host, port))
        except (OSError, UnicodeError):
            return []
