"""`wishwell products`: imports the shop's catalogue from a file."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import click
import msgspec

from wishwell import currencies, stores
from wishwell.cli import terminal
from wishwell.cli.common_options import NAMED_STORE, Progress, clock, new_id, now, open_input, run
from wishwell.cli.terminal import counted
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.importers import catalogue_summary, feed_formats, feed_rows, table
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.catalogue_summary import Summary
from wishwell.stores import reporting

_MAX_EXAMPLES = 10
_MAX_REASONS = 20
_MAX_CHARACTERS = 500
"""Characters of the names of ignored columns."""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--dry-run", "dry", is_flag=True,
                     help="Show the first products and change nothing."),
        click.option("--strict", is_flag=True,
                     help="Import nothing if a row or a cell can't be read."),
        click.option("--delete-missing", is_flag=True,
                     help="Delete products that are missing from the file."),
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
                     help=f"Columns for {', '.join(feed_formats.MAPPED)}, if they differ from the "
                     "format's."),
        click.option("--format", "kind",
                     type=click.Choice([*feed_formats.FORMATS, *feed_rows.SYNTAXES]),
                     help="Format (default: detected from the content)."),
        NAMED_STORE,
    ):  # fmt: skip
        command = option(command)
    return command


# rule: catalogue-import
@click.command("products")
@click.argument("path", metavar="FILE")
@_options
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
    as_json: bool,
    **given: Any,
) -> None:
    """Import the shop's catalogue from a file or standard input (-).

    Reads feeds for Google (CSV, TSV, XML) and Meta, exports of Shopify and WooCommerce, and other
    CSV, TSV and JSON files. A cell that can't be read is left out, and so is a row without a
    usable id; the summary says why. Run it again whenever the catalogue has changed.
    """
    how = _reading(**{name: text for name, text in given.items() if text})
    store = run(settings, lambda db: db.read(stores.by_handle, handle))
    progress = Progress()
    with open_input(settings, path) as file:
        found = Catalogue(path, file, store, clock(), accept_deletions=accept_deletions, **how)
        size = file.seek(0, 2)
        file.seek(0)
        for number in found.read():
            progress.report(f"checked {number:,} rows", file.tell() / size)
    is_refused = strict and bool(found.reasons)
    if not is_refused:
        _import(settings, found, progress, dry=dry, delete_missing=delete_missing)
    summary = catalogue_summary.of(found, clock())
    if dry or is_refused:
        summary.products, summary.dry_run = found.count(), dry
    if dry and not (as_json or is_refused):
        examples = [*islice(found, _MAX_EXAMPLES)]
        terminal.say(catalogue_summary.table_of(examples, found.sales))
    _print(summary, as_json)
    if is_refused:
        raise Invalid(f"{path}: nothing was imported, because not all of it can be read.")
    _check(path, found, deletes=delete_missing and not dry)


def _import(
    settings: Settings, found: Catalogue, progress: Progress, *, dry: bool, delete_missing: bool
) -> None:
    """Puts the products, deletes the missing ones if asked to, and stores the run's summary.
    ``dry``: only counts what the file lacks."""
    all_products, missing = found.count(), found.missing

    async def put(db: Database) -> None:
        begun = now()
        async for _ in missing.count(db, deletes=delete_missing):
            progress.report(f"compared {missing.stored_products:,} stored products")
        if dry:
            return
        async for _ in found.load(db, new_id, now):
            done = found.put + found.unchanged
            progress.report(f"{done:,} of {all_products:,} products", done / all_products)
        if delete_missing and not (found.is_unsure or missing.is_withheld):
            await clock.observe(db)
            async for _ in missing.delete(db, begun, clock):
                progress.report(f"{missing.deleted:,} products deleted")
        await catalogue_summary.save(db, found.store, catalogue_summary.of(found, clock()))

    run(settings, put)


# rules: catalogue-delete-missing, command-error
def _check(path: str, found: Catalogue, *, deletes: bool) -> None:
    """Ends the command with an error if rows were left out or too much is missing."""
    if deletes and found.is_unsure:
        raise Invalid(
            f"{path}: nothing was deleted: some rows were left out, so "
            "products missing from the file can't be distinguished from those."
        )
    if found.refused:
        raise Invalid(f"{path}: some rows were left out (listed above).")
    if found.missing.is_withheld:
        terminal.fail(
            f"{path}: nothing was deleted, because the file lacks {found.missing}, more than a "
            "fifth. If the file is complete, run again with --accept-deletions.",
            terminal.WITHHELD,
        )


def _print(summary: Summary, as_json: bool) -> None:
    if as_json:
        terminal.say(msgspec.json.encode(summary).decode())
    else:
        terminal.say("\n".join(_lines(summary)))


def _lines(summary: Summary) -> Iterator[str]:
    """Yields the summary's lines."""
    yield f"format: {summary.format} ({summary.syntax})"
    read = [f"{field} from {column}" for field, column in summary.fields.items()] or summary.columns
    yield f"columns: {', '.join(read)}"
    if summary.ignored:
        yield f"ignored columns: {', '.join(summary.ignored)[:_MAX_CHARACTERS]}"
    if summary.dry_run and (summary.missing_products or summary.missing_variants):
        lacks = counted(summary.missing_products, "product")
        yield f"to delete: {lacks}, {counted(summary.missing_variants, 'variant')}"
    for reason in summary.reasons[:_MAX_REASONS]:
        yield f"left out: {reason}"
    if (more := len(summary.reasons) - _MAX_REASONS) > 0:
        yield f"left out: {more} more reasons; --json prints them"
    done = (
        f"{summary.imported:,} imported, {summary.unchanged:,} unchanged, "
        f"{summary.deleted:,} deleted"
    )
    if summary.dry_run:
        done = "nothing was changed (--dry-run)"
    left_out = summary.refused + summary.hidden + summary.skipped
    yield (
        f"{counted(summary.rows, 'row')}, {counted(summary.products, 'product')}: {done}; "
        f"{counted(left_out, 'row')} and {counted(summary.lost, 'cell')} "
        "left out"
    )


def _reading(kind: str = "", columns: str = "", **given: Any) -> dict[str, Any]:
    """Returns the options for ``Catalogue``. Raises ``Invalid``."""
    currency, zone = given.get("currency"), given.pop("zone", None)
    if currency and not currencies.is_known(currency):
        raise Invalid(f"--currency: {currency!r} isn't a currency of ISO 4217, such as EUR.")
    named = table.columns(columns, feed_formats.MAPPED, ()) if columns else {}
    if kind != "woocommerce" and (extra := named.keys() & feed_formats.ONLY_WOOCOMMERCE):
        raise Invalid(f"--map: {min(extra)} is only for --format woocommerce.")
    in_zone = {"zone": reporting.zone("--time-zone", zone)} if zone else {}
    return given | in_zone | {"kind": kind, "columns": named}
