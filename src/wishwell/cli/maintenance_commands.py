"""`wishwell doctor`, `wishwell clock` and `wishwell backup`."""

import asyncio
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from wishwell import config, ids
from wishwell.cli import terminal
from wishwell.cli.common_options import JSON, Progress, clock, in_database, now
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.db.sqlite import backup
from wishwell.errors import DOCS, Invalid, Misconfigured, ServiceError
from wishwell.server import keys


# rule: command-doctor
@click.command("doctor")
@JSON
@click.pass_obj
def doctor_command(settings: Settings, as_json: bool) -> None:
    """Check settings, database and deployment.

    Exits with 1 if something is wrong. Works whether or not the service is running.
    """
    from wishwell.server import doctor  # imports the service's routes

    checks = asyncio.run(doctor.run_checks(settings))
    if as_json:
        terminal.show(checks, as_json)
    else:
        show_findings(checks)
    if any(check.state == "bad" for check in checks):
        raise click.exceptions.Exit(1)


def show_findings(findings: Iterable[Any]) -> None:
    """Prints the findings of ``doctor``, one a line."""
    for finding in findings:
        terminal.say(f"{finding.state:4}  {finding.what:10}  {finding.says}")


# rule: clock-jump
@click.command("clock")
@click.argument("confirm", required=False, type=click.Choice(["confirm"]))
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@in_database
async def clock_command(db: Database, _: Settings, /, confirm: str | None, yes: bool) -> None:
    """Say whether the clock is plausible. `wishwell clock confirm` accepts a jump.

    While it isn't, nothing is removed because of its age. Exits with 1 then.
    """
    if confirm:
        here, expected = ids.wall_clock(), await db.read(clock.likely_now)
        for line in (
            f"This machine's clock: {ids.timestamp(here)}",
            f"Expected time:        {ids.timestamp(expected)} (last trusted time plus uptime)",
            f"Difference:           {(here - expected) / 1000:+,.0f} s",
            "Data that is too old by a confirmed clock is deleted. Type yes to continue:",
        )[: 3 if yes else 4]:
            terminal.say(line, err=True)
        if not yes and terminal.first_line() != "yes":
            raise Invalid("The clock was not confirmed; nothing was changed.")
        await db.write(clock.confirm)
    await clock.observe(db, logs=False)  # the command itself says the reason
    terminal.say(f"{now()}  {clock.suspicion or 'plausible'}")
    if clock.suspicion:
        raise click.exceptions.Exit(1)


# rule: backup-complete
@click.command("backup")
@click.argument("path", metavar="FILE")
@click.option(
    "--keys",
    "folder",
    metavar="FOLDER",
    help="Also copy the key files to this folder, as FILE.key.",
)
@click.option("--full", is_flag=True, help="Also compare the copy's rows with its indexes.")
@click.pass_obj
def backup_command(settings: Settings, path: str, folder: str | None, full: bool) -> None:
    """Copy the embedded database to a file.

    The service may run in the meantime. The copy is a snapshot; the file appears only once it has
    been checked. It contains no keys, but the keys must open its secrets. FOLDER must be apart from
    both. No file is ever replaced.
    """
    if settings.engine != "sqlite":
        raise Misconfigured(
            "`wishwell backup` copies only an embedded database. Back up PostgreSQL with pg_dump "
            f"or pgBackRest: {DOCS}operations.md#backup-and-restore"
        )
    # Like Ctrl-C, these signals must remove the partial copy.
    for signal_number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(signal_number) == signal.SIG_DFL:
            signal.signal(signal_number, signal.default_int_handler)
    began, progress = time.monotonic(), Progress()
    source = config.sqlite_path(settings.database_url)
    with backup.copying(source, path, progress.report, full=full) as copy:
        size = Path(copy).stat().st_size
        try:
            copied_keys, warning = keys.back_up(settings, copy, Path(path).name, folder)
        except (ServiceError, OSError) as error:
            raise Misconfigured(
                f"No backup was made: the keys of {path} aren't usable, so the copy is named "
                f"{path}.incomplete. {error}"
            ) from error
    seconds = time.monotonic() - began
    terminal.say(
        f"{click.format_filename(path)}: {size / 1e6:,.1f} MB, verified, took {seconds:,.1f} s"
    )
    for name in copied_keys:
        terminal.say(f"{click.format_filename(name)}: a key")
    if warning:
        terminal.say(warning, err=True)
    if settings.signing_keys or settings.sealing_keys:
        terminal.say(
            "Keys in WISHWELL_SIGNING_KEYS and WISHWELL_SEALING_KEYS are not copied.", err=True
        )
    elif folder is None:
        terminal.say("The keys are not in it; --keys FOLDER copies them.", err=True)
