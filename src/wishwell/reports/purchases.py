"""Reports on what wishes earn: the purchases of a period, by day or by product (rule:
purchase-report)."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Annotated, Any, Literal, get_args

import msgspec

from wishwell import field_types as types
from wishwell.db import Reader
from wishwell.products import Title, Url
from wishwell.reports.tally import DayDate
from wishwell.stores import Store

By = Literal["day", "product"]
BY: tuple[By, ...] = get_args(By)


class Revenue(msgspec.Struct):
    """What was paid in one currency."""

    amount: Annotated[str, types.published(pattern=r"^[0-9]+(\.[0-9]{1,4})?$")]
    """Decimal text; exact."""
    currency: Annotated[str, types.published(pattern="^[A-Z]{3}$")]


class Earned(msgspec.Struct):
    """The purchases of wishes in a period."""

    orders: types.Count
    """The number of orders with a wish."""
    units: types.Count
    """The number of units of these wishes."""
    revenue: list[Revenue]
    """What was paid for them, by currency; units without a price add nothing."""


class EarnedRow(Earned, rename="camel", omit_defaults=True):
    """The purchases of wishes on a day, or for a product."""

    day: DayDate | None = None
    product_id: types.ProductId | None = None
    title: Title | None = None
    image: Url | None = None


async def summary(tx: Reader, store: Store, first: str, last: str) -> Earned:
    """Returns all purchases of wishes from the day ``first`` to ``last``."""
    found = await _earned(tx, store, first, last, "")
    return found.get("", Earned(0, 0, []))


async def days(tx: Reader, store: Store, every: Sequence[str]) -> list[EarnedRow]:
    """Returns the purchases of each of these days, which are in order."""
    found = await _earned(tx, store, every[0], every[-1], "day")
    nothing = Earned(0, 0, [])
    return [_row(found.get(day, nothing), day=day) for day in every]


async def products(
    tx: Reader, store: Store, first: str, last: str, limit: int | None = None, at: int = 0
) -> list[EarnedRow]:
    """Returns up to ``limit`` products from the row ``at``, those first that earned most in the
    currency with the most units, then those with the most units."""
    found = await _earned(tx, store, first, last, "product")
    units: dict[str, int] = defaultdict(int)
    for earned in found.values():
        for money in earned.revenue:
            units[money.currency] += earned.units
    main = min(units, key=lambda currency: (-units[currency], currency), default="")

    def place(product: str) -> tuple[Decimal, int, str]:
        earned = found[product]
        revenue = {money.currency: Decimal(money.amount) for money in earned.revenue}
        return -revenue.get(main, Decimal()), -earned.units, product

    chosen = sorted(found, key=place)[at : limit and at + limit]
    of = {"store": store.id, "products": chosen}
    known = {row[1]: msgspec.json.decode(row[2]) for row in await tx.all("products_find", **of)}
    rows = []
    for product in chosen:
        data = known.get(product, {})
        shown = {"title": data.get("title"), "image": data.get("image")}
        rows.append(_row(found[product], product_id=store.shown_id(product), **shown))
    return rows


def _row(earned: Earned, **named: Any) -> EarnedRow:
    return EarnedRow(*msgspec.structs.astuple(earned), **named)


# rule: purchase-report
async def _earned(
    tx: Reader, store: Store, first: str, last: str, by: By | Literal[""]
) -> dict[str, Earned]:
    """Returns the purchases by day, by product, or of all as ``""``. Revenue is exact."""
    found: dict[str, Earned] = {}
    sums: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    named = {"store": store.id, "first": first, "last": last, "by": by}
    rows = await tx.all("report_purchases", **named)
    with localcontext(prec=60):
        for place, currency, amount, orders, units in rows:
            if currency is None:
                found[place] = Earned(orders, units, [])
            else:
                sums[place][currency] += Decimal(amount) * units
    for place, revenue in sums.items():
        found[place].revenue = [
            Revenue(f"{total:f}", currency) for currency, total in sorted(revenue.items())
        ]
    return found


# rule: report-csv
def table(by: By, found: Sequence[EarnedRow]) -> tuple[list[str], list[dict[str, Any]]]:
    """Returns a report as a table: its columns, one for the revenue of each currency, and rows."""
    currencies = sorted({money.currency for one in found for money in one.revenue})
    rows = [
        msgspec.to_builtins(one) | {"revenue": {m.currency: m.amount for m in one.revenue}}
        for one in found
    ]
    names = ["day"] if by == "day" else ["productId", "title"]
    return [*names, "orders", "units", *(f"revenue.{name}" for name in currencies)], rows
