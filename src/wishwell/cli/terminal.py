"""Terminal input and output of commands. A command that fails ends with a one-line message."""

import contextlib
import os
import shutil
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec
import structlog

from wishwell.db.postgres import failures
from wishwell.errors import Invalid
from wishwell.telemetry import log

DEFECT = os.EX_SOFTWARE
"""Exit code of a command that failed because of a bug in the program."""

WITHHELD = 3
"""Exit code of a command that did everything but too many deletions or too low prices."""

_EMPTY_CELL = "-"
_UNLIMITED_COLUMNS = 1_000_000  # columns of a file or a pipe

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(10), *range(11, 32), *range(127, 160))}
"""Escapes for control characters, which a terminal would execute if text from a file had any."""

logger = structlog.get_logger("wishwell")


# rule: command-error
class Command(click.Group):
    """A group of commands that reports wrong use and expected errors in one line, without a
    traceback."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _report_errors():  # because --help and --version print here
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _report_errors():
            return super().invoke(ctx)


@contextlib.contextmanager
def _report_errors() -> Iterator[None]:
    try:
        yield
    except (click.exceptions.Exit, click.Abort, click.exceptions.NoArgsIsHelpError):
        raise
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "wishwell"
        fail(f"{error.format_message()} See `{command} --help`.", error.exit_code)
    except Exception as error:
        line = failures.message_of(error)
        if line is None:
            fail(_report_defect(error), DEFECT)
        if isinstance(error, BrokenPipeError):  # `| head` has read enough
            _discard_output(sys.stdout)
            raise click.exceptions.Exit(1) from None
        if isinstance(error, OSError):  # for example --help into a file on a full disk
            _discard_output(sys.stdout)
        fail(line, 1)


def fail(line: str, code: int) -> NoReturn:
    """Prints an error message and ends the command with an exit code."""
    try:
        click.echo(f"wishwell: {' '.join(line.split())}".translate(_CONTROLS), err=True)
    except OSError:
        _discard_output(sys.stderr)
    raise click.exceptions.Exit(code)


def _report_defect(error: Exception) -> str:
    """Reports an unexpected error. Returns a message without the error's text (maybe a secret).

    `serve` logs the traceback; other commands print it if the log level is debug.
    """
    if log.is_served():
        logger.error("command_failed", exc_info=error)
    elif os.environ.get("WISHWELL_LOG_LEVEL") == "debug":
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    location = f"{Path(frame.filename).name}:{frame.lineno}"
    return (
        f"This is a bug in wishwell: {type(error).__name__} at {location}. Please report "
        "it; with WISHWELL_LOG_LEVEL=debug the command prints the traceback."
    )


def _discard_output(stream: Any) -> None:
    """Discards unwritten output, which Python would else try to write again at exit, and fail."""
    with contextlib.suppress(OSError, AttributeError):  # the stream is closed, or not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def first_line() -> str:
    """Returns the first line of standard input. Raises ``Invalid`` if it is a folder or no text."""
    try:
        return "" if sys.stdin is None else sys.stdin.readline(100_000).strip()
    except (OSError, ValueError) as error:
        raise Invalid(f"Standard input can't be read ({error}).") from error


def say(text: str, err: bool = False) -> None:
    """Prints a line, on standard error if ``err``."""
    # The original stream, because the one that `serve` replaces standard error by hides failures.
    stream = sys.__stderr__ if err else sys.stdout
    if stream is not None:
        click.echo(text.translate(_CONTROLS), stream)


def format_count(number: int, noun: str) -> str:
    """Returns a number with its noun in the singular or plural."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


# rule: command-error
def show(records: Sequence[Any], as_json: bool) -> None:
    """Prints records, as a table or as a JSON array with the API's keys.

    The table omits empty columns. If it is wider than the terminal, each record becomes a block of
    lines.
    """
    rows = [msgspec.to_builtins(record) for record in records]
    if as_json:
        say(msgspec.json.format(msgspec.json.encode(rows)).decode())
        return
    if not rows:
        say("none")
        return
    cells = [{column: _format_cell(value) for column, value in row.items()} for row in rows]
    columns = list({column: None for row in cells for column in row if row[column] != _EMPTY_CELL})
    table = [[row.get(column, _EMPTY_CELL) for column in columns] for row in cells]
    widths = [max(map(len, column)) for column in zip(columns, *table, strict=True)]
    if sum(widths) + 2 * len(widths) > shutil.get_terminal_size((_UNLIMITED_COLUMNS, 0)).columns:
        width = max(map(len, columns))
        for line in table:
            say(
                "\n".join(f"{c.ljust(width)}  {v}" for c, v in zip(columns, line, strict=True))
                + "\n"
            )
        return
    for line in (columns, *table):
        say("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip())


def _format_cell(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{key}={number}" for key, number in value.items()) or _EMPTY_CELL
    if isinstance(value, list | tuple):
        return ",".join(value) or _EMPTY_CELL
    return _EMPTY_CELL if value in (None, "") else str(value)
