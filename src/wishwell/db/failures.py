"""What the errors of the PostgreSQL driver mean."""

import contextlib
from collections.abc import Iterator

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


def unavailable(error: BaseException) -> Unavailable:
    """For what was not done."""
    return Unavailable(f"The database can't be reached ({type(error).__name__}).")
