"""The hosts that the URL of a PostgreSQL server names."""

from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

_BALANCE = "load_balance_hosts"
_WHICH = "target_session_attrs"


class Address(NamedTuple):
    """One host. The driver's defaults take the place of what is ``None``."""

    host: str | None
    port: int | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" if self.port else str(self.host)


class Target(NamedTuple):
    """``url`` is for the driver, ``options`` too, beside one of the ``addresses``. ``spread``: all
    hosts are used evenly, in place of one."""

    url: str
    addresses: tuple[Address, ...]
    spread: bool
    options: dict[str, str]


def parse(url: str) -> Target:
    """Reads the URL of a PostgreSQL server. Raises ``ValueError`` for options that can't be."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    balance = given.get(_BALANCE, "disable")
    if balance not in ("disable", "random"):
        raise ValueError(f"must have disable or random for {_BALANCE}")
    rest = [option for option in parts.query.split("&") if option.partition("=")[0] != _BALANCE]
    plain = url.partition("?")[0] + ("?" + "&".join(rest) if any(rest) else "")
    addresses = _addresses(_hosts(parts.netloc), given)
    if len(addresses) < 2:
        return Target(plain, (Address(None, None),), False, {})
    # Wishwell writes: a standby is of no use, unless the URL says so (contract: database-hosts).
    options = {} if _WHICH in given else {_WHICH: "read-write"}
    return Target(plain, addresses, balance == "random", options)


def _hosts(netloc: str) -> str:
    before, at, after = netloc.partition("@")  # as the driver does it
    return after if at else before


def _addresses(hosts: str, given: dict[str, str]) -> tuple[Address, ...]:
    if hosts:
        return tuple(_address(host) for host in hosts.split(","))
    names = [name for name in given.get("host", "").split(",") if name]
    ports = [int(port) for port in given.get("port", "").split(",") if port.isdecimal()]
    if len(ports) not in (0, 1, len(names)):
        raise ValueError("must have one port, or one for each host")
    each: list[int | None] = [*(ports * len(names) if len(ports) == 1 else ports)]
    return tuple(
        Address(name, port) for name, port in zip(names, each or [None] * len(names), strict=True)
    )


def _address(text: str) -> Address:
    host, port = text, ""
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    else:
        host, _, port = text.partition(":")
    return Address(unquote(host), int(port) if port else None)
