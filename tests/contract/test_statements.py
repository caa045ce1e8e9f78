"""Every SQL statement prepares on both engines, names its profile, and uses an index."""

import asyncio
import contextlib
import json
import os
import re
from collections.abc import Iterator
from itertools import product as combinations

import pytest

from wishwell.db import migrate, pages, statements
from wishwell.db.__main__ import format_step
from wishwell.db.pages import Edge, Noun, PageQuery
from wishwell.db.postgres import cluster, connecting, database, hosts
from wishwell.db.postgres.database import Postgres
from wishwell.db.sqlite import sqlite_file
from wishwell.events.webhooks import Webhook
from wishwell.reports import tally
from wishwell.stores import Store
from wishwell.wishlists.items import Item
from wishwell.wishlists.lists import List
from wishwell.wishlists.shares import Share

ID = "01900000-0000-7000-8000-000000000000"

# Statements that may read a whole store or all sessions, with the reason.
STORE_WIDE = {
    "items_owners", "lists_owners",  # a record of a store, of any profile
    "store_holds",
    "keys_needed",  # an embedded database only
    "customers_like_placeholders", "items_named",  # the doctor
    "items_wishing", "items_due", "items_previewed", "products_wishes",  # many profiles: notices
    "sessions_idle", "sessions_end",  # many sessions: the purge
    "repair_sessions", "repair_customers",
    "purge_entries", "purge_item_tags", "purge_items", "purge_lists", "purge_profiles",
    "store_profiles",  # a whole store: deletion, export and import
    "export_profiles", "export_records", "export_held", "person_reserved",
    "import_email_ids", "import_profiles_held", "import_items_held", "import_lists_held", "import_shares_held",
    "purge_shares", "purge_reservations", "purge_held",
    "count_profiles", "count_items", "count_oldest", "count_dates",  # a store: reports
    "shoppers_recent", "shoppers_named",
    "customers_idle", "erasure_linked",  # erasure: a store's customers, a customer's sessions
    "history_linked",  # a customer's sessions
    "export_buyers",  # orders of many profiles
    "customers_count",  # a change of the platform
    "contacts_to_turn_off", "contacts_reachable",  # profiles of an address
    # A store's mails: polls, limits of an address in any profile, what the shop sees, old ones
    "mails_due_since", "mails_waiting", "mails_due", "mails_crashed", "mails_sent_count", "mails_sent_to", "mails_sending_to",
    "mails_refused_count", "mails_count", "mails_by_minute", "mails_cancel", "mails_remove", "purge_mails",
    "profiles_kinds",  # a link: owners of items that the session has reserved
}  # fmt: skip

PROFILES = "0|1|profile|profile_id|customer|session|owner|holder"
"""Names of arguments that identify a profile; positional ones are the first two."""


def queries() -> Iterator[tuple[PageQuery, list]]:
    """Yields every form of a page's statement with its arguments."""
    searched = [(), ("product",), ("variant",), ("tag",), ("list",), ("product", "tag")]
    nouns: tuple[Noun, ...] = ("items", "items_shown", "lists", "products")
    edges: tuple[Edge | None, ...] = (None, "older", "newer")
    for noun, whole, terms, edge in combinations(nouns, (False, True), searched, edges):
        if (terms and noun not in ("items", "items_shown")) or (noun == "products" and not whole):
            continue
        values = [[ID] for _ in terms]
        query = PageQuery(noun, whole, terms, edge, edge != "newer", beyond=edge is not None)
        yield query, [ID, edge and ID, 51, *values]
        if edge is None:
            yield query._replace(newest_first=False), [ID, None, 1, *values]


def queries_by_name() -> Iterator[tuple[PageQuery, list]]:
    """Yields the same for a profile's lists by name."""
    edges: tuple[Edge | None, ...] = (None, "older", "newer")
    for edge in edges:
        query = PageQuery("lists", False, ("name",), edge, edge != "newer", beyond=edge is not None)
        yield query, [ID, edge and ID, 51, ["[aA]"]]


def queries_of_store() -> Iterator[tuple[PageQuery, list]]:
    """Yields the same for records that belong to the store itself."""
    nouns: tuple[tuple[Noun, str, object], ...] = (
        ("webhooks", "", ""),
        ("deliveries", "webhook", ID),
        ("deliveries", "webhook_failed", ID),
        ("requests", "", ""),
        ("mails", "", ""),
        ("admin_tokens", "", ""),
        ("products", "title", ["[aA]"]),
    )
    edges: tuple[Edge | None, ...] = (None, "older", "newer")
    for (noun, term, value), edge in combinations(nouns, edges):
        terms = (term,) if term else ()
        query = PageQuery(noun, True, terms, edge, edge != "newer", beyond=edge is not None)
        yield query, [ID, edge and ID, 51, *([value] if term else [])]


def explain(bench, engine, sql, arguments):
    if engine == "sqlite":
        rows = bench.select("EXPLAIN QUERY PLAN " + sql, *map(as_json, arguments))
        return "\n".join(row[3] for row in rows)

    async def ask(connection):
        # Small tables are scanned despite indexes; forbid that to get the plan of a large table.
        await connection.execute("SET enable_seqscan = off; SET enable_sort = off")
        rows = await connection.fetch("EXPLAIN " + sql, *arguments)
        plan = "\n".join(row[0] for row in rows)
        if "Citus" in plan:
            pytest.skip("a plan of one server; those of a cluster are in test_cluster.py")
        return plan

    return bench.run(bench.on_connection(ask))


def as_json(argument):
    return json.dumps(argument) if isinstance(argument, list) else argument


def test_every_statement_can_be_printed_and_run_by_hand(bench, engine):
    """Every statement can be run by hand as ``python -m wishwell.db`` prints it. Skipped on a
    cluster, where a key can't be NULL."""
    if engine == "postgresql" and "WISHWELL_TEST_CITUS" in os.environ:
        pytest.skip("the database is spread")
    for name, statement in statements.load(engine).items():
        if name == "coordinator_time" and engine == "postgresql":
            continue  # a function of Citus
        for step in statement.steps:
            whole = format_step(step, engine, dict.fromkeys(step.param_names, "NULL"))
            bench.select("EXPLAIN " + whole)


async def prepare_everything(url):
    """Migrates a database and prepares every statement of the program on one connection."""
    await migrate.migrate_postgres(url)
    await migrate.pending_postgres(url)
    db = Postgres(url, connections=1, seconds=10)
    await db.ping()
    connection = await connecting.connect(url, timeout=10)
    asked = [
        step.sql
        for name, statement in statements.load("postgresql").items()
        for step in statement.steps
        if name != "coordinator_time"  # a function of Citus
    ]
    given = (*queries(), *queries_of_store(), *queries_by_name())
    asked += [pages.sql("postgresql", query) for query, _ in given]
    for sql in (*asked, database.UNCONFIRMED, hosts.TIMELINE, cluster.FOREIGN_KEYS):
        await connection.prepare(sql)
    await connection.close()
    await db.close()


def test_no_statement_makes_the_driver_read_the_types_of_postgresql(postgres_server):
    """No parameter type makes the driver read PostgreSQL's catalog on each new connection, which
    takes seconds on a Citus worker because it filters its shards from every row."""
    if postgres_server.spread:
        pytest.skip("its servers log what they ask each other")
    url = postgres_server.create_database()
    postgres_server.sql(f"ALTER DATABASE {url.rpartition('/')[2]} SET log_statement = 'all'")
    asyncio.run(prepare_everything(url))
    said = postgres_server.output()
    assert "CREATE TABLE items" in said
    assert "pg_type" not in said, re.findall(r"arameters: \$1 = '(\{[\d,]+\})'", said)


def test_statement_on_a_profiles_data_names_the_profile():
    """Each statement names its profile, so it runs on one shard; a link's statements name both."""
    known = statements.load("postgresql", distributed=True)
    assert not STORE_WIDE - known.keys()
    for step in (known[name].steps[0] for name in known.keys() - STORE_WIDE):
        sql = re.sub(r"\$(\d+)", lambda match: f":{step.param_names[int(match[1]) - 1]}", step.sql)
        for table, alias in re.findall(
            r"(?:FROM|JOIN|UPDATE|,) (items|lists|entries|item_tags|shares|reservations|held|mails|profiles)\b(?![.,])(?: (?:AS )?([a-z])\b)?",
            sql,
        ):
            named = rf"\b(?:{alias or table}\.)?profile_id = :({PROFILES})\b"
            assert re.search(named, sql), f"{table} {alias} in {sql}"
        # Citus can pass intermediate results between servers only with columns.
        assert "SELECT FROM" not in sql


TABLES = "items|lists|entries|item_tags|webhooks|deliveries|products|requests|mails|admin_tokens"
WHOLE_TABLE = {
    "sqlite": rf"SCAN (i|l|e|x|y|t|w|d|p|r|a|m|{TABLES})\b(?! USING)",
    "postgresql": f"Seq Scan on ({TABLES})",
}


def test_pages_are_found_by_an_index(bench, engine):
    """Every page is read through an index, and a plain page of a store needs no sort.
    Rule: cursor-pagination."""
    of_store = [*queries_of_store()]
    plain = [(query, given) for query, given in queries() if query.whole_store and not query.terms]
    for query, arguments in [*queries(), *of_store, *queries_by_name()]:
        plan = explain(bench, engine, pages.sql(engine, query), arguments)
        assert not re.search(WHOLE_TABLE[engine], plan), f"{query}\n{plan}"
        if (query, arguments) in [*plain, *of_store]:
            mine = plan.split("SubPlan")[0]
            assert not re.search(r"TEMP B-TREE FOR ORDER BY|\bSort\b", mine), plan
        if "webhook_failed" in query.terms:
            assert "deliveries_failed_idx" in plan, plan


@pytest.mark.parametrize("record", [Item, List, Share, Store, Webhook])
def test_record_has_a_field_for_each_column_that_is_read(record):
    """A record has a field for each column that its statements read."""
    name = f"{record.__name__.lower()}_fields"
    unread = set(statements.columns(name)) - set(record.__struct_fields__)
    assert not unread, f"{name} has columns that {record.__name__} doesn't have"


def test_deep_page_of_a_store_reads_no_more_than_a_page(bench, engine, postgres_server):
    """A deep page of a store reads no more rows than a page, although most of the store precedes
    it.
    Rule: cursor-pagination."""
    if engine == "sqlite" or postgres_server.spread:
        pytest.skip(
            "SQLite takes the index; a cluster shows the plan of one part, which may be empty"
        )
    profile = bench.new_session()
    bench.fill(profile, products=30_000)
    middle = "SELECT id FROM items WHERE profile_id = $1 ORDER BY id LIMIT 1 OFFSET 20000"
    [[edge]] = bench.select(middle, profile.id)
    sql = pages.sql(engine, PageQuery("items", True, edge="older", beyond=True))

    async def ask(tx) -> str:
        await tx.fetch("ANALYZE items, profiles")
        return await tx.fetch("EXPLAIN " + sql, bench.store.id, edge, 51)

    plan = "\n".join(row[0] for row in bench.write(ask))
    assert "Index Scan" in plan
    assert "Seq Scan on items" not in plan, plan


def test_report_reads_by_primary_key_after_analyze_on_sqlite(tmp_path):
    """After ANALYZE, SQLite reads reports by primary key; the other index was four times slower."""
    path = str(tmp_path / "wishwell.db")
    sqlite_file.make_file(path)
    migrate.migrate_sqlite(path)
    rows = [
        (ID, last, str(product), "", last - 10, 1, 1, 1)
        for product in range(1_000)
        for last in (10, 20, tally.FOREVER)
    ]
    with contextlib.closing(sqlite_file.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.executemany("INSERT INTO wish_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        connection.execute("ANALYZE")
        step = statements.load("sqlite")["report_products"].step
        plan = connection.execute("EXPLAIN QUERY PLAN " + step.sql, [0] * len(step.param_names))
        assert any("c USING PRIMARY KEY (store_id=? AND until>" in row[3] for row in plan)


def test_entries_are_deleted_by_key(bench, engine):
    """Entries are deleted by key rather than by a join, which took 4 s for 40 items on 250 lists
    each. PostgreSQL has no statistics here, like for a profile filled a moment ago."""
    step = statements.load(engine)["entries_remove"].step
    plan = explain(bench, engine, step.sql, [ID, [ID], [ID]])
    if engine == "sqlite":
        assert "profile_id=? AND list_id=? AND item_id=?" in plan, plan
    else:
        keys = r"entries_pkey on entries.*\n.*\(profile_id = .* \(list_id = .* \(item_id = "
        assert re.search(keys, plan), plan


def test_move_reads_only_the_items_around_the_new_position(bench, engine):
    """Both sides of the place are read in the index's order. Rule: list-order."""
    step = statements.load(engine)["entries_around"].step
    values = {"profile": ID, "list": ID, "item": ID, "after": 5, "limit": 1}
    plan = explain(bench, engine, step.sql, step.values(values))
    assert plan.count("entries_order_idx") == 2, plan
    assert not re.search(r"TEMP B-TREE FOR ORDER BY|\bSort\b", plan), plan


def test_pages_of_a_list_read_only_its_entries_and_items(bench, engine):
    """The order of a list, and the items of a page, are read by key. Rule: list-pages."""
    for name, key in (("list_entries", "entries"), ("items_known", "items")):
        step = statements.load(engine)[name].step
        values = {"profile": ID, "id": ID, "ids": [ID]}
        plan = explain(bench, engine, step.sql, step.values(values))
        assert not re.search(WHOLE_TABLE[engine], plan), plan
        if engine == "sqlite":
            assert "profile_id=? AND list_id=?" in plan or key == "items", plan
        else:
            assert f"{key}_pkey" in plan, plan
