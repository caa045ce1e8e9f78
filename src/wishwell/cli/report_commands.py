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
from wishwell.reports import purchases as earned
from wishwell.stores import Store

Parts = AsyncIterator[Sequence[Any]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_PERIOD = (
    click.option("--from", "first", metavar="DAY", help="First day (default: 30 days ago)."),
    click.option("--to", "last", metavar="DAY", help="Last day (default: today)."),
)
_ROWS = 50
"""Rows of a report that are printed by default."""
_CSV = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")


@click.group()
def report() -> None:
    """Print reports on wishes.

    They show the latest count, which `serve` makes in the background.
    """


def _command(
    name: str, columns: Callable[..., Sequence[str]], *parameters: Decorator
) -> Callable[[Callable[..., Parts]], Callable[..., None]]:
    """Decorates a function that yields a report in batches of rows, making it a command.

    The command prints the first batch, or all rows as CSV, and on standard error the time of the
    count.
    """

    def register(parts: Callable[..., Parts]) -> Callable[..., None]:
        @functools.wraps(parts)
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
            **given: Any,
        ) -> None:
            period = reports.period(store, first, last, clock())
            of = await db.long_read(reports.span, store, period)
            found = parts(db, store, of, **given)
            if as_csv:
                async for piece in spreadsheet.whole(columns(**given), _first(found, limit)):
                    click.echo(piece, nl=False)
            else:
                terminal.show((await anext(found))[: limit or _ROWS], as_json)
            _say_counted(of)

        decorated = in_store(command)
        options: Sequence[Decorator] = (STORE, *parameters, JSON, _CSV)
        for option in reversed(options):
            decorated = option(decorated)
        return report.command(name)(decorated)

    return register


async def _first(found: Parts, limit: int | None) -> Parts:
    """Yields the first rows of a report; without ``limit`` all."""
    async for rows in found:
        yield rows[:limit]
        if limit is not None and (limit := limit - len(rows)) <= 0:
            return


# rule: command-error
@_command(
    "products",
    lambda by, sort, **_: reports.columns(by, sort),
    *_PERIOD,
    click.option("--sort", type=click.Choice(reports.SORTS), default="wishes", show_default=True),
    click.option("--by", type=click.Choice(reports.BY), default="product", show_default=True),
    click.option("--limit", type=click.IntRange(1, 10_000),
                 help=f"Maximum number of rows (default: {_ROWS}, with --csv all)."),
)  # fmt: skip
def products(db: Database, store: Store, of: Span, sort: reports.Sort, by: reports.By) -> Parts:
    """Print the most wished-for products."""
    return reports.every_product(db, store, of, sort, by)


@_command(
    "days",
    lambda **_: reports.DAY_COLUMNS,
    *_PERIOD,
    click.option("--product", metavar="ID", help="Count only this product."),
)
async def days(db: Database, store: Store, of: Span, product: str | None) -> Parts:
    """Print by day how many wishes there are, were added and removed."""
    id = "" if product is None else product_bodies.product_id(product, store, "--product")
    yield await db.long_read(reports.days, store, of, id)


@report.command("purchases")
@STORE
@_PERIOD[0]
@_PERIOD[1]
@click.option("--by", type=click.Choice(earned.BY), default="day", show_default=True)
@JSON
@_CSV
@in_store
async def purchases(
    db: Database, _: Settings, store: Store, /, *,
    first: str | None, last: str | None, by: earned.By, as_json: bool, as_csv: bool,
) -> None:  # fmt: skip
    """Print orders of wished-for products, their units and revenue."""
    period = reports.period(store, first, last, clock())
    found: Sequence[Any] = (
        await db.long_read(earned.days, store, reports.days_in(period))
        if by == "day"
        else await db.long_read(earned.products, store, period.first, period.last)
    )
    _show(found, *earned.table(by, found), as_json=as_json, as_csv=as_csv)


@report.command("summary")
@STORE
@_PERIOD[0]
@_PERIOD[1]
@JSON
@_CSV
@in_store
async def summary(
    db: Database, _: Settings, store: Store, /, *,
    first: str | None, last: str | None, as_json: bool, as_csv: bool,
) -> None:  # fmt: skip
    """Print the number of wishes, the change and the revenue."""
    period = reports.period(store, first, last, clock())
    of = await db.long_read(reports.span, store, period)
    found = reports.summary(of)
    if store.reporting.purchases:
        found.purchases = await db.long_read(earned.summary, store, period.first, period.last)
    _show([found], *reports.summary_table(found), as_json=as_json, as_csv=as_csv)
    _say_counted(of)


def _show(
    found: Sequence[Any],
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
        terminal.show(found if as_json else rows, as_json)


def _say_counted(of: Span) -> None:
    said = "not counted yet; `wishwell serve` counts in the background"
    if of.counted.as_of is not None:
        said = f"counted at {of.counted.as_of}, since {of.counted.since}"
    terminal.say(said, err=True)


@_command(
    "wishers",
    lambda **_: wishers.COLUMNS,
    click.option("--product", metavar="ID", required=True, help="Product id."),
    click.option("--variant", metavar="ID", help="Count only this variant."),
)
def wishing(db: Database, store: Store, _: Span, product: str, variant: str | None) -> Parts:
    """Print the profiles that wish for a product, newest first."""
    id = product_bodies.product_id(product, store, "--product")
    kind = variant and product_bodies.product_id(variant, store, "--variant")
    return wishers.every(db, store, wishers.of(id, kind or None))
