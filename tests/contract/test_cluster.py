"""A Citus cluster: how tables are distributed, and how many servers a statement needs.

WISHWELL_TEST_CITUS is the URL of a running cluster's coordinator. The other suites run on it too.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.contract.test_statements import ID, STORE_WIDE, queries
from tests.servers import Service
from wishwell import profiles
from wishwell.db import migrate, pages, statements
from wishwell.db.postgres import cluster
from wishwell.profiles import search
from wishwell.profiles.pages import PageRequest
from wishwell.wishlists import items

needs_cluster = pytest.mark.skipif(
    not os.environ.get("WISHWELL_TEST_CITUS"),
    reason="WISHWELL_TEST_CITUS names no cluster's coordinator",
)
# Statements about all profiles of a store, or about all stores: the feed, polls for work, a store's
# deletion.
OF_ALL = {
    "events_waiting", "events_after", "events_old", "events_remove", "event_positions", "events_at_positions",
    "events_backlog", "feed_end", "feeds_waiting", "feeds", "webhooks", "deliveries_waiting",
    "store_has_events",  # once per erasure
    "stores_noticed", "products_noticed_count", "webhooks_due", "requests_due", "requests_waiting",
    "erase_deliveries", "erase_products", "erase_events_positioned", "erase_events_unpositioned",
    # Polls for stores to count, and the doctor
    "counts_last", "webhooks_failing", "database_times", "catalogue_runs",
    "products_named", "newest_time",
    "mail_tokens_remove", "suppressions_remove", "confirmations_remove", "purge_mail_tokens", "erase_mail_tokens",
    # Repair of times in the future
    "repair_sessions", "repair_customers", "repair_requests", "repair_exports", "repair_deletions", "repair_webhooks",
    "repair_waits", "repair_failures", "repair_deliveries", "products_future",
    # Removal of what is old, or of a store or many sessions
    "deleted_products_forget", "removed_forget", "platform_deliveries_forget",
    "erase_platform_deliveries", "purge_removed_items", "purge_purchases",
    # Several share tokens, each on a server of its own.
    "share_tokens_remove", "link_move_tokens", "link_move_mail_tokens", "purge_share_tokens", "import_share_tokens_held",
}  # fmt: skip
JOINED = {"item_save_shown"}
"""Statements that a cluster doesn't use, because it can't join items with products."""

DUMMIES = {"uuid": ID, "uuid[]": f"{{{ID}}}", **dict.fromkeys(("text", "json", "text[]"), "{}")}


def explained(bench, sql):
    """Returns a statement's plan, with a dummy value of the right type for each parameter."""

    async def ask(connection):
        kinds = [kind.name for kind in (await connection.prepare(sql)).get_parameters()]
        filled = re.sub(
            r"\$(\d+)",
            lambda match: f"'{DUMMIES.get(kind := kinds[int(match[1]) - 1], 1)}'::{kind}",
            sql,
        )
        return await connection.fetch("EXPLAIN " + filled)

    return "\n".join(row[0] for row in bench.run(bench.on_connection(ask)))


def test_every_table_declares_its_distribution():
    """Each table declares how it is distributed. Rule: engines-alike."""
    sql = "".join(entry.sql for entry in migrate.available("postgresql"))
    tables = re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", sql)
    assert sorted([*tables, "migrations"]) == sorted(cluster.DISTRIBUTION)


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_tables_of_one_shard_have_the_same_type_of_key(bench, engine):
    """Citus puts only tables on one shard whose distribution columns have the same type and
    collation; else `migrate --cluster` fails. Rule: engines-alike."""
    sql = (
        "SELECT c.relname, t.typname, coalesce(l.collname, '') FROM pg_attribute a "
        "JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid "
        "LEFT JOIN pg_collation l ON l.oid = a.attcollation "
        "WHERE c.relname = ANY($1::text[]) AND a.attname = $2"
    )
    for column in {*cluster.DISTRIBUTION.values()} - {cluster.EVERYWHERE}:
        tables = [name for name in cluster.DISTRIBUTION if cluster.DISTRIBUTION[name] == column]
        found = {name: tuple(kind) for name, *kind in bench.select(sql, tables, column)}
        assert found.keys() == {*tables}
        assert len({*found.values()}) == 1, found


@pytest.fixture
def unspread(postgres_server):
    """A service with items whose tables are all still on the coordinator."""
    settings = {"WISHWELL_SIGNING_KEYS": "k" * 40}
    service = Service(settings | {"WISHWELL_DATABASE_URL": postgres_server.create_database()})
    service.cli("migrate")
    with service:
        http = service.client(service.admin_token(), "gid://shopify/Customer/1")
        assert http.post("/items", json={"productId": 1}).status_code == 201
        yield service


@needs_cluster
def test_concurrent_migrations_distribute_tables_with_their_rows_once(unspread, postgres_server):
    """Three concurrent `migrate --cluster` succeed, and exactly one distributes the tables with
    their rows.
    Rule: engines-alike."""
    planned = unspread.cli("migrate", "--cluster", "--plan").stdout.splitlines()
    assert planned == [
        cluster.plan(table) for table in sorted(cluster.DISTRIBUTION, key=cluster.DISTRIBUTION.get)
    ]
    with ThreadPoolExecutor(3) as threads:
        done = list(threads.map(lambda _: unspread.cli("migrate", "--cluster").stdout, range(3)))
    assert sorted(said.splitlines()[-1] for said in done)[1:] == ["nothing to do"] * 2
    name = unspread.settings["WISHWELL_DATABASE_URL"].rpartition("/")[2]
    for node in range(len(postgres_server.nodes)):
        assert postgres_server.sql("SELECT count(*) FROM items", name, node) == "1\n"
    spread = postgres_server.sql("SELECT count(*) FROM pg_dist_partition", name)
    assert int(spread) == len(cluster.DISTRIBUTION)


@needs_cluster
def test_migrate_distributes_a_table_that_was_added_later(unspread, postgres_server):
    """While a table isn't distributed yet, `serve` refuses to start; `migrate` distributes the
    table. Rules: engines-alike, migrate-once."""
    unspread.cli("migrate", "--cluster")
    url = unspread.settings["WISHWELL_DATABASE_URL"]
    postgres_server.sql("SELECT undistribute_table('item_tags')", url.rpartition("/")[2])
    assert unspread.cli("migrate", "--plan").stdout == "distribute item_tags by profile_id\n"
    said = unspread.cli("serve", check=False).stderr
    assert "item_tags" in said and "wishwell migrate" in said
    assert unspread.cli("migrate").stdout.splitlines()[-1].startswith("1 applied")
    assert unspread.cli("migrate").stdout == "nothing to do\n"


@needs_cluster
def test_migrate_fails_in_one_line_when_the_database_cannot_be_distributed(postgres_server):
    """`migrate --cluster` fails in one line without Citus, on a worker, and on an embedded
    database.
    Rules: engines-alike, command-error."""
    url = postgres_server.create_database()
    plain = f"{url}_plain"
    postgres_server.sql(f"CREATE DATABASE {plain.rpartition('/')[2]}", "postgres")
    worker = postgres_server.url(url.rpartition("/")[2], 1)
    for address, word in ((plain, "Citus"), (worker, "worker"), ("sqlite:///a.db", "embedded")):
        service = Service({"WISHWELL_SIGNING_KEYS": "k" * 40, "WISHWELL_DATABASE_URL": address})
        if word == "embedded":
            service.quick("init")
        done = service.cli("migrate", "--cluster", check=False)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert word in done.stderr
        service.close()
    postgres_server.sql(f"DROP DATABASE {plain.rpartition('/')[2]}", "postgres")


@needs_cluster
@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_statement_on_one_profile_is_one_task_on_one_server(bench, engine):
    """EXPLAIN shows that each statement on one profile is one task on one server, and a link's
    statements one per profile. Statements that pass through the coordinator need all servers.
    Rules: engines-alike, cluster-nodes."""
    asked = {
        name: statement.steps[0].sql
        for name, statement in statements.load("postgresql", distributed=True).items()
        if name not in STORE_WIDE | OF_ALL | JOINED
    }
    asked |= {
        str(query): pages.sql("postgresql", query, distributed=True)
        for query, _ in queries()
        # A cluster doesn't use the joined form
        if not query.whole_store and query.noun != "items_shown"
    }
    plans = {name: explained(bench, sql) for name, sql in asked.items()}
    wrong = {
        name: plan
        for name, plan in plans.items()
        if set(re.findall(r"Task Count: (\d+)", plan)) - {"1"}
        or ("pull to coordinator" in plan and not name.startswith(("link_move_", "link_copy_")))
    }
    assert not wrong, "\n".join(f"{name}\n{plan}" for name, plan in wrong.items())


@needs_cluster
@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_link_is_visible_exactly_once_after_its_response(bench):
    """After its response, a link is visible exactly once, whichever servers hold the two profiles.
    Rule: cluster-nodes."""
    for _ in range(12):
        session, customer = bench.new_session(), bench.new_customer()
        for owner, products in ((session, (1, 2, 3)), (customer, (3, 4))):
            for product in products:
                bench.save(owner, product)
        bench.link(session, customer)
        newest = PageRequest(None, 5, search.Search())
        page = bench.read(items.page, profiles.WholeStore(bench.store), newest).records
        mine = [item for item in page if item.profile == customer.gid]
        assert sorted(item.product_id for item in mine) == ["1", "2", "3", "4"]
        assert len(page) - len(mine) <= 1 and session.gid not in {item.profile for item in page}
