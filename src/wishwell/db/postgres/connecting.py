"""Opens a single connection to a PostgreSQL server."""

import asyncio
import contextlib
import functools
from collections.abc import Mapping
from typing import Any

import asyncpg

from wishwell.db.postgres.hosts import Connection, Hosts
from wishwell.db.postgres.url import Address, Target, parse
from wishwell.errors import Misconfigured

_ENCODINGS = ("UTF8", "SQL_ASCII")
"""Encodings that can store any text. SQL_ASCII stores bytes unchanged."""


async def connect(url: str, *, timeout: float) -> Connection:  # noqa: ASYNC109
    """Opens a connection for a command; a pooler may be in between. ``timeout`` is in seconds, and
    of several hosts, of which each gets less time, for several attempts.

    Raises the driver's errors, and ``Misconfigured`` for a bad URL or a bad encoding.
    """
    target = parse(url)
    open_host = functools.partial(open_one, target, statement_cache_size=0)
    hosts = Hosts(target, open_host, timeout)
    async with asyncio.timeout(timeout):
        while True:
            with contextlib.suppress(TimeoutError):
                return await hosts.connect()


async def open_one(
    target: Target,
    address: Address,
    *,
    server_settings: Mapping[str, str] | None = None,
    **options: Any,
) -> Connection:
    """Opens a connection to a host, always in UTF-8. The caller limits the time.

    Raises the driver's errors, and ``Misconfigured`` for a bad URL or a bad encoding.
    """
    settings = {"client_encoding": "UTF8", **(server_settings or {})}
    host_options = {name: value for name, value in address._asdict().items() if value is not None}
    try:
        connection: Connection = await asyncpg.connect(
            target.url, server_settings=settings, **host_options, **target.options, **options
        )
    except asyncpg.ClientConfigurationError as error:
        raise Misconfigured(f"WISHWELL_DATABASE_URL: {error}.") from error
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        # Not quoted, because the error may contain a part of the URL's password.
        raise Misconfigured(
            "WISHWELL_DATABASE_URL: can't be parsed by the database driver; check its "
            "host, port and options."
        ) from error
    encoding = connection.get_settings().server_encoding
    if encoding not in _ENCODINGS:
        connection.terminate()
        raise Misconfigured(
            f"The database's encoding is {encoding}, which can't store all text. Create the "
            "database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
        )
    return connection


async def prepare(connection: Connection) -> None:
    """Makes a connection pass uuid values as text."""
    await connection.set_builtin_type_codec(
        "uuid", schema="pg_catalog", codec_name="text", format="text"
    )


# rule: database-failover
async def is_pooled(target: Target, address: Address) -> bool:
    """Returns whether this host is a pooler.

    On connecting, a pooler reports a made-up process id instead of the server's.
    """
    connection = await open_one(target, address, statement_cache_size=0)
    try:
        pid = await connection.fetchval("SELECT pg_backend_pid()")
        return bool(pid != connection.get_server_pid())
    finally:
        connection.terminate()
