"""What the directory notes for the database: used admin tokens and touched sessions."""

import asyncio

import asyncpg
import pytest

from tests.contract.conftest import Held, rows
from wishwell import ids, profiles, stores
from wishwell.access import access_cache, auth
from wishwell.db import migrate
from wishwell.db.postgres import Postgres
from wishwell.db.sqlite import SQLite
from wishwell.errors import Unavailable

DAY = 86_400_000


@pytest.fixture
def opened(engine, request, tmp_path):
    """The engine's name, where its database is, and a function that opens it."""
    if engine == "sqlite":
        where = str(tmp_path / "wishwell.db")
        migrate.migrate_sqlite(where)
        return engine, where, lambda: SQLite(where)
    where = request.getfixturevalue("postgres_server").create_database()
    asyncio.run(migrate.migrate_postgres(where))
    return engine, where, lambda: Postgres(where, connections=4, seconds=0.5)


async def _shop(db):
    now = ids.timestamp(ids.wall_clock())
    new_id = ids.UUID7(ids.wall_clock)
    store = await db.write(stores.create, new_id(), "shop", stores.StorePatch(), now)
    session = await db.write(profiles.create_session, store, "wishwell", ids.random_uuid(), now)
    token = auth.new_admin_token()
    await db.write(auth.create_admin_token, store, token, "test", new_id(), now, None)
    return store, session, token


def test_what_could_not_be_written_is_written_the_next_time(opened):
    """The database is away at a flush: the touches and uses of that time are not lost."""
    _, where, open_it = opened

    async def story():
        db = open_it()
        _, session, token = await _shop(db)
        clock = [ids.wall_clock() + DAY]
        known = access_cache.AccessCache(db, lambda: clock[0])
        await known.refresh()
        assert await known.admin_token(auth.hashed(token)) is not None
        known.touch(session.id)
        async with Held(where):
            with pytest.raises(Unavailable):
                await known.flush()
        clock[0] += 60_000
        await known.flush()
        idle = {"gone_before": "9", "empty_before": "9", "after_time": "", "after": ids.NO_UUID}
        [(_, touched, _)] = await db.read(rows, "sessions_idle", **idle, limit=9)
        [used] = await db.read(rows, "admin_tokens")
        await db.close()
        return touched, used

    touched, used = asyncio.run(story())
    assert touched >= ids.timestamp(ids.wall_clock() + DAY - 60_000)
    assert any(str(column).startswith(touched[:10]) for column in used)


def test_made_up_admin_tokens_leave_connections_for_others(opened):
    """contract: admin-token-guess. A hundred at once, while each look-up takes long: the other
    statements are served."""
    engine, where, open_it = opened
    if engine == "sqlite":
        pytest.skip("reads of the embedded database take no connection from each other")

    async def story():
        db = open_it()
        known = access_cache.AccessCache(db, ids.wall_clock)
        await known.refresh()
        other = await asyncpg.connect(where)
        await other.execute("BEGIN; LOCK TABLE admin_tokens")
        made_up = [
            asyncio.create_task(known.admin_token(auth.hashed(auth.new_admin_token())))
            for _ in range(100)
        ]
        await asyncio.sleep(0.1)
        for _ in range(20):
            await db.read(rows, "stores_changed", since="")
        began = asyncio.get_running_loop().time()
        answers = await asyncio.gather(*made_up, return_exceptions=True)
        took = asyncio.get_running_loop().time() - began
        await other.close()
        await db.close()
        return answers, took

    answers, took = asyncio.run(story())
    assert {type(answer) for answer in answers} == {Unavailable}
    assert took < 5
