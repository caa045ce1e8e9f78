"""Wrong clocks: they remove no data that isn't old, and leave no wrong state in the database.

On SQLite two processes share a machine's clock; on PostgreSQL each of two nodes has a clock of its
own, and the server has another. Records are dated by the real time, which is PostgreSQL's.
"""

import contextlib
import dataclasses
import functools
import io
from typing import Any

import pytest
import structlog

from tests.contract.conftest import Clock, one
from tests.contract.desk import SEALING
from wishwell import config, events, ids, jobs, opaque, products, ratelimits, stores
from wishwell.access import access_cache, auth
from wishwell.db import clock as db_clock
from wishwell.db import future_times, lease
from wishwell.db.clock import HOLD_MS, ClockSuspect, ReferenceClock, State, advance
from wishwell.errors import Unauthenticated, UnknownShare
from wishwell.events import deliveries, retention, webhooks
from wishwell.events.attempts import Attempt, ClaimedDelivery
from wishwell.events.webhooks import NewWebhook
from wishwell.ids import DAY_MS
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.shopify import platform_webhooks
from wishwell.privacy import erasure, platform_requests, request_processing
from wishwell.privacy.platform_requests import PlatformWebhook
from wishwell.products import NewProduct, ProductData
from wishwell.reports import counting, scheduling, tally
from wishwell.reports.tally import Tally, following
from wishwell.server import background
from wishwell.shoppers import cookie
from wishwell.stores import reporting, store_secrets
from wishwell.stores.store_secrets import CookieSecret, SecretsPatch
from wishwell.wishlists import item_changes, item_life, purchases, purge, shares

MINUTE, HOUR, YEAR = 60_000, 3_600_000, 365 * DAY_MS
SHIFTS = (10 * MINUTE, -10 * MINUTE, DAY_MS, -DAY_MS, 3 * YEAR)
LATER = 4 * YEAR
SETTINGS = config.load({})


@dataclasses.dataclass
class Machine:
    """A machine whose clock is off by ``shift``, and which has been up for a while longer."""

    shift: int = 0
    more: int = 0
    boot: str = "one"

    def process(self) -> ReferenceClock:
        return ReferenceClock(self.wall, self.uptime, lambda: self.boot)

    def wall(self) -> int:
        return ids.wall_clock() + self.shift + self.more

    def uptime(self) -> int:
        return db_clock.machine_uptime() + self.more


@pytest.fixture
def now(bench):
    """The real time, which the bench's clock shows too."""
    bench.execute("DELETE FROM clocks")
    bench.clock.milliseconds = ids.wall_clock()
    return bench.clock.milliseconds


def guarded(bench, clock, work, *arguments):
    """Runs what removes old records as jobs do."""
    return clock.guarded(bench.db, functools.partial(work, bench.db, *arguments))


async def guarded_write(bench, clock, use_case, *arguments):
    now = await bench.db.read(clock.checked_now)
    return await bench.db.write(use_case, *arguments, now)


async def jump(tx):
    """Lets the clock of the machine ``one`` jump ahead by two hours."""
    state = State("one", ids.wall_clock() - 2 * HOUR, db_clock.machine_uptime())
    await tx.run("clock_save", **state._asdict())


def quietly(bench, steps):
    """Runs an asynchronous generator or a use-case; a suspect clock ends it."""
    with contextlib.suppress(ClockSuspect):
        bench.drain(steps) if hasattr(steps, "__aiter__") else bench.run(steps)


# ------------------------------------------------------------------- acts that can't be undone


class Purge:
    def __init__(self, bench, store):
        self.bench, self.session = bench, bench.new_session(store)
        bench.save(self.session)

    def run(self, clock):
        return guarded(self.bench, clock, purge.sessions, SETTINGS)

    def is_whole(self):
        return bool(self.bench.holds(self.session)[0])


class ForgetCustomers:
    def __init__(self, bench, _):
        self.bench = bench
        self.customer = bench.new_customer(bench.new_store(forget_customers_after=1))
        bench.save(self.customer)

    def run(self, clock):
        return guarded(self.bench, clock, erasure.erase_idle)

    def is_whole(self):
        return not self.bench.read(erasure.is_under_way, self.customer.id)


class RemoveEvents:
    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        bench.save(bench.new_customer(store))
        bench.run(events.assign_positions(bench.db, bench.clock))
        bench.run(events.assign_positions(bench.db, bench.clock))

    async def run(self, clock):
        for _ in range(2):  # marked, then removed
            async for _ in guarded(self.bench, clock, retention.remove_events, 7):
                pass

    def is_whole(self):
        return bool(
            self.bench.select("SELECT 1 FROM events WHERE store_id = $1", str(self.store.id))
        )


class RemoveDeliveries:
    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        make = (
            SEALING,
            store,
            NewWebhook("https://shop.example/hook"),
            bench.new_id(),
            bench.clock.tick(),
        )
        self.hook = bench.write(webhooks.create, *make)
        bench.write(deliveries.queue_test, store, self.hook.id, bench.new_id(), bench.clock.tick())

    def run(self, clock):
        return guarded(self.bench, clock, retention.remove_deliveries, 7)

    def is_whole(self):
        of = "SELECT 1 FROM deliveries WHERE webhook_id = $1"
        return bool(self.bench.select(of, self.hook.id))


class GiveUpWebhook(RemoveDeliveries):
    def run(self, clock):
        event: Any = object()
        taken = ClaimedDelivery(ids.NO_UUID, "lease", "item.created", 0, event=event)
        attempts = [Attempt(taken, clock(), 500)]
        note = deliveries.record_attempts, self.store.id, self.hook.id, attempts, clock
        return self.bench.db.write(*note)

    def is_whole(self):
        return self.bench.read(webhooks.find, self.store, self.hook.id).enabled


class ForgetErasure:
    def __init__(self, bench, store):
        self.bench, self.customer = bench, bench.new_customer(store)
        bench.save(self.customer)
        bench.write(erasure.erase, self.customer, bench.clock.milliseconds)
        bench.drain(erasure.remove_erased(bench.db, bench.clock))

    def run(self, clock):
        return guarded_write(self.bench, clock, erasure.forget_old, 7)

    def is_whole(self):
        of = "SELECT 1 FROM erasures WHERE profile_id = $1"
        return bool(self.bench.select(of, self.customer.id))


class ForgetRevocation:
    def __init__(self, bench, store):
        self.bench, self.customer = bench, bench.new_customer(store)
        bench.write(auth.revoke_profile, self.customer, bench.clock.milliseconds)

    def run(self, clock):
        return guarded_write(self.bench, clock, auth.forget_revocations)

    def is_whole(self):
        return self.bench.read(auth.revoked_until, self.customer.id) > 0


class EndExport:
    topic: Any = "customers/data_request"

    def __init__(self, bench, store):
        self.bench, self.store, self.id = bench, store, bench.new_id()
        delivery = PlatformWebhook(self.topic, self.id, self.id, bench.new_customer(store))
        bench.write(
            platform_requests.record_request, store, delivery, self.id, bench.clock.milliseconds
        )
        bench.drain(request_processing.process_due(bench.db, bench.clock))

    def run(self, clock):
        return request_processing.process_due(self.bench.db, clock)

    def is_whole(self):
        [[state, export]] = self.bench.select(
            "SELECT state, export FROM requests WHERE id = $1", self.id
        )
        return state == "exported" and export is not None


class DeleteStore(EndExport):
    topic = "shop/redact"

    def is_whole(self):
        of = "SELECT 1 FROM deleted_stores WHERE store_id = $1"
        return not self.bench.select(of, str(self.store.id))


class Count:
    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        self.today = bench.clock.milliseconds
        for days in (40, 20, 0):
            clock = Clock(self.today - days * DAY_MS)
            bench.save(bench.new_customer(store), days)
            bench.drain(counting.run(bench.db, store, clock))

    def run(self, clock):
        return counting.run(self.bench.db, self.store, clock)

    def is_whole(self):
        """Returns whether the stored counts span the days from 40 days ago until today, which a
        clock that is some minutes ahead may end early."""
        days = [count.day for count in self.bench.read(counting.last, self.store, "9999", 9_999)]
        zone = self.store.reporting.zone
        first, today, soon = (
            reporting.day_of(self.today + moment, zone) for moment in (-40 * DAY_MS, 0, 10 * MINUTE)
        )
        return days[-1] == first and days[0] in (today, soon)


class DeleteMissing:
    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        new = [NewProduct("1", ProductData("t"))], [bench.new_id()], bench.clock.tick()
        bench.write(products.put, store, *new)

    async def run(self, clock):
        """Deletes products missing from a feed that lacks the stored one and began 30 minutes ago."""
        found = Catalogue("feed", io.BytesIO(b"id,title\n2,t\n"), self.store, clock())
        _ = [*found.read()]
        begun = ids.timestamp(clock() - 30 * MINUTE)
        async for _ in found.missing.count(self.bench.db, deletes=True):
            pass
        async for _ in found.missing.delete(self.bench.db, begun, clock):
            pass

    def is_whole(self):
        of = "SELECT 1 FROM products WHERE store_id = $1"
        return bool(self.bench.select(of, str(self.store.id)))


class DropCookieSecret:
    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        for patch in (SecretsPatch(), SecretsPatch(new_signer="rotate")):
            bench.write(store_secrets.change, SEALING, store, patch, bench.clock)

    def run(self, clock):
        return self.bench.db.write(store_secrets.prepare, SEALING, clock)

    def is_whole(self):
        [sealed] = self.bench.one("store_secrets", store=self.store.id)
        return len(store_secrets.opened(SEALING, self.store.id, sealed).cookie) == 2


class ForgetDeletedProduct:
    table = "deleted_products"

    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        now = ids.timestamp(bench.clock.milliseconds)
        new = [NewProduct("1", ProductData("t"))], [bench.new_id()], now
        bench.write(products.put, store, *new)
        bench.write(products.delete, store, "1", now)

    def run(self, clock):
        return guarded_write(self.bench, clock, products.forget_deleted)

    def is_whole(self):
        of = f"SELECT 1 FROM {self.table} WHERE store_id = $1"
        return bool(self.bench.select(of, str(self.store.id)))


class ForgetPlatformDelivery(ForgetDeletedProduct):
    table = "platform_deliveries"

    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        now = ids.timestamp(bench.clock.milliseconds)
        bench.write(one, "platform_delivery_add", hash=bench.new_id(), store=store.id, now=now)

    def run(self, clock):
        return guarded_write(self.bench, clock, platform_webhooks.forget)


class ForgetRemovedItem(ForgetDeletedProduct):
    table = "removed_items"

    def __init__(self, bench, _):
        self.bench, self.store = bench, bench.new_store(reporting={"purchases": True})
        customer = bench.new_customer(self.store)
        saved = bench.save(customer)
        bench.write(
            item_changes.delete, customer, saved.id, ids.timestamp(bench.clock.milliseconds)
        )

    def run(self, clock):
        return guarded(self.bench, clock, purchases.forget_removed)


ACTS = (
    *(Purge, ForgetCustomers, RemoveEvents, RemoveDeliveries, GiveUpWebhook, ForgetErasure),
    *(ForgetRevocation, EndExport, DeleteStore, Count, DeleteMissing, DropCookieSecret),
    *(ForgetDeletedProduct, ForgetPlatformDelivery, ForgetRemovedItem),
)


@pytest.mark.parametrize("act", ACTS)
def test_wrong_clock_removes_nothing(bench, store, now, act):
    """Neither of two processes removes anything after a jump of minutes, days or years in either direction.
    Both remove old data once it is really that old. Rule: clock-guard."""
    there, here = act(bench, store), Machine()
    other = here if "://" not in bench.where else Machine(boot="two")
    processes = here.process(), other.process()
    for clock in processes:
        bench.run(clock.observe(bench.db))
    for shift in (0, *SHIFTS):
        here.shift = shift
        for clock in processes:
            quietly(bench, there.run(clock))
            bench.run(clock.observe(bench.db))
            assert there.is_whole(), shift
        here.shift = 0
        for clock in processes:
            assert abs(bench.read(clock.checked_now) - ids.wall_clock()) < MINUTE
    quietly(bench, there.run(Clock(now + LATER)))
    assert not there.is_whole()


def test_node_with_a_right_clock_removes_old_data_despite_a_wrong_node(bench, store, now, engine):
    """On PostgreSQL a node with the right clock removes old data while another's clock is wrong. On SQLite
    both share a clock, and wait. Rule: clock-guard."""
    old = bench.new_session(store)
    bench.clock.milliseconds = now - 200 * DAY_MS
    gone = bench.new_session(store)
    wrong = Machine()
    right = wrong if engine == "sqlite" else Machine(boot="two")
    processes = wrong.process(), right.process()
    for clock in processes:
        bench.run(clock.observe(bench.db))
    wrong.shift = 3 * YEAR
    with pytest.raises(ClockSuspect):
        bench.drain(guarded(bench, processes[0], purge.sessions, SETTINGS))
    quietly(bench, guarded(bench, processes[1], purge.sessions, SETTINGS))
    there = [bench.one("profile_state", profile=one.id) is not None for one in (old, gone)]
    assert there == [True, engine == "sqlite"]


def make_suspect(bench, process):
    """Lets the time of the database jump ahead by two hours, on both engines."""
    bench.run(process.observe(bench.db))
    bench.execute(f"UPDATE clocks SET wall = wall - {2 * HOUR}")


def test_job_that_removes_old_records_is_put_off_while_the_clock_is_suspect(bench, now):
    """The purge and each job that removes old records end before their first batch while the clock is
    suspect. Rule: clock-guard."""
    clock = Machine().process()
    make_suspect(bench, clock)
    cache = access_cache.AccessCache(bench.db, clock)
    run = jobs.Run(SETTINGS, bench.db, clock, cache)
    removals = *item_life.RETENTION_JOBS, *retention.JOBS
    for work in (background.PURGE, *(job.work for job in removals)):
        with pytest.raises(ClockSuspect):
            bench.run(work(run))


def test_removal_ends_when_the_clock_jumps_after_its_first_batch(bench, store, now, monkeypatch):
    """A purge that has removed one session removes no other once the clock is suspect. Rule: clock-guard."""
    monkeypatch.setattr(purge, "_BATCH_SIZE", 1)
    bench.drain(purge.sessions(bench.db, SETTINGS, now))
    bench.clock.milliseconds = now - 200 * DAY_MS
    sessions, clock = [bench.new_session(store) for _ in range(3)], Machine().process()
    bench.run(clock.observe(bench.db))

    async def purge_and_jump():
        async for _ in guarded(bench, clock, purge.sessions, SETTINGS):
            await bench.db.write(jump)

    with pytest.raises(ClockSuspect):
        bench.run(purge_and_jump())
    stored = [bench.one("profile_state", profile=session.id) for session in sessions]
    assert stored.count(None) == 1


def test_request_that_waits_for_the_clock_delays_no_other(bench, store, now):
    """While the clock is suspect, a customer is erased although an export due before that waits.
    Rules: clock-guard, privacy-requests."""
    bench.clock.milliseconds = now - 31 * DAY_MS
    export, customer, id = EndExport(bench, store), bench.new_customer(store), bench.new_id()
    bench.save(customer)
    clock = Machine().process()
    make_suspect(bench, clock)
    request = PlatformWebhook("customers/redact", id, id, customer)
    bench.write(platform_requests.record_request, store, request, id, now)
    bench.drain(request_processing.process_due(bench.db, clock))
    assert export.is_whole()
    assert bench.read(erasure.is_under_way, customer.id)
    bench.write(clock.confirm)
    bench.drain(request_processing.process_due(bench.db, clock))
    assert not export.is_whole()


def test_no_day_ends_while_the_clock_is_suspect(bench, store, now):
    """While the clock is suspect, counts belong to the last counted day, although the expected time is on
    a later one. After a confirmation the next count begins today. Rules: count-days, clock-guard."""
    before, clock = now - 2 * DAY_MS, Machine().process()
    zone = store.reporting.zone
    bench.drain(counting.run(bench.db, store, Clock(before)))
    make_suspect(bench, clock)
    bench.save(bench.new_customer(store))
    bench.drain(counting.run(bench.db, store, clock))
    [count] = bench.read(counting.last, store, "9999", 9_999)
    assert (count.day, count.customers) == (reporting.day_of(before, zone), 1)
    bench.write(clock.confirm)
    bench.drain(counting.run(bench.db, store, clock))
    days = [count.day for count in bench.read(counting.last, store, "9999", 9_999)]
    assert days[0] in {reporting.day_of(at, zone) for at in (now, ids.wall_clock())}
    assert days[-1] == reporting.day_of(before, zone)


# ----------------------------------------------------------------------------- jumps, and holds


BEFORE = State("a", 1_800_000_000_000, 5 * HOUR)
HELD = BEFORE._replace(jump=DAY_MS, hold=HOLD_MS)


@pytest.mark.parametrize(
    ("before", "wall", "up", "boot", "jump", "hold"),
    [
        (None, 0, 0, "a", 0, 0),  # the first time is accepted
        (BEFORE, HOUR, HOUR, "a", 0, 0),
        (BEFORE, 9 * HOUR, 9 * HOUR, "a", 0, 0),  # the process was stopped, or the machine suspended
        (BEFORE, HOUR, 0, "a", 0, 0),  # the longest jump that is accepted
        (BEFORE, HOUR + 1, 0, "a", HOUR + 1, HOLD_MS),
        (BEFORE, -DAY_MS, 0, "a", -DAY_MS, HOLD_MS),
        (BEFORE._replace(jump=-DAY_MS, hold=HOLD_MS), 0, 0, "a", 0, 0),  # the jump back is reverted
        (BEFORE._replace(jump=-DAY_MS, hold=HOUR), HOUR - DAY_MS, HOUR, "a", 0, 0),
        (BEFORE, HOUR, -5 * HOUR, "b", 0, 0),  # a restart
        (BEFORE, HOUR + 1, -5 * HOUR, "b", HOUR + 1, HOLD_MS),
        (BEFORE, HOUR + 1, 9 * HOUR, "b", HOUR + 1, HOLD_MS),  # another machine's uptime
        (HELD, DAY_MS + HOUR, HOUR, "a", DAY_MS, HOLD_MS - HOUR),
        (HELD, DAY_MS + HOUR, -5 * HOUR, "b", DAY_MS + HOUR, HOLD_MS),  # after a restart, no uptime counts
        (HELD, DAY_MS + HOUR, MINUTE, "a", DAY_MS + HOUR - MINUTE, HOLD_MS - MINUTE),  # only uptime counts
        (HELD, DAY_MS + HOLD_MS, HOLD_MS, "a", 0, 0),  # accepted after the hold
        (HELD, 2 * HOUR, HOUR, "a", 0, 0),  # at the expected time again
        (HELD, -DAY_MS, 0, "a", -DAY_MS, HOLD_MS),
        (HELD, 2 * DAY_MS, HOUR, "a", 2 * DAY_MS - HOUR, HOLD_MS),  # another jump
    ],
)  # fmt: skip
def test_clock_jump_suspends_deletions_for_a_day_of_uptime(before, wall, up, boot, jump, hold):
    """A jump suspends deletions for a day of uptime. Rule: clock-jump."""
    after = advance(before, BEFORE.wall + wall, BEFORE.uptime + up, boot)
    assert (after.jump, after.hold, after.boot) == (jump, hold, boot)


def test_restart_moves_the_expected_time_to_the_clock():
    """After a restart with a plausible clock, the clock's time is the expected one; on a running machine the
    uptime's stays. Rule: clock-jump."""
    wall = BEFORE.wall + 30 * MINUTE
    assert advance(BEFORE, wall, 0, "b") == State("b", wall, 0)
    assert advance(BEFORE, wall, BEFORE.uptime, "a") == BEFORE
    assert Machine().process().for_ages() > BEFORE.wall - YEAR  # before the first observation


@pytest.mark.parametrize(
    ("seconds", "adopts", "suspect"), [(4, False, False), (6, True, False), (302, True, True)]
)
def test_node_uses_the_servers_time_from_5_seconds_and_is_suspect_from_5_minutes(
    bench, now, engine, seconds, adopts, suspect
):
    """A node whose clock differs by more than 5 s from PostgreSQL's uses that, and by more than 5 minutes
    deletes nothing. Rule: clock-guard."""
    process = Machine(shift=seconds * 1000).process()
    bench.run(process.observe(bench.db))
    uses_own = abs(process() - ids.wall_clock() - seconds * 1000) < 900
    apart = engine != "sqlite"
    assert (not uses_own, bool(process.suspicion)) == (apart and adopts, apart and suspect)


def test_small_clock_steps_add_up_to_a_jump():
    """Small steps add up: three of 25 minutes are a jump. Rule: clock-jump."""
    state: State | None = BEFORE
    holds = []
    for step in range(1, 4):
        state = advance(state, BEFORE.wall + step * 26 * MINUTE, BEFORE.uptime + step * MINUTE, "a")
        holds.append(state.hold > 0)
    assert holds == [False, False, True]


def stored_hold(bench):
    [[left]] = bench.select("SELECT hold FROM clocks")
    return left


def test_suspension_survives_restarts_and_ends_after_a_day_of_uptime(bench, now):
    """Every process reads the state of the clock from the database, so it survives restarts and ends after a
    day of uptime. Rule: clock-jump."""
    machine = Machine()
    bench.run(machine.process().observe(bench.db))
    two_hours_ago = f"UPDATE clocks SET wall = wall - {2 * HOUR}"
    bench.execute(two_hours_ago)  # the clock jumps by as much, on both engines
    with structlog.testing.capture_logs() as logs:
        process = machine.process()
        for _ in range(2):
            bench.run(process.observe(bench.db))
            assert stored_hold(bench) == HOLD_MS
        assert "jumped ahead by 7,1" in process.suspicion or "by 7,2" in process.suspicion
        assert bench.read(process.likely_now) < ids.wall_clock() - HOUR
        again = machine.process()
        for hours, left in ((23, HOUR), (25, 0)):
            before, machine.more = machine.more, hours * HOUR
            if "://" in bench.where:  # the server's clock isn't shifted, so this is a jump back
                machine.shift = -machine.more
                bench.execute(f"UPDATE clocks SET wall = wall - {machine.more - before}")
            bench.run(again.observe(bench.db))
            assert left - MINUTE <= stored_hold(bench) <= left
    said = [line["event"] for line in logs]
    assert said == ["clock_suspect", "clock_suspect", "clock_plausible_again"]


def test_confirmed_clock_is_trusted_by_every_process(bench, now):
    """Confirming the clock ends the suspicion in every process. Rule: clock-jump."""
    machine = Machine()
    other = machine.process()
    bench.run(other.observe(bench.db))
    bench.execute(f"UPDATE clocks SET wall = wall - {2 * HOUR}")
    bench.run(other.observe(bench.db))
    assert other.suspicion
    bench.write(machine.process().confirm)
    assert bench.read(other.checked_now) >= now
    bench.run(other.observe(bench.db))
    assert other.suspicion == ""


def test_clock_that_differs_from_the_servers_cannot_be_confirmed(bench, now, engine):
    """A clock that differs from PostgreSQL's isn't believed, even if an operator confirms it.
    Rule: clock-jump."""
    clock = Machine(shift=10 * MINUTE).process()
    if engine == "sqlite":
        bench.write(clock.confirm)
    else:
        with pytest.raises(ClockSuspect, match=r"differ by (599|600) s"):
            bench.write(clock.confirm)


def test_future_time_stored_by_a_wrong_clock_is_ignored(bench, now):
    """A stored time of an earlier boot that is over an hour ahead doesn't hide a later jump.
    Rule: clock-guard."""
    bench.execute(f"INSERT INTO clocks VALUES ('before', {now + HOUR + MINUTE}, 1, 0, 0)")
    bench.run(Machine().process().observe(bench.db))
    assert [boot for (boot,) in bench.select("SELECT boot FROM clocks")] == ["one"]


# ------------------------------------------------------------------------------ times of changes


@pytest.mark.parametrize("shift", [-20 * MINUTE, 20 * MINUTE, -3 * YEAR, 3 * YEAR])
def test_changes_reach_a_node_whatever_the_clocks_say(bench, now, engine, shift):
    """A new store, a changed one and revocations reach the other node, although the clock of the node that
    made them is wrong. On SQLite the clock jumps there and back. Rules: changes-take-effect, clock-jump."""
    other, here = Machine(boot="two"), Machine()
    nodes = [(other.process(), other), (here.process(), here)]
    if engine == "sqlite":
        nodes = [(here.process(), here)] * 2
    (writer, wrong), (clock, _) = nodes
    known = access_cache.AccessCache(bench.db, clock)
    bench.run(clock.synchronise(bench.db))
    bench.run(known.refresh())
    wrong.shift = shift
    if engine == "sqlite":
        bench.run(known.refresh())  # one refresh dated by the wrong clock
        wrong.shift = 0
    bench.run(writer.synchronise(bench.db))
    at = ids.timestamp(writer())
    assert abs(writer() - ids.wall_clock()) < 6_000
    new = bench.write(
        stores.create, bench.new_id(), f"s-{ids.random_uuid()}", stores.StorePatch(), at
    )
    patch = stores.StorePatch(price_drop_percent=77)
    bench.write(stores.update, bench.store.handle, patch, at)
    token, id, customer = auth.new_admin_token(), bench.new_id(), bench.new_customer()
    bench.write(auth.create_admin_token, bench.store, token, "x", id, at, None)
    assert bench.run(known.admin_token(opaque.hashed(token))) is not None
    bench.write(auth.revoke_admin_token, id, at)
    bench.write(auth.revoke_profile, customer, writer())
    bench.run(known.refresh())
    seen = known.store(bench.store.id)
    assert known.store(new.id) is not None
    assert seen is not None and seen.price_drop_percent == 77
    assert bench.run(known.admin_token(opaque.hashed(token))) is None
    jti = ids.uuid7_at(now)
    assert known.is_revoked(customer.id, jti)


def test_start_with_a_clock_ahead_learns_older_revocations_afterwards(bench, now):
    """A process that starts with a clock a year ahead still loads older revocations once its clock is right.
    Rule: changes-take-effect."""
    customer = bench.new_customer()
    bench.write(auth.revoke_profile, customer, now)
    clock = Clock(now + YEAR)
    known = access_cache.AccessCache(bench.db, clock)
    bench.run(known.refresh())
    clock.milliseconds = now + MINUTE
    bench.run(known.refresh())
    assert known.is_revoked(customer.id, ids.uuid7_at(now))


def test_session_use_is_recorded_again_after_the_clock_was_ahead(bench, now):
    """A session used while the clock was ahead is recorded as used again; otherwise the purge would delete
    it. Rules: clock-guard, session-purged."""
    session, clock = bench.new_session(), Clock(now + YEAR)
    known = access_cache.AccessCache(bench.db, clock)
    for at in (now + YEAR, now + DAY_MS):
        clock.milliseconds = at
        known.touch(session.id)
        bench.run(known.write_uses())
        bench.execute("UPDATE profiles SET touched_at = '2020-01-01T00:00:00.000Z'")
    known.touch(session.id)
    clock.milliseconds += DAY_MS
    known.touch(session.id)
    bench.run(known.write_uses())
    [[touched]] = bench.select("SELECT touched_at FROM profiles WHERE profile_id = $1", session.id)
    assert touched == ids.timestamp(now + 2 * DAY_MS)


def test_token_dated_ahead_is_valid_once_the_clocks_agree(bench, now):
    """A token dated ahead is 401 with advice to request another, and accepted as soon as the clocks agree:
    the refusal isn't cached. Rule: profile-token-strict."""
    clocks = Clock(now + YEAR), Clock(now)
    ahead, right = (
        auth.Authenticator(
            [b"k" * 40], access_cache.AccessCache(bench.db, clock), "wishwell", clock
        )
        for clock in clocks
    )
    customer = bench.new_customer()
    token = ahead.issue(customer)
    for _ in range(2):
        with pytest.raises(Unauthenticated, match=r"dated ahead.*Ask for a new one"):
            bench.run(right.caller(token))
    clocks[1].milliseconds += YEAR
    caller = bench.run(right.caller(token))
    assert caller.profile.gid == customer.gid


# ---------------------------------------------------------------- actions that are only delayed


@pytest.mark.parametrize("shift", SHIFTS)
def test_everything_that_a_wrong_clock_expired_works_once_it_is_right(bench, store, now, shift):
    """Admin tokens, shares, background leases, counts, rate-limit windows and replaced cookie secrets that a
    wrong clock treats as expired work again when it is right. Rule: clock-guard."""
    token, owner, clock = auth.new_admin_token(), bench.new_customer(store), Clock(now)
    expires = ids.timestamp(now + 30 * MINUTE)
    made = token, "x", bench.new_id(), ids.timestamp(now), expires
    bench.write(auth.create_admin_token, store, *made)
    terms = shares.ShareSettings(reservations=True, expires_at=expires)
    link = bench.share(owner, bench.new_list(owner).id, terms).token
    known = access_cache.AccessCache(bench.db, clock)
    bench.drain(counting.run(bench.db, store, clock))
    limiter, finder = ratelimits.Limiter(clock), shares.ShareLookup(known.store, {})

    def works():
        bench.run(known.refresh())
        at = ids.timestamp(clock())
        due = bench.read(scheduling.find_due_stores, [store], clock(), 3_600).stores
        bench.read(shares.resolve, finder, link, at)
        taken = bench.run(limiter.consume("x", 5))
        return [
            bench.run(known.admin_token(opaque.hashed(token))) is not None,
            bench.write(lease.take, f"{store.id}{shift}", clock(), MINUTE),
            taken.allowed,
            due == [],
        ]

    clock.milliseconds += 5_000
    assert works() == [True] * 4
    clock.milliseconds = now + shift
    with contextlib.suppress(UnknownShare):
        works()
    first = cookie.Signer((CookieSecret("a"),), store.id)
    rotated = cookie.Signer((CookieSecret("b"), CookieSecret("a", clock())), store.id)
    clock.milliseconds = now + 2 * MINUTE
    good, _, limited, counted = works()
    assert (good, limited, counted) == (True, True, False)
    seconds = clock() // 1000
    assert first.visitor(rotated.value("gid", seconds).encode(), seconds) is None


# ------------------------------------------------------------- times in the future that are stored


def test_times_in_the_future_postpone_nothing(bench, store, now):
    """Uses, requests and product puts recorded by a clock years ahead postpone nothing.
    Rule: clock-guard."""
    clock, ahead = bench.clock, now + 3 * YEAR
    clock.milliseconds = ahead
    session, customer = bench.new_session(store), None
    forgetting = bench.new_store(forget_customers_after=1)
    customer = bench.new_customer(forgetting)
    bench.save(customer)
    export, deletion = EndExport(bench, store), DeleteStore(bench, bench.new_store())
    product, told = DeleteMissing(bench, store), RemoveEvents(bench, store)
    clock.milliseconds = now
    bench.save(bench.new_customer(store))
    bench.run(events.assign_positions(bench.db, clock))
    bench.run(events.assign_positions(bench.db, clock))
    for at in (now, now + 100 * DAY_MS):
        clock.milliseconds = at
        repair(bench, at)
        bench.drain(purge.sessions(bench.db, SETTINGS, at))
        bench.drain(erasure.erase_idle(bench.db, at))
        bench.run(told.run(clock))
        for act in (export, deletion):
            bench.drain(act.run(clock))
    bench.run(product.run(Clock(now + DAY_MS)))
    assert bench.one("profile_state", profile=session.id) is None
    assert bench.read(erasure.is_under_way, customer.id)
    left = [act.is_whole() for act in (export, deletion, product, told)]
    assert left == [False] * 4


ROWS = {
    "repair_sessions": "profile_id = '{session}'",
    "repair_customers": "profile_id = '{customer}'",
    "repair_stores": "id = '{forgetting}'",
    "repair_requests": "id = '{deletion}'",
    "repair_exports": "id = '{export}'",
    "repair_deletions": "id = '{deletion}'",
    "repair_webhooks": "id = '{webhook}'",
    "repair_waits": "id = '{webhook}'",
    "repair_failures": "id = '{webhook}'",
    "repair_deliveries": "webhook_id = '{webhook}'",
    "products_future": "store_id = '{store}'",
}
"""A row of each column of ``future_times`` that the test below stores."""


def store_rows(bench, store):
    """Stores a row for each column that is repaired. Returns their ids by name."""
    customer = bench.new_customer(bench.new_store(forget_customers_after=1))
    bench.save(customer)
    export, deletion = EndExport(bench, store), DeleteStore(bench, bench.new_store())
    DeleteMissing(bench, store)
    hook = RemoveDeliveries(bench, store).hook
    keys = {"customer": customer.id, "forgetting": customer.store.id, "webhook": hook.id}
    keys |= {"session": bench.new_session(store).id, "store": store.id}
    return keys | {"export": export.id, "deletion": deletion.id}


def repair(bench, now):
    bench.drain(future_times.repair(bench.db, now))


def test_each_stored_time_in_the_future_is_repaired(bench, store, now):
    """The latest plausible time of each column stays; a later one is replaced: a use by now, a period by a
    whole one. Rule: clock-guard."""
    keys = store_rows(bench, store)
    days = {"repair_exports": request_processing.EXPORT_DAYS, "repair_deletions": 7}
    days |= dict.fromkeys(("repair_webhooks", "repair_waits", "repair_deliveries"), 2)
    columns = (*future_times.STORED_TIMES, future_times.PRODUCTS)
    assert {column.statement for column in columns} == {*ROWS}
    for statement, name, _, repaired_ms in columns:
        table, _, column = name.partition(".")
        where, allowed = ROWS[statement].format(**keys), days.get(statement, 0) * DAY_MS
        latest = now + allowed + (0 if days.get(statement) == 2 else HOUR)
        for time, expected in ((latest, latest), (latest + 1, now + repaired_ms)):
            bench.execute(f"UPDATE {table} SET {column} = '{ids.timestamp(time)}' WHERE {where}")
            repair(bench, now)
            stored = bench.select(f"SELECT {column} FROM {table} WHERE {where}")
            assert stored == [(ids.timestamp(expected),)], statement
        assert repaired_ms in (0, allowed)


def test_times_in_the_future_are_repaired_in_batches(bench, now, monkeypatch):
    """More times than one batch are repaired, and a jump between two batches ends the repair.
    Rule: clock-guard."""
    monkeypatch.setattr(future_times, "_BATCH_SIZE", 2)
    repair(bench, now)
    sessions = ", ".join(f"'{bench.new_session().id}'" for _ in range(5))
    bench.execute(
        f"UPDATE profiles SET touched_at = '{ids.timestamp(now + YEAR)}' WHERE profile_id IN ({sessions})"
    )
    clock = Machine().process()
    bench.run(clock.observe(bench.db))

    async def jump_after_a_batch():
        async for _ in guarded(bench, clock, future_times.repair):
            await bench.db.write(jump)

    with pytest.raises(ClockSuspect):
        bench.run(jump_after_a_batch())
    uses = f"SELECT count(*) FROM profiles WHERE profile_id IN ({sessions}) AND touched_at > $1"
    assert bench.select(uses, ids.timestamp(now + HOUR)) == [(3,)]
    repair(bench, now)
    assert bench.select(uses, ids.timestamp(now + HOUR)) == [(0,)]


def test_times_are_repaired_at_start_after_suspicion_and_hourly(bench, now):
    """A process repairs times when it starts with a plausible clock, when its clock is plausible again, and
    every hour. Rule: clock-guard."""
    session, clock, seconds = bench.new_session(), Machine().process(), [0.0]
    schedule = future_times.Schedule(lambda: seconds[0])

    def repairs():
        future = f"touched_at = '{ids.timestamp(now + YEAR)}'"
        bench.execute(f"UPDATE profiles SET {future} WHERE profile_id = '{session.id}'")
        with contextlib.suppress(ClockSuspect):
            bench.drain(schedule.due(bench.db, clock))
        used = "SELECT touched_at FROM profiles WHERE profile_id = $1"
        return bench.select(used, session.id) < [(ids.timestamp(now + HOUR),)]

    bench.run(clock.observe(bench.db))
    assert [repairs(), repairs()] == [True, False]
    seconds[0] += 3_600
    assert [repairs(), repairs()] == [True, False]
    make_suspect(bench, clock)
    bench.run(clock.observe(bench.db))
    assert not repairs()
    bench.write(clock.confirm)
    bench.run(clock.observe(bench.db))
    assert [repairs(), repairs()] == [True, False]


def test_counts_dated_in_the_future_are_replaced(bench, store, now):
    """Counts that a wrong clock dated in the future are replaced; afterwards the store equals one that was
    never counted wrongly. Rule: count-days."""
    twin = bench.new_store()
    today = reporting.day_of(now, store.reporting.zone)

    def both(days, *, wrong=0):
        for each in (store, twin):
            bench.clock.milliseconds = now + days * DAY_MS
            for number in range(3):
                bench.save(bench.new_customer(each), 10 + number % 2)
            if wrong and each is store:
                bench.drain(counting.run(bench.db, each, Clock(now + wrong)))
            bench.drain(counting.run(bench.db, each, Clock(bench.clock.milliseconds + 1_000)))

    def found(one):
        counts = bench.read(counting.last, one, "9999-12-31", 9_999)
        rows = bench.select(
            "SELECT product_id, customers, visitors, added FROM wish_counts WHERE store_id = $1 "
            "AND until > $2 ORDER BY product_id",
            str(one.id),
            counts[0].number,
        )
        return [(c.day, c.customers, c.visitors, c.added, c.lists) for c in counts], rows

    both(-40)
    both(-10)
    both(0)
    for wrong in (2 * HOUR, DAY_MS, 10 * DAY_MS, 400 * DAY_MS):
        both(0, wrong=wrong)
        assert found(store) == found(twin)
    counts = bench.read(counting.last, store, "9999-12-31", 9_999)
    assert counts[0].day == today
    assert counts[-1].day == following(today, -40)
    both(2)
    assert found(store) == found(twin)


def test_number_of_days_that_a_count_adds_is_limited():
    """After a pause of 73 years, or with a clock that far ahead, a count adds a limited number of days.
    Rule: count-days."""
    last = [tally.Count("2026-11-25", 7, "2026-11-25T10:00:00.000Z", "", 0, 0, 0, 0, 0, 0, "")]
    made = Tally(last, "2099-12-31", stores.blank("", "", "").reporting.zone, "2099-12-31T09")
    assert made.days[0] == "2026-11-25"
    assert made.days[-1] == "2099-12-31"
    assert len(made.days) <= 25 * 31 + 32


@pytest.mark.usefixtures("now")
def test_jump_ahead_expires_no_visitor_cookie_between_two_database_reads(bench):
    """A visitor's cookie, 89 days old, stays good: its age is judged without asking the database,
    so a jump ahead moves that time by an hour at most.
    Rules: clock-guard, storefront-visitor."""
    wall, uptime = [ids.wall_clock()], [1_000_000]
    clock = ReferenceClock(lambda: wall[0], lambda: uptime[0], lambda: "this boot")
    bench.run(clock.observe(bench.db))
    start = clock.for_ages()
    assert abs(start - wall[0]) < 60_000
    wall[0] += 3 * 365 * DAY_MS
    uptime[0] += MINUTE
    assert 0 < clock.for_ages() - start <= 3_600_000 + 2 * MINUTE
    bench.run(clock.observe(bench.db))
    uptime[0] += MINUTE
    assert clock.for_ages() - start <= 3_600_000 + 3 * MINUTE


@pytest.mark.usefixtures("now")
def test_data_stored_while_the_clock_is_behind_is_not_old_later(bench):
    """Data that is stored while the clock is 100 days behind isn't old when the clock is right.
    Rule: clock-guard."""
    wall, uptime = [ids.wall_clock()], [1_000_000]
    clock = ReferenceClock(lambda: wall[0], lambda: uptime[0], lambda: "this boot")
    bench.run(clock.observe(bench.db))
    start = clock()
    wall[0] -= 100 * DAY_MS
    for _ in range(2):
        assert -HOUR - MINUTE <= clock() - start <= 2 * MINUTE
        assert -HOUR - MINUTE <= clock.for_ages() - start <= 2 * MINUTE
        uptime[0] += MINUTE
        bench.run(clock.observe(bench.db))
    command = ReferenceClock(lambda: wall[0], lambda: uptime[0], lambda: "this boot")
    bench.run(command.synchronise(bench.db))
    assert -HOUR <= command() - start <= 3 * MINUTE
