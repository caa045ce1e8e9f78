"""The limiter in the process, with a clock in hand."""

import asyncio

from wishwell.limits import LocalLimiter

MINUTE = 60_000


def test_window_opens_with_the_minute_and_counts_exactly():
    """So many in a minute, none more; the next minute starts anew; looking costs nothing."""
    now = [10 * MINUTE]
    limiter = LocalLimiter(lambda: now[0])

    async def take(cost=1):
        return await limiter.take("a", 2, cost)

    assert asyncio.run(take()) == (True, 2, 1, 660)
    assert asyncio.run(take(0)) == (True, 2, 1, 660)
    assert asyncio.run(take()) == (True, 2, 0, 660)
    assert asyncio.run(take()) == (False, 2, 0, 660)
    now[0] += MINUTE
    assert asyncio.run(take()) == (True, 2, 1, 720)


def test_limit_is_not_stuck_when_the_clock_steps_back_a_day():
    """A clock that was ahead and is put right: the limit opens with the next minute, not in a day."""
    now = [2000 * MINUTE]
    limiter = LocalLimiter(lambda: now[0])
    assert asyncio.run(limiter.take("a", 1)).allowed
    assert not asyncio.run(limiter.take("a", 1)).allowed
    now[0] -= 1440 * MINUTE
    taken = asyncio.run(limiter.take("a", 1))
    assert taken.allowed
    assert taken.reset == (now[0] // MINUTE + 1) * 60
