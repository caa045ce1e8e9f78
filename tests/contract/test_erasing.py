"""Erasing a profile: what is left of it in the database, beside others and after a kill."""

from tests.contract.conftest import bounds, new_item
from wishwell.wishes import erasure, items, linking


def save(bench, profile, product, **given):
    new = new_item(product, **given)
    most = bounds(100)
    item, _ = bench.write(items.save, profile, new, bench.new_id(), most, bench.clock.tick())
    return item


def work(bench):
    async def run():
        async for _ in erasure.work(bench.db, bench.clock):
            pass

    bench.run(run())


def test_x(bench, store):
    customer = bench.new_customer(store)
    session = bench.new_session(store)
    save(bench, session, 1, tags=("a",))
    save(bench, customer, 2, tags=("b",))
    bench.write(linking.link, session, customer, bounds(100), bench.clock.tick())
    done = bench.write(erasure.erase, customer, bench.clock())
    assert sorted(done) == sorted([customer.id, session.id])
    work(bench)
    assert bench.select("SELECT type FROM events WHERE store_id=$1", store.id) == [
        ("profile.erased",)
    ]
    assert bench.select("SELECT profile_id FROM profiles WHERE store_id=$1", store.id) == []
    save(bench, customer, 2)
    print(
        bench.select("SELECT sequence, gid FROM events WHERE profile_id=$1", customer.id),
        bench.select("SELECT * FROM erasures"),
    )
