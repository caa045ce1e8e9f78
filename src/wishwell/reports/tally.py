"""The result of a count, and the rows to store for it (rules: count-exact, count-days).

Counts have ascending numbers. Each row stores running totals that are valid from the count with
one number until the count with another, so that the figures of a period are the difference of two
counts.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import accumulate
from typing import Annotated, NamedTuple

import msgspec

from wishwell import field_types as types
from wishwell import ids

FOREVER = 2**62
MAX_MONTHS = 25

DayDate = Annotated[
    str,
    types.published("Day", "A day, such as 2025-04-18.", pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
]

Totals = tuple[int, int, int]
"""Number of wishes of customers, of visitors, and of all wishes added since the first count."""

_NOTHING: Totals = (0, 0, 0)


class Count(NamedTuple):
    """The last count of a day: its start and end, the totals of all products, how many customers
    and visitors have a wish, and the time at which the day began.

    Wishes that were added after the last count, until the end of the day, are included by the next
    count. For a day without a count: the count of the day before, plus the wishes added since.
    """

    day: str
    number: int
    began_at: str
    ended_at: str
    customers: int
    visitors: int
    added: int
    lists: int
    customers_wishing: int
    visitors_wishing: int
    day_began_at: str

    @property
    def wishes(self) -> int:
        return self.customers + self.visitors

    @property
    def totals(self) -> Totals:
        return self.customers, self.visitors, self.added


class StoredTotals(msgspec.Struct, frozen=True, gc=False):
    """Totals of a product from the count with the number ``since`` until the one with ``until``."""

    since: int
    until: int
    totals: Totals


class Wishes(msgspec.Struct, gc=False):
    """The wishes for a variant of a product. ``counts`` are the numbers of customers, of visitors,
    and of wishes added on each of the tally's days; then for each of these days but the last, the
    customers' and visitors' wishes added since the last count. In a dated tally they are the
    numbers of wishes by code. ``held`` are the stored rows, in order.

    A count has many instances: without ``gc=False``, garbage collection would stop all requests.
    """

    product: str
    variant: str
    counts: Counter[int]
    held: tuple[StoredTotals, ...] = ()


class Tally:
    """The running result of a count.

    ``last``: the final counts of the three latest days that have one, newest first. ``days``: the
    days that this count adds, in order, each with a number. ``now``: the start of the count.
    ``oldest``: the day of the oldest wish for a dated tally, or '' for any other. A dated tally
    reconstructs all days since then from the wishes' dates, and replaces their earlier counts.
    """

    def __init__(
        self, last: Sequence[Count], today: str, zone: tzinfo, now: str, oldest: str = ""
    ) -> None:
        self.dated = bool(oldest)
        first = last[0].day if last else today
        # A clock that was set back, or a time zone further west, must not reopen a day that has
        # ended. After a long pause, days past the retention period are left out.
        begin = max(following(first), kept_from(today))
        self.days = [first, *_days(begin, today)]  # rule: count-days
        self._kept = [count.number for count in last]
        self.number = (self._kept[0] if last else 0) + 1
        self._closed = next((count.number for count in last if count.day < first), 0)
        if self.dated:
            self.days, self._closed = [*_days(max(oldest, kept_from(today)), today)], 0
        begins = [starts(day, zone) for day in (*self.days, following(self.days[-1]))]
        if last and not self.dated:  # rule: count-days. The time zone may have changed since.
            begins[0] = last[0].day_began_at or begins[0]
            begins[1] = max(begins[1], min(last[0].began_at, now))
        self._starts = list(accumulate(begins, max))
        self._last_began = last[0].began_at if last else ""
        self.wishes: dict[str, dict[str, Wishes]] = {}  # by product and variant
        self.all = Counter[int]()
        self.holders = [0, 0]
        self.lists = 0
        self._others = Counter[int]()  # lists and profiles by code, in a dated tally

    def of(self, product: str, variant: str) -> Wishes:
        """Returns the wishes counted so far for a variant of a product."""
        variants = self.wishes.setdefault(product, {})
        if variant not in variants:
            variants[variant] = Wishes(product, variant, Counter())
        return variants[variant]

    def add(self, product: str, variant: str, visitor: int, created_at: str) -> None:
        """Counts a wish; ``visitor`` is 1 for a visitor's, 0 for a customer's."""
        counts = self.of(product, variant).counts
        if self.dated:
            code = self._code(created_at, visitor)
            counts[code] += 1
            self.all[code] += 1
            return
        counts[visitor] += 1
        self.all[visitor] += 1
        if created_at >= self._starts[0]:
            at = bisect_right(self._starts, created_at)
            if at <= len(self.days):
                counts[at + 1] += 1
                self.all[at + 1] += 1
            if at < len(self.days) and created_at > self._last_began:
                since = len(self.days) + 2 * at + visitor
                counts[since] += 1
                self.all[since] += 1

    def add_date(self, kind: int, created_at: str) -> None:
        """Counts a list (``kind`` 2), or a customer (0) or visitor (1) with a first wish."""
        self._others[self._code(created_at, kind)] += 1

    def _code(self, created_at: str, kind: int) -> int:
        """Returns a day's index and two bits for the kind, and one for a date before all days."""
        at = bisect_right(self._starts, created_at)
        return min(max(at - 1, 0), len(self.days) - 1) << 3 | (at == 0) << 2 | kind

    def _by_day(self, codes: Counter[int]) -> tuple[list[Totals], list[int]]:
        """Returns how many of each kind there were at the end of each day, and how many began on
        the days until then."""
        sums, began = [[0, 0, 0] for _ in self.days], [0 for _ in self.days]
        for code, number in codes.items():
            sums[code >> 3][code & 3] += number
            began[code >> 3] += 0 if code & 4 else number
        run = accumulate(sums, lambda a, b: [x + y for x, y in zip(a, b, strict=True)])
        return [(a, b, c) for a, b, c in run], [*accumulate(began)]

    def _dated_totals(self, codes: Counter[int]) -> list[Totals]:
        sums, added = self._by_day(codes)
        return [(*of[:2], new) for of, new in zip(sums, added, strict=True)]

    def totals(self, counts: Counter[int], before: Totals, last: Totals) -> list[Totals]:
        """Returns the totals at the end of each day. ``before``: the totals before ``days``;
        ``last``: those of the last count."""
        _, _, *numbers = (counts[at] for at in range(3 * len(self.days)))
        added, since = numbers[: len(self.days)], numbers[len(self.days) :]
        _, *closed = zip(
            accumulate(since[::2], initial=last[0]),
            accumulate(since[1::2], initial=last[1]),
            accumulate(added, initial=before[2]),
            strict=False,
        )
        return [*closed, (counts[0], counts[1], before[2] + sum(added))]

    def rows(self, found: Wishes) -> tuple[StoredTotals, ...]:
        """Returns the rows to store for a variant. Omits totals that only superseded or unfinished
        counts refer to."""
        kept = [row for row in found.held if any(row.since <= at < row.until for at in self._kept)]

        def of(number: int) -> Totals:
            return next((row.totals for row in kept if row.since <= number < row.until), _NOTHING)

        states = [(row.since, row.totals) for row in kept]
        if self.dated:
            new = self._dated_totals(found.counts)
        else:
            new = self.totals(found.counts, of(self._closed), of(self.number - 1))
        changes: list[tuple[int, Totals]] = []
        for since, totals in (*states, *enumerate(new, self.number)):
            if totals != (changes[-1][1] if changes else _NOTHING):
                changes.append((since, totals))
        ends = [*(since for since, _ in changes), FOREVER][1:]
        return tuple(
            StoredTotals(since, until, has)
            for (since, has), until in zip(changes, ends, strict=True)
        )

    def counts(self, last: Sequence[Count], began: str, ended: str) -> list[Count]:
        """Returns the counts of ``days``, in order."""
        if self.dated:
            wishes, (others, _) = self._dated_totals(self.all), self._by_day(self._others)
            return [
                Count(day, self.number + at, began, ended, *wishes[at], others[at][2],
                      *others[at][:2], self._starts[at])
                for at, day in enumerate(self.days)
            ]  # fmt: skip
        before = [count.totals for count in last if count.number == self._closed]
        was = last[0].totals if last else _NOTHING
        totals = self.totals(self.all, before[0] if before else _NOTHING, was)
        made = [
            last[0]._replace(
                day=day,
                number=number,
                customers=customers,
                visitors=visitors,
                added=added,
                day_began_at=begins,
            )
            for number, (day, begins, (customers, visitors, added)) in enumerate(
                zip(self.days[:-1], self._starts, totals, strict=False), self.number
            )
        ]
        number = self.number + len(made)
        customers, visitors = self.holders
        last_day = (*totals[-1], self.lists, customers, visitors, self._starts[-2])
        return [*made, Count(self.days[-1], number, began, ended, *last_day)]


def is_date(text: str) -> bool:
    """Returns whether a text is a date in ISO 8601 from 1970 on."""
    try:
        return "1970-01-01" <= date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def starts(day: str, zone: tzinfo) -> str:
    """Returns the timestamp at which a day begins."""
    begins = datetime.combine(date.fromisoformat(day), datetime.min.time(), zone)
    return ids.timestamp(int(begins.astimezone(UTC).timestamp() * 1000))


def following(day: str, days: int = 1) -> str:
    """Returns the day ``days`` later; earlier, if negative."""
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def kept_from(day: str) -> str:
    """Returns the first day whose counts are within the retention period on ``day``."""
    total = int(day[:4]) * 12 + int(day[5:7]) - 1 - MAX_MONTHS
    return f"{total // 12:04}-{total % 12 + 1:02}-01"


def _days(first: str, last: str) -> Iterator[str]:
    while first <= last:
        yield first
        first = following(first)
