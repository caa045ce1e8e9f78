"""`wishwell restore`: what to do after a backup was restored."""

from collections import Counter

import click

from wishwell.cli import terminal
from wishwell.cli.common_options import JSON, Progress, clock, in_database, paced
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.privacy import erasure, journal_replay
from wishwell.wishlists import purge


@click.group()
def restore() -> None:
    """Repeat or list acts since a backup."""


# rule: journal-replay
@restore.command("replay")
@click.argument("paths", nargs=-1, required=True, metavar="JOURNAL...")
@click.option("--dry-run", "dry", is_flag=True, help="List what would be repeated; change nothing.")
@JSON
@in_database
async def restore_replay(
    db: Database, _settings: Settings, /, paths: tuple[str, ...], dry: bool, as_json: bool
) -> None:
    """Repeat erasures and revocations that a restored database lacks.

    Give the journals of all nodes, in any order, before you serve again. Deletions of stores and
    webhooks are listed, for you to repeat.
    """
    acts, errors, warnings = journal_replay.read(paths)
    for line in (*warnings, *errors):
        terminal.say(line, err=True)
    progress, counts, foreign = Progress(), Counter[str](), Counter[str]()
    shown = []
    async for act in journal_replay.repeat(db, acts, clock, dry=dry):
        counts[act.outcome] += 1
        progress.report(f"{counts.total():,} acts read")
        if act.outcome == "unknown" and act.says:
            foreign[act.store or "a store without a name"] += 1
        if as_json or act.outcome not in ("done", "unknown"):
            shown.append(act)
    failed = set[str]()
    if not dry:
        async for _ in paced(erasure.work(db, clock, failed)):
            pass
    if shown or as_json:
        terminal.show(shown, as_json)
    if foreign:
        listed = ", ".join(f"{number:,} of {store}" for store, number in foreign.items())
        terminal.say(
            f"Acts of stores that aren't here: {listed}. Are backup and journal the right ones?",
            err=True,
        )
    done: journal_replay.Outcome = "to repeat" if dry else "repeated"
    terminal.say(
        f"{counts[done]:,} {done}, {counts['done']:,} done already, {counts['unknown']:,} "
        f"unknown here, {counts['by hand']:,} to do by hand, {counts['failed']:,} failed",
        err=as_json,
    )
    if errors or counts["failed"]:
        raise Invalid(f"{len(errors) + counts['failed']:,} acts were not repeated; see above.")
    purge.check_removed(failed)
