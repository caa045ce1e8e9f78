"""Citus: distributes (shards) PostgreSQL tables over several servers.

A statement on one profile runs only on the server that has the profile's shard
(rule: engines-alike). Other tables that it needs are small and rarely written: reference
tables, of which every server has a copy.
"""

from collections.abc import Callable, Mapping

from wishwell.db.postgres.hosts import Connection
from wishwell.errors import Misconfigured

EVERYWHERE = ""

# rule: engines-alike
DISTRIBUTION: Mapping[str, str] = {
    # Reference tables, which every request needs. A write updates the copies on all servers.
    "migrations": EVERYWHERE,
    "stores": EVERYWHERE,
    "deleted_stores": EVERYWHERE,
    "store_hosts": EVERYWHERE,
    "store_secrets": EVERYWHERE,
    "store_mails": EVERYWHERE,
    "admin_tokens": EVERYWHERE,
    "revocations": EVERYWHERE,
    "erasures": EVERYWHERE,
    "clocks": EVERYWHERE,
    "signing_key": EVERYWHERE,
    "schema_support": EVERYWHERE,
    # Tables sharded by a column. Tables with the same column are colocated: all rows with the same
    # value are on one server.
    "profiles": "profile_id",
    "items": "profile_id",
    "item_tags": "profile_id",
    "lists": "profile_id",
    "entries": "profile_id",
    "events": "profile_id",
    "shares": "profile_id",
    "reservations": "profile_id",
    "held": "profile_id",
    "removed_items": "profile_id",
    "mails": "profile_id",
    "share_tokens": "hash",
    "platform_deliveries": "hash",
    "mail_tokens": "hash",
    "feeds": "store_id",
    "webhooks": "store_id",
    "deliveries": "store_id",
    "products": "store_id",
    "deleted_products": "store_id",
    "catalogue_runs": "store_id",
    "requests": "store_id",
    "orders": "store_id",
    "purchases": "store_id",
    "wish_counts": "store_id",
    "counts": "store_id",
    "suppressions": "store_id",
    "confirmations": "store_id",
    "leases": "name",
}
"""Distribution column of each table; ``EVERYWHERE`` for a reference table."""


async def is_distributed(connection: Connection) -> bool:
    """Returns whether the database is a cluster whose tables are distributed."""
    return "profiles" in await _distributed_tables(connection)


async def undistributed_tables(connection: Connection) -> list[str]:
    """Returns the tables that aren't distributed yet, reference tables first."""
    distributed = await _distributed_tables(connection)
    return [
        table
        for table in sorted(DISTRIBUTION, key=DISTRIBUTION.__getitem__)
        if table not in distributed
    ]


def plan(table: str) -> str:
    """Returns a description of what ``distribute`` does with a table."""
    column = DISTRIBUTION[table]
    return f"distribute {table} by {column}" if column else f"replicate {table} to every server"


async def distribute(connection: Connection, progress: Callable[[str], None]) -> list[str]:
    """Distributes the tables that aren't distributed yet, with their rows. Returns their plans.

    Call it after ``prepare``, in a transaction that holds the lock of ``migrate``.
    """
    tables = await undistributed_tables(connection)
    if tables:
        # Lock all tables before changing any: else a running service's query that holds one of
        # them could wait for another (deadlock).
        await connection.execute(f"LOCK TABLE {', '.join(tables)}")
    keys = await connection.fetch(FOREIGN_KEYS, tables)
    for key in keys:
        await connection.execute(key["drop"])
    for table in tables:
        progress(plan(table))
        column = DISTRIBUTION[table]
        if not column:
            await connection.execute("SELECT create_reference_table($1::text::regclass)", table)
            continue
        colocated_table = next(name for name in DISTRIBUTION if DISTRIBUTION[name] == column)
        await connection.execute(
            "SELECT create_distributed_table($1::text::regclass, $2, colocate_with => $3)",
            table,
            column,
            "none"
            if colocated_table in (table, *tables[tables.index(table) :])
            else colocated_table,
        )
    for table in tables:
        await connection.execute(
            "SELECT truncate_local_data_after_distributing_table($1::text::regclass)", table
        )
    for key in keys:
        await connection.execute(key["add"])
    return [plan(table) for table in tables]


async def prepare(connection: Connection) -> None:
    """Lets a transaction change tables with foreign keys to reference tables.

    Raises ``Misconfigured`` if the database isn't the coordinator of a cluster.
    """
    await check(connection)
    await connection.execute("SET LOCAL citus.multi_shard_modify_mode = sequential")


FOREIGN_KEYS = """
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
              pg_get_constraintdef(oid)) AS add
FROM pg_constraint
WHERE contype = 'f' AND conparentid = 0
  AND (conrelid = ANY ($1::text[]::regclass[]) OR confrelid = ANY ($1::text[]::regclass[]))
ORDER BY conname
"""


async def _distributed_tables(connection: Connection) -> set[str]:
    if await connection.fetchval("SELECT to_regclass('pg_catalog.pg_dist_partition')") is None:
        return set()
    rows = await connection.fetch("SELECT logicalrelid::text FROM pg_catalog.pg_dist_partition")
    return {row[0] for row in rows}


async def disconnected_pairs(connection: Connection) -> list[str]:
    """Returns the pairs of servers that can't connect, as "host:port to host:port"."""
    rows = await connection.fetch(
        "SELECT from_nodename, from_nodeport, to_nodename, to_nodeport "
        "FROM citus_check_cluster_node_health() WHERE NOT coalesce(result, false)"
    )
    return [f"{row[0]}:{row[1]} to {row[2]}:{row[3]}" for row in rows]


async def check(connection: Connection) -> None:
    """Raises ``Misconfigured`` if the database isn't the coordinator of a cluster."""
    if not await connection.fetchval("SELECT 1 FROM pg_extension WHERE extname = 'citus'"):
        raise Misconfigured(
            "The Citus extension isn't installed in this database: run CREATE "
            "EXTENSION citus on each server first."
        )
    if not await connection.fetchval("SELECT citus_is_coordinator()"):
        raise Misconfigured(
            "WISHWELL_DATABASE_URL points to a worker of the cluster; migrate through "
            "the coordinator."
        )
    if not await connection.fetchval("SELECT 1 FROM pg_dist_node WHERE groupid = 0"):
        raise Misconfigured(
            "The coordinator's own address isn't set: run SELECT "
            "citus_set_coordinator_host('its address') first."
        )
