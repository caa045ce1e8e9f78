"""What the commands print and read; and how they end when something is wrong: with one line."""

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import asyncpg
import click
import msgspec

from wishwell.errors import Invalid, Misconfigured, ServiceError, Unavailable


# contract: command-error
class Command(click.Group):
    """Ends with one plain line on an error of ours."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _one_line():  # --help and --version print here
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line():
            return super().invoke(ctx)


@contextlib.contextmanager
def _one_line() -> Iterator[None]:
    try:
        yield
        return
    except Unavailable as error:
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else ""
        line = f"{error.message} {cause}"
    except ServiceError as error:
        line = error.message
    except (asyncpg.PostgresError, sqlite3.Error) as error:
        # An unknown database or role, a schema that is not there, a file that is none.
        line = f"the database refused: {error}; see WISHWELL_DATABASE_URL, `wishwell migrate`"
    except OSError as error:  # such as --help on a disk that is full
        _give_up(sys.stdout)
        line = f"reading or writing failed ({error.strerror or error})"
    try:
        click.echo(f"wishwell: {' '.join(line.split())}", err=True)
    except OSError:
        _give_up(sys.stderr)
    raise click.exceptions.Exit(1)


def _give_up(stream: Any) -> None:
    """What could not be written is not tried again at the end, which would fail once more."""
    with contextlib.suppress(OSError, AttributeError):  # one that is closed, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def first_line() -> str:
    """The first line of standard input, which may be closed, a folder, or no text."""
    try:
        return "" if sys.stdin is None else sys.stdin.readline(100_000).strip()
    except (OSError, ValueError) as error:
        raise Invalid(f"Standard input can't be read ({error}).") from error


def say(text: str, err: bool = False) -> None:
    """Prints a line, on standard error if ``err``. Raises ``Misconfigured`` when that fails."""
    # The real one: what `serve` puts in the place of standard error never fails.
    stream = sys.__stderr__ if err else sys.stdout
    try:
        if stream is None:
            raise OSError("it is closed")
        click.echo(text, stream)
    except (OSError, UnicodeEncodeError) as error:
        _give_up(stream)
        reason = getattr(error, "strerror", None) or error
        raise Misconfigured(f"The output can't be written ({reason}).") from error


class NotShown(Misconfigured):
    """A new token could not be printed, so it was not made."""


def show_token(text: str, err: bool = False) -> None:
    """The same for a token that is about to be made. Raises ``NotShown``."""
    try:
        say(text, err)
    except Misconfigured as error:
        raise NotShown(f"No token was made. {error.message}") from error


# contract: command-json
def show(records: Sequence[Any], as_json: bool) -> None:
    """Prints records, as a table or as a JSON array with the API's keys."""
    rows = [msgspec.to_builtins(record) for record in records]
    if as_json:
        say(msgspec.json.format(msgspec.json.encode(rows)).decode())
        return
    if not rows:
        say("none")
        return
    shown = [[_cell(value) for value in row.values()] for row in rows]
    columns = list(rows[0])
    widths = [max(map(len, column)) for column in zip(columns, *shown, strict=True)]
    for line in (columns, *shown):
        say("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip())


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{key}={number}" for key, number in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ",".join(value) or "-"
    return "-" if value in (None, "") else str(value)
