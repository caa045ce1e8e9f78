"""Both engines, in this process, over the same seam that the service uses."""

import asyncio

import pytest

from wishwell import ids, profiles, stores
from wishwell.db import migrate
from wishwell.db.postgres import Postgres
from wishwell.db.sqlite import SQLite


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
            db = SQLite(path)
        else:
            url = request.getfixturevalue("postgres_server").create_database()
            runner.run(migrate.migrate_postgres(url))
            db = Postgres(url, connections=10, seconds=10)
        yield Bench(db, runner.run)
        runner.run(db.close())
