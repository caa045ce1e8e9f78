"""`wishwell export` and `wishwell import`: a whole store as a file, and another app's wishes."""

import re
from collections.abc import Callable
from typing import Any

import click
import msgspec

from wishwell import stores
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    REQUIRED_STORE,
    Progress,
    clock,
    in_database,
    now,
    open_input,
    run,
)
from wishwell.cli.terminal import format_count
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
@REQUIRED_STORE
@in_database
async def export_command(db: Database, _settings: Settings, /, handle: str) -> None:
    """Write a whole store to standard output as JSON Lines.

    The export is a consistent snapshot, also while others write.
    """
    progress, counts = Progress(), EndRecord(0, 0, 0)
    async for piece in exporting.export_lines(db, handle, now(), counts):
        click.echo(piece, nl=False)
        progress.report(_format_counts(counts))
    terminal.say(_format_counts(counts), err=True)


def _add_csv_options(command: Callable[..., None]) -> Callable[..., None]:
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
@click.command("import", epilog=f"\b\nExamples:\n{DOCS}coming-from-another-app.md")
@click.argument("path", metavar="FILE")
@_add_csv_options
@click.option("--dry-run", "dry", is_flag=True, help="Check the file and show the additions.")
@REQUIRED_STORE
@click.pass_obj
def import_command(
    settings: Settings, /, path: str, handle: str, dry: bool, **csv_options: Any
) -> None:
    """Import a file of `wishwell export`, or another app's.

    The file - is standard input. If interrupted, run the command again.

    A store that doesn't exist, or is empty and unchanged since its creation, becomes the store in
    the file. The whole file is checked before anything is changed.

    A file that ends in .csv or .tsv, or is imported with an option for CSV files, is another app's
    export: its customers' wishes are added to the store.
    """
    is_csv = re.search(r"\.[ct]sv(\.gz|\.zip)?\Z", path.lower())
    if is_csv or any(value not in (None, False) for value in csv_options.values()):
        _import_csv(settings, path, handle, _parse_csv_options(**csv_options), dry)
    else:
        _import_export_file(settings, path, handle, dry)


# rule: import-csv
def _parse_csv_options(
    columns: str | None,
    zone: str | None,
    date_format: str | None,
    day_first: bool,
    **other_options: Any,
) -> csv_file.Reading:
    """Returns how to read a CSV file. Raises ``Invalid``."""
    if date_format and day_first:
        raise click.UsageError("--date-format and --day-first can't be combined.")
    return csv_file.Reading(
        {} if columns is None else csv_file.parse_columns(columns),
        zone=None if zone is None else reporting.zone("--time-zone", zone),
        date_format=dates.check_format(date_format) if date_format else "",
        day_first=day_first,
        **{name: value for name, value in other_options.items() if value},
    )


def _import_export_file(settings: Settings, path: str, handle: str, dry: bool) -> None:
    sealing = opening.sealing(settings)
    file = ImportFile(path, clock(), open_input(settings, path))
    _check_file(path, file)

    async def check_and_load(db: Database) -> Counts:
        mode = await db.read(importing.plan, file, handle)
        if mode == "other":
            terminal.say(
                f"{handle!r} isn't the store in the file: only profiles and products are imported; "
                "suppressed addresses hold only in their own store.",
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
        return await _load_records(db, file, store, mode, dry)

    terminal.say(_summarise(run(settings, check_and_load), dry))
    if file.placeholders:
        message = f"{format_count(file.placeholders, 'customer')} with a placeholder as id"
        terminal.say(f"{message}: `wishwell doctor` names them.")


# rule: import-csv
def _import_csv(
    settings: Settings, path: str, handle: str, reading: csv_file.Reading, dry: bool
) -> None:
    async def read_store(db: Database) -> tuple[Store, bool]:
        store = await db.read(stores.by_handle, handle)
        return store, await db.read(importing.has_email_ids, store)

    store, has_email_ids = run(settings, read_store)
    emails_are_ids = reading.emails_are_ids or has_email_ids
    reading = msgspec.structs.replace(reading, emails_are_ids=emails_are_ids)
    file = CsvFile(path, store, reading, clock(), open_input(settings, path))
    if file.columns != reading.columns:  # rule: import-guess
        terminal.say(wish_columns.describe_columns(file.columns, file.ignored))
    _check_file(path, file)
    for line in file.example_lines if dry else ():
        terminal.say(line)
    _print_omissions(path, file)
    counts = run(settings, lambda db: _load_records(db, file, store, "same", dry))
    summary_parts = [_summarise(counts, dry)]
    if file.guest_rows:
        summary_parts.append(f"skipped {format_count(file.guest_rows, 'row')} without a customer")
    if file.omissions.rows or file.omissions.cells:
        rows, cells = (
            format_count(file.omissions.rows, "row"),
            format_count(file.omissions.cells, "cell"),
        )
        summary_parts.append(f"left out {rows} and {cells}")
    terminal.say("; ".join(summary_parts))


# rule: import-omissions
def _print_omissions(path: str, file: CsvFile) -> None:
    """Prints why rows and cells are left out, and the name of a list of these rows."""
    for reason in file.omissions.describe_reasons():
        terminal.say(f"left out: {reason}")
    if file.omissions.rows:
        terminal.say(f"rows left out are listed in {file.omissions.write(path)}")


async def _load_records(
    db: Database, file: ImportFile | CsvFile, store: Store, mode: importing.ImportMode, dry: bool
) -> Counts:
    progress, counts = Progress(), Counts()
    profiles_in_file = file.spool.query(
        "SELECT count(DISTINCT key) FROM records WHERE key > ''"
    ).fetchone()[0]
    async for counts in importing.load(db, file, store, dry=dry, mode=mode, clock=clock):
        progress.report(
            _summarise(counts, dry), (counts.profiles + counts.existing) / max(1, profiles_in_file)
        )
    return counts


def _check_file(path: str, file: ImportFile | CsvFile) -> None:
    """Raises ``Invalid`` for a file with errors. Prints them first if there are several."""
    progress = Progress()
    for line_count in file.check():
        progress.report(f"checked {format_count(line_count, 'line')}")
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


def _summarise(counts: Counts, dry: bool) -> str:
    verb = "to add" if dry else "added"
    existing = format_count(counts.existing, "profile")
    return f"{verb}: {_format_counts(counts)}; {existing} already existed"


def _format_counts(counts: Counts | EndRecord) -> str:
    numbers_with_nouns = (
        (counts.profiles, "profile"),
        (counts.lists, "list"),
        (counts.items, "item"),
    )
    return ", ".join(format_count(*number) for number in numbers_with_nouns)
