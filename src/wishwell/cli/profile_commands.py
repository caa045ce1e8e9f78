"""`wishwell profile`: erases shoppers' data, and lists privacy requests."""

import contextlib
from collections.abc import Sequence

import click

from wishwell import profiles
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    JSON,
    NAMED_STORE,
    Progress,
    clock,
    in_store,
    paced,
    read_file,
)
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid, NotFound, Unavailable
from wishwell.privacy import erasure, platform_requests
from wishwell.profiles import Profile
from wishwell.stores import Store

_BATCH_SIZE = 100


@click.group()
def profile() -> None:
    """Erase shoppers' data, and list privacy requests."""


# rule: erase-completes
@profile.command("erase")
@click.argument("gid", required=False)
@click.option("--from", "path", metavar="FILE", help="A file with a GID a line, in place of GID.")
@NAMED_STORE
@in_store
async def profile_erase(
    db: Database, settings: Settings, store: Store, /, gid: str | None, path: str | None
) -> None:
    """Erase a customer or visitor with all their data.

    Waits until the data is removed. If interrupted, a running service finishes the erasure, or
    this command when run again.
    """
    if (gid is None) == (path is None):
        raise click.UsageError("Name a GID, or a file with --from.")
    lines = [] if gid is None else [("GID", gid)]
    if path is not None:
        text = read_file("--from", path).split("\n")
        lines = [(f"line {n}", line.strip()) for n, line in enumerate(text, 1) if line.strip()]
    progress = Progress()
    chosen = _parsed(settings, store, lines)
    keys: list[str] = []
    erased = 0
    for at in range(0, len(chosen), _BATCH_SIZE):
        for one in chosen[at : at + _BATCH_SIZE]:
            with contextlib.suppress(NotFound):  # a session that is closed or never existed
                ended = await db.long_write(erasure.erase, one, clock())
                erased += bool(ended)
                keys += ended
        if keys and not at:
            terminal.say("no longer visible; waiting for the data to be removed", err=True)
        async for _ in paced(erasure.work(db, clock)):
            progress.report(f"{erased:,} of {len(chosen):,} erased; the rest is being removed")
    left = [key for key in keys if await db.read(erasure.is_under_way, key)]
    if left:
        raise Unavailable(
            f"{len(left):,} can't be removed yet; they stay hidden, and it is tried again."
        )
    terminal.say(
        f"{erased:,} profile{'s' * (erased != 1)} erased; {len(chosen) - erased:,} not found"
    )


@profile.command("requests")
@NAMED_STORE
@JSON
@in_store
async def profile_requests(db: Database, _: Settings, store: Store, /, as_json: bool) -> None:
    """List the platform's privacy requests to a store, newest first."""
    terminal.show(await db.read(platform_requests.every, store), as_json)


def _parsed(settings: Settings, store: Store, lines: Sequence[tuple[str, str]]) -> list[Profile]:
    """Returns the profiles without duplicates. Raises ``Invalid``, before anything is erased."""
    if not lines:
        raise Invalid("--from: the file names nobody.")
    namespace = settings.session_namespace
    found = [profiles.parse(store, namespace, gid, label, is_stored=True) for label, gid in lines]
    return list({one.id: one for one in found}.values())
