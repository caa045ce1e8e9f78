"""`wishwell report`: what is wished for."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import click

from wishwell import ids, reports, stores
from wishwell.cli.opening import STORE, run
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.products import product_bodies
from wishwell.reports import Span, spreadsheet, wishers
from wishwell.run import terminal
from wishwell.stores import Store

Parts = AsyncIterator[Sequence[Any]]


@click.group()
def report() -> None:
    """What is wished for, by the last count; `serve` counts in the background."""


def _options(period: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def add(command: Callable[..., None]) -> Callable[..., None]:
        command = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")(command)
        command = click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
        if period:
            command = click.option("--to", "last", metavar="DAY", help="Today.")(command)
            command = click.option("--from", "first", metavar="DAY", help="30 days ago.")(command)
        return STORE(command)

    return add


# contract: command-report
@report.command("products")
@_options()
@click.option("--sort", type=click.Choice(reports.SORTS), default="wishes", show_default=True)
@click.option("--by", type=click.Choice(reports.BY), default="product", show_default=True)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True,
              help="How many to print; with --csv all of them.")  # fmt: skip
@click.pass_obj
def report_products(
    settings: Settings, /, sort: reports.Sort, by: reports.By, limit: int, **given: Any
) -> None:
    """The products that are most wished for."""

    async def parts(db: Database, store: Store, of: Span) -> Parts:
        if not given["as_csv"]:
            yield await db.long_read(reports.products, store, of, sort, by, 0, limit)
            return
        async for some in reports.every_product(db, store, of, sort, by):
            yield some

    _show(settings, parts, reports.columns(by), **given)


@report.command("summary")
@_options()
@click.pass_obj
def report_summary(settings: Settings, /, **given: Any) -> None:
    """All wishes, and what came and went."""

    async def parts(db: Database, store: Store, of: Span) -> Parts:
        yield [reports.summary(of)]

    _show(settings, parts, reports.SUMMARY_COLUMNS, **given)


@report.command("days")
@_options()
@click.option("--product", metavar="ID", help="Of this product alone.")
@click.pass_obj
def report_days(settings: Settings, /, product: str | None, **given: Any) -> None:
    """Each day: its wishes, and what came and went."""

    async def parts(db: Database, store: Store, of: Span) -> Parts:
        id = "" if product is None else product_bodies.product_id(product, store, "--product")
        yield await db.long_read(reports.days, store, of, id)

    _show(settings, parts, reports.DAY_COLUMNS, **given)


@report.command("wishers")
@_options(period=False)
@click.option("--product", metavar="ID", required=True, help="The product.")
@click.option("--variant", metavar="ID", help="In this variant alone.")
@click.pass_obj
def report_wishers(settings: Settings, /, product: str, variant: str | None, **given: Any) -> None:
    """Who wishes for a product, newest first."""

    async def parts(db: Database, store: Store, of: Span) -> Parts:
        id = product_bodies.product_id(product, store, "--product")
        kind = variant and product_bodies.product_id(variant, store, "--variant")
        async for some in wishers.every(db, store, wishers.of(id, kind or None)):
            yield some

    _show(settings, parts, wishers.COLUMNS, first=None, last=None, **given)


def _show(
    settings: Settings,
    parts: Callable[[Database, Store, Span], Parts],
    columns: Sequence[str],
    *,
    handle: str,
    first: str | None,
    last: str | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Prints what is read, with how far it reaches on standard error."""

    async def show(db: Database) -> None:
        store = await db.read(stores.by_handle, handle)
        period = reports.period(store, first, last, ids.wall_clock())
        of = await db.long_read(reports.span, store, period)
        if as_csv:
            async for piece in spreadsheet.whole(columns, parts(db, store, of)):
                terminal.write(piece)
            terminal.flush()
        else:
            terminal.show(await anext(parts(db, store, of)), as_json)
        said = "not counted yet; `wishwell serve` does so" if of.counted.as_of is None else (
            f"counted at {of.counted.as_of}, since {of.counted.since}"
        )  # fmt: skip
        terminal.say(said, err=True)

    run(settings, show)
