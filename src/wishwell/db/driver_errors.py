"""What the driver's errors mean: tried again, not reached, or not known whether it was done."""

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
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
# After these errors it is not known whether a write was done: even a server that shuts down may
# have committed first.
BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    OSError,
    TimeoutError,
)
TRY_AGAIN = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


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
    """The error of a write of which it is not known whether it was done."""
    return Undecided(f"The database connection broke during a write ({type(error).__name__}).")


def unavailable(error: BaseException) -> Unavailable:
    """The error of what was certainly not done."""
    return Unavailable(f"The database can't be reached ({type(error).__name__}).")
