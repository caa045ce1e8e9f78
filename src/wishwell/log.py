"""Logging: one JSON object per line, on standard output."""

import io
import logging
import sys
from typing import Any, BinaryIO, cast

import msgspec
import structlog

from wishwell import ids
from wishwell.output import Output


class Line(msgspec.Struct, omit_defaults=True, gc=False):
    """The fields of every line. Empty fields are left out."""

    event: str = ""
    level: str = ""
    time: str = ""


class RequestLine(Line, kw_only=True, rename={"request_id": "requestId"}):
    """The line of one request to the API."""

    request_id: str
    method: str
    route: str
    status: int
    ms: float
    record: str = ""
    store: str = ""
    caller: str = ""
    token: str = ""
    profile: str = ""


# If a stream was closed at the start, its descriptor may belong to another file now.
_output = Output(1 if sys.__stdout__ else -1)
_errors = Output(2 if sys.__stderr__ else -1)
_encoder = msgspec.json.Encoder()
_requests_shown = True
_served = False


def write_line(line: Line) -> None:
    """Logs a request, if the level includes it. structlog would take 9 % of a request's time."""
    if _requests_shown:
        line.event, line.level = "request", "info"
        line.time = ids.timestamp(ids.wall_clock())
        _output.write(_encoder.encode(line) + b"\n")


def lost() -> int:
    """How many lines this process has lost."""
    return _output.lost


def is_served() -> bool:
    """Whether this is the log of ``serve``, and not that of another command."""
    return _served


def for_commands() -> None:
    """Sends structlog's events to standard error: what a command prints is its answer alone."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))


def configure(level: str) -> None:
    """Sends structlog's events, and what libraries log, to standard output.

    After this, writing to standard output or standard error never blocks and never fails.
    """
    global _requests_shown, _served
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            _encoded,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.BytesLoggerFactory(cast(BinaryIO, _output)),
        cache_logger_on_first_use=True,
    )
    _requests_shown = level in ("debug", "info")
    _served = True
    logging.basicConfig(handlers=[_ToStructlog()], level=logging.WARNING, force=True)
    # It carries warnings, tracebacks and the welcome, and may be the same pipe.
    sys.stderr = io.TextIOWrapper(
        cast(BinaryIO, _errors), "utf-8", "backslashreplace", line_buffering=True
    )


def _encoded(_logger: Any, _method: str, event: Any) -> bytes:
    event["time"] = ids.timestamp(ids.wall_clock())
    return msgspec.json.encode(event, enc_hook=str)


class _ToStructlog(logging.Handler):
    """Passes on what uvicorn and other libraries log."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger(record.name)
        level = "error" if record.levelno >= 40 else "warning" if record.levelno >= 30 else "info"
        getattr(logger, level)(
            "library", logger=record.name, message=record.getMessage(), exc_info=record.exc_info
        )
