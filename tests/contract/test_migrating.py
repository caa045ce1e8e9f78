"""Migrations of PostgreSQL: with timeouts, concurrent writers, interruptions, and several nodes."""

import asyncio
import contextlib
from urllib.parse import urlsplit

import asyncpg
import pytest

from tests.servers.called import on_loop
from tests.servers.pgbouncer import PgBouncer, pgbouncer_binary
from wishwell.db import migrate
from wishwell.errors import Unavailable

NAME = "9001_later"
INDEX = "CREATE INDEX CONCURRENTLY later_idx ON revocations (jti);"
RECORDED = f"SELECT count(*) FROM migrations WHERE name = '{NAME}'"
VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('later_idx')"
OTHERS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE $1 AND pid <> $2"


@contextlib.asynccontextmanager
async def database(server, monkeypatch, sql):
    """Yields a migrated database with short timeouts, a connection to it, and a later migration."""
    url = server.create_database()
    await migrate.migrate_postgres(url)
    name = urlsplit(url).path[1:]
    for timeout in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        server.sql(f"ALTER DATABASE \"{name}\" SET {timeout} = '300ms'")
    later = migrate.Migration(9001, NAME, sql, "checksum")
    files = migrate.available("postgresql")
    monkeypatch.setattr(migrate, "available", lambda engine: [*files, later])
    connection = await asyncpg.connect(url)
    await connection.execute("SET idle_in_transaction_session_timeout = 0")
    yield url, connection
    await connection.close()


async def backend(connection, text: str) -> int:
    """Waits for the backend that runs a statement with this text. Returns its pid."""
    async with asyncio.timeout(20):
        while True:
            await connection.fetch("SELECT pg_stat_clear_snapshot()")
            pid = await connection.fetchval(OTHERS, f"%{text}%", connection.get_server_pid())
            if pid is not None:
                return pid
            await asyncio.sleep(0.02)


async def save(url: str) -> None:
    """Writes on a new connection; fails if it waits 300 ms for a lock (lock_timeout)."""
    writer = await asyncpg.connect(url)
    await writer.execute("UPDATE revocations SET jti = jti")
    await writer.close()


@on_loop
async def test_timeouts_of_the_role_do_not_end_a_migration(postgres_server, monkeypatch):
    """A role's timeouts end neither a slow statement of a migration nor one that waits for a lock.
    Rule: migrate-once."""
    sql = "SELECT pg_sleep(0.5);\nALTER TABLE revocations ADD COLUMN later integer;"
    async with database(postgres_server, monkeypatch, sql) as (url, other):
        async with other.transaction():
            await other.execute("LOCK TABLE revocations")
            running = asyncio.create_task(migrate.migrate_postgres(url))
            await backend(other, "ALTER TABLE revocations")
            await asyncio.sleep(0.5)
        assert await running == [NAME]


@pytest.mark.slow
@on_loop
async def test_migration_that_waits_for_a_reader_blocks_no_requests(postgres_server, monkeypatch):
    """While a transaction such as pg_dump's reads a table, a migration of it lets requests pass, says
    for whom it waits, once, and is applied after the reader's end. Rule: migrate-once."""
    sql = "ALTER TABLE revocations ADD COLUMN later integer;"
    lines: list[str] = []
    async with database(postgres_server, monkeypatch, sql) as (url, other):
        await other.execute("SET application_name = 'pg_dump'")
        request = await asyncpg.connect(url, server_settings={"lock_timeout": "0"})
        await request.execute("SET statement_timeout = '2s'")  # WISHWELL_DATABASE_TIMEOUT
        async with other.transaction():
            await other.fetch("SELECT * FROM revocations")
            running = asyncio.create_task(migrate.migrate_postgres(url, lines.append))
            await backend(other, "ALTER TABLE revocations")
            for _ in range(12):
                await request.fetch("SELECT * FROM revocations")
                await request.execute("UPDATE revocations SET jti = jti")
                await asyncio.sleep(0.5)
            assert not running.done()
        await request.close()
        assert await running == [NAME]
        [applying, waiting] = lines
        assert applying == f"applying {NAME}"
        assert f"process {other.get_server_pid()} (pg_dump of wishwell, " in waiting


@on_loop
async def test_interrupted_wait_of_a_migration_keeps_nothing(postgres_server, monkeypatch):
    """A migration that ends while it waits for a table leaves no trace. Rule: migrate-once."""
    sql = "CREATE TABLE later (x integer);\nALTER TABLE revocations ADD COLUMN later integer;"
    async with database(postgres_server, monkeypatch, sql) as (url, other):
        async with other.transaction():
            await other.execute("LOCK TABLE revocations")
            running = asyncio.create_task(migrate.migrate_postgres(url))
            await backend(other, "ALTER TABLE revocations")
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        assert await other.fetchval("SELECT to_regclass('later')") is None
        assert await migrate.migrate_postgres(url) == [NAME]


@pytest.mark.parametrize("sql", ["SELECT 1 / 0;", "SELECT pg_sleep(60);", INDEX])
@on_loop
async def test_interrupted_migration_is_named_and_resumed(postgres_server, monkeypatch, sql):
    """A migration that an error or the end of its server process interrupts is named, and the next run
    resumes. Rule: migrate-once."""
    async with database(postgres_server, monkeypatch, sql) as (url, other):
        async with other.transaction():
            await other.execute("UPDATE revocations SET jti = jti")  # a build waits for its end
            running = asyncio.create_task(migrate.migrate_postgres(url))
            if sql != "SELECT 1 / 0;":
                pid = await backend(other, sql[:30])
                await other.execute("SELECT pg_terminate_backend($1)", pid)
            with pytest.raises(Unavailable, match=f"while applying {NAME}"):
                await running
        assert await other.fetchval(RECORDED) == 0
        if sql == INDEX:
            assert await other.fetchval(VALID) is False
            assert await migrate.migrate_postgres(url) == [NAME]
            assert await other.fetchval(VALID) is True
            await other.execute("DELETE FROM migrations WHERE version = 9001")
            assert await migrate.migrate_postgres(url) == [NAME]  # cut after the build


@pytest.mark.slow
@on_loop
async def test_index_is_built_once_while_others_write(postgres_server, monkeypatch):
    """If four nodes migrate concurrently, only one builds the index, says for whom it waits, and
    others can write. Rule: migrate-once."""
    lines: list[str] = []
    async with database(postgres_server, monkeypatch, INDEX) as (url, other):
        async with other.transaction():
            await other.execute("UPDATE revocations SET jti = jti")
            nodes = [
                asyncio.create_task(migrate.migrate_postgres(url, lines.append)) for _ in range(4)
            ]
            await backend(other, "INDEX CONCURRENTLY")
            await save(url)
            async with asyncio.timeout(20):
                while len(lines) < 2:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            assert not any(node.done() for node in nodes)
            waiting = f"waiting for the end of process {other.get_server_pid()} ("
            assert lines[0] == f"applying {NAME}" and lines[1].startswith(waiting)
        assert sorted(await asyncio.gather(*nodes)) == [[], [], [], [NAME]]
        assert await other.fetchval(VALID) is True
        assert await other.fetchval(RECORDED) == 1


@pytest.mark.skipif(pgbouncer_binary() is None, reason="there is no pgbouncer here")
@on_loop
async def test_migrate_through_a_pooler_leaves_no_session_state(postgres_server, monkeypatch):
    """Through a pooler the index is built in the transaction, whose end also ends its timeouts and its lock.
    Rule: migrate-once."""
    slow = f"SELECT pg_sleep(0.5);\n{INDEX}"
    async with database(postgres_server, monkeypatch, slow) as (url, other):
        pooler = PgBouncer(postgres_server, "transaction", 3)
        through = url.replace(f":{postgres_server.port}/", f":{pooler.port}/")
        assert await migrate.migrate_postgres(through) == [NAME]
        pooled = await asyncpg.connect(through, statement_cache_size=0)
        assert await pooled.fetchval("SHOW statement_timeout") == "300ms"
        await pooled.close()
        pooler.close()
        assert (
            await other.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 0
        )
        assert await other.fetchval(VALID) is True
