"""Who a request comes from, where the shop's own proxies pass it on.

X-Forwarded-For is believed only from a trusted proxy, and only up to the first address, from the
right, that is none: what stands before that, its sender may have made up. Of IPv6 the /64 counts,
as a client has all of it.
"""

import functools
import ipaddress
from collections.abc import Iterable

from wishwell.config import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Networks = tuple[Network, ...]


@functools.lru_cache(maxsize=1024)
def direct(peer: str) -> str:
    """``of_client`` of a request that nobody passed on."""
    return of_client(peer, None, ())


# contract: limit-address-source
def of_client(peer: str, forwarded: str | None, trusted: Networks) -> str:
    """The address that a request counts for when it has no valid token.

    ``peer`` is the connection's. Where it is no IP, as of a Unix socket, it counts as it is.
    """
    address = _farthest(peer, forwarded, trusted)
    return _counted(address) if address else peer or "unknown"


def of_shopper(peer: str, forwarded: str | None, trusted: Networks) -> str | None:
    """Who begins a session; None where that is not known.

    So it is where ``of_client`` would be a trusted proxy's address, which is that of all shoppers,
    and where ``peer`` is no IP.
    """
    address = _farthest(peer, forwarded, trusted)
    return _counted(address) if address and not _within(address, trusted) else None


@functools.lru_cache(maxsize=1024)
def is_within(peer: str, networks: Networks) -> bool:
    """Whether the address of a connection is of one of the networks."""
    address = _parsed(peer)
    return address is not None and _within(address, networks)


def forwarded(pairs: Iterable[tuple[bytes, bytes]]) -> str | None:
    """X-Forwarded-For of a request: several lines are one list, in their order (RFC 9110, 5.3)."""
    lines = [value for name, value in pairs if name == b"x-forwarded-for"]
    return b",".join(lines).decode("latin-1") if lines else None


def _farthest(peer: str, forwarded: str | None, trusted: Networks) -> Address | None:
    address = _parsed(peer)
    if forwarded and trusted and address and _within(address, trusted):
        for hop in reversed(forwarded.split(",")):
            text = hop.strip(" \t")
            if not text:
                continue  # an empty element is none (RFC 9110, 5.6.1)
            nearer = _parsed(text)
            if nearer is None:
                break
            address = nearer
            if not _within(nearer, trusted):
                break
    return address


def _counted(address: Address) -> str:
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _parsed(text: str) -> Address | None:
    try:
        # Without the zone of an IPv6 address (%eth0): it may be any text, so a limit of its own.
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _within(address: Address, networks: Networks) -> bool:
    return any(address in network for network in networks)
