"""Reports on wishes, computed from the counts that run in the background (rule: report-period).

Start here for reading reports; ``counting.py`` runs the counts, and ``tally.py`` defines the rows
that counts store.
"""

from collections import deque
from collections.abc import AsyncIterator, Sequence
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell.db import Database, Reader, Row, patterns
from wishwell.errors import Invalid
from wishwell.products import Availability, Title, Url, shown
from wishwell.reports import counting, tally
from wishwell.reports.purchases import Earned
from wishwell.reports.tally import Count, DayDate, Totals, following
from wishwell.stores import Store, reporting

Sort = Literal["wishes", "added", "removed", "rising"]
By = Literal["product", "variant"]
SORTS: tuple[Sort, ...] = get_args(Sort)
BY: tuple[By, ...] = get_args(By)

MAX_DAYS = 366
_BATCH_SIZE = 10_000  # rows per batch
_NO_COUNT = Count("", 0, "", "", 0, 0, 0, 0, 0, 0, "")
DEFAULT_DAYS = 30
ROUNDING_DIGITS = (1, 2.5, 5)
"""Leading digits of published wish counts, which are rounded down to 10, 25, 50, 100, and so on."""


class Period(NamedTuple):
    """Days such as 2026-11-25, both included.

    ``until_now``: the period ends with the last count, even if that is of a later day.
    """

    first: str
    last: str
    until_now: bool = False


AsOf = Annotated[
    types.Time | None,
    types.published("AsOf", "When the last count began; null before the first count."),
]
Since = Annotated[
    DayDate | None,
    types.published("Since", "The first day that was counted; null before the first count."),
]


class LastCount(NamedTuple):
    """The start time of the last count, and the first day with one."""

    as_of: AsOf
    since: Since


class Span(NamedTuple):
    """The counts of a period.

    ``before``: the last count before it; ``now``: its last count; ``days``: the count of each day;
    ``earlier``: the last count before the previous period of the same length.
    """

    before: Count
    now: Count
    days: list[Count]
    counted: LastCount
    earlier: Count = _NO_COUNT


class ProductWishes(msgspec.Struct, rename="camel", omit_defaults=True):
    """A product, or one of its variants, with the number of wishes for it.

    Wishes are those at the period's end; ``added`` and ``removed`` are about the period.
    """

    product_id: types.ProductId
    wishes: types.Count
    customers: types.Count
    visitors: types.Count
    added: int
    removed: types.Count
    variant_id: types.ProductId | None = None
    title: Title | None = None
    variant_title: Title | None = None
    image: Url | None = None
    rise: int | None = None
    """The wishes added in the period, minus those added in the period of the same length before;
    only with `sort=rising`."""
    price: Annotated[Any, types.published("Price")] = None
    availability: Availability | None = None


class WishHolders(msgspec.Struct):
    """The number of customers and visitors with a wish."""

    customers: types.Count
    visitors: types.Count


class Summary(msgspec.Struct, rename="camel"):
    """The number of wishes for all products, and of profiles with a wish."""

    wishes: types.Count
    customers: types.Count
    visitors: types.Count
    profiles: WishHolders
    """The number of customers and visitors with a wish."""
    lists: types.Count
    added: int
    removed: types.Count
    purchases: Earned | UnsetType = UNSET
    """The purchases of wishes in the period; only in a store with purchases on."""


class Day(msgspec.Struct):
    """The wishes at the end of a day, and how many were added and removed."""

    day: DayDate
    wishes: types.Count
    added: int
    removed: types.Count


class ShownCount(msgspec.Struct, rename="camel"):
    """The approximate number of wishes for a product."""

    product_id: types.ProductId
    wishes: types.Count


SUMMARY_COLUMNS = ("wishes", "customers", "visitors", "profiles.customers", "profiles.visitors",
                   "lists", "added", "removed")  # fmt: skip
DAY_COLUMNS = Day.__struct_encode_fields__


def summary_table(found: Summary) -> tuple[list[str], list[dict[str, Any]]]:
    """Returns the summary as a table, with the revenue of each currency in a column of its own."""
    row, names = msgspec.to_builtins(found), [*SUMMARY_COLUMNS]
    if earned := row.get("purchases"):
        revenue = {f"revenue.{one['currency']}": one["amount"] for one in earned.pop("revenue")}
        row["purchases"] = earned | revenue
        names += [f"purchases.{name}" for name in row["purchases"]]
    return names, [row]


def columns(by: By, sort: Sort) -> list[str]:
    """Returns the columns of the products report as CSV."""
    names = ("productId", "variantId", "title", "variantTitle", "image")
    numbers = ("wishes", "customers", "visitors", "added", "removed")
    more = ("price.amount", "price.currency", "availability")
    rise = ("rise",) if sort == "rising" else ()
    every = (*names, *numbers, *rise, *more)
    return [name for name in every if by == "variant" or "variant" not in name]


# rule: report-period
def period(store: Store, first: str | None, last: str | None, now: int) -> Period:
    """Returns a report's period. ``now`` is in epoch milliseconds. Raises ``Invalid``."""
    today = reporting.day_of(now, store.reporting.zone)
    for name, day in (("from", first), ("to", last)):
        if day is not None and not tally.is_date(day):
            raise Invalid(f"{name}: must be a date such as {today}.")
    end = last or today
    begin = first or following(end, 1 - DEFAULT_DAYS)
    said = "`to`" if last else "today, the default of `to`"
    if begin > end:
        raise Invalid(f"from: {begin} is after {end}, {said}.")
    if begin < following(end, 1 - MAX_DAYS):
        raise Invalid(
            f"from: {begin} to {end}, {said}, is more than the {MAX_DAYS} days that are allowed."
        )
    return Period(begin, end, last is None)


def days_in(of: Period) -> list[str]:
    """Returns the days of a period in order."""
    found = [of.first]
    while found[-1] < of.last:
        found.append(following(found[-1]))
    return found


# rule: count-exact
async def span(tx: Reader, store: Store, period: Period) -> Span:
    """Returns the counts of a period.

    Later reads refer to them by number, so a report is consistent even if another count ends before
    it is complete.
    """
    counts = (await counting.last(tx, store, days=counting.ALL_DAYS))[::-1]
    if not counts:
        return Span(_NO_COUNT, _NO_COUNT, [], LastCount(None, None))
    since = max(counts[0].day, tally.kept_from(counts[-1].day))
    last_count = LastCount(counts[-1].began_at, since)
    # After a change to a time zone further west, the last counted day may be after today.
    end = max(period.last, counts[-1].day) if period.until_now else period.last
    if end < since:
        return Span(_NO_COUNT, _NO_COUNT, [], last_count)
    begin = max(period.first, since)
    counts_inside = [count for count in counts if begin <= count.day <= end]
    before = _last_before(counts, begin)
    now = counts_inside[-1] if counts_inside else before
    earlier = _last_before(counts, max(_begin_of_previous(period.first, end), since))
    return Span(before, now, counts_inside, last_count, earlier)


def _last_before(counts: Sequence[Count], day: str) -> Count:
    """Returns the last count before a day, of counts in order."""
    return [_NO_COUNT, *(count for count in counts if count.day < day)][-1]


# rule: report-period
def _begin_of_previous(first: str, last: str) -> str:
    """Returns the first day of the equally long period that ends the day before ``first``."""
    length = date.fromisoformat(last) - date.fromisoformat(first)
    return following(first, -1 - length.days)


async def products(
    tx: Reader, store: Store, of: Span, sort: Sort, by: By, offset: int, limit: int, title: str = ""
) -> list[ProductWishes]:
    """Returns up to ``limit`` products in descending order of ``sort``, skipping ``offset``.

    ``title`` selects products by a part of their title, or one by its id.
    """
    # rule: report-period. Another sort needs no third count, and reads fewer rows.
    earlier = of.earlier if sort == "rising" else of.before
    named = {"store": store.id, "before": of.before.number, "now": of.now.number}
    named |= {"earlier": earlier.number}
    order = {"sort": sort, "by": by, "offset": offset, "limit": limit, "forever": tally.FOREVER}
    chosen = {"title": title, "titles": [patterns.in_either_case(title)]}
    rows = await tx.all("report_products", **named, **order, **chosen)
    return [_product(row, store, sort) for row in rows]


async def every_product(
    db: Database, store: Store, of: Span, sort: Sort, by: By, title: str = ""
) -> AsyncIterator[list[ProductWishes]]:
    """Yields all products in batches."""
    offset, full = 0, True
    while full:
        some = await db.long_read(products, store, of, sort, by, offset, _BATCH_SIZE, title)
        yield some
        offset, full = offset + _BATCH_SIZE, len(some) == _BATCH_SIZE


def _product(row: Row, store: Store, sort: Sort) -> ProductWishes:
    product, variant, customers, visitors, added, removed, rise, document, own = row
    wishes = customers + visitors
    made = ProductWishes(store.shown_id(product), wishes, customers, visitors, added, removed)
    made.rise = rise if sort == "rising" else None
    if variant:
        made.variant_id = store.shown_id(variant)
    if document:
        facts = shown.merged_data(document, own)
        made.title, made.image = facts.title, facts.image
        made.variant_title = facts.variant_title
        made.price, made.availability = facts.price, facts.availability
        if facts.availability is None and facts.available is not None:
            made.availability = "in_stock" if facts.available else "out_of_stock"
    return made


def summary(of: Span) -> Summary:
    """Returns all wishes at the period's end, and those added and removed in it."""
    now, (added, removed) = of.now, _between(of.before.totals, of.now.totals)
    holders = WishHolders(now.customers_wishing, now.visitors_wishing)
    return Summary(now.wishes, now.customers, now.visitors, holders, now.lists, added, removed)


async def days(tx: Reader, store: Store, of: Span, product: str = "") -> list[Day]:
    """Returns each day of the period that has a count, for one product or ('') for all."""
    before, totals = of.before.totals, [count.totals for count in of.days]
    if product:
        named = {"before": of.before.number, "now": of.now.number}
        rows = deque(await tx.all("report_days", store=store.id, product=product, **named))
        variants: dict[str, Row] = {}
        sums: list[Totals] = []
        for count in (of.before, *of.days):
            while rows and rows[0][4] <= count.number:
                row = rows.popleft()
                variants[row[3]] = row
            # A variant without a valid row has no wishes.
            valid = [row for row in variants.values() if row[5] > count.number]
            every = [sum(row[at] for row in valid) for at in range(3)]
            sums.append((every[0], every[1], every[2]))
        before, *totals = sums
    made = []
    for count, now in zip(of.days, totals, strict=True):
        made.append(Day(count.day, now[0] + now[1], *_between(before, now)))
        before = now
    return made


def _between(before: Totals, now: Totals) -> tuple[int, int]:
    """Returns how many wishes were added and removed between two counts."""
    added = now[2] - before[2]
    return added, max(0, sum(before[:2]) + added - sum(now[:2]))


# rule: show-wishes
async def rounded(tx: Reader, store: Store, products: Sequence[str]) -> list[tuple[str | int, int]]:
    """Returns each product's wishes, rounded down to 0, 10, 25, 50, 100, 250 and so on."""
    last = await counting.last(tx, store)
    named = {"products": list(products), "now": last[0].number if last else 0}
    rows = await tx.all("report_wishes", store=store.id, **named)
    wishes = dict(map(tuple, rows))
    return [(store.shown_id(id), _step(wishes.get(id, 0))) for id in dict.fromkeys(products)]


def _step(wishes: int) -> int:
    size = 10 ** max(1, len(str(wishes)) - 1)
    return max((int(part * size) for part in ROUNDING_DIGITS if part * size <= wishes), default=0)
