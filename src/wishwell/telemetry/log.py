"""Logging: one JSON object per line, on standard output.

Code logs events through structlog. ``configure`` sets up a server, and
``configure_for_commands`` a command.
"""

import io
import logging
import sys
from typing import Any, BinaryIO, cast

import msgspec
import structlog

from wishwell import ids
from wishwell.telemetry.output import Output


class Line(msgspec.Struct, omit_defaults=True, gc=False):
    """Fields of every log line. Empty fields are omitted."""

    event: str = ""
    level: str = ""
    time: str = ""


class RequestLine(Line, kw_only=True, rename={"request_id": "requestId"}):
    """The log line of one HTTP request. ``ms``: duration in milliseconds."""

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
    session: str = ""
    network: str = ""
    traceparent: str = ""


# If a stream was closed before the start, its descriptor may now be another file.
_output = Output(1 if sys.__stdout__ else -1)
_errors = Output(2 if sys.__stderr__ else -1)
_encoder = msgspec.json.Encoder()
_logs_requests = True
_is_served = False


def write_line(line: Line) -> None:
    """Logs a request if the level includes "info".

    Bypasses structlog, which would take 9 % of a request's time.
    """
    if _logs_requests:
        line.event, line.level = "request", "info"
        line.time = ids.timestamp(ids.wall_clock())
        _output.write(_encoder.encode(line) + b"\n")


def lost_lines() -> int:
    """Returns the number of log lines that this process dropped."""
    return _output.lost


def is_served() -> bool:
    """Returns whether ``configure`` was called: in a server, not in other commands."""
    return _is_served


def configure_for_commands() -> None:
    """Sends log events to standard error, because a command's standard output is its result."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))


def configure(level: str) -> None:
    """Sends log events, including those of libraries, to standard output.

    Afterwards, neither logging nor writing to ``sys.stderr`` blocks or raises.
    """
    global _logs_requests, _is_served
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            _encode_event,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.BytesLoggerFactory(cast(BinaryIO, _output)),
        cache_logger_on_first_use=True,
    )
    _logs_requests = level in ("debug", "info")
    _is_served = True
    logging.basicConfig(handlers=[_ToStructlog()], level=logging.WARNING, force=True)
    # Warnings, tracebacks and the welcome text use stderr, which may be the same pipe.
    sys.stderr = io.TextIOWrapper(
        cast(BinaryIO, _errors), "utf-8", "backslashreplace", line_buffering=True
    )


def _encode_event(_logger: Any, _method: str, event: Any) -> bytes:
    event["time"] = ids.timestamp(ids.wall_clock())
    return msgspec.json.encode(event, enc_hook=str)


class _ToStructlog(logging.Handler):
    """Forwards log records of uvicorn and other libraries to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger(record.name)
        level = "error" if record.levelno >= 40 else "warning" if record.levelno >= 30 else "info"
        getattr(logger, level)(
            "library", logger=record.name, message=record.getMessage(), exc_info=record.exc_info
        )
