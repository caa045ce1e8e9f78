"""Runs tests in this process on both engines, through the interface that the service uses."""

import asyncio
import contextlib
import re
import sqlite3
from typing import Any

import asyncpg
import pytest
import uvloop

from bench import seed
from wishwell import ids, opaque, profiles, stores
from wishwell.db import Database, migrate, run_statement
from wishwell.db.clock import ReferenceClock
from wishwell.db.postgres.database import Postgres
from wishwell.db.sqlite.database import SQLite
from wishwell.wishlists import items, linking, lists, reservations, saving, shares


def bounds(most, **others):
    """Returns a profile's limits: all are ``most``, except those named."""
    return stores.SizeLimits(**(dict.fromkeys(stores.SizeLimits._fields, most) | others))


PLENTY = bounds(100_000)
OPEN = shares.ShareSettings(reservations=True)


def new_item(product, variant=None, quantity=None, tags=None, list_ids=(), note=None, **more):
    """Returns an item to save, with product and variant given as numbers."""
    variant = items.NO_VARIANT if variant is None else str(variant)
    return items.NewItem(str(product), variant, quantity, tags, note, list_ids, **more)


async def one(tx, statement, *arguments, **params):
    """A use case that runs a single statement."""
    return await tx.one(statement, *arguments, **params)


async def execute(tx, sql):
    """Runs a statement on SQLite that the service doesn't have."""
    tx.execute(sql, ())


class Interleaved:
    """A transaction handle that awaits ``act`` once, after (or before) the first call of
    ``verb``."""

    def __init__(self, tx, verb, act, *, before=False):
        self.tx, self.verb, self.act, self.before = tx, verb, act, before

    def __getattr__(self, name):
        call = getattr(self.tx, name)
        if name != self.verb or self.act is None:
            return call
        act, self.act = self.act, None

        async def once(*arguments, **named):
            if self.before:
                await act()
            found = await call(*arguments, **named)
            if not self.before:
                await act()
            return found

        return once


class LockHeldByOther:
    """Holds a lock, as another client would, on rows that background work writes (on SQLite: the
    file)."""

    def __init__(self, where):
        self.where = where
        self.other: Any = None

    async def __aenter__(self):
        if "://" not in self.where:
            self.other = sqlite3.connect(self.where, isolation_level=None)
            self.other.execute("BEGIN IMMEDIATE")
        else:
            self.other = await asyncpg.connect(self.where)
            await self.other.execute("BEGIN; LOCK TABLE profiles, admin_tokens, webhooks")

    async def __aexit__(self, *_):
        closed = self.other.close()
        if closed is not None:
            await closed


class Clock(ReferenceClock):
    """A clock that advances only when a test moves it, and is always plausible."""

    def __init__(self, milliseconds=1_800_000_000_000):
        super().__init__(self)
        self.milliseconds = milliseconds

    def __call__(self):
        return self.milliseconds

    async def checked_now(self, _tx):
        return self()

    likely_now = checked_now

    def tick(self):
        self.milliseconds += 1
        return ids.timestamp(self.milliseconds)


class UseCases:
    """An open database with a store, a clock and a source of ids; ``run`` runs a coroutine.
    ``where`` is the database's file or URL."""

    def __init__(self, db, run, where):
        self.db, self.run, self.where = db, run, where
        self.clock = Clock()
        self.new_id = ids.UUID7(self.clock)
        self.customers = 0
        self.stores = {}
        self.finder = shares.ShareLookup(self.stores.get, {})
        self.store = self.new_store("shop")

    def new_store(self, handle=None, **patch):
        """Creates a store, whose shoppers get notices unless they chose otherwise."""
        patch = {"notices": "opt-out"} | patch
        named = handle or f"s-{ids.random_uuid()}", stores.StorePatch(**patch)
        made = self.write(stores.create, self.new_id(), *named, self.clock.tick())
        self.stores[made.id] = made
        return made

    def update_store(self, store, **patch):
        """Changes a store; returns it."""
        named, now = stores.StorePatch(**patch), self.clock.tick()
        self.stores[store.id] = self.write(stores.update, store.handle, named, now)
        return self.stores[store.id]

    def read(self, use_case, *arguments):
        return self.run(self.db.read(use_case, *arguments))

    def write(self, use_case, *arguments, **keywords):
        return self.run(self.db.write(use_case, *arguments, **keywords))

    def drain(self, steps):
        """Returns everything that an asynchronous generator yields."""

        async def everything():
            return [step async for step in steps]

        return self.run(everything())

    def one(self, statement, *arguments, **params):
        return self.write(one, statement, *arguments, **params)

    def all(self, statement, *arguments, **params):
        return self.write(run_statement, statement, *arguments, **params)

    async def on_connection(self, act):
        """Runs ``act`` on a new connection to PostgreSQL, and returns its result."""
        connection = await asyncpg.connect(self.where)
        try:
            return await act(connection)
        finally:
            await connection.close()

    @contextlib.contextmanager
    def with_timeout(self, seconds):
        """Uses a database with another timeout of statements; SQLite has none."""
        before = self.db
        if isinstance(before, Postgres):
            self.db = Postgres(self.where, connections=10, seconds=seconds)
        try:
            yield
        finally:
            if self.db is not before:
                self.run(self.db.close())
            self.db = before

    async def run_sql(self, sql):
        """Runs statements that the service doesn't have."""
        if isinstance(self.db, Postgres):
            await self.on_connection(lambda connection: connection.execute(sql))
        else:
            await self.db.write(execute, sql)

    def execute(self, sql):
        self.run(self.run_sql(sql))

    def select(self, sql, *arguments):
        """Returns the rows of a statement that the service doesn't have."""

        async def ask(tx):
            if isinstance(self.db, Postgres):
                return await tx.fetch(sql, *arguments)
            return tx.execute(re.sub(r"\$(\d+)", r"?\1", sql), arguments)

        return [tuple(row) for row in self.read(ask)]

    def new_customer(self, store=None):
        self.customers += 1
        store = store or self.store
        return profiles.of_customer(store, f"gid://shopify/Customer/{self.customers}")

    def insert(self, table, columns, rows):
        """Inserts rows directly, because saving thousands through use cases would take too long."""
        names = columns.split()
        places = [
            f"${n}" if isinstance(self.db, Postgres) else "?" for n in range(1, len(names) + 1)
        ]
        sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(places)})"

        async def fill(connection):
            # Batches, because a single transaction of all rows is too slow on a cluster.
            for first in range(0, len(rows), 1_000):
                await connection.executemany(sql, rows[first : first + 1_000])

        async def fill_embedded(tx):
            for row in rows:
                tx.execute(sql, row)

        if isinstance(self.db, Postgres):
            self.run(self.on_connection(fill))
        else:
            self.write(fill_embedded)

    def fill(self, profile, *, products, lists=0, on=0, tags=0, first=1):
        """Inserts items for consecutive products from ``first``. Each is on ``on`` of the lists
        `List 0`, `List 1`, …; returns the lists' ids."""
        numbers = range(first, first + products)
        at = self.clock.tick()
        made = {"lists": lists, "on": on, "tags": tags, "at": at, "row": False}
        rows = seed.profile(profile.store.id, profile.gid, numbers, **made)
        for table, records in rows.items():
            if records:
                self.insert(table, seed.COLUMNS[table], records)
        self.write(one, "profile_recount", profile=profile.id, email=None, notices=None, shared=0)
        return [row[1] for row in rows["lists"]]

    def save(self, profile, product=1, *args, **fields):
        """Saves an item of the profile, new or changed; returns it."""
        new, id = new_item(product, *args, **fields), self.new_id()
        return self.write(saving.save, profile, new, id, PLENTY, self.clock.tick())[0]

    def new_list(self, profile, name="x"):
        return self.write(
            lists.create, profile, lists.ListFields(name), self.new_id(), PLENTY, self.clock.tick()
        )

    def link(self, session, customer):
        return self.write(linking.link, session, customer, PLENTY, self.clock.tick())

    def share(self, profile, list_id, terms=OPEN):
        """Creates a share of a list, by default with reservations."""
        token, id = shares.new_token(), self.new_id()
        return self.write(shares.create, profile, list_id, terms, id, token, self.clock.tick())

    def reserve(self, token, item_id, holder):
        """Reserves one of an item."""
        asked = self.finder, token, item_id, holder, 1
        return self.write(reservations.reserve, *asked, self.clock.tick())

    def holds(self, profile):
        """Returns the stored counts of a profile's items, lists and entries."""
        found = self.select(
            "SELECT p.items, p.lists, (SELECT coalesce(sum(l.item_count), 0) FROM lists l "
            "WHERE l.profile_id = p.profile_id) FROM profiles p WHERE p.profile_id = $1",
            profile.id,
        )
        return found[0] if found else (0, 0, 0)

    def check(self, profile):
        """Asserts invariants that no response shows: counts, entries and tags agree with the
        records."""
        items = self.select(
            "SELECT id, tags, list_ids FROM items WHERE profile_id = $1", profile.id
        )
        entries = self.select(
            "SELECT item_id, list_id FROM entries WHERE profile_id = $1", profile.id
        )
        tags = self.select("SELECT item_id, tag FROM item_tags WHERE profile_id = $1", profile.id)
        lists = self.select("SELECT id, item_count FROM lists WHERE profile_id = $1", profile.id)
        assert sorted(entries) == sorted((id, at) for id, _, held in items for at in held.split())
        assert sorted(tags) == sorted((id, tag) for id, named, _ in items for tag in named.split())
        on = [at for _, at in entries]
        assert sorted(lists) == sorted((id, on.count(id)) for id, _ in lists)
        assert all(held == " ".join(sorted(held.split())) for _, _, held in items)
        assert self.holds(profile) == (len(items), len(lists), len(entries))
        of = "WHERE profile_id = $1"
        shares = self.select(f"SELECT id, token, list_id FROM shares {of}", profile.id)
        tokens = self.select(f"SELECT share_id, hash FROM share_tokens {of}", profile.id)
        assert sorted(tokens) == sorted((id, opaque.hashed(token)) for id, token, _ in shares)
        shared = self.select(f"SELECT id FROM lists {of} AND shared = 1", profile.id)
        assert {(at,) for _, _, at in shares} <= {*shared}

    def new_session(self, store=None):
        return self.write(
            profiles.create_session,
            store or self.store,
            "wishwell",
            ids.random_uuid(),
            self.clock.tick(),
        )


@pytest.fixture(scope="session")
def schema_template(postgres_server):
    """The name of a database with the schema, to copy: a copy takes a fifth of the time of all
    migrations."""
    url = postgres_server.create_database()
    asyncio.run(migrate.migrate_postgres(url, distribute=False))
    return url.rpartition("/")[2]


@pytest.fixture(scope="module")
def bench(engine, request, tmp_path_factory):
    # The event loop that the program uses
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if engine == "sqlite":
            where = str(tmp_path_factory.mktemp("contract") / "wishwell.db")
            migrate.migrate_sqlite(where)
            db: Database = SQLite(where)
        else:
            server = request.getfixturevalue("postgres_server")
            if server.spread:  # Citus doesn't copy databases
                url = server.create_database()
                runner.run(migrate.migrate_postgres(url, distribute=True))
            else:
                url = server.create_database(request.getfixturevalue("schema_template"))
            # On a cluster each inserted row is a round trip between its servers.
            seconds = 60 if server.spread else 10
            where = server.asked(url)
            db = Postgres(where, connections=10, seconds=seconds)
        yield UseCases(db, runner.run, where)
        runner.run(db.close())


@pytest.fixture
def event_bench(bench):
    """The bench, with a new store that has events on."""
    before = bench.store
    bench.store = bench.new_store(events=True)
    yield bench
    bench.store = before


@pytest.fixture
def store(bench):
    """A new store with events on."""
    return bench.new_store(events=True)
