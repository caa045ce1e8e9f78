"""`wishwell restore`: what to do after a backup was restored."""

from collections import Counter

import click

from wishwell import ids
from wishwell.cli import terminal
from wishwell.cli.common_options import JSON, Progress, clock, in_database, pause_between
from wishwell.config import Settings
from wishwell.contacts import store_mails
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
    """Repeat acts that a restored database lacks, such as erasures.

    These are erasures, revocations and withdrawn consent. Give the journals of all nodes, in any
    order, before you serve again. Deletions of stores and webhooks are listed, for you to repeat.
    Mails are paused until `wishwell store mail resume`.
    """
    acts, errors, warnings = journal_replay.read_journals(paths)
    for line in (*warnings, *errors):
        terminal.say(line, err=True)
    progress, outcomes, unknown_acts_by_store = Progress(), Counter[str](), Counter[str]()
    listed_acts = []
    async for act in journal_replay.repeat(db, acts, clock, dry=dry):
        outcomes[act.outcome] += 1
        progress.report(f"{outcomes.total():,} acts read")
        if act.outcome == "unknown" and act.says:
            unknown_acts_by_store[act.store or "a store without a name"] += 1
        if as_json or act.outcome not in ("done", "unknown"):
            listed_acts.append(act)
    failed_profiles = set[str]()
    if not dry:
        await db.write(store_mails.pause_all, ids.timestamp(clock()))
        async for _ in pause_between(erasure.remove_erased(db, clock, failed_profiles)):
            pass
    if listed_acts or as_json:
        terminal.show(listed_acts, as_json)
    if unknown_acts_by_store:
        stores_text = ", ".join(
            f"{number:,} of {store}" for store, number in unknown_acts_by_store.items()
        )
        terminal.say(
            f"Acts of stores that aren't here: {stores_text}. "
            "Are backup and journal the right ones?",
            err=True,
        )
    repeated: journal_replay.Outcome = "to repeat" if dry else "repeated"
    terminal.say(
        f"{outcomes[repeated]:,} {repeated}, {outcomes['done']:,} done already, "
        f"{outcomes['unknown']:,} unknown here, {outcomes['by hand']:,} to do by hand, "
        f"{outcomes['failed']:,} failed",
        err=as_json,
    )
    if errors or outcomes["failed"]:
        raise Invalid(f"{len(errors) + outcomes['failed']:,} acts were not repeated; see above.")
    purge.check_removed(failed_profiles)
