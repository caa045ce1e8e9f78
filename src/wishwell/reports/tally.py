"""The result of a count, and the rows to store for it (rules: count-exact, count-days).

Counts have ascending numbers. Each row stores running totals that are valid from the count with
one number until the count with another, so that the figures of a period are the difference of two
counts.
"""

import heapq
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import accumulate
from typing import NamedTuple

import msgspec

from wishwell import ids
from wishwell.reports.wish_values import ValueSum

FOREVER = 2**62
MAX_MONTHS = 25
MAX_TOP_SHOPPERS = 100

Totals = tuple[int, int, int]
"""Number of wishes of customers, of visitors, and of all wishes added since the first count."""

_NO_TOTALS: Totals = (0, 0, 0)


class Count(NamedTuple):
    """The last count of a day: its start and end, the totals of all products, how many customers
    and visitors have a wish, the time at which the day began, and the value of the wishes in JSON.

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
    value: str = ""

    @property
    def wishes(self) -> int:
        return self.customers + self.visitors

    @property
    def totals(self) -> Totals:
        return self.customers, self.visitors, self.added


class CountDetails(msgspec.Struct):
    """Details that only a store's last count has.

    ``dropped``: the products with the most units that were saved at a higher price than today's.
    ``shoppers``: the keys of the profiles with the most wishes, and how many they had.
    """

    dropped: list[str] = []
    shoppers: list[tuple[str, int]] = []


class StoredTotals(msgspec.Struct, frozen=True, gc=False):
    """Totals of a product from the count with the number ``since`` until the one with ``until``."""

    since: int
    until: int
    totals: Totals


class Wishes(msgspec.Struct, gc=False):
    """The wishes for a variant of a product. ``counts`` are the numbers of customers, of visitors,
    and of wishes added on each of the tally's days; then for each of these days but the last, the
    customers' and visitors' wishes added since the last count. In a dated tally they are the
    numbers of wishes by code. ``stored_rows`` are the rows in the database, in order.
    ``units``: the quantity that is still wished for, by the price when it was saved.

    A count has many instances: without ``gc=False``, garbage collection would stop all requests.
    """

    product: str
    variant: str
    counts: Counter[int]
    stored_rows: tuple[StoredTotals, ...] = ()
    units: Counter[str] = msgspec.field(default_factory=Counter)


class Tally:
    """The running result of a count.

    ``last_counts``: the final counts of the three latest days that have one, newest first.
    ``days``: the days that this count adds, in order, each with a number. ``now``: its start.
    ``oldest``: the day of the oldest wish for a dated tally, or '' for any other. A dated tally
    reconstructs all days since then from the wishes' dates, and replaces their earlier counts.
    """

    def __init__(
        self, last_counts: Sequence[Count], today: str, zone: tzinfo, now: str, oldest: str = ""
    ) -> None:
        self.is_dated = bool(oldest)
        first = last_counts[0].day if last_counts else today
        # A clock that was set back, or a time zone further west, must not reopen a day that has
        # ended. After a long pause, days past the retention period are left out.
        first_new_day = max(following(first), kept_from(today))
        self.days = [first, *_days(first_new_day, today)]  # rule: count-days
        self._final_numbers = [count.number for count in last_counts]
        self.number = (self._final_numbers[0] if last_counts else 0) + 1
        self._closed_number = next((count.number for count in last_counts if count.day < first), 0)
        if self.is_dated:
            self.days, self._closed_number = [*_days(max(oldest, kept_from(today)), today)], 0
        day_starts = [day_start(day, zone) for day in (*self.days, following(self.days[-1]))]
        if last_counts and not self.is_dated:
            # rule: count-days. The time zone may have changed since.
            day_starts[0] = last_counts[0].day_began_at or day_starts[0]
            day_starts[1] = max(day_starts[1], min(last_counts[0].began_at, now))
        self._starts = list(accumulate(day_starts, max))
        self._last_began = last_counts[0].began_at if last_counts else ""
        self.wishes: dict[str, dict[str, Wishes]] = {}  # by product and variant
        self.all_counts = Counter[int]()
        self.holders = [0, 0]
        self.lists = 0
        self.value = ValueSum()
        self._top: list[tuple[int, str]] = []  # a heap
        self._other_counts = Counter[int]()  # lists and profiles by code, in a dated tally

    def wishes_for(self, product: str, variant: str) -> Wishes:
        """Returns the wishes counted so far for a variant of a product."""
        variants = self.wishes.setdefault(product, {})
        if variant not in variants:
            variants[variant] = Wishes(product, variant, Counter())
        return variants[variant]

    def add(
        self,
        product: str,
        variant: str,
        visitor: int,
        created_at: str,
        units: int = 0,
        saved_price: str = "",
    ) -> None:
        """Counts a wish; ``visitor`` is 1 for a visitor's, 0 for a customer's."""
        wishes = self.wishes_for(product, variant)
        if units:
            wishes.units[saved_price] += units
        counts = wishes.counts
        if self.is_dated:
            code = self._code(created_at, visitor)
            counts[code] += 1
            self.all_counts[code] += 1
            return
        counts[visitor] += 1
        self.all_counts[visitor] += 1
        if created_at >= self._starts[0]:
            day_number = bisect_right(self._starts, created_at)
            if day_number <= len(self.days):
                counts[day_number + 1] += 1
                self.all_counts[day_number + 1] += 1
            if day_number < len(self.days) and created_at > self._last_began:
                code = len(self.days) + 2 * day_number + visitor
                counts[code] += 1
                self.all_counts[code] += 1

    def add_holder(self, key: str, is_session: int, items: int) -> None:
        """Counts a profile, and keeps it if it is one of those with the most wishes."""
        self.holders[is_session] += items > 0
        if items:
            heapq.heappush(self._top, (items, key))
        if len(self._top) > MAX_TOP_SHOPPERS:
            heapq.heappop(self._top)

    def add_date(self, kind: int, created_at: str) -> None:
        """Counts a list (``kind`` 2), or a customer (0) or visitor (1) with a first wish."""
        self._other_counts[self._code(created_at, kind)] += 1

    def _code(self, created_at: str, kind: int) -> int:
        """Returns a day's index and two bits for the kind, and one for a date before all days."""
        day_number = bisect_right(self._starts, created_at)
        return min(max(day_number - 1, 0), len(self.days) - 1) << 3 | (day_number == 0) << 2 | kind

    def _by_day(self, codes: Counter[int]) -> tuple[list[Totals], list[int]]:
        """Returns how many of each kind there were at the end of each day, and how many began on
        the days until then."""
        numbers_by_day, began_by_day = [[0, 0, 0] for _ in self.days], [0 for _ in self.days]
        for code, number in codes.items():
            numbers_by_day[code >> 3][code & 3] += number
            began_by_day[code >> 3] += 0 if code & 4 else number
        running_totals = accumulate(
            numbers_by_day, lambda a, b: [x + y for x, y in zip(a, b, strict=True)]
        )
        return [(a, b, c) for a, b, c in running_totals], [*accumulate(began_by_day)]

    def _dated_totals(self, codes: Counter[int]) -> list[Totals]:
        numbers_by_day, added_by_day = self._by_day(codes)
        return [
            (*numbers[:2], added)
            for numbers, added in zip(numbers_by_day, added_by_day, strict=True)
        ]

    def totals(
        self, counts: Counter[int], totals_before: Totals, last_totals: Totals
    ) -> list[Totals]:
        """Returns the totals at the end of each day. ``totals_before``: the totals before ``days``;
        ``last_totals``: those of the last count."""
        _, _, *numbers = (counts[code] for code in range(3 * len(self.days)))
        added, since_last_count = numbers[: len(self.days)], numbers[len(self.days) :]
        _, *closed_totals = zip(
            accumulate(since_last_count[::2], initial=last_totals[0]),
            accumulate(since_last_count[1::2], initial=last_totals[1]),
            accumulate(added, initial=totals_before[2]),
            strict=False,
        )
        return [*closed_totals, (counts[0], counts[1], totals_before[2] + sum(added))]

    def rows(self, wishes: Wishes) -> tuple[StoredTotals, ...]:
        """Returns the rows to store for a variant. Omits totals that only superseded or unfinished
        counts refer to."""
        valid_rows = [
            row
            for row in wishes.stored_rows
            if any(row.since <= at < row.until for at in self._final_numbers)
        ]

        def totals_at(number: int) -> Totals:
            return next(
                (row.totals for row in valid_rows if row.since <= number < row.until), _NO_TOTALS
            )

        stored_states = [(row.since, row.totals) for row in valid_rows]
        if self.is_dated:
            new_totals = self._dated_totals(wishes.counts)
        else:
            new_totals = self.totals(
                wishes.counts, totals_at(self._closed_number), totals_at(self.number - 1)
            )
        changes: list[tuple[int, Totals]] = []
        for since, totals in (*stored_states, *enumerate(new_totals, self.number)):
            if totals != (changes[-1][1] if changes else _NO_TOTALS):
                changes.append((since, totals))
        ends = [*(since for since, _ in changes), FOREVER][1:]
        return tuple(
            StoredTotals(since, until, totals)
            for (since, totals), until in zip(changes, ends, strict=True)
        )

    def counts(self, last_counts: Sequence[Count], began: str, ended: str) -> list[Count]:
        """Returns the counts of ``days``, in order."""
        if self.is_dated:
            return self._dated_counts(began, ended)
        closed_totals = [
            count.totals for count in last_counts if count.number == self._closed_number
        ]
        last_totals = last_counts[0].totals if last_counts else _NO_TOTALS
        totals = self.totals(
            self.all_counts, closed_totals[0] if closed_totals else _NO_TOTALS, last_totals
        )
        closed_counts = [
            last_counts[0]._replace(
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
        number = self.number + len(closed_counts)
        customers, visitors = self.holders
        last_day = (*totals[-1], self.lists, customers, visitors, self._starts[-2])
        value = self.value.encode()
        return [*closed_counts, Count(self.days[-1], number, began, ended, *last_day, value)]

    def details(self) -> CountDetails:
        """Returns the details of the last of ``counts``."""
        shoppers = [(key, items) for items, key in sorted(self._top, reverse=True)]
        return CountDetails(self.value.dropped(), shoppers)

    def _dated_counts(self, began: str, ended: str) -> list[Count]:
        wishes, (others, _) = self._dated_totals(self.all_counts), self._by_day(self._other_counts)
        counts = [
            Count(day, self.number + at, began, ended, *wishes[at], others[at][2],
                  *others[at][:2], self._starts[at])
            for at, day in enumerate(self.days)
        ]  # fmt: skip
        # Earlier prices are unknown.
        return [*counts[:-1], counts[-1]._replace(value=self.value.encode())]


def is_date(text: str) -> bool:
    """Returns whether a text is a date in ISO 8601 from 1970 on."""
    try:
        return "1970-01-01" <= date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def day_start(day: str, zone: tzinfo) -> str:
    """Returns the timestamp at which a day begins."""
    start = datetime.combine(date.fromisoformat(day), datetime.min.time(), zone)
    return ids.timestamp(int(start.astimezone(UTC).timestamp() * 1000))


def following(day: str, days: int = 1) -> str:
    """Returns the day ``days`` later; earlier, if negative."""
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def kept_from(day: str) -> str:
    """Returns the first day whose counts are within the retention period on ``day``."""
    total = int(day[:4]) * 12 + int(day[5:7]) - 1 - MAX_MONTHS
    return f"{total // 12:04}-{total % 12 + 1:02}-01"


def _days(day: str, last: str) -> Iterator[str]:
    while day <= last:
        yield day
        day = following(day)
