"""Migrations are applied once under concurrency, and make the same schema on both engines."""

import asyncio
import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest

from tests import schema
from tests.servers import Service
from wishwell.db import migrate
from wishwell.errors import Misconfigured


@pytest.fixture
def empty(engine, request):
    """A service whose database has no schema yet."""
    service = Service({"WISHWELL_SIGNING_KEYS": "k" * 40})
    if engine == "postgresql":
        server = request.getfixturevalue("postgres_server")
        service.settings["WISHWELL_DATABASE_URL"] = server.create_database()
    yield service
    service.kill()


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 8])
def test_concurrent_migrations_are_applied_once(empty, engine, count):
    """Concurrent migrations all succeed and one does the work; `--plan` changes nothing.
    Rule: migrate-once."""
    names = [entry.name for entry in migrate.available("sqlite")]
    if engine == "postgresql":
        assert empty.cli("migrate", "--plan").stdout.split() == names
    command = [str(empty.command), "init"]
    with ThreadPoolExecutor(count) as threads:
        done = list(threads.map(lambda _: empty.run(command), range(count)))
    assert {one.returncode for one in done} == {0}, done
    assert sum("applying" in one.stdout for one in done) == 1
    assert empty.cli("migrate").stdout.strip() == "nothing to do"
    assert empty.cli("migrate", "--plan").stdout == ""
    assert empty.cli("store", "list", "--json").stdout.count('"handle": "default"') == 1


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE migrations SET checksum = 'other'", "has changed"),
        (
            "INSERT INTO migrations VALUES (999, '0999_later', 'x', 'x');"
            "UPDATE schema_support SET oldest_program = 999;",
            "newer than this program",
        ),
        (
            "INSERT INTO migrations VALUES (999, '0999_later', 'x', 'x');DROP TABLE schema_support;",
            "newer than this program",
        ),
    ],
)
def test_changed_or_later_schema_is_refused(tmp_path, sql, says):
    """A changed schema, and one of a later release, are refused. Rule: migrate-once."""
    path = str(tmp_path / "wishwell.db")
    migrate.migrate_sqlite(path)
    with sqlite3.connect(path) as connection:
        connection.executescript(sql)
    with pytest.raises(Misconfigured, match=says):
        migrate.pending_sqlite(path)


LATER = "INSERT INTO migrations VALUES (999, '0999_later', 'x', 'x')"


@pytest.mark.parametrize("starts", [True, False])
def test_older_program_starts_on_a_schema_that_only_adds(empty, starts):
    """A program starts, again too, on a schema that a later release has migrated, unless the schema
    needs a newer program; `migrate` has nothing to do. Rule: migrate-once."""
    empty.settings.setdefault("WISHWELL_DATABASE_URL", "sqlite:///wishwell.db")
    empty.cli("init")
    empty.rows(LATER)
    newest = migrate.available("sqlite")[-1].version
    empty.rows(f"UPDATE schema_support SET oldest_program = {newest + (not starts)}")
    done = empty.cli("migrate", check=False)
    assert done.returncode == (not starts)
    if starts:
        assert done.stdout.strip() == "nothing to do"
        assert empty.start().client().get(f"{empty.url}/readyz").status_code == 200
        checks = json.loads(empty.cli("doctor", "--json", check=False).stdout)
        assert [one["state"] for one in checks if one["what"] == "migrations"] == ["ok"]
    else:
        for said in (done.stderr, empty.cli("serve", check=False).stderr):
            assert "newer than this program" in said


def test_schema_names_the_oldest_program_that_runs_on_it():
    """`schema_support` names a migration of this program or an earlier one. Rule: migrate-once."""
    [[oldest]] = schema.migrated().execute("SELECT oldest_program FROM schema_support")
    assert oldest in {entry.version for entry in migrate.available("sqlite")}


def test_engines_have_the_same_tables_columns_constraints_and_indexes(postgres_server):
    """Both engines have the same schema, except for the types of columns."""
    url = postgres_server.create_database()

    async def of_postgres():
        await migrate.migrate_postgres(url)
        connection = await asyncpg.connect(url)
        try:
            return [{tuple(row) for row in await connection.fetch(sql)} for sql in SHAPE]
        finally:
            await connection.close()

    columns, constraints, indexes = asyncio.run(of_postgres())
    database = schema.migrated()
    sql = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    assert columns == {
        (name, row[1], bool(row[3]), (row[4] or "").strip("'"))
        for name in sql
        for row in database.execute(f"PRAGMA table_info({name})")
    }
    assert constraints == {
        (name, constraint)
        for name, text in sql.items()
        for constraint in re.findall(r"CONSTRAINT (\w+)", text)
    }
    assert indexes == set(
        database.execute(
            "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND sql != ''"
        )
    )


SHAPE = (
    """SELECT table_name, column_name::text, is_nullable = 'NO',
              trim(both '''' from split_part(coalesce(column_default, ''), '::', 1))
       FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name NOT LIKE 'citus_%'""",
    """SELECT conrelid::regclass::text, conname::text FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f')""",
    """SELECT tablename::text, indexname::text FROM pg_indexes
       WHERE schemaname = 'public' AND indexname NOT IN (SELECT conname FROM pg_constraint)""",
)


@pytest.mark.parametrize("encoding", ["LATIN1", "UTF8"])
def test_database_of_another_encoding_is_refused(request, encoding):
    """A database with another encoding than UTF-8 is refused, whatever client encoding the URL
    sets.
    Rule: init-explicit."""
    server = request.getfixturevalue("postgres_server")
    name = f"encoded_{encoding.lower()}"
    server.sql(
        f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    url = f"{server.url(name)}?client_encoding=LATIN1"
    service = Service({"WISHWELL_SIGNING_KEYS": "k" * 40, "WISHWELL_DATABASE_URL": url})
    done = service.cli("migrate", check=False)
    if encoding == "LATIN1":
        assert done.returncode == 1
        assert "ENCODING 'UTF8'" in done.stderr
    else:
        service.start()
        http = service.client(service.admin_token(), "gid://shopify/Customer/1")
        assert http.post("/lists", json={"name": "日本 😀"}).status_code == 201
    service.close()
