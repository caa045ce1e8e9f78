"""What the errors of the PostgreSQL driver mean."""

import contextlib
from collections.abc import Iterator
from weakref import WeakSet

import asyncpg

from wishwell.db import UniqueViolation
from wishwell.errors import Unavailable, Undecided

UNREACHABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.DiskFullError,
    asyncpg.OutOfMemoryError,
    asyncpg.InternalServerError,
    asyncpg.PostgresIOError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
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


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turns the driver's errors into ours."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        raise UniqueViolation(error.constraint_name or "") from error
    except UNREACHABLE as error:
        raise unavailable(error) from error


def undecided(error: BaseException) -> Undecided:
    """For a write of which nobody knows whether it was done."""
    return Undecided(f"The database connection broke during a write ({type(error).__name__}).")


# contract: cluster-server-away
class Doubts:
    """Connections of which a commit is in doubt.

    A coordinator that could not commit on another server warns so, and answers as if it had.
    """

    def __init__(self) -> None:
        self._found = WeakSet[asyncpg.Connection]()

    def listen(self, connection: asyncpg.Connection) -> None:
        """Begins to hear the warnings of a connection."""
        connection.add_log_listener(self._hear)

    def check(self, connection: asyncpg.Connection) -> None:
        """Raises ``Undecided`` if a commit of the connection is in doubt."""
        if connection in self._found:
            raise undecided(ConnectionError())

    def _hear(self, connection: asyncpg.Connection, message: asyncpg.PostgresLogMessage) -> None:
        if message.message.startswith("failed to commit transaction"):
            self._found.add(connection)


def unavailable(error: BaseException) -> Unavailable:
    """For what was not done."""
    return Unavailable(f"The database can't be reached ({type(error).__name__}).")
