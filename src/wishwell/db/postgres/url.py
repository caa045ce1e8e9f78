"""Parses the hosts in a PostgreSQL URL."""

import random
import re
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

_BALANCE = "load_balance_hosts"
_SESSION_ATTRS = "target_session_attrs"
_HOST = re.compile(r"(\[[^\[\]@]+\]|[^\[\]@:]+)(?::([0-9]{1,5}))?")


class Address(NamedTuple):
    """A host and port. For ``None`` the driver's default applies."""

    host: str | None
    port: int | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" if self.port else str(self.host)


class Target(NamedTuple):
    """A parsed URL: ``url`` and ``options`` are for the driver, with one of the ``addresses``.

    The first usable address is used. ``random_order``: the addresses are shuffled, so that the
    processes use different hosts (load balancing).
    """

    url: str
    addresses: tuple[Address, ...]
    random_order: bool
    options: dict[str, str]


def parse(url: str) -> Target:
    """Parses a PostgreSQL URL.

    Raises ``ValueError`` for hosts and options that the driver would refuse or misinterpret.
    """
    parts = urlsplit(url)
    query_options = dict(parse_qsl(parts.query, keep_blank_values=True))
    balance = query_options.get(_BALANCE, "disable")
    if balance not in ("disable", "random"):
        raise ValueError(f"must have disable or random as the value of {_BALANCE}")
    other_options = [
        option for option in parts.query.split("&") if option.partition("=")[0] != _BALANCE
    ]
    driver_url = url.partition("?")[0] + (
        "?" + "&".join(other_options) if any(other_options) else ""
    )
    before, at, after = parts.netloc.partition("@")  # like the driver: at the first @
    addresses = hosts(after if at else before)
    if addresses is None:
        raise ValueError(
            "has an invalid host or port; use postgresql://host:5432/database, with "
            "user:password@ before the host, special characters percent-encoded, and an IPv6 "
            "address in [ ]"
        )
    if "," in query_options.get("host", ""):
        raise ValueError("must list several hosts before the path: postgresql://one,two/database")
    if len(addresses) < 2:
        return Target(driver_url, (Address(None, None),), False, {})
    # The default requires a primary, because the service writes (rule: database-failover).
    options = {} if _SESSION_ATTRS in query_options else {_SESSION_ATTRS: "read-write"}
    if balance == "random":  # rule: database-failover
        addresses = tuple(random.sample(addresses, len(addresses)))
    return Target(driver_url, addresses, balance == "random", options)


def hosts(text: str, max_hosts: int = 100) -> tuple[Address, ...] | None:
    """Parses comma-separated hosts, each with an optional port. Returns ``None`` if malformed."""
    matches = [_HOST.fullmatch(host) for host in text.split(",")] if text else []
    if len(matches) > max_hosts or not all(match and _is_port(match[2]) for match in matches):
        return None
    return tuple(
        Address(unquote(match[1].strip("[]")), int(match[2]) if match[2] else None)
        for match in matches
        if match
    )


def _is_port(text: str | None) -> bool:
    return text is None or 1 <= int(text) <= 65_535
