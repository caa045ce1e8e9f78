"""The statements: each prepares on both engines, names its profile, and finds rows by an index."""

import re
from itertools import product as combinations

import pytest

from wishwell import pages, search
from wishwell.db import statements
from wishwell.db.statements import Fragments
from wishwell.pages import Cursor

ID = "01900000-0000-7000-8000-000000000000"
PAGES = ("items_page", "store_items_page", "lists_page", "store_lists_page")

# What may look at a whole store, or at all sessions, and why.
STORE_WIDE = {
    "item_owner", "list_owner", "item_owners",  # a record of a store, wherever it lies
    "store_items_page", "store_lists_page",  # what an admin token reads
    "sessions_idle",  # the purge
}  # fmt: skip


def fragments():
    """Every form that a page's statement takes."""
    queries = [None, "product:1,2", "variant:3", "tag:a", f"list:{ID}", "product:1 tag:a"]
    for name, text, backward in combinations(PAGES, queries, (None, False, True)):
        if "lists" in name and text:
            continue
        whole = name.startswith("store_")
        asked = search.parse(text.replace("{ID}", ID)) if text else search.Search()
        conditions, values = asked.conditions(4, whole_store=whole)
        cursor = None if backward is None else Cursor(ID, backward)
        noun = "items" if "items" in name else "lists"
        yield (
            name,
            Fragments(
                conditions,
                pages._edge(noun[0], cursor),
                "ASC" if backward else "DESC",
                pages._beyond(noun, noun[0], whole, conditions, cursor),
            ),
            [ID, cursor and cursor.id, 51, *values],
        )


def explain(bench, engine, sql, arguments):
    if engine == "sqlite":
        rows = bench.db.read.execute("EXPLAIN QUERY PLAN " + sql, arguments)
        return "\n".join(row[3] for row in rows)

    async def ask():
        connection = await bench.db._pool.take(5)
        try:
            # Small tables are read whole, whatever indexes there are: forbid that, as size would.
            await connection.execute("SET enable_seqscan = off; SET enable_sort = off")
            rows = await connection.fetch("EXPLAIN " + sql, *arguments)
        finally:
            bench.db._pool.drop(connection)
        return "\n".join(row[0] for row in rows)

    return bench.run(ask())


def test_every_statement_is_accepted(bench, engine):
    """Each statement of the file, on the real schema."""
    for name, sql in statements.load(engine).items():
        if name in PAGES:
            continue
        count = len(set(re.findall(r"[$?](\d+)", sql)))
        if engine == "sqlite":
            bench.db.read.execute("EXPLAIN " + sql, [None] * count)
        else:

            async def prepare(sql=sql):
                connection = await bench.db._pool.take(5)
                try:
                    await connection.prepare(sql)
                finally:
                    bench.db._pool.drop(connection)

            bench.run(prepare())


@pytest.mark.parametrize("name", sorted(statements.load("sqlite")))
def test_statement_on_a_profiles_data_names_the_profile(name):
    """design: every statement about a profile's data names it; that keeps it on one shard."""
    sql = statements.load("sqlite")[name]
    if name in STORE_WIDE or not re.search(r"\b(items|lists|entries|item_tags)\b", sql):
        return
    assert "profile_id" in sql


def test_pages_are_found_by_an_index(bench, engine):
    """contract: page-cost. No form of a page reads a whole table."""
    for name, form, arguments in fragments():
        plan = explain(bench, engine, statements.filled(engine, name, form), arguments)
        whole_table = r"SCAN (i|l|e|x|y|t|items|lists|entries|item_tags)\b(?! USING)"
        if engine == "postgresql":
            whole_table = r"Seq Scan on (items|lists|entries|item_tags)"
        assert not re.search(whole_table, plan), f"{name} {form}\n{plan}"


def test_pages_of_a_store_come_in_the_order_of_an_index(bench, engine):
    """A page of a whole store must not sort the store."""
    for name, form, arguments in fragments():
        if not name.startswith("store_") or form.conditions:
            continue
        plan = explain(bench, engine, statements.filled(engine, name, form), arguments)
        assert not re.search(r"TEMP B-TREE FOR ORDER BY|\bSort\b", plan.split("SubPlan")[0]), plan


def test_deep_page_of_a_store_reads_no_more_than_a_page(bench, engine):
    """contract: page-cost. What tells whether there is a page before it, too: nearly all of a store
    may answer that."""
    if engine == "sqlite":
        pytest.skip("SQLite has no such choice: it takes the index")
    cursor = Cursor(f"{'0' * 24}{20_000:08x}", False)
    beyond = pages._beyond("items", "i", True, "", cursor)
    form = Fragments("", pages._edge("i", cursor), "DESC", beyond)
    sql = statements.filled(engine, "store_items_page", form)

    async def ask() -> str:
        connection = await bench.db._pool.take(5)
        try:
            await connection.execute("BEGIN")
            store = await connection.fetchval("SELECT id FROM stores LIMIT 1")
            await connection.execute(
                "INSERT INTO profiles (profile_id, store_id, gid, is_session, created_at, touched_at) "
                "VALUES ($1, $2, 'gid://a/Customer/1', 0, '', '')",
                ID,
                store,
            )
            await connection.execute(
                "INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, tags, "
                "created_at, updated_at) SELECT $1, lpad(to_hex(n), 32, '0')::uuid, $2, n, 0, 1, '', '', '' "
                "FROM generate_series(1, 30000) n",
                ID,
                store,
            )
            await connection.execute("ANALYZE items")
            plan = await connection.fetch("EXPLAIN " + sql, store, cursor.id, 51)
        finally:
            bench.db._pool.drop(connection)
        return "\n".join(row[0] for row in plan)

    plan = bench.run(ask())
    assert "Index Scan" in plan
    assert "Seq Scan on items" not in plan, plan
