"""Translates errors of the database drivers into the service's own, and into messages."""

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from typing import NoReturn
from weakref import WeakSet

import asyncpg

from wishwell.db import UniqueViolation
from wishwell.errors import DOCS, ServiceError, StoreDeleted, Unavailable, Undecided

# After these errors a write's outcome is unknown: even a server that shuts down may have committed
# first. Citus reports the loss of a server as InternalServerError or PostgresIOError.
BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InternalServerError,
    asyncpg.PostgresIOError,
    OSError,
    TimeoutError,
)
UNREACHABLE = (
    *BROKEN,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.DiskFullError,
    asyncpg.OutOfMemoryError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)

# Citus couldn't connect to a server, so it sent nothing and commits nothing. The words are those of
# libpq and PostgreSQL in English; in another language the outcome counts as unknown.
_NOT_SENT = re.compile(
    r"connection to the remote node .*(Is the server running|the database system is )", re.DOTALL
)
_half_committed = WeakSet[asyncpg.Connection]()


@contextlib.contextmanager
def translate_errors() -> Iterator[None]:
    """Raises the driver's errors in the block as the service's own."""
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as error:
        raise_ours(error)
    except UNREACHABLE as error:
        raise to_unavailable(error) from error


# rule: store-delete
def raise_ours(error: asyncpg.IntegrityConstraintViolationError) -> NoReturn:
    """Raises a constraint violation as our own error, unless only a bug can cause it."""
    if isinstance(error, asyncpg.UniqueViolationError):
        raise UniqueViolation(error.constraint_name or "") from error
    # Checks the message, because errors passed on by a coordinator lack the constraint's name.
    if isinstance(error, asyncpg.ForeignKeyViolationError) and "_store_id_fkey" in str(error):
        raise StoreDeleted from error
    raise error


def to_undecided(error: BaseException) -> Undecided:
    """Returns the error for a write whose outcome is unknown."""
    return Undecided(f"The database connection broke during a write ({type(error).__name__}).")


# rule: cluster-nodes
def on_log_message(connection: asyncpg.Connection, message: asyncpg.PostgresLogMessage) -> None:
    """Records a failed commit on another server of the cluster. A connection's log listener.

    The coordinator only warns about such a failure, and otherwise reports success.
    """
    if message.message.startswith("failed to commit transaction"):
        _half_committed.add(connection)


def check(connection: asyncpg.Connection) -> None:
    """Raises ``Undecided`` if a commit of the connection failed on another server."""
    if connection in _half_committed:
        raise to_undecided(ConnectionError())


# rule: cluster-nodes
def to_unavailable(error: BaseException, *, wrote: bool = False) -> Unavailable:
    """Returns the error for a failed statement. ``wrote``: it was an autocommitted write."""
    if wrote and isinstance(error, BROKEN) and not _NOT_SENT.match(str(error)):
        return to_undecided(error)
    return Unavailable(f"The database can't be reached ({type(error).__name__}).")


def message_of(error: Exception) -> str | None:
    """Returns the message for an expected error, or ``None`` for an unexpected one."""
    if isinstance(error, Unavailable):
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else ""
        return f"{error.message} {cause}"
    if isinstance(error, ServiceError):
        return error.message
    if isinstance(error, asyncpg.PostgresError | sqlite3.Error):
        # An unknown database or role, a missing schema, or a file that isn't a database.
        advice = "whether `wishwell migrate` was run"
        if isinstance(error, asyncpg.InvalidCatalogNameError):
            advice = f"create the database: {DOCS}operations.md#postgresql"
        return (
            f"The database reported an error: {error}. Check WISHWELL_DATABASE_URL, and {advice}."
        )
    if isinstance(error, OSError | UnicodeEncodeError):
        return f"Reading or writing a file failed ({getattr(error, 'strerror', None) or error})."
    return None
