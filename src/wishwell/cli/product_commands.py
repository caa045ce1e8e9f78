"""`wishwell products`: imports the shop's catalogue from a file."""

import functools
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from typing import Any, BinaryIO

import click

from wishwell import stores
from wishwell.cli import terminal
from wishwell.cli.common_options import NAMED_STORE, Progress, clock, new_id, now, run
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import DOCS, Invalid
from wishwell.importers import catalogue, table
from wishwell.importers.catalogue import Catalogue
from wishwell.transfer.spool import opened

_MAX_EXAMPLES = 5


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--dry-run", "dry", is_flag=True,
                     help="Show the first products and change nothing."),
        click.option("--delete-missing", is_flag=True,
                     help="Delete products that are missing from the file."),
        click.option("--encoding", metavar="NAME", help="Encoding of a CSV file (default: UTF-8)."),
        click.option("--currency", metavar="EUR", help="Currency of prices without one."),
        click.option("--id-pattern", "pattern", metavar="TEXT",
                     help="Pattern of the file's ids, such as 'shopify_DE_{product}_{variant}'."),
        click.option("--map", "columns", metavar="FIELD=COLUMN,…",
                     help=f"Columns for {', '.join(catalogue.FEED_COLUMNS)}, if they differ from a "
                     "Google feed's."),
        click.option("--format", "kind", type=click.Choice(["csv", "tsv", "jsonl"])),
        NAMED_STORE,
    ):  # fmt: skip
        command = option(command)
    return command


# rule: catalogue-import
@click.command("products", epilog=f"Examples: {DOCS}products.md")
@click.argument("path", metavar="FILE")
@_options
@click.pass_obj
def products_command(
    settings: Settings, /, path: str, handle: str, delete_missing: bool, dry: bool, **given: Any
) -> None:
    """Import the shop's catalogue from a CSV, TSV or JSON Lines file (- reads standard input).

    Invalid rows are listed and skipped; the others are imported. `id` is a product's id, or with
    `item_group_id` for the product, a variant's. Run it again whenever the catalogue has changed.
    """
    how = _reading(path, **{name: text for name, text in given.items() if text})
    store = run(settings, lambda db: db.read(stores.by_handle, handle))
    progress = Progress()
    with _file(path) as file:
        found = Catalogue(path, file, store, functools.partial(terminal.say, err=True), **how)
        for number in found.read():
            progress.report(f"checked {number:,} rows")
    if found.unread:
        terminal.say(f"ignored columns: {', '.join(sorted(found.unread))[:500]}", err=True)
    if dry:
        _preview(found, path)
        return

    async def put(db: Database) -> None:
        begun = now()
        async for _ in found.load(db, new_id, now):
            progress.report(_said(found))
        if delete_missing and not found.is_unsure:
            await clock.observe(db)
            async for _ in found.delete_missing(db, begun, clock):
                progress.report(_said(found))

    run(settings, put)
    terminal.say(_said(found))
    if delete_missing and found.is_unsure:
        raise Invalid(
            f"{path}: nothing was deleted: some rows were rejected, so "
            "products missing from the file can't be distinguished from rejected ones."
        )
    if found.refused:
        raise Invalid(
            f"{path}: {found.refused:,} rows were rejected (listed above); "
            "the others were imported."
        )


def _preview(found: Catalogue, path: str) -> None:
    number = 0
    for number, product in enumerate(found, 1):
        if number <= _MAX_EXAMPLES:
            terminal.say(" ".join((product.product_id, *product.stored)))
    terminal.say(f"to import: {number:,} products; {found.refused:,} rows rejected")
    if found.refused:
        raise Invalid(f"{path}: {found.refused:,} rows were rejected (listed above).")


def _reading(path: str, kind: str = "", columns: str = "", **given: str) -> dict[str, Any]:
    """Returns the options for ``Catalogue``. Raises ``UsageError`` and ``Invalid``."""
    kind = kind or path.lower().rpartition(".")[2]
    if kind not in ("csv", "tsv", "jsonl"):
        raise click.UsageError("The file type can't be determined from the name; add --format.")
    if not re.fullmatch("([A-Z]{3})?", given.get("currency", "")):
        raise Invalid("--currency: must be three capital letters, such as EUR.")
    named = table.columns(columns, catalogue.FEED_COLUMNS, ()) if columns else {}
    return given | {"is_json": kind == "jsonl", "columns": named}


def _file(path: str) -> BinaryIO:
    """Opens the file, or a copy of standard input, because the input is read twice."""
    if path != "-":
        return opened(path)
    copy = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.seek(0)
    return copy


def _said(found: Catalogue) -> str:
    done = (
        f"{found.put:,} products imported, {found.unchanged:,} unchanged, {found.deleted:,} deleted"
    )
    return f"{done}; {found.refused:,} rows rejected"
