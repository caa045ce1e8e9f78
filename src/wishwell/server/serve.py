"""Serves the application from start to stop: the listening socket, and one or more processes."""

import asyncio
import contextlib
import os
import resource
import signal
import socket
import sys
import tempfile

import click
import structlog

from wishwell.config import Settings
from wishwell.errors import Misconfigured
from wishwell.server import app, workers

logger = structlog.get_logger("wishwell")

_SOCKET_BACKLOG = 2048
_UNSENT = 128 * 1024
"""Bytes of unsent responses that the kernel buffers for a connection. The default is megabytes,
which hides that a client doesn't read."""

_FILES = 65_536
"""Files and connections that a process may have open, as far as the system allows it. The default
of many systems is 1,024."""


def serve_until_stopped(settings: Settings, welcome: str, check: workers.Check) -> None:
    """Serves until SIGTERM or SIGINT. ``welcome`` is printed at the start, with ``{url}`` set.

    ``check`` raises an error for settings that the workers can't take over after SIGHUP.
    """
    _allow_files()
    try:
        listening = listen(settings.host, settings.port, "WISHWELL_HOST and WISHWELL_PORT")
    except Misconfigured as error:
        logger.error("not_started", reason=error.message)
        raise
    host, port = listening.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    if settings.workers > 1:
        # Workers write their metrics into this folder, which is removed when the function returns.
        counters = tempfile.TemporaryDirectory(prefix="wishwell-metrics-")
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", counters.name)
        if not settings.redis_url:
            logger.warning(
                "limits_per_worker",
                workers=settings.workers,
                reason="without WISHWELL_REDIS_URL each worker counts rate limits on its own",
            )

    def started() -> None:
        logger.info(
            "listening",
            url=url,
            engine=settings.engine,
            database=settings.database_name,
            workers=settings.workers,
        )
        if welcome:
            with contextlib.suppress(OSError):  # the service runs even if nobody reads it
                click.echo(welcome.replace("{url}", url), err=True)

    # rule: serve-workers
    async def started_alone() -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _hang_up)
        started()

    if settings.workers > 1:
        asyncio.run(workers.Supervisor(settings, listening, started, check).run())
    else:
        app.serve(settings, listening, started_alone)


def _hang_up() -> None:
    """Handles SIGHUP in a service of one process: stops if its terminal was closed."""
    if sys.stdin is not None and sys.stdin.isatty():
        signal.raise_signal(signal.SIGTERM)
    else:
        reason = "SIGHUP reloads settings only with 2 or more workers; restart the service"
        logger.warning("reload_ignored", reason=reason)


def _allow_files() -> None:
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    new_limit = _FILES if hard_limit == resource.RLIM_INFINITY else min(_FILES, hard_limit)
    if soft_limit != resource.RLIM_INFINITY and soft_limit < new_limit:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard_limit))


# rule: init-explicit
def listen(host: str, port: int, names: str) -> socket.socket:
    """Returns a listening socket. Raises ``Misconfigured``; ``names``: the settings to change."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_SOCKET_BACKLOG)
    except (OSError, ValueError) as error:
        # ValueError: an impossible host name, such as a..b, or one that is too long.
        reason = error.strerror if isinstance(error, OSError) else "it isn't a valid address"
        listening.close()
        raise Misconfigured(
            f"Can't listen on {host[:80]}:{port} ({reason}). Change {names}."
        ) from error
    if hasattr(socket, "TCP_NOTSENT_LOWAT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
    listening.set_inheritable(True)
    return listening
