"""The admin tokens of a store, as one of them reads and revokes them."""

from msgspec import structs

from wishwell import ids
from wishwell.access.auth import AdminTokenRecord
from wishwell.db import Reader, Row, Writer
from wishwell.errors import Conflict, NotFound
from wishwell.profiles import WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store


# contract: token-pages
async def page(tx: Reader, store: Store, asking: str, asked: PageRequest) -> Page[AdminTokenRecord]:
    """A page of a store's admin tokens, newest first. ``asking``: the id of the one that asks."""

    def from_row(row: Row) -> AdminTokenRecord:
        record = AdminTokenRecord(*row)
        return structs.replace(record, current=True) if record.id == asking else record

    return await pages.read(tx, "admin_tokens", WholeStore(store), asked, from_row)


# contract: token-revoke-another
async def revoke(tx: Writer, store: Store, asking: str, id: str, now: str) -> None:
    """Revokes an admin token. Idempotent. Raises ``NotFound``, and ``Conflict`` for the one that
    asks."""
    if id == asking:
        raise Conflict("This token asks, and can't revoke itself. Use another one of the store.")
    known = ids.is_uuid(id)
    if not known or await tx.one("admin_token_revoke", id=id, store=store.id, now=now) is None:
        raise NotFound("There is no such admin token.")
