"""Settings, read once from the environment and frozen. An error names every bad one.

A setting is ``WISHWELL_<NAME>``. A secret may also come from a file, ``WISHWELL_<NAME>_FILE``, as
container platforms provide it. ``docs/configuration.md`` is tested against the list below.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from wishwell.db.statements import Engine
from wishwell.db.url import parse as parse_hosts
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
    if value.startswith("sqlite:"):
        _check_file(value)
    elif value.startswith(("postgresql://", "postgres://")):
        _check_hosts(_split(value))
        parse_hosts(value)
    else:
        raise ValueError("must start with sqlite:/// or postgresql://")
    return value


_NO_FILE = "names no file; write sqlite:///wishwell.db for one in the current folder"
_LONGEST_NAME = 247
"""Bytes. File systems allow 255, and SQLite appends up to 8 to name the files beside it."""


def _check_file(url: str) -> None:
    """Refuses a URL that would name a different file than its author means."""
    if not url.startswith(_FILE) or not (path := sqlite_path(url)):
        raise ValueError(_NO_FILE)
    if option := re.search(r"\?(\w+)=", url):
        raise ValueError(
            f"takes no options such as {option[1][:40]}; write a ? in a file name as %3F"
        )
    if "\0" in path:
        raise ValueError("must name a file: a file name can't contain NUL (%00)")
    if path == ":memory:":
        raise ValueError(f"{_NO_FILE} (a database in memory is lost when the program ends)")
    name = path.rpartition("/")[2]
    if name in ("", ".", ".."):
        raise ValueError("must name a file: this is a folder")
    if len(os.fsencode(name)) > _LONGEST_NAME:
        raise ValueError(f"must name a file with at most {_LONGEST_NAME} bytes in its name")


def _check_hosts(parts: SplitResult) -> None:
    """Refuses hosts that the driver would fail on or misread."""
    user, at, hosts = parts.netloc.partition("@")  # as the driver does it
    if not _are_hosts(hosts if at else user):
        raise ValueError(
            "has an invalid host or port; use postgresql://host:5432/database, with "
            "user:password@ before the host, special characters percent-encoded, and an IPv6 "
            "address in [ ]"
        )


def _are_hosts(text: str, most: int = 100) -> bool:
    """Whether the text is empty, or hosts separated by commas, each with an optional port."""
    hosts = text.split(",") if text else []
    found = [
        re.fullmatch(r"(?:\[[^\[\]@]+\]|[^\[\]@:]+)(?::([0-9]{1,5}))?", host) for host in hosts
    ]
    return len(hosts) <= most and all(f and 1 <= int(f[1] or 1) <= 65_535 for f in found)


def _split(value: str) -> SplitResult:
    """The parts of a URL. An error never shows its text, which may hold a password."""
    wrong = re.search(r"[\x00-\x20\x7f#]|%00|%(?![0-9A-Fa-f]{2})", value)
    try:
        if not wrong:
            return urlsplit(value)
    except ValueError:
        pass
    raise ValueError(
        "is not a valid URL; percent-encode special characters (# is %23, % is %25, a space is "
        "%20), and write an IPv6 address in [ ]"
    )


_REDIS_OPTIONS = {"db", "password", "protocol", "username"}
_TLS_OPTIONS = {"ssl_ca_certs", "ssl_ca_path", "ssl_cert_reqs", "ssl_certfile"} | {
    "ssl_check_hostname", "ssl_keyfile", "ssl_password"
}  # fmt: skip


def _redis(value: str) -> str:
    """A URL that the Redis client would misread, or fail on at each request, is refused here."""
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must start with redis://, rediss:// or unix://")
    parts = _split(value)
    if parts.scheme == "unix":
        if len(parts.path) < 2 or not re.fullmatch("(.*@)?", parts.netloc):
            raise ValueError("must name a socket, such as unix:///run/redis.sock")
    elif not _are_hosts(parts.netloc.rpartition("@")[2], most=1):
        raise ValueError("has an invalid host or port; use redis://host:6379/0")
    elif not re.fullmatch(r"/?|/[0-9]{1,9}", parts.path):
        raise ValueError("must end with the number of a database, such as redis://host:6379/0")
    options = _REDIS_OPTIONS | (_TLS_OPTIONS if parts.scheme == "rediss" else set())
    given = parse_qsl(parts.query, keep_blank_values=True)
    for name, text in given:
        if name not in options:
            # Show the name only if it can't be a piece of a password that contains a ?.
            shown = f" ({name})" if re.fullmatch("[a-z_]{1,40}", name) else ""
            known = ", ".join(sorted(options))
            raise ValueError(f"has an unknown option{shown}; the options are {known}")
        if not text or (name == "db" and not re.fullmatch("[0-9]{1,9}", text)):
            raise ValueError(f"has an invalid value for the option {name}")
    if len(dict(given)) < len(given):
        raise ValueError("has a duplicate option")
    from wishwell.limits import shared as shared_limits

    shared_limits.try_out(value)
    return value


def secrets(value: str) -> tuple[str, ...]:
    """Several secrets; the first one signs."""
    found = tuple(part.strip() for part in value.split(","))
    if any(len(part) < 32 for part in found):
        raise ValueError("must be secrets of at least 32 characters each, separated by commas")
    return found


def _flag(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError("must be true or false")
    return value == "true"


def _namespace(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{1,40}", value):
        raise ValueError("must be 1 to 40 characters: a-z, 0-9 or -")
    return value


def _base(value: str) -> str:
    if not re.fullmatch(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+", value) or value.startswith("/api"):
        raise ValueError(
            "must be a path such as /apps/wishlist, without a / at its end, outside of /api"
        )
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


# contract: secret-unseen
def setting(default: Any, parse: Callable[[str], Any], *, secret: bool = False) -> Any:
    """A field of a class for ``read``; ``parse`` raises ``ValueError`` with the rule."""
    return field(default=default, repr=not secret, metadata={"parse": parse, "secret": secret})


# contract: setting-list, limit-defaults
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
    sealing_keys: tuple[str, ...] = setting((), secrets, secret=True)
    storefront_base: str = setting("/apps/wishlist", _base)
    session_namespace: str = setting("wishwell", _namespace)
    session_days: float = setting(90.0, _seconds(0, 36_500))
    empty_session_days: float = setting(2.0, _seconds(0, 36_500))
    purge_interval: float = setting(600.0, _seconds(1, 86_400))
    items_per_profile: int = setting(5_000, _whole(1, 100_000))
    lists_per_profile: int = setting(250, _whole(1, 10_000))
    limit_entries: int = setting(20_000, _whole(1, 1_000_000))
    limit_list_items: int = setting(1_000, _whole(1, 100_000))
    events_days: float = setting(7.0, _seconds(4, 3_650))
    limit_profile_read: int = setting(600, _whole(1, 10_000_000))
    limit_profile_write: int = setting(240, _whole(1, 10_000_000))
    limit_profile_token: int = setting(30, _whole(1, 10_000_000))
    limit_admin_read: int = setting(6_000, _whole(1, 10_000_000))
    limit_admin_write: int = setting(3_000, _whole(1, 10_000_000))
    limit_admin_token: int = setting(3_000, _whole(1, 10_000_000))
    limit_address: int = setting(60, _whole(1, 10_000_000))
    limit_shared: int = setting(120, _whole(1, 10_000_000))
    limit_visitor_read: int = setting(600, _whole(1, 10_000_000))
    limit_new_sessions: int = setting(60, _whole(1, 10_000_000))
    trusted_proxies: tuple[Network, ...] = setting((), _networks)
    webhook_http: bool = setting(False, _flag)
    webhook_private: bool = setting(False, _flag)
    max_in_flight: int = setting(128, _whole(1, 100_000))
    header_timeout: float = setting(10.0, _seconds(0.1, 600))
    body_timeout: float = setting(10.0, _seconds(0.1, 600))
    answer_timeout: float = setting(30.0, _seconds(0.1, 600))
    shutdown_timeout: float = setting(8.0, _seconds(0, 600))
    log_level: str = setting("info", _level)

    @property
    def engine(self) -> Engine:
        return "sqlite" if self.database_url.startswith("sqlite:") else "postgresql"


_FILE = "sqlite:///"


def sqlite_path(url: str) -> str:
    """The path of the file in ``sqlite:///relative.db`` or ``sqlite:////absolute.db``.

    ``%20`` and the like are decoded, except codes of letters and digits, which nobody encodes.
    ``#`` and ``?`` are part of the name.
    """
    path = os.fsencode(url.removeprefix(_FILE))
    return os.fsdecode(re.sub(rb"%[0-9A-Fa-f]{2}", _decoded, path))


def _decoded(code: re.Match[bytes]) -> bytes:
    byte = bytes([int(code[0][1:], 16)])
    return code[0] if byte.isalnum() else byte


# contract: setting-invalid
def load(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment. Raises ``Misconfigured``, which names every bad one."""
    values, wrong = read(Settings, PREFIX, environment, "docs/configuration.md")
    if wrong:
        raise Misconfigured("; ".join(wrong))
    return Settings(**values)


# contract: setting-file, setting-invalid
def read(
    shape: Any, prefix: str, environment: Mapping[str, str], document: str
) -> tuple[dict[str, Any], list[str]]:
    """The values of a class of settings by field name, and a message for each bad one.

    For a secret, ``<NAME>_FILE`` may name a file that holds it. ``document`` lists the settings.
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
                    continue  # an empty variable counts as not set
                if environment.get(name, "").strip():
                    raise ValueError(f"and {name} are both set; keep one")
                text = _contents(given)
            if name not in known:
                raise ValueError(f"is not a setting; {document} lists them")
            if "\0" in text or not _is_utf8(text):
                raise ValueError("must be text in UTF-8, without NUL")
            if text.strip():
                values[known[name].name] = known[name].metadata["parse"](text.strip())
        except ValueError as error:
            wrong.append(f"{variable} {error}")
    return values, wrong


def _is_utf8(text: str) -> bool:
    """Whether the variable was UTF-8: Python turns other bytes into lone surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _contents(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"can't be read ({error})") from error
