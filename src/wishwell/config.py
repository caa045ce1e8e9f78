"""Settings: read once from the environment, frozen, and each bad one named.

Every setting is ``WISHWELL_<NAME>``; a secret may also come from a file, ``WISHWELL_<NAME>_FILE``,
as container platforms hand them out. The list below is the whole of it: ``docs/configuration.md``
is tested against it.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from wishwell.db.statements import Engine
from wishwell.errors import Misconfigured

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
PREFIX = "WISHWELL_"


def _text(value: str) -> str:
    return value


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", value) or not least <= int(value) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(value)

    return parse


def _seconds(least: float, most: float) -> Callable[[str], float]:
    def parse(value: str) -> float:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", value):
            raise ValueError(f"must be a number from {least:g} to {most:g}")
        if not least <= float(value) <= most:
            raise ValueError(f"must be from {least:g} to {most:g}")
        return float(value)

    return parse


def _database(value: str) -> str:
    scheme = urlsplit(value).scheme
    if scheme == "sqlite":
        if not sqlite_path(value):
            raise ValueError("names no file; sqlite:///wishwell.db is one in the current folder")
    elif scheme not in ("postgresql", "postgres"):
        raise ValueError("must start with sqlite:/// or postgresql://")
    return value


def _redis(value: str) -> str:
    if urlsplit(value).scheme not in ("redis", "rediss", "unix"):
        raise ValueError("must start with redis://, rediss:// or unix://")
    return value


def secrets(value: str) -> tuple[str, ...]:
    """Several secrets, the one that signs first."""
    found = tuple(part.strip() for part in value.split(","))
    if any(len(part) < 32 for part in found):
        raise ValueError("must be secrets of at least 32 characters each, separated by commas")
    return found


def _namespace(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{1,40}", value):
        raise ValueError("must be 1 to 40 of a-z 0-9 -")
    return value


def _networks(value: str) -> tuple[Network, ...]:
    try:
        return tuple(
            ipaddress.ip_network(part.strip()) for part in value.split(",") if part.strip()
        )
    except ValueError as error:
        raise ValueError(
            f"must be networks such as 10.0.0.0/8, separated by commas: {error}"
        ) from error


def _level(value: str) -> str:
    if value not in ("debug", "info", "warning", "error"):
        raise ValueError("must be debug, info, warning or error")
    return value


def setting(default: Any, parse: Callable[[str], Any], *, secret: bool = False) -> Any:
    """A field of a class for ``read``; ``parse`` raises ``ValueError`` with the rule."""
    return field(default=default, repr=not secret, metadata={"parse": parse, "secret": secret})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. Times are in the unit of the name; limits are requests per minute."""

    database_url: str = setting("sqlite:///wishwell.db", _database, secret=True)
    database_connections: int = setting(20, _whole(1, 500))
    database_timeout: float = setting(2.0, _seconds(0.1, 60))
    redis_url: str | None = setting(None, _redis, secret=True)
    host: str = setting("127.0.0.1", _text)
    port: int = setting(8000, _whole(0, 65_535))
    workers: int = setting(1, _whole(1, 64))
    signing_keys: tuple[str, ...] = setting((), secrets, secret=True)
    session_namespace: str = setting("wishwell", _namespace)
    session_days: float = setting(90.0, _seconds(0, 36_500))
    empty_session_days: float = setting(2.0, _seconds(0, 36_500))
    purge_interval: float = setting(600.0, _seconds(1, 86_400))
    items_per_profile: int = setting(5_000, _whole(1, 100_000))
    lists_per_profile: int = setting(250, _whole(1, 10_000))
    limit_profile_read: int = setting(600, _whole(1, 10_000_000))
    limit_profile_write: int = setting(240, _whole(1, 10_000_000))
    limit_profile_token: int = setting(30, _whole(1, 10_000_000))
    limit_admin_read: int = setting(6_000, _whole(1, 10_000_000))
    limit_admin_write: int = setting(3_000, _whole(1, 10_000_000))
    limit_admin_token: int = setting(3_000, _whole(1, 10_000_000))
    limit_address: int = setting(60, _whole(1, 10_000_000))
    trusted_proxies: tuple[Network, ...] = setting((), _networks)
    max_in_flight: int = setting(128, _whole(1, 100_000))
    header_timeout: float = setting(10.0, _seconds(0.1, 600))
    body_timeout: float = setting(10.0, _seconds(0.1, 600))
    answer_timeout: float = setting(30.0, _seconds(0.1, 600))
    shutdown_timeout: float = setting(8.0, _seconds(0, 600))
    log_level: str = setting("info", _level)

    @property
    def engine(self) -> Engine:
        return "sqlite" if self.database_url.startswith("sqlite:") else "postgresql"


def sqlite_path(url: str) -> str:
    """The file of a ``sqlite:///relative.db`` or ``sqlite:////absolute.db`` address."""
    parts = urlsplit(url)
    return "" if parts.netloc else unquote(parts.path.removeprefix("/"))


def load(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment. Raises ``Misconfigured`` that names every bad one."""
    own = {
        name: text for name, text in environment.items() if not name.startswith(PREFIX + "PROXY_")
    }
    values, wrong = read(Settings, PREFIX, own, "docs/configuration.md")
    if wrong:
        raise Misconfigured("; ".join(wrong))
    return Settings(**values)


def read(
    shape: Any, prefix: str, environment: Mapping[str, str], document: str
) -> tuple[dict[str, Any], list[str]]:
    """The values of a class of settings by their fields' names, and what is wrong with others.

    Of a secret, ``<NAME>_FILE`` names a file that holds it. ``document`` lists what there is.
    """
    known = {prefix + entry.name.upper(): entry for entry in fields(shape)}
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for variable, given in sorted(environment.items()):
        if not variable.startswith(prefix):
            continue
        name, text = variable, given
        try:
            if variable not in known and variable.endswith("_FILE"):
                name = variable.removesuffix("_FILE")
                if name not in known or not known[name].metadata["secret"]:
                    raise ValueError(f"is not a setting; {document} lists them")
                if not given.strip():
                    continue  # empty is not set, like everything here
                if environment.get(name, "").strip():
                    raise ValueError(f"and {name} are both set; keep one")
                text = _contents(given)
            if name not in known:
                raise ValueError(f"is not a setting; {document} lists them")
            if text.strip():
                values[known[name].name] = known[name].metadata["parse"](text.strip())
        except ValueError as error:
            wrong.append(f"{variable} {error}")
    return values, wrong


def _contents(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"can't be read ({error})") from error
