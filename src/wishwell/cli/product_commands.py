"""`wishwell products`: imports the shop's catalogue from a file."""

from collections.abc import Callable, Iterator
from typing import Any

import click
import msgspec

from wishwell import currencies, ids, stores
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    REQUIRED_STORE,
    Progress,
    clock,
    new_id,
    now,
    open_input,
    run,
)
from wishwell.cli.terminal import format_count
from wishwell.config import Settings
from wishwell.db import Database, future_times
from wishwell.db.clock import ClockSuspect
from wishwell.errors import Invalid
from wishwell.importers import (
    catalogue_summary,
    catalogue_variants,
    feed_formats,
    feed_rows,
    table,
)
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.catalogue_changes import Changes
from wishwell.importers.catalogue_summary import Summary
from wishwell.stores import reporting

_MAX_REASONS = 20
_MAX_COLUMN_CHARACTERS = 500
"""Characters of the names of ignored columns."""


def _add_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--dry-run", "dry", is_flag=True,
                     help="Show the first products and what would change, and change nothing."),
        click.option("--strict", is_flag=True,
                     help="Import nothing if a row or a cell can't be read."),
        click.option("--delete-missing", is_flag=True,
                     help="Delete products that are missing from the file, and variants."),
        click.option("--accept-deletions", is_flag=True,
                     help="Delete products and variants even if more than a fifth is missing, and "
                     "accept lines inside quotes that read as rows."),
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
        click.option("--encoding", metavar="NAME", help="Encoding of a CSV file (default: UTF-8)."),
        click.option("--currency", metavar="EUR",
                     help="Currency of prices without one (default: the store's)."),
        click.option("--time-zone", "zone", metavar="NAME",
                     help="Time zone of sales' dates without an offset (default: the store's)."),
        click.option("--id-pattern", "pattern", metavar="TEXT",
                     help="Pattern of the file's ids, such as 'shopify_DE_{product}_{variant}'."),
        click.option("--map", "columns", metavar="FIELD=COLUMN,…",
                     help=f"Columns for {', '.join(feed_formats.MAPPABLE_FIELDS)}, if they "
                     "differ from the format's."),
        click.option("--format", "kind",
                     type=click.Choice([*feed_formats.FORMATS, *feed_rows.SYNTAXES]),
                     help="Format (default: detected from the content)."),
        click.option("--max-drop", type=click.IntRange(0, 100), default=80, metavar="PERCENT",
                     help="Percentage by which prices may become lower (default: 80): with more "
                     "than 20 such products, or one with over 100 wishes, they are held back."),
        click.option("--accept-drops", is_flag=True, help="Import prices however low they are."),
        REQUIRED_STORE,
    ):  # fmt: skip
        command = option(command)
    return command


# rule: catalogue-import
@click.command("products")
@click.argument("path", metavar="FILE")
@_add_options
@click.pass_obj
def products_command(
    settings: Settings,
    /,
    path: str,
    handle: str,
    dry: bool,
    strict: bool,
    delete_missing: bool,
    accept_deletions: bool,
    max_drop: int,
    accept_drops: bool,
    as_json: bool,
    **reading_options: Any,
) -> None:
    """Import the shop's catalogue from a file.

    The file - is standard input. Reads feeds for Google (CSV, TSV, XML) and Meta, exports of
    Shopify and WooCommerce, and other CSV, TSV and JSON files. A cell that can't be read is left
    out, and so is a row without a usable id; the summary says why. Fields without a column keep
    their values. Run it again whenever the catalogue has changed.
    """
    parsed_options = _parse_reading_options(
        **{name: text for name, text in reading_options.items() if text}
    )
    store = run(settings, lambda db: db.read(stores.by_handle, handle))
    progress = Progress()
    with open_input(settings, path) as file:
        catalogue = Catalogue(
            path, file, store, clock(), accept_deletions=accept_deletions, **parsed_options
        )
        size = file.seek(0, 2)
        file.seek(0)
        for row_count in catalogue.read():
            progress.report(f"checked {row_count:,} rows", file.tell() / size)
    is_refused = strict and bool(catalogue.reasons)
    since = now() if delete_missing else ""
    changes = Changes(catalogue, since=since, max_drop=max_drop, accepts_drops=accept_drops)
    if not is_refused:
        _import_catalogue(settings, catalogue, changes, progress, dry=dry, since=since)
    summarise = catalogue_summary.summarise_dry_run if dry else catalogue_summary.summarise
    summary = summarise(catalogue, changes, clock())
    summary.products = catalogue.count() if is_refused else summary.products
    if dry and not (as_json or is_refused):
        terminal.say(catalogue_summary.format_table(changes.examples(), catalogue.sales))
    _print_summary(summary, as_json)
    if is_refused:
        raise Invalid(f"{path}: nothing was imported, because not all of it can be read.")
    _fail_if_incomplete(path, catalogue, changes, deletes=delete_missing)


def _import_catalogue(
    settings: Settings,
    catalogue: Catalogue,
    changes: Changes,
    progress: Progress,
    *,
    dry: bool,
    since: str,
) -> None:
    """Puts the products, deletes the missing ones if asked to, and stores the run's summary.
    ``dry``: only compares. ``since``: when the import began if it deletes, or empty."""
    product_count, missing = catalogue.count(), catalogue.missing

    async def import_products(db: Database) -> None:
        async for _ in catalogue_variants.join(db, catalogue):
            progress.report("looking for variants")
        async for _ in missing.count(db, deletes=bool(since)):
            progress.report(f"compared {missing.stored_products:,} stored products")
        may_delete = missing.products or missing.variants
        suspect = await _prepare_deletion(db, since, dry=dry) if may_delete else None
        missing.removes_variants &= suspect is None
        async for _ in changes.compare(db):
            progress.report(
                f"compared {catalogue.compared:,} products", catalogue.compared / product_count
            )
        if dry:
            async for _ in changes.preview(db, clock()):
                progress.report("counting notices")
        else:
            async for _ in changes.put(db, new_id, now):
                handled = catalogue.put + catalogue.unchanged
                progress.report(
                    f"{handled:,} of {product_count:,} products", handled / product_count
                )
        deletes = since and not (catalogue.is_unsure or missing.is_withheld)
        if deletes and suspect is not None:
            raise suspect
        if dry:
            return
        if deletes:
            await clock.observe(db)
            async for _ in missing.delete(db, since, clock):
                progress.report(f"{missing.deleted:,} products deleted")
        summary = catalogue_summary.summarise(catalogue, changes, clock())
        await catalogue_summary.save(db, catalogue.store, summary)

    run(settings, import_products)


# rule: clock-guard
async def _prepare_deletion(db: Database, since: str, *, dry: bool) -> ClockSuspect | None:
    """Returns why nothing may be deleted by this clock, if so. Otherwise repairs products' times
    unless the run is ``dry``, because products put at ``since`` or later are kept."""
    try:
        await db.read(clock.checked_now)
    except ClockSuspect as error:
        return error
    if not dry:
        async for _ in future_times.repair_products(db, ids.from_timestamp(since) - 1):
            pass
    return None


# rules: catalogue-delete-missing, command-error
def _fail_if_incomplete(
    path: str, catalogue: Catalogue, changes: Changes, *, deletes: bool
) -> None:
    """Ends the command with an error if rows were left out, too much is missing, or prices were
    held back."""
    if deletes and catalogue.is_unsure:
        raise Invalid(
            f"{path}: nothing was deleted: some rows were left out, so "
            "products missing from the file can't be distinguished from those."
        )
    if catalogue.refused:
        raise Invalid(f"{path}: some rows were left out (listed above).")
    withheld = []
    if catalogue.missing.is_withheld:
        withheld.append(
            f"nothing was deleted, because the file lacks {catalogue.missing}, more than a fifth. "
            "If the file is complete, run again with --accept-deletions."
        )
    if changes.held_prices:
        withheld.append(
            f"the prices of {format_count(changes.held_prices, 'product')} were held back, because "
            "they would drop too far. If they are right, run again with --accept-drops."
        )
    if withheld:
        terminal.fail(f"{path}: {' '.join(withheld)}", terminal.WITHHELD)


def _print_summary(summary: Summary, as_json: bool) -> None:
    if as_json:
        terminal.say(msgspec.json.encode(summary).decode())
    else:
        terminal.say("\n".join(_summary_lines(summary)))


def _summary_lines(summary: Summary) -> Iterator[str]:
    """Yields the summary's lines."""
    yield f"format: {summary.format} ({summary.syntax})"
    columns = [
        f"{field} from {column}" for field, column in summary.fields.items()
    ] or summary.columns
    yield f"columns: {', '.join(columns)}"
    if summary.ignored:
        yield f"ignored columns: {', '.join(summary.ignored)[:_MAX_COLUMN_CHARACTERS]}"
    if summary.dry_run and (summary.missing_products or summary.missing_variants):
        missing_products = format_count(summary.missing_products, "product")
        yield f"to delete: {missing_products}, {format_count(summary.missing_variants, 'variant')}"
    if summary.dry_run:
        yield from _forecast_lines(summary)
    for drop in summary.held:
        yield f"held back: {drop}"
    if (unlisted := summary.held_prices - len(summary.held)) > 0:
        yield f"held back: {unlisted:,} more products"
    for reason in summary.reasons[:_MAX_REASONS]:
        yield f"left out: {reason}"
    if (unlisted := len(summary.reasons) - _MAX_REASONS) > 0:
        yield f"left out: {unlisted} more reasons; --json prints them"
    outcome = (
        f"{summary.imported:,} imported, {summary.unchanged:,} unchanged, "
        f"{summary.deleted:,} deleted"
    )
    if summary.dry_run:
        outcome = "nothing was changed (--dry-run)"
    left_out = summary.refused + summary.hidden + summary.skipped
    yield (
        f"{format_count(summary.rows, 'row')}, {format_count(summary.products, 'product')}: "
        f"{outcome}; {format_count(left_out, 'row')} and {format_count(summary.lost, 'cell')} "
        "left out"
    )


# rule: catalogue-dry-run
def _forecast_lines(summary: Summary) -> Iterator[str]:
    """Yields the lines about the changes that an import would make."""
    yield (
        f"products: {summary.new:,} new, {summary.changed:,} changed, {summary.unchanged:,} "
        f"unchanged, {summary.deleted:,} deleted"
    )
    drops, restocks = (
        format_count(summary.price_drops, "item"),
        format_count(summary.restocks, "item"),
    )
    yield f"notices: {drops} with a price drop, {restocks} back in stock"
    for drop in summary.largest_drops:
        yield f"largest drop: {drop}{', held back' * drop.held}"


def _parse_reading_options(
    kind: str = "", columns: str = "", **other_options: Any
) -> dict[str, Any]:
    """Returns the options for ``Catalogue``. Raises ``Invalid``."""
    currency, zone = other_options.get("currency"), other_options.pop("zone", None)
    if currency and not currencies.is_known(currency):
        raise Invalid(f"--currency: {currency!r} isn't a currency of ISO 4217, such as EUR.")
    columns_by_field = (
        table.parse_columns(columns, feed_formats.MAPPABLE_FIELDS, ()) if columns else {}
    )
    if kind != "woocommerce" and (
        unsupported := columns_by_field.keys() & feed_formats.WOOCOMMERCE_FIELDS
    ):
        raise Invalid(f"--map: {min(unsupported)} is only for --format woocommerce.")
    if kind == "shopify" and columns_by_field:
        raise Invalid("--map: --format shopify has fixed columns; omit one of the two options.")
    zone_option = {"zone": reporting.zone("--time-zone", zone)} if zone else {}
    return other_options | zone_option | {"kind": kind, "columns": columns_by_field}
