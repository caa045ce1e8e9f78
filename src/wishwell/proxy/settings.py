"""The proxy's settings: ``WISHWELL_PROXY_*``, read once, frozen, and each bad one named.

docs/proxy.md has the table. A secret may also come from a file, ``WISHWELL_PROXY_<NAME>_FILE``.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wishwell.config import Network, read, secrets, setting
from wishwell.errors import Misconfigured

PREFIX = "WISHWELL_PROXY_"
PACKAGED = str(Path(__file__).parents[1] / "browser")
"""Where the browser library is, as ``wishwell.js``."""


INSIDE = "self"
"""Instead of the API's address: ``wishwell serve`` answers the proxy's paths itself."""


def _matching(pattern: str, rule: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(rule)
        return value

    return parse


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", value) or not least <= int(value) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(value)

    return parse


def _seconds(value: str) -> float:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", value) or not 0.1 <= float(value) <= 600:
        raise ValueError("must be seconds from 0.1 to 600")
    return float(value)


def _url(value: str) -> str:
    if value == INSIDE:
        return value
    parts = urlsplit(value)
    plain = re.fullmatch(r"[!-~]+", value) and not (parts.query or parts.fragment or parts.username)
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
        raise ValueError("must be an address such as http://127.0.0.1:8000")
    _ = parts.port  # raises its own ValueError beyond 65535
    return value.rstrip("/")


def _base(value: str) -> str:
    if value == "/":
        return ""
    if not re.fullmatch(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+", value):
        raise ValueError("must be a path such as /apps/wishlist, without a slash at its end")
    return value


def _long(value: str) -> str:
    if len(value) < 32:
        raise ValueError("must be a secret of at least 32 characters")
    return value


def plain_origin(origin: str) -> str:
    """An origin in the one spelling of browsers: lower case, without the scheme's own port."""
    origin = origin.lower()
    return origin.removesuffix(":443" if origin.startswith("https:") else ":80")


def _origins(value: str) -> tuple[str, ...]:
    found = tuple(plain_origin(part.strip().rstrip("/")) for part in value.split(","))
    if not all(re.fullmatch(r"https?://[a-z0-9.:\[\]-]+", origin) for origin in found):
        raise ValueError("must be origins such as https://shop.example, separated by commas")
    return found


def _secure(value: str) -> str:
    if value not in ("auto", "always", "never"):
        raise ValueError("must be auto, always or never")
    return value


def _networks(value: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in value.split(","))
    except ValueError as error:
        raise ValueError(
            f"must be networks such as 10.0.0.0/8, separated by commas: {error}"
        ) from error


def _key_set(value: str) -> str:
    if value.startswith(("http://", "https://")):
        return _url(value)
    try:
        found = Path(value).is_file()
    except OSError:  # a name that is too long, a folder that may not be read
        found = False
    if not found:
        raise ValueError("must be the URL or the file of a key set; there is no such file")
    return value


_NAME = _matching(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}", "must be a name of 1 to 100 characters")
_TEXT = _matching(r"[ -~]{1,500}", "must be 1 to 500 printable ASCII characters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of the proxy. Times in seconds. ``token`` and ``secret`` have no default."""

    api: str = setting("http://127.0.0.1:8000", _url)
    token: str = setting(
        "", _matching(r"[!-~]{16,500}", "must be an admin token, without spaces"), secret=True
    )
    secret: tuple[str, ...] = setting((), secrets, secret=True)
    host: str = setting("127.0.0.1", _TEXT)
    port: int = setting(8001, _whole(0, 65_535))
    base: str = setting("/apps/wishlist", _base)
    store: str = setting("", _TEXT)
    platform: str = setting(
        "shopify", _matching(r"[a-z0-9-]{1,40}", "must be 1 to 40 of a-z 0-9 -")
    )
    origin: tuple[str, ...] = setting((), _origins)
    secure: str = setting("auto", _secure)
    trusted: tuple[Network, ...] = setting((), _networks)
    timeout: float = setting(10.0, _seconds)
    tokens: int = setting(10_000, _whole(1, 10_000_000))
    new_sessions: int = setting(60, _whole(0, 1_000_000))
    platform_secret: str = setting("", _TEXT, secret=True)
    platform_shop: str = setting("", _TEXT)
    jwt_key: str = setting("", _long, secret=True)
    jwt_jwks: str = setting("", _key_set)
    jwt_cookie: str = setting("", _NAME)
    jwt_header: str = setting("", _NAME)
    jwt_issuer: str = setting("", _TEXT)
    jwt_audience: str = setting("", _TEXT)
    jwt_claim: str = setting("sub", _TEXT)
    assets: str = setting(PACKAGED, str)


def load(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment. Raises ``Misconfigured`` that names every bad one."""
    values, wrong = read(Settings, PREFIX, environment, "docs/proxy.md")
    wrong = wrong or _missing(values)
    if wrong:
        raise Misconfigured("; ".join(wrong))
    return Settings(**values)


def _missing(values: Mapping[str, Any]) -> list[str]:
    """What is not there, or means nothing without another."""
    wrong = []
    if "token" not in values:
        wrong.append(f"{PREFIX}TOKEN is required: an admin token of the store")
    if "secret" not in values:
        wrong.append(f"{PREFIX}SECRET is required: at least 32 characters that sign the cookie")
    if "platform_shop" in values and "platform_secret" not in values:
        wrong.append(f"{PREFIX}PLATFORM_SHOP needs {PREFIX}PLATFORM_SECRET")
    keyed = {"jwt_key", "jwt_jwks"} & values.keys()
    if len(keyed) == 2:
        wrong.append(f"{PREFIX}JWT_KEY and {PREFIX}JWT_JWKS are both set; keep one")
    carried = {"jwt_cookie", "jwt_header"} & values.keys()
    if keyed and not carried:
        wrong.append(f"{PREFIX}JWT_COOKIE or {PREFIX}JWT_HEADER is required with a key")
    others = {"jwt_cookie", "jwt_header", "jwt_issuer", "jwt_audience"} & values.keys()
    if others and not keyed:
        wrong.append(f"{PREFIX}{min(others).upper()} needs {PREFIX}JWT_KEY or {PREFIX}JWT_JWKS")
    return wrong
