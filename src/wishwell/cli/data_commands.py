"""`wishwell export` and `wishwell import`: a whole store as a file, and another app's wishes."""

import re
from collections.abc import Callable
from typing import Any

import click
import msgspec

from wishwell import stores
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    NAMED_STORE,
    Progress,
    clock,
    in_database,
    now,
    open_input,
    run,
)
from wishwell.cli.terminal import counted
from wishwell.cli.webhook_commands import check_url
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import DOCS, Invalid
from wishwell.importers import csv_file, dates, wish_columns
from wishwell.importers.csv_file import CsvFile
from wishwell.server import opening
from wishwell.stores import Store, reporting
from wishwell.transfer import exporting, importing
from wishwell.transfer.file_records import EndRecord, WebhookRecord
from wishwell.transfer.import_file import ImportFile
from wishwell.transfer.importing import Counts


# rule: export-whole
@click.command("export", epilog=f"What it contains: {DOCS}data.md")
@NAMED_STORE
@in_database
async def export_command(db: Database, _settings: Settings, /, handle: str) -> None:
    """Write a whole store to standard output as JSON Lines.

    The export is a consistent snapshot, also while others write.
    """
    progress, counts = Progress(), EndRecord(0, 0, 0)
    async for piece in exporting.export_lines(db, handle, now(), counts):
        click.echo(piece, nl=False)
        progress.report(_numbers(counts))
    terminal.say(_numbers(counts), err=True)


def _csv_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--emails-are-ids", is_flag=True,
                     help="Take e-mail addresses as customer ids."),
        click.option("--skip-rows", is_flag=True,
                     help="Skip and list rows of a CSV file without a usable customer or product."),
        click.option("--skip-guests", is_flag=True,
                     help="Skip rows of a CSV file that have no customer."),
        click.option("--handles", metavar="FILE",
                     help="CSV file that joins product handles to ids."),
        click.option("--customers", metavar="FILE",
                     help="CSV file that joins e-mail addresses to customer ids, such as the "
                     "shop's customers' export."),
        click.option("--day-first", is_flag=True,
                     help="Read 3/4/2025 in a CSV file as the third of April."),
        click.option("--date-format", metavar="FORMAT",
                     help="Format of the CSV file's times, as for strptime: '%d/%m/%Y %H:%M'."),
        click.option("--time-zone", "zone", metavar="NAME",
                     help="Time zone of the CSV file's times, such as Europe/Paris."),
        click.option("--encoding", metavar="NAME", help="Encoding of a CSV file (default: UTF-8)."),
        click.option("--map", "columns", metavar="FIELD=COLUMN,…",
                     help=f"Columns of a CSV file for the fields {', '.join(wish_columns.FIELDS)} "
                     "(default: guessed). If it has the first two, no others are guessed."),
    ):  # fmt: skip
        command = option(command)
    return command


# rule: import-checked
@click.command("import", epilog=f"Examples: {DOCS}coming-from-another-app.md")
@click.argument("path", metavar="FILE")
@_csv_options
@click.option("--dry-run", "dry", is_flag=True, help="Check the file and show the additions.")
@NAMED_STORE
@click.pass_obj
def import_command(settings: Settings, /, path: str, handle: str, dry: bool, **given: Any) -> None:
    """Import a file that `wishwell export` wrote, or standard input (-). If interrupted, run it
    again.

    A store that doesn't exist, or is empty and unchanged since its creation, becomes the store in
    the file. The whole file is checked before anything is changed.

    A file that ends in .csv or .tsv, or is imported with an option for CSV files, is another app's
    export: its customers' wishes are added to the store.
    """
    is_csv = re.search(r"\.[ct]sv(\.gz|\.zip)?\Z", path.lower())
    if is_csv or any(value not in (None, False) for value in given.values()):
        _import_csv(settings, path, handle, _reading(**given), dry)
    else:
        _import_export(settings, path, handle, dry)


# rule: import-csv
def _reading(
    columns: str | None, zone: str | None, date_format: str | None, day_first: bool, **given: Any
) -> csv_file.Reading:
    """Returns how to read a CSV file. Raises ``Invalid``."""
    if date_format and day_first:
        raise click.UsageError("--date-format and --day-first can't be combined.")
    return csv_file.Reading(
        {} if columns is None else csv_file.parse_columns(columns),
        zone=None if zone is None else reporting.zone("--time-zone", zone),
        date_format=dates.check_format(date_format) if date_format else "",
        day_first=day_first,
        **{name: value for name, value in given.items() if value},
    )


def _import_export(settings: Settings, path: str, handle: str, dry: bool) -> None:
    sealing = opening.sealing(settings)
    file = ImportFile(path, clock(), open_input(settings, path))
    _check(path, file)

    async def add(db: Database) -> Counts:
        mode = await db.read(importing.plan, file, handle)
        if mode == "other":
            terminal.say(
                f"{handle!r} isn't the store in the file: only profiles and products are imported.",
                err=True,
            )
        else:
            check_outbound(settings, file)
            importing.check_secrets(sealing, file)
            await importing.check_tokens(db, file)
        store: Store = file.store
        if not dry:
            store = await db.long_write(importing.take_store, sealing, file, handle, now())
        elif mode == "other":
            store = await db.read(stores.by_handle, handle)
        return await _load(db, file, store, mode, dry)

    terminal.say(_summary(run(settings, add), dry))
    if file.placeholders:
        said = f"{counted(file.placeholders, 'customer')} with a placeholder as id"
        terminal.say(f"{said}: `wishwell doctor` names them.")


# rule: import-csv
def _import_csv(
    settings: Settings, path: str, handle: str, how: csv_file.Reading, dry: bool
) -> None:
    async def look(db: Database) -> tuple[Store, bool]:
        store = await db.read(stores.by_handle, handle)
        return store, await db.read(importing.has_email_ids, store)

    store, has_email_ids = run(settings, look)
    emails_are_ids = how.emails_are_ids or has_email_ids
    how = msgspec.structs.replace(how, emails_are_ids=emails_are_ids)
    file = CsvFile(path, store, how, clock(), open_input(settings, path))
    if file.columns != how.columns:  # rule: import-guess
        terminal.say(wish_columns.describe_columns(file.columns, file.ignored))
    _check(path, file)
    for line in file.example_lines if dry else ():
        terminal.say(line)
    _say_omissions(path, file)
    counts = run(settings, lambda db: _load(db, file, store, "same", dry))
    said = [_summary(counts, dry)]
    if file.guest_rows:
        said.append(f"skipped {counted(file.guest_rows, 'row')} without a customer")
    if file.omissions.rows or file.omissions.cells:
        rows, cells = counted(file.omissions.rows, "row"), counted(file.omissions.cells, "cell")
        said.append(f"left out {rows} and {cells}")
    terminal.say("; ".join(said))


# rule: import-omissions
def _say_omissions(path: str, file: CsvFile) -> None:
    """Prints why rows and cells are left out, and the name of a list of these rows."""
    for reason in file.omissions.describe_reasons():
        terminal.say(f"left out: {reason}")
    if file.omissions.rows:
        terminal.say(f"rows left out are listed in {file.omissions.write(path)}")


async def _load(
    db: Database, file: ImportFile | CsvFile, store: Store, mode: importing.ImportMode, dry: bool
) -> Counts:
    progress, counts = Progress(), Counts()
    keys = file.spool.query("SELECT count(DISTINCT key) FROM records WHERE key > ''").fetchone()[0]
    async for counts in importing.load(db, file, store, dry=dry, mode=mode, clock=clock):
        progress.report(_summary(counts, dry), (counts.profiles + counts.existing) / max(1, keys))
    return counts


def _check(path: str, file: ImportFile | CsvFile) -> None:
    """Raises ``Invalid`` for a file with errors. Prints them first if there are several."""
    progress = Progress()
    for number in file.check():
        progress.report(f"checked {counted(number, 'line')}")
    errors = file.spool.errors
    if len(errors) == 1:
        raise Invalid(f"{path}: {errors[0]}. Nothing was imported.")
    for error in errors:
        terminal.say(error, err=True)
    if errors:
        raise Invalid(f"{path}: has errors (listed above). Nothing was imported.")


def check_outbound(settings: Settings, file: ImportFile) -> None:
    """Raises ``Invalid`` for an address that the settings don't allow."""
    if source := file.store.naming.jwt_key_set:
        opening.key_sets(settings).check("line 1: wishwell.store: jwt-key-set", source)
    for _, line, record in file.records(WebhookRecord):
        check_url(settings, f"line {line}: webhook.url", record.url)


def _summary(counts: Counts, dry: bool) -> str:
    done = "to add" if dry else "added"
    return f"{done}: {_numbers(counts)}; {counted(counts.existing, 'profile')} already existed"


def _numbers(counts: Counts | EndRecord) -> str:
    numbers = (counts.profiles, "profile"), (counts.lists, "list"), (counts.items, "item")
    return ", ".join(counted(*number) for number in numbers)
