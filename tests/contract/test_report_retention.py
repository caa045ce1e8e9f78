"""How long counts are kept, with dates written out."""

from wishwell import ids, reports
from wishwell.reports import counting


def count(bench, store, day):
    """Counts the store at noon of a day. Returns the first day that reports know."""
    bench.clock.milliseconds = ids.from_timestamp(f"{day}T12:00:00.000Z")
    bench.drain(counting.run(bench.db, store, bench.clock))
    span = bench.read(reports.span, store, reports.Period(day, day))
    return span.counted.since


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
