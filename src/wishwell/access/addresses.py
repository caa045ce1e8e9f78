"""The client address of a request, also behind the shop's own proxies.

X-Forwarded-For is used only if it comes from a trusted proxy. It is read from the right, up to the
first address that is not a trusted proxy; that client may have made up the rest. An IPv6 client
counts by its /64, because it usually has the whole range.
"""

import functools
import ipaddress
import re
from collections.abc import Iterable

from wishwell.config import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Networks = tuple[Network, ...]
_WITH_PORT = re.compile(r"\[([0-9a-f:.]+)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}", re.IGNORECASE)
"""An address with a port, as some gateways write it into X-Forwarded-For."""


# rule: limit-address
@functools.lru_cache(maxsize=1024)
def client_address(peer: str, forwarded: str | None = None, trusted: Networks = ()) -> str:
    """Returns the address that a request without a valid token counts for.

    ``peer``: the address of the connection. Returned unchanged if it is not an IP address, as with
    a Unix socket.
    """
    address = _farthest_address(peer, forwarded, trusted)
    return _limited_range(address) if address else peer or "unknown"


def shopper_address(
    peer: str, forwarded: str | None = None, trusted: Networks = (), *, by_platform: bool = False
) -> str | None:
    """Returns the address of the visitor who begins a session.

    ``by_platform``: a platform forwards the request, which then counts for the address that the
    platform reports. ``None`` if ``peer`` is not an IP address, or if ``client_address`` would
    return a trusted proxy, whose address all visitors share.
    """
    address = _farthest_address(peer, forwarded, trusted, untrusted_hops=int(by_platform))
    return _limited_range(address) if address and not _is_in_any(address, trusted) else None


@functools.lru_cache(maxsize=1024)
def is_within(peer: str, networks: Networks) -> bool:
    """Returns whether the address of a connection is in one of the networks."""
    address = _parse(peer)
    return address is not None and _is_in_any(address, networks)


# rule: log-private
@functools.lru_cache(maxsize=1024)
def network_of(address: str) -> str:
    """Returns the network of an address, of IPv4 the /24 and of IPv6 the /48, or ``""``."""
    parsed = _parse(address.partition("/")[0])
    if parsed is None:
        return ""
    return str(ipaddress.ip_network((parsed, 24 if parsed.version == 4 else 48), strict=False))


def read_forwarded_for(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Returns a request's X-Forwarded-For. Its lines form one list, in order (RFC 9110, 5.3)."""
    lines = [value for name, value in headers if name == b"x-forwarded-for"]
    return b",".join(lines).decode("latin-1") if lines else None


def _farthest_address(
    peer: str, forwarded: str | None, trusted: Networks, untrusted_hops: int = 0
) -> Address | None:
    """Returns the last address that trusted proxies, and ``untrusted_hops`` others, report, or the
    peer's; ``None`` if that isn't an IP address."""
    address = _parse(peer)
    hops = [hop.strip(" \t") for hop in (forwarded or "").split(",")]
    for hop in filter(None, reversed(hops)):  # empty ones are ignored (RFC 9110, 5.6.1)
        next_address = _parse(hop)
        if address is None or next_address is None:
            break
        if not _is_in_any(address, trusted):
            if not untrusted_hops:
                break
            untrusted_hops -= 1
        address = next_address
    return address


def _limited_range(address: Address) -> str:
    """Returns the range that a client counts for: an IPv4 address, or the /64 of an IPv6 one."""
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _parse(text: str) -> Address | None:
    if match := _WITH_PORT.fullmatch(text):
        text = match[1] or match[2]
    try:
        # Without an IPv6 zone (%eth0), which may be any text: each would get a separate limit.
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _is_in_any(address: Address, networks: Networks) -> bool:
    return any(address in network for network in networks)
