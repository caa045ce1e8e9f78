"""The purge: what goes when, and what stays (decisions, section 1)."""

import asyncio

import pytest

from wishwell import config, items, linking, profiles, purge
from wishwell.errors import NotFound
from wishwell.items import NewItem

DAY = 86_400_000
SETTINGS = config.load({})


def run_purge(bench, now):
    async def all_of_it():
        return [seen async for seen in purge.sessions(bench.db, SETTINGS, now)]

    return bench.run(all_of_it())


def there(bench, profile):
    return bench.run(bench.db.read.one("profile_state", profile.id)) is not None


def save(bench, profile, product=1):
    new = NewItem(product)
    now = bench.clock.tick()
    return bench.run(items.save(profile, bench.db, new, bench.new_id(), 99, now))[0]


def test_sessions_go_by_what_they_hold(bench):
    """Empty after 2 days; with an item 90 days after its last token has ended; customers never."""
    empty, holds, customer = bench.new_session(), bench.new_session(), bench.new_customer()
    item = save(bench, holds)
    save(bench, customer)
    made = bench.clock()
    run_purge(bench, made + 2 * DAY - 60_000)
    assert there(bench, empty)
    run_purge(bench, made + 2 * DAY + 60_000)
    assert not there(bench, empty)
    run_purge(bench, made + 91 * DAY - 60_000)
    assert there(bench, holds)
    run_purge(bench, made + 91 * DAY + 60_000)
    assert not there(bench, holds)
    assert bench.run(bench.db.read.one("item_find", holds.id, item.id)) is None
    assert there(bench, customer)
    with pytest.raises(NotFound):
        bench.run(profiles.renew_session(bench.db.write, holds, bench.clock.tick()))


def test_new_token_starts_the_time_again(bench):
    """A session that asked for a token a day ago is not old, however long ago it was made."""
    session = bench.new_session()
    save(bench, session)
    bench.clock.milliseconds += 80 * DAY
    bench.run(profiles.renew_session(bench.db.write, session, bench.clock.tick()))
    run_purge(bench, bench.clock() + 89 * DAY)
    assert there(bench, session)


def test_linked_session_is_remembered_as_long_as_any(bench):
    """Its tokens must get their 401 and a second link its 201, not as if it had never been."""
    session, customer = bench.new_session(), bench.new_customer()
    save(bench, session)
    bench.run(bench.db.transaction(linking.link, session, customer, bench.clock.tick()))
    run_purge(bench, bench.clock() + 3 * DAY)
    assert there(bench, session)
    run_purge(bench, bench.clock() + 92 * DAY)
    assert not there(bench, session)


def test_purge_beside_saves_loses_nothing_that_was_answered(bench):
    """A session that is empty when found and saved to before it goes, stays: or the save is refused."""
    for _ in range(20):
        session = bench.new_session()
        later = bench.clock() + 3 * DAY

        async def both(session=session, later=later):
            async def purging():
                async for _ in purge.sessions(bench.db, SETTINGS, later):
                    pass

            saving = items.save(
                session, bench.db, NewItem(1), bench.new_id(), 99, bench.clock.tick()
            )
            return await asyncio.gather(saving, purging(), return_exceptions=True)

        saved, purged = bench.run(both())
        assert purged is None
        if isinstance(saved, Exception):
            assert isinstance(saved, NotFound)
            assert not there(bench, session)
        else:
            assert there(bench, session)


def test_more_sessions_than_a_batch_all_go_with_progress(bench):
    """450 at once, in batches; each batch tells how far it is."""
    made = [bench.new_session() for _ in range(450)]
    seen = run_purge(bench, bench.clock() + 3 * DAY)
    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert not any(there(bench, session) for session in made)
