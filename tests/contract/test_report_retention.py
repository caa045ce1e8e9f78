"""Days of counts, and how long they are kept, with dates written out."""

from zoneinfo import ZoneInfo

import pytest

from wishwell import ids, reports
from wishwell.reports import counting
from wishwell.reports.tally import Count, Tally


def count(bench, store, day):
    """Counts the store at noon of a day. Returns the first day that reports know."""
    bench.clock.milliseconds = ids.from_timestamp(f"{day}T12:00:00.000Z")
    bench.drain(counting.run(bench.db, store, bench.clock))
    span = bench.read(reports.span, store, reports.Period(day, day))
    return span.counted.since


@pytest.mark.slow
def test_counts_are_kept_for_25_months_by_the_calendar(bench):
    """Counts are retained for 25 calendar months: January 2027 until the end of February 2029.
    Rule: count-days."""
    store = bench.new_store()
    bench.clock.milliseconds = ids.from_timestamp("2027-01-30T11:00:00.000Z")
    bench.save(bench.new_customer(store))
    months = [f"{2027 + n // 12}-{n % 12 + 1:02}-28" for n in range(1, 26)]
    for day in ("2027-01-30", "2027-01-31", *months):
        assert count(bench, store, day) == "2027-01-30", day
    january = reports.Period("2027-01-31", "2027-01-31")
    assert reports.summary(bench.read(reports.span, store, january)).wishes == 1
    assert count(bench, store, "2029-03-01") == "2027-02-01"
    assert reports.summary(bench.read(reports.span, store, january)).wishes == 0


@pytest.mark.parametrize(
    ("zone", "now", "created", "expected"),
    [
        # The next day began in Tokyo at 15:00 UTC, before the last count, which has counted 17:00.
        ("Asia/Tokyo", "26T03:00", ["25T10:00", "25T17:00", "25T21:00"], [(2, 2), (3, 3)]),
        # The next day begins in Honolulu at 10:00 UTC, so the day ends ten hours later.
        ("Pacific/Honolulu", "26T12:00", ["25T10:00", "25T17:00", "26T05:00"], [(3, 3), (3, 3)]),
        ("Pacific/Honolulu", "26T12:00", ["25T10:00", "25T17:00", "26T11:00"], [(2, 2), (3, 3)]),
        # The clock was set back since the last count: what is saved from now on is of the next day.
        ("Asia/Tokyo", "25T16:00", ["25T10:00", "25T15:30", "25T16:30"], [(2, 2), (3, 3)]),
    ],
)
def test_first_day_ends_at_the_last_count_or_later_after_a_change_of_time_zone(
    zone, now, created, expected
):
    """After a new time zone, the last counted day ends when the next one begins in that zone, but
    not before its last count or, if the clock was set back, before now. Rule: count-days."""
    day, next_day = "2026-11-25", "2026-11-26"
    began = f"{day}T20:00:00.000Z"
    last = Count(day, 7, began, began, 2, 0, 2, 0, 1, 0, f"{day}T00:00:00.000Z")
    counted = Tally([last], next_day, ZoneInfo(zone), f"2026-11-{now}:00.000Z")
    for time in created:
        counted.add("1", "", 0, f"2026-11-{time}:00.000Z")
    counts = counted.counts([last], "", "")
    assert [(count.customers, count.added) for count in counts] == expected
    assert [count.day for count in counts] == [day, next_day]
