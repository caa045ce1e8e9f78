"""Waits of migrations for locks of other sessions, which are named."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeVar

import asyncpg

from wishwell.db.postgres import connecting
from wishwell.db.postgres.failures import UNREACHABLE
from wishwell.db.postgres.hosts import Connection

T = TypeVar("T")
Progress = Callable[[str], None]

LOCK_TIMEOUT_SECONDS = 1.2
"""Seconds for which a statement may queue for a table: requests queue behind it. Longer than
PostgreSQL's ``deadlock_timeout``, after which an autovacuum that is in the way is ended."""

_RETRY_SECONDS = 2.0
_CONNECT_SECONDS = 10.0
_SESSION = """
a.pid, coalesce(nullif(a.application_name, ''), a.backend_type), a.usename::text,
       ceil(extract(epoch FROM clock_timestamp() - a.xact_start))::integer
"""
_LOCK_HOLDERS = f"""
SELECT DISTINCT {_SESSION}
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    JOIN pg_class c ON c.oid = l.relation AND c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)
WHERE l.granted AND a.datname = current_database() AND a.pid <> pg_backend_pid()
  AND c.relnamespace = current_schema()::regnamespace
  AND coalesce(a.xact_start < clock_timestamp() - make_interval(secs => $1), true)
ORDER BY a.pid
"""  # noqa: S608
_BLOCKERS = f"""
SELECT {_SESSION} FROM pg_stat_activity a WHERE a.pid = ANY (pg_blocking_pids($1)) ORDER BY a.pid
"""  # noqa: S608


# rule: migrate-once
async def retry_locks(
    connection: Connection, apply: Callable[[], Awaitable[T]], report: Progress
) -> T:
    """Applies migrations again until no other session has locked their tables.

    Between two attempts requests can use the tables. Reports the sessions when they change.
    """
    reported_ids: set[int] | None = None
    while True:
        try:
            return await apply()
        except asyncpg.LockNotAvailableError:
            holders = await connection.fetch(_LOCK_HOLDERS, LOCK_TIMEOUT_SECONDS)
        process_ids = {row[0] for row in holders}
        if process_ids != reported_ids:
            reported_ids = process_ids
            names = _describe(holders) or "a short transaction"
            report(f"waiting for tables that are locked by {names}")
        await asyncio.sleep(_RETRY_SECONDS)


# rule: migrate-once
@contextlib.asynccontextmanager
async def reporting_blockers(url: str, process_id: int, report: Progress) -> AsyncIterator[None]:
    """Reports the sessions for which a server process waits while the body runs.

    A concurrent build of an index waits for all older transactions, but no request waits for it.
    """
    watch = asyncio.create_task(_watch(url, process_id, report))
    try:
        yield
    finally:
        watch.cancel()
        await asyncio.wait([watch])


async def _watch(url: str, process_id: int, report: Progress) -> None:
    reported_ids = set[int]()
    # Without another connection, the build isn't watched.
    with contextlib.suppress(asyncpg.PostgresError, *UNREACHABLE):
        connection = await connecting.connect(url, timeout=_CONNECT_SECONDS)
        try:
            while True:
                await asyncio.sleep(_RETRY_SECONDS)
                blockers = await connection.fetch(_BLOCKERS, process_id)
                process_ids = {row[0] for row in blockers}
                if process_ids - reported_ids:
                    reported_ids |= process_ids
                    report(f"waiting for the end of {_describe(blockers)}; requests continue")
        finally:
            connection.terminate()


def _describe(sessions: Sequence[Any]) -> str:
    return ", ".join(
        # Another role's times are hidden from a role with few rights.
        f"process {pid} ({program} of {user}{'' if seconds is None else f', {seconds} s'})"
        for pid, program, user, seconds in sessions
    )
