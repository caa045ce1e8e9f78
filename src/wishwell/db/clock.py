"""The time that processes share, and the check before acts that can't be undone.

Records and marks carry the time of ``ReferenceClock``: the wall clock's, or the database server's
where the two differ, so that one wrong machine can't mislead the others. The ways to get a time:

| ``clock()``         | without I/O, to date records                                          |
| ``for_ages()``      | without I/O, to judge ages: a jump moves it by an hour at most        |
| ``checked_now(tx)`` | to do what can't be undone; raises ``ClockSuspect``                   |
| ``guarded(db, …)``  | the same for work in batches, which ends when the clock is suspect    |
| ``likely_now(tx)``  | the most likely time, however plausible, for work that can be redone  |

A process calls ``observe`` once a second, and a command ``synchronise`` once. Functions that remove
old records take their time as ``now`` from ``guarded``. The time isn't plausible while

* the process's clock and the database server's differ by more than ``MAX_SKEW_MS``, or
* it has jumped by more than ``MAX_JUMP_MS``, measured against the machine's uptime. The jump is
  accepted after ``HOLD_MS`` of uptime or after ``confirm``, and forgotten once it is reverted. A
  jump back counts too, because stored times then seem to be in the future.
"""

import functools
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import structlog

from wishwell import ids
from wishwell.db import Database, Reader, Writer
from wishwell.errors import Unavailable

MAX_SKEW_MS = 5 * 60_000
"""Largest difference between a process's clock and the database server's."""

MAX_JUMP_MS = 3_600_000
"""Longest jump that is accepted immediately."""

HOLD_MS = ids.DAY_MS
"""Uptime until a longer jump is accepted."""

_ADOPT_MS = 5_000
"""Difference above which a process uses the database server's time."""

_SAVE_INTERVAL_MS = 60_000
"""Uptime between two writes of an unchanged state."""

_CHECK_INTERVAL_MS = 1_000
"""Milliseconds after a plausible time during which the wall clock isn't checked again."""

_MAX_ROUND_TRIP_MS = 1_000
"""Round trip above which the server's time is too imprecise to replace a known one."""

T = TypeVar("T")

log = structlog.get_logger("wishwell.clock")


class ClockSuspect(Unavailable):
    """The time isn't plausible, so nothing may be removed as too old."""


class State(NamedTuple):
    """Where the clock should be: at ``wall`` (milliseconds since 1970) when the machine that
    started as ``boot`` had been up for ``uptime`` milliseconds.

    While a jump of ``jump`` milliseconds isn't accepted yet, ``hold`` is the uptime that is left.
    """

    boot: str
    wall: int
    uptime: int
    jump: int = 0
    hold: int = 0


# rule: clock-jump
def advance(before: State | None, wall: int, uptime: int, boot: str) -> State:
    """Returns the state after a reading of the clock.

    Across a restart of the machine the elapsed time is unknown, and counts as 0.
    """
    current = State(boot, wall, uptime)
    if before is None:
        return current
    is_same_boot = boot == before.boot and uptime >= before.uptime
    elapsed = uptime - before.uptime if is_same_boot else 0
    expected = current._replace(wall=before.wall + elapsed)
    jump = wall - expected.wall
    if abs(jump) <= MAX_JUMP_MS:
        # Keeps the expected time, so that small steps add up and can't evade the limit.
        return expected if is_same_boot else current
    if not before.hold or abs(jump - before.jump) > MAX_JUMP_MS:
        return expected._replace(jump=jump, hold=HOLD_MS)
    hold = before.hold - elapsed
    return expected._replace(jump=jump, hold=hold) if hold > 0 else current


def machine_uptime() -> int:
    """Returns the milliseconds since the machine started, including suspension if known."""
    return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)) // 1_000_000


@functools.cache
def machine_boot() -> str:
    """Returns an id of the machine's current boot; "" if the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


class ReferenceClock:
    """A clock. Calling it returns milliseconds since 1970 in UTC.

    ``suspicion``: why the time wasn't plausible at the last ``observe``; "" if it was.
    """

    def __init__(
        self,
        wall_clock: ids.Clock,
        uptime_clock: ids.Clock = machine_uptime,
        read_boot: Callable[[], str] = machine_boot,
    ) -> None:
        self.suspicion = ""
        self._wall_clock = wall_clock
        self._uptime_clock = uptime_clock
        self._boot = read_boot()
        self._server_offset: int | None = None  # the database server's time minus the uptime, in ms
        self._stored_state: State | None = None
        self._expected_offset = 0  # the expected time minus the uptime, in ms
        self._plausible_from = self._plausible_until = 0

    # rules: clock-jump, clock-guard
    def __call__(self) -> int:
        now = self._wall_clock()
        if self._plausible_from <= now < self._plausible_until:
            return now
        corrected = self._correct(now)
        if corrected == now:
            self._plausible_from, self._plausible_until = now, now + _CHECK_INTERVAL_MS
        return corrected

    def _correct(self, now: int) -> int:
        """Returns the wall clock's time, corrected by the database server's and the uptime."""
        if self._server_offset is not None:
            server_now = self._uptime_clock() + self._server_offset
            now = now if abs(now - server_now) <= _ADOPT_MS else server_now
        # Rows with a date far in the past would be too old as soon as the clock is right.
        return max(now, self._expected_now() - MAX_JUMP_MS)

    @property
    def skew_ms(self) -> int:
        """Milliseconds by which the wall clock is ahead of the database server's; 0 if unknown."""
        return (
            0
            if self._server_offset is None
            else self._wall_clock() - self._uptime_clock() - self._server_offset
        )

    # rule: clock-guard
    def for_ages(self) -> int:
        """Returns a time to judge ages by, without I/O. Jumps move it ``MAX_JUMP_MS`` at most."""
        now, expected = self(), self._expected_now()
        return min(now, expected + MAX_JUMP_MS) if expected else now

    def _expected_now(self) -> int:
        """Returns the expected time, by the machine's uptime; 0 before the first observation."""
        return self._expected_offset + self._uptime_clock() if self._expected_offset else 0

    async def synchronise(self, db: Database) -> None:
        """Reads the database server's time, which an embedded database lacks. Raises
        ``Unavailable``."""
        await db.read(self._read_clocks)

    # rule: clock-guard
    async def checked_now(self, tx: Reader) -> int:
        """Returns the time for removing old records. Raises ``ClockSuspect``."""
        now, state, skew_error = await self._read_clocks(tx)
        if reason := skew_error or _explain_jump(now, state):
            raise ClockSuspect(reason)
        return now

    # rule: clock-guard
    async def guarded(
        self, db: Database, run_batches: Callable[[int], AsyncIterator[T]]
    ) -> AsyncIterator[T]:
        """Yields from ``run_batches``, which gets the time for removing old records, as long as the
        clock is plausible. Raises ``ClockSuspect`` between two batches otherwise.

        A record that is old at a plausible time stays old, so a batch that has begun may finish.
        """
        now = await db.read(self.checked_now)
        async for batch in run_batches(now):
            yield batch
            await db.read(self.checked_now)

    async def likely_now(self, tx: Reader) -> int:
        """Returns the time or, while it isn't plausible, the time expected by the uptime."""
        now, state, _ = await self._read_clocks(tx)
        return state.wall if state.hold else now

    # rule: clock-jump
    async def observe(self, db: Database, *, logs: bool = True) -> None:
        """Stores the state, and logs when the clock becomes suspect and plausible again."""
        now, state, skew_error = await db.read(self._read_clocks)
        stored = self._stored_state
        if (
            stored is None
            or (stored.boot, stored.hold > 0) != (state.boot, state.hold > 0)
            or abs(state.jump - stored.jump) > MAX_JUMP_MS
            or state.uptime - stored.uptime >= _SAVE_INTERVAL_MS
        ):
            # A time further ahead than this one was stored by a clock that was wrong.
            await db.write(self._save, state, now + MAX_JUMP_MS)
        suspicion = skew_error or _explain_jump(now, state)
        if logs and suspicion and not self.suspicion:
            log.warning("clock_suspect", reason=suspicion)
        if logs and self.suspicion and not suspicion:
            log.info("clock_plausible_again")
        self.suspicion = suspicion

    async def confirm(self, tx: Writer) -> None:
        """Believes the clock from now on, however far it jumped. Raises ``ClockSuspect`` where it
        differs from the database server's."""
        now, _, skew_error = await self._read_clocks(tx)
        if skew_error:
            raise ClockSuspect(skew_error)
        await self._save(tx, State(self._boot, now, self._uptime_clock()), forget_after=0)

    async def _save(self, tx: Writer, state: State, forget_after: int) -> None:
        await tx.one("clocks_lock")
        await tx.run("clocks_forget", boot=self._boot, after=forget_after)
        await tx.run("clock_save", **state._asdict())

    # rule: clock-jump
    async def _read_clocks(self, tx: Reader) -> tuple[int, State, str]:
        """Returns the time, the state, and an error message if the two clocks differ too much."""
        uptime_before = self._uptime_clock()
        server_now = await _server_time(tx)
        wall_now, uptime = self._wall_clock(), self._uptime_clock()
        now = wall_now if server_now is None else server_now
        if server_now is not None and (
            self._server_offset is None or uptime - uptime_before <= _MAX_ROUND_TRIP_MS
        ):
            self._server_offset = server_now - (uptime_before + uptime) // 2
        row = await tx.one("clock_state", boot=self._boot)
        self._stored_state = State(*row) if row else None
        skew_error, skew_ms = "", abs(wall_now - now)
        if skew_ms > MAX_SKEW_MS:
            skew_error = (
                f"The clock of this machine ({ids.timestamp(wall_now)}) and the database server's "
                f"({ids.timestamp(now)}) differ by {skew_ms // 1000:,} s: set both by NTP"
            )
        state = advance(self._stored_state, now, uptime, self._boot)
        self._expected_offset = state.wall - state.uptime
        self._plausible_until = 0
        return now, state, skew_error


# rule: clock-jump
def _explain_jump(now: int, state: State) -> str:
    """Returns why the time isn't plausible after a jump; "" if it is."""
    if not state.hold:
        return ""
    return (
        f"The clock ({ids.timestamp(now)}) jumped {'ahead' if state.jump > 0 else 'back'} by "
        f"{abs(state.jump) // 1000:,} s. Set it by NTP, or run `wishwell clock confirm` if it is "
        f"right; it is accepted after {state.hold // 60_000:,} more minutes of uptime"
    )


async def _server_time(tx: Reader) -> int | None:
    """Returns the database server's time, on a cluster the coordinator's; None for a file."""
    row = await tx.one("server_time" if tx.joins_products else "coordinator_time")
    if row is None:
        raise Unavailable("The cluster's coordinator doesn't say what time it is.")
    return None if row[0] is None else int(row[0])
