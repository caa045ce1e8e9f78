"""Opens what both the service and the commands need: the database, the keys and shops' key sets."""

import os
import sys
from collections.abc import Sequence

from wishwell import config
from wishwell.access import key_files
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.db.journal import Journal
from wishwell.db.postgres.hosts import Warn
from wishwell.errors import Misconfigured
from wishwell.outbound import Outbound
from wishwell.shoppers.key_sets import KeySets
from wishwell.stores.sealing import Sealing

_SWITCH_SECONDS = 0.0001
"""Seconds after which the busy event loop hands the interpreter lock to SQLite's writer thread.

With Python's default of 5 ms, a write took 50 ms and more under overload (docs/decisions/0015).
"""


def open_database(
    settings: Settings,
    warn: Warn | None = None,
    journal: Journal | None = None,
    seconds: float | None = None,
) -> Database:
    """Opens the database, which must have been migrated. ``warn`` logs changes of the host in use.
    ``seconds``: timeout of a PostgreSQL statement; by default that of a request's.

    A SQLite file is opened immediately: raises ``Unavailable`` if it can't be read. PostgreSQL is
    connected to when needed.
    """
    journal = journal or Journal(settings.journal_path)
    if settings.engine == "sqlite":
        from wishwell.db.sqlite.database import SQLite

        sys.setswitchinterval(_SWITCH_SECONDS)
        return SQLite(config.sqlite_path(settings.database_url), journal)
    from wishwell.db.postgres.database import Postgres

    return Postgres(
        settings.database_url,
        connections=settings.database_connections,
        seconds=seconds or settings.database_timeout,
        warn=warn,
        journal=journal,
    )


# rule: init-explicit
def require_database(settings: Settings) -> None:
    """Raises ``Misconfigured`` if the file of an embedded database doesn't exist."""
    path = config.sqlite_path(settings.database_url)
    if settings.engine == "sqlite" and not os.access(path, os.F_OK):
        raise Misconfigured(
            f"The database {settings.database_name} doesn't exist. Check the folder and "
            "WISHWELL_DATABASE_URL. To create a new, empty database, run `wishwell init`."
        )


# rule: signing-keys
def signing_keys(settings: Settings) -> list[bytes]:
    """Returns the signing keys, current first. Raises ``Misconfigured`` without any."""
    if keys := _keys(settings, settings.signing_keys, ""):
        return keys
    raise Misconfigured(
        "WISHWELL_SIGNING_KEYS is required with a PostgreSQL database: set it to a "
        "secret of at least 32 characters, for example from `openssl rand -base64 48`."
    )


# rule: sealing-keys
def sealing(settings: Settings) -> Sealing | None:
    """Returns the cipher for stored secrets; ``None`` for a server database without the setting."""
    keys = _keys(settings, settings.sealing_keys, ".sealing")
    return Sealing(keys) if keys else None


def required_sealing(settings: Settings) -> Sealing:
    """Returns the cipher for stored secrets.

    Raises ``Misconfigured`` for a server database without the setting.
    """
    if (cipher := sealing(settings)) is not None:
        return cipher
    raise Misconfigured(
        "WISHWELL_SEALING_KEYS is required to store secrets in a PostgreSQL database: "
        "set it to at least 32 characters, for example from `openssl rand -base64 48`."
    )


def _keys(settings: Settings, configured: Sequence[str], suffix: str) -> list[bytes]:
    """Returns the configured keys, or else the key in the key file of an embedded database."""
    if configured or settings.engine != "sqlite":
        return [key.encode() for key in configured]
    return [key_files.embedded_key(config.sqlite_path(settings.database_url) + suffix)]


def key_sets(settings: Settings) -> KeySets:
    """Returns the reader of shops' JWT key sets (JWKS). It connects only when a set is needed."""
    outbound = Outbound(http=settings.webhook_http, private=settings.webhook_private)
    return KeySets(outbound, settings.key_set_seconds)
