"""The access cache's reads, and its delayed writes: last use of admin tokens, touched sessions."""

import asyncio

import pytest

from tests.contract.conftest import Clock, LockHeldByOther
from tests.contract.desk import SEALING
from wishwell import ids, opaque
from wishwell.access import access_cache, auth
from wishwell.db import run_statement
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.privacy import store_deletion
from wishwell.stores import store_secrets
from wishwell.stores.store_secrets import SecretsPatch

DAY = 86_400_000


@pytest.fixture
def impatient(bench):
    """The bench with a statement timeout of half a second."""
    with bench.with_timeout(0.5):
        yield bench


def test_failed_flush_is_written_by_the_next_one(impatient):
    """Touches and token uses survive a flush that failed because the database was unreachable."""
    bench, session, token = impatient, impatient.new_session(), auth.new_admin_token()
    given = token, "test", bench.new_id(), bench.clock.tick(), None
    bench.write(auth.create_admin_token, bench.store, *given)
    bench.clock.milliseconds += DAY
    known = access_cache.AccessCache(bench.db, bench.clock)

    async def story():
        await known.refresh()
        assert await known.admin_token(opaque.hashed(token)) is not None
        known.touch(session.id)
        async with LockHeldByOther(bench.where):
            with pytest.raises(Unavailable):
                await known.write_uses()
        bench.clock.milliseconds += 60_000
        await known.write_uses()

    bench.run(story())
    [[touched]] = bench.select("SELECT touched_at FROM profiles WHERE profile_id = $1", session.id)
    of = "SELECT last_used_at FROM admin_tokens WHERE hash = $1"
    [[used]] = bench.select(of, opaque.hashed(token))
    assert touched[:10] == used[:10] == ids.timestamp(bench.clock())[:10]


def test_revocations_last_as_long_as_the_tokens_and_cookies_that_they_refuse(bench):
    """A process that starts knows the revocation of a token for a day, and that of a whole profile, which
    also refuses cookies, for 91 days; until then neither is removed. Rule: token-revoked."""
    now, (whole, one), jti = bench.clock(), (bench.new_session() for _ in range(2)), bench.new_id()
    bench.write(auth.revoke_profile, whole, now)
    bench.write(auth.revoke_profile, one, now, jti)
    for days, expected in (
        (0.9, (True, True)),
        (1.1, (True, False)),
        (90.9, (True, False)),
        (91.1, (False, False)),
    ):
        clock = Clock(now + int(days * DAY))
        bench.write(auth.forget_revocations, clock())
        cache = access_cache.AccessCache(bench.db, clock)
        bench.run(cache.refresh())
        assert (cache.is_profile_revoked(whole.id), cache.is_revoked(one.id, jti)) == expected, days


def test_revocations_deletions_and_secrets_outlast_later_refreshes(bench, store):
    """A cached admin token that was revoked, a revoked profile, a deleted store and a store's secrets stay
    so after refreshes that read only later changes. Rules: token-revoked, store-delete."""
    token, id, session = auth.new_admin_token(), bench.new_id(), bench.new_session()
    bench.write(auth.create_admin_token, bench.store, token, "x", id, bench.clock.tick(), None)
    cache, hashed = access_cache.AccessCache(bench.db, bench.clock), opaque.hashed(token)
    bench.run(cache.refresh())
    assert bench.run(cache.admin_token(hashed)) is not None
    bench.write(auth.revoke_admin_token, id, bench.clock.tick())
    bench.write(auth.revoke_profile, session, bench.clock.milliseconds)
    bench.write(store_deletion.begin, store.handle, bench.clock.tick())
    bench.write(store_secrets.change, SEALING, bench.store, SecretsPatch(), bench.clock)
    for _ in range(3):
        bench.run(cache.refresh())
        assert bench.run(cache.admin_token(hashed)) is None
        assert cache.is_profile_revoked(session.id)
        assert cache.sealed_secrets(bench.store.id)
        with pytest.raises(StoreDeleted):
            cache.store(store.id)
        bench.clock.milliseconds += DAY // 2


def test_webhook_without_a_shop_name_finds_no_store(bench, store):
    """A webhook that names no shop isn't that of a store without a shop on a platform.
    Rule: platform-signed."""
    cache = access_cache.AccessCache(bench.db, bench.clock)
    bench.run(cache.refresh())
    assert store.naming.platform_shop == ""
    assert cache.store(store.id) == store
    assert cache.store_of_platform_shop("") is None


def test_revocation_of_a_token_dated_ahead_lasts_until_the_token_expires(bench):
    """A token that was issued by a clock a day ahead stays revoked for its whole day, which begins a day after the
    revocation. Rule: token-revoked."""
    now, customer = bench.clock(), bench.new_customer()
    jti = ids.uuid7_at(now + DAY)
    bench.write(auth.revoke_profile, customer, now, jti)
    for days, expected in ((1.9, True), (2.1, False)):
        clock = Clock(now + int(days * DAY))
        bench.write(auth.forget_revocations, clock())
        cache = access_cache.AccessCache(bench.db, clock)
        bench.run(cache.refresh())
        assert cache.is_revoked(customer.id, jti) == expected, days


@pytest.fixture
def known(bench, engine):
    """A cache on PostgreSQL, where each read takes a connection."""
    if engine == "sqlite":
        pytest.skip("reads of the embedded database take no connection from each other")
    return access_cache.AccessCache(bench.db, bench.clock)


def test_lookups_of_unknown_admin_tokens_leave_connections_for_other_requests(impatient, known):
    """A hundred lookups of unknown admin tokens leave database connections for other requests.
    Rule: admin-token-hashed."""

    async def story():
        await known.refresh()
        async with LockHeldByOther(impatient.where):
            made_up = [
                asyncio.create_task(known.admin_token(opaque.hashed(auth.new_admin_token())))
                for _ in range(100)
            ]
            await asyncio.sleep(0.1)
            for _ in range(20):
                await impatient.db.read(run_statement, "stores_changed", since="")
            async with asyncio.timeout(30):
                return await asyncio.gather(*made_up, return_exceptions=True)

    assert {type(answer) for answer in impatient.run(story())} == {Unavailable}


def test_request_waits_only_briefly_for_a_cache_refresh(bench, known):
    """A request waits only briefly for a cache refresh when all connections are taken.
    Rule: database-away."""

    async def story():
        await known.refresh()
        bench.clock.milliseconds += 5_000
        limit = bench.db.stats().connections_limit
        all_taken, go = asyncio.Barrier(limit + 1), asyncio.Event()

        async def hold(_tx):
            await all_taken.wait()
            await go.wait()

        holding = [asyncio.create_task(bench.db.read(hold)) for _ in range(limit)]
        await all_taken.wait()
        try:
            async with asyncio.timeout(30):
                await known.ensure_fresh()
        finally:
            go.set()
            await asyncio.gather(*holding)

    with pytest.raises(Unavailable):
        bench.run(story())
