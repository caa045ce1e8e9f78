"""Reports: every number equals a naive count, under concurrent changes."""

import asyncio
import contextlib
import csv
import functools
import io
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.conftest import slow
from tests.contract import moved
from tests.contract.conftest import PLENTY, new_item
from tests.strategies import examples
from wishwell import config, ids, reports
from wishwell.errors import BeingErased, Conflict, NotFound
from wishwell.importers import csv_file
from wishwell.privacy import erasure
from wishwell.reports import counting, scheduling, spreadsheet
from wishwell.reports.tally import FOREVER, Count, CountDetails, following, kept_from
from wishwell.stores.reporting import Reporting, day_of
from wishwell.transfer import importing
from wishwell.wishlists import item_changes, purge, saving
from wishwell.wishlists.items import ItemPatch

HOUR = 3_600_000
PEOPLE = 4
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("save"),
            st.integers(0, PEOPLE - 1),
            st.integers(1, 3),
            st.sampled_from((None, 7, 8)),
        ),
        st.tuples(st.just("delete"), st.integers(0, 9)),
        st.tuples(st.just("change"), st.integers(0, 9), st.sampled_from((7, 8))),
        st.tuples(st.just("link"), st.integers(0, PEOPLE - 1)),
        st.tuples(st.just("import"), st.integers(2, 3), st.integers(1, 3), st.integers(0, 60)),
        st.tuples(st.just("restore")),
        st.tuples(st.just("erase"), st.integers(0, PEOPLE - 1)),
        st.tuples(st.just("purge")),
        st.tuples(st.just("wait"), st.sampled_from((1, 7, 30, 24 * 3, 24 * 95))),
        st.tuples(st.just("count")),
    ),
    max_size=30,
)


class ByHand:
    """A reference implementation: stores the items of each count, and derives every number by
    definition."""

    def __init__(self, zone):
        self.zone = zone
        self.exported = ""
        self.counts = []  # day, time, and per item: is a session, product, variant, day and time saved

    def count(self, bench, store, now):
        rows = bench.select(
            "SELECT p.is_session, i.product_id, i.variant_id, i.created_at FROM items i "
            "JOIN profiles p ON p.profile_id = i.profile_id WHERE i.store_id = $1 AND NOT EXISTS "
            "(SELECT 1 FROM erasures e WHERE e.profile_id = i.profile_id AND e.done_at IS NULL)",
            store.id,
        )
        found = [(*row[:3], day_of(ids.from_timestamp(row[3]), self.zone), row[3]) for row in rows]
        today, oldest = day_of(now, self.zone), min((wish[3] for wish in found), default="9999")
        if oldest < today and not any(was for day, _, was in self.counts if day != today):
            # The first count with wishes: their dates say what there was on the days before.
            length = (date.fromisoformat(today) - date.fromisoformat(oldest)).days
            days = [following(oldest, n) for n in range(length)]
            self.counts = [count for count in self.counts if count[0] < oldest]
            self.counts += [
                (day, "9999", [wish for wish in found if wish[3] <= day]) for day in days
            ]
        self.counts.append((today, ids.timestamp(now), found))

    def items_at(self, day):
        """Returns the items at the end of a day: those of the last count, and those saved after it."""
        before = [count[1:] for count in self.counts if count[0] <= day]
        after = [found for counted, _, found in self.counts if counted > day]
        if not before:
            return []
        at, found = before[-1]
        return [*found, *(w for w in (after or [[]])[0] if w[3] <= day and w[4] > at)]

    def added(self, day, of):
        if day < self.counts[0][0]:
            return 0
        after = [found for counted, _, found in self.counts if counted > day]
        found = after[0] if after else self.counts[-1][2]
        return sum(of(wish) and wish[3] == day for wish in found)

    def numbers(self, first, last, of=lambda wish: True):
        """Returns the items of customers and of visitors, then added and removed."""
        there = Counter(wish[0] for wish in self.items_at(last) if of(wish))
        had = sum(map(of, self.items_at(following(first, -1))))
        days, day = [], first
        while day <= last:
            days.append(day)
            day = following(day)
        added = sum(self.added(day, of) for day in days)
        return there[0], there[1], added, max(0, had + added - there.total())

    def rise(self, first, last, of):
        """Returns the items added, minus those added in the previous period of the same length."""
        length = 1 + (date.fromisoformat(last) - date.fromisoformat(first)).days
        before = following(first, -length), following(first, -1)
        return self.numbers(first, last, of)[2] - self.numbers(*before, of)[2]


def count(bench, store):
    return bench.drain(counting.run(bench.db, store, bench.clock))


@examples(12)
@given(
    st.data(),
    STEPS,
    st.sampled_from(("UTC", "Pacific/Auckland", "America/Los_Angeles")),
    st.integers(0, 24 * HOUR - 1),
)
def test_every_number_equals_the_reference_implementations(bench, data, steps, zone, time):
    """Every number equals the reference implementation's, whatever visitors and customers do in
    between.
    Rules: count-exact, count-days, report-period."""
    # An example that is repeated begins at the same time of day.
    bench.clock.milliseconds += 24 * HOUR - bench.clock.milliseconds % (24 * HOUR) + time
    store = bench.new_store()
    store = msgspec.structs.replace(store, reporting=Reporting(time_zone=zone))
    hand = ByHand(ZoneInfo(zone))
    people = [bench.new_session(store), bench.new_session(store)]
    people += [bench.new_customer(store), bench.new_customer(store)]
    for step in [*steps, ("count",)]:
        perform_step(bench, store, hand, people, step)
    counted = data.draw(st.sampled_from([day for day, *_ in hand.counts]), label="counted")
    begin = following(counted, data.draw(st.integers(-3, 3), label="first"))
    length = data.draw(st.sampled_from((0, 1, 3, 40, 130)), label="length")
    check_reports(bench, store, hand, reports.Period(begin, following(begin, length)))


def test_wish_added_after_the_last_count_of_a_day_was_not_removed(bench):
    """Wishes between a day's last count and midnight are among that day's, so that adding them doesn't
    look like removals. Rules: count-days, report-period."""
    bench.clock.milliseconds += 36 * HOUR - bench.clock.milliseconds % (24 * HOUR)
    store = bench.new_store()
    customer, visitor = bench.new_customer(store), bench.new_session(store)
    today = day_of(bench.clock(), ZoneInfo("UTC"))
    for hours, product in ((0, 1), (5, 2), (9, 3)):
        bench.clock.milliseconds += hours * HOUR
        bench.save(customer, product)
        bench.save(visitor, product)
        if product != 2:
            bench.clock.tick()
            count(bench, store)
    of = reports.Period(today, following(today))
    days = bench.read(reports.days, store, bench.read(reports.span, store, of))
    assert [(day.wishes, day.added, day.removed) for day in days] == [(4, 4, 0), (6, 2, 0)]
    product = bench.read(reports.days, store, bench.read(reports.span, store, of), "2")
    assert [(day.wishes, day.added, day.removed) for day in product] == [(2, 2, 0), (2, 0, 0)]


def test_removed_wish_stays_removed_in_the_daily_report_after_later_counts(bench):
    """A wish saved before the first count and then removed doesn't come back in a product's daily report
    when days without a count and two counts of one day follow. Rule: count-days."""
    store = bench.new_store()
    hand, people = ByHand(ZoneInfo("UTC")), [bench.new_customer(store) for _ in range(3)]
    removed = ("import", 2, 1, 60), ("count",), ("delete", 0), ("wait", 24), ("count",)
    for step in (*removed, ("wait", 72), ("count",), ("count",)):
        perform_step(bench, store, hand, people, step)
    first = hand.counts[0][0]
    for days in range(5):
        check_reports(bench, store, hand, reports.Period(first, following(first, days)))


def test_rising_is_the_difference_from_the_previous_period(bench):
    """Rising is the number added, minus the number added in the previous period; a tie goes to the product whose
    wishes changed last. Rules: report-period, count-exact."""
    store, day = bench.new_store(), 24 * HOUR
    hand, people = ByHand(ZoneInfo("UTC")), [bench.new_customer(store) for _ in range(4)]
    bench.clock.milliseconds += day - bench.clock.milliseconds % day
    # Product 1 is added most in both weeks, 2 rises, 3 and 4 rise equally, 4 later, and 5 falls.
    weeks = ({1: (0, 1, 2), 5: (0, 1)}, {1: (3,), 2: (0, 1), 3: (0,), 4: (0,)})
    for week in weeks:
        for product, savers in week.items():
            for who in savers:
                perform_step(bench, store, hand, people, ("save", who, product, None))
            perform_step(bench, store, hand, people, ("count",))
        perform_step(bench, store, hand, people, ("wait", 24 * 7))
    last = following(hand.counts[-1][0], 6)
    span = bench.read(reports.span, store, reports.Period(following(last, -6), last))
    found = bench.read(reports.products, store, span, "rising", "product", 0, 9)
    assert [(row.product_id, row.rise) for row in found] == [
        (2, 2),
        (4, 1),
        (3, 1),
        (1, -2),
        (5, -2),
    ]
    check_reports(bench, store, hand, reports.Period(following(last, -6), last))
    assert bench.read(reports.products, store, span, "wishes", "product", 0, 9, "4")[0].wishes == 1


def test_days_begin_with_the_oldest_wish_of_an_import(bench):
    """After an import into a new store, also one that was counted while it was empty, the reports have the
    days from the oldest wish on. Later counts keep them. Rules: count-days, count-exact."""
    store, hand = bench.new_store(), ByHand(ZoneInfo("UTC"))
    people = [bench.new_session(store), *(bench.new_customer(store) for _ in range(3))]
    for step in (("count",), ("wait", 24 * 3), ("save", 1, 9, None), ("count",)):
        perform_step(bench, store, hand, people, step)
    for who, product, days in ((2, 1, 40), (3, 1, 20), (3, 2, 5)):
        perform_step(bench, store, hand, people, ("import", who, product, 24 * days))
    bench.new_list(people[3], "Birthday")
    perform_step(bench, store, hand, people, ("count",))
    today = hand.counts[-1][0]
    begin = following(today, -40)

    def span(days):
        return bench.read(reports.span, store, reports.Period(begin, following(begin, days)))

    assert span(40).counted.since == begin
    days = bench.read(reports.days, store, span(40))
    assert [(day.wishes, day.added, day.removed) for day in days if day.added] == [
        (1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 0)
    ]  # fmt: skip
    assert len(days) == 41 and len(bench.read(reports.days, store, span(40), "1")) == 41
    for at in (0, 19, 20, 40):
        check_reports(bench, store, hand, reports.Period(begin, following(begin, at)))
        holders = reports.summary(span(at)).profiles
        assert (holders.customers, holders.visitors) == (1 + (at >= 20) + (at >= 40), 0)
    assert (reports.summary(span(39)).lists, reports.summary(span(40)).lists) == (0, 1)
    perform_step(bench, store, hand, people, ("delete", 0))
    for step in (("count",), ("wait", 24), ("save", 0, 3, None), ("count",)):
        perform_step(bench, store, hand, people, step)
    check_reports(bench, store, hand, reports.Period(begin, following(begin, 41)))


def perform_step(bench, store, hand, people, step):
    bench.clock.milliseconds += 1
    now, there = bench.clock.tick(), saved_items(bench, store, people)
    match step:
        case ("save", who, product, variant):
            saved = new_item(product, variant), bench.new_id(), PLENTY, now
            ignore_refusal(bench, saving.save, people[who], *saved)
        case ("delete" | "change" as what, at, *to) if there:
            owner, id = there[at % len(there)]
            patch = [ItemPatch(variant_id=str(variant)) for variant in to]
            use_case = saving.change if what == "change" else item_changes.delete
            ignore_refusal(bench, use_case, person_with_key(people, owner), id, *patch, now)
        case ("link", who) if people[who].is_session:
            bench.link(people[who], people[3])
            people[who] = bench.new_session(store)
        case ("import", who, product, hours):
            row = people[who].gid, product, ids.timestamp(bench.clock() - hours * HOUR)
            import_row(bench, store, row)
        case ("restore",) if hand.exported:
            restore(bench, store, hand.exported)
        case ("erase", who):
            bench.write(erasure.erase, people[who], bench.clock())
            bench.drain(erasure.remove_erased(bench.db, bench.clock))
            if people[who].is_session:
                people[who] = bench.new_session(store)
        case ("wait", hours):
            bench.clock.milliseconds += hours * HOUR
        case ("purge",):
            purge_sessions(bench, store, people)
        case ("count",):
            count(bench, store)
            hand.count(bench, store, bench.clock())
            hand.exported = moved.export(bench, store)


def purge_sessions(bench, store, people):
    bench.drain(purge.sessions(bench.db, config.load({}), bench.clock()))
    for at, one in enumerate(people):
        if one.is_session and bench.one("profile_state", profile=one.id) is None:
            people[at] = bench.new_session(store)


def import_row(bench, store, row):
    """Imports a CSV file with one row, which may be days old."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wishes.csv"
        path.write_text("customer,product,saved\n" + ",".join(map(str, row)))
        reading = csv_file.Reading({name: name for name in ("customer", "product", "saved")})
        file = csv_file.CsvFile(str(path), store, reading, bench.clock() + 60_000)
        list(file.check())
        assert not file.spool.errors
        with contextlib.suppress(BeingErased):
            bench.drain(importing.load(bench.db, file, store, dry=False, mode="same"))


def restore(bench, store, exported):
    """Imports the export of the last count, of which records may have been deleted since."""
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(BeingErased):
        path = Path(folder) / "store.jsonl"
        path.write_text(exported)
        moved.load(bench, path, store.handle)


def saved_items(bench, store, people):
    rows = bench.select(
        "SELECT profile_id, id FROM items WHERE store_id = $1 ORDER BY id", store.id
    )
    known = {one.id for one in people}
    return [row for row in rows if str(row[0]) in known]


def person_with_key(people, key):
    return next(one for one in people if one.id == str(key))


def ignore_refusal(bench, use_case, *arguments):
    """Runs a write; a refused one is ignored."""
    with contextlib.suppress(Conflict, NotFound, BeingErased):
        bench.write(use_case, *arguments)


def check_reports(bench, store, hand, of):
    """Compares every report of the period with the reference implementation."""
    of = of[:2]
    numbers = hand.numbers(*of)
    span = bench.read(reports.span, store, reports.Period(*of))
    summary = reports.summary(span)
    assert (summary.customers, summary.visitors, summary.added, summary.removed) == numbers
    assert summary.wishes == summary.customers + summary.visitors
    for by in ("product", "variant"):
        for sort in reports.SORTS:
            rows = bench.read(reports.products, store, span, sort, by, 0, 9_999)
            shown = [row.rise if sort == "rising" else getattr(row, sort) for row in rows]
            assert shown == sorted(shown, reverse=True)
            assert sum(row.wishes for row in rows) == summary.wishes
            for row in rows:
                of_row = functools.partial(
                    is_wish_for, str(row.product_id), by, str(row.variant_id or "")
                )
                numbers = row.customers, row.visitors, row.added, row.removed
                assert numbers == hand.numbers(*of, of_row)
                assert row.rise == (hand.rise(*of, of_row) if sort == "rising" else None)
    known = {wish[1] for *_, found in hand.counts for wish in found}
    for product in ("", *sorted(known)[:20]):
        mine = functools.partial(is_wish_for, product, "product", "")
        for day in bench.read(reports.days, store, span, product):
            customers, visitors, added, removed = hand.numbers(day.day, day.day, mine)
            assert (day.wishes, day.added, day.removed) == (customers + visitors, added, removed)


def is_wish_for(product, by, variant, wish):
    return product in ("", wish[1]) and (by == "product" or wish[2] == variant)


MANY = 30
"""More products than one transaction handles, which is 20 here."""


class Counted:
    """A store with one customer and many products, counted by the service and by the reference."""

    def __init__(self, bench):
        self.bench, self.store = bench, bench.new_store()
        self.customer, self.hand = bench.new_customer(self.store), ByHand(ZoneInfo("UTC"))
        self.save(range(1, MANY + 1))
        self.count()

    def save(self, products):
        for product in products:
            saved = new_item(product, None), self.bench.new_id(), PLENTY, self.bench.clock.tick()
            self.bench.write(saving.save, self.customer, *saved)

    def delete(self, products):
        for id, product in self.bench.select(
            "SELECT id, product_id FROM items WHERE store_id = $1", self.store.id
        ):
            if int(product) in products:
                now = self.bench.clock.tick()
                self.bench.write(item_changes.delete, self.customer, str(id), now)

    def wait(self, days):
        self.bench.clock.milliseconds += days * 24 * HOUR

    def count(self):
        count(self.bench, self.store)
        self.hand.count(self.bench, self.store, self.bench.clock())

    def rows(self):
        asked = (
            "SELECT * FROM wish_counts WHERE store_id = $1 ORDER BY product_id, variant_id, until"
        )
        return self.bench.select(asked, self.store.id)

    def all_reports(self, first, last):
        """Returns the results of all reports for a period."""
        return self.bench.run(self._read_reports(first, last))

    async def _read_reports(self, first, last):
        read, store = self.bench.db.read, self.store
        span = await read(reports.span, store, reports.Period(first, last))
        rows = await read(reports.products, store, span, "wishes", "variant", 0, 3 * MANY)
        one, other = [await read(reports.days, store, span, product) for product in ("", "1")]
        reached = await read(reports.rounded_wishes, store, [str(n) for n in range(1, 2 * MANY)])
        return span.counted, reports.summary(span), rows, one, other, reached

    async def some(self):
        """Starts a count. Returns it, paused after it has stored some results."""
        before = await self.bench.db.read(counted_rows, self.store)
        steps = counting.run(self.bench.db, self.store, self.bench.clock)
        async for _ in steps:
            if await self.bench.db.read(counted_rows, self.store) != before:
                return steps
        raise AssertionError("it stored nothing, or all at once")


async def counted_rows(tx, store):
    products = [str(product) for product in range(9_999)]
    return sorted(
        map(tuple, await tx.all("count_rows_of", store=store.id, first=0, products=products))
    )


@pytest.fixture
def counted(bench, monkeypatch):
    monkeypatch.setattr(counting, "_BATCH_SIZE", 10)
    return Counted(bench)


AFTER_ZONE = {"Etc/GMT+12": [(28, 2, 4)], "Pacific/Kiritimati": [(31, 1, 0), (28, 1, 4)]}
"""Zones where 11:00 UTC is the previous or the next day, and the expected days after a first count
at 6:00 UTC."""


@pytest.mark.parametrize("zone", AFTER_ZONE)
def test_new_time_zone_changes_no_counted_day(counted, zone):
    """A new time zone doesn't change counted days.
    Rules: count-days, report-period."""
    bench = counted.bench
    bench.clock.milliseconds += 30 * HOUR - bench.clock.milliseconds % (24 * HOUR)
    counted.save([MANY + 1])
    counted.count()
    counted.store = msgspec.structs.replace(counted.store, reporting=Reporting(time_zone=zone))
    bench.clock.milliseconds += 5 * HOUR
    counted.delete(range(1, 5))
    counted.save([MANY + 2])
    counted.count()
    asked = reports.period(counted.store, None, None, bench.clock())
    span = bench.read(reports.span, counted.store, asked)
    days = bench.read(reports.days, counted.store, span)
    told = [(day.wishes, day.added, day.removed) for day in days]
    assert told[1:] == AFTER_ZONE[zone]
    assert reports.summary(span).wishes == 28


def kill_count(counted):
    async def kill():
        await (await counted.some()).aclose()

    counted.bench.run(kill())


@pytest.mark.parametrize("days", [0, 1])
@pytest.mark.parametrize("kills", [slow(0), 1, slow(2)])
def test_report_shows_no_unfinished_count(counted, days, kills):
    """Reports show no unfinished count, also after a kill on the same day or the next; the next
    count is as if the killed one had not been.
    Rules: count-exact, count-days."""
    counted.wait(1)
    first = day_of(counted.bench.clock(), counted.hand.zone)
    if not days:
        counted.count()
    for round in range(kills + 1):
        period = following(first, -1), day_of(counted.bench.clock(), counted.hand.zone)
        before = counted.all_reports(*period)
        counted.delete(range(1, 6 + round))
        counted.save(range(MANY * (round + 1) + 1, MANY * (round + 2)))
        kill_count(counted)
        assert counted.all_reports(*period) == before
        counted.delete(range(6, 9))
        counted.wait(days)
    counted.count()
    last = day_of(counted.bench.clock(), counted.hand.zone)
    for of in ((first, first), (first, last), (following(first, -1), first)):
        check_reports(counted.bench, counted.store, counted.hand, reports.Period(*of))


def test_report_read_in_batches_shows_a_single_count(counted):
    """A report read in batches is of one count, although another ends meanwhile and changes every
    product.
    Rule: count-exact."""
    counted.wait(1)
    today = day_of(counted.bench.clock(), counted.hand.zone)
    counted.count()
    span = counted.bench.read(reports.span, counted.store, reports.Period(today, today))
    counted.save(range(MANY + 1, MANY + 11))
    counted.delete(range(1, MANY))
    counted.count()
    asked = counted.store, span, "wishes", "product", 0, 2 * MANY
    rows = counted.bench.read(reports.products, *asked)
    assert sum(row.wishes for row in rows) == reports.summary(span).wishes == MANY
    day = counted.bench.read(reports.days, counted.store, span, "1")
    assert [(one.wishes, one.added) for one in day] == [(1, 0)]


def test_only_the_last_count_of_a_day_is_kept(counted):
    """Only a day's last count is kept; results of earlier ones are removed by later counts.
    Rule: count-days."""
    for _ in range(6):
        counted.delete(range(1, MANY))
        counted.count()
        counted.save(range(1, MANY))
        counted.count()
    assert len(counted.rows()) < 3 * MANY
    counted.wait(1)
    counted.count()
    counted.wait(1)
    counted.count()
    assert len(counted.rows()) <= 2 * MANY
    first = day_of(counted.bench.clock() - 48 * HOUR, counted.hand.zone)
    check_reports(
        counted.bench, counted.store, counted.hand, reports.Period(first, following(first, 2))
    )


def test_slower_one_of_two_concurrent_counts_is_abandoned(counted):
    """If two counts run concurrently, the slower one is abandoned and changes nothing.
    Rule: count-exact."""
    counted.wait(1)
    counted.delete(range(1, MANY))

    async def both():
        slow = await counted.some()
        async for _ in counting.run(counted.bench.db, counted.store, counted.bench.clock):
            pass
        stored = await counted.bench.db.read(counted_rows, counted.store)
        with pytest.raises(counting.Superseded):
            async for _ in slow:
                pass
        assert await counted.bench.db.read(counted_rows, counted.store) == stored

    counted.bench.run(both())


@pytest.mark.slow
def test_process_runs_one_report_at_a_time(counted):
    """A process runs one report at a time. Rule: count-pace."""
    running, most = 0, 0

    async def report(tx):
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(50):
            await tx.all("counts_last")
        running -= 1

    async def several():
        await asyncio.gather(*(counted.bench.db.long_read(report) for _ in range(5)))

    counted.bench.run(several())
    assert (running, most) == (0, 1)


def test_counts_are_kept_for_25_months(counted):
    """Totals are kept for 25 months; those that still apply are kept longer. Rule: count-days."""
    counted.wait(40)
    counted.delete(range(2, MANY + 1))
    counted.count()
    assert len(counted.rows()) > MANY
    counted.wait(26 * 31)
    counted.count()
    counted.count()
    [row] = counted.rows()
    assert (row[1], row[2], row[5]) == (FOREVER, "1", 1)
    today = day_of(counted.bench.clock(), counted.hand.zone)
    for first in (today, kept_from(today), following(today, -26 * 31)):
        span = counted.bench.read(reports.span, counted.store, reports.Period(first, today))
        asked = counted.store, span, "wishes", "product", 0, 9
        [product] = counted.bench.read(reports.products, *asked)
        assert (product.product_id, product.wishes) == (1, 1)
        assert (product.added, product.removed) == (0, 0)
        assert span.counted.since == kept_from(today)
        days = counted.bench.read(reports.days, counted.store, span)
        assert days[0].day == max(first, span.counted.since)
    old = following(today, -30 * 31)
    span = counted.bench.read(reports.span, counted.store, reports.Period(old, following(old, 30)))
    assert reports.summary(span).wishes == 0


def test_small_store_is_counted_again_after_a_minute(counted):
    """A small store is counted again after a minute; a clock set back delays nothing.
    Rule: count-pace."""
    bench, store, large, new = (
        counted.bench,
        counted.store,
        *(counted.bench.new_store() for _ in "ab"),
    )
    began = bench.clock()

    def due(milliseconds):
        kept = store, large, new
        return bench.read(scheduling.find_due_stores, kept, began + milliseconds, 3_600).stores

    for counts, wishes in ((store, 9_999), (large, 10_000)):
        count(bench, counts)
        [last] = bench.read(counting.last, counts)
        ended = last._replace(customers=wishes, visitors=0, ended_at=ids.timestamp(began))
        bench.write(counting.finish, counts, [last], [ended], CountDetails())
    assert [due(at) for at in (59_999, 60_000, -1)] == [[new], [store, new], [store, large, new]]
    assert [due(at) for at in (HOUR - 1, HOUR)] == [[store, new], [store, large, new]]


@given(
    rows=st.lists(
        st.lists(st.text(alphabet='=+-@＝＋－＠;,"\t\r\n a'), min_size=3, max_size=3), max_size=3
    )
)
@example(rows=[["", 'a;"=1+1', ""]])
@example(rows=[["", "a\n=1+1", "a\t@b"]])
@examples(60)
def test_no_cell_begins_as_a_formula(rows):
    """No cell begins as a formula, whatever separates cells, even where a text contains separators, quotes
    and line breaks. Rule: report-csv."""
    records = [dict(zip("abc", row, strict=True)) for row in rows]
    text = spreadsheet.lines(records, "abc").decode()
    for separator in ",;\t":
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            for cell in cells:
                assert not cell.lstrip(" \t\r\n").startswith((*"=+-@＝＋－＠",)), (separator, cells)


WISHES = (0, 9, 10, 24, 25, 49, 50, 99, 100, 249, 250, 499, 500, 999, 1_000, 2_499, 2_500, 12_345)
SAID = (0, 0, 10, 10, 25, 25, 50, 50, 100, 100, 250, 250, 500, 500, 1_000, 1_000, 2_500, 10_000)


def test_public_wish_count_is_a_rounded_step(bench):
    """Everybody sees only the rounded step that a count has reached. Rule: show-wishes."""
    store = bench.new_store()
    columns = "store_id until product_id variant_id since customers visitors added"
    of = [(store.id, FOREVER, str(n + 1), "", 1, n, 0, n) for n in WISHES]
    bench.insert("wish_counts", columns, of)
    asked = [row[2] for row in of]
    assert {said for _, said in bench.read(reports.rounded_wishes, store, asked)} == {0}
    count = Count("2026-01-01", 1, "", "", 0, 0, 0, 0, 0, 0, "")
    bench.write(counting.finish, store, [], [count], CountDetails())
    assert bench.read(reports.rounded_wishes, store, asked) == [
        (n + 1, said) for n, said in zip(WISHES, SAID, strict=True)
    ]
    assert bench.read(reports.rounded_wishes, store, ["7777777"]) == [(7777777, 0)]
