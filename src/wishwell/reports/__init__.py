"""Reports on wishes, computed from the counts that run in the background (rule: report-period).

Start here for reading reports; ``scheduling.py`` decides when to count,
``counting.py`` counts a store, and ``tally.py`` defines the rows that counts store.
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
from wishwell.reports import counting, tally, wish_values
from wishwell.reports.purchases import Earned, flatten
from wishwell.reports.tally import Count, CountDetails, Totals, following
from wishwell.reports.wish_values import WishValue
from wishwell.stores import Store, reporting

Sort = Literal["wishes", "added", "removed", "rising", "customers", "visitors"]
By = Literal["product", "variant"]
SORTS: tuple[Sort, ...] = get_args(Sort)
BY: tuple[By, ...] = get_args(By)
Only = Literal["sold_out", "price_dropped"]
ONLY: tuple[Only, ...] = get_args(Only)

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
    types.DayDate | None,
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
    value: list[WishValue] | UnsetType = UNSET
    """What the wishes were worth at the prices of the last count in the period, by currency.
    Omitted if no price is known."""


class Day(msgspec.Struct):
    """The wishes at the end of a day, and how many were added and removed."""

    day: types.DayDate
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


def summary_table(summary: Summary) -> tuple[list[str], list[dict[str, Any]]]:
    """Returns the summary as a table, with the money of each currency in a column of its own."""
    row, columns = msgspec.to_builtins(summary), [*SUMMARY_COLUMNS]
    if summary.value is not UNSET:
        row |= (amounts := wish_values.flatten(summary.value))
        columns += amounts
    if summary.purchases is not UNSET:
        row["purchases"] = flatten(summary.purchases)
        columns += [f"purchases.{name}" for name in row["purchases"]]
    return columns, [row]


def columns(by: By, sort: Sort) -> list[str]:
    """Returns the columns of the products report as CSV."""
    names = ("productId", "variantId", "title", "variantTitle", "image")
    numbers = ("wishes", "customers", "visitors", "added", "removed")
    product_columns = ("price.amount", "price.currency", "availability")
    rise = ("rise",) if sort == "rising" else ()
    all_columns = (*names, *numbers, *rise, *product_columns)
    return [name for name in all_columns if by == "variant" or "variant" not in name]


# rule: report-period
def period(store: Store, first: str | None, last: str | None, now: int) -> Period:
    """Returns a report's period. ``now`` is in epoch milliseconds. Raises ``Invalid``."""
    today = reporting.day_of(now, store.reporting.zone)
    for name, day in (("from", first), ("to", last)):
        if day is not None and not tally.is_date(day):
            raise Invalid(f"{name}: must be a date such as {today}.")
    end = last or today
    begin = first or following(end, 1 - DEFAULT_DAYS)
    end_text = "`to`" if last else "today, the default of `to`"
    if begin > end:
        raise Invalid(f"from: {begin} is after {end}, {end_text}.")
    if begin < following(end, 1 - MAX_DAYS):
        raise Invalid(
            f"from: {begin} to {end}, {end_text}, is more than the {MAX_DAYS} days that are "
            "allowed."
        )
    return Period(begin, end, last is None)


def days_in(period: Period) -> list[str]:
    """Returns the days of a period in order."""
    days = [period.first]
    while days[-1] < period.last:
        days.append(following(days[-1]))
    return days


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
    tx: Reader,
    store: Store,
    span: Span,
    sort: Sort,
    by: By,
    offset: int,
    limit: int,
    title: str = "",
    only: Only | Literal[""] = "",
) -> list[ProductWishes]:
    """Returns up to ``limit`` products in descending order of ``sort``, skipping ``offset``.

    ``title`` selects products by a part of their title, or one by its id; ``only`` by their current
    stock, or whether their price has dropped (rule: report-dropped).
    """
    details = await counting.last_details(tx, store) if only == "price_dropped" else CountDetails()
    # rule: report-period. Another sort needs no third count, and reads fewer rows.
    earlier = span.earlier if sort == "rising" else span.before
    counts = {"before": span.before.number, "now": span.now.number, "earlier": earlier.number}
    order = {"sort": sort, "by": by, "offset": offset, "limit": limit, "forever": tally.FOREVER}
    filters = {"title": title, "titles": [patterns.in_either_case(title)], "only": only}
    filters["dropped"] = details.dropped
    rows = await tx.all("report_products", store=store.id, **counts, **order, **filters)
    return [_make_product(row, store, sort) for row in rows]


async def product_batches(
    db: Database,
    store: Store,
    span: Span,
    sort: Sort,
    by: By,
    title: str = "",
    only: Only | Literal[""] = "",
) -> AsyncIterator[list[ProductWishes]]:
    """Yields all products in batches."""
    offset, is_full = 0, True
    while is_full:
        batch = await db.long_read(
            products, store, span, sort, by, offset, _BATCH_SIZE, title, only
        )
        yield batch
        offset, is_full = offset + _BATCH_SIZE, len(batch) == _BATCH_SIZE


def _make_product(row: Row, store: Store, sort: Sort) -> ProductWishes:
    product_id, variant_id, customers, visitors, added, removed, rise, *documents = row
    wishes = customers + visitors
    product = ProductWishes(store.shown_id(product_id), wishes, customers, visitors, added, removed)
    product.rise = rise if sort == "rising" else None
    if variant_id:
        product.variant_id = store.shown_id(variant_id)
    product_document, variant_document = documents
    if product_document:
        details = shown.merged_data(product_document, variant_document)
        product.title, product.image = details.title, details.image
        product.variant_title = details.variant_title
        product.price, product.availability = details.price, details.availability
        if details.availability is None and details.available is not None:
            product.availability = "in_stock" if details.available else "out_of_stock"
    return product


def summary(span: Span) -> Summary:
    """Returns all wishes at the period's end, and those added and removed in it."""
    now, (added, removed) = span.now, _count_changes(span.before.totals, span.now.totals)
    holders = WishHolders(now.customers_wishing, now.visitors_wishing)
    figures = Summary(now.wishes, now.customers, now.visitors, holders, now.lists, added, removed)
    figures.value = wish_values.decode(now.value) or UNSET
    return figures


async def days(tx: Reader, store: Store, span: Span, product: str = "") -> list[Day]:
    """Returns each day of the period that has a count, for one product or ('') for all."""
    counts = (span.before, *span.days)
    if product:
        totals = await _product_totals(tx, store, counts, product)
    else:
        totals = [count.totals for count in counts]
    return [
        Day(count.day, now[0] + now[1], *_count_changes(before, now))
        for count, before, now in zip(span.days, totals, totals[1:], strict=False)
    ]


async def _product_totals(
    tx: Reader, store: Store, counts: Sequence[Count], product: str
) -> list[Totals]:
    """Returns the totals of a product's variants at each of these counts, which are in order."""
    params = {"product": product, "before": counts[0].number, "now": counts[-1].number}
    rows = deque(await tx.all("report_days", store=store.id, **params))
    rows_by_variant: dict[str, Row] = {}
    totals: list[Totals] = []
    for count in counts:
        while rows and rows[0][4] <= count.number:
            row = rows.popleft()
            rows_by_variant[row[3]] = row
        # A variant without a valid row has no wishes.
        valid_rows = [row for row in rows_by_variant.values() if row[5] > count.number]
        customers, visitors, added = (sum(row[at] for row in valid_rows) for at in range(3))
        totals.append((customers, visitors, added))
    return totals


def _count_changes(before: Totals, now: Totals) -> tuple[int, int]:
    """Returns how many wishes were added and removed between two counts."""
    added = now[2] - before[2]
    return added, max(0, sum(before[:2]) + added - sum(now[:2]))


# rule: show-wishes
async def rounded_wishes(
    tx: Reader, store: Store, products: Sequence[str]
) -> list[tuple[str | int, int]]:
    """Returns each product's wishes, rounded down to 0, 10, 25, 50, 100, 250 and so on."""
    counts = await counting.last(tx, store)
    params = {"products": list(products), "now": counts[0].number if counts else 0}
    rows = await tx.all("report_wishes", store=store.id, **params)
    wishes = dict(map(tuple, rows))
    return [(store.shown_id(id), _round_down(wishes.get(id, 0))) for id in dict.fromkeys(products)]


def _round_down(wishes: int) -> int:
    size = 10 ** max(1, len(str(wishes)) - 1)
    return max(
        (int(digits * size) for digits in ROUNDING_DIGITS if digits * size <= wishes), default=0
    )
