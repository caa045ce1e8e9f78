"""Settings, read from the environment once and immutable. One error lists all invalid settings.

A setting is the variable ``WISHWELL_<NAME>``. A secret may instead be in a file named by
``WISHWELL_<NAME>_FILE``, as container platforms provide them. A test compares
docs/configuration.md with ``Settings``.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote_to_bytes, urlsplit

from wishwell import files
from wishwell.db.postgres import url
from wishwell.db.statements import Engine
from wishwell.errors import DOCS, Misconfigured

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
PREFIX = "WISHWELL_"
MAX_UNPACKED_BYTES = 4 << 30
"""Default of the setting for imported files."""


def _matching(pattern: str, rule: str, read: Callable[[str], Any] = str) -> Callable[[str], Any]:
    """Returns a parser of text matching ``pattern``. ``rule`` is its error, in words."""

    def parse(value: str) -> Any:
        if not re.fullmatch(pattern, value):
            raise ValueError(rule)
        return read(value)

    return parse


def _number_between(minimum: float, maximum: float, kind: str, read: Callable[[str], Any]) -> Any:
    rule = f"must be {kind} from {minimum:.15g} to {maximum:.15g}"
    digits = r"[0-9]{1,12}" if read is int else r"[0-9]{1,9}(\.[0-9]{1,6})?"
    parse_number = _matching(digits, rule, read)

    def parse(value: str) -> Any:
        if not minimum <= parse_number(value) <= maximum:
            raise ValueError(rule)
        return parse_number(value)

    return parse


def _whole_number(minimum: int, maximum: int) -> Any:
    return _number_between(minimum, maximum, "a whole number", int)


def _seconds(minimum: float, maximum: float) -> Any:
    return _number_between(minimum, maximum, "a number", float)


def _check_database_url(value: str) -> str:
    if value.startswith("sqlite:"):
        path = sqlite_path(value)
        # An in-memory database would be lost on exit, and each process would have its own.
        if not value.startswith(_SQLITE_PREFIX) or path in ("", ":memory:") or "\0" in path:
            raise ValueError(
                "must contain a file path, such as sqlite:///wishwell.db "
                "for a file in the current folder"
            )
        if re.search(r"\?\w+=", value):
            raise ValueError("takes no options; write a ? in a file name as %3F")
    elif value.startswith(("postgresql://", "postgres://")):
        url.parse(_check_url(value))
    else:
        raise ValueError("must start with sqlite:/// or postgresql://")
    return value


_FILE_OPTION = re.compile("ssl(cert|key|rootcert|crl|_ca_certs|_certfile|_keyfile)|passfile")
"""Options of database and Redis URLs that name files."""


def _check_url(value: str) -> str:
    """Validates a URL. The error never shows it, because it may contain a password."""
    try:
        options = parse_qsl(urlsplit(value).query)
        is_valid = not re.search(r"[\x00-\x20\x7f#]|%00|%(?![0-9A-Fa-f]{2})", value)
    except ValueError:
        is_valid = False
    if is_valid:
        for name, path in options:
            # Not pathlib, which raises for a name that is too long.
            if _FILE_OPTION.fullmatch(name) and os.path.isfile(path) != os.path.exists(path):  # noqa: PTH110, PTH113
                raise ValueError(f"has a {name} that is a folder, a pipe or a device, not a file")
        return value
    raise ValueError(
        "is not a valid URL; percent-encode special characters (# is %23, % is %25, a space is "
        "%20), and write an IPv6 address in [ ]"
    )


def _check_redis_url(value: str) -> str:
    """Refuses a URL that the Redis client can't parse; otherwise every request would fail."""
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must start with redis://, rediss:// or unix://")
    from wishwell.ratelimits import shared

    shared.validate_url(_check_url(value))
    return value


def check_smtp_url(value: str) -> str:
    """Refuses an SMTP URL without a host. The error never shows it, because it has a password."""
    rule = "must be of the form smtp://user:password@host:587 or smtps://user:password@host:465"
    parts = urlsplit(_check_url(value))
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path not in ("", "/"):
        raise ValueError(rule)
    try:
        parts.port  # noqa: B018
    except ValueError:
        raise ValueError(rule) from None
    if parts.query not in ("", "tls=off"):
        raise ValueError("has an option other than tls=off")
    return value


def _parse_secrets(value: str) -> tuple[str, ...]:
    """Parses a comma-separated list of secrets. The first signs, all are accepted."""
    secrets = tuple(part.strip() for part in value.split(","))
    if any(len(secret) < 32 for secret in secrets):
        raise ValueError(
            "must be one or more secrets of at least 32 characters each, separated by commas"
        )
    return secrets


def _parse_networks(value: str) -> tuple[Network, ...]:
    try:
        return tuple(
            ipaddress.ip_network(part.strip()) for part in value.split(",") if part.strip()
        )
    except ValueError as error:
        raise ValueError(
            f"must be networks such as 10.0.0.0/8, separated by commas: {error}"
        ) from error


_flag = _matching("true|false", "must be true or false", "true".__eq__)
_switch = _matching("on|off", "must be on or off")
_level = _matching("debug|info|warning|error", "must be debug, info, warning or error")
_namespace = _matching(r"[a-z0-9-]{1,40}", "must be 1 to 40 characters: a-z, 0-9 or -")
_base = _matching(
    r"(?!/api)(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+",
    "must be a path such as /apps/wishlist, without a trailing slash and not below /api",
)


# rule: secret-unseen
def _setting(default: Any, parse: Callable[[str], Any], *, secret: bool = False) -> Any:
    """Declares a setting. ``parse`` raises ``ValueError`` with the broken rule."""
    return field(default=default, repr=not secret, metadata={"parse": parse, "secret": secret})


# rules: setting-invalid, limit-caller
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings.

    ``*_timeout``, ``*_interval`` and ``*_seconds`` are in seconds, ``*_days`` in days. Rate limits
    (``limit_*``, except entries and list items) are requests per minute.
    """

    database_url: str = _setting("sqlite:///wishwell.db", _check_database_url, secret=True)
    database_connections: int = _setting(20, _whole_number(1, 500))
    database_timeout: float = _setting(2.0, _seconds(0.1, 60))
    command_timeout: float = _setting(30.0, _seconds(0.1, 600))
    journal: str | None = _setting(None, _matching(r".*[^/]", "must be the path of a file"))
    redis_url: str | None = _setting(None, _check_redis_url, secret=True)
    host: str = _setting("127.0.0.1", str)
    port: int = _setting(8000, _whole_number(0, 65_535))
    workers: int = _setting(1, _whole_number(1, 64))
    admin: str = _setting("on", _switch)
    signing_keys: tuple[str, ...] = _setting((), _parse_secrets, secret=True)
    sealing_keys: tuple[str, ...] = _setting((), _parse_secrets, secret=True)
    storefront_base: str = _setting("/apps/wishlist", _base)
    session_namespace: str = _setting("wishwell", _namespace)
    session_days: float = _setting(90.0, _seconds(0, 36_500))
    empty_session_days: float = _setting(2.0, _seconds(0, 36_500))
    count_seconds: float = _setting(3_600.0, _seconds(1, 86_400))
    """Seconds between two counts of a store for its reports."""
    purge_interval: float = _setting(600.0, _seconds(1, 86_400))
    items_per_profile: int = _setting(5_000, _whole_number(1, 100_000))
    lists_per_profile: int = _setting(250, _whole_number(1, 10_000))
    limit_entries: int = _setting(20_000, _whole_number(1, 1_000_000))
    limit_list_items: int = _setting(1_000, _whole_number(1, 100_000))
    events_days: float = _setting(7.0, _seconds(4, 3_650))
    limit_profile_read: int = _setting(600, _whole_number(1, 10_000_000))
    limit_profile_write: int = _setting(240, _whole_number(1, 10_000_000))
    limit_profile_token: int = _setting(30, _whole_number(1, 10_000_000))
    limit_admin_read: int = _setting(6_000, _whole_number(1, 10_000_000))
    limit_admin_write: int = _setting(3_000, _whole_number(1, 10_000_000))
    limit_admin_token: int = _setting(3_000, _whole_number(1, 10_000_000))
    limit_address: int = _setting(60, _whole_number(1, 10_000_000))
    limit_shared: int = _setting(120, _whole_number(1, 10_000_000))
    limit_visitor_read: int = _setting(600, _whole_number(1, 10_000_000))
    limit_new_sessions: int = _setting(60, _whole_number(1, 10_000_000))
    trusted_proxies: tuple[Network, ...] = _setting((), _parse_networks)
    key_set_seconds: float = _setting(600.0, _seconds(1, 86_400))
    """The greatest age of a shop's key set."""
    mail: str = _setting("on", _switch)
    smtp_url: str | None = _setting(None, check_smtp_url, secret=True)
    limit_confirmations: int = _setting(200, _whole_number(1, 10_000_000))
    """Confirmations of addresses that a store sends in an hour."""
    webhook_http: bool = _setting(False, _flag)
    webhook_private: bool = _setting(False, _flag)
    max_in_flight: int = _setting(128, _whole_number(1, 100_000))
    max_unpacked_bytes: int = _setting(MAX_UNPACKED_BYTES, _whole_number(1, 999_999_999_999))
    header_timeout: float = _setting(10.0, _seconds(0.1, 600))
    body_timeout: float = _setting(10.0, _seconds(0.1, 600))
    body_memory: int = _setting(32, _whole_number(4, 65_536))
    """MiB for all unfinished bodies of a process."""
    answer_timeout: float = _setting(30.0, _seconds(0.1, 600))
    shutdown_timeout: float = _setting(8.0, _seconds(0, 600))
    log_networks: str = _setting("off", _switch)
    log_level: str = _setting("info", _level)

    @property
    def engine(self) -> Engine:
        return "sqlite" if self.database_url.startswith("sqlite:") else "postgresql"

    @property
    def database_name(self) -> str:
        """The file's absolute path, or the hosts and the name of the database. No secrets."""
        if self.engine == "sqlite":
            return str(Path(sqlite_path(self.database_url)).absolute())
        parts = urlsplit(self.database_url)
        return parts.netloc.rpartition("@")[2] + parts.path

    @property
    def journal_path(self) -> str:
        """The journal's path, or "" without a journal."""
        default_path = f"{sqlite_path(self.database_url)}.journal.jsonl"
        return self.journal or (default_path if self.engine == "sqlite" else "")


_SQLITE_PREFIX = "sqlite:///"


def sqlite_path(url: str) -> str:
    """Returns the path in ``sqlite:///relative.db`` or ``sqlite:////absolute.db``.

    Decodes percent-encoding; ``#`` and ``?`` are part of the file name.
    """
    return os.fsdecode(unquote_to_bytes(os.fsencode(url.removeprefix(_SQLITE_PREFIX))))


# rule: setting-invalid
def load(environment: Mapping[str, str]) -> Settings:
    """Reads the settings. Raises one ``Misconfigured`` that lists all invalid ones."""
    declarations = {PREFIX + declared.name.upper(): declared for declared in fields(Settings)}
    values: dict[str, Any] = {}
    problems: list[str] = []
    for variable, raw_text in sorted(environment.items()):
        if variable.startswith(PREFIX):
            try:
                name, text = _read_text(variable, raw_text, declarations, environment)
                if text.strip():  # an empty variable counts as not set
                    setting = declarations[name]
                    values[setting.name] = setting.metadata["parse"](text.strip())
            except ValueError as error:
                problems.append(f"{variable} {error}")
    if problems:
        raise Misconfigured("; ".join(problems))
    return Settings(**values)


def _read_text(
    variable: str,
    raw_text: str,
    declarations: Mapping[str, Field[Any]],
    environment: Mapping[str, str],
) -> tuple[str, str]:
    """Returns a variable's setting and its text, which with ``_FILE`` is the file's content."""
    name = variable if variable in declarations else variable.removesuffix("_FILE")
    if name not in declarations or not (name == variable or declarations[name].metadata["secret"]):
        raise ValueError(f"isn't a known setting; all settings: {DOCS}configuration.md")
    text = raw_text
    if name != variable and raw_text.strip():
        if environment.get(name, "").strip():
            raise ValueError(f"and {name} are both set; remove one")
        try:
            with files.open_regular(raw_text) as file:
                text = file.read().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"can't be read ({error})") from error
        if not text.strip():
            raise ValueError("names an empty file")
    if re.search("[\0\ud800-\udfff]", text):  # Python decodes invalid UTF-8 as surrogates
        raise ValueError("must be UTF-8 text without NUL characters")
    return name, text


def readable_by_others() -> list[str]:
    """Returns the files of ``…_FILE`` settings that every user of this machine can read."""
    paths = [
        path
        for name, path in os.environ.items()
        if re.fullmatch(rf"{PREFIX}\w+_FILE", name) and path
    ]
    return [path for path in paths if Path(path).stat().st_mode & 0o004]
