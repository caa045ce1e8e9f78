"""`wishwell report`: prints reports on wishes."""

import functools
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import click

from wishwell import reports
from wishwell.cli import terminal
from wishwell.cli.common_options import JSON, STORE, clock, in_store
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.products import product_bodies
from wishwell.reports import Span, spreadsheet, wishers
from wishwell.reports import purchases as purchase_reports
from wishwell.stores import Store

Batches = AsyncIterator[Sequence[Any]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_PERIOD_OPTIONS = (
    click.option("--from", "first", metavar="DAY", help="First day (default: 30 days ago)."),
    click.option("--to", "last", metavar="DAY", help="Last day (default: today)."),
)
_DEFAULT_ROWS = 50
"""Rows of a report that are printed by default."""
_CSV_OPTION = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")


@click.group()
def report() -> None:
    """Print reports on wishes.

    They show the latest count, which `serve` makes in the background.
    """


def _report_command(
    name: str, columns: Callable[..., Sequence[str]], *parameters: Decorator
) -> Callable[[Callable[..., Batches]], Callable[..., None]]:
    """Decorates a function that yields a report in batches of rows, making it a command.

    The command prints the first batch, or all rows as CSV, and on standard error the time of the
    count.
    """

    def register(yield_batches: Callable[..., Batches]) -> Callable[..., None]:
        @functools.wraps(yield_batches)
        async def command(
            db: Database,
            _: Settings,
            store: Store,
            /,
            *,
            as_csv: bool,
            as_json: bool,
            first: str | None = None,
            last: str | None = None,
            limit: int | None = None,
            **options: Any,
        ) -> None:
            period = reports.period(store, first, last, clock())
            span = await db.long_read(reports.span, store, period)
            batches = yield_batches(db, store, span, **options)
            if as_csv:
                async for chunk in spreadsheet.csv_file(
                    columns(**options), _limit_rows(batches, limit)
                ):
                    click.echo(chunk, nl=False)
            else:
                terminal.show((await anext(batches))[: limit or _DEFAULT_ROWS], as_json)
            _print_count_time(span)

        decorated = in_store(command)
        decorators: Sequence[Decorator] = (STORE, *parameters, JSON, _CSV_OPTION)
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        return report.command(name)(decorated)

    return register


async def _limit_rows(batches: Batches, limit: int | None) -> Batches:
    """Yields the first rows of a report; without ``limit`` all."""
    async for rows in batches:
        yield rows[:limit]
        if limit is not None and (limit := limit - len(rows)) <= 0:
            return


# rule: command-error
@_report_command(
    "products",
    lambda by, sort, **_: reports.columns(by, sort),
    *_PERIOD_OPTIONS,
    click.option("--sort", type=click.Choice(reports.SORTS), default="wishes", show_default=True,
                 help="The number by which rows are sorted."),
    click.option("--by", type=click.Choice(reports.BY), default="product", show_default=True,
                 help="Print a row for each of these."),
    click.option("--only", type=click.Choice(reports.ONLY),
                 help="Only products that are sold out, or were saved at a higher price."),
    click.option("--limit", type=click.IntRange(1, 10_000),
                 help=f"Maximum number of rows (default: {_DEFAULT_ROWS}, with --csv all)."),
)  # fmt: skip
def products(
    db: Database,
    store: Store,
    span: Span,
    sort: reports.Sort,
    by: reports.By,
    only: reports.Only | None,
) -> Batches:
    """Print the most wished-for products."""
    return reports.product_batches(db, store, span, sort, by, only=only or "")


@_report_command(
    "days",
    lambda **_: reports.DAY_COLUMNS,
    *_PERIOD_OPTIONS,
    click.option("--product", metavar="ID", help="Count only this product."),
)
async def days(db: Database, store: Store, span: Span, product: str | None) -> Batches:
    """Print by day how many wishes there are, were added and removed."""
    product_id = "" if product is None else product_bodies.product_id(product, store, "--product")
    yield await db.long_read(reports.days, store, span, product_id)


@report.command("purchases")
@STORE
@_PERIOD_OPTIONS[0]
@_PERIOD_OPTIONS[1]
@click.option(
    "--by",
    type=click.Choice(purchase_reports.BY),
    default="day",
    show_default=True,
    help="Print a row for each of these.",
)
@JSON
@_CSV_OPTION
@in_store
async def purchases(
    db: Database, _: Settings, store: Store, /, *,
    first: str | None, last: str | None, by: purchase_reports.By, as_json: bool, as_csv: bool,
) -> None:  # fmt: skip
    """Print orders of wished-for products, their units and revenue."""
    period = reports.period(store, first, last, clock())
    rows: Sequence[Any] = (
        await db.long_read(purchase_reports.days, store, reports.days_in(period))
        if by == "day"
        else await db.long_read(purchase_reports.products, store, period.first, period.last)
    )
    _print_report(rows, *purchase_reports.table(by, rows), as_json=as_json, as_csv=as_csv)


@report.command("summary")
@STORE
@_PERIOD_OPTIONS[0]
@_PERIOD_OPTIONS[1]
@JSON
@_CSV_OPTION
@in_store
async def summary(
    db: Database, _: Settings, store: Store, /, *,
    first: str | None, last: str | None, as_json: bool, as_csv: bool,
) -> None:  # fmt: skip
    """Print the number of wishes, the change and the revenue."""
    period = reports.period(store, first, last, clock())
    span = await db.long_read(reports.span, store, period)
    total = reports.summary(span)
    if store.reporting.purchases:
        total.purchases = await db.long_read(
            purchase_reports.summary, store, period.first, period.last
        )
    _print_report([total], *reports.summary_table(total), as_json=as_json, as_csv=as_csv)
    _print_count_time(span)


def _print_report(
    records: Sequence[Any],
    columns: Sequence[str],
    rows: Sequence[Any],
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Prints a report as JSON, as CSV or as a table of ``rows``."""
    if as_csv:
        click.echo(spreadsheet.head(columns) + spreadsheet.lines(rows, columns), nl=False)
    else:
        terminal.show(records if as_json else rows, as_json)


def _print_count_time(span: Span) -> None:
    message = "not counted yet; `wishwell serve` counts in the background"
    if span.counted.as_of is not None:
        message = f"counted at {span.counted.as_of}, since {span.counted.since}"
    terminal.say(message, err=True)


@_report_command(
    "wishers",
    lambda **_: wishers.COLUMNS,
    click.option("--product", metavar="ID", required=True, help="Product id."),
    click.option("--variant", metavar="ID", help="Count only this variant."),
)
def wisher_report(
    db: Database, store: Store, _: Span, product: str, variant: str | None
) -> Batches:
    """Print the profiles that wish for a product, newest first."""
    product_id = product_bodies.product_id(product, store, "--product")
    variant_id = variant and product_bodies.product_id(variant, store, "--variant")
    return wishers.wisher_batches(db, store, wishers.search_for(product_id, variant_id or None))
