"""`wishwell export` and `wishwell import`: a whole store as a file."""

import click

from wishwell import ids, stores
from wishwell.cli.opening import Progress, now, run
from wishwell.cli.webhook_commands import check_url
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.moving import exporting, importing
from wishwell.moving.file_records import EndRecord, WebhookRecord
from wishwell.moving.import_file import ImportFile
from wishwell.moving.importing import Counts
from wishwell.run import app, terminal
from wishwell.stores import Store

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
    progress, counts = Progress(), EndRecord(0, 0, 0)

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
    file = ImportFile(path, ids.wall_clock())
    terminal.say(f"checking {file.size:,} bytes", err=True)
    of_store = file.check()
    for error in file.errors[:-1]:
        terminal.say(error, err=True)
    if file.errors:
        raise Invalid(f"{path}: {file.errors[-1]}. Nothing was imported.")
    left, line = file.register.strangers()
    if left:
        terminal.say(
            f"{left:,} revocations are of no profile in the file and are left out, the first in "
            f"line {line}: what was revoked in the last 90 days, revoke again.",
            err=True,
        )

    async def add(db: Database) -> Counts:
        how = await db.read(importing.plan, file, handle)
        if how == "other":
            terminal.say(
                f"{handle!r} is another store than the file's: only profiles and products go in.",
                err=True,
            )
        else:
            check_outbound(settings, file, of_store)
            importing.check_secrets(sealing, file, of_store)
            await importing.check_apart(db, file)
        store: Store = file.store
        if not dry:
            store = await db.long_write(
                importing.take_store, sealing, file, handle, of_store, now()
            )
        elif how == "other":
            store = await db.read(stores.by_handle, handle)
        counts = Counts()
        async for counts in importing.load(db, file, store, dry=dry, how=how):
            progress.tell(f"{100 * counts.read // max(1, file.size)} %: {_said(counts, dry)}")
        return counts

    progress = Progress()
    terminal.say(_said(run(settings, add), dry))


def check_outbound(settings: Settings, file: ImportFile, of_store: importing.OfStore) -> None:
    """Raises ``Invalid`` for an address that the settings don't allow."""
    if source := file.store.naming.jwt_key_set:
        app.key_sets(settings).check("line 1: wishwell.store: jwt-key-set", source)
    for line, record in of_store:
        if isinstance(record, WebhookRecord):
            check_url(settings, f"line {line}: webhook.url", record.url)


def _said(counts: Counts, dry: bool) -> str:
    done = "to add" if dry else "added"
    return (
        f"{done}: {counts.profiles:,} profiles, {counts.lists:,} lists, {counts.items:,} items; "
        f"{counts.there:,} profiles were there"
    )
