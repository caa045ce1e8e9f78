"""What the commands share: the database, opened for one of them, and the time."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

from wishwell import app, config, ids
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Misconfigured

T = TypeVar("T")
new_id = ids.UUID7()


def run(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    """Opens the database, runs ``work`` on it, and closes it."""
    path = config.sqlite_path(settings.database_url)
    missing = settings.engine == "sqlite" and not os.access(path, os.F_OK)

    async def opened() -> T:
        if missing:
            raise Misconfigured(f"There is no database {path} yet: run `wishwell migrate` first.")
        db = app.open_database(settings)
        try:
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(opened())


def now() -> str:
    return ids.timestamp(ids.wall_clock())


def in_days(now: int, days: int) -> str:
    return ids.timestamp(now + days * 86_400_000)
