"""`wishwell restore`: restores a backup, and repeats what was done since."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import click

from wishwell import config, ids
from wishwell.cli import recorded_options, terminal
from wishwell.cli.common_options import (
    JSON,
    Progress,
    clock,
    in_database,
    journal_paths,
    pause_between,
    run,
)
from wishwell.cli.maintenance_commands import show_findings
from wishwell.config import Settings
from wishwell.contacts import store_mails
from wishwell.db import Database, migrate
from wishwell.errors import DOCS, Invalid, ServiceError
from wishwell.privacy import erasure, journal_replay
from wishwell.server import restoring
from wishwell.wishlists import purge


@click.group()
def restore() -> None:
    """Restore a backup, and repeat what was done since."""


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
    order, before you serve again. Deletions of stores and webhooks are listed, for you to repeat,
    and the commands since the backup. Mails are paused until `wishwell store mail resume`.
    """
    since = await db.read(restoring.find_backup_time, ids.timestamp(clock()))
    try:
        await _replay(db, paths, dry=dry, as_json=as_json)
    finally:
        if not as_json:
            _list_commands(paths, since)


# rule: journal-replay
async def _replay(
    db: Database, paths: Sequence[str], *, dry: bool = False, as_json: bool = False
) -> None:
    """Repeats journals, prints the outcome, and pauses the mails. Raises ``Invalid`` if some acts
    weren't repeated."""
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


# rule: restore-checked
@restore.command("database", epilog=f"Step by step: {DOCS}runbooks.md#restore")
@click.argument("path", metavar="FILE|FOLDER")
@click.option(
    "--keys",
    "keys_path",
    metavar="FILE|FOLDER",
    help="The backup's key files, which replace those here (SQLite).",
)
@click.option(
    "--journal",
    "journals",
    multiple=True,
    metavar="FILE",
    help="A journal to replay, besides the one here. Repeat the option for several.",
)
@click.pass_obj
def restore_database(
    settings: Settings, path: str, keys_path: str | None, journals: tuple[str, ...]
) -> None:
    """Restore a backup and replay the journals.

    Takes the newest good one of a folder. Stop the service first. SQLite's present files are kept;
    on PostgreSQL, the URL must name a new, empty database, and pg_restore is run. Prints the
    commands since the backup, and the doctor's findings. Not for a cluster.
    """
    from wishwell.server import doctor  # imports the service's routes

    journal_replay.read_journals(journals)  # raises an error before anything is changed
    if settings.engine == "sqlite":
        restoring.restore_sqlite(settings, path, keys_path, terminal.say)
        migrate.migrate_sqlite(config.sqlite_path(settings.database_url), terminal.say)
    elif keys_path is not None:
        raise Invalid(
            "--keys: with PostgreSQL, keys are settings. Copy the backup's keys to the files of "
            "WISHWELL_SIGNING_KEYS_FILE and WISHWELL_SEALING_KEYS_FILE."
        )
    else:
        asyncio.run(_restore_postgres(settings, path))
    paths = journal_paths(settings, journals)
    if not paths:
        terminal.say(
            "There is no journal here, so erasures and revocations since the backup are not "
            "repeated. If there is one elsewhere: wishwell restore replay JOURNAL",
            err=True,
        )
    problem, lines = run(settings, lambda db: _replay_and_list(db, paths))
    findings = asyncio.run(doctor.run_checks(settings))
    findings = [each for each in findings if each.what not in _STOPPED]
    show_findings(findings)
    bad = [each.what for each in findings if each.state == "bad"]
    if problem or {*bad} - {"mails"}:
        reasons = " ".join(filter(None, (problem, ", ".join(bad))))
        raise Invalid(f"The backup was restored, but see above: {reasons}")
    mails = " Mails are paused until `wishwell store mail resume HANDLE`." if bad else ""
    terminal.say(
        f"Restored. {'Give the commands above, then start' if lines else 'Start'} the service, and "
        f"run `wishwell doctor`.{mails}"
    )


_STOPPED = ("service", "hosts")
"""Checks that fail while the service is stopped."""


async def _restore_postgres(settings: Settings, path: str) -> None:
    await restoring.restore_postgres(settings, path, terminal.say)
    await migrate.migrate_postgres(
        settings.database_url, terminal.say, seconds=settings.command_timeout
    )


async def _replay_and_list(db: Database, paths: Sequence[str]) -> tuple[str, list[str]]:
    """Replays journals, and prints the commands that were given since the backup. Returns why some
    acts weren't repeated, or '', and the commands."""
    since = await db.read(restoring.find_backup_time, ids.timestamp(clock()))
    problem = ""
    try:
        await _replay(db, paths)
    except ServiceError as error:
        problem = str(error)
    terminal.say(f"The newest time in the backup is {since or 'unknown'}.")
    lines = _list_commands(paths, since)
    if paths and not lines:
        terminal.say("The journals have no commands since then to give again.")
    return problem, lines


def _list_commands(paths: Sequence[str], since: str) -> list[str]:
    """Prints the journals' commands after a time, and returns them."""
    acts, _, _ = journal_replay.read_journals(paths)
    lines = [*recorded_options.shell_lines([act for act in acts if act.time > since])]
    if lines:
        text = "\n".join(lines)
        terminal.say(f"Commands since {since or 'the beginning'}:\n\n{text}\n")
    return lines
