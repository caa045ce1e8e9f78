"""Connections to PostgreSQL that fail where nobody looks: at a rollback, and on a missing host."""

import asyncio
import os
import signal
import socket

import asyncpg
import pytest

from tests.servers import HERE
from wishwell import profiles
from wishwell.db.hosts import Hosts
from wishwell.db.postgres import Postgres
from wishwell.db.url import parse
from wishwell.errors import NotFound


@pytest.fixture(autouse=True)
def _postgresql_alone(engine):
    if engine == "sqlite":
        pytest.skip("it has no connections")


def test_rollback_that_fails_hides_no_error(bench, postgres_server):
    """contract: error-inside. The server stops answering just before a 404: it stays one."""
    if postgres_server.spread:
        pytest.skip("the process that is stopped must be of this machine")
    profile, now = bench.new_customer(), bench.clock.tick()
    [[name]] = bench.select("SELECT current_database()")
    stopped = []

    async def ask(tx):
        await profiles.lock(tx, profile, now)
        [[pid]] = await tx.fetch("SELECT pg_backend_pid()")
        os.kill(pid, signal.SIGSTOP)
        stopped.append(pid)
        raise NotFound("There is none.")

    async def story():
        db = Postgres(postgres_server.url(name), connections=1, seconds=0.5)
        try:
            await db.write(ask)
        finally:
            os.kill(stopped[0], signal.SIGCONT)
            await db.close()

    with pytest.raises(NotFound):
        bench.run(story())


def test_late_statement_asks_before_a_later_round(bench, postgres_server):
    """contract: database-hung. One of two hosts is missing, so the next round is 5 s away; two
    statements that are late want one now."""
    with socket.socket() as nobody:  # bound, and not listening: connections are refused
        nobody.bind((HERE, 0))
        url = postgres_server.url("postgres")
        both = url.replace("/postgres", f",{HERE}:{nobody.getsockname()[1]}/postgres")
        asked = asyncio.Event()

        async def open_one(address):
            asked.set()
            return await asyncpg.connect(
                host=address.host, port=address.port, user=postgres_server.user, database="postgres"
            )

        async def story():
            target = parse(f"{both}?load_balance_hosts=random")
            hosts = Hosts(target, open_one, 2)
            connection = await hosts.connect()
            await asyncio.sleep(1.1)
            asked.clear()
            for _ in range(2):
                hosts.suspect()
            try:
                await asyncio.wait_for(asked.wait(), 4)
            finally:
                hosts.plan_nothing()
                await connection.close()

        bench.run(story())
