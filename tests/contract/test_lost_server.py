"""Broken connections, and the errors of Citus when it loses a server, raised by a trigger in one
PostgreSQL."""

import asyncio
import contextlib
import os
import signal

import pytest

from tests.contract.conftest import PLENTY, new_item
from tests.servers import HERE
from wishwell import profiles
from wishwell.db.postgres.database import Postgres
from wishwell.db.postgres.handle import Handle
from wishwell.errors import NotFound, Unavailable, Undecided
from wishwell.wishlists import saving

TRIGGER = """
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN RAISE {level} '{said}' USING ERRCODE = '{code}';
RETURN NULL; END$$;
CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON items {when} FOR EACH ROW
EXECUTE FUNCTION fail()
"""


IN_DOUBT = "failed to commit transaction on 127.0.0.1:5432"
LOST = "connection to the remote node wishwell@127.0.0.1:5432 failed with the following error: "
REFUSED = (
    "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?"
)
STARTING = "FATAL:  the database system is starting up"
HUNG_UP = "server closed the connection unexpectedly"


@pytest.fixture
def single_postgres(engine):
    """Skips the test unless it runs on a single PostgreSQL, which imitates a cluster's errors."""
    if engine == "sqlite" or os.environ.get("WISHWELL_TEST_CITUS"):
        pytest.skip("of one PostgreSQL")


@pytest.fixture
def fail(bench, single_postgres):
    """Makes every insertion of an item fail, immediately or at the commit."""

    def begin(code, said, when="", level="EXCEPTION"):
        bench.execute(TRIGGER.format(level=level, said=said, code=code, when=when))

    yield begin
    bench.execute("DROP TRIGGER fail ON items; DROP FUNCTION fail")


async def save(tx, bench, profile):
    await saving.save(tx, profile, new_item(1), bench.new_id(), PLENTY, bench.clock.tick())


async def save_under_the_lock(tx, bench, profile):
    await profiles.lock(tx, profile, bench.clock.tick())
    await save(tx, bench, profile)


AT_COMMIT = "DEFERRABLE INITIALLY DEFERRED"


@pytest.mark.parametrize(
    ("said", "use_case", "in_doubt"),
    [
        (("XX000", IN_DOUBT), save, True),
        (("58030", IN_DOUBT), save, True),
        (("XX000", IN_DOUBT), save_under_the_lock, False),
        (("XX000", IN_DOUBT, AT_COMMIT), save_under_the_lock, True),
        (("XX000", IN_DOUBT, AT_COMMIT, "WARNING"), save_under_the_lock, True),
        (("58030", IN_DOUBT, AT_COMMIT, "WARNING"), save, True),
        (("08006", LOST + REFUSED), save, False),
        (("08006", LOST + STARTING), save, False),
        (("08006", LOST + HUNG_UP), save, True),
    ],
)
def test_write_that_loses_its_server_has_an_unknown_outcome(bench, fail, said, use_case, in_doubt):
    """A write whose server is lost is undecided, during the statement or at the commit; not if no
    connection could be made.
    Rule: cluster-nodes."""
    profile = bench.new_customer()
    bench.save(profile, 2)
    fail(*said)
    with pytest.raises(Unavailable) as raised:
        bench.write(use_case, bench, profile)
    assert isinstance(raised.value, Undecided) == in_doubt


def test_ping_retries_on_a_new_connection(bench, single_postgres, postgres_server):
    """A ping tries again on a new connection when its connection has just broken.
    Rule: health-checks."""

    async def break_and_ask():
        [[pid]] = await bench.db.read(Handle.fetch, "SELECT pg_backend_pid()")
        postgres_server.sql(f"SELECT pg_terminate_backend({pid})")
        await bench.db.ping()  # this process doesn't know yet that the connection is closed

    bench.run(break_and_ask())


def test_database_that_hangs_after_a_broken_connection_is_unavailable(bench, single_postgres):
    """A database that hangs after a broken connection is reported as unavailable.
    Rule: health-checks."""
    held = []

    async def hang_up_once(_reader, writer):
        if not held:
            writer.close()
        held.append(writer)

    async def ask():
        server = await asyncio.start_server(hang_up_once, HERE, 0)
        port = server.sockets[0].getsockname()[1]
        db = Postgres(f"postgresql://nobody@{HERE}:{port}/none", connections=1, seconds=0.3)
        try:
            await db.ping()
        finally:
            await db.close()
            for writer in held:
                writer.close()
            server.close()

    with pytest.raises(Unavailable):
        bench.run(ask())


@pytest.fixture
def hung(bench, single_postgres, postgres_server):
    """Runs a use case on a separate connection, and passes it a function that stops that server
    process."""
    [[name]] = bench.select("SELECT current_database()")
    stopped = []

    async def hang(tx):
        [[pid]] = await tx.fetch("SELECT pg_backend_pid()")
        os.kill(pid, signal.SIGSTOP)
        stopped.append(pid)

    async def story(use_case, long):
        db = Postgres(postgres_server.url(name), connections=1, seconds=0.5)
        for _ in range(20):  # on a busy machine, connecting may take longer
            with contextlib.suppress(Unavailable):
                await db.ping()
                break
        try:
            async with asyncio.timeout(4):  # a long write may take 5 s in all
                await (db.long_write if long else db.write)(use_case, hang)
        finally:
            os.kill(stopped[0], signal.SIGCONT)
            await db.close()

    return lambda use_case, long=False: bench.run(story(use_case, long))


def test_failing_rollback_does_not_hide_the_original_error(bench, hung):
    """A failing rollback doesn't hide the error that caused it, here a 404. Rule: error-envelope."""
    profile, now = bench.new_customer(), bench.clock.tick()

    async def ask(tx, hang):
        await profiles.lock(tx, profile, now)
        await hang(tx)
        raise NotFound("There is none.", "item_not_found")

    with pytest.raises(NotFound):
        hung(ask)


@pytest.mark.parametrize("rows", [1, 100])
def test_insert_of_many_rows_waits_no_longer_for_a_hanging_server(bench, hung, rows):
    """Inserting many rows waits no longer for a hanging server than inserting one.
    Rule: database-away."""
    profile, now = bench.new_customer(), bench.clock.tick()
    row = {"profile_id": profile.id, "list_id": bench.new_id(), "position": 0}

    async def ask(tx, hang):
        await profiles.lock(tx, profile, now)
        await hang(tx)
        await tx.fill("entries", [row | {"item_id": bench.new_id()} for _ in range(rows)])

    with pytest.raises(Unavailable):
        hung(ask, long=True)
