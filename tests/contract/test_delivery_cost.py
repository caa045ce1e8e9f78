"""What delivering costs the process that does it: its memory is tested, its time is printed."""

import asyncio
import json
import os
import subprocess
import sys
import time

import psutil
import pytest

from tests.contract.desk import SEALING
from tests.servers.base import HERE
from wishwell import ids
from wishwell.events import webhooks
from wishwell.events.sender import Sender
from wishwell.outbound import Outbound

EVENTS = int(os.environ.get("WISHWELL_TEST_DELIVERIES", "20000"))
PART, WARM = 10_000, 2_000


def tell(bench, store, first, last):
    """Puts events straight into the feed, each with about 600 bytes as it is sent."""
    profile = bench.new_customer(store)
    now, item = bench.clock.tick(), {"id": ids.random_uuid(), "note": "n" * 320}
    data = json.dumps({"item": item})
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
def test_deliveries_are_each_made_and_leave_memory_flat(bench, store, engine):
    """contract: delivery-each. On kept connections, each signed."""
    command = [sys.executable, "-m", "tests.servers.sink"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as sink:
        url = f"http://{HERE}:{sink.stdout.readline().strip()}/"
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
