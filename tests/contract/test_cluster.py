"""A cluster: how the tables are spread over it, and how many of its servers a statement asks.

Of a cluster that runs: WISHWELL_TEST_CITUS is its coordinator's URL. The other suites run on it too.
"""

import os
import re

import pytest

from tests.contract.test_statements import ID, STORE_WIDE, queries
from wishwell.db import cluster, migrate, pages, statements

needs_cluster = pytest.mark.skipif(
    not os.environ.get("WISHWELL_TEST_CITUS"),
    reason="WISHWELL_TEST_CITUS names no cluster's coordinator",
)
DUMMIES = {"uuid": ID, "uuid[]": [ID], "text[]": [ID], "int8[]": [1], "text": "{}", "json": "{}"}


def explained(bench, sql):
    """The plan of a statement, with some argument of the right type for each of its parameters."""

    async def ask():
        connection = await bench.db._pool.take(5)
        try:
            prepared = await connection.prepare("EXPLAIN " + sql)
            given = [DUMMIES.get(kind.name, 1) for kind in prepared.get_parameters()]
            return await connection.fetch("EXPLAIN " + sql, *given)
        finally:
            bench.db._pool.drop(connection)

    return "\n".join(row[0] for row in bench.run(ask()))


def test_every_table_is_declared():
    """contract: migrate-cluster. Each table says how it is spread."""
    sql = "".join(entry.sql for entry in migrate.available("postgresql")) + migrate._TABLE
    tables = re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", sql)
    assert sorted(tables) == sorted(cluster.SPREAD)


@needs_cluster
@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_statement_is_one_task(bench, engine):
    """contract: cluster-one-task. By EXPLAIN, each statement but those of a whole store; a statement
    of a link asks each of its two profiles."""
    wrong = {}
    for name, statement in statements.load("postgresql").items():
        if name in STORE_WIDE or name.endswith("_page"):
            continue
        plan = explained(bench, statement.steps[0].sql)
        if set(re.findall(r"Task Count: (\d+)", plan)) - {"1"}:
            wrong[name] = plan
    for query, _ in queries():
        if not query.whole_store:
            plan = explained(bench, pages.sql("postgresql", query))
            if set(re.findall(r"Task Count: (\d+)", plan)) - {"1"}:
                wrong[str(query)] = plan
    assert not wrong, "\n".join(f"{name}\n{plan}" for name, plan in wrong.items())
