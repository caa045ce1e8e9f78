"""`wishwell export` and `wishwell import`: a whole store as a file."""

import click

from wishwell import app, exporting, importing, stores, terminal
from wishwell.cli.opening import now, run
from wishwell.cli.progress import Progress
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.import_file import ImportFile
from wishwell.importing import Counts

_store = click.option("--store", "handle", required=True, metavar="HANDLE", help="The store.")


# contract: command-export
@click.command("export")
@_store
@click.pass_obj
def export_command(settings: Settings, handle: str) -> None:
    """Write a whole store to standard output, as JSON Lines.

    All of it is of one moment; others may write meanwhile. docs/data.md says what is in it and
    what is not.
    """
    progress, counts = Progress(), exporting.Counts()

    async def write(db: Database) -> None:
        async for piece in exporting.lines(db, handle, now(), counts):
            terminal.write(piece)
            progress.tell(f"{counts.profiles:,} profiles, {counts.items:,} items")

    run(settings, write)
    terminal.flush()
    terminal.say(
        f"{counts.profiles:,} profiles, {counts.lists:,} lists, {counts.items:,} items", err=True
    )


# contract: command-import
@click.command("import")
@click.argument("path", metavar="FILE")
@_store
@click.option("--dry-run", "dry", is_flag=True, help="Check the file, say what it would add.")
@click.pass_obj
def import_command(settings: Settings, path: str, handle: str, dry: bool) -> None:
    """Add what `wishwell export` wrote to a store; import it again if it was interrupted.

    A store that is not there, or that is empty and as it was made, becomes the one of the file. The
    whole file is checked before anything is changed.
    """
    sealing = app.sealing(settings)
    file = ImportFile(path)
    terminal.say(f"checking {file.size:,} bytes", err=True)
    of_store = file.check()
    for error in file.errors:
        terminal.say(error, err=True)
    if file.errors:
        raise Invalid(f"{path} is not right, and nothing was imported.")

    async def add(db: Database) -> Counts:
        how = await db.read(importing.plan, file, handle)
        if how == "other":
            terminal.say(
                f"{handle!r} is another store than the file's: only profiles and products go in.",
                err=True,
            )
        else:
            importing.check_secrets(sealing, file, of_store)
        store = file.first.store
        if not dry:
            store = await db.write(importing.take_store, sealing, file, handle, of_store, now())
        elif how == "other":
            store = await db.read(stores.by_handle, handle)
        counts = Counts()
        async for counts in importing.load(db, file, store, dry=dry, how=how):
            progress.tell(f"{100 * counts.read // max(1, file.size)} %: {_said(counts, dry)}")
        return counts

    progress = Progress()
    terminal.say(_said(run(settings, add), dry))


def _said(counts: Counts, dry: bool) -> str:
    done = "to add" if dry else "added"
    return (
        f"{done}: {counts.profiles:,} profiles, {counts.lists:,} lists, {counts.items:,} items; "
        f"{counts.there:,} profiles were there"
    )
