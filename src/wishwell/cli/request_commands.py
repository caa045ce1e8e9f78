"""`wishwell profile requests`: what the store's platform has asked for."""

import click

from wishwell import stores
from wishwell.cli.opening import run
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.moving import requests
from wishwell.moving.requests import PlatformRequest
from wishwell.profiles import pages
from wishwell.profiles.pages import PageRequest
from wishwell.profiles.search import Search
from wishwell.run import terminal


# contract: request-fields
@click.command("requests")
@click.option("--store", "handle", required=True, metavar="HANDLE", help="The store.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def profile_requests(settings: Settings, handle: str, as_json: bool) -> None:
    """List what the store's platform has asked for, newest first."""

    async def listed(db: Database) -> list[PlatformRequest]:
        store = await db.read(stores.by_handle, handle)
        found: list[PlatformRequest] = []
        asked: PageRequest | None = PageRequest(None, pages.MAX_SIZE, Search())
        while asked is not None:
            page = await db.read(requests.page, store, asked)
            found += page.records
            asked = PageRequest(page.next, pages.MAX_SIZE, Search()) if page.next else None
        return found

    terminal.show(run(settings, listed), as_json)
