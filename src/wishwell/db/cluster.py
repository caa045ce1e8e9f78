"""A cluster: PostgreSQL with Citus, which spreads the tables over several servers.

A statement on one profile asks only the server that has it (contract: cluster-one-server). What it
needs besides, which is small and rarely written, is on every server.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import asyncpg

from wishwell.errors import Misconfigured

EVERYWHERE = ""

# contract: migrate-cluster, cluster-one-server
SPREAD: Mapping[str, str] = {
    # Whole on every server, as every request needs it. A write goes to all of them.
    "migrations": EVERYWHERE,
    "stores": EVERYWHERE,
    "deleted_stores": EVERYWHERE,
    "store_hosts": EVERYWHERE,
    "store_secrets": EVERYWHERE,
    "admin_tokens": EVERYWHERE,
    "revocations": EVERYWHERE,
    "erasures": EVERYWHERE,
    # By a column: rows with the same value are on one server, in all tables of this column.
    "profiles": "profile_id",
    "items": "profile_id",
    "item_tags": "profile_id",
    "lists": "profile_id",
    "entries": "profile_id",
    "events": "profile_id",
    "shares": "profile_id",
    "reservations": "profile_id",
    "held": "profile_id",
    "share_tokens": "hash",
    "feeds": "store_id",
    "webhooks": "store_id",
    "deliveries": "store_id",
    "products": "store_id",
    "requests": "store_id",
    "wish_counts": "store_id",
    "counts": "store_id",
    "leases": "name",
}
"""How each table is spread, by the name of a column."""

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


async def is_spread(connection: Connection) -> bool:
    """Whether the database is a cluster on which ``spread`` has run."""
    return "profiles" in await _spread(connection)


async def waiting(connection: Connection) -> list[str]:
    """The tables that ``spread`` would spread, those that all servers get first."""
    done = await _spread(connection)
    return [table for table in sorted(SPREAD, key=SPREAD.__getitem__) if table not in done]


def plan(table: str) -> str:
    """What ``spread`` does with a table, in words."""
    column = SPREAD[table]
    return f"spread {table} by {column}" if column else f"put {table} on every server"


async def spread(connection: Connection, progress: Callable[[str], None]) -> list[str]:
    """Spreads the tables that are not spread yet, with their rows. Returns ``plan`` of each.

    Within a transaction that holds the lock of ``migrate``, after ``prepare``.
    """
    tables = await waiting(connection)
    if tables:
        # All at once: a query of a running service that has begun on one would wait for another.
        await connection.execute(f"LOCK TABLE {', '.join(tables)}")
    keys = await connection.fetch(_FOREIGN_KEYS, tables)
    for key in keys:
        await connection.execute(key["drop"])
    for table in tables:
        progress(plan(table))
        column = SPREAD[table]
        if not column:
            await connection.execute("SELECT create_reference_table($1::text::regclass)", table)
            continue
        beside = next(name for name in SPREAD if SPREAD[name] == column)
        await connection.execute(
            "SELECT create_distributed_table($1::text::regclass, $2, colocate_with => $3)",
            table,
            column,
            "none" if beside in (table, *tables[tables.index(table) :]) else beside,
        )
    for table in tables:
        await connection.execute(
            "SELECT truncate_local_data_after_distributing_table($1::text::regclass)", table
        )
    for key in keys:
        await connection.execute(key["add"])
    return [plan(table) for table in tables]


async def prepare(connection: Connection) -> None:
    """Lets a transaction change tables that refer to one that is on every server.

    Raises ``Misconfigured`` where nothing can be spread.
    """
    await check(connection)
    await connection.execute("SET LOCAL citus.multi_shard_modify_mode = sequential")


_FOREIGN_KEYS = """
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
              pg_get_constraintdef(oid)) AS add
FROM pg_constraint
WHERE contype = 'f' AND conparentid = 0
  AND (conrelid = ANY ($1::text[]::regclass[]) OR confrelid = ANY ($1::text[]::regclass[]))
ORDER BY conname
"""


async def _spread(connection: Connection) -> set[str]:
    if await connection.fetchval("SELECT to_regclass('pg_catalog.pg_dist_partition')") is None:
        return set()
    rows = await connection.fetch("SELECT logicalrelid::text FROM pg_catalog.pg_dist_partition")
    return {row[0] for row in rows}


async def apart(connection: Connection) -> list[str]:
    """Which servers do not reach which others, each way."""
    rows = await connection.fetch(
        "SELECT from_nodename, from_nodeport, to_nodename, to_nodeport "
        "FROM citus_check_cluster_node_health() WHERE NOT coalesce(result, false)"
    )
    return [f"{row[0]}:{row[1]} to {row[2]}:{row[3]}" for row in rows]


async def check(connection: Connection) -> None:
    """Raises ``Misconfigured`` unless this is the coordinator of a cluster."""
    if not await connection.fetchval("SELECT 1 FROM pg_extension WHERE extname = 'citus'"):
        raise Misconfigured(
            "This database has no Citus: run CREATE EXTENSION citus on each server first."
        )
    if not await connection.fetchval("SELECT citus_is_coordinator()"):
        raise Misconfigured(
            "WISHWELL_DATABASE_URL names a worker of the cluster; migrate through the coordinator."
        )
    if not await connection.fetchval("SELECT 1 FROM pg_dist_node WHERE groupid = 0"):
        raise Misconfigured(
            "The coordinator does not know its own address: "
            "run SELECT citus_set_coordinator_host('its address') first."
        )
