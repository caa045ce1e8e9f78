"""The checks of ``doctor`` for the database, its servers and its contents."""

import asyncio
import time

from wishwell import config, ids
from wishwell.config import Settings
from wishwell.db import Database, migrate, run_statement
from wishwell.db.clock import ClockSuspect, ReferenceClock
from wishwell.db.postgres import cluster, connecting, url
from wishwell.db.postgres.hosts import Connection
from wishwell.errors import ServiceError
from wishwell.server import opening

_CONNECT_SECONDS = 2.5
"""Timeout of a connection to a database server."""

_MAX_OFFSET_MS = 5_000
"""Maximum milliseconds between this machine's clock and the times in the database."""


class Note(str):
    """A result that may be intended or not."""


class CheckFailed(ServiceError):
    """A failed check."""


async def check_database(settings: Settings, opened: list[Database]) -> str:
    """Checks that the database responds, and appends it to ``opened``."""
    began = time.monotonic()
    opening.require_database(settings)
    opened.append(opening.open_database(settings))
    await opened[0].ping()
    return f"{settings.engine}, responds in {(time.monotonic() - began) * 1000:.0f} ms"


async def check_migrations(settings: Settings) -> str:
    if settings.engine == "sqlite":
        waiting = migrate.pending_sqlite(config.sqlite_path(settings.database_url))
    else:
        waiting = await migrate.pending_postgres(settings.database_url)
        if len(waiting) == len(migrate.available("postgresql")):
            raise CheckFailed("The database is empty. To use it, run `wishwell init`.")
    if waiting:
        raise CheckFailed(f"Pending: {', '.join(waiting)}. Run `wishwell migrate`.")
    if settings.engine != "sqlite":
        await migrate.check_rights(settings.database_url)
    return "up to date"


async def check_clock(db: Database) -> str:
    try:
        await db.read(ReferenceClock(ids.wall_clock).checked_now)
    except ClockSuspect as error:
        raise CheckFailed(f"{error.message}. Until then nothing is removed for its age.") from error
    # The database's clock, and when a process last took a lease for housekeeping.
    [[database_time, leased_at]] = await db.read(run_statement, "database_times")
    offset_ms = abs(ids.wall_clock() - ids.from_timestamp(database_time))
    ahead_ms = ids.from_timestamp(leased_at) - ids.wall_clock() if leased_at else 0
    if max(offset_ms, ahead_ms) > _MAX_OFFSET_MS:
        seconds = max(offset_ms, ahead_ms) / 1000
        raise CheckFailed(f"The clock differs by {seconds:,.0f} s from the times in the database.")
    return f"differs by {offset_ms} ms from the database's clock"


async def check_webhooks(db: Database) -> str:
    if failing := await db.read(run_statement, "webhooks_failing"):
        handle, id, since, problem = failing[0]
        first = f"{id} of store {handle} since {since}. {problem}".strip()
        raise CheckFailed(f"{len(failing)} webhooks fail; the first: {first}")
    return "no webhook fails"


# rule: mail-paused
async def check_mails(db: Database) -> str:
    if paused := await db.read(run_statement, "mails_paused"):
        handle, since, problem = paused[0]
        first = f"{handle} since {since}. {problem}".strip()
        raise CheckFailed(f"stores whose mails are paused: {len(paused)}; the first: {first}")
    return "none are paused"


async def check_servers(settings: Settings) -> str:
    """Checks the hosts in the database URL, and the servers of a cluster."""
    if settings.engine == "sqlite":
        return "one embedded file"
    target = url.parse(settings.database_url)._replace(options={"target_session_attrs": "any"})

    async def describe(address: url.Address) -> str:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                connection = await connecting.open_one(target, address, statement_cache_size=0)
                is_standby = await connection.fetchval("SELECT pg_is_in_recovery()")
                connection.terminate()
        except Exception as error:
            return f"{address} can't be reached ({type(error).__name__})"
        return f"{address} {'is a standby' if is_standby else 'accepts writes'}"

    has_several = len(target.addresses) > 1
    states = (
        "; ".join(await asyncio.gather(*map(describe, target.addresses)))
        if has_several
        else "one server"
    )
    if "can't be reached" in states or (
        states.count("accepts writes") > 1 and not target.random_order
    ):
        raise CheckFailed(f"{states}.")
    connection = await connecting.connect(settings.database_url, timeout=_CONNECT_SECONDS)
    try:
        await _check_server(settings, connection)
        if connection.get_settings().server_encoding == "SQL_ASCII":
            return Note(
                f"{states}; the encoding is SQL_ASCII, so search is case-sensitive: use UTF8"
            )
        if not await cluster.is_distributed(connection):
            return states
        if pairs := await cluster.disconnected_pairs(connection):
            raise CheckFailed(f"These servers of the cluster can't connect: {', '.join(pairs)}.")
        return f"{states}; all servers of the cluster can connect to each other"
    finally:
        connection.terminate()


async def _check_server(settings: Settings, connection: Connection) -> None:
    """Raises ``CheckFailed`` if the server has too few connections, or a pooler needs timeouts."""
    pid, max_connections, *timeouts = await connection.fetchrow(
        "SELECT pg_backend_pid(), current_setting('max_connections')::int"
        " - current_setting('superuser_reserved_connections')::int,"
        " current_setting('statement_timeout'),"
        " current_setting('idle_in_transaction_session_timeout')"
    )
    needed_connections = settings.workers * settings.database_connections
    if pid != connection.get_server_pid():  # a pooler, which has its own limit of connections
        if "0" in timeouts:
            raise CheckFailed(
                "There is a connection pooler, and the role has no statement_timeout or no "
                "idle_in_transaction_session_timeout. Set both with ALTER ROLE."
            )
    elif needed_connections > max_connections:
        raise CheckFailed(
            f"The service may open {needed_connections} connections (WISHWELL_WORKERS times "
            f"WISHWELL_DATABASE_CONNECTIONS), but the server allows {max_connections}."
        )
