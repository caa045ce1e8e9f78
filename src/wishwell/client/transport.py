"""What both clients give to httpx2."""

from typing import Any

from wishwell import __version__
from wishwell.client import calls
from wishwell.client.calls import Call


def options(url: str, token: str, timeout: float) -> dict[str, Any]:
    """The arguments of ``httpx2.Client``. Raises ``ValueError`` for a bad token."""
    return {
        "base_url": url.rstrip("/") + calls.PREFIX,
        "headers": {
            "Authorization": f"Bearer {header('token', token)}",
            "Accept": "application/json",
            "User-Agent": f"wishwell-client/{__version__}",
        },
        "timeout": timeout,
        # A redirect could send the token to another server.
        "follow_redirects": False,
    }


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
