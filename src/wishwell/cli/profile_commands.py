"""`wishwell profile`: erases shoppers' data, and lists privacy requests."""

import contextlib
from collections.abc import Sequence

import click

from wishwell import profiles
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    JSON,
    REQUIRED_STORE,
    Progress,
    clock,
    in_store,
    pause_between,
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
@REQUIRED_STORE
@in_store
async def profile_erase(
    db: Database, settings: Settings, store: Store, /, gid: str | None, path: str | None
) -> None:
    """Erase a customer or visitor with all their data.

    Waits until the data is removed. If interrupted, a running service finishes the erasure, or
    this command when run again.
    """
    targets = _parse_profiles(settings, store, _read_gids(gid, path))
    progress = Progress()
    pending_keys: list[str] = []
    erased = 0
    for start in range(0, len(targets), _BATCH_SIZE):
        for target in targets[start : start + _BATCH_SIZE]:
            with contextlib.suppress(NotFound):  # a session that is closed or never existed
                erased_keys = await db.long_write(erasure.erase, target, clock())
                erased += bool(erased_keys)
                pending_keys += erased_keys
        if pending_keys and not start:
            terminal.say("no longer visible; waiting for the data to be removed", err=True)
        async for _ in pause_between(erasure.remove_erased(db, clock)):
            progress.report(f"{erased:,} of {len(targets):,} erased; the rest is being removed")
    unfinished = [key for key in pending_keys if await db.read(erasure.is_under_way, key)]
    if unfinished:
        raise Unavailable(
            f"{len(unfinished):,} can't be removed yet; they stay hidden, and it is tried again."
        )
    terminal.say(
        f"{erased:,} profile{'s' * (erased != 1)} erased; {len(targets) - erased:,} not found"
    )


@profile.command("requests")
@REQUIRED_STORE
@JSON
@in_store
async def profile_requests(db: Database, _: Settings, store: Store, /, as_json: bool) -> None:
    """List the platform's privacy requests to a store, newest first."""
    terminal.show(await db.read(platform_requests.find_all, store), as_json)


def _read_gids(gid: str | None, path: str | None) -> list[tuple[str, str]]:
    """Returns the GIDs to erase, each after its label in error messages."""
    if gid is not None and path is None:
        return [("GID", gid)]
    if path is not None and gid is None:
        lines = read_file("--from", path).split("\n")
        return [(f"line {n}", line.strip()) for n, line in enumerate(lines, 1) if line.strip()]
    raise click.UsageError("Name a GID, or a file with --from.")


def _parse_profiles(
    settings: Settings, store: Store, labelled_gids: Sequence[tuple[str, str]]
) -> list[Profile]:
    """Returns the profiles without duplicates. Raises ``Invalid``, before anything is erased."""
    if not labelled_gids:
        raise Invalid("--from: the file names nobody.")
    namespace = settings.session_namespace
    parsed_profiles = [
        profiles.parse(store, namespace, gid, label, is_stored=True) for label, gid in labelled_gids
    ]
    return list({parsed.id: parsed for parsed in parsed_profiles}.values())
