"""A service's database, past the service: what no request does, or not in the time that a test has."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from wishwell import app, config, ids, stores

if TYPE_CHECKING:
    from tests.servers.service import Service


def address(service: Service) -> str:
    """The URL of its database, whatever folder this process is in."""
    url = service.settings["WISHWELL_DATABASE_URL"]
    return url.replace("sqlite:///", f"sqlite:///{service.folder}/")


def turn_events_on(service: Service, handle: str) -> None:
    """Lets a store tell events."""
    settings = config.load({"WISHWELL_DATABASE_URL": address(service)})

    async def change() -> None:
        db = app.open_database(settings)
        patch = stores.StorePatch(events=True)
        await db.write(stores.update, handle, patch, ids.timestamp(ids.wall_clock()))
        await db.close()

    asyncio.run(change())


def select(service: Service, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
    """The rows of a statement with parameters $1, $2, …"""
    settings = config.load({"WISHWELL_DATABASE_URL": address(service)})

    async def ask() -> list[tuple[Any, ...]]:
        db = app.open_database(settings)

        async def use(tx: Any) -> Any:
            if settings.engine == "sqlite":
                return tx.execute(sql.replace("$", "?"), arguments)
            return await tx.fetch(sql, *arguments)

        rows = await db.read(use)
        await db.close()
        return [tuple(row) for row in rows]

    return asyncio.run(ask())
