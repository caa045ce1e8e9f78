"""Redis or Valkey stopped, paused and slow: requests are served and counted locally."""

from __future__ import annotations

import asyncio
import contextlib
import time

from tests.servers import RedisServer, redis_binary
from torture.flood import share
from torture.harness import Harness, Result, harness, scenario

ADDED_P99_MS = 60


def _window(r: Harness, since: float) -> list[float]:
    return [entry.ms for entry in r.journal.entries if entry.at >= since]


async def _cycle(redis: RedisServer, seconds: float) -> None:
    """Frozen for 20 ms, awake for 10 ms, again and again: slow, but not gone."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        redis.process.send_signal(19)
        await asyncio.sleep(0.02)
        redis.process.send_signal(18)
        await asyncio.sleep(0.01)


@scenario()
async def redis_away(engine: str, result: Result, scale: float) -> None:
    """Stopped, frozen, slow, and back: no request is refused for it."""
    if redis_binary() is None:
        result.skipped = "neither redis-server nor valkey-server is on PATH"
        return
    seconds = max(2.5, 5 * scale)
    with (
        RedisServer() as redis,
        harness(engine, result, scale, {"WISHWELL_REDIS_URL": redis.url}) as r,
    ):

        async def fault() -> None:
            begun = time.monotonic()
            await asyncio.sleep(seconds)
            usual = share(_window(r, begun), 0.99)
            result.notes.append(f"p99 {usual:.0f} ms with Redis")
            for name in ("stopped", "paused", "slow"):
                begun = time.monotonic()
                if name == "stopped":
                    await asyncio.to_thread(redis.stop)
                    await asyncio.sleep(seconds)
                    await asyncio.to_thread(redis.start)
                elif name == "paused":
                    # What is on its way at that moment waits out its time, 16 requests at once here:
                    # of a short pause that alone is the p99.
                    redis.pause()
                    await asyncio.sleep(max(seconds, 6))
                    redis.resume()
                else:
                    await _cycle(redis, seconds)
                added = share(_window(r, begun), 0.99) - usual
                result.notes.append(f"{name}: p99 {added:+.0f} ms")
                result.must(added <= ADDED_P99_MS, f"{name}: p99 {added:+.0f} ms")
                with contextlib.suppress(ProcessLookupError):
                    redis.resume()
                await asyncio.sleep(1.5)

        await r.under_load(fault, count=16)
        result.faults = f"stopped, paused and slow, {seconds:g} s each"
        statuses = r.journal.statuses()
        result.must(set(statuses) <= {"200", "201", "204"}, f"answers: {dict(statuses)}")
        result.must("redis_back" in r.service.output(), "Redis was back, and not noticed")
        await r.compare()
