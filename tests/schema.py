"""The schema that the migrations create, read from SQLite."""

import functools
import sqlite3
import tempfile

from wishwell.db import migrate


@functools.cache
def migrated() -> sqlite3.Connection:
    """Returns a connection to a newly migrated, empty database."""
    path = f"{tempfile.mkdtemp()}/wishwell.db"
    migrate.migrate_sqlite(path)
    return sqlite3.connect(path)


@functools.cache
def tables() -> dict[str, list[str]]:
    """Returns every table of the program with its columns in order."""
    names = migrated().execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        name: [row[1] for row in migrated().execute(f"PRAGMA table_info({name})")]
        for (name,) in names
        if name != "migrations"
    }


CARRIED: dict[str, str | None] = {
    "profiles": "profile",
    "lists": "list",
    "items": "item",
    "entries": "item",
    "item_tags": "item",
    "shares": "share",
    "reservations": "reservation",
    "held": "reservation",
    "revocations": "revocation",
    "erasures": None,
    "events": None,
    "stores": "wishwell",
    "store_hosts": "wishwell",
    "store_secrets": "secrets",
    "admin_tokens": "adminToken",
    "products": "product",
    "deleted_products": None,
    "platform_deliveries": None,
    "webhooks": "webhook",
    "share_tokens": "share",
    "deliveries": None,
    "catalogue_runs": None,
    "orders": "order",
    "purchases": "order",
    "removed_items": "removed",
    "requests": None,
    "wish_counts": None,
    "counts": None,
    "feeds": None,
    "store_mails": None,
    "mails": None,
    "mail_tokens": None,
    "suppressions": "suppression",
    "confirmations": None,
    "deleted_stores": None,
}
"""Each table of a profile or a store, and the type of export line that contains its rows; `None` if
they aren't exported."""
