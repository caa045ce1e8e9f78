"""Helpers for commands: open the database, read files, get the time, show progress."""

import asyncio
import contextlib
import functools
import os
import pwd
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, BinaryIO, TypeVar

import click

from wishwell import files, ids, stores
from wishwell.cli import recorded_options, terminal
from wishwell.config import Settings
from wishwell.db import Database, journal
from wishwell.db.clock import ReferenceClock
from wishwell.db.journal import Act, Journal
from wishwell.errors import Invalid, Unavailable, Undecided
from wishwell.server import opening
from wishwell.transfer.spool import open_unpacked
from wishwell.transfer.unpacking import unpack

T = TypeVar("T")
clock = ReferenceClock(ids.wall_clock)
new_id = ids.UUID7(clock)


# rules: journal-first, journal-options
def command_journal(settings: Settings) -> Journal:
    """The journal, which records the running command before its first write."""
    context, user = click.get_current_context(), str(os.getuid())
    with contextlib.suppress(KeyError):  # the system has no name for it
        user = pwd.getpwuid(os.getuid()).pw_name
    name = context.command_path.partition(" ")[2]
    journal.actor.set(f"wishwell {name} ({user})")
    act = Act(action="command", command=name, store=context.params.get("handle") or "")
    act.options, act.withheld = recorded_options.describe(context, name)
    return Journal(settings.journal_path, act)


# rule: command-error
@contextlib.contextmanager
def command_limit(settings: Settings) -> Iterator[None]:
    """Names the limit in the error if the database didn't respond in time."""
    try:
        yield
    except Unavailable as error:
        if isinstance(error, Undecided) or not isinstance(error.__cause__, TimeoutError):
            raise
        raise Unavailable(
            f"The database didn't respond within {settings.command_timeout:g} s. If its machine is "
            "busy, raise WISHWELL_COMMAND_TIMEOUT."
        ) from error


async def _synchronise_clock(db: Database, seconds: float) -> None:
    """Reads the database server's time. Tries again in these seconds, because each of several hosts
    gets less time. Raises ``Unavailable``."""
    monotonic = asyncio.get_running_loop().time
    deadline = monotonic() + seconds
    while True:
        try:
            return await clock.synchronise(db)
        except Unavailable as error:
            if monotonic() >= deadline or not isinstance(error.__cause__, TimeoutError):
                raise


def run(
    settings: Settings, work: Callable[[Database], Awaitable[T]], *, in_journal: bool = True
) -> T:
    """Opens the database, runs ``work`` by the database server's time, and closes the database.

    ``in_journal``: whether the journal gets a line about the command before the first write.
    """
    opening.require_database(settings)

    async def open_and_work() -> T:
        journal = command_journal(settings) if in_journal else Journal(settings.journal_path)
        seconds = settings.command_timeout
        db = opening.open_database(settings, journal=journal, seconds=seconds)
        try:
            await _synchronise_clock(db, seconds)
            journal.begin_command(now())
            return await work(db)
        finally:
            await db.close()

    with command_limit(settings):
        return asyncio.run(open_and_work())


def in_database(work: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Decorates a command that takes the open database and the settings before its arguments."""

    @click.pass_obj
    @functools.wraps(work)
    def command(settings: Settings, /, **options: Any) -> None:
        run(settings, lambda db: work(db, settings, **options))

    return command


STORE = click.option(
    *("--store", "handle"),
    default=stores.DEFAULT_HANDLE,
    show_default=True,
    metavar="HANDLE",
    help="The store.",
)
REQUIRED_STORE = click.option(
    "--store", "handle", required=True, metavar="HANDLE", help="The store."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON (an array of objects).")


def in_store(work: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Like ``in_database``, for a command that also takes the store named by ``--store``."""

    @functools.wraps(work)
    async def with_store(db: Database, settings: Settings, /, handle: str, **options: Any) -> None:
        await work(db, settings, await db.read(stores.by_handle, handle), **options)

    return in_database(with_store)


# rule: files-unpacked
def open_input(settings: Settings, path: str) -> BinaryIO:
    """Opens a file for an import, or a copy of standard input (-), which may be read twice, and
    unpacks it. Raises ``Invalid``."""
    if re.match("(?i)(https?|ftp)://", path):
        command = click.get_current_context().info_name
        raise Invalid(
            f"{path[:200]}: is an address, not a file. Pipe its content into the command: "
            f"curl --fail --location ADDRESS | wishwell {command} - …"
        )
    if path != "-":
        return open_unpacked(path, settings.max_unpacked_bytes)
    copy = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.seek(0)
    return unpack(path, copy, settings.max_unpacked_bytes)


_MAX_FILE_BYTES = 1 << 24
"""Maximum bytes of a file that a command reads into memory."""


def read_file(name: str, path: str) -> str:
    """Returns the text of a file.

    Raises ``Invalid``, which begins with ``name``, if the file can't be read, is larger than 16 MiB
    or isn't UTF-8.
    """
    try:
        with files.open_regular(path) as file:
            content = file.read(_MAX_FILE_BYTES + 1)
        if len(content) > _MAX_FILE_BYTES:
            raise ValueError("the file is larger than 16 MiB")
        return content.decode("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Invalid(f"{name}: {path[:200]} can't be read ({reason}).") from error


def journal_paths(settings: Settings, other_paths: Iterable[str]) -> list[str]:
    """Returns the paths of other journals and of the one here, if it exists, each once."""
    paths = {os.path.realpath(path): path for path in other_paths}
    here = settings.journal_path
    if here and os.access(here, os.F_OK):
        paths.setdefault(os.path.realpath(here), here)
    return [*paths.values()]


def now() -> str:
    return ids.timestamp(clock())


def timestamp_in_days(now_ms: int, days: int) -> str:
    return ids.timestamp(now_ms + days * ids.DAY_MS)


_BATCH_PAUSE_SECONDS = 0.02


async def pause_between(batches: AsyncIterator[T]) -> AsyncIterator[T]:
    """Yields batches with a pause after each, so that a running service can write."""
    async for batch in batches:
        yield batch
        await asyncio.sleep(_BATCH_PAUSE_SECONDS)


_PROGRESS_SECONDS = 5.0
"""Minimum seconds between progress messages."""


class Progress:
    """Progress messages on standard error, at most one every ``_PROGRESS_SECONDS`` seconds."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._step_began = self._printed_at = timer()
        self._share = 1.0

    def report(self, text: str, share: float | None = None) -> None:
        """Prints a message, unless another was printed recently. ``share``: how much of a step is
        done, from which the time left is estimated."""
        now = self._timer()
        if share is not None:
            if share < self._share:  # a new step
                self._step_began = now
            self._share = share
        if now - self._printed_at > _PROGRESS_SECONDS:
            self._printed_at = now
            if share:
                seconds_left = (now - self._step_began) * (1 - share) / share
                text += f", {share:.0%}, about {seconds_left:,.0f} s left"
            terminal.say(text, err=True)
