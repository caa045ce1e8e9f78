"""Both engines, in this process, over the same seam that the service uses."""

import asyncio
from typing import Any

import pytest

from wishwell import ids, profiles, stores
from wishwell.db import migrate
from wishwell.db.postgres import Postgres
from wishwell.db.sqlite import SQLite


def bounds(most, **others):
    """The bounds of a profile, all of them ``most`` but for those that are named."""
    return stores.Bounds(**(dict.fromkeys(stores.Bounds._fields, most) | others))


class Clock:
    """A clock that stands until a test moves it."""

    def __init__(self):
        self.milliseconds = 1_800_000_000_000

    def __call__(self):
        return self.milliseconds

    def tick(self):
        self.milliseconds += 1
        return ids.timestamp(self.milliseconds)


class Bench:
    """An open database with a store, a clock and a source of ids; ``run`` runs a coroutine."""

    def __init__(self, db, run):
        self.db, self.run = db, run
        self.clock = Clock()
        self.new_id = ids.UUID7(self.clock)
        self.customers = 0
        self.store = self.new_store("shop")

    def new_store(self, handle):
        patch = stores.StorePatch()
        made = self.db.transaction(stores.create, self.new_id(), handle, patch, self.clock.tick())
        return self.run(made)

    def new_customer(self, store=None):
        self.customers += 1
        store = store or self.store
        return profiles.of_customer(store, f"gid://shopify/Customer/{self.customers}")

    def insert(self, table, columns, rows):
        """Puts rows straight into a table: thousands of requests would take too long."""
        names = columns.split()
        places = [
            f"${n}" if isinstance(self.db, Postgres) else "?" for n in range(1, len(names) + 1)
        ]
        sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(places)})"

        async def fill(tx):
            done = tx._connection.executemany(sql, rows)
            if isinstance(self.db, Postgres):
                await done

        self.run(self.db.transaction(fill))

    def fill(self, profile, *, products, lists=0, on=0, tags=0):
        """Items of the products 1, 2, …, each ``on`` so many of its lists ``List 0``, ``List 1``, …"""
        now, made = self.clock.tick(), [self.new_id() for _ in range(lists)]
        names = [
            (profile.id, id, profile.store_id, f"List {n}", now, now) for n, id in enumerate(made)
        ]
        held = " ".join(f"tag-{n}" for n in range(tags))
        wishes, entries, tagged = [], [], []
        for product in range(1, products + 1):
            id = self.new_id()
            wishes.append((profile.id, id, profile.store_id, product, 0, 1, held, now, now))
            entries += [(profile.id, made[(product + n) % lists], id, 0) for n in range(on)]
            tagged += [(profile.id, id, tag, profile.store_id) for tag in held.split()]
        self.insert("lists", "profile_id id store_id name created_at updated_at", names)
        self.insert(
            "items",
            "profile_id id store_id product_id variant_id quantity tags created_at updated_at",
            wishes,
        )
        self.insert("entries", "profile_id list_id item_id position", entries)
        self.insert("item_tags", "profile_id item_id tag store_id", tagged)
        return made

    def entries(self, profile):
        """On how many places of its lists the profile's items stand."""
        return self.run(self.db.read.one("entries_count", profile.id, []))[0]

    def new_session(self, store=None):
        made = profiles.create_session(
            self.db.write, store or self.store, "wishwell", ids.random_uuid(), self.clock.tick()
        )
        return self.run(made)


@pytest.fixture(scope="module")
def bench(engine, request, tmp_path_factory):
    with asyncio.Runner() as runner:
        if engine == "sqlite":
            path = str(tmp_path_factory.mktemp("contract") / "wishwell.db")
            migrate.migrate_sqlite(path)
            db: Any = SQLite(path)
        else:
            url = request.getfixturevalue("postgres_server").create_database()
            runner.run(migrate.migrate_postgres(url))
            db = Postgres(url, connections=10, seconds=10)
        yield Bench(db, runner.run)
        runner.run(db.close())
