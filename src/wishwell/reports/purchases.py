"""Reports on what wishes earn: the purchases of a period, by day or by product (rule:
purchase-report)."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell.db import Reader
from wishwell.products import Title, Url
from wishwell.stores import Store

By = Literal["day", "product"]
BY: tuple[By, ...] = get_args(By)


class Revenue(msgspec.Struct):
    """What was paid in one currency."""

    amount: Annotated[str, types.published(pattern=r"^[0-9]+(\.[0-9]{1,4})?$")]
    """Decimal text; exact."""
    currency: Annotated[str, types.published(pattern="^[A-Z]{3}$")]


class Sales(msgspec.Struct):
    """Purchases of wishes."""

    orders: types.Count
    """The number of orders with a wish."""
    units: types.Count
    """The number of units of these wishes."""
    revenue: list[Revenue]
    """What was paid for them, by currency; units without a price add nothing."""


# rule: purchase-mailed
class Earned(Sales):
    """The purchases of wishes in a period."""

    mailed: Sales | UnsetType = UNSET
    """Of these, those in the seven days after a mail that named the product to the buyer. Omitted
    if there are none."""


class EarnedRow(Earned, rename="camel", omit_defaults=True):
    """The purchases of wishes on a day, or for a product."""

    day: types.DayDate | None = None
    product_id: types.ProductId | None = None
    title: Title | None = None
    image: Url | None = None


async def summary(tx: Reader, store: Store, first: str, last: str) -> Earned:
    """Returns all purchases of wishes from the day ``first`` to ``last``."""
    purchases_by_key = await _sum_purchases(tx, store, first, last, "")
    return purchases_by_key.get("", Earned(0, 0, []))


async def days(tx: Reader, store: Store, wanted_days: Sequence[str]) -> list[EarnedRow]:
    """Returns the purchases of each of these days, which are in order."""
    purchases_by_day = await _sum_purchases(tx, store, wanted_days[0], wanted_days[-1], "day")
    no_purchases = Earned(0, 0, [])
    return [_make_row(purchases_by_day.get(day, no_purchases), day=day) for day in wanted_days]


async def products(
    tx: Reader, store: Store, first: str, last: str, limit: int | None = None, offset: int = 0
) -> list[EarnedRow]:
    """Returns up to ``limit`` products from the row ``offset``, those first that earned most in the
    currency with the most units, then those with the most units."""
    purchases_by_product = await _sum_purchases(tx, store, first, last, "product")
    units: dict[str, int] = defaultdict(int)
    for earned in purchases_by_product.values():
        for money in earned.revenue:
            units[money.currency] += earned.units
    main_currency = min(units, key=lambda currency: (-units[currency], currency), default="")

    def sort_key(product: str) -> tuple[Decimal, int, str]:
        earned = purchases_by_product[product]
        revenue = {money.currency: Decimal(money.amount) for money in earned.revenue}
        return -revenue.get(main_currency, Decimal()), -earned.units, product

    chosen_products = sorted(purchases_by_product, key=sort_key)[offset : limit and offset + limit]
    params = {"store": store.id, "products": chosen_products}
    documents = {
        row[1]: msgspec.json.decode(row[2]) for row in await tx.all("products_find", **params)
    }
    rows = []
    for product in chosen_products:
        document = documents.get(product, {})
        fields = {"title": document.get("title"), "image": document.get("image")}
        rows.append(
            _make_row(purchases_by_product[product], product_id=store.shown_id(product), **fields)
        )
    return rows


def _make_row(earned: Earned, **fields: Any) -> EarnedRow:
    return EarnedRow(*msgspec.structs.astuple(earned), **fields)


# rule: purchase-report
async def _sum_purchases(
    tx: Reader, store: Store, first: str, last: str, by: By | Literal[""]
) -> dict[str, Earned]:
    """Returns the purchases by day, by product, or of all as ``""``. Revenue is exact."""
    purchases_by_key: dict[str, Earned] = {}
    mailed_by_key: dict[str, Sales] = {}
    revenue_by_key: dict[tuple[str, int], dict[str, Decimal]] = defaultdict(
        lambda: defaultdict(Decimal)
    )
    params = {"store": store.id, "first": first, "last": last, "by": by}
    rows = await tx.all("report_purchases", **params)
    with localcontext(prec=60):
        for key, mailed, currency, amount, orders, units in rows:
            if currency is not None:
                revenue_by_key[key, mailed][currency] += Decimal(amount) * units
            elif mailed:
                mailed_by_key[key] = Sales(orders, units, [])
            else:
                purchases_by_key[key] = Earned(orders, units, [])
    for (key, mailed), revenue in revenue_by_key.items():
        sales = mailed_by_key[key] if mailed else purchases_by_key[key]
        sales.revenue = [
            Revenue(f"{total:f}", currency) for currency, total in sorted(revenue.items())
        ]
    for key, sales in mailed_by_key.items():
        purchases_by_key[key].mailed = sales
    return purchases_by_key


# rule: report-csv
def table(by: By, rows: Sequence[EarnedRow]) -> tuple[list[str], list[dict[str, Any]]]:
    """Returns a report as a table: its columns, one for the revenue of each currency, and rows."""
    records = []
    for row in rows:
        fields = msgspec.to_builtins(row)
        del fields["revenue"]
        fields.pop("mailed", None)
        records.append(fields | flatten(row))
    columns = {"orders", "units"}.union(*map(flatten, rows))
    names = ["day"] if by == "day" else ["productId", "title"]
    return [*names, *sorted(columns, key=_column_order)], records


def flatten(earned: Earned) -> dict[str, Any]:
    """Returns the figures of a row by column, such as ``revenue.EUR`` and ``mailed.units``."""
    figures: dict[str, Any] = {}
    for prefix, sales in (("", earned), ("mailed.", earned.mailed)):
        if sales is not UNSET:
            figures |= {f"{prefix}orders": sales.orders, f"{prefix}units": sales.units}
            figures |= {
                f"{prefix}revenue.{money.currency}": money.amount for money in sales.revenue
            }
    return figures


def _column_order(column: str) -> tuple[bool, bool, str]:
    return column.startswith("mailed."), "revenue." in column, column
