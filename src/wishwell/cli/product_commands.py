"""`wishwell products`: the shop's catalogue, from a file."""

import functools
import re
import shutil
import sys
import tempfile
from typing import Any, BinaryIO

import click

from wishwell import stores
from wishwell.cli.opening import Progress, new_id, now, run
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.moving import catalogue, table
from wishwell.moving.catalogue import Catalogue, Counts
from wishwell.moving.import_file import opened
from wishwell.run import terminal

_SHOWN = 5


# contract: command-products
@click.command("products")
@click.argument("path", metavar="FILE")
@click.option("--store", "handle", required=True, metavar="HANDLE", help="The store.")
@click.option("--format", "kind", type=click.Choice(["csv", "tsv", "jsonl"]), help="Of the file.")
@click.option(
    "--map",
    "columns",
    default="",
    metavar="FIELD=COLUMN,…",
    help=f"The columns of {', '.join(catalogue.USUAL)}; by default those of a Google feed.",
)
@click.option(
    "--id-pattern",
    "pattern",
    default="",
    metavar="TEXT",
    help="The form of the file's ids, as 'shopify_DE_{product}_{variant}'.",
)
@click.option("--currency", default="", metavar="EUR", help="Of prices that name none.")
@click.option("--encoding", default="utf-8-sig", metavar="NAME", help="Of a CSV file.")
@click.option("--delete-missing", is_flag=True, help="Delete products that the file lacks.")
@click.option("--dry-run", "dry", is_flag=True, help="Only show what the first products become.")
@click.pass_obj
def products_command(
    settings: Settings, /, path: str, handle: str, delete_missing: bool, dry: bool, **given: Any
) -> None:
    """Put the shop's catalogue: a CSV, TSV or JSON Lines file, - for standard input.

    Rows that do not fit are named, and the rest goes in. Run it again whenever the catalogue has
    changed; docs/products.md has examples.
    """
    how = _options(path, **given)
    store = run(settings, lambda db: db.read(stores.by_handle, handle))
    progress = Progress()
    with _file(path) as file:
        found = Catalogue(path, file, store, functools.partial(terminal.say, err=True), **how)
        for number in found.read():
            progress.tell(f"checked {number:,} rows")
    if dry:
        number = 0
        for number, product in enumerate(found, 1):
            if number <= _SHOWN:
                terminal.say(" ".join((product.product_id, *product.stored)))
        terminal.say(f"to put: {number:,} products; {found.refused:,} rows refused")
        return

    async def put(db: Database) -> Counts:
        begun, counts = now(), Counts()
        async for counts in catalogue.load(db, found, store, new_id, now):
            progress.tell(_said(counts, found))
        if delete_missing and not is_unsure(counts):
            async for counts.deleted in catalogue.delete_missing(db, found, store, begun):
                progress.tell(_said(counts, found))
        return counts

    # contract: catalogue-missing
    def is_unsure(counts: Counts) -> bool:
        return bool(found.nameless) or not counts.put + counts.unchanged

    counts = run(settings, put)
    terminal.say(_said(counts, found))
    if delete_missing and is_unsure(counts):
        raise Invalid(f"{path}: nothing was deleted, as it is not sure what the file lacks.")
    if found.refused:
        raise Invalid(f"{path}: what does not fit was left out, and the rest is in.")


def _options(path: str, kind: str | None, columns: str, **given: str) -> dict[str, Any]:
    """Those of ``Catalogue``."""
    suffix = path.lower().rpartition(".")[2]
    if kind is None and suffix not in ("csv", "tsv", "jsonl"):
        raise click.UsageError("The file's name does not say what it is: name its --format.")
    if not re.fullmatch("([A-Z]{3})?", given["currency"]):
        raise Invalid("--currency: must be three letters, as EUR.")
    named = table.columns(columns, catalogue.USUAL, ()) if columns else {}
    return given | {"is_json": (kind or suffix) == "jsonl", "columns": named}


def _file(path: str) -> BinaryIO:
    """The file, or a copy of standard input, which is read twice."""
    if path != "-":
        return opened(path)
    copy = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.seek(0)
    return copy


def _said(counts: Counts, found: Catalogue) -> str:
    return (
        f"{counts.put:,} products put, {counts.unchanged:,} unchanged, {counts.deleted:,} deleted; "
        f"{found.refused:,} rows refused"
    )
