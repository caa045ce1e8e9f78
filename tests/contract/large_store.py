"""A database in which one store has 100,000 rows, and the work that a statement takes in it."""

import asyncio
import contextlib
import datetime
import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from tests.servers.postgres import PostgresServer
from wishwell.db import migrate
from wishwell.db.postgres import connecting
from wishwell.db.sqlite import sqlite_file
from wishwell.db.statements import Step
from wishwell.reports import tally

NIL = "00000000-0000-0000-0000-000000000000"
SMALL = {
    "deleted_stores": 0,
    "stores": 1,
    "feeds": 1,
    "signing_key": 1,
    "schema_support": 1,
    "leases": 5,
    "clocks": 2,
    "catalogue_runs": 1,
    "store_mails": 1,
}
SMALL |= {"counts": 400, "webhooks": 5, "admin_tokens": 5, "store_secrets": 1, "store_hosts": 1}
"""Tables that stay small in a large store, with their rows."""
ITEMS_OF = (4000, 300)
"""The items of the first two profiles. Each later one has one, like most visitors."""
LISTED = 1000
"""The items of the first profile's first list."""
_START = datetime.datetime(2024, 1, 1)
Row = dict[str, object]


def id_of(kind: str, n: int) -> str:
    return f"01900000-{sum(kind.encode()) % 65536:04x}-7000-8000-{n:012x}"


def owner(n: int) -> str:
    """Returns the profile of the n-th record."""
    most, some = ITEMS_OF
    return id_of("profiles", 0 if n < most else 1 if n < most + some else 2 + n - most - some)


def time_of(n: int) -> str:
    return f"{(_START + datetime.timedelta(minutes=n)).isoformat()}.000Z"


STORE = id_of("stores", 0)


def _list_of(n: int) -> str:
    """Returns the list of the n-th entry."""
    return id_of("lists", 0 if n < LISTED else n)


def _is_popular(table: str, n: int) -> bool:
    """Returns whether the n-th record is of the product with an eighth of the wishes."""
    return table == "items" and n % 8 == 0 and n >= sum(ITEMS_OF)


_VALUES: dict[str, Callable[[str, int], object]] = {
    "id": lambda table, n: STORE if table == "stores" else id_of(table, n),
    "store_id": lambda _, n: STORE,
    "profile_id": lambda table, n: (
        id_of(table, n) if table in ("profiles", "erasures") else owner(n)
    ),
    "item_id": lambda _, n: id_of("items", n),
    "list_id": lambda _, n: _list_of(n),
    "owner_id": lambda _, n: id_of("profiles", n),
    "holder_id": lambda _, n: id_of("profiles", n),
    "webhook_id": lambda _, n: id_of("webhooks", 0),
    "share_id": lambda _, n: id_of("shares", n),
    "linked_id": lambda _, n: None if n % 1000 else id_of("profiles", n + 1),
    "hash": lambda table, n: id_of("orders", n),
    "position": lambda table, n: NIL if table == "products" else n,
    "product_id": lambda table, n: "p0" if _is_popular(table, n) else f"p{n}",
    "variant_id": lambda table, n: f"v{n % 50}" if n % 2 else "",
    "tag": lambda _, n: "gift" if n % 10 == 0 else f"tag{n}",
    "email": lambda _, n: None if n % 10 else f"buyer{n}@example.com",
    "gid": lambda _, n: f"gid://shop/{'Customer' if n % 2 else 'Session'}/{n}",
    "is_session": lambda _, n: (n + 1) % 2,
    "type": lambda _, n: "item.created",
    "status": lambda _, n: "delivered" if n % 1000 else "pending",
    "enabled": lambda _, n: 1,
    "quantity": lambda _, n: 1,
    "number": lambda table, n: n + 1 if n % 1000 or table != "events" else None,
    "sequence": lambda _, n: n,
    "document": lambda _, n: json.dumps({"title": f"Product {n}"}),
    "until": lambda _, n: tally.FOREVER if n % 10 else n // 500 + 1,
    "since": lambda _, n: n // 500,
    "day": lambda _, n: time_of(1440 * (n % 400))[:10],
    "last": lambda _, n: 10**6,
    "state": lambda table, n: "waiting" if table != "mails" or n % 1000 == 0 else "sent",
    "kind": lambda _, n: "notices" if n % 10 else "confirmation",
    "address": lambda _, n: f"hash{n}",
    "reason": lambda _, n: "unsubscribed",
    "client": lambda _, n: f"client{n}",
    **dict.fromkeys(("delivery_id", "body_hash", "token", "title"), lambda _, n: f"text{n}"),
}
_NULLS = {
    "closed_at",
    "merged_id",
    "lease",
    "failing_since",
    "expires_at",
    "revoked_at",
    "forget_since",
}
_RARE = {"noticed_at", "due_at", "next_at"}
"""Times that one row in 1,000 has."""


def _value(table: str, column: str, type_: str, n: int) -> object:
    if (column in _NULLS and table not in ("revocations", "mail_tokens")) or (table, column) == (
        "profiles",
        "notices",
    ):
        return None
    if column == "done_at":
        return time_of(n) if n % 1000 else None
    if column in _RARE and n % 1000 and table != "webhooks":
        return None
    if column in _VALUES:
        return _VALUES[column](table, n)
    if column.endswith("_at"):
        return time_of(n)
    if type_ == "INTEGER":
        return 0
    return f"{column}{n}" if column in ("handle", "name", "boot", "jti", "host", "key_id") else ""


def schema(path: str) -> dict[str, list[tuple[str, str]]]:
    """Returns each table's columns with their types."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migrations'"
        return {
            table: [
                (row[1], row[2].upper())
                for row in connection.execute(f"PRAGMA table_info({table})")
            ]
            for (table,) in connection.execute(names).fetchall()
        }


def rows(table: str, columns: list[tuple[str, str]], count: int) -> Iterator[tuple[object, ...]]:
    for n in range(min(count, SMALL.get(table, count))):
        yield tuple(_value(table, column, type_, n) for column, type_ in columns)


class LargeSqlite:
    """The store in a file. Work is counted in steps of SQLite's virtual machine."""

    modes = ("",)

    def __init__(self, path: str) -> None:
        sqlite_file.make_file(path)
        migrate.migrate_sqlite(path)
        self._schema = schema(path)
        self._connection = sqlite_file.connect(path)
        self._connection.execute("PRAGMA foreign_keys = OFF")

    def fill(self, count: int) -> None:
        self._connection.execute("BEGIN")
        for table, columns in self._schema.items():
            marks = ", ".join("?" * len(columns))
            sql = f"INSERT INTO {table} ({', '.join(name for name, _ in columns)}) VALUES ({marks})"
            self._connection.executemany(sql, rows(table, columns, count))
        self._connection.execute("COMMIT")

    def analyze(self) -> None:
        self._connection.execute("ANALYZE")

    def work(self, step: Step, named: Row, _mode: str = "") -> tuple[int, str]:
        values = [json.dumps(v) if isinstance(v, list) else v for v in step.values(named)]
        steps = 0

        def count() -> None:
            nonlocal steps
            steps += 100

        plan = self._connection.execute("EXPLAIN QUERY PLAN " + step.sql, values).fetchall()
        self._connection.execute("BEGIN")
        self._connection.set_progress_handler(count, 100)
        try:
            self._connection.execute(step.sql, values).fetchall()
        finally:
            self._connection.set_progress_handler(None, 0)
            self._connection.execute("ROLLBACK")
        return steps // 10, "\n".join(row[3] for row in plan)

    def close(self) -> None:
        self._connection.close()


class LargePostgres:
    """The store on a server. Work is the rows that the busiest node of a plan has read."""

    modes = ("force_custom_plan", "force_generic_plan")

    def __init__(self, server: PostgresServer, path: str) -> None:
        self._runner = asyncio.Runner()
        self._run = self._runner.run
        sqlite_file.make_file(path)
        migrate.migrate_sqlite(path)
        self._schema = schema(path)
        url = server.create_database()
        self._run(migrate.migrate_postgres(url))
        self._connection = self._run(connecting.connect(url, timeout=10))
        self._execute("SET session_replication_role = replica")

    def _execute(self, sql: str) -> None:
        self._run(self._connection.execute(sql))

    def fill(self, count: int) -> None:
        async def text(table, columns):
            yield "".join(
                "\t".join("\\N" if value is None else str(value) for value in row) + "\n"
                for row in rows(table, columns, count)
            ).encode()

        for table, columns in self._schema.items():
            source, names = text(table, columns), [name for name, _ in columns]
            self._run(self._connection.copy_to_table(table, source=source, columns=names))

    def analyze(self) -> None:
        self._execute("ANALYZE")

    def work(self, step: Step, named: Row, mode: str) -> tuple[int, str]:
        values = ", ".join(map(_literal, step.values(named)))
        self._execute(f"DEALLOCATE ALL; SET plan_cache_mode = {mode}; BEGIN")
        try:
            self._execute(f"PREPARE asked AS {step.sql}")
            call = f"asked({values})" if values else "asked"
            explain = f"EXPLAIN (ANALYZE, FORMAT JSON, COSTS OFF, TIMING OFF) EXECUTE {call}"
            [[plan]] = self._run(self._connection.fetch(explain))
        finally:
            self._execute("ROLLBACK")
        nodes = list(_nodes(json.loads(plan)[0]["Plan"]))
        return max(read for read, _ in nodes), "\n".join(f"{read}: {name}" for read, name in nodes)

    def close(self) -> None:
        self._run(self._connection.close())
        self._runner.close()


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        value = "{" + ",".join(f'"{one}"' for one in value) + "}"
    return "'{}'".format(str(value).replace("'", "''"))


def _nodes(plan: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yields the rows that each node of a plan has read, and its description."""
    removed = sum(value for key, value in plan.items() if key.startswith("Rows Removed"))
    read = int((plan["Actual Rows"] + removed) * plan["Actual Loops"])
    words = [plan["Node Type"], plan.get("Index Name"), plan.get("Relation Name")]
    words += [plan.get(key) for key in ("Index Cond", "Filter", "Sort Key")]
    yield read, " ".join(str(word) for word in words if word)
    for child in plan.get("Plans", ()):
        yield from _nodes(child)
