"""What the errors of the PostgreSQL driver mean."""

import contextlib
import re
from collections.abc import Iterator
from typing import NoReturn
from weakref import WeakSet

import asyncpg

from wishwell.db import UniqueViolation
from wishwell.errors import StoreDeleted, Unavailable, Undecided

# After these errors it is not known whether a write was done: even a server that shuts down may
# have committed first, and the last two of the driver's are how Citus tells that it lost a server.
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

# Citus could not connect to a server, so it sent nothing there and commits nothing. The words are
# libpq's and PostgreSQL's: where they speak another language, it stays unknown.
_NOT_SENT = re.compile(
    r"connection to the remote node .*(Is the server running|the database system is )", re.DOTALL
)
_in_doubt = WeakSet[asyncpg.Connection]()


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turns the driver's errors into ours."""
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as error:
        raise_ours(error)
    except UNREACHABLE as error:
        raise failed(error) from error


# contract: store-rows
def raise_ours(error: asyncpg.IntegrityConstraintViolationError) -> NoReturn:
    """Raises a broken constraint as ours. One that only a bug can break stays as it is."""
    if isinstance(error, asyncpg.UniqueViolationError):
        raise UniqueViolation(error.constraint_name or "") from error
    # By its message: what a coordinator passes on has no name.
    if isinstance(error, asyncpg.ForeignKeyViolationError) and "_store_id_fkey" in str(error):
        raise StoreDeleted from error
    raise error


def undecided(error: BaseException) -> Undecided:
    """The error of a write that may or may not have been done."""
    return Undecided(f"The database connection broke during a write ({type(error).__name__}).")


# contract: cluster-server-away
def hear(connection: asyncpg.Connection, message: asyncpg.PostgresLogMessage) -> None:
    """Listens to a connection's warnings: a coordinator that could not commit on another server
    warns so, and answers as if it had."""
    if message.message.startswith("failed to commit transaction"):
        _in_doubt.add(connection)


def check(connection: asyncpg.Connection) -> None:
    """Raises ``Undecided`` if a commit of the connection is in doubt."""
    if connection in _in_doubt:
        raise undecided(ConnectionError())


# contract: cluster-server-away
def failed(error: BaseException, *, wrote: bool = False) -> Unavailable:
    """The error of a failed statement. ``wrote``: it was a write outside of a transaction."""
    if wrote and isinstance(error, BROKEN) and not _NOT_SENT.match(str(error)):
        return undecided(error)
    return Unavailable(f"The database can't be reached ({type(error).__name__}).")
