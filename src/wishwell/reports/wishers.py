"""Report of the profiles that wish for a product, newest first."""

from collections.abc import AsyncIterator

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell.db import Database, Reader, Row
from wishwell.profiles import WholeStore, pages, records
from wishwell.profiles.pages import Page, PageRequest
from wishwell.profiles.search import Search
from wishwell.stores import Store


class Wisher(msgspec.Struct, rename="camel", omit_defaults=True):
    """A wish for the product, and its owner."""

    profile: types.ProfileGid
    notices: records.MakesNotices
    quantity: types.Quantity
    saved_at: types.Time
    variant_id: types.ProductId | UnsetType = UNSET


_BATCH_SIZE = 10_000  # rows per batch

COLUMNS = ("profile", "notices", "variantId", "quantity", "savedAt")


def search_for(product: str, variant: str | None) -> Search:
    """Returns the search for wishes for a product, in this variant or (``None``) any."""
    if variant is None:
        return Search(("product",), ([product],))
    return Search(("product", "variant"), ([product], [variant]))


async def wisher_batches(db: Database, store: Store, search: Search) -> AsyncIterator[list[Wisher]]:
    """Yields all wishes that match a search of ``search_for``, in batches."""
    cursor, is_first = None, True
    while is_first or cursor is not None:
        wishers = await db.long_read(page, store, PageRequest(cursor, _BATCH_SIZE, search))
        yield wishers.records
        cursor, is_first = wishers.next, False


async def page(tx: Reader, store: Store, page_request: PageRequest) -> Page[Wisher]:
    """Returns a page of the current wishes that match a search of ``search_for``."""

    def from_row(row: Row) -> Wisher:
        _, gid, notices, variant, quantity, saved_at = row
        wisher = Wisher(gid, records.notice_choice(notices), quantity, saved_at)
        if variant:
            wisher.variant_id = store.shown_id(variant)
        return wisher

    return await pages.read(tx, "items_wished", WholeStore(store), page_request, from_row)
