"""What is wished for, by the last counts (contract: report-period)."""

from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Literal, NamedTuple, get_args

import msgspec

from wishwell import stores
from wishwell.db import Database, Reader, Row, patterns
from wishwell.errors import Invalid
from wishwell.products import shown
from wishwell.reports import counting
from wishwell.reports.counting import following
from wishwell.stores import Store

Sort = Literal["wishes", "added", "removed"]
By = Literal["product", "variant"]
SORTS: tuple[Sort, ...] = get_args(Sort)
BY: tuple[By, ...] = get_args(By)

MOST_DAYS = 366
_SOME = 10_000
USUAL_DAYS = 30
STEPS = (1, 2.5, 5)
"""What is said to anybody: ten times these, a hundred times, and so on."""


class Period(NamedTuple):
    """Days, both included, as 2026-11-25."""

    first: str
    last: str


class Chosen(NamedTuple):
    """Which products, and in which order; ``title``: a part of theirs, or '' for all."""

    sort: Sort
    by: By
    title: str = ""


class Counted(msgspec.Struct, rename="camel"):
    """When the last count began, and the first day that there is; None before the first count."""

    as_of: str | None
    since: str | None


class ProductWishes(msgspec.Struct, rename="camel", omit_defaults=True):
    """A product, or one of its variants: its wishes at the end of the period, and what came and
    went in it."""

    product_id: str | int
    wishes: int
    customers: int
    visitors: int
    added: int
    removed: int
    variant_id: str | int | None = None
    title: str | None = None
    image: str | None = None


class Summary(msgspec.Struct, rename="camel"):
    """All wishes. ``profiles``: how many customers and visitors have one."""

    wishes: int
    customers: int
    visitors: int
    profiles: dict[str, int]
    lists: int
    added: int
    removed: int


class Day(msgspec.Struct):
    """The wishes at the end of a day, and what came and went on it."""

    day: str
    wishes: int
    added: int
    removed: int


SUMMARY_COLUMNS = ("wishes", "customers", "visitors", "profiles.customers", "profiles.visitors",
                   "lists", "added", "removed")  # fmt: skip
DAY_COLUMNS = Day.__struct_encode_fields__


def columns(by: By) -> list[str]:
    """The columns of products in a spreadsheet."""
    names = ("productId", "variantId", "title", "image")
    numbers = ("wishes", "customers", "visitors", "added", "removed")
    return [name for name in (*names, *numbers) if by == "variant" or name != "variantId"]


# contract: report-period
def period(store: Store, first: str | None, last: str | None, now: int) -> Period:
    """The days of a report; ``now`` in milliseconds. Raises ``Invalid``."""
    today = counting.day_of(now, counting.zone(store))
    for name, day in (("from", first), ("to", last)):
        if day is not None and not counting.is_day(day):
            raise Invalid(f"{name}: must be a day such as {today}.")
    end = last or max(today, first or today)
    begin = first or following(end, 1 - USUAL_DAYS)
    if not following(end, 1 - MOST_DAYS) <= begin <= end:
        raise Invalid(f"from: must be at most to, and {MOST_DAYS} days with it at most.")
    return Period(begin, end)


async def counted(tx: Reader, store: Store) -> Counted:
    """How far a report of the store reaches."""
    last = await counting.last(tx, store)
    first = await tx.one("count_first", store=store.id)
    return Counted(last and last.began_at, first[0] if first else None)


# contract: report-products
async def products(
    tx: Reader, store: Store, of: Period, chosen: Chosen, offset: int, limit: int
) -> list[ProductWishes]:
    """Products, the largest first; ``offset`` of them are left out."""
    named = {"store": store.id, "from": of.first, "to": of.last, **chosen._asdict()}
    titles = [patterns.in_either_case(chosen.title)]
    rows = await tx.all("report_products", **named, titles=titles, offset=offset, limit=limit)
    return [_product(row, store) for row in rows]


async def every_product(
    db: Database, store: Store, of: Period, chosen: Chosen
) -> AsyncIterator[list[ProductWishes]]:
    """All products, some at a time."""
    offset, full = 0, True
    while full:
        found = await db.long_read(products, store, of, chosen, offset, _SOME)
        yield found
        offset, full = offset + _SOME, len(found) == _SOME


def _product(row: Row, store: Store) -> ProductWishes:
    product, variant, customers, visitors, added, removed, document, own = row
    id = str if store.has_text_ids else stores.number
    wishes = customers + visitors
    made = ProductWishes(id(product), wishes, customers, visitors, added, removed)
    if variant:
        made.variant_id = id(variant)
    if document:
        facts = shown.facts(document, own)
        made.title, made.image = facts.title, facts.image
    return made


# contract: report-summary
async def summary(tx: Reader, store: Store, of: Period) -> Summary:
    """All wishes at the end of the period, and what came and went in it."""
    before = await counting.summary(tx, store, following(of.first, -1))
    customers, visitors, total = await counting.summary(tx, store, of.last)
    row = await tx.one("report_holders", store=store.id, day=of.last)
    *profiles, lists = row or (0, 0, 0)
    added = total - before[2]
    removed = max(0, before[0] + before[1] + added - customers - visitors)
    holders = dict(zip(("customers", "visitors"), profiles, strict=True))
    return Summary(customers + visitors, customers, visitors, holders, lists, added, removed)


# contract: report-days
async def days(tx: Reader, store: Store, of: Period, product: str = "") -> list[Day]:
    """Each day of the period, as far as there are counts; of one product, or of all."""
    first, last = await tx.one("count_first", store=store.id), await counting.last(tx, store)
    if not first or last is None:
        return []
    named = {"store": store.id, "from": of.first, "to": of.last, "product": product}
    rows = deque(await tx.all("report_days", **named))
    variants: dict[str, tuple[int, int]] = {}
    made: list[Day] = []
    day, before = following(of.first, -1), (0, 0)
    while day <= min(of.last, last.day):
        while rows and rows[0][1] <= day:
            variant, _, wishes, added = rows.popleft()
            variants[variant] = wishes, added
        now = sum(has for has, _ in variants.values()), sum(got for _, got in variants.values())
        if day >= max(of.first, first[0]):
            added = now[1] - before[1]
            made.append(Day(day, now[0], added, max(0, before[0] + added - now[0])))
        day, before = following(day), now
    return made


# contract: show-wishes
async def reached(tx: Reader, store: Store, products: Sequence[str]) -> list[tuple[str | int, int]]:
    """For each product the largest of 10, 25, 50, 100, 250, … that its wishes reach, or 0."""
    rows = await tx.all("report_wishes", store=store.id, products=list(products))
    found = {row[0]: row[1] for row in rows}
    id = str if store.has_text_ids else stores.number
    return [(id(product), _step(found.get(product, 0))) for product in dict.fromkeys(products)]


def _step(wishes: int) -> int:
    size = 10 ** max(1, len(str(wishes)) - 1)
    return max((int(part * size) for part in STEPS if part * size <= wishes), default=0)
