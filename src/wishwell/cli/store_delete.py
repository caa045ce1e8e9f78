"""`wishwell store delete`."""

import asyncio

import click

from wishwell import stores
from wishwell.cli.opening import now, run
from wishwell.cli.progress import Progress
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.moving import deletion
from wishwell.run import terminal

_SEEN_SECONDS = stores.SEEN_MS / 1000


# contract: store-delete
@click.command("delete")
@click.argument("handle")
@click.option("--yes", is_flag=True, help="Don't ask.")
@click.pass_obj
def store_delete(settings: Settings, handle: str, yes: bool) -> None:
    """Delete a store with everything of it: profiles, items, lists, webhooks, tokens.

    Others are served meanwhile. If it was interrupted, run it again.
    """
    progress = Progress()

    async def delete(db: Database) -> int:
        doomed = await db.read(stores.by_handle_or_deleted, handle)
        if not yes:
            _ask(doomed.handle)
        doomed = await db.write(deletion.begin, handle, now())
        # By then no process writes to it any more.
        await asyncio.sleep(_SEEN_SECONDS)
        gone = 0
        async for gone in deletion.run(db, doomed):
            progress.tell(f"{gone:,} profiles deleted")
            await asyncio.sleep(_PAUSE)
        return gone

    gone = run(settings, delete)
    terminal.say(f"deleted {handle}, with {gone:,} profiles")


_PAUSE = 0.02
"""Seconds between two steps, in which others write."""


def _ask(handle: str) -> None:
    """Raises ``Invalid`` unless the handle is typed."""
    terminal.say(
        f"This deletes the store {handle!r} and everything of it. `wishwell export` can keep a "
        "copy. Type the handle to go on:",
        err=True,
    )
    if terminal.first_line() != handle:
        raise Invalid("That is not the handle, and nothing was deleted.")
