"""What both clients give to httpx2."""

import math
from typing import Any

import httpx2

from wishwell import __version__
from wishwell.client import calls
from wishwell.client.calls import Call


def options(url: str, token: str, timeout: float) -> dict[str, Any]:
    """The arguments of ``httpx2.Client``. Raises ``ValueError`` for a bad URL, token or timeout."""
    if not _is_address(url):
        raise ValueError("url must be http://host or https://host, without a query")
    if not 0 < timeout < math.inf:
        raise ValueError("timeout must be more than 0 seconds")
    return {
        "base_url": str(httpx2.URL(url)).rstrip("/") + calls.PREFIX,
        "headers": {
            "Authorization": f"Bearer {header('token', token)}",
            "Accept": "application/json",
            "User-Agent": f"wishwell-client/{__version__}",
        },
        "timeout": timeout,
        # A redirect could send the token to another server.
        "follow_redirects": False,
    }


def _is_address(url: str) -> bool:
    try:
        address = httpx2.URL(url)
    except httpx2.InvalidURL:
        return False
    # After a query, every path would become a part of the query.
    odd = address.userinfo or address.query or address.fragment or (address.port or 1) > 65_535
    return address.scheme in ("http", "https") and bool(address.host) and not odd


def header(name: str, value: str) -> str:
    """The value. Raises ``ValueError``, without showing it, if a header can't hold it."""
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError(f"{name} must be printable ASCII without spaces")
    return value


def named(profile: str | None) -> str | None:
    """The GID to act for. Raises ``ValueError`` if a header can't hold it."""
    return None if profile is None else header("profile", profile)


def request(call: Call[Any], request_id: str, profile: str | None) -> dict[str, Any]:
    """The arguments of ``Client.request``."""
    headers = {"X-Request-Id": request_id}
    if profile is not None:
        headers["Profile"] = profile
    if call.body is not None:
        headers["Content-Type"] = "application/json"
    return {
        "method": call.method,
        "url": call.path,
        "params": call.params or None,
        "content": call.body,
        "headers": headers,
    }
