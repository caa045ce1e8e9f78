"""The cache of verified cookies and JWTs, and the lifetimes of secrets."""

import contextlib
import time

import jwt
import pytest

from tests.contract.conftest import Clock
from tests.servers.called import on_loop
from wishwell import ids, stores
from wishwell.access.access_cache import AccessCache
from wishwell.db import migrate
from wishwell.db.clock import ReferenceClock
from wishwell.db.sqlite.database import SQLite
from wishwell.outbound import Outbound
from wishwell.shoppers import cookie, customers, shop
from wishwell.shoppers.key_sets import KeySets
from wishwell.stores import StorePatch, store_secrets
from wishwell.stores.sealing import Sealing
from wishwell.stores.store_secrets import CookieSecret, SecretsPatch, StoreSecrets, _apply_patch

from .conftest import DAY
from .way import direct

pytestmark = direct("no request is sent")

CLOCK = ReferenceClock(ids.wall_clock)
KEY = "k" * 40
SEALING = Sealing([b"s" * 40])
NAMESPACE = "wishwell"
SESSION = "gid://wishwell/Session/01a1fb82-8f15-4000-aafc-5adf06151cd4"


@contextlib.asynccontextmanager
async def deployment(folder, count):
    """Creates ``count`` stores; yields the database, the access cache, the shops and the stores."""
    path, sealing = str(folder / "wishwell.db"), SEALING
    migrate.migrate_sqlite(path)
    db = SQLite(path)

    async def create(tx):
        for number in range(count):
            now = ids.wall_clock()
            at = f"https://shop-{number}.example"
            patch = StorePatch(hosts=(at,), naming={"jwt_header": "X-Shop-Token"})
            store = await stores.create(tx, ids.UUID7()(), f"s-{number}", patch, ids.timestamp(now))
            await store_secrets.change(tx, sealing, store, SecretsPatch((KEY,)), CLOCK)

    await db.write(create)
    cache = AccessCache(db, ids.wall_clock)
    await cache.refresh()
    keys = KeySets(Outbound(http=False, private=False), 600)
    there = [cache.store_of_host(f"shop-{number}.example") for number in range(count)]
    yield db, cache, shop.ShopCache(cache, sealing, keys), there
    await db.close()


async def visit(its, customer):
    """Verifies a new visitor's cookie and a customer's JWT; returns both shopper ids."""
    now = int(time.time())
    session = ids.session_gid(NAMESPACE, ids.random_uuid())
    value = its.cookies.value(session, now).encode()
    claims = {"sub": str(customer), "exp": now + 600}
    token = jwt.encode(claims, KEY)
    for _ in range(2):
        assert its.cookies.visitor(value, now).session == session
        gid = (await its.customer(token)).gid
        assert gid.endswith(f"/{customer}")
    return its.cookies.shopper(session), its.cookies.shopper(gid)


def remembered():
    """Returns the number of cached entries of all kinds."""
    kinds = cookie.Signer.verified, cookie.Signer.shopper, customers.jwt_customer
    return sum(kind.cache_info().currsize for kind in kinds)


@pytest.mark.slow
@on_loop
async def test_cache_stays_within_its_limit(tmp_path):
    """The cache stays within its limit with many shoppers, and evicted ones are verified again.
    Rule: storefront-secrets."""
    async with deployment(tmp_path, 110) as (_, _, shops, there):
        first = []
        for store in there:
            its = shops.of(store)
            first.append(await visit(its, 1))
            for customer in range(2, 101):
                await visit(its, customer)
            assert remembered() <= 30_000
        assert remembered() > 15_000
        for store, (_, shopper) in zip(there, first, strict=True):
            its = shops.of(store)
            assert its.cookies.shopper(f"gid://{store.platform}/Customer/1") == shopper


@on_loop
async def test_cached_shop_is_replaced_when_its_secrets_change(tmp_path):
    """A shop's cached state is rebuilt when its secrets change, and only then.
    Rule: storefront-secrets."""
    async with deployment(tmp_path, 2) as (db, cache, shops, (changed, other)):
        before, its = shops.of(changed), shops.of(other)
        now = ids.wall_clock()
        await db.write(
            store_secrets.change, SEALING, changed, SecretsPatch(new_signer="leaked"), CLOCK
        )
        await cache.refresh()
        value = before.cookies.value(SESSION, now // 1000).encode()
        assert before.cookies.visitor(value, now // 1000) is not None
        assert shops.of(changed).cookies.visitor(value, now // 1000) is None
        assert shops.of(other) is its


def test_rotated_secret_verifies_earlier_signatures_for_90_days():
    """A rotated secret verifies what it signed before for 90 days, also after a restart, and
    nothing signed later.
    Rules: storefront-visitor, storefront-secrets."""
    at = 1_800_000_000
    first = StoreSecrets((CookieSecret("first"),))
    rotated = _apply_patch(first, SecretsPatch(new_signer="rotate"), at * 1000, 0)
    before, after = (cookie.Signer(one.cookie, "s") for one in (first, rotated))
    newest = cookie.Signer(rotated.cookie[:1], "s")

    def found(signer: cookie.Signer, value: str, now: int) -> bool:
        return signer.visitor(value.encode(), now) is not None

    last = before.value(SESSION, at)
    for now, good in ((at, True), (at + 90 * DAY, True), (at + 90 * DAY + 1, False)):
        assert found(after, last, now) == good
    assert not found(after, before.value(SESSION, at - 10 * DAY), at + 80 * DAY + 1)
    assert not found(newest, last, at)
    # A clock that was ahead may have signed with it. A date ahead doesn't extend its validity.
    ahead = before.value(SESSION, at + 1_000 * DAY)
    assert found(after, ahead, at + 90 * DAY)
    assert not found(after, ahead, at + 90 * DAY + 1)
    # The new secret verifies immediately, and signs once every process has read it.
    assert found(before, after.value(SESSION, at + 10), at + 10)
    assert not found(before, after.value(SESSION, at + 11), at + 11)
    assert found(newest, after.value(SESSION, at + 11), at + 11)
    assert found(after, newest.value(SESSION, at), at)
    for days, count in ((0, 2), (89, 2), (90, 1)):
        now = at + days * DAY
        kept = _apply_patch(rotated, SecretsPatch(), now * 1000, (now - 90 * DAY) * 1000)
        assert len(kept.cookie) == count
        assert kept.cookie[0] == rotated.cookie[0]
    leaked = _apply_patch(rotated, SecretsPatch(new_signer="leaked"), at * 1000, 0)
    assert not set(leaked.cookie) & set(rotated.cookie)


@on_loop
async def test_start_removes_secrets_90_days_after_their_rotation(tmp_path):
    """A start removes secrets 90 days after their rotation. Rule: sealing-keys."""
    async with deployment(tmp_path, 1) as (db, _, _, [store]):
        now, sealing = ids.wall_clock(), SEALING
        rotate = SecretsPatch(new_signer="rotate")
        await db.write(store_secrets.change, sealing, store, rotate, Clock(now))
        for days, count in ((89, 2), (90, 1)):
            await db.write(store_secrets.prepare, sealing, Clock(now + days * DAY * 1000))
            [sealed] = await db.read(lambda tx: tx.one("store_secrets", store=store.id))
            kept = store_secrets.opened(sealing, store.id, sealed)
            assert len(kept.cookie) == count
            assert kept.jwt_keys == (KEY,)
