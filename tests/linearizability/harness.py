"""Controls the running program and accesses its database directly for purges, locks and backdating."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg

from bench.targets import GENEROUS
from tests.faults.load import Client
from tests.linearizability.specification import Session, Specification
from tests.profile_model import Model
from tests.servers import HERE, PREFIX, Service
from wishwell import config, ids
from wishwell.db import Database
from wishwell.server.opening import open_database

# The tests run the purge themselves and record it in the history.
SETTINGS = {"WISHWELL_PURGE_INTERVAL": "86400"} | GENEROUS


@dataclass
class Actors:
    """A session and a customer with their tokens and database keys."""

    admin: str
    session: str
    customer: str
    tokens: dict[str, str]
    keys: tuple[str, str]
    idle: int = 0

    def world(self) -> Specification:
        return Specification(
            {self.session: Model(), self.customer: Model()}, {self.session: Session(self.idle)}
        )


class Harness:
    """The program, and direct access to its database for the purge, the nemesis and backdating."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.settings = config.load(
            service.environment
            | {
                "WISHWELL_DATABASE_URL": service.environment["WISHWELL_DATABASE_URL"].replace(
                    "sqlite:///wishwell.db", f"sqlite:///{service.folder / 'wishwell.db'}"
                )
            }
        )
        self.admin = service.admin_token()
        [store] = [
            s
            for s in json.loads(service.quick("store", "list", "--json"))
            if s["handle"] == "default"
        ]
        self.store: str = store["id"]
        self.customers = 0
        self.port = int((service.url or "").rpartition(":")[2])

    def client(self) -> Client:
        return Client(HERE, self.port)

    @contextlib.asynccontextmanager
    async def database(self) -> AsyncIterator[Database]:
        db = open_database(self.settings)
        try:
            yield db
        finally:
            await db.close()

    async def execute(self, *statements: str, pause: float = 0.0) -> None:
        """Runs statements on a separate connection; pauses before the last one."""
        if self.settings.engine == "postgresql":
            connection = await asyncpg.connect(self.settings.database_url)
            try:
                for statement in statements[:-1]:
                    await connection.execute(statement)
                await asyncio.sleep(pause)
                await connection.execute(statements[-1])
            finally:
                await connection.close()
            return
        path = config.sqlite_path(self.settings.database_url)
        with contextlib.closing(
            sqlite3.connect(path, isolation_level=None, timeout=5, check_same_thread=False)
        ) as file:
            for statement in statements[:-1]:
                await asyncio.to_thread(file.execute, statement)
            await asyncio.sleep(pause)
            await asyncio.to_thread(file.execute, statements[-1])

    async def hold(self, key: str, seconds: float) -> None:
        """Blocks every write to a profile (on SQLite: to the file) for a while."""
        if self.settings.engine == "postgresql":
            lock = f"SELECT 1 FROM profiles WHERE profile_id = '{key}' FOR NO KEY UPDATE"
            # Citus aborts the youngest transaction of a deadlock, which may be this one.
            with contextlib.suppress(asyncpg.DeadlockDetectedError):
                await self.execute("BEGIN", lock, "ROLLBACK", pause=seconds)
        else:
            await self.execute("BEGIN IMMEDIATE", "ROLLBACK", pause=seconds)

    async def actors(self, client: Client, idle: int) -> Actors:
        """Makes a new session, last used ``idle`` days ago, and a new customer."""
        self.customers += 1
        customer = f"gid://shopify/Customer/{self.customers}-{ids.random_uuid()[:8]}"
        tokens, gids = {}, []
        for body in ({}, {"customer": customer}):
            answer = await client.ask(
                "POST", f"{PREFIX}/profiles/token", body, Authorization=f"Bearer {self.admin}"
            )
            assert answer.status == 201, answer.body
            issued = answer.data()
            tokens[issued["profile"]] = issued["token"]
            gids.append(issued["profile"])
        session, customer = gids
        keys = (ids.profile_key(self.store, session), ids.profile_key(self.store, customer))
        if idle:
            then = ids.timestamp(ids.wall_clock() - idle * 86_400_000)
            await self.execute(
                f"UPDATE profiles SET touched_at = '{then}' WHERE profile_id = '{keys[0]}'"
            )
        return Actors(self.admin, session, customer, tokens, keys, idle)
