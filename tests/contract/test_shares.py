"""Shares in the database: what a token leads to, and what becomes of it."""

import contextlib

import pytest

from tests.contract.conftest import OPEN, bounds
from tests.contract.test_purge import DAY, run_purge
from wishwell import ids
from wishwell.db import RunAgain
from wishwell.errors import LimitReached, NotFound, Unavailable, UnknownShare
from wishwell.wishes import copies, lists, purge, shares


def resolve(bench, token):
    return bench.read(shares.resolve, bench.finder, token, bench.clock.tick())


def test_all_that_is_wrong_with_a_token_is_one_error(bench):
    """contract: shared-unknown."""
    owner = bench.new_customer()
    at = bench.new_list(owner).id
    made = bench.share(owner, at)
    late = bench.share(owner, at, OPEN._replace(expires_at="2000-01-01T00:00:00.000Z"))
    with pytest.raises(NotFound):
        bench.share(owner, "01900000-0000-7000-8000-000000000000")
    bench.write(lists.delete, owner, at, bench.clock.tick())
    said = set()
    for token in (made.token, late.token, shares.new_token(), made.token[:-1], "", "wwshr_é"):
        with pytest.raises(UnknownShare) as refused:
            resolve(bench, token)
        said.add(refused.value.message)
    assert len(said) == 1
    assert bench.select("SELECT * FROM share_tokens WHERE profile_id = $1", owner.id) == []


def test_share_that_a_sign_in_moved_is_found_where_it_is(bench):
    """contract: share-link, shared-unknown. Also by who knew where it was."""
    owner, customer = bench.new_session(), bench.new_customer()
    made = bench.share(owner, bench.new_list(owner).id)
    assert resolve(bench, made.token).owner.id == owner.id
    bench.link(owner, customer)
    found = bench.read(shares.view, bench.finder, made.token, None, bench.clock.tick())
    assert found.name == "x"
    assert resolve(bench, made.token).owner.id == customer.id
    other = bench.finder._replace(store=lambda id: None)
    with pytest.raises(UnknownShare):
        bench.read(shares.resolve, other, made.token, bench.clock.tick())


def test_copy_of_a_list_that_holds_more_than_a_list_may(bench):
    """contract: copy-limits. As one may after a link."""
    owner, other = bench.new_session(), bench.new_customer()
    [at] = bench.fill(owner, products=3, lists=1, on=1)
    made = bench.share(owner, at)
    for most, fits in ((2, False), (3, True)):
        wanted, now = copies.Wanted(bench.new_id(), None), bench.clock.tick()
        terms = (other, wanted, bench.new_id, bounds(9, list_items=most), now)
        with contextlib.nullcontext() if fits else pytest.raises(LimitReached):
            bench.write(copies.copy, bench.finder, made.token, *terms)
        assert bench.holds(other) == ((3, 1, 3) if fits else (0, 0, 0))
        bench.check(other)


def test_shares_of_a_session_that_is_purged(bench):
    """contract: share-list-deleted, purge-steps. Gone from the first step on, however many follow."""
    owner = bench.new_session()
    made = bench.share(owner, bench.new_list(owner).id)
    at = bench.clock() + 365 * DAY
    later = ids.timestamp(at)
    bench.write(purge._end, later, later, [owner.id], later)
    with pytest.raises(UnknownShare):
        resolve(bench, made.token)
    with pytest.raises(UnknownShare):
        bench.read(shares.view, bench.finder, made.token, None, bench.clock.tick())
    run_purge(bench, at)
    for table in ("shares", "share_tokens"):
        assert bench.select(f"SELECT * FROM {table} WHERE profile_id = $1", owner.id) == []


def test_share_that_is_nowhere_for_a_moment_is_asked_for_again(bench, engine):
    """contract: cluster-link. What a reader sees of a link while its two servers commit."""
    if engine == "sqlite":
        pytest.skip("commits at once")
    owner = bench.new_customer()
    made = bench.share(owner, bench.new_list(owner).id)
    bench.one("shares_remove", profile=owner.id, ids=[made.id])
    with pytest.raises(Unavailable):
        resolve(bench, made.token)
    with pytest.raises(Unavailable):
        bench.write(shares.lock, bench.finder, made.token, bench.new_session(), bench.clock.tick())
    tries = []

    async def third(tx):
        tries.append(tx)
        if len(tries) < 3:
            raise RunAgain
        return len(tries)

    assert bench.read(third) == 3
