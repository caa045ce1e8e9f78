"""Logging: one JSON object a line, on standard output."""

import logging
import sys
from typing import Any

import msgspec
import structlog

from wishwell import ids

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


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
