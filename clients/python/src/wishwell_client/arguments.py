"""Arguments for httpx2, shared by both clients."""

import math
from typing import Any

import httpx2

from wishwell_client import calls
from wishwell_client.calls import Call
from wishwell_client.version import __version__


def options(url: str, token: str, timeout: float) -> dict[str, Any]:
    """Returns arguments of ``httpx2.Client``. Raises ``ValueError`` if one is invalid."""
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
        # Following a redirect could send the token to another server.
        "follow_redirects": False,
    }


def _is_address(url: str) -> bool:
    try:
        address = httpx2.URL(url)
    except httpx2.InvalidURL:
        return False
    # If the base URL had a query, it would swallow every appended path.
    odd = address.userinfo or address.query or address.fragment or (address.port or 1) > 65_535
    return address.scheme in ("http", "https") and bool(address.host) and not odd


def header(name: str, value: str) -> str:
    """Returns the value. Raises ``ValueError``, without showing it, if a header can't hold it."""
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError(f"{name} must be printable ASCII without spaces")
    return value


def profile_gid(profile: str | None) -> str | None:
    """Returns the GID to act for. Raises ``ValueError`` if a header can't hold it."""
    return None if profile is None else header("profile", profile)


def request(call: Call[Any], request_id: str, profile: str | None) -> dict[str, Any]:
    """Returns the arguments of ``Client.request``."""
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
