"""What delivering costs the process that does it: its memory is tested, its time is printed."""

import asyncio
import json
import os
import subprocess
import sys
import time

import psutil
import pytest
import uvloop

from tests.contract.conftest import Bench
from tests.servers.base import HERE
from wishwell import ids, stores
from wishwell.db import Database, migrate
from wishwell.db.postgres import Postgres
from wishwell.db.sqlite import SQLite
from wishwell.events import webhooks
from wishwell.events.sender import Sender
from wishwell.outbound import Outbound
from wishwell.stores.sealing import Sealing

EVENTS = int(os.environ.get("WISHWELL_TEST_DELIVERIES", "20000"))
PART, WARM = 10_000, 2_000
SEALING = Sealing([b"a-sealing-key-of-the-tests-with-40-chars"])


@pytest.fixture
def bench(engine, request, tmp_path):
    """On the loop that the service has."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if engine == "sqlite":
            where = str(tmp_path / "wishwell.db")
            migrate.migrate_sqlite(where)
            db: Database = SQLite(where)
        else:
            where = request.getfixturevalue("postgres_server").create_database()
            runner.run(migrate.migrate_postgres(where))
            db = Postgres(where, connections=10, seconds=10)
        yield Bench(db, runner.run, where)
        runner.run(db.close())


def tell(bench, store, first, last):
    """Puts events straight into the feed, each with about 600 bytes as it is sent."""
    profile = bench.new_customer(store)
    now, data = (
        bench.clock.tick(),
        json.dumps({"item": {"id": ids.random_uuid(), "note": "n" * 320}}),
    )
    rows = [
        (profile.id, n, store.id, n, "item.created", now, profile.gid, data)
        for n in range(first, last + 1)
    ]
    columns = "profile_id sequence store_id number type created_at gid data"
    bench.insert("events", columns, rows)
    bench.one("feed_open", store=store.id)
    bench.one("feed_give", store=store.id, given=last)
    bench.one("webhooks_wake", store=store.id, now=bench.clock.tick())
    bench.one("feed_publish", store=store.id, last=last)


async def deliver(sender, enough):
    while sender.attempts["delivered"] < enough:
        await sender.look()
        await asyncio.sleep(0.05)


@pytest.mark.slow
def test_deliveries_are_each_made_and_leave_memory_flat(bench, engine):
    """contract: delivery-each. On kept connections, each signed."""
    command = [sys.executable, "-m", "tests.servers.sink"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as sink:
        url = f"http://{HERE}:{sink.stdout.readline().strip()}/"
        patch = stores.StorePatch(events=True)
        make = stores.create, bench.new_id(), "told", patch, bench.clock.tick()
        store = bench.write(*make)
        create = SEALING, store, url, (), bench.new_id(), bench.clock.tick()
        bench.write(webhooks.create, *create)
        outbound = Outbound(http=True, private=True)
        sender = Sender(bench.db, outbound, SEALING, bench.clock)
        tell(bench, store, 1, WARM)
        bench.run(deliver(sender, WARM))
        process = psutil.Process()
        memory = []
        took = used = 0.0
        for first in range(WARM + 1, EVENTS + WARM, PART):
            last = min(first + PART - 1, EVENTS + WARM)
            tell(bench, store, first, last)
            took, used = took - time.monotonic(), used - time.process_time()
            bench.run(deliver(sender, last))
            took, used = took + time.monotonic(), used + time.process_time()
            memory.append(process.memory_info().rss)
        grown = memory[-1] - memory[len(memory) // 2 - 1]
        bench.run(sender.settle())
        bench.run(outbound.close())
        sink.stdin.close()
        assert int(sink.stdout.readline()) == EVENTS + WARM
    each = used / EVENTS * 1000
    print(
        f"{engine}: {EVENTS / took:.0f} a second, {each:.3f} ms of a core each, {grown} bytes more"
        " over the second half"
    )
    assert grown < 20_000_000
