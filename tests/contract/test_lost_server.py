"""What Citus says when it loses one of its servers, said by a trigger in one PostgreSQL."""

import os

import pytest

from tests.contract.conftest import bounds, new_item
from wishwell import items, profiles
from wishwell.errors import Unavailable, Undecided

TRIGGER = """
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN RAISE {level} 'failed to commit transaction on 127.0.0.1:5432' USING ERRCODE = '{code}';
RETURN NULL; END$$;
CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON items {when} FOR EACH ROW
EXECUTE FUNCTION fail()
"""


@pytest.fixture(params=["XX000", "58030"])
def fail(bench, engine, request):
    """Makes every insertion of an item fail, at once or at the commit."""
    if engine == "sqlite" or os.environ.get("WISHWELL_TEST_CITUS"):
        pytest.skip("one PostgreSQL says here what a cluster does")

    async def execute(tx, sql):
        await tx._connection.execute(sql)

    def begin(when="", level="EXCEPTION"):
        bench.write(execute, TRIGGER.format(level=level, code=request.param, when=when))

    yield begin
    bench.write(execute, "DROP TRIGGER fail ON items; DROP FUNCTION fail")


async def save(tx, bench, profile, product=1):
    await items.save(tx, profile, new_item(product), bench.new_id(), bounds(9), bench.clock.tick())


async def save_under_the_lock(tx, bench, profile):
    await profiles.lock(tx, profile, bench.clock.tick())
    await save(tx, bench, profile)


def test_save_that_loses_its_server_is_undecided(bench, fail):
    """contract: cluster-server-away. It may have been done: not 500."""
    profile = bench.new_customer()
    bench.write(save, bench, profile, 2)
    fail()
    with pytest.raises(Undecided):
        bench.write(save, bench, profile)


def test_transaction_that_loses_a_server_before_its_commit_was_not_done(bench, fail):
    """contract: cluster-server-away."""
    profile = bench.new_customer()
    fail()
    with pytest.raises(Unavailable) as raised:
        bench.write(save_under_the_lock, bench, profile)
    assert not isinstance(raised.value, Undecided)


def test_commit_that_loses_a_server_is_undecided(bench, fail):
    """contract: cluster-server-away."""
    profile = bench.new_customer()
    fail("DEFERRABLE INITIALLY DEFERRED")
    with pytest.raises(Undecided):
        bench.write(save_under_the_lock, bench, profile)


def test_commit_that_is_in_doubt_is_undecided(bench, engine, fail):
    """contract: cluster-server-away. The coordinator warns that a server may not have committed,
    and answers as if it had."""
    fail("DEFERRABLE INITIALLY DEFERRED", "WARNING")
    profile = bench.new_customer()
    with pytest.raises(Undecided):
        bench.write(save_under_the_lock, bench, profile)
    bench.write(profiles.lock, profile, bench.clock.tick())
    with pytest.raises(Undecided):
        bench.write(save, bench, profile, 2)
