"""Redis or Valkey stopped, paused and slow: requests are served and counted locally."""

from __future__ import annotations

import asyncio
import contextlib
import time
from asyncio import to_thread

from bench.flood import share
from tests.servers import RedisServer, redis_binary
from torture.harness import Harness, only_served, scenario

ADDED_P99_MS = 60


def _p99(r: Harness, since: float) -> float:
    return share([entry.ms for entry in r.journal.entries if entry.at >= since], 0.99)


async def _stopped(redis: RedisServer, seconds: float) -> None:
    await to_thread(redis.stop)
    await asyncio.sleep(seconds)
    await to_thread(redis.start)


async def _paused(redis: RedisServer, seconds: float) -> None:
    # What is on its way at that moment waits out its time, 16 requests at once here: of a short
    # pause that alone is the p99.
    redis.pause()
    await asyncio.sleep(max(seconds, 6))
    redis.resume()


async def _slow(redis: RedisServer, seconds: float) -> None:
    """Frozen for 20 ms, awake for 10 ms, again and again: slow, but not gone."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        redis.process.send_signal(19)
        await asyncio.sleep(0.02)
        redis.process.send_signal(18)
        await asyncio.sleep(0.01)


@scenario()
async def redis_away(r: Harness) -> None:
    """Stopped, frozen, slow, and back: no request is refused for it."""
    if redis_binary() is None:
        r.result.skipped = "neither redis-server nor valkey-server is on PATH"
        return
    seconds = max(2.5, 5 * r.scale)
    r.result.faults = f"stopped, paused and slow, {seconds:g} s each"
    with RedisServer() as redis:
        await to_thread(r.service.restart, settings={"WISHWELL_REDIS_URL": redis.url})

        async def fault() -> None:
            begun = time.monotonic()
            await asyncio.sleep(seconds)
            usual = _p99(r, begun)
            r.note(f"p99 {usual:.0f} ms with Redis")
            for name, trouble in (("stopped", _stopped), ("paused", _paused), ("slow", _slow)):
                begun = time.monotonic()
                await trouble(redis, seconds)
                added = _p99(r, begun) - usual
                r.note(f"{name}: p99 {added:+.0f} ms")
                r.must(added <= ADDED_P99_MS, f"{name}: p99 {added:+.0f} ms")
                with contextlib.suppress(ProcessLookupError):
                    redis.resume()
                await asyncio.sleep(1.5)

        await r.under_load(fault, 16)
        only_served(r)
        r.must("redis_back" in r.service.output(), "Redis was back, and not noticed")
        await r.compare()
