"""Logging: one JSON object a line, on standard output."""

import asyncio
import logging
import sys
from typing import Any

import msgspec
import structlog

from wishwell import ids

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


class Line(msgspec.Struct, omit_defaults=True, gc=False):
    """What every line has; what does not apply is left out."""

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


class _Requests:
    """Writes the lines of requests past structlog, those of one turn of the event loop at once.

    Through structlog a line was 9 % of a request's time, half of it the flush of each
    (docs/performance.md).
    """

    def __init__(self) -> None:
        self.shown = True
        self._encoder = msgspec.json.Encoder()
        self._waiting = bytearray()

    def write(self, line: Line) -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self.flush)
        self._waiting += self._encoder.encode(line) + b"\n"

    def flush(self) -> None:
        if self._waiting:
            lines, self._waiting = self._waiting, bytearray()
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()


_requests = _Requests()


def write_line(line: Line) -> None:
    """Notes a request, if the level shows such lines. Called on the event loop."""
    if _requests.shown:
        line.event, line.level = "request", "info"
        line.time = ids.timestamp(ids.wall_clock())
        _requests.write(line)


def flush() -> None:
    """Writes what waits, when there will be no other turn of the loop."""
    _requests.flush()


def configure(level: str) -> None:
    """Sends our events, and what libraries log through ``logging``, to standard output."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            _time,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.BytesLoggerFactory(sys.stdout.buffer),
        cache_logger_on_first_use=True,
    )
    _requests.shown = _LEVELS[level] <= _LEVELS["info"]
    logging.basicConfig(handlers=[_ToStructlog()], level=logging.WARNING, force=True)


def _json(event: Any, **_: Any) -> bytes:
    return msgspec.json.encode(event, enc_hook=str)


def _time(_logger: Any, _method: str, event: Any) -> Any:
    event["time"] = ids.timestamp(ids.wall_clock())
    return event


class _ToStructlog(logging.Handler):
    """Takes what uvicorn and other libraries log."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger(record.name)
        level = "error" if record.levelno >= 40 else "warning" if record.levelno >= 30 else "info"
        getattr(logger, level)(
            "library", logger=record.name, message=record.getMessage(), exc_info=record.exc_info
        )
